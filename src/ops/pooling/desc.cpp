// SPDX-License-Identifier: Apache-2.0
// Validation of pooling: rows POO-01, POO-04, POO-07..14. Contradictions (invalid_arguments) are reported before
// missing support.
#include <algorithm>

#include "ops/descriptors.hpp"
#include "ops/epilogue.hpp"
#include "ops/pooling/pooling.hpp"

namespace tessera::ops {

namespace {

constexpr const char* primitive = "pooling";
constexpr int64_t largest = int64_t(1) << 58; // of an entry, an extent and a reach: sums of some fit in 64 bits
constexpr double most_of_byte = 255, most_of_word = 0x1p31;

Result<void> check_alg(int alg) {
    if (alg == alg::pooling_max || alg == alg::pooling_avg_include_padding || alg == alg::pooling_avg_exclude_padding)
        return {};
    return invalid("pooling: algorithm {} is none of pooling_max, pooling_avg_include_padding and "
                   "pooling_avg_exclude_padding",
                   alg_name(alg));
}

Result<void> check_rank(const char* side, const MemoryDesc& md) {
    if (md.is_zero() || (md.ndims >= 3 && md.ndims <= 5)) return {};
    return invalid("pooling: {} has {:dimension}, {}; N x C x [[D x] H x] W needs 3 to 5", side, counted(md.ndims),
                   to_string(md.dims_span()));
}

Result<void> check_windows(size_t spatial, const PoolingWindows& w) {
    for (size_t k = 0; k < spatial; ++k) {
        if (w.kernel[k] < 1)
            return invalid("pooling: the kernel has extent {} in spatial dimension {}; it must be at "
                           "least 1",
                           w.kernel[k], k);
        if (w.strides[k] < 1)
            return invalid("pooling: the stride in spatial dimension {} is {}; it must be at least 1", k, w.strides[k]);
        if (w.dilation[k] < 0)
            return invalid("pooling: the dilation in spatial dimension {} is {}; 0 is a dense kernel, and negative "
                           "ones mean nothing",
                           k, w.dilation[k]);
        if (w.padding_l[k] < 0)
            return invalid("pooling: the padding before spatial dimension {} is {}; it must be at least 0", k,
                           w.padding_l[k]);
        for (const int64_t value : {w.kernel[k], w.strides[k], w.dilation[k], w.padding_l[k], w.padding_r[k]})
            if (value > largest || value < -largest)
                return unimplemented("pooling: {} in spatial dimension {}; kernels, strides, dilations and paddings up "
                                     "to {} are possible",
                                     value, k, largest);
    }
    return {};
}

Result<void> check_shapes(const char* src_name, const MemoryDesc& src, const char* dst_name, const MemoryDesc& dst,
                          const PoolingWindows& w) {
    if (src.ndims != dst.ndims)
        return invalid("pooling: {} is {}, {} is {}; both need as many dimensions", src_name,
                       to_string(src.dims_span()), dst_name, to_string(dst.dims_span()));
    for (size_t d = 0; d < 2; ++d)
        if (src.dims[d] != dst.dims[d])
            return invalid("pooling: dimension {} of {} is {}, of {} {}; batch and channels are not pooled and must be "
                           "equal",
                           d, src_name, src.dims[d], dst_name, dst.dims[d]);
    for (size_t d = 2; d < size_t(src.ndims); ++d) {
        const size_t k = d - 2;
        const double distance = double(w.kernel[k] - 1) * double(w.dilation[k] + 1);
        if (std::max(distance, double(src.dims[d])) > double(largest))
            return unimplemented("pooling: spatial dimension {} of {} is {}, and a kernel reaches over {}; up to {} "
                                 "are possible",
                                 d, src_name, src.dims[d], distance, largest);
        const int64_t reach = (w.kernel[k] - 1) * (w.dilation[k] + 1) + 1;
        const int64_t wanted = (src.dims[d] - reach + w.padding_l[k] + w.padding_r[k]) / w.strides[k] + 1;
        if (dst.dims[d] != wanted)
            return invalid("pooling: spatial dimension {} of {} is {}; of {:element} of {}, a kernel of {} that "
                           "reaches over {}, padding {} and {} and stride {} it must be {}",
                           d, dst_name, dst.dims[d], counted(src.dims[d]), src_name, w.kernel[k], reach, w.padding_l[k],
                           w.padding_r[k], w.strides[k], wanted);
    }
    return {};
}

std::vector<Window> windows_of(const MemoryDesc& src, const MemoryDesc& dst, const PoolingWindows& w) {
    std::vector<Window> windows;
    for (size_t d = 2; d < size_t(src.ndims); ++d)
        windows.push_back(
            {src.dims[d], dst.dims[d], w.kernel[d - 2], w.strides[d - 2], w.dilation[d - 2] + 1, w.padding_l[d - 2]});
    return windows;
}

// POO-04: a mean of no elements.
Result<void> check_none_empty(int alg, const MemoryDesc& src, const MemoryDesc& dst, const PoolingWindows& w) {
    if (alg != alg::pooling_avg_exclude_padding) return {};
    const auto windows = windows_of(src, dst, w);
    for (size_t k = 0; k < windows.size(); ++k) {
        constexpr size_t most = 1 << 16; // ranges: larger windows than that over fewer elements
        const auto ranges = ranges_of(windows[k], most);
        if (!ranges) continue; // then views_of() says more
        for (const OutputRange& r : *ranges)
            if (!r.taps)
                return invalid("pooling: the window of output {} in spatial dimension {} lies in the padding as a "
                               "whole, so that a mean without padding has no elements; less padding, or "
                               "pooling_avg_include_padding, works",
                               r.first, k);
    }
    return {};
}

double volume_of(size_t spatial, const PoolingWindows& w) {
    double volume = 1;
    for (size_t k = 0; k < spatial; ++k) volume *= double(w.kernel[k]);
    return volume;
}

Result<MemoryDesc> workspace_of(const MemoryDesc& dst, const PoolingWindows& w) {
    const double volume = volume_of(size_t(dst.ndims) - 2, w);
    if (volume > most_of_word)
        return unimplemented("pooling: a kernel of {} elements in training; its workspace counts up to {}", volume,
                             most_of_word);
    return layout_after(dst, dst.dims_span(), volume <= most_of_byte ? DataType::u8 : DataType::s32);
}

Problem problem_of(PropKind prop, int alg, const PoolingWindows& w, const Attr& attr) {
    Problem p;
    p.kind = PrimitiveKind::pooling;
    p.prop = prop;
    p.attr = attr;
    p.params = {{query::alg_kind, alg}};
    p.list_params = {{query::strides, w.strides},
                     {query::kernel, w.kernel},
                     {query::dilations, w.dilation},
                     {query::padding_l, w.padding_l},
                     {query::padding_r, w.padding_r}};
    return p;
}

} // namespace

Result<Problem> make_pooling_forward(PropKind prop, int alg, const MemoryDesc& src, const MemoryDesc& dst_given,
                                     const PoolingWindows& windows, const Attr& attr) {
    MemoryDesc dst = dst_given;
    Findings findings;
    findings.add(check_forward(PrimitiveKind::pooling, prop));
    findings.add(check_alg(alg));
    findings.add(check_layout(primitive, "src", src, false));
    findings.add(check_layout(primitive, "dst", dst, true));
    findings.add(check_rank("src", src));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    findings.add(check_windows(size_t(src.ndims) - 2, windows));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    findings.add(check_shapes("src", src, "dst", dst, windows));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    findings.add(check_none_empty(alg, src, dst, windows));
    findings.add(check_computed_type(primitive, "src", src));
    findings.add(check_computed_type(primitive, "dst", dst));
    findings.add(check_written(primitive, "dst", dst));
    AllowedAttributes allowed;
    allowed.eltwise = allowed.binary = true;
    findings.add(check_attributes(primitive, attr, dst, allowed));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());

    const bool was_any = dst.kind == FormatKind::any;
    if (auto ok = choose_layout(dst, src); !ok) return Refusal(ok.error());
    Problem p = problem_of(prop, alg, windows, attr);
    p.tensors = {{arg::src, src, false, false}, {arg::dst, dst, true, was_any}};
    if (alg == alg::pooling_max && prop == PropKind::forward_training) {
        const auto workspace = workspace_of(dst, windows);
        if (!workspace) return Refusal(workspace.error());
        p.tensors.push_back({arg::workspace, *workspace, true});
    }
    if (auto ok = add_attribute_tensors(p, dst); !ok) return Refusal(ok.error());
    return p;
}

Result<Problem> make_pooling_backward(int alg, const MemoryDesc& diff_src, const MemoryDesc& diff_dst,
                                      const PoolingWindows& windows, const Problem* hint, const Attr& attr) {
    MemoryDesc src = diff_src, dst = diff_dst;
    Findings findings;
    findings.add(check_alg(alg));
    findings.add(check_layout(primitive, "diff_src", src, true));
    findings.add(check_layout(primitive, "diff_dst", dst, true));
    findings.add(check_rank("diff_src", src));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    findings.add(check_windows(size_t(src.ndims) - 2, windows));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    findings.add(check_shapes("diff_src", src, "diff_dst", dst, windows));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    findings.add(check_none_empty(alg, src, dst, windows));
    findings.add(check_computed_type(primitive, "diff_src", src));
    findings.add(check_computed_type(primitive, "diff_dst", dst));
    findings.add(check_written(primitive, "diff_src", src));
    findings.add(check_attributes(primitive, attr, src, {}));
    const Tensor* workspace = nullptr;
    if (alg == alg::pooling_max) {
        workspace = hint ? hint->find(arg::workspace) : nullptr;
        if (!hint)
            findings.add(invalid("pooling: the gradient of a maximum reads the workspace that training wrote; its hint "
                                 "is null, give the descriptor of the forward computation"));
        else if (!workspace)
            findings.add(unimplemented("pooling: the gradient of a maximum reads the workspace that training wrote; "
                                       "the hint has none, make it a pooling_max of forward_training"));
        else if (!std::ranges::equal(workspace->md.dims_span(), dst.dims_span()))
            findings.add(invalid("pooling: the workspace of the hint is {}, diff_dst {}; the hint must be the "
                                 "descriptor of the forward computation",
                                 to_string(workspace->md.dims_span()), to_string(dst.dims_span())));
    }
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());

    const bool any_src = src.kind == FormatKind::any, any_dst = dst.kind == FormatKind::any;
    if (any_src && any_dst && workspace)
        if (auto ok = choose_layout(dst, workspace->md); !ok) return Refusal(ok.error());
    if (auto ok = choose_layout(dst, src); !ok) return Refusal(ok.error());
    if (auto ok = choose_layout(src, dst); !ok) return Refusal(ok.error());
    Problem p = problem_of(PropKind::backward_data, alg, windows, attr);
    p.tensors = {{arg::diff_dst, dst, false, any_dst}};
    if (workspace) p.tensors.push_back({arg::workspace, workspace->md, false});
    p.tensors.push_back({arg::diff_src, src, true, any_src});
    if (auto ok = add_attribute_tensors(p, src); !ok) return Refusal(ok.error());
    return p;
}

} // namespace tessera::ops
