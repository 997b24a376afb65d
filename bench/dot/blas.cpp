// SPDX-License-Identifier: Apache-2.0
// From descriptors to calls of CBLAS.
#include "dot/blas.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>

#include <dlfcn.h>

#include <fmt/format.h>

#include "team.hpp"

namespace tessera::bench::dot {
namespace {

// OpenBLAS up to 0.3.31 crashes in batches of what its kernels for small products take, m n k up to 100^3.
struct Names {
    const char *sgemm, *sgemm_batch;
    int64_t batch_above;
};
constexpr Names mkl = {"cblas_sgemm_64", "cblas_sgemm_batch_64", 0},
                openblas_of_numpy = {"scipy_cblas_sgemm64_", "scipy_cblas_sgemm_batch64_", 100 * 100 * 100};

enum { row_major = 101, column_major = 102, as_stored = 111, transposed = 112 }; // CBLAS fixes the values

template <typename F> F symbol(void* library, const char* name) { return reinterpret_cast<F>(dlsym(library, name)); }

// "OpenBLAS 0.3.30 USE64BITINT ..." and "Intel(R) ... Version 2026.2-Product ..." both name it in their first number.
std::string version_of(void* library) {
    std::string text;
    if (const auto of_mkl = symbol<void (*)(char*, int)>(library, "MKL_Get_Version_String")) {
        char buffer[200] = {};
        of_mkl(buffer, int(sizeof buffer) - 1);
        text = buffer;
    } else if (const auto of_openblas = symbol<const char* (*)()>(library, "scipy_openblas_get_config64_")) {
        text = of_openblas();
    }
    const size_t begin = std::min(text.find_first_of("0123456789"), text.size());
    return text.substr(begin, text.find_first_of(" -", begin) - begin);
}

// The last two dims of a tensor: rows one after the other or columns.
struct Matrix {
    bool by_rows;
    int64_t leading; // of a matrix of one row its stride says nothing, and BLAS wants no less than its length
};
Matrix matrix_of(const Desc& desc) {
    const Dims dims = desc.get_dims(), strides = desc.get_strides();
    const size_t row = dims.size() - 2, column = dims.size() - 1;
    if (strides[column] == 1) return {true, std::max(strides[row], dims[column])};
    if (strides[row] == 1) return {false, std::max(strides[column], dims[row])};
    throw std::runtime_error("a matrix that is dense in neither of its dims is none that BLAS knows");
}

// Where the matrices of a batch begin.
template <typename Float> std::vector<Float*> matrices_of(const Desc& desc, float* begin) {
    const Dims dims = desc.get_dims(), strides = desc.get_strides();
    std::vector<Float*> matrices = {begin};
    for (size_t d = 0; d + 2 < dims.size(); ++d) {
        std::vector<Float*> finer;
        for (Float* matrix : matrices)
            for (int64_t i = 0; i < dims[d]; ++i) finer.push_back(matrix + i * strides[d]);
        matrices = std::move(finer);
    }
    return matrices;
}

float* floats(const memory& m) { return static_cast<float*>(m.get_data_handle()); }

struct Product32 {
    int layout, transpose_a, transpose_b;
    int64_t m, n, k, lda, ldb, ldc;
    std::vector<const float*> a, b;
    std::vector<float*> c;
};

Product32 product_of(const memory& src, const memory& weights, const memory& dst) {
    const Desc src_desc = src.get_desc(), weights_desc = weights.get_desc(), dst_desc = dst.get_desc();
    const Dims src_dims = src_desc.get_dims(), dst_dims = dst_desc.get_dims();
    const size_t rank = dst_dims.size();
    const Matrix a = matrix_of(src_desc), b = matrix_of(weights_desc), c = matrix_of(dst_desc);
    // What lies as dst does is given as stored, else transposed.
    return {c.by_rows ? row_major : column_major,
            a.by_rows == c.by_rows ? as_stored : transposed,
            b.by_rows == c.by_rows ? as_stored : transposed,
            dst_dims[rank - 2],
            dst_dims[rank - 1],
            src_dims[rank - 1],
            a.leading,
            b.leading,
            c.leading,
            matrices_of<const float>(src_desc, floats(src)),
            matrices_of<const float>(weights_desc, floats(weights)),
            matrices_of<float>(dst_desc, floats(dst))};
}

void run(const Product32& p, Blas::Sgemm sgemm, Blas::SgemmBatch sgemm_batch) {
    constexpr float one = 1, zero = 0;
    if (const auto count = int64_t(p.c.size()); sgemm_batch != nullptr)
        return sgemm_batch(p.layout, &p.transpose_a, &p.transpose_b, &p.m, &p.n, &p.k, &one, p.a.data(), &p.lda,
                           p.b.data(), &p.ldb, &zero, p.c.data(), &p.ldc, 1, &count);
    for (size_t i = 0; i < p.c.size(); ++i)
        sgemm(p.layout, p.transpose_a, p.transpose_b, p.m, p.n, p.k, one, p.a[i], p.lda, p.b[i], p.ldb, zero, p.c[i],
              p.ldc);
}

// The values of run_on() are multiples of 1/8 up to 1.75, whose sums of up to 80 000 products are exact in any order:
// K eps times the largest product is more than any BLAS needs.
void check_same(const Case& c, const std::vector<float>& expected, const float* found, int64_t k) {
    const float bound = float(k) * std::numeric_limits<float>::epsilon() * 4;
    for (size_t i = 0; i < expected.size(); ++i)
        if (!(std::abs(found[i] - expected[i]) <= bound))
            throw std::runtime_error(
                fmt::format("{} {}: element {} of dst is {}, expected {}; is the BLAS called wrongly?", c.set, c.name,
                            i, found[i], expected[i]));
}

} // namespace

Blas::Blas(const std::string& path) {
    // Both read them when they are loaded. The threads of GCC's OpenMP run the yardsticks; those of Intel's would spin
    // beside them for 200 ms after each product.
    const std::string threads = fmt::format("{}", library_threads());
    setenv("MKL_NUM_THREADS", threads.c_str(), 1);
    setenv("OPENBLAS_NUM_THREADS", threads.c_str(), 1);
    setenv("MKL_THREADING_LAYER", "GNU", 0);
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(fmt::format("cannot load the BLAS: {}", dlerror()));
    const Names& names = dlsym(library, mkl.sgemm) != nullptr ? mkl : openblas_of_numpy;
    sgemm_ = symbol<Sgemm>(library, names.sgemm);
    sgemm_batch_ = symbol<SgemmBatch>(library, names.sgemm_batch);
    batch_above_ = names.batch_above;
    if (sgemm_ == nullptr || sgemm_batch_ == nullptr)
        throw std::runtime_error(fmt::format("{} has neither {} and {} nor {} and {}", path, mkl.sgemm, mkl.sgemm_batch,
                                             openblas_of_numpy.sgemm, openblas_of_numpy.sgemm_batch));
    version_ = version_of(library);
}

Work Blas::work(const Case& c) const {
    const PlainProduct& of = *c.plain;
    const dnnl::matmul::primitive_desc desc(engine(), of.src, of.weights, of.dst);
    Work work = run_on(dnnl::matmul(desc),
                       {{DNNL_ARG_SRC, of.src}, {DNNL_ARG_WEIGHTS, of.weights}, {DNNL_ARG_DST, of.dst, true}});
    const memory src = work.arguments.at(DNNL_ARG_SRC), weights = work.arguments.at(DNNL_ARG_WEIGHTS),
                 dst = work.arguments.at(DNNL_ARG_DST);
    if (of.call)
        of.call(floats(src), floats(weights), floats(dst));
    else
        work.run();
    const std::vector<float> expected(floats(dst), floats(dst) + volume(of.dst.get_dims()));
    std::fill_n(floats(dst), expected.size(), std::numeric_limits<float>::quiet_NaN());

    // The run that is replaced owns the buffers.
    const Product32 product = product_of(src, weights, dst);
    const bool batch = product.c.size() > 1 && product.m * product.n * product.k > batch_above_;
    work.run = [product, owner = work.run, sgemm = sgemm_, sgemm_batch = batch ? sgemm_batch_ : nullptr] {
        dot::run(product, sgemm, sgemm_batch);
    };
    work.run();
    check_same(c, expected, floats(dst), of.src.get_dims().back());
    return work;
}

} // namespace tessera::bench::dot
