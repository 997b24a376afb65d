// SPDX-License-Identifier: Apache-2.0
#include "ops/gemm.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ops/products/space.hpp"

namespace tessera::ops {

namespace {

// a + b, saturated.
int saturating_add(Program& p, int a, int b) {
    const int sum = p.binary(OpCode::add, a, b), zero = p.constant(0, ValueType::s32);
    const int over = p.binary(OpCode::bit_and, p.binary(OpCode::bit_xor, a, sum), p.binary(OpCode::bit_xor, b, sum));
    const int limit = p.ternary(OpCode::select, p.binary(OpCode::lt, a, zero), p.constant(-0x1p31, ValueType::s32),
                                p.constant(0x1p31 - 1, ValueType::s32));
    return p.ternary(OpCode::select, p.binary(OpCode::lt, over, zero), limit, sum);
}

Result<void> check_leading(const char* parameter, int64_t leading, const char* matrix, int64_t rows, int64_t columns) {
    if (leading >= std::max<int64_t>(columns, 1)) return {};
    return invalid("{} is {}; {} is stored as {:row} of {:element}, so it must be at least {}", parameter, leading,
                   matrix, counted(rows), counted(columns), std::max<int64_t>(columns, 1));
}

} // namespace

Result<bool> is_transposed(const char* parameter, char letter) {
    if (letter == 'N' || letter == 'n') return false;
    if (letter == 'T' || letter == 't') return true;
    const bool printable = letter > ' ' && letter <= '~';
    return invalid("{} is {}; 'N' or 'n' (as stored) and 'T' or 't' (transposed) are possible", parameter,
                   printable ? fmt::format("'{}'", letter) : fmt::format("the character {}", int(letter)));
}

Result<void> check_gemm(const Gemm& g) {
    for (const auto& [name, extent] : {std::pair{"M", g.m}, {"N", g.n}, {"K", g.k}})
        if (extent < 0) return invalid("{} is {}; an extent is not negative", name, extent);
    if (auto ok = g.a_transposed ? check_leading("lda", g.lda, "A (transposed)", g.k, g.m)
                                 : check_leading("lda", g.lda, "A", g.m, g.k);
        !ok)
        return ok;
    if (auto ok = g.b_transposed ? check_leading("ldb", g.ldb, "B (transposed)", g.n, g.k)
                                 : check_leading("ldb", g.ldb, "B", g.k, g.n);
        !ok)
        return ok;
    if (auto ok = check_leading("ldc", g.ldc, "C", g.m, g.n); !ok) return ok;
    constexpr int64_t most = int64_t(1) << 40; // elements of a matrix: offsets in bytes stay far from 2^63
    for (const auto& [name, rows, leading] : {std::tuple{"A", g.a_transposed ? g.k : g.m, g.lda},
                                              {"B", g.b_transposed ? g.n : g.k, g.ldb},
                                              {"C", g.m, g.ldc}})
        if (rows > 0 && leading > most / rows)
            return invalid("{} has {} rows {} elements apart; up to 2^40 elements are possible", name, rows, leading);
    return {};
}

Plan plan_of_gemm(const Gemm& g) {
    Plan plan;
    plan.title = fmt::format("gemm {} {} -> {}, {}x{} sum {}", name(g.a), name(g.b), name(g.c), g.m, g.n, g.k);
    Space space{{g.m, g.n, g.k}, 1 << 2, {}};
    const auto add = [&](const char* operand, DataType type, int64_t along_m, int64_t along_n, int64_t along_k) {
        plan.operands.push_back({operand, type});
        space.layouts.push_back({0, {{{g.m, along_m}}, {{g.n, along_n}}, {{g.k, along_k}}}});
        return int(plan.operands.size()) - 1;
    };
    const int64_t a_m = g.a_transposed ? 1 : g.lda, a_k = g.a_transposed ? g.lda : 1;
    const int64_t b_k = g.b_transposed ? 1 : g.ldb, b_n = g.b_transposed ? g.ldb : 1;
    // In the order of GemmPointers.
    const int a = add("A", g.a, a_m, 0, a_k), b = add("B", g.b, 0, b_n, b_k), c = add("C", g.c, g.ldc, 1, 0);
    const int alpha = add("alpha", DataType::f32, 0, 0, 0), beta = add("beta", DataType::f32, 0, 0, 0);
    const int ao = add("ao", g.a, 0, 0, 0), bo = add("bo", g.b, 0, 0, 0);
    const int co = add("co", DataType::s32, g.c_offset == GemmOffset::row, g.c_offset == GemmOffset::column, 0);

    const ValueType type = g.c == DataType::s32 ? ValueType::s32 : ValueType::f32;
    Program p;
    const Factor x{a, g.a_offset ? ao : -1}, y{b, g.b_offset ? bo : -1};
    int v = p.total(type);
    if (g.scales) v = p.binary(OpCode::mul, v, p.load(alpha, type));
    if (g.adds) v = p.binary(OpCode::add, v, p.binary(OpCode::mul, p.load(c, type), p.load(beta, type)));
    if (g.c_offset != GemmOffset::none) v = saturating_add(p, v, p.load(co, type));
    p.store(c, v);
    plan.programs.push_back(std::move(p));
    add_product({type, x, y, std::move(space)}, 0, plan);
    return plan;
}

} // namespace tessera::ops
