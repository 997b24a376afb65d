// SPDX-License-Identifier: Apache-2.0
#include "ops/pooling/pooling.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tessera::ops {

namespace {

// "mb2ic16_ih5oh3kh3sh2dh0ph1_iw5ow3kw3sw2dw0pw1"
std::string shape(const Problem& problem) {
    const Pooling p(problem);
    std::string text = fmt::format("mb{}ic{}", p.src.dims[0], p.src.dims[1]);
    for (size_t k = 0; k < p.windows.size(); ++k) {
        const char axis = "dhw"[k + 3 - p.windows.size()];
        const Window& w = p.windows[k];
        text += fmt::format("_i{0}{1}o{0}{2}k{0}{3}s{0}{4}d{0}{5}p{0}{6}", axis, w.inputs, w.outputs, w.kernel,
                            w.stride, w.step - 1, w.left);
    }
    return text;
}

// Gradients have the names of what they belong to.
std::vector<VerboseToken> tokens(const Problem& p) {
    std::vector<VerboseToken> all;
    if (p.prop == PropKind::backward_data)
        all = {{"src", arg::diff_src, true}, {"dst", arg::diff_dst, true}};
    else
        all = {{"src", arg::src}, {"dst", arg::dst, true}};
    if (p.find(arg::workspace)) all.push_back({"ws", arg::workspace});
    return all;
}

} // namespace

Pooling::Pooling(const Problem& p)
    : prop(p.prop), alg(int(p.params.at(query::alg_kind))),
      src(p.md(p.prop == PropKind::backward_data ? arg::diff_src : arg::src)),
      dst(p.md(p.prop == PropKind::backward_data ? arg::diff_dst : arg::dst)), workspace(nullptr) {
    if (const Tensor* t = p.find(arg::workspace)) workspace = &t->md;
    for (size_t d = 2; d < size_t(src.ndims); ++d) {
        const auto of = [&](int list) { return p.list_params.at(list)[d - 2]; };
        windows.push_back({src.dims[d], dst.dims[d], of(query::kernel), of(query::strides), of(query::dilations) + 1,
                           of(query::padding_l)});
        volume *= double(windows.back().kernel);
    }
}

ValueType Pooling::value_type() const {
    const bool exact = is_max() ? is_integer(dst.type) : bits(src.type) == 8 && volume <= 0x1p23;
    return is_integer(src.type) && exact ? ValueType::s32 : ValueType::f32;
}

double Pooling::divisor(std::span<const int64_t> at) const {
    if (!excludes()) return volume;
    double inside = 1;
    for (size_t k = 0; k < windows.size(); ++k)
        inside *= double(std::max<int64_t>(windows[k].end_tap(at[k]) - windows[k].first_tap(at[k]), 0));
    return inside;
}

constinit const Row pooling_row = {
    .kind = PrimitiveKind::pooling,
    .lower = lower_pooling,
    .ref = ref_pooling,
    .has_prop = true,
    .shape = shape,
    .tokens = tokens,
};

} // namespace tessera::ops
