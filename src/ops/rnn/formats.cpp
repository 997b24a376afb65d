// SPDX-License-Identifier: Apache-2.0
// The tensors of recurrent cells: names, dims (RNN-01..09), and what a layout becomes that the caller leaves open.
//
// Forward multiplies rows of activations with weights of ldigo, dense along the gates' channels that it computes;
// backward data with ldgoi, dense along the channels of the gradient. Gradients of weights are ldigo, what an update of
// the forward's weights reads. Activations and states are row-major.
#include <algorithm>

#include "ops/descriptors.hpp"
#include "ops/rnn/rnn.hpp"

namespace tessera::ops {

namespace {

constexpr RnnTensor all[] = {
    {arg::src_layer, "src_layer", "src_layer", "diff_src_layer", "T x N x SLC", 3},
    {arg::src_iter, "src_iter", "src_iter", "diff_src_iter", "L x D x N x SIC", 4},
    {arg::src_iter_c, "src_iter_c", "src_iter_c", "diff_src_iter_c", "L x D x N x DHC", 4},
    {arg::attention, "attention", "attention", "diff_attention", "T x N x 1", 3},
    {arg::weights_layer, "weights_layer", "wei_layer", "diff_wei_layer", "L x D x SLC x G x DHC", 5, false, true},
    {arg::weights_iter, "weights_iter", "wei_iter", "diff_wei_iter", "L x D x SIC x G x DHC", 5, false, true},
    {arg::weights_peephole, "weights_peephole", "wei_peephole", "diff_wei_peephole", "L x D x 3 x DHC", 4},
    {arg::weights_projection, "weights_projection", "wei_proj", "diff_wei_proj", "L x D x DHC x DIC", 4, false, true},
    {arg::bias, "bias", "bias", "diff_bias", "L x D x G x DHC", 4},
    {arg::dst_layer, "dst_layer", "dst_layer", "diff_dst_layer", "T x N x DLC", 3, true},
    {arg::dst_iter, "dst_iter", "dst_iter", "diff_dst_iter", "L x D x N x DIC", 4, true},
    {arg::dst_iter_c, "dst_iter_c", "dst_iter_c", "diff_dst_iter_c", "L x D x N x DHC", 4, true},
};

} // namespace

std::span<const RnnTensor> rnn_tensors() { return all; }

std::vector<int64_t> rnn_dims(int arg, int cell, const RnnSizes& s) {
    const bool lbr = cell == alg::lbr_gru || cell == alg::lbr_augru;
    switch (arg) {
    case arg::src_layer:
        return {s.steps, s.batch, s.slc};
    case arg::attention:
        return {s.steps, s.batch, 1};
    case arg::dst_layer:
        return {s.steps, s.batch, s.dlc};
    case arg::src_iter:
        return {s.layers, s.directions, s.batch, s.sic};
    case arg::dst_iter:
        return {s.layers, s.directions, s.batch, s.dic};
    case arg::src_iter_c:
    case arg::dst_iter_c:
        return {s.layers, s.directions, s.batch, s.dhc};
    case arg::weights_layer:
        return {s.layers, s.directions, s.slc, s.gates, s.dhc};
    case arg::weights_iter:
        return {s.layers, s.directions, s.sic, s.gates, s.dhc};
    case arg::weights_peephole:
        return {s.layers, s.directions, 3, s.dhc};
    case arg::weights_projection:
        return {s.layers, s.directions, s.dhc, s.dic};
    default: // bias
        return {s.layers, s.directions, s.gates + lbr, s.dhc};
    }
}

Result<void> choose_rnn_layout(const RnnTensor& tensor, bool of_backward, MemoryDesc& md) {
    if (md.kind != FormatKind::any) return {};
    std::string tag = letters(0, md.ndims);
    if (tensor.weights && of_backward) std::rotate(tag.begin() + 2, tag.begin() + 3, tag.end());
    if (auto ok = choose_tag(md, tag); !ok) return ok;
    if (!tensor.weights || md.type != DataType::s8) return {};
    // All dims but the one that is summed over. Reorders know weights by it, and quantize them by their own scales.
    auto compensated = with_extra(md, {.flags = Extra::rnn_u8s8, .compensation_mask = ((1 << md.ndims) - 1) & ~4});
    if (!compensated) return Refusal(compensated.error());
    md = *compensated;
    return {};
}

} // namespace tessera::ops
