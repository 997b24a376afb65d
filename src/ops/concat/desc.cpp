// SPDX-License-Identifier: Apache-2.0
// Validation of concat: rows CON-01..11.
#include "ops/concat/concat.hpp"

#include <optional>

#include "core/desc/checked.hpp"
#include "ops/descriptors.hpp"
#include "ops/epilogue.hpp"

namespace tessera::ops {

namespace {

constexpr int most_sources = arg::multiple_dst - arg::multiple_src; // as many as there are argument ids

std::string shape_of(const MemoryDesc& md) { return to_string(md.dims_span()); }

// Equal to the first source but for the extent of the axis.
Result<void> check_joins(const MemoryDesc& md, const char* side, const MemoryDesc& first, int axis) {
    if (md.ndims != first.ndims)
        return invalid("concat: {} has {:dimension} ({}), src 0 has {} ({})", side, counted(md.ndims), shape_of(md),
                       first.ndims, shape_of(first));
    for (int d = 0; d < md.ndims; ++d)
        if (d != axis && md.dims[size_t(d)] != first.dims[size_t(d)])
            return invalid("concat: {} is {}, src 0 is {}; all dimensions but the axis {} must be equal", side,
                           shape_of(md), shape_of(first), axis);
    return {};
}

Result<void> check_source(const MemoryDesc& md, const char* side, const MemoryDesc& first, int axis) {
    if (auto ok = check_layout("concat", side, md, false); !ok) return ok;
    if (md.type != first.type)
        return invalid("concat: {} is {}, src 0 is {}; all sources have one data type, dst may have another", side,
                       name(md.type), name(first.type));
    return check_joins(md, side, first, axis);
}

Result<void> check_dst(const MemoryDesc& dst, std::span<const MemoryDesc> srcs, int axis, int64_t extent) {
    if (auto ok = check_layout("concat", "dst", dst, true); !ok) return ok;
    if (!srcs.empty())
        if (auto ok = check_joins(dst, "dst", srcs[0], axis); !ok) return ok;
    if (dst.dims[size_t(axis)] != extent)
        return invalid("concat: axis {} of dst {} has {:element}, the {:source} have {} in all", axis, shape_of(dst),
                       counted(dst.dims[size_t(axis)]), counted(srcs.size()), extent);
    return check_written("concat", "dst", dst);
}

// Whether every source starts at a block boundary of the axis, so that no block of dst mixes two sources.
bool on_blocks(const MemoryDesc& leader, std::span<const MemoryDesc> srcs, int axis) {
    const int64_t block = leader.block_of(axis);
    for (size_t i = 0; i + 1 < srcs.size(); ++i)
        if (srcs[i].dims[size_t(axis)] % block != 0) return false;
    return true;
}

// The layout of dst if it is left open: that of the first blocked source if its blocks fit, else only the order of its
// dimensions (CON-06).
Result<MemoryDesc> layout_from(std::span<const MemoryDesc> srcs, int axis, std::span<const int64_t> dims,
                               DataType type) {
    MemoryDesc leader = srcs[0];
    for (const MemoryDesc& src : srcs)
        if (src.inner_nblks) {
            leader = src;
            break;
        }
    if (!on_blocks(leader, srcs, axis)) {
        leader.inner_nblks = 0;
        leader.inner_blks = leader.inner_idxs = {};
        // Only the order of the dimensions is taken: strides between blocks would make elements overlap, even if all
        // other sources are empty and dst has the shape of this one.
        leader.dims[size_t(axis)] = dims[size_t(axis)] + 1;
        leader.padded_dims = leader.dims;
    }
    return layout_after(leader, dims, type);
}

// The sum of the extents of the axis; no result if one is a run-time dim or the sum exceeds 64 bits.
std::optional<int64_t> extent_of(std::span<const MemoryDesc> srcs, int axis) {
    int64_t sum = 0;
    for (const MemoryDesc& src : srcs)
        if (src.has_runtime() || axis >= src.ndims || !checked_add(sum, src.dims[size_t(axis)])) return std::nullopt;
    return sum;
}

Problem problem_of(int axis, std::span<const MemoryDesc> srcs, const MemoryDesc& dst, bool was_any, const Attr& attr) {
    Problem p;
    p.kind = PrimitiveKind::concat;
    p.attr = attr;
    p.params = {{query::axis, axis}};
    for (size_t i = 0; i < srcs.size(); ++i) p.tensors.push_back({arg::multiple_src + int(i), srcs[i]});
    p.tensors.push_back({arg::dst, dst, true, was_any});
    return p;
}

// Concatenating no sources gives an empty result (CON-04): dst has extent 0 along the axis, or no descriptor at all.
Result<Problem> join_nothing(const MemoryDesc* dst, int axis, const Attr& attr) {
    const MemoryDesc empty = dst ? *dst : MemoryDesc();
    if (auto ok = check_attributes("concat", attr, empty, {}); !ok) return Refusal(ok.error());
    if (empty.is_zero()) return problem_of(axis, {}, empty, !dst, attr);
    if (axis < 0 || axis >= empty.ndims)
        return invalid("concat: axis {} is outside of 0..{} of dst", axis, empty.ndims - 1);
    if (auto ok = check_dst(empty, {}, axis, 0); !ok) return Refusal(ok.error());
    if (empty.kind != FormatKind::any) return problem_of(axis, {}, empty, false, attr);
    auto plain = plain_layout(empty);
    if (!plain) return Refusal(plain.error());
    return problem_of(axis, {}, *plain, true, attr);
}

} // namespace

bool lies_in_place(const Problem& p, const Tensor& source) {
    if (source.output || p.attr.scales.count(source.arg)) return false;
    std::vector<int64_t> offsets(size_t(source.md.ndims), 0);
    for (const Tensor& t : p.tensors) {
        if (t.arg == source.arg) break;
        offsets[axis_of(p)] += t.md.dims[axis_of(p)];
    }
    const auto part = submemory(p.md(arg::dst), source.md.dims_span(), offsets);
    return part && *part == source.md;
}

Result<Problem> make_concat(const MemoryDesc* dst_given, int axis, std::span<const MemoryDesc> srcs, const Attr& attr) {
    if (srcs.empty()) return join_nothing(dst_given, axis, attr);
    const MemoryDesc& first = srcs[0];
    Findings findings;
    if (srcs.size() > size_t(most_sources))
        findings.add(unimplemented("concat: {} sources; up to {} are possible, and a concat of concats beyond",
                                   srcs.size(), most_sources));
    AllowedAttributes allowed;
    for (size_t i = 0; i < srcs.size(); ++i) {
        findings.add(check_source(srcs[i], fmt::format("src {}", i).c_str(), first, axis));
        allowed.scales.push_back(arg::multiple_src + int(i));
    }
    if (axis < 0 || axis >= first.ndims)
        return invalid("concat: axis {} is outside of 0..{} of src 0", axis, first.ndims - 1);
    const auto extent = extent_of(srcs, axis);
    if (dst_given && extent) findings.add(check_dst(*dst_given, srcs, axis, *extent));
    findings.add(check_attributes("concat", attr, dst_given ? *dst_given : first, allowed));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    if (!extent) return invalid("concat: the extents of axis {} do not fit in 64 bits when summed", axis);
    if (dst_given && dst_given->kind != FormatKind::any) return problem_of(axis, srcs, *dst_given, false, attr);

    std::vector<int64_t> dims(first.dims_span().begin(), first.dims_span().end());
    dims[size_t(axis)] = *extent;
    auto dst = layout_from(srcs, axis, dims, dst_given ? dst_given->type : first.type);
    if (!dst) return Refusal(dst.error());
    return problem_of(axis, srcs, *dst, true, attr);
}

} // namespace tessera::ops
