// SPDX-License-Identifier: Apache-2.0
#include "random_convolution.hpp"

#include <algorithm>

#include "core/program/lib/eltwise.hpp"
#include "ops/convolution/convolution.hpp"
#include "random_attributes.hpp"

namespace tessera::fuzz {

namespace {

using Extents = std::vector<int64_t>;

// Plain, channels last, channels in blocks, open, or anything.
MemoryDesc convolved(Random& r, const Extents& dims, DataType type) {
    const auto open = make_desc_any(dims, type);
    if (open && chance(r, 30)) return *open;
    if (chance(r, 30)) return random_desc(r, dims, type);
    std::string tag = std::string("abcdef").substr(0, dims.size());
    if (dims.size() > 2 && chance(r, 50)) std::rotate(tag.begin() + 1, tag.begin() + 2, tag.end());
    if (dims.size() > 2 && chance(r, 25)) {
        std::ranges::replace(tag, 'b', 'B');
        tag += fmt::format("{}b", chance(r, 50) ? 16 : 8);
    }
    return *make_desc_with_tag(dims, type, tag);
}

void add_quant(Random& r, Attr& attr, int id, bool scales, int mask) {
    if (!chance(r, 50)) return;
    Quant q;
    q.mask = chance(r, 50) ? mask : 0;
    if (scales && chance(r, 20)) q.type = DataType::bf16;
    if (!scales) q.type = DataType::s32;
    (void)(scales ? attr.set_scales(id, q) : attr.set_zero_points(id, q));
}

// A 1x1 convolution with a depthwise post-op among others.
Result<Problem> random_fused(Random& r) {
    const int64_t most[] = {1, 4, 20, 40};
    const int64_t in = 1 + below(r, most[below(r, 4)]), out = 1 + below(r, most[below(r, 4)]);
    Extents src{chance(r, 3) ? 0 : 1 + below(r, 2), in, 1 + below(r, 9), 1 + below(r, 9)}, dst = src;
    dst[1] = out;
    const auto [a, b] = factor_types(r, true);
    const DataType between = result_type(r, a);
    MemoryDesc bias;
    if (chance(r, 50)) bias = *make_desc_with_tag(Extents{out}, result_type(r, a), "a");
    PostOp depthwise;
    depthwise.kind = PostOpKind::convolution;
    depthwise.kernel = 1 + below(r, chance(r, 80) ? 3 : 6), depthwise.stride = 1 + below(r, 3);
    depthwise.padding = below(r, depthwise.kernel);
    depthwise.weights_type = b, depthwise.dst_type = result_type(r, between);
    if (chance(r, 50)) depthwise.bias_type = result_type(r, between);
    Attr attr;
    if (is_integer(a)) {
        add_quant(r, attr, arg::src, true, 0), add_quant(r, attr, arg::weights, true, 1);
        add_quant(r, attr, arg::src, false, 2);
    }
    if (is_integer(between)) {
        add_quant(r, attr, arg::dst, true, 0), add_quant(r, attr, arg::post_op_dw | arg::weights, true, 1);
        add_quant(r, attr, arg::post_op_dw | arg::dst, true, 0);
    }
    add_post_ops(r, attr, dst, true);
    (void)attr.post_ops.append(depthwise);
    Extents last = dst;
    for (const size_t d : {2, 3}) last[d] = (last[d] - 1) / depthwise.stride + 1;
    add_post_ops(r, attr, last, true);
    std::erase_if(attr.post_ops.entries, [](const PostOp& p) { return p.kind == PostOpKind::sum; });
    ops::ConvolutionWindows w;
    w.strides = {1, 1};
    return ops::make_convolution({PrimitiveKind::convolution, PropKind::forward_inference, convolved(r, src, a),
                                  convolved(r, Extents{out, in, 1, 1}, b), bias, convolved(r, dst, between)},
                                 alg::convolution_direct, w, attr);
}

} // namespace

Result<Problem> random_convolution_of(Random& r, PrimitiveKind kind) {
    if (kind == PrimitiveKind::convolution && chance(r, 10)) return random_fused(r);
    const bool transposed = kind == PrimitiveKind::deconvolution;
    const int64_t spatial = 1 + below(r, 3);
    const int64_t groups = chance(r, 60) ? 1 : 1 + below(r, chance(r, 50) ? 4 : 20);
    const bool depthwise = groups > 1 && chance(r, 50);
    const int64_t most[] = {1, 4, 20, 40};
    const auto channels = [&] {
        return depthwise ? 1 + (chance(r, 20) ? below(r, 2) : 0) : 1 + below(r, most[below(r, 4)]);
    };
    const int64_t in = channels(), out = channels();
    Extents inputs{chance(r, 3) ? 0 : 1 + below(r, 3), groups * in}, outputs{inputs[0], groups * out};
    if (transposed) inputs[1] = groups * out, outputs[1] = groups * in;
    Extents weights{out, in};
    if (groups > 1 || chance(r, 10)) weights.insert(weights.begin(), groups);
    ops::ConvolutionWindows w;
    int64_t products = inputs[0] * groups * in * out;
    for (size_t k = 0; k < size_t(spatial); ++k) {
        const int64_t extent = 1 + below(r, spatial == 1 ? 40 : spatial == 2 ? 12 : 6);
        const int64_t kernel = 1 + below(r, chance(r, 80) ? 3 : 9);
        const int64_t stride = w.strides[k] = 1 + (chance(r, 50) ? 0 : below(r, 4));
        w.dilation[k] = chance(r, 75) ? 0 : below(r, 3);
        const int64_t reach = (kernel - 1) * (w.dilation[k] + 1) + 1;
        w.padding_l[k] = chance(r, 40) ? 0 : below(r, chance(r, 80) ? std::min<int64_t>(reach, 8) : 12);
        w.padding_r[k] = chance(r, 40) ? 0 : below(r, chance(r, 80) ? std::min<int64_t>(reach, 8) : 12);
        w.padding_r[k] = std::max(w.padding_r[k], reach - extent - w.padding_l[k]);
        inputs.push_back(extent);
        outputs.push_back((extent - reach + w.padding_l[k] + w.padding_r[k]) / stride + 1);
        weights.push_back(kernel);
        products *= outputs.back() * kernel;
    }
    if (products > 4 * most_products) inputs[0] = outputs[0] = std::min<int64_t>(inputs[0], 1);
    if (products > 12 * most_products) return invalid("too many products for the interpreter");
    const Extents &src = transposed ? outputs : inputs, &dst = transposed ? inputs : outputs;

    const int64_t direction = below(r, 4);
    const auto [a, b] = factor_types(r, direction < 2);
    const DataType to = result_type(r, a);
    const int alg = transposed ? int(alg::deconvolution_direct) : int(alg::convolution_direct);
    MemoryDesc bias;
    if (chance(r, 50)) bias = *make_desc_with_tag(Extents{dst[1]}, result_type(r, a), "a");
    Attr attr;
    if (chance(r, 10)) attr.fpmath = FpmathMode::bf16;
    if (direction == 2)
        return ops::make_convolution(
            {kind, PropKind::backward_data, convolved(r, src, to), convolved(r, weights, b), {}, convolved(r, dst, a)},
            alg, w, attr);
    if (direction == 3)
        return ops::make_convolution({kind, PropKind::backward_weights, convolved(r, src, a), convolved(r, weights, to),
                                      bias, convolved(r, dst, a)},
                                     alg, w, attr);
    if (is_integer(a)) {
        const int per_channel = weights.size() > src.size() ? 3 : 1;
        add_quant(r, attr, arg::src, true, 0), add_quant(r, attr, arg::weights, true, per_channel);
        add_quant(r, attr, arg::dst, true, 0);
        add_quant(r, attr, arg::src, false, 2), add_quant(r, attr, arg::dst, false, 2);
    }
    add_post_ops(r, attr, dst, true);
    return ops::make_convolution({kind, PropKind::forward_inference, convolved(r, src, a), convolved(r, weights, b),
                                  bias, convolved(r, dst, to)},
                                 alg, w, attr);
}

} // namespace tessera::fuzz
