// SPDX-License-Identifier: Apache-2.0
#include "ops/normalization/normalization.hpp"

#include <algorithm>

namespace tessera::ops {

Normalization::Normalization(const Problem& p, Sets of)
    : problem(p), sets(of), prop(p.prop), flags(unsigned(p.params.at(query::flags))),
      epsilon(p.float_params.at(query::epsilon)) {
    const auto extents = dims();
    switch (sets) {
    case Sets::rows:
        channel_ = extents.size() - 1;
        reduced_ = 1 << channel_;
        break;
    case Sets::groups:
        groups_ = p.params.at(query::group_size);
        reduced_ = (1 << extents.size()) - 4; // pixels
        count_ = double(extents[1]) / double(groups_);
        break;
    case Sets::channels: // a batch normalization is one with as many groups as channels, of all images at once
        groups_ = extents[1];
        reduced_ = (1 << extents.size()) - 3;
    }
    for (size_t d = 0; d < extents.size(); ++d)
        if (reduced_ >> d & 1) count_ *= double(extents[d]);
}

std::vector<int64_t> Normalization::set_of(std::span<const int64_t> at) const {
    if (sets == Sets::rows) return {at.begin(), at.end() - 1};
    if (sets == Sets::channels) return {at[1]};
    return {at[0], at[1] / (dims()[1] / groups_)};
}

std::vector<int64_t> Normalization::dims_of_sets() const {
    const auto extents = dims();
    if (sets == Sets::rows) return {extents.begin(), extents.end() - 1};
    if (sets == Sets::channels) return {extents[1]};
    return {extents[0], groups_};
}

Layout Normalization::over_data(const MemoryDesc& statistics) const {
    const auto extents = dims();
    const Layout own = layout_of(statistics);
    Layout layout{own.offset, {}};
    for (const int64_t extent : extents) layout.dims.push_back({{extent, 0}});
    if (sets == Sets::rows) {
        std::copy(own.dims.begin(), own.dims.end(), layout.dims.begin());
    } else if (sets == Sets::channels) {
        layout.dims[1] = own.dims[0];
    } else {
        layout.dims[0] = own.dims[0];
        layout.dims[1] = own.dims[1];
        if (const int64_t each = extents[1] / groups_; each > 1) layout.dims[1].push_back({each, 0});
    }
    return layout;
}

bool normalizes_in_place(const Problem& p, const Tensor& input) {
    const bool forward = p.find(arg::dst) != nullptr;
    if (input.arg != (forward ? arg::src : arg::diff_dst)) return false;
    return input.md == p.md(forward ? arg::dst : arg::diff_src);
}

std::string shape_of_images(const Problem& p) {
    const auto dims = p.md(arg::src).dims_span();
    std::string text;
    if (const auto groups = p.params.find(query::group_size); groups != p.params.end())
        text = fmt::format("g{}", groups->second);
    text += fmt::format("mb{}ic{}", dims[0], dims[1]);
    if (dims.size() > 5) return to_string(dims);
    for (size_t d = 2; d < dims.size(); ++d) text += fmt::format("i{}{}", "dhw"[d + 3 - dims.size()], dims[d]);
    return text;
}

std::vector<VerboseToken> tokens_of_batches(const Problem& p) {
    if (p.find(arg::dst)) return {{"data", arg::src}};
    if (!(p.md(arg::diff_src) == p.md(arg::diff_dst))) return {};
    return {{"data", arg::src}, {"diff", arg::diff_src, true}};
}

} // namespace tessera::ops
