// SPDX-License-Identifier: Apache-2.0
#include "cpu/products/run/blocked.hpp"

#include <algorithm>
#include <bit>

#include <immintrin.h>

#include "core/division.hpp"

namespace tessera::cpu {

alignas(cache_line) const char BlockedJob::no_sums_[4 * cache_line] = {};

void BlockedJob::prepare(int64_t products_of_byte) {
    const DotChoice& c = choice;
    units_ = {rows_of_units(v.rows, c), columns_of_units(v.columns, c), v.batches, c.unit_batches};
    units = units_.count(), bytes = bytes_of_products(v, c.work, products_of_byte);
    set_scratch();
    set_strides();
    const bool whole =
        v.rows <= c.block_rows && v.rows <= c.unit_rows && v.columns <= c.unit_columns && v.depth <= c.depth;
    const bool packs = c.a == DotSource::packed || c.b == DotSource::packed;
    const bool placed =
        (packs ? packs_at_once : true) && (v.direct || joint_epilogue) && v.a.rows.empty() && v.c.rows.empty();
    bare_ = !c.chunk && !c.prefetches_a && !c.spec.ahead && !groups.length && !bytes_.columns && !bytes_.rows &&
            !bytes_.starts && c.spec.loops == 1 && v.run_of_rows == v.rows;
    only_kernels_ = whole && placed && bare_;
}

void BlockedJob::set_scratch() {
    const DotChoice& c = choice;
    const int64_t wide = round_up(c.unit_columns, int64_t(16) * c.spec.panels);
    if (c.b == DotSource::packed)
        bytes_.b = round_up(wide / 16 * panel_bytes(c.by_depth ? c.depth : v.depth), cache_line);
    if (c.a == DotSource::packed) bytes_.a = round_up(c.block_rows * a.row_bytes, cache_line);
    if (!v.direct) {
        const bool keeps = keeps_sums(), one_block = is_amx(c.spec.kind) && (!keeps || (c.chunk && v.depth <= c.depth));
        c_row_ = (one_block ? int64_t(16) * c.spec.panels : wide) * 4 + cache_line;
        const bool none = !keeps && !finish.kernel && c.finishes; // no sums in memory at all
        if (!none) bytes_.c = (keeps ? c.block_rows : std::min<int64_t>(c.block_rows, c.spec.rows)) * c_row_;
    }
    if (groups.length || pairs.kernel) bytes_.zeros = round_up(wide, cache_line);
    bytes_.nibbles = std::max({a.packs.nibble_bytes(), b.nibble_bytes(),
                               pairs.k_dense() ? DotPairs::columns * pairs.row_bytes : 0}); // one after the other
    if (sums.of_columns[0] || sums.of_columns[1]) bytes_.columns = wide * 4;
    if (row_sums.any()) bytes_.rows = c.block_rows * cache_line;
    if (sums.starts) {
        bytes_.starts = round_up(c.block_rows * int64_t(sizeof(int32_t)), cache_line);
        const int64_t once = c.spec.loops > 1 ? walk.loops.back().count * c.step : v.depth;
        bytes_.ones = round_up(std::min(c.depth, once), cache_line);
    }
    if (groups.length) // of a strip of rows; of all where a group is more than what is in a cache
        bytes_.part = (c.depth < groups.length ? c.block_rows : std::min<int64_t>(c.block_rows, c.spec.rows)) * c_row_;
}

void BlockedJob::set_strides() {
    const DotChoice& c = choice;
    shift_ = std::has_single_bit(uint64_t(c.step)) ? std::countr_zero(uint64_t(c.step)) : -1;
    const bool packed_a = c.a == DotSource::packed, packed_b = c.b == DotSource::packed;
    const int64_t step = c.step, a_size = bits(c.spec.a) / 8 * (c.spec.a_words ? 2 : 1), b_size = bits(c.spec.b) / 8;
    strides_.a_row = packed_a ? a.row_bytes : v.a.bytes(v.a.row);
    strides_.a_step = packed_a ? step * a_size : v.a.bytes(v.a.column * step);
    strides_.b_row = v.b.bytes(v.b.row);
    strides_.b_step = packed_b ? 16 * step * b_size : c.spec.interleaves ? step * strides_.b_row : strides_.b_row;
    strides_.b_panel = packed_b ? panel_bytes(v.depth) : v.b.bytes(v.b.panel);
    strides_.c_row = v.direct ? v.c.bytes(v.c.row) : c_row_;
    if (v.direct) strides_.c_panel = v.c.bytes(v.c.panel);
}

void BlockedJob::run(const Bases& bases, int64_t first, int64_t last) const {
    const int64_t packs = packs_at_once ? choice.unit_batches : 1, passes = joint_epilogue ? choice.unit_batches : 1;
    UnitScratch scratch(packs * (bytes_.b + bytes_.a) + passes * bytes_.c + bytes_.columns + bytes_.rows + bytes_.part +
                        bytes_.nibbles + bytes_.zeros + bytes_.starts + bytes_.ones);
    char *const b_first = scratch.take(packs * bytes_.b), *const a_first = scratch.take(packs * bytes_.a),
                *const c_first = scratch.take(passes * bytes_.c);
    Unit unit{{bases}};
    unit.column_sums = scratch.take(bytes_.columns), unit.row_sums = scratch.take(bytes_.rows);
    unit.part = scratch.take(bytes_.part), unit.nibbles = scratch.take(bytes_.nibbles);
    unit.zeros = scratch.take(bytes_.zeros);
    unit.starts = reinterpret_cast<int32_t*>(scratch.take(bytes_.starts));
    char* const ones = scratch.take(bytes_.ones);
    std::fill_n(ones, bytes_.ones, char(1));
    unit.ones = ones;
    for (int64_t u = first; u < last; ++u) {
        const int64_t to = units_.set(unit, u), from = unit.batch;
        unit.b = b_first, unit.a = a_first, unit.c = c_first;
        unit.products = packs_at_once ? to - from : 1;
        if (packs_at_once && choice.a == DotSource::packed) pack_rows(unit, unit.row, unit.rows, {0, v.depth});
        if (packs_at_once && choice.b == DotSource::packed) pack_panels(unit, {0, v.depth});
        unit.products = 1;
        if (only_kernels_) {
            whole_products(unit, to - from);
            unit.batch = to;
        }
        for (; unit.batch < to; ++unit.batch) {
            product(unit);
            if (packs_at_once) unit.a += bytes_.a, unit.b += bytes_.b;
            if (joint_epilogue) unit.c += bytes_.c;
        }
        unit.batch = from;
        if (joint_epilogue) pass(unit, unit.row, (to - from) * unit.rows, unit.column, unit.columns, c_first);
    }
    leave(unit);
    if (choice.streams) _mm_sfence();
}

void BlockedJob::product(Unit& unit) const {
    DotArgs args;
    strides_.set(args);
    args.columns = unit.columns % 16 ? unit.columns % 16 : 16;
    const char* b_base;
    if (choice.b == DotSource::packed) {
        if (!packs_at_once && !choice.by_depth) pack_panels(unit, {0, v.depth});
        b_base = unit.b;
    } else {
        b_base = v.b.at(unit.bases, unit.batch, 0, 0) + unit.column / 16 * v.b.bytes(v.b.panel);
    }
    args.b = b_base;
    if (bytes_.columns && !sums_by_blocks()) sum_columns(unit, args, {0, v.depth});
    const bool packed = choice.a == DotSource::packed;
    for (int64_t i = 0, count; i < unit.rows; i += count) {
        const int64_t row = unit.row + i;
        count = std::min(choice.block_rows, unit.rows - i);
        if (choice.block_rows < v.run_of_rows) count = v.rows_at(row, count);
        if (packed && !packs_at_once && !a.by_depth) pack_rows(unit, row, count, {0, v.depth});
        const char* const a_base = packed ? unit.a : v.a.at(unit.bases, unit.batch, row, 0);
        args.a = a_base;
        unit.block = row;
        if (row_sums.any() && !groups.length) sum_rows(unit, args, count);
        if (!v.direct) args.c = unit.c;
        for (int64_t k = 0, end; k < v.depth; k = end) {
            end = choice.parts().end(k, v.depth);
            const RowBlock rows{row, count, {k, end}};
            if (a.by_depth) pack_rows(unit, row, count, rows.k);
            args.b = b_base + at_k(k).b;
            args.next = b_base + (end < v.depth ? at_k(end).b : 0);
            if (choice.by_depth) { // the only block of rows
                pack_panels(unit, rows.k);
                args.b = args.next = unit.b, args.b_panel = panel_bytes(end - k);
            }
            if (row_sums.any() && groups.length && k % groups.length == 0) {
                const int64_t element = packed ? bits(choice.spec.a) / 8 : v.a.bytes(v.a.column);
                sum_group(unit, a_base + k * element, args.a_row, element, count, k);
            }
            if (bytes_.starts) start_block(unit, a_base, rows);
            part(unit, args, a_base, rows);
        }
    }
}

// All blocks of columns for all of this part of k at once; or some of them after the others.
void BlockedJob::part(Unit& unit, DotArgs& args, const char* a_base, const RowBlock& rows) const {
    if (choice.chunk || (choice.strip && unit.columns > choice.strip)) return in_strips(unit, args, a_base, rows);
    const int64_t a_first = a.by_depth ? rows.k.first : 0;
    set_a(args, a_base, {rows.k.first - a_first, rows.k.end - a_first}, rows.k.end == v.depth);
    args.accumulate = rows.k.first % (groups.length ? groups.length : v.depth) > 0;
    blocks(unit, args, rows);
}

// Strips of columns, each for one chunk of k after the other.
void BlockedJob::in_strips(Unit& unit, DotArgs& args, const char* a_base, const RowBlock& rows) const {
    const KPart k = rows.k;
    const int64_t group = groups.length ? groups.length : v.depth, a_first = a.by_depth ? k.first : 0;
    const int64_t width = choice.chunk ? 16 * choice.spec.panels : choice.strip;
    const KParts chunks = choice.chunk ? choice.chunks() : KParts{k.length()};
    const bool sums_apart = !v.direct && (choice.chunk ? v.depth > choice.depth : keeps_sums());
    const char *const b_first = static_cast<const char*>(args.b), *const next = static_cast<const char*>(args.next);
    char* const c_first = static_cast<char*>(args.c);
    Unit strip = unit;
    for (int64_t j = 0; j < unit.columns; j += width) {
        strip.column = unit.column + j, strip.columns = std::min(width, unit.columns - j);
        strip.column_sums = unit.column_sums + j * 4;
        if (sums_apart) args.c = c_first + j * 4;
        const char* const b_at = b_first + j / 16 * args.b_panel;
        for (int64_t at = k.first, end; at < k.end; at = end) {
            end = chunks.end(at, k.end);
            set_a(args, a_base, {at - a_first, end - a_first}, end == v.depth);
            const auto b_of = [&](int64_t to) { return b_at + at_k(to).b - at_k(k.first).b; };
            args.b = b_of(at);
            args.next = end < k.end ? b_of(end) : j + width < unit.columns ? b_at + width / 16 * args.b_panel : next;
            args.accumulate = at % group > 0;
            blocks(strip, args, {rows.row, rows.count, {at, end}});
        }
    }
    args.c = c_first;
    unit.configured = strip.configured;
}

// The last of k may end within a step.
void BlockedJob::set_steps(DotArgs& args, int64_t count, bool last) const {
    args.ends = (choice.spec.a_short || choice.spec.b_short) && last;
    args.steps = args.ends ? whole_steps(count) : whole_steps(count + choice.step - 1);
}

void BlockedJob::set_a(DotArgs& args, const char* a_base, KPart k, bool last) const {
    args.a = a_base + at_k(k.first).a;
    set_steps(args, k.length(), last);
    if (choice.spec.loops > 1) walk.set(args, args.steps);
}

BlockedJob::Places::Places(const BlockedJob& job, const Unit& unit, const DotArgs& args, const RowBlock& rows)
    : job_(job), row_(rows.row), a_row_(args.a_row), b_panel_(args.b_panel), c_row_(args.c_row),
      a_(static_cast<const char*>(args.a)), b_(static_cast<const char*>(args.b)), c_(static_cast<char*>(args.c)),
      part_(unit.part), dst_(job.v.direct ? job.v.c.at(unit.bases, unit.batch, rows.row, unit.column) : nullptr),
      in_place_(job.choice.a == DotSource::in_place), keeps_(job.keeps_sums()),
      keeps_parts_(job.choice.depth < job.groups.length) {}

// Of these rows and columns, which are the sums of a group now.
void BlockedJob::end_group(const Unit& unit, const Places& at, const RowBlock& rows, int64_t i, int64_t count,
                           int64_t j, int64_t wide) const {
    const int64_t end = rows.k.end;
    if (!groups.length || (end != v.depth && end % groups.length)) return;
    groups.add(unit, {rows.row + i, count, unit.column + j, wide, (end - 1) / groups.length * groups.length},
               at.part(i, j), at.all(i, j), c_row_, unit.zeros);
}

} // namespace tessera::cpu
