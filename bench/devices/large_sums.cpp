// SPDX-License-Identifier: Apache-2.0
// What networks sum and multiply on a GPU.
#include "cases.hpp"

namespace tessera::bench {

namespace {

using dnnl::algorithm;
using dnnl::prop_kind;

const Dims images = {64, 64, 112, 112}, tokens = {16384, 4096}; // f32: 205 and 268 MB

Desc f32(const Dims& dims, Tag tag) { return Desc(dims, Type::f32, tag); }

DeviceWork pooled(const Engine& e, algorithm kind, const Desc& src, const Desc& dst, int64_t kernel, int64_t stride,
                  int64_t pad) {
    using Primitive = dnnl::pooling_forward;
    const Dims strides{stride, stride}, kernels{kernel, kernel}, dilation{0, 0}, pads{pad, pad};
    return on(e,
              Primitive(Primitive::primitive_desc(e, prop_kind::forward_inference, kind, src, dst, strides, kernels,
                                                  dilation, pads, pads)),
              {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
}

DeviceWork batch_norm(const Engine& e, const Desc& data) {
    using Flags = dnnl::normalization_flags;
    const dnnl::batch_normalization_forward::primitive_desc pd(e, prop_kind::forward_training, data, data, 1e-5f,
                                                               Flags::use_scale | Flags::use_shift);
    const Desc channels = f32({data.get_dims()[1]}, Tag::a);
    return on(e, dnnl::batch_normalization_forward(pd),
              {{DNNL_ARG_SRC, data},
               {DNNL_ARG_SCALE, channels},
               {DNNL_ARG_SHIFT, channels},
               {DNNL_ARG_MEAN, pd.mean_desc()},
               {DNNL_ARG_VARIANCE, pd.variance_desc()},
               {DNNL_ARG_DST, data}});
}

DeviceWork layer_norm(const Engine& e, const Desc& data) {
    using Flags = dnnl::normalization_flags;
    const dnnl::layer_normalization_forward::primitive_desc pd(e, prop_kind::forward_inference, data, data, 1e-5f,
                                                               Flags::use_scale | Flags::use_shift);
    const Desc channels = f32({data.get_dims()[1]}, Tag::a);
    return on(e, dnnl::layer_normalization_forward(pd),
              {{DNNL_ARG_SRC, data}, {DNNL_ARG_SCALE, channels}, {DNNL_ARG_SHIFT, channels}, {DNNL_ARG_DST, data}});
}

DeviceWork summed(const Engine& e, const Desc& src, const Desc& dst) {
    using Primitive = dnnl::reduction;
    return on(e, Primitive(Primitive::primitive_desc(e, algorithm::reduction_sum, src, dst, 0.f, 0.f)),
              {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
}

DeviceWork product(const Engine& e, Dims mkn, Type type, Type dst_type, Tag weights = Tag::ab) {
    const Desc a({mkn[0], mkn[1]}, type, Tag::ab), b({mkn[1], mkn[2]}, type, weights),
        c({mkn[0], mkn[2]}, dst_type, Tag::ab);
    return on(e, dnnl::matmul(dnnl::matmul::primitive_desc(e, a, b, c)),
              {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}});
}

} // namespace

std::vector<DeviceCase> large_sums() {
    const Desc nchw = f32(images, Tag::nchw), nhwc = f32(images, Tag::nhwc), matrix = f32(tokens, Tag::ab);
    const Desc pooled_nchw = f32({64, 64, 56, 56}, Tag::nchw), pooled_nhwc = f32({64, 64, 56, 56}, Tag::nhwc);
    const auto max = algorithm::pooling_max, mean = algorithm::pooling_avg_exclude_padding;
    const auto softmax = [](const Engine& e, const Desc& d, int axis) {
        return forward<dnnl::softmax_forward>(e, d, algorithm::softmax_accurate, d, d, axis);
    };
    return {
        {"softmax rows", [=](auto& e) { return softmax(e, matrix, 1); }},
        {"softmax columns", [=](auto& e) { return softmax(e, matrix, 0); }},
        {"layer norm", [=](auto& e) { return layer_norm(e, matrix); }},
        {"batch norm nchw", [=](auto& e) { return batch_norm(e, nchw); }},
        {"batch norm nhwc", [=](auto& e) { return batch_norm(e, nhwc); }},
        {"max pooling 3x3 s2 nchw", [=](auto& e) { return pooled(e, max, nchw, pooled_nchw, 3, 2, 1); }},
        {"max pooling 3x3 s2 nhwc", [=](auto& e) { return pooled(e, max, nhwc, pooled_nhwc, 3, 2, 1); }},
        {"mean pooling 2x2 s2 nchw", [=](auto& e) { return pooled(e, mean, nchw, pooled_nchw, 2, 2, 0); }},
        {"sum of rows",
         [=](auto& e) {
             return summed(e, matrix, f32({tokens[0], 1}, Tag::ab));
         }},
        {"sum of columns",
         [=](auto& e) {
             return summed(e, matrix, f32({1, tokens[1]}, Tag::ab));
         }},
        {"sum of all",
         [=](auto& e) {
             return summed(e, matrix, f32({1, 1}, Tag::ab));
         }},
        {"matmul 1024",
         [=](auto& e) {
             return product(e, {1024, 1024, 1024}, Type::f32, Type::f32);
         }},
        {"matmul 4096",
         [=](auto& e) {
             return product(e, {4096, 4096, 4096}, Type::f32, Type::f32);
         }},
        {"matmul bf16 4096",
         [=](auto& e) {
             return product(e, {4096, 4096, 4096}, Type::bf16, Type::bf16);
         }},
        {"matmul s8 4096",
         [=](auto& e) {
             return product(e, {4096, 4096, 4096}, Type::s8, Type::s32, Tag::ba);
         }},
        {"matmul 1x4096x4096",
         [=](auto& e) {
             return product(e, {1, 4096, 4096}, Type::f32, Type::f32);
         }},
    };
}

} // namespace tessera::bench
