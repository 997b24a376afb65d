// SPDX-License-Identifier: Apache-2.0
// What becomes of sums: corrections of those of integers, and the epilogue's operands.
#include <numeric>

#include <fmt/format.h>

#include "cpu/products/see/seen.hpp"
#include "cpu/tiles/map/make.hpp"

namespace tessera::cpu {

namespace {

// B gets the offset of 128 instead of A where rows are few: their sums take less time than those of B's columns.
bool rows_are_summed(const Seen& x) {
    constexpr int64_t most_rows = 64;
    return x.p.rows <= most_rows && 4 * x.p.rows <= x.p.columns;
}

bool uses(const Program& program, int operand) {
    return std::ranges::any_of(program.ops, [&](const Op& op) { return op.operand == operand; });
}
bool stores(const Program& program, int operand) {
    return std::ranges::any_of(program.ops,
                               [&](const Op& op) { return op.code == OpCode::store && op.operand == operand; });
}

} // namespace

// sum of (a - za) * (b - zb) = sum of a * b - za * sum of b - zb * (sum of a - k * za), wrapping as the program does.
// Kernels that take s8 as a + 128 add 128 * sum of b.
void Seen::correct_sums() {
    bool shifted = !is_few() && kind == DotKind::u8s8 && a_type == DataType::s8;
    sums.shifts_b = shifted && p.left.zero < 0 && !groups.length && rows_are_summed(*this);
    shifted &= !sums.shifts_b;
    // Kernels start their sums lower where nothing else needs the sums of columns.
    sums.by_kernels = shifted && p.left.zero < 0 && !groups.length && vector_kind() == kind;
    if (!shifted && p.left.zero < 0 && p.right.zero < 0) return;
    sums.columns = shifted || p.left.zero >= 0, sums.rows = p.right.zero >= 0;
    if (sums.by_kernels && !sums.rows) return;
    Program corrected;
    const auto zero_of = [&](int operand) { return corrected.load(operand, ValueType::s32); };
    int v = corrected.load(p.sum, ValueType::s32), columns = -1;
    if (sums.columns && !sums.by_kernels) columns = corrected.load(p.sum + 1, ValueType::s32);
    const auto less = [&](int a, int b) { v = corrected.binary(OpCode::sub, v, corrected.binary(OpCode::mul, a, b)); };
    if (shifted && !sums.by_kernels) less(columns, corrected.constant(128, ValueType::s32));
    if (p.left.zero >= 0) less(columns, zero_of(p.left.zero));
    if (sums.rows) {
        int rows = corrected.load(p.sum + 2, ValueType::s32);
        if (p.left.zero >= 0)
            rows = corrected.binary(OpCode::sub, rows,
                                    corrected.binary(OpCode::mul, zero_of(p.left.zero),
                                                     corrected.constant(double(p.depth), ValueType::s32)));
        less(rows, zero_of(p.right.zero));
    }
    // The old program with the corrected sum in place of the load of the sum.
    append(corrected, p.outer, p.sum, v);
    p.outer = std::move(corrected);
}

// How far one stride describes the rows of A, and of what the epilogue loads and stores; and whether that has panels of
// columns in places of their own. Blocks end with runs: too short ones are better copied.
std::optional<DotFault> Seen::see_runs() {
    constexpr int64_t shortest = 4;
    int64_t runs[] = {p.rows, p.rows}; // of A, of the epilogue
    const auto see_operand = [&](int operand, bool has_columns) {
        const auto f = flat_of(operand);
        if (!f) return false;
        int64_t& run = runs[has_columns];
        if (!is_strided(f->m)) run = std::gcd(run, f->m.back().extent);
        if (!has_columns || is_strided(f->n)) return true;
        views.panels_apart = true;
        return is_panels(f->n);
    };
    // Zero points of integers enter the epilogue, with sums of columns and of rows.
    const int zero_of_a = p.type == ValueType::s32 ? p.left.zero : -1;
    for (const Program* program : {&p.left.program, &p.outer})
        for (const Op& op : program->ops)
            if (op.operand >= 0 && op.operand != p.sum &&
                !see_operand(op.operand, program == &p.outer || op.operand == zero_of_a))
                return no_strides(*this, program == &p.outer ? DotPart::epilogue : DotPart::left, op.operand);
    if (p.type == ValueType::s32 && p.right.zero >= 0 && !see_operand(p.right.zero, true))
        return never(fmt::format("{} has no strides along rows and columns", plan.operands[size_t(p.right.zero)].name));
    views.run_of_a = runs[0], views.run_of_c = runs[1], views.run_of_rows = std::gcd(runs[0], runs[1]);
    const int64_t least = std::min(p.rows, shortest);
    if (views.run_of_rows >= least) return std::nullopt;
    return DotFault{runs[0] < least ? DotPart::left : DotPart::epilogue,
                    fmt::format("strides describe {} of {} rows at a time", views.run_of_rows, p.rows)};
}

// The epilogue's operands, and whether it does nothing but store the sum where the kernel can do so.
std::optional<DotFault> Seen::see_epilogue() {
    const DataType type = sum_type();
    epilogue = map_spec(p.outer, plan.operands, {type, type, type});
    if (epilogue.types.size() > map_operands)
        return DotFault{DotPart::epilogue,
                        fmt::format("{} operands; kernels take up to {}", plan.operands.size(), map_operands - 3)};
    epilogue.column[size_t(p.sum)] = epilogue.column[size_t(p.sum) + 1] = 1;
    const int dst = p.outer.ops.back().operand;
    for (int o = 0; o < int(plan.operands.size()); ++o) {
        if (!uses(p.outer, o)) continue;
        const auto f = flat_of(o);
        if (!f || !is_bytes(o)) return no_strides(*this, DotPart::epilogue, o);
        int64_t column = f->n.empty() ? 0 : f->n.back().stride;
        const bool stored = stores(p.outer, o);
        if (stored && p.columns == 1) column = 1;
        if (!set_column(epilogue, size_t(o), column) || (stored && column != 1))
            return no_strides(*this, DotPart::epilogue, o);
        outer.push_back(view(o, *f, f->m.empty() ? 0 : f->m.back().stride, column));
        DotView& v = outer.back();
        if (!is_strided(f->m)) v.rows = f->m;
        if (!is_strided(f->n)) v.columns = f->n;
        v.panel = is_strided(f->n) ? 16 * column : f->n[0].stride;
        if (o == dst) views.c = v;
    }
    const bool bare = !groups.length && p.outer.ops.size() == 2;
    views.direct = bare && p.outer.ops[0].code == OpCode::load && type_of(dst) == type;
    // Products of pairs make no denormals.
    epilogue.normal = bare && (kind == DotKind::amx_bf16 || kind == DotKind::amx_f16 || kind == DotKind::bf16);
    if (views.direct || can_build_map(epilogue)) return std::nullopt;
    return DotFault{DotPart::epilogue, "no kernel computes its epilogue"};
}

} // namespace tessera::cpu
