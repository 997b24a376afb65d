// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/dot/run/run.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include <immintrin.h>

#include "core/division.hpp"
#include "core/plan/unit.hpp"
#include "cpu/runtime/scratch.hpp"

namespace tessera::cpu {

void DotJob::prepare() {
    const DotChoice& c = choice;
    rows_ = rows_of_units(rows, c), columns_ = columns_of_units(columns, c);
    units = ceil_div(batches, c.unit_batches) * rows_.parts * columns_.parts;
    const int64_t touched = batches * (rows * depth + depth * columns + rows * columns) * 4;
    bytes = std::max(touched, std::max(batches * rows * columns * depth, choice.work) / products_of_byte);
    const int64_t wide = round_up(c.unit_columns, 16 * c.spec.panels);
    if (c.b == DotSource::packed) bytes_b_ = wide / 16 * packed_panel(c.by_depth ? c.depth : depth);
    if (c.a == DotSource::packed) bytes_a_ = c.block_rows * packed_row;
    if (!direct) {
        const bool keeps = keeps_sums(), of_one_block = configure && (!keeps || (c.chunk && depth <= c.depth));
        c_row_ = (of_one_block ? 16 * c.spec.panels : wide) * 4 + line;
        bytes_c_ = (keeps ? c.block_rows : std::min<int64_t>(c.block_rows, c.spec.rows)) * c_row_;
        if (!keeps && !epilogue && c.finishes) bytes_c_ = 0; // no sums in memory at all
    }
    if (groups.length || pairs.kernel) bytes_zeros_ = round_up(wide, line);
    for (const auto* packs : {&pack_a, &pack_b})
        for (const DotPack& p : *packs)
            if (p.nibbles >= 0) bytes_n_ = std::max(bytes_n_, round_up(p.lines() * p.line_bytes(), line));
    if (pairs.k_dense()) bytes_n_ = std::max(bytes_n_, pairs.columns * pairs.row_bytes); // one after the other
    bytes_b_ = round_up(bytes_b_, line), bytes_a_ = round_up(bytes_a_, line);
    if (column_sums[0] || column_sums[1] || c.spec.sums_b) bytes_columns_ = wide * 4;
    if (row_sums[0] || row_sums[1] || groups.sums_of_a[0]) bytes_rows_ = c.block_rows * line;
    if (shifts_b) bytes_rows_ = round_up(rows * ceil_div(depth, c.depth) * int64_t(sizeof(int32_t)), line);
    if (sums_of_rows) {
        bytes_starts_ = round_up(c.block_rows * int64_t(sizeof(int32_t)), line);
        const int64_t once = c.spec.loops > 1 ? walk.loops.back().count * c.step : depth;
        bytes_ones_ = round_up(std::min(c.depth, once), line);
    }
    shift_ = std::has_single_bit(uint64_t(c.step)) ? std::countr_zero(uint64_t(c.step)) : -1;
    const bool whole = rows <= c.block_rows && rows <= c.unit_rows && columns <= c.unit_columns && depth <= c.depth;
    const bool packed_a = c.a == DotSource::packed, packed_b = c.b == DotSource::packed;
    const int64_t step = c.step, a_bits = bits(c.spec.a), b_bits = bits(c.spec.b);
    strides_.a_row = packed_a ? packed_row : a.bytes(a.row);
    strides_.a_step = !packed_a ? a.bytes(a.column * step) : step * a_bits / 8 * (c.spec.a_words ? 2 : 1);
    strides_.b_row = b.bytes(b.row);
    strides_.b_step = packed_b ? 16 * step * b_bits / 8 : c.spec.interleaves ? step * strides_.b_row : strides_.b_row;
    strides_.b_panel = packed_b ? packed_panel(depth) : b.bytes(b.panel);
    strides_.c_row = direct ? this->c.bytes(this->c.row) : c_row_;
    if (direct) strides_.c_panel = this->c.bytes(this->c.panel);
    const bool placed = (packed_a || packed_b ? together : true) && (direct || joint_epilogue) && a.rows.empty() &&
                        this->c.rows.empty();
    const bool prefetches = c.prefetches_a || c.prefetches_b || c.spec.ahead;
    const bool bare = c.way == DotWay::blocks && !c.chunk && !prefetches && !groups.length && !bytes_columns_ &&
                      !bytes_rows_ && !bytes_starts_ && c.spec.loops == 1;
    only_kernels_ = whole && placed && bare && run_of_rows == rows;
    const auto linear = [](const DotView& v) { return v.rows.size() < 2 && v.columns.size() < 2; };
    bare_finishing_ = bare && c.finishes && !joint_epilogue && a.rows.empty() && run_of_rows == rows &&
                      std::all_of(outer.begin(), outer.end(), linear);
    bare_blocks_ = bare && direct && !configure && a.rows.empty() && this->c.rows.empty() && run_of_rows == rows;
    if (c.way == DotWay::tall) {
        bytes_b_ = round_up(columns * round_up(depth * b.bits / 8, line), line);
        bytes_part_ = columns * c.block_rows * 4;
        if (!direct) bytes_c_ = c.block_rows * c_row_;
    }
    if (c.way == DotWay::turned) {
        bytes_a_ = ceil_div(rows, 16) * packed_panel(c.depth);
        const int64_t at_once = round_up(std::min(c.unit_columns, columns_at_once()), c.spec.rows);
        bytes_part_ = at_once * round_up(rows, 16) * 4;
        c_row_ = row_of_turned() * 4;
        if (!direct) bytes_c_ = rows * c_row_;
    }
    if (groups.length) // of a strip of rows; of all where a group is more than what is in a cache
        bytes_part_ = (c.depth < groups.length ? c.block_rows : std::min<int64_t>(c.block_rows, c.spec.rows)) * c_row_;
}

void DotJob::run(const Bases& bases, int64_t first, int64_t last) const {
    constexpr int64_t on_stack = 8 << 10;
    alignas(64) char small[on_stack];
    const int64_t packs = together ? choice.unit_batches : 1, sums = joint_epilogue ? choice.unit_batches : 1;
    const int64_t needed = packs * (bytes_b_ + bytes_a_) + sums * bytes_c_ + bytes_columns_ + bytes_rows_ +
                           bytes_part_ + bytes_n_ + bytes_zeros_ + bytes_starts_ + bytes_ones_;
    std::optional<Scratch> scratch;
    if (needed > on_stack || (needed && !stack_is_scratch)) scratch.emplace(size_t(needed));
    char* room = scratch ? scratch->data() : small;
    char* const ones = room + needed - bytes_ones_;
    std::fill_n(ones, bytes_ones_, char(1));
    int configured = -1;
    for (int64_t u = first; u < last; ++u) {
        UnitIndex index(u);
        const int64_t strip = index.next(columns_.parts), j = columns_.begin(strip);
        const int64_t part = index.next(rows_.parts), i = rows_.begin(part);
        const int64_t from = index.outermost() * choice.unit_batches,
                      to = std::min(from + choice.unit_batches, batches);
        Unit unit{.bases = bases, .batch = from, .row = i, .column = j};
        unit.rows = rows_.length(part), unit.columns = columns_.length(strip);
        unit.configured = configured, unit.block = i, unit.b = room;
        unit.a = unit.b + packs * bytes_b_, unit.c = unit.a + packs * bytes_a_;
        unit.column_sums = unit.c + sums * bytes_c_, unit.row_sums = unit.column_sums + bytes_columns_;
        unit.part = unit.row_sums + bytes_rows_, unit.nibbles = unit.part + bytes_part_;
        unit.zeros = unit.nibbles + bytes_n_, unit.ones = ones;
        unit.starts = reinterpret_cast<int32_t*>(unit.zeros + bytes_zeros_);
        // No copy of `unit`: it would wait for what was just written, behind all stores of the unit before.
        char* const all_sums = unit.c;
        unit.products = together ? to - from : 1;
        if (together && choice.a == DotSource::packed) pack_rows(unit, i, unit.rows, 0, depth);
        if (together && choice.b == DotSource::packed) pack_panels(unit, 0, depth);
        unit.products = 1;
        if (only_kernels_) {
            products_of_kernels(unit, to - from);
            unit.batch = to;
        }
        for (; unit.batch < to; ++unit.batch) {
            product(unit);
            if (together) unit.a += bytes_a_, unit.b += bytes_b_;
            if (joint_epilogue) unit.c += bytes_c_;
        }
        unit.batch = from;
        if (joint_epilogue) finish(unit, i, (to - from) * unit.rows, j, unit.columns, all_sums);
        configured = unit.configured;
    }
    if (configured >= 0) (*release)(nullptr);
    if (choice.streams) _mm_sfence();
}

void DotJob::product(Unit& unit) const {
    if (choice.way == DotWay::tall) return few_columns(unit);
    if (choice.way == DotWay::turned) return turned(unit);
    if (few) return few_rows(unit);
    const DotSpec& spec = choice.spec;
    DotArgs args;
    strides_.set(args);
    args.columns = unit.columns % 16 ? unit.columns % 16 : 16;
    const char* b_base;
    if (choice.b == DotSource::packed) {
        if (!together && !choice.by_depth) pack_panels(unit, 0, depth);
        b_base = unit.b;
    } else {
        b_base = b.at(unit.bases, unit.batch, 0, 0) + unit.column / 16 * b.bytes(b.panel);
    }
    args.b = b_base;
    if (bytes_columns_ && !sums_by_blocks()) sum_columns(unit, args, 0, depth);
    for (int64_t i = 0, count; i < unit.rows; i += count) {
        const int64_t row = unit.row + i;
        count = std::min(choice.block_rows, unit.rows - i);
        if (choice.block_rows < run_of_rows) count = rows_at(row, count);
        const char* a_base;
        if (choice.a == DotSource::packed) {
            if (!together && !a_by_depth) pack_rows(unit, row, count, 0, depth);
            a_base = unit.a;
        } else {
            a_base = a.at(unit.bases, unit.batch, row, 0);
        }
        args.a = a_base;
        unit.block = row;
        if (row_sums[0] || row_sums[1]) sum_rows(unit, args, count);
        if (!direct) args.c = unit.c;
        for (int64_t k = 0, end; k < depth; k = end) {
            end = choice.parts().end(k, depth);
            const int64_t here = end - k;
            if (a_by_depth) pack_rows(unit, row, count, k, here);
            args.b = b_base + at_k(k).b;
            args.next = b_base + (end < depth ? at_k(end).b : 0);
            if (choice.by_depth) { // the only block of rows
                pack_panels(unit, k, here);
                args.b = args.next = unit.b, args.b_panel = packed_panel(here);
            }
            if (groups.sums_of_a[0] && k % groups.length == 0) {
                DotArgs of_a = args;
                of_a.a = a_base + k * (choice.a == DotSource::packed ? bits(spec.a) / 8 : a.bytes(a.column));
                sum_a(unit, of_a, count, k);
            }
            if (bytes_starts_) start_block(unit, a_base, row, count, {k, end});
            part(unit, args, a_base, row, count, {k, end});
        }
    }
}

// All blocks of columns for all of this part of k at once; or some of them after the others; or each for one chunk of k
// after the other.
void DotJob::part(Unit& unit, DotArgs& args, const char* a_base, int64_t row, int64_t count, Part k) const {
    const int64_t group = groups.length ? groups.length : depth, a_first = a_by_depth ? k.first : 0;
    if (!choice.chunk && (!choice.strip || unit.columns <= choice.strip)) {
        set_a(args, a_base, {k.first - a_first, k.end - a_first}, k.end == depth);
        args.accumulate = k.first % group > 0;
        return blocks(unit, args, row, count, k);
    }
    const int64_t width = choice.chunk ? 16 * choice.spec.panels : choice.strip;
    const KParts chunks = choice.chunk ? choice.chunks() : KParts{k.end - k.first};
    const bool sums_apart = !direct && (choice.chunk ? depth > choice.depth : keeps_sums());
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
            set_a(args, a_base, {at - a_first, end - a_first}, end == depth);
            const auto b_of = [&](int64_t to) { return b_at + at_k(to).b - at_k(k.first).b; };
            args.b = b_of(at);
            args.next = end < k.end ? b_of(end) : j + width < unit.columns ? b_at + width / 16 * args.b_panel : next;
            args.accumulate = at % group > 0;
            blocks(strip, args, row, count, {at, end});
        }
    }
    args.c = c_first;
    unit.configured = strip.configured;
}

// The last of k may end within a step.
void DotJob::set_steps(DotArgs& args, int64_t count, bool last) const {
    args.ends = (choice.spec.a_short || choice.spec.b_short) && last;
    args.steps = args.ends ? whole_steps(count) : in_steps(count);
}

void DotJob::set_a(DotArgs& args, const char* a_base, Part k, bool last) const {
    args.a = a_base + at_k(k.first).a;
    set_steps(args, k.end - k.first, last);
    if (choice.spec.loops > 1) walk.set(args, args.steps);
}

} // namespace tessera::cpu
