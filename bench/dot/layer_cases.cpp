// SPDX-License-Identifier: Apache-2.0
// Inner products, forward and backward, and calls of the gemm functions.
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dot/cases.hpp"

namespace tessera::bench::dot {
namespace {

using dnnl::prop_kind;
using Forward = dnnl::inner_product_forward;
using BackwardData = dnnl::inner_product_backward_data;
using BackwardWeights = dnnl::inner_product_backward_weights;

// A layer of a network; its input may have pixels: {images, channels, height, width}.
struct Layer {
    Dims input;
    int64_t outputs;
    Dims weights() const {
        Dims dims = input;
        dims[0] = outputs;
        return dims;
    }
    Dims output() const { return {input[0], outputs}; }
    double operations() const { return 2.0 * double(volume(input)) * double(outputs); }
};

const Layer layers[] = {{{256, 784}, 512}, {{128, 1024}, 1000}, {{64, 4096}, 4096},     {{1, 2048}, 1000},
                        {{256, 64}, 10},   {{1024, 768}, 3072}, {{32, 512, 7, 7}, 1024}};

Desc any(const Dims& dims, Type type) { return Desc(dims, type, Tag::any); }

Forward::primitive_desc forward_of(const Layer& l, const Types& t, prop_kind kind) {
    return Forward::primitive_desc(engine(), kind, any(l.input, t.src.second), any(l.weights(), t.weights.second),
                                   any({l.outputs}, Type::f32), any(l.output(), t.dst.second));
}

Work forward(const Layer& l, const Types& t, prop_kind kind) {
    const auto desc = forward_of(l, t, kind);
    return run_on(Forward(desc), {{DNNL_ARG_SRC, desc.src_desc()},
                                  {DNNL_ARG_WEIGHTS, desc.weights_desc()},
                                  {DNNL_ARG_BIAS, desc.bias_desc()},
                                  {DNNL_ARG_DST, desc.dst_desc(), true}});
}

Work backward_data(const Layer& l, const Types& t) {
    const BackwardData::primitive_desc desc(engine(), any(l.input, t.src.second), any(l.weights(), t.weights.second),
                                            any(l.output(), t.dst.second),
                                            forward_of(l, t, prop_kind::forward_training));
    return run_on(BackwardData(desc), {{DNNL_ARG_DIFF_DST, desc.diff_dst_desc()},
                                       {DNNL_ARG_WEIGHTS, desc.weights_desc()},
                                       {DNNL_ARG_DIFF_SRC, desc.diff_src_desc(), true}});
}

Work backward_weights(const Layer& l, const Types& t) {
    const BackwardWeights::primitive_desc desc(engine(), any(l.input, t.src.second), any(l.weights(), Type::f32),
                                               any({l.outputs}, Type::f32), any(l.output(), t.dst.second),
                                               forward_of(l, t, prop_kind::forward_training));
    return run_on(BackwardWeights(desc), {{DNNL_ARG_SRC, desc.src_desc()},
                                          {DNNL_ARG_DIFF_DST, desc.diff_dst_desc()},
                                          {DNNL_ARG_DIFF_WEIGHTS, desc.diff_weights_desc(), true},
                                          {DNNL_ARG_DIFF_BIAS, desc.diff_bias_desc(), true}});
}

// Rows are images and outputs; forward and backward by weights have a bias, which BLAS does not know.
PlainProduct plain_backward_data(const Layer& l) {
    const int64_t images = l.input[0], inputs = volume(l.input) / images;
    return {Desc({images, l.outputs}, Type::f32, Tag::ab),
            Desc({l.outputs, inputs}, Type::f32, Tag::ab),
            Desc({images, inputs}, Type::f32, Tag::ab),
            {}};
}

// Matrices of a gemm call; rows lie one after the other, op(A) is M x K.
template <typename A, typename B, typename C> struct Matrices {
    std::vector<A> a;
    std::vector<B> b;
    std::vector<C> c;
    Matrices(int64_t m, int64_t k, int64_t n) : a(size_t(m * k)), b(size_t(k * n)), c(size_t(m * n)) {
        for (size_t i = 0; i < a.size(); ++i) a[i] = A(1 + i * 37 % 11);
        for (size_t i = 0; i < b.size(); ++i) b[i] = B(1 + i * 29 % 7);
    }
    int64_t bytes() const { return int64_t(a.size() * sizeof(A) + b.size() * sizeof(B) + c.size() * sizeof(C)); }
};

struct Sizes {
    int64_t m, k, n;
    char transpose_a, transpose_b;
    int64_t lda() const { return transpose_a == 'N' ? k : m; }
    int64_t ldb() const { return transpose_b == 'N' ? n : k; }
};

void check_call(dnnl::status status) {
    dnnl::error::wrap_c_api(static_cast<dnnl_status_t>(status), "the gemm call is refused");
}

// `call` is repeated on matrices that live as long as the work. Once before, so that a refusal is known.
template <typename A, typename B, typename C, typename Call> Work calling(const Sizes& s, Call call) {
    const auto of = std::make_shared<Matrices<A, B, C>>(s.m, s.k, s.n);
    check_call(call(*of));
    Work work;
    work.bytes = of->bytes();
    work.run = [=] { check_call(call(*of)); };
    return work;
}

dnnl::status call_sgemm(const Sizes& s, const float* a, const float* b, float* c) {
    return dnnl::sgemm(s.transpose_a, s.transpose_b, s.m, s.n, s.k, 1, a, s.lda(), b, s.ldb(), 0, c, s.n);
}
Work sgemm(const Sizes& s) {
    return calling<float, float, float>(s,
                                        [s](auto& of) { return call_sgemm(s, of.a.data(), of.b.data(), of.c.data()); });
}
PlainProduct plain_sgemm(const Sizes& s) {
    return {Desc({s.m, s.k}, Type::f32, s.transpose_a == 'N' ? Tag::ab : Tag::ba),
            Desc({s.k, s.n}, Type::f32, s.transpose_b == 'N' ? Tag::ab : Tag::ba), Desc({s.m, s.n}, Type::f32, Tag::ab),
            [s](const float* a, const float* b, float* c) { check_call(call_sgemm(s, a, b, c)); }};
}
constexpr int32_t no_offset = 0;
Work gemm_u8(const Sizes& s) {
    return calling<uint8_t, int8_t, int32_t>(s, [s](auto& of) {
        return dnnl::gemm_u8s8s32(s.transpose_a, s.transpose_b, 'F', s.m, s.n, s.k, 1, of.a.data(), s.lda(), 0,
                                  of.b.data(), s.ldb(), 0, 0, of.c.data(), s.n, &no_offset);
    });
}
Work gemm_s8(const Sizes& s) {
    return calling<int8_t, int8_t, int32_t>(s, [s](auto& of) {
        return dnnl::gemm_s8s8s32(s.transpose_a, s.transpose_b, 'F', s.m, s.n, s.k, 1, of.a.data(), s.lda(), 0,
                                  of.b.data(), s.ldb(), 0, 0, of.c.data(), s.n, &no_offset);
    });
}

} // namespace

std::vector<Case> inner_product_cases() {
    std::vector<Case> cases;
    for (const Layer& l : layers) {
        const std::string sizes = fmt::format("{}->{}", fmt::join(l.input, "x"), l.outputs);
        const auto add = [&](const char* what, const Types& t, std::function<Work()> make) {
            cases.push_back({"inner_product",
                             fmt::format("{} {}:{}:{} any {}", what, t.src.first, t.weights.first, t.dst.first, sizes),
                             kind_of(t),
                             l.operations(),
                             {},
                             std::move(make)});
        };
        for (const Types& t : {Types{f32, f32, f32}, Types{bf16, bf16, bf16}}) {
            add("forward", t, [=] { return forward(l, t, prop_kind::forward_training); });
            add("backward_data", t, [=] { return backward_data(l, t); });
            if (kind_of(t) == Kind::f32) cases.back().plain = plain_backward_data(l);
            add("backward_weights", t, [=] { return backward_weights(l, t); });
        }
        for (const Types& t : {Types{u8, s8, s32}, Types{s8, s8, s32}})
            add("forward", t, [=] { return forward(l, t, prop_kind::forward_inference); });
    }
    return cases;
}

std::vector<Case> gemm_cases() {
    struct Function {
        const char* name;
        Kind kind;
        Work (*make)(const Sizes&);
    };
    constexpr Function functions[] = {
        {"sgemm", Kind::f32, sgemm}, {"gemm_u8s8s32", Kind::int8, gemm_u8}, {"gemm_s8s8s32", Kind::int8, gemm_s8}};
    constexpr int64_t shapes[][3] = {
        {512, 512, 512}, {1024, 1024, 1024}, {1000, 1003, 1001}, {16, 1024, 1024}, {4096, 64, 64}};
    std::vector<Case> cases;
    for (const Function& f : functions)
        for (const auto& [m, k, n] : shapes)
            for (char transpose_a : {'N', 'T'})
                for (char transpose_b : {'N', 'T'}) {
                    const Sizes s{m, k, n, transpose_a, transpose_b};
                    const bool square = m >= 512 && k >= 512;
                    cases.push_back({"gemm", fmt::format("{} {}{} {}x{}x{}", f.name, transpose_a, transpose_b, m, k, n),
                                     f.kind, 2.0 * double(m) * double(k) * double(n),
                                     square ? target_of_plain() : Target{}, [=] { return f.make(s); }});
                    if (f.kind == Kind::f32) cases.back().plain = plain_sgemm(s);
                }
    return cases;
}

} // namespace tessera::bench::dot
