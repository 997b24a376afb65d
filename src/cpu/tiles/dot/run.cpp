// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/dot/run.hpp"

#include <algorithm>

#include "core/division.hpp"
#include "cpu/products/text.hpp"
#include "cpu/tiles/dot/next_lines.hpp"

namespace tessera::cpu {

void VectorsJob::prepare(int64_t products_of_byte) {
    BlockedJob::prepare(products_of_byte);
    const auto linear = [](const DotView& view) { return view.rows.size() < 2 && view.columns.size() < 2; };
    const bool in_place = bare_ && v.a.rows.empty();
    bare_finishing_ = in_place && choice.finishes && !joint_epilogue && std::ranges::all_of(finish.outer, linear);
    bare_blocks_ = in_place && v.direct && v.c.rows.empty();
}

void VectorsJob::whole_products(Unit& unit, int64_t products) const {
    each_product(unit, products, [&](size_t variant, DotArgs& args) { call(variant, args); });
}

void VectorsJob::blocks(Unit& unit, DotArgs& args, const RowBlock& rows) const {
    if (bare_blocks_) {
        char* const c_first = v.c.at(unit.bases, unit.batch, rows.row, unit.column);
        return each_block(args, c_first, rows.count, unit.columns, [&](size_t variant) { call(variant, args); });
    }
    if (bare_finishing_ && finishes(rows.k)) return bare_finishing(unit, args, rows);
    const int64_t height = choice.spec.rows, across = ceil_div(unit.columns, int64_t(16) * choice.spec.panels);
    NextLines next;
    if (choice.prefetches_a) next.set_rows(v.a.bytes(v.depth), args.a_row, height, across);
    if (choice.prefetches_b && unit.batch + 1 < v.batches)
        next.set_b(v.b.at(unit.bases, unit.batch + 1, 0, 0), v.depth * args.b_step,
                   across * ceil_div(rows.count, height));
    DotOperand operands[most_epilogue_operands];
    args.operands = operands;
    char* const c_first = static_cast<char*>(args.c);
    const Places at(*this, unit, args, rows);
    for (int64_t i = 0, count; i < rows.count; i += count) {
        count = v.rows_at(rows.row + i, std::min(height, rows.count - i));
        row_of_blocks(unit, args, rows, at, i, count, operands, next);
    }
    args.c = c_first;
}

// The register blocks of `count` rows from number i on. What changes from block to block is set, not copied: a copy
// waits for what was just written, 10 ns each.
void VectorsJob::row_of_blocks(Unit& unit, DotArgs& args, const RowBlock& rows, const Places& at, int64_t i,
                               int64_t count, DotOperand* operands, NextLines& next) const {
    const int64_t width = 16 * choice.spec.panels, wide = unit.columns, row = rows.row + i;
    char* const to = at.c(i);
    const bool in_registers = finishes(rows.k) && finishing[variant_of(count, wide)];
    args.a = at.a(i), args.starts = unit.starts + i;
    next.begin_rows(static_cast<const char*>(args.a) + count * args.a_row);
    for (int64_t j = 0; j < wide; j += width) {
        const size_t variant = variant_of(count, wide - j);
        args.b = at.b(j), args.c = groups.length ? at.part(i, j) : to + j / 16 * args.c_panel;
        const jit::Kernel* const sums_beside = sums_columns() ? set_sums(unit, args, i, variant, j, rows.k) : nullptr;
        if (next.any()) next.prefetch();
        if (const jit::Kernel* const last = in_registers ? finishing[variant].get() : nullptr) {
            place(unit, row, unit.column + j, operands);
            (*last)(&args);
            continue;
        }
        sums_beside ? (*sums_beside)(&args) : call(variant, args);
        if (in_registers) pass(unit, row, count, unit.column + j, std::min(width, wide - j), to + j * 4);
    }
    end_group(unit, at, rows, i, count, 0, wide);
    if (finishes(rows.k) && !in_registers) pass(unit, row, count, unit.column, wide, to);
}

// Where the kernel of a block finds sums of B's columns, or leaves them; the kernel that computes them beside the
// products, or null. Where there is none, they are computed before the first rows.
const jit::Kernel* VectorsJob::set_sums(const Unit& unit, DotArgs& args, int64_t i, size_t variant, int64_t j,
                                        KPart k) const {
    const jit::Kernel* beside = nullptr;
    if (i == 0 && !choice.spec.sums_b && sums_by_blocks()) {
        if (variant < summing.size()) beside = summing[variant].get();
        if (!beside) sum_block(unit, args, j, k);
    }
    if (choice.spec.sums_b || choice.spec.corrected || beside) {
        const bool other_part = choice.spec.corrected && !sums_are_of_parts() && k.first > 0;
        args.sums = other_part ? const_cast<char*>(no_sums_) : unit.column_sums + j * 4;
        args.adds_sums = k.first > 0;
    }
    return beside;
}

// Blocks whose kernels apply the epilogue, where nothing but addresses differs; its operands move along. bf16
// 635x7x750: 33 -> 26 us.
void VectorsJob::bare_finishing(Unit& unit, DotArgs& args, const RowBlock& rows) const {
    const int64_t height = choice.spec.rows, width = 16 * choice.spec.panels, count = rows.count;
    const char *const a_first = static_cast<const char*>(args.a), *const b_first = static_cast<const char*>(args.b);
    char* const c_first = static_cast<char*>(args.c);
    DotOperand operands[most_epilogue_operands];
    struct {
        char* first;
        int64_t down, right;
    } moves[most_epilogue_operands];
    args.operands = operands;
    place(unit, rows.row, unit.column, operands);
    const size_t known = in_registers.size();
    const bool keeps = keeps_sums();
    for (size_t n = 0; n < known; ++n)
        moves[n] = {static_cast<char*>(operands[n].base), operands[n].row, operands[n].panel / 16};
    for (int64_t i = 0; i < count; i += height)
        for (int64_t j = 0; j < unit.columns; j += width) {
            args.a = a_first + i * args.a_row, args.b = b_first + j / 16 * args.b_panel;
            char* const here = c_first + (keeps ? i * args.c_row : 0) + j * 4;
            args.c = here;
            const size_t variant = variant_of(count - i, unit.columns - j);
            if (const jit::Kernel* const last = finishing[variant].get()) {
                for (size_t n = 0; n < known; ++n)
                    operands[n].base = moves[n].first + i * moves[n].down + j * moves[n].right;
                (*last)(&args);
                continue;
            }
            call(variant, args);
            pass(unit, rows.row + i, std::min(height, count - i), unit.column + j, std::min(width, unit.columns - j),
                 here);
        }
    args.c = c_first;
}

void VectorsJob::place(const Unit& unit, int64_t row, int64_t column, DotOperand* operands) const {
    for (const int number : in_registers) {
        DotOperand& o = *operands++;
        if (number == finish.sum + 1) {
            o = {unit.column_sums + (column - unit.column) * 4, 0, cache_line};
        } else if (number == finish.sum + 2) {
            o = {unit.row_sums + (row - unit.block) * cache_line, cache_line, 0};
        } else {
            const DotView& view = *std::ranges::find(finish.outer, number, &DotView::operand);
            o = {view.at(unit.bases, unit.batch, row, column), view.bytes(view.row), view.bytes(view.panel)};
        }
    }
}

std::vector<const jit::Kernel*> VectorsJob::kernels() const {
    std::vector<const jit::Kernel*> all;
    for (const Kernels* some : {&kernel, &streaming, &finishing})
        for (const auto& one : *some)
            if (one) all.push_back(one.get());
    if (finish.kernel) all.push_back(finish.kernel.get());
    return all;
}

} // namespace tessera::cpu
