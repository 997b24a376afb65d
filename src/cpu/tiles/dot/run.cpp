// SPDX-License-Identifier: Apache-2.0
// Products in blocks of vectors.
#include <algorithm>

#include "core/division.hpp"
#include "cpu/products/run/blocked.hpp"
#include "cpu/products/see/seen.hpp"

namespace tessera::cpu {

namespace {

// The rows of A behind those of a row of blocks, of which each block prefetches a share.
class NextRows {
public:
    const char* row = nullptr;
    int64_t bytes = 0, apart = 0, lines = 0; // of a row, from row to row; of a share
    int64_t at = 0;

    void prefetch() {
        for (int64_t n = 0; n < lines; ++n) {
            __builtin_prefetch(row + at);
            at += cache_line;
            if (at >= bytes) at = 0, row += apart;
        }
    }
};

class VectorsJob final : public BlockedJob {
public:
    Kernels kernel;                // that leave sums
    Kernels finishing;             // with the epilogue, where the choice says so
    std::vector<int> in_registers; // operands of the epilogue, in the order of these

    void prepare(int64_t products_of_byte) override;

private:
    void blocks(Unit& unit, DotArgs& args, const RowBlock& rows) const override;
    void whole_products(Unit& unit, int64_t products) const override;
    void bare_finishing(Unit& unit, DotArgs& args, const RowBlock& rows) const;
    void row_of_blocks(Unit& unit, DotArgs& args, const RowBlock& rows, const Places& at, int64_t i, int64_t count,
                       DotOperand* operands, NextRows& next) const;
    void set_sums(const Unit& unit, DotArgs& args, int64_t i, int64_t j, KPart k) const;
    // The epilogue's operands at a block, for kernels that apply it.
    void place(const Unit& unit, int64_t row, int64_t column, DotOperand* operands) const;
    // A part of k of a block of rows is a call for each register block; so is the last part, where kernels apply the
    // epilogue.
    bool bare_blocks_ = false, bare_finishing_ = false;
};

void VectorsJob::prepare(int64_t products_of_byte) {
    BlockedJob::prepare(products_of_byte);
    const auto linear = [](const DotView& view) { return view.rows.size() < 2 && view.columns.size() < 2; };
    const bool in_place = bare_ && v.a.rows.empty();
    bare_finishing_ = in_place && choice.finishes && !joint_epilogue && std::ranges::all_of(finish.outer, linear);
    bare_blocks_ = in_place && v.direct && v.c.rows.empty();
}

void VectorsJob::whole_products(Unit& unit, int64_t products) const {
    each_product(unit, products, [&](size_t variant, DotArgs& args) { (*kernel[variant])(&args); });
}

void VectorsJob::blocks(Unit& unit, DotArgs& args, const RowBlock& rows) const {
    if (bare_blocks_) {
        char* const c_first = v.c.at(unit.bases, unit.batch, rows.row, unit.column);
        return each_block(args, c_first, rows.count, unit.columns, [&](size_t variant) { (*kernel[variant])(&args); });
    }
    if (bare_finishing_ && finishes(rows.k)) return bare_finishing(unit, args, rows);
    const int64_t height = choice.spec.rows, across = ceil_div(unit.columns, int64_t(16) * choice.spec.panels);
    NextRows next;
    if (choice.prefetches_a) {
        const int64_t bytes = v.a.bytes(v.depth);
        next = {nullptr, bytes, args.a_row, ceil_div(height * ceil_div(bytes, cache_line), across)};
    }
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
                               int64_t count, DotOperand* operands, NextRows& next) const {
    const int64_t width = 16 * choice.spec.panels, wide = unit.columns, row = rows.row + i;
    char* const to = at.c(i);
    const bool in_registers = finishes(rows.k) && finishing[variant_of(count, wide)];
    args.a = at.a(i), args.starts = unit.starts + i;
    next.row = static_cast<const char*>(args.a) + count * args.a_row, next.at = 0;
    for (int64_t j = 0; j < wide; j += width) {
        const size_t variant = variant_of(count, wide - j);
        args.b = at.b(j), args.c = groups.length ? at.part(i, j) : to + j / 16 * args.c_panel;
        if (sums_columns()) set_sums(unit, args, i, j, rows.k);
        next.prefetch();
        if (const jit::Kernel* const last = in_registers ? finishing[variant].get() : nullptr) {
            place(unit, row, unit.column + j, operands);
            (*last)(&args);
            continue;
        }
        (*kernel[variant])(&args);
        if (in_registers) pass(unit, row, count, unit.column + j, std::min(width, wide - j), to + j * 4);
    }
    end_group(unit, at, rows, i, count, 0, wide);
    if (finishes(rows.k) && !in_registers) pass(unit, row, count, unit.column, wide, to);
}

// Sums of B's columns, of which kernels are told that start from them.
void VectorsJob::set_sums(const Unit& unit, DotArgs& args, int64_t i, int64_t j, KPart k) const {
    if (i == 0 && sums_by_blocks()) sum_block(unit, args, j, k);
    const bool other_part = !sums_are_of_parts() && k.first > 0;
    if (choice.spec.corrected) args.sums = other_part ? no_sums_ : unit.column_sums + j * 4;
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
            (*kernel[variant])(&args);
            pass(unit, rows.row + i, std::min(height, count - i), unit.column + j, std::min(width, unit.columns - j),
                 here);
        }
    args.c = c_first;
}

void VectorsJob::place(const Unit& unit, int64_t row, int64_t column, DotOperand* operands) const {
    for (const int number : in_registers) {
        const DotView& view = *std::ranges::find(finish.outer, number, &DotView::operand);
        *operands++ = {view.at(unit.bases, unit.batch, row, column), view.bytes(view.row), view.bytes(view.panel)};
    }
}

class Maker {
public:
    explicit Maker(Seen& seen) : x(seen), job(*made_), choice(job.choice) {}

    std::unique_ptr<Job> make() {
        choose_for(x, job);
        if (!make_packs(x, job)) return nullptr;
        choice.finishes = keeps_in_registers();
        if (!make_kernels() || !make_sums(x, job)) return nullptr;
        if (!make_pass(x, job, !choice.finishes || some_pass_) || !finish_groups(x, job)) return nullptr;
        return finished(x, std::move(made_));
    }

private:
    // Whether kernels apply the epilogue to their sums. Sums that stay in memory, for a group or for products that are
    // finished together, are what the pass is for. Narrow results gain nothing with vectors of 32 bytes.
    bool keeps_in_registers() {
        if (job.v.direct || x.groups.length || job.joint_epilogue) return false;
        const bool narrow = bits(x.type_of(x.p.outer.ops.back().operand)) < 32;
        if (!job.v.panels_apart && !x.target.masks && narrow) return false;
        // Nor are sums of rows and of columns operands of the epilogue there: 0.91.
        if (x.views.integers && (x.sums.rows || (x.sums.columns && !x.sums.by_kernels))) return false;
        // What all columns of a panel share, but not all panels: kernels load such an operand once a row.
        for (const DotView& v : x.outer)
            if (v.panel && x.epilogue.column[size_t(v.operand)] == 0) return false;
        finisher_ = choice.spec;
        finisher_.epilogue = std::make_shared<const MapSpec>(x.epilogue), finisher_.sum = x.p.sum;
        finisher_.epilogue_dense = narrow && !job.v.panels_apart;
        job.in_registers = epilogue_operands(x.epilogue, x.p.sum);
        for (size_t i = 0; i < job.in_registers.size() && i < most_epilogue_operands; ++i) {
            const DotView& view = *std::ranges::find(x.outer, job.in_registers[i], &DotView::operand);
            finisher_.epilogue_rows |= uint32_t(view.row != 0) << i;
        }
        return epilogue_fits(x.target, finisher_);
    }

    DotSpec spec_of(const BlockVariant& block) const {
        DotSpec spec = choice.spec;
        spec.rows = int(block.rows), spec.panels = int(ceil_div(block.columns, 16));
        spec.tail = block.narrow && spec.tail;
        spec.last = block.narrow && !x.target.masks ? int(block.columns % 16) : 0;
        return spec;
    }

    bool make_kernels() {
        for (size_t i = 0; i < BlockedJob::variants; ++i) {
            const BlockVariant block = block_variant(job, i);
            if (block.rows == 0) continue;
            DotSpec spec = spec_of(block);
            if (job.kernel_name.empty()) job.kernel_name = key(spec);
            if (choice.finishes) {
                DotSpec finisher = finisher_;
                finisher.rows = spec.rows, finisher.panels = spec.panels;
                finisher.tail = spec.tail, finisher.last = spec.last;
                if (epilogue_fits(x.target, finisher) && !(job.finishing[i] = kernel_of(x, finisher))) return false;
            }
            some_pass_ |= !job.finishing[i];
            // The first block of a row decides whether its kernels finish the row or a pass does: a block of all
            // columns may need more registers than the last one, which then is wanted without the epilogue, too.
            const bool first_passes = block.narrow && x.p.columns >= 16 * choice.spec.panels && !job.finishing[i - 1];
            const bool finishes = job.finishing[i] && !first_passes;
            if ((!finishes || x.p.depth > choice.depth) && !(job.kernel[i] = kernel_of(x, spec))) return false;
        }
        return true;
    }

    Seen& x;
    std::unique_ptr<VectorsJob> made_ = std::make_unique<VectorsJob>();
    VectorsJob& job;
    DotChoice& choice;
    DotSpec finisher_;       // a full block's kernel with the epilogue
    bool some_pass_ = false; // blocks without one
};

} // namespace

std::unique_ptr<Job> make_dot_job(Seen& seen) { return Maker(seen).make(); }

} // namespace tessera::cpu
