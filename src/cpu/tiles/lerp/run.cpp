// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/lerp/run.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/unit.hpp"
#include "cpu/tiles/lerp/contract.hpp"
#include "cpu/tiles/map/contract.hpp"

namespace tessera::cpu {

void LerpJob::run(const Bases& bases, int64_t first, int64_t last) const {
    alignas(64) char buffer[lerp_buffer_bytes];
    for (int64_t u = first; u < last; ++u) one(bases, u, buffer);
}

std::vector<const jit::Kernel*> LerpJob::kernels() const {
    std::vector<const jit::Kernel*> all;
    for (const auto& kernel : {convert, stretch, finish})
        if (kernel) all.push_back(kernel.get());
    return all;
}

std::string LerpJob::text() const {
    return fmt::format("{}{}{}; {}; {} planes x {} lines x {} pixels a unit of loops({}), {} units",
                       convert ? "converted, " : "", packs() ? "packed, " : "", stretch->name(), finish->name(),
                       block_planes, block_lines, blocks[0].count, to_string(nest, int(size.size())), units);
}

void LerpJob::count() {
    units = int64_t(blocks.size()) * ceil_div(lines().extent, block_lines) * ceil_div(planes().extent, block_planes) *
            iterations(outer());
}

void LerpJob::one(const Bases& bases, int64_t u, char* buffer) const {
    UnitIndex index(u);
    Unit unit{bases, blocks[size_t(index.next(int64_t(blocks.size())))], 0, buffer, {}};
    const int64_t begin = index.next(ceil_div(lines().extent, block_lines)) * block_lines;
    const int64_t end = std::min(begin + block_lines, lines().extent);
    const int64_t plane = index.next(ceil_div(planes().extent, block_planes)) * block_planes;
    unit.planes = std::min(block_planes, planes().extent - plane);
    for (size_t o = 0; o < size.size(); ++o) unit.at[o] = nest.base[o] + plane * planes().stride[o];
    index.add_offsets(outer(), {unit.at.data(), size.size()});
    Rows kept{}; // the row of src that a slot of the buffer holds
    // The overrun reads behind the rows, where no denormal garbage should be.
    if (overrun) std::memset(buffer, 0, size_t(behind_slots(buffer) - buffer));
    for (int64_t line = begin; line < end; ++line) run_line(unit, line, line + 1 < end ? overrun : 0, kept);
}

void LerpJob::run_line(const Unit& unit, int64_t line, int64_t more, Rows& kept) const {
    const size_t members = pattern.members.size();
    Rows rows{};
    std::array<bool, most_lerp_members> busy{};
    Slots slot_of;
    for (size_t m = 0; m < members; ++m) {
        const auto o = size_t(pattern.members[m].left);
        rows[m] = unit.bases[o] + (unit.at[o] + lines().offset(int(o), line)) * size[o];
        slot_of[m] = size_t(std::find(kept.begin(), kept.begin() + long(members), rows[m]) - kept.begin());
        if (slot_of[m] < members) busy[slot_of[m]] = true;
    }
    for (size_t m = 0; m < members; ++m) {
        if (slot_of[m] < members) continue;
        slot_of[m] = size_t(std::find(kept.begin(), kept.begin() + long(members), rows[m]) - kept.begin());
        if (slot_of[m] < members) continue; // of an earlier member
        slot_of[m] = size_t(std::find(busy.begin(), busy.end(), false) - busy.begin());
        kept[slot_of[m]] = rows[m], busy[slot_of[m]] = true;
        stretch_rows(unit, rows[m], slot(unit.buffer, slot_of[m]));
    }
    finish_line(unit, line, more, slot_of);
}

void LerpJob::stretch_rows(const Unit& unit, const char* row, char* out) const {
    const LerpBlock& b = unit.block;
    const auto o = size_t(pattern.members[0].left);
    int64_t step = planes().stride[o] * size[o];
    row += b.low * size[o];
    char* room = behind_slots(unit.buffer);
    if (convert) {
        MapArgs args;
        args.rows = unit.planes, args.columns = b.span;
        args.base[0] = const_cast<char*>(row), args.row[0] = step;
        args.base[1] = room, args.row[1] = converted_pitch;
        (*convert)(&args);
        row = room, step = converted_pitch, room += block_planes * converted_pitch;
    }
    if (!packs()) {
        LerpArgs args{row, out, b.table.data(), b.places, unit.planes, step, pitch};
        return (*stretch)(&args);
    }
    for (int64_t i = 0; i < unit.planes; ++i, row += step, out += pitch) {
        const auto* from = reinterpret_cast<const float*>(row);
        auto* to = reinterpret_cast<float*>(room);
        for (size_t j = 0; j < b.left.size(); j += size_t(lanes), to += 2 * lanes)
            for (int64_t l = 0; l < lanes; ++l) {
                to[l] = from[b.left[j + size_t(l)]];
                to[l + lanes] = from[b.right[j + size_t(l)]];
            }
        LerpArgs args{room, out, b.table.data(), b.places, 1, 0, pitch};
        (*stretch)(&args);
    }
}

void LerpJob::finish_line(const Unit& unit, int64_t line, int64_t more, const Slots& slot_of) const {
    MapArgs args;
    const int64_t width = columns().extent;
    args.rows = flat ? unit.planes : unit.block.count;
    args.columns = flat ? unit.block.count * width + more : width;
    for (size_t o = 0; o < size.size(); ++o) {
        if (!used[o]) continue;
        args.base[o] = unit.bases[o] +
                       (unit.at[o] + lines().offset(int(o), line) + unit.block.begin * pixels().stride[o]) * size[o];
        args.row[o] = (flat ? planes() : pixels()).stride[o] * size[o];
    }
    for (size_t k = 0; k < pattern.complements.size(); ++k) {
        const auto weight = size_t(pattern.complements[k].weight), o = size_t(pattern.complements[k].operand);
        const int64_t at = unit.at[weight] + lines().offset(int(weight), line);
        args.base[o] = const_cast<float*>(complements[k].data() + at), args.row[o] = 0;
    }
    for (size_t m = 0; m < pattern.members.size(); ++m) {
        const auto o = size_t(pattern.members[m].left);
        args.base[o] = slot(unit.buffer, slot_of[m]), args.row[o] = flat ? pitch : width * 4;
    }
    if (flat) return (*finish)(&args);
    const MapArgs first = args;
    for (int64_t i = 0; i < unit.planes; ++i) {
        args = first; // the kernel advances args.base
        for (size_t o = 0; o < size.size(); ++o)
            if (used[o]) args.base[o] = static_cast<char*>(first.base[o]) + i * planes().stride[o] * size[o];
        for (const auto& member : pattern.members)
            args.base[member.left] = static_cast<char*>(first.base[member.left]) + i * pitch;
        (*finish)(&args);
    }
}

} // namespace tessera::cpu
