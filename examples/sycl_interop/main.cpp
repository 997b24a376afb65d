// SPDX-License-Identifier: Apache-2.0
// A program of SYCL's that asks the library for one step of its work: a product of matrices between two steps of its
// own, on one queue, in USM and then in buffers. Each is ordered by what SYCL knows: events, and accessors of buffers.
//
//   sycl_interop          "USM: right", "buffers: right"; exit status 1 if one of them is not
//
// Its own steps are host tasks, so that any C++ compiler builds it; kernels of a SYCL compiler go in the same places.
#include <cstdlib>
#include <iostream>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_sycl.hpp"

using namespace dnnl;

namespace {

constexpr size_t rows = 64, depth = 128, columns = 32;

float weight(size_t k, size_t n) { return float((k + n) % 3); }
float value(size_t m, size_t k) { return float((m * 7 + k) % 5) - 2; }

// Twice the product, computed plainly: the last step of both versions doubles.
bool is_right(const float* dst) {
    for (size_t m = 0; m < rows; ++m)
        for (size_t n = 0; n < columns; ++n) {
            float sum = 0;
            for (size_t k = 0; k < depth; ++k) sum += value(m, k) * weight(k, n);
            if (dst[m * columns + n] != 2 * sum) return false;
        }
    return true;
}

void fill(float* src, float* weights) {
    for (size_t m = 0; m < rows; ++m)
        for (size_t k = 0; k < depth; ++k) src[m * depth + k] = value(m, k);
    for (size_t k = 0; k < depth; ++k)
        for (size_t n = 0; n < columns; ++n) weights[k * columns + n] = weight(k, n);
}

void twice(float* dst) {
    for (size_t i = 0; i < rows * columns; ++i) dst[i] *= 2;
}

struct Product {
    explicit Product(const engine& e)
        : src({rows, depth}, memory::data_type::f32, memory::format_tag::ab),
          weights({depth, columns}, memory::data_type::f32, memory::format_tag::ab),
          dst({rows, columns}, memory::data_type::f32, memory::format_tag::ab),
          run(matmul::primitive_desc(e, src, weights, dst)) {}
    memory::desc src, weights, dst;
    matmul run;
};

bool in_usm(sycl::queue& queue, const engine& e, const Product& product) {
    float* const src = sycl::malloc_shared<float>(rows * depth, queue);
    float* const weights = sycl::malloc_shared<float>(depth * columns, queue);
    float* const dst = sycl::malloc_shared<float>(rows * columns, queue);

    // [usm]
    const stream s = sycl_interop::make_stream(e, queue);
    const sycl::event filled = queue.submit([&](sycl::handler& h) { h.host_task([=] { fill(src, weights); }); });
    const sycl::event multiplied = sycl_interop::execute(product.run, s,
                                                         {{DNNL_ARG_SRC, memory(product.src, e, src)},
                                                          {DNNL_ARG_WEIGHTS, memory(product.weights, e, weights)},
                                                          {DNNL_ARG_DST, memory(product.dst, e, dst)}},
                                                         {filled});
    queue
        .submit([&](sycl::handler& h) {
            h.depends_on(multiplied);
            h.host_task([=] { twice(dst); });
        })
        .wait();
    stream(s).wait(); // an error of the product, if there was one
    // [/usm]

    const bool right = is_right(dst);
    for (float* const p : {src, weights, dst}) sycl::free(p, queue);
    return right;
}

bool in_buffers(sycl::queue& queue, const engine& e, const Product& product) {
    sycl::buffer<float> src(sycl::range<1>(rows * depth)), weights(sycl::range<1>(depth * columns)),
        dst(sycl::range<1>(rows * columns));

    // [buffers]
    stream s = sycl_interop::make_stream(e, queue);
    queue.submit([&](sycl::handler& h) {
        const sycl::accessor<float, 1, sycl::access_mode::write, sycl::target::host_task> a(src, h), b(weights, h);
        h.host_task([=] { fill(&a[0], &b[0]); });
    });
    product.run.execute(s, {{DNNL_ARG_SRC, sycl_interop::make_memory(product.src, e, src)},
                            {DNNL_ARG_WEIGHTS, sycl_interop::make_memory(product.weights, e, weights)},
                            {DNNL_ARG_DST, sycl_interop::make_memory(product.dst, e, dst)}});
    queue.submit([&](sycl::handler& h) {
        const sycl::accessor<float, 1, sycl::access_mode::read_write, sycl::target::host_task> c(dst, h);
        h.host_task([=] { twice(&c[0]); });
    });
    s.wait();
    // [/buffers]
    const sycl::host_accessor result(dst, sycl::read_only);
    return is_right(&result[0]);
}

} // namespace

int main() try {
    sycl::queue queue(sycl::aspect_selector(sycl::aspect::usm_shared_allocations));
    const engine e = sycl_interop::make_engine(queue.get_device(), queue.get_context());
    const Product product(e);
    const bool usm = in_usm(queue, e, product), buffers = in_buffers(queue, e, product);
    std::cout << queue.get_device().get_info<sycl::info::device::name>() << "\n  USM: " << (usm ? "right" : "WRONG")
              << "\n  buffers: " << (buffers ? "right" : "WRONG") << "\n";
    return usm && buffers ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const std::exception& e) {
    std::cerr << "sycl_interop: " << e.what() << "\n";
    return EXIT_FAILURE;
}
