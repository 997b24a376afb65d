// SPDX-License-Identifier: Apache-2.0
// reshape: the same elements at the same addresses under other dims (DER-03, DER-04).
//
// Both lists of dims are cut into the shortest groups of equal volume, dimensions of extent 1 aside:
//
//   {2, 15, 12} -> {30, 3, 4}       groups  2 15 | 12   and   30 | 3 4
//
// A group of one old and one new dimension keeps its padding and blocks. In other groups the old dimensions become one
// list of modes (extent, stride), outermost first, fused where they are dense, from which the new dimensions are cut.
// Blocks stay whole inside the last new dimension, which works for a single old dimension only: blocked dimensions can
// be split but not fused. An extent of 0 is a group of its own, so that empty tensors follow the rules of others.
#include <algorithm>
#include <optional>

#include "core/desc/memory_desc.hpp"
#include "core/desc/verify.hpp"
#include "core/layout/layout.hpp"

namespace tessera {

namespace {

// Numbers of the dimensions of one group without those of extent 1, and of those of extent 1 that precede it.
struct Group {
    std::vector<size_t> old_dims, new_dims, old_units, new_units;
    std::vector<size_t> inner_units; // old extents of 1 between old_dims
};

struct Reshape {
    const MemoryDesc& from;
    MemoryDesc to;
    std::array<int, max_ndims> moved_to{}; // new dimension that takes the blocks of an old one; -1 if it is gone

    Refusal refused(std::string_view why) const {
        return invalid("reshape of {} {} to {}: {}", to_token(from), to_string(from.dims_span()),
                       to_string(to.dims_span()), why);
    }
    bool is_bare(size_t d) const { return from.padded_dims[d] == from.dims[d] && from.block_of(int(d)) == 1; }

    Result<std::vector<Group>> groups() const;
    Result<void> place_units(const Group& group);
    Result<void> place(const Group& group);
    void carry(size_t old_dim, size_t new_dim);
    void fill_unit_strides();
};

Result<std::vector<Group>> Reshape::groups() const {
    std::vector<Group> result;
    size_t i = 0, j = 0;
    const size_t ni = size_t(from.ndims), nj = size_t(to.ndims);
    while (i < ni || j < nj) {
        Group g;
        for (; i < ni && from.dims[i] == 1; ++i) g.old_units.push_back(i);
        for (; j < nj && to.dims[j] == 1; ++j) g.new_units.push_back(j);
        int64_t a = 1, b = 1;
        if (i < ni) a = from.dims[i], g.old_dims.push_back(i++);
        if (j < nj) b = to.dims[j], g.new_dims.push_back(j++);
        while (a != b) { // without extents of 0 it ends: both volumes are equal and positive
            const bool old_grows = a < b, more = a != 0 && b != 0 && (old_grows ? i < ni : j < nj);
            if (!more) return refused("the volumes before and behind an extent of 0 stay");
            if (old_grows) {
                a *= from.dims[i];
                (from.dims[i] == 1 ? g.inner_units : g.old_dims).push_back(i);
                ++i;
            } else {
                b *= to.dims[j];
                (to.dims[j] == 1 ? g.new_units : g.new_dims).push_back(j);
                ++j;
            }
        }
        result.push_back(std::move(g));
    }
    return result;
}

void Reshape::carry(size_t old_dim, size_t new_dim) {
    to.padded_dims[new_dim] = from.padded_dims[old_dim];
    to.strides[new_dim] = from.strides[old_dim];
    moved_to[old_dim] = int(new_dim);
}

// Dimensions of extent 1 can always be added; they can be removed only without padding. Padded ones are placed first.
Result<void> Reshape::place_units(const Group& group) {
    size_t free = 0;
    for (const size_t d : group.new_units) free += group.new_dims.empty() || d < group.new_dims[0];
    size_t padded = size_t(std::ranges::count_if(group.old_units, [&](size_t d) { return !is_bare(d); }));
    if (padded > free) return refused("a padded dimension of extent 1 cannot be removed");
    size_t next = 0;
    for (const size_t d : group.old_units) {
        if (is_bare(d) && free - next <= padded) continue;
        padded -= !is_bare(d);
        carry(d, group.new_units[next++]);
    }
    for (const size_t d : group.inner_units)
        if (!is_bare(d)) return refused("a padded dimension of extent 1 cannot be removed");
    return {};
}

// Cuts `extent` elements off the innermost end and returns their stride; nullopt if they have no common one. Modes are
// fused as far as possible, so the elements must lie in one mode.
std::optional<int64_t> cut(Modes& modes, int64_t extent) {
    if (extent == 1) return 0; // fill_unit_strides() sets it
    if (modes.empty() || modes.back().extent % extent != 0) return std::nullopt;
    Mode& last = modes.back();
    const int64_t stride = last.stride;
    last = {last.extent / extent, stride * extent};
    if (last.extent == 1) modes.pop_back();
    return stride;
}

Result<void> Reshape::place(const Group& group) {
    if (group.old_dims.size() == 1 && group.new_dims.size() == 1) {
        carry(group.old_dims[0], group.new_dims[0]);
        return {};
    }
    Modes modes;
    int64_t block = 1;
    for (const size_t d : group.old_dims) {
        block = from.block_of(int(d));
        if (from.padded_dims[d] != from.dims[d]) return refused(fmt::format("dimension {} is padded", d));
        if (block > 1 && group.old_dims.size() > 1)
            return refused(fmt::format("dimension {} has blocks, and blocked dimensions do not join", d));
        const Mode mode{from.dims[d] / block, from.strides[d]};
        if (!modes.empty() && modes.back().stride == mode.extent * mode.stride)
            modes.back() = {modes.back().extent * mode.extent, mode.stride};
        else if (mode.extent > 1)
            modes.push_back(mode);
    }
    for (size_t k = group.new_dims.size(); k-- > 0;) {
        const size_t d = group.new_dims[k];
        const int64_t whole = k + 1 == group.new_dims.size() ? block : 1;
        if (to.dims[d] % whole != 0)
            return refused(fmt::format("the blocks of {} do not stay whole in the extent {}", block, to.dims[d]));
        const auto stride = cut(modes, to.dims[d] / whole);
        if (!stride)
            return refused(fmt::format("the extent {} joins dimensions that are not dense in this order", to.dims[d]));
        to.strides[d] = *stride;
    }
    moved_to[group.old_dims[0]] = int(group.new_dims.back());
    return {};
}

// The stride of a dimension of one block has no meaning; the extent of its inner part is chosen so that tags read well.
void Reshape::fill_unit_strides() {
    int64_t inside = 1;
    for (int j = 0; j < to.inner_nblks; ++j) inside *= to.inner_blks[size_t(j)];
    for (int d = to.ndims; d-- > 0;) {
        const int64_t blocks = to.padded_dims[size_t(d)] / to.block_of(d);
        if (blocks == 1)
            to.strides[size_t(d)] = inside;
        else
            inside = std::max<int64_t>(blocks, 1) * to.strides[size_t(d)];
    }
}

} // namespace

Result<MemoryDesc> reshape(const MemoryDesc& md, std::span<const int64_t> dims) {
    if (md.is_zero() || dims.empty())
        return invalid("reshape of {:dimension} to {}: both have at least one", counted(md.ndims), dims.size());
    if (md.kind != FormatKind::any && !md.is_blocked())
        return invalid("reshape of {}: only any and layouts given by strides or a tag are reshaped", to_token(md));
    if (md.extra.flags) return invalid("reshape of {}: compensated layouts keep their dims", to_token(md));
    auto shape = shape_of(dims, md.type);
    if (!shape) return shape;
    if (md.has_runtime() || shape->has_runtime())
        return invalid("reshape of {} to {}: known dims are needed", to_string(md.dims_span()), to_string(dims));
    if (md.nelems() != shape->nelems())
        return invalid("reshape of {} ({:element}) to {} ({:element}): the number of elements stays",
                       to_string(md.dims_span()), counted(md.nelems()), to_string(dims), counted(shape->nelems()));
    if (md.kind == FormatKind::any) {
        shape->kind = FormatKind::any;
        return shape;
    }

    Reshape work{md, *shape};
    work.moved_to.fill(-1);
    work.to.kind = FormatKind::blocked;
    work.to.offset0 = md.offset0;
    const auto groups = work.groups();
    if (!groups) return tl::unexpected(groups.error());
    for (const Group& group : *groups) {
        if (auto ok = work.place_units(group); !ok) return tl::unexpected(ok.error());
        if (group.old_dims.empty()) continue;
        if (auto ok = work.place(group); !ok) return tl::unexpected(ok.error());
    }
    work.to.inner_nblks = md.inner_nblks;
    work.to.inner_blks = md.inner_blks;
    for (size_t j = 0; j < size_t(md.inner_nblks); ++j) work.to.inner_idxs[j] = work.moved_to[size_t(md.inner_idxs[j])];
    work.fill_unit_strides();
    if (auto ok = verify(work.to); !ok) return tl::unexpected(ok.error());
    return work.to;
}

} // namespace tessera
