// SPDX-License-Identifier: Apache-2.0
#include "ops/windows/bordered_copy.hpp"

#include <algorithm>

#include "core/desc/tags.hpp"
#include "core/layout/coalesce.hpp"
#include "core/plan/moves.hpp"
#include "ops/moves.hpp"

namespace tessera::ops {

namespace {

// The order of dims, and the blocks of those that are not in the mask.
std::string tag_of_copy(const MemoryDesc& md, int mask) {
    Tag tag = closest_tag(md);
    int kept = 0;
    for (int i = 0; i < tag.inner_nblks; ++i) {
        if (mask >> tag.inner_idxs[size_t(i)] & 1) continue;
        tag.inner_idxs[size_t(kept)] = tag.inner_idxs[size_t(i)];
        tag.inner_blks[size_t(kept++)] = tag.inner_blks[size_t(i)];
    }
    tag.inner_nblks = kept;
    return to_string(tag);
}

// Everything outside of the tensor, each element once: of dimension d what lies before and behind, of earlier
// dimensions the tensor's extent, of later ones all.
void add_border(int to, const Layout& layout, const MemoryDesc& md, double value, std::span<const Border> borders,
                Plan& plan) {
    int program = -1;
    for (size_t d = 0; d < borders.size(); ++d) {
        const int64_t end = borders[d].before + md.dims[d];
        for (const auto& [first, last] :
             {std::pair{int64_t(0), borders[d].before}, std::pair{end, borders[d].extent}}) {
            if (first == last) continue;
            if (program < 0) {
                const DataType type = plan.operands[size_t(to)].type;
                Program constant;
                constant.store(to, constant.constant(value, is_integer(type) ? ValueType::s32 : ValueType::f32));
                program = add_program(constant, plan);
            }
            std::vector<int64_t> dims(md.dims.begin(), md.dims.begin() + md.ndims), from(dims.size(), 0);
            for (size_t j = 0; j < borders.size(); ++j) {
                if (j < d) from[j] = borders[j].before;
                if (j > d) dims[j] = borders[j].extent;
            }
            dims[d] = last - first, from[d] = first;
            add_moves({.layouts = std::span(&layout, 1),
                       .dims = dims,
                       .program = program,
                       .order_by = 0,
                       .operands = {to},
                       .first = {from}},
                      plan);
        }
    }
}

} // namespace

bool has_blocks(const MemoryDesc& md, int mask) {
    const Layout layout = layout_of(md);
    for (size_t d = 0; d < layout.dims.size(); ++d)
        if ((mask >> d & 1) && coalesce(layout.dims[d]).size() > 1) return true;
    return false;
}

Result<int> add_bordered(std::string name, const MemoryDesc& md, DataType type, double border,
                         std::span<const Border> borders, int mask, Operands& operands,
                         std::span<const int64_t> beyond) {
    std::vector<int64_t> dims;
    for (const Border& b : borders) dims.push_back(b.extent);
    const auto copy = make_desc_with_tag(dims, type, tag_of_copy(md, mask));
    if (!copy) return Refusal(copy.error());
    const Layout layout = layout_of(*copy);
    int64_t elements = copy->nelems(true);
    for (size_t d = 0; d < beyond.size(); ++d) elements += beyond[d] * coalesce(layout.dims[d]).back().stride;
    const int to = operands.add_scratch(std::move(name), type, elements, layout);
    add_padding(*copy, to, operands.plan); // products read whole blocks of what is summed
    add_border(to, layout, md, border, borders, operands.plan);
    return to;
}

Result<int> add_bordered_copy(int from, const MemoryDesc& md, DataType type, double border,
                              std::span<const Border> borders, int mask, Operands& operands,
                              std::span<const int64_t> beyond) {
    Plan& plan = operands.plan;
    const auto made =
        add_bordered("copy of " + plan.operands[size_t(from)].name, md, type, border, borders, mask, operands, beyond);
    if (!made) return made;
    const int to = *made;
    Program program;
    program.store(to, program.load(from, conversion_type(md.type, type)));
    const std::vector<Layout> layouts{operands.layouts[size_t(from)], operands.layouts[size_t(to)]};
    std::vector<int64_t> first;
    for (const Border& b : borders) first.push_back(b.before);
    add_moves({.layouts = layouts,
               .dims = md.dims_span(),
               .program = add_program(program, plan),
               .order_by = 1,
               .operands = {from, to},
               .first = {{}, first}},
              plan);
    return to;
}

} // namespace tessera::ops
