// SPDX-License-Identifier: Apache-2.0
#include "cpu/products/see/seen.hpp"

#include <fmt/format.h>

namespace tessera::cpu {

DotFault never(std::string why) { return {DotPart::none, std::move(why)}; }

DotFault no_strides(const Seen& seen, DotPart part, int operand) {
    const Operand& o = seen.plan.operands[size_t(operand)];
    return {part, fmt::format("no kernel takes {} ({}) in its layout", o.name, name(o.type))};
}

std::optional<Flat> Seen::flat_of(int operand) const {
    const Layout& layout = space.layouts[size_t(operand)];
    auto b = flat(layout, space.dims, p.b), m = flat(layout, space.dims, p.m);
    auto n = flat(layout, space.dims, p.n), k = flat(layout, space.dims, p.k);
    if (!b || !m || !n || !k) return std::nullopt;
    return Flat{*b, *m, *n, *k};
}

bool Seen::is_lines_of_nibbles(const Flat& f, int operand) const {
    if (is_bytes(operand) || space.layouts[size_t(operand)].offset % 2) return false;
    for (const Modes* modes : {&f.batch, &f.m, &f.n, &f.k})
        if (!is_strided(*modes)) return false;
    const int64_t across = stride_of(f.m) ? stride_of(f.m) : stride_of(f.n), along = stride_of(f.k);
    return stride_of(f.batch) % 2 == 0 && ((across == 1 && along % 2 == 0) || (along == 1 && across % 2 == 0));
}

std::optional<DotFault> Seen::see() {
    views.batches = p.batches, views.rows = p.rows, views.columns = p.columns, views.depth = p.depth;
    views.integers = p.type == ValueType::s32;
    if (!allows_pairs(*this) || !see_pairs()) see_groups();
    groups.sum = p.sum;
    if (auto fault = see_kind()) return fault;
    if (auto fault = see_runs()) return fault;
    see_way();
    if (views.integers) correct_sums();
    if (auto fault = see_epilogue()) return fault;
    if (auto fault = see_factors()) return fault;
    see_shape();
    return std::nullopt;
}

// What choices are made from, beside the factors.
void Seen::see_shape() {
    DotShape& s = shape;
    // Packed as what the kernel multiplies, unless sums of A's rows are wanted.
    const bool sums_of_rows = sums.rows || groups.length;
    if (kind == DotKind::u8s8 && a_type == DataType::s8 && !sums.shifts_b && !sums_of_rows) s.a_packed = DataType::u8;
    s.a_words = kind == DotKind::s8_exact && !sums_of_rows;
    const auto b = flat_of(p.right.factor.operand);
    s.b_dense = b && is_strided(b->n) && stride_of(b->n) == 1;
    s.b_computed = pairs_spec.has_value();
    s.sums = sums;
    s.c_bits = views.c.bits;
    s.c_bytes = p.batches * p.rows * p.columns * s.c_bits / 8;
    if (views.run_of_rows == p.rows && !views.panels_apart) s.c_pitch = views.c.bytes(views.c.row);
    s.c_lines = s.c_pitch && s.c_pitch % 64 == 0 && 32 * s.c_bits % 512 == 0;
}

} // namespace tessera::cpu
