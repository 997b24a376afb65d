// SPDX-License-Identifier: Apache-2.0
#include "layers.hpp"

#include <cmath>

namespace digits {
namespace {

using dnnl::algorithm;
using dnnl::prop_kind;

} // namespace

Dense::Dense(int64_t batch, int64_t inputs, int64_t outputs, Type type, Type output_type, float rate,
             std::mt19937& random)
    : weights_({outputs, inputs}, rate), bias_({outputs}, rate) {
    // Uniform with the variance 2 / inputs, which keeps that of the activations behind relu.
    const float widest = std::sqrt(6.0f / float(inputs));
    for (float& w : floats(weights_.value)) w = widest * (float(random() % 65536) / 32768 - 1);

    const memory::desc src = rows_of({batch, inputs}, type), diff_dst = rows_of({batch, outputs}, type);
    const memory::desc weights = any({outputs, inputs}, type), bias = bias_.value.get_desc();
    const auto forward_to = [&](Type to) {
        return dnnl::inner_product_forward::primitive_desc(cpu(), prop_kind::forward_training, src, weights, bias,
                                                           rows_of({batch, outputs}, to));
    };
    const auto forward = forward_to(output_type), hint = forward_to(type);
    const dnnl::inner_product_backward_data::primitive_desc by_data(cpu(), src, weights, diff_dst, hint);
    const dnnl::inner_product_backward_weights::primitive_desc by_weights(cpu(), src, any({outputs, inputs}, Type::f32),
                                                                          bias, diff_dst, hint);
    forward_ = dnnl::inner_product_forward(forward);
    backward_data_ = dnnl::inner_product_backward_data(by_data);
    backward_weights_primitive_ = dnnl::inner_product_backward_weights(by_weights);

    forward_weights_ = Converted(weights_.value, forward.weights_desc());
    backward_weights_ = Converted(weights_.value, by_data.weights_desc());
    diff_weights_ = tensor(by_weights.diff_weights_desc());
    plain_gradient_ = Converted(diff_weights_, weights_.value.get_desc());
    weights_.gradient = plain_gradient_.get();
    dst_ = tensor(forward.dst_desc());
    diff_src_ = tensor(src);
}

const memory& Dense::forward(const memory& src) {
    forward_weights_.update();
    forward_.execute(stream(), {{DNNL_ARG_SRC, src},
                                {DNNL_ARG_WEIGHTS, forward_weights_.get()},
                                {DNNL_ARG_BIAS, bias_.value},
                                {DNNL_ARG_DST, dst_}});
    return dst_;
}

void Dense::backward_weights(const memory& src, const memory& diff_dst) {
    backward_weights_primitive_.execute(stream(), {{DNNL_ARG_SRC, src},
                                                   {DNNL_ARG_DIFF_DST, diff_dst},
                                                   {DNNL_ARG_DIFF_WEIGHTS, diff_weights_},
                                                   {DNNL_ARG_DIFF_BIAS, bias_.gradient}});
    plain_gradient_.update();
}

const memory& Dense::backward_data(const memory& diff_dst) {
    backward_weights_.update();
    backward_data_.execute(
        stream(),
        {{DNNL_ARG_DIFF_DST, diff_dst}, {DNNL_ARG_WEIGHTS, backward_weights_.get()}, {DNNL_ARG_DIFF_SRC, diff_src_}});
    return diff_src_;
}

void Dense::step() {
    weights_.step();
    bias_.step();
}

Relu::Relu(const memory::dims& dims, Type type) : dst_(tensor(dims, type)), diff_src_(tensor(dims, type)) {
    const memory::desc data = rows_of(dims, type);
    // The gradient looks at dst, so that src need not be kept.
    const dnnl::eltwise_forward::primitive_desc forward(cpu(), prop_kind::forward_training,
                                                        algorithm::eltwise_relu_use_dst_for_bwd, data, data);
    forward_ = dnnl::eltwise_forward(forward);
    backward_ = dnnl::eltwise_backward(dnnl::eltwise_backward::primitive_desc(
        cpu(), algorithm::eltwise_relu_use_dst_for_bwd, data, data, data, forward));
}

const memory& Relu::forward(const memory& src) {
    forward_.execute(stream(), {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst_}});
    return dst_;
}

const memory& Relu::backward(const memory& diff_dst) {
    backward_.execute(stream(), {{DNNL_ARG_DST, dst_}, {DNNL_ARG_DIFF_DST, diff_dst}, {DNNL_ARG_DIFF_SRC, diff_src_}});
    return diff_src_;
}

} // namespace digits
