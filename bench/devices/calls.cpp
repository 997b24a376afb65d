// SPDX-License-Identifier: Apache-2.0
// What a call costs besides the work: little work, in one kernel or several.
#include "cases.hpp"

namespace tessera::bench {

std::vector<DeviceCase> calls() {
    using Desc = dnnl::memory::desc;
    using Tag = dnnl::memory::format_tag;
    const auto f32 = [](const dnnl::memory::dims& dims, Tag tag) {
        return Desc(dims, dnnl::memory::data_type::f32, tag);
    };
    const auto inference = dnnl::prop_kind::forward_inference;
    const Desc numbers = f32({4096}, Tag::a), many = f32({3211264}, Tag::a), rows = f32({64, 512}, Tag::ab);
    const Desc half({64, 512}, dnnl::memory::data_type::bf16, Tag::ab);
    const Desc image = f32({1, 16, 14, 14}, Tag::nchw), taps = f32({16, 16, 3, 3}, Tag::oihw);
    const Desc matrix = f32({64, 64}, Tag::ab);
    return {
        {"copy 32 KB",
         [=](auto& e) {
             return on(e, dnnl::reorder(dnnl::reorder::primitive_desc(e, numbers, e, numbers)),
                       {{DNNL_ARG_FROM, numbers}, {DNNL_ARG_TO, numbers}});
         }},
        {"relu 25 MB",
         [=](auto& e) {
             return forward<dnnl::eltwise_forward>(e, many, dnnl::algorithm::eltwise_relu, many, many, 0.f, 0.f);
         }},
        {"softmax f32 64x512",
         [=](auto& e) {
             return forward<dnnl::softmax_forward>(e, rows, dnnl::algorithm::softmax_accurate, rows, rows, 1);
         }},
        {"softmax bf16 64x512", // with scratch memory where exponentials are kept
         [=](auto& e) {
             return forward<dnnl::softmax_forward>(e, half, dnnl::algorithm::softmax_accurate, half, half, 1);
         }},
        {"convolution 3x3 with padding", // in nine steps
         [=](auto& e) {
             using Primitive = dnnl::convolution_forward;
             const dnnl::memory::dims one = {1, 1};
             return on(e,
                       Primitive(Primitive::primitive_desc(e, inference, dnnl::algorithm::convolution_direct, image,
                                                           taps, image, one, one, one)),
                       {{DNNL_ARG_SRC, image}, {DNNL_ARG_WEIGHTS, taps}, {DNNL_ARG_DST, image}});
         }},
        {"matmul 64",
         [=](auto& e) {
             return on(e, dnnl::matmul(dnnl::matmul::primitive_desc(e, matrix, matrix, matrix)),
                       {{DNNL_ARG_SRC, matrix}, {DNNL_ARG_WEIGHTS, matrix}, {DNNL_ARG_DST, matrix}});
         }},
    };
}

} // namespace tessera::bench
