// SPDX-License-Identifier: Apache-2.0
#include "ops/resampling/resampling.hpp"

namespace tessera::ops {

namespace {

// "mb2ic16_ih5oh10_iw5ow10"
std::string shape(const Problem& p) {
    const bool forward = p.find(arg::src) != nullptr;
    const MemoryDesc& src = p.md(forward ? arg::src : arg::diff_src);
    const MemoryDesc& dst = p.md(forward ? arg::dst : arg::diff_dst);
    std::string text = fmt::format("mb{}ic{}", src.dims[0], src.dims[1]);
    for (int d = 2; d < src.ndims; ++d) {
        const char axis = "dhw"[size_t(d + 3 - src.ndims)];
        text += fmt::format("_i{}{}o{}{}", axis, src.dims[size_t(d)], axis, dst.dims[size_t(d)]);
    }
    return text;
}

// Gradients have the names of what they belong to.
std::vector<VerboseToken> tokens(const Problem& p) {
    if (p.prop != PropKind::backward_data) return {};
    return {{"src", arg::diff_src}, {"dst", arg::diff_dst}};
}

} // namespace

constinit const Row resampling_row = {
    .kind = PrimitiveKind::resampling,
    .lower = lower_resampling,
    .ref = ref_resampling,
    .has_prop = true,
    .shape = shape,
    .tokens = tokens,
};

} // namespace tessera::ops
