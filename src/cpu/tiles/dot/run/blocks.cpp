// SPDX-License-Identifier: Apache-2.0
// Calls of kernels: of all register blocks of a block of rows, with what lies between them.
#include "cpu/tiles/dot/run/run.hpp"

#include <algorithm>

#include "core/division.hpp"

namespace tessera::cpu {

void DotJob::configure_for(Unit& unit, size_t variant) const {
    if (unit.configured == int(variant)) return;
    if (unit.configured < 0 || !(tiles[size_t(unit.configured)] == tiles[variant]))
        (*configure)(const_cast<DotTiles*>(&tiles[variant]));
    unit.configured = int(variant);
}

[[gnu::always_inline]] inline void DotJob::run_kernel(Unit& unit, size_t variant, DotArgs& args) const {
    if (configure) configure_for(unit, variant);
    const bool passes = streaming[variant] && reinterpret_cast<uintptr_t>(args.c) % line == 0;
    (passes ? *streaming[variant] : *kernel[variant])(&args);
}

// What `blocks` does where nothing but addresses differ: of 14x32 and 32 of k the rest of it takes a fifth of the time.
[[gnu::always_inline]] inline void DotJob::bare_blocks(Unit& unit, DotArgs& args, char* c_first, int64_t count,
                                                       int64_t wide) const {
    const int64_t height = choice.spec.rows, width = 16 * choice.spec.panels;
    const char *const a_first = static_cast<const char*>(args.a), *const b_first = static_cast<const char*>(args.b);
    const auto block = [&](int64_t i, int64_t j) {
        args.a = a_first + i * args.a_row, args.b = b_first + j / 16 * args.b_panel;
        args.c = c_first + i * args.c_row + j / 16 * args.c_panel;
        run_kernel(unit, variant_of(count - i, wide - j), args);
    };
    if (count <= height && wide <= width)
        block(0, 0);
    else if (choice.rows_inside)
        for (int64_t j = 0; j < wide; j += width)
            for (int64_t i = 0; i < count; i += height) block(i, j);
    else
        for (int64_t i = 0; i < count; i += height)
            for (int64_t j = 0; j < wide; j += width) block(i, j);
}

// Nothing differs between these products and their blocks but addresses: 1000 of f32 4x4x4, 31 -> 11 ns each, of u8 x
// s8 16x16x16, 95 -> 41.
void DotJob::products_of_kernels(Unit& unit, int64_t products) const {
    DotArgs args;
    strides_.set(args);
    args.columns = columns % 16 ? columns % 16 : 16;
    const bool packed_a = choice.a == DotSource::packed, packed_b = choice.b == DotSource::packed;
    set_steps(args, depth, true), args.accumulate = 0;
    for (int64_t p = 0; p < products; ++p) {
        args.a = packed_a ? unit.a + p * bytes_a_ : a.at(unit.bases, unit.batch + p, 0, 0);
        args.b = packed_b ? unit.b + p * bytes_b_ : b.at(unit.bases, unit.batch + p, 0, 0);
        bare_blocks(unit, args, direct ? c.at(unit.bases, unit.batch + p, 0, 0) : unit.c + p * bytes_c_, rows, columns);
    }
}

// The same with the epilogue, whose operands move along. bf16 635x7x750: 33 -> 26 us.
void DotJob::bare_finishing(Unit& unit, DotArgs& args, int64_t row, int64_t count) const {
    const int64_t height = choice.spec.rows, width = 16 * choice.spec.panels;
    const char *const a_first = static_cast<const char*>(args.a), *const b_first = static_cast<const char*>(args.b);
    char* const sums = static_cast<char*>(args.c);
    DotOperand operands[most_epilogue_operands];
    struct {
        char* first;
        int64_t down, right;
    } moves[most_epilogue_operands];
    args.operands = operands;
    place(unit, row, unit.column, operands);
    const size_t known = in_registers.size();
    const bool keeps = keeps_sums();
    for (size_t n = 0; n < known; ++n)
        moves[n] = {static_cast<char*>(operands[n].base), operands[n].row, operands[n].panel / 16};
    for (int64_t i = 0; i < count; i += height)
        for (int64_t j = 0; j < unit.columns; j += width) {
            args.a = a_first + i * args.a_row, args.b = b_first + j / 16 * args.b_panel;
            char* const here = sums + (keeps ? i * args.c_row : 0) + j * 4;
            args.c = here;
            const size_t variant = variant_of(count - i, unit.columns - j);
            if (const jit::Kernel* const finish = finishing[variant].get()) {
                for (size_t n = 0; n < known; ++n)
                    operands[n].base = moves[n].first + i * moves[n].down + j * moves[n].right;
                (*finish)(&args);
                continue;
            }
            run_kernel(unit, variant, args);
            finish(unit, row + i, std::min(height, count - i), unit.column + j, std::min(width, unit.columns - j),
                   here);
        }
    args.c = sums;
}

// All register blocks of `count` rows, for one range of k.
void DotJob::blocks(Unit& unit, DotArgs& args, int64_t row, int64_t count, Part k) const {
    const int64_t height = choice.spec.rows, width = 16 * choice.spec.panels, wide = unit.columns, end = k.end;
    const bool keeps = keeps_sums();
    const bool finishes = end == depth && !direct && !joint_epilogue;
    const bool ends_group = groups.length && (end == depth || end % groups.length == 0);
    // Changed from block to block, not copied: a copy waits for what was just written, 10 ns each.
    const char *const a_first = static_cast<const char*>(args.a), *const b_first = static_cast<const char*>(args.b),
                      *const next = static_cast<const char*>(args.next);
    char* const c_first = static_cast<char*>(args.c);
    // Where a register block puts its sums, and what becomes of them there: those of a group go to `part` args.
    const auto part_at = [&](int64_t i, int64_t j) {
        return unit.part + (choice.depth < groups.length ? i * args.c_row : 0) + j * 4;
    };
    const auto end_group = [&](int64_t i, int64_t rows_here, int64_t j, int64_t columns_here) {
        if (ends_group)
            add_group(unit, row + i, rows_here, unit.column + j, columns_here,
                      (end - 1) / groups.length * groups.length, part_at(i, j), c_first + i * args.c_row + j * 4);
    };
    const auto variant_at = [&](int64_t rows_here, int64_t j) { return variant_of(rows_here, wide - j); };
    const auto kernel_at = [&](int64_t rows_here, int64_t j) { run_kernel(unit, variant_at(rows_here, j), args); };
    const auto rows_from = [&](int64_t i) { return rows_at(row + i, std::min(height, count - i)); };
    const bool in_place = choice.a == DotSource::in_place;
    const auto a_at = [&](int64_t i) {
        return a_first + (in_place ? a.bytes(a.down(row + i) - a.down(row)) : i * args.a_row);
    };
    const auto b_at = [&](int64_t j) { return b_first + j / 16 * args.b_panel; };
    char* const c_of_row = direct ? c.at(unit.bases, unit.batch, row, unit.column) : nullptr;
    const auto direct_at = [&](int64_t i) { return c_of_row + c.bytes(c.down(row + i) - c.down(row)); };
    if (configure) { // tiles, of few columns: their sums go on while they are in L1
        // Each block prefetches a share of what comes next, in the order in which it is read.
        const auto prefetch_ahead = [&](int64_t i, int64_t j) {
            const int64_t share = args.steps * choice.spec.ahead * line;
            if (choice.rows_inside) {
                args.next = (j + width < wide ? b_at(j + width) : next) + i / height * share;
                args.next_panel = args.b_panel;
            } else {
                args.next = a_at(i) + height * args.a_row + j / width * 2 * share, args.next_panel = share;
            }
        };
        const auto block = [&](int64_t i, int64_t rows_here, int64_t j) {
            args.a = a_at(i), args.b = b_at(j);
            if (i == 0 && sums_by_blocks()) sum_block(unit, args, j, k);
            if (choice.spec.ahead) prefetch_ahead(i, j);
            char* sums = direct ? direct_at(i) + j / 16 * args.c_panel : c_first + (keeps ? i * args.c_row + j * 4 : 0);
            const int64_t columns_here = std::min(width, wide - j);
            args.c = groups.length ? part_at(i, j) : sums;
            kernel_at(rows_here, j);
            end_group(i, rows_here, j, columns_here);
            if (finishes) finish(unit, row + i, rows_here, unit.column + j, columns_here, sums);
        };
        if (choice.rows_inside)
            for (int64_t j = 0; j < wide; j += width)
                for (int64_t i = 0; i < count; i += rows_from(i)) block(i, rows_from(i), j);
        else
            for (int64_t i = 0; i < count; i += rows_from(i))
                for (int64_t j = 0; j < wide; j += width) block(i, rows_from(i), j);
        args.c = c_first;
        return;
    }
    if (bare_blocks_) return bare_blocks(unit, args, c_of_row, count, wide);
    if (bare_finishing_ && finishes) return bare_finishing(unit, args, row, count);
    // What comes next is on its way, a share of it for each register block: the rows of A behind its own, and of the
    // next product all of B.
    const bool prefetches_b = choice.prefetches_b && unit.batch + 1 < batches,
               prefetches = choice.prefetches_a || prefetches_b;
    const int64_t row_bytes = choice.prefetches_a ? a.bytes(depth) : 0;
    int64_t lines_of_a = 0, lines_of_b = 0;
    const char* next_b = nullptr;
    if (prefetches) {
        const int64_t across = ceil_div(wide, width);
        if (choice.prefetches_a) lines_of_a = ceil_div(height * ceil_div(row_bytes, line), across);
        if (prefetches_b) lines_of_b = ceil_div(depth * args.b_step, across * ceil_div(count, height) * line);
        if (prefetches_b) next_b = b.at(unit.bases, unit.batch + 1, 0, 0);
    }
    const bool gaps = row_bytes != args.a_row; // rows without them are one run: prefetched row by row 0.97
    const auto prefetch = [](const char*& from, int64_t lines) {
        for (const char* const end = from + lines * line; from < end; from += line) __builtin_prefetch(from);
    };
    const auto prefetch_rows = [row_bytes](const char*& row, int64_t& at, int64_t lines, int64_t apart) {
        for (int64_t n = 0; n < lines; ++n) {
            __builtin_prefetch(row + at);
            at += line;
            if (at >= row_bytes) at = 0, row += apart;
        }
    };
    alignas(line) static const char no_sums[4 * line] = {}; // of four panels
    DotOperand operands[most_epilogue_operands];
    args.operands = operands;
    for (int64_t i = 0, rows_here; i < count; i += rows_here) {
        rows_here = rows_from(i);
        char* sums = direct ? direct_at(i) : c_first + (keeps ? i * args.c_row : 0);
        const bool in_registers = finishes && finishing[variant_at(rows_here, 0)];
        args.a = a_at(i), args.starts = unit.starts + i;
        const char* next_row = static_cast<const char*>(args.a) + rows_here * args.a_row;
        int64_t prefetched = 0; // bytes of it
        for (int64_t j = 0; j < wide; j += width) {
            args.b = b_at(j), args.c = groups.length ? part_at(i, j) : sums + j / 16 * args.c_panel;
            const jit::Kernel* summing = nullptr;
            if (i == 0 && !choice.spec.sums_b && sums_by_blocks()) {
                if (variant_at(rows_here, j) < 2) summing = this->summing[variant_at(rows_here, j)].get();
                if (!summing) sum_block(unit, args, j, k);
            }
            if (choice.spec.sums_b || choice.spec.corrected || summing) {
                const bool other_part = choice.spec.corrected && !sums_are_of_parts() && k.first > 0;
                args.sums = other_part ? const_cast<char*>(no_sums) : unit.column_sums + j * 4;
                args.adds_sums = k.first > 0;
            }
            if (prefetches) {
                gaps ? prefetch_rows(next_row, prefetched, lines_of_a, args.a_row) : prefetch(next_row, lines_of_a);
                prefetch(next_b, lines_of_b);
            }
            const jit::Kernel* const last = in_registers ? finishing[variant_at(rows_here, j)].get() : nullptr;
            if (last) {
                place(unit, row + i, unit.column + j, operands);
                (*last)(&args);
                continue;
            }
            summing ? (*summing)(&args) : kernel_at(rows_here, j);
            if (in_registers)
                finish(unit, row + i, rows_here, unit.column + j, std::min(width, wide - j), sums + j * 4);
        }
        end_group(i, rows_here, 0, wide);
        if (finishes && !in_registers) finish(unit, row + i, rows_here, unit.column, wide, sums);
    }
    args.c = c_first;
}

} // namespace tessera::cpu
