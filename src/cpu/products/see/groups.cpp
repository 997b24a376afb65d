// SPDX-License-Identifier: Apache-2.0
// Weights with zero points and scales: grouped quantization, and weights that are computed as bf16.
#include <algorithm>

#include "cpu/jit/codec.hpp"
#include "cpu/lanes/nibbles.hpp"
#include "cpu/products/see/seen.hpp"

namespace tessera::cpu {

namespace {

// Zero points and scales of weights where they change along k by groups, if at all; those of one whole in those of the
// other.
std::optional<DotGroups> grouped(const Seen& x) {
    DotGroups groups;
    groups.length = x.p.depth;
    for (const int operand : {x.p.right.factor.zero, x.p.right.factor.scale}) {
        if (operand < 0) continue;
        const auto f = x.flat_of(operand);
        if (!f || !is_strided(f->m) || stride_of(f->m) != 0 || !is_strided(f->n) || stride_of(f->n) > 1)
            return std::nullopt;
        const Modes& k = f->k;
        if (!jit::Codec::supports(unpacked_type(x.type_of(operand)), ValueType::f32)) return std::nullopt;
        if (!k.empty() && k.back().stride != 0) return std::nullopt;
        const int64_t length = k.size() > 1 ? k.back().extent : x.p.depth;
        if (groups.length % length && length % groups.length) return std::nullopt;
        groups.length = std::min(groups.length, length);
        groups.places.push_back({x.view(operand, *f, 0, stride_of(f->n)), f->n, k, x.type_of(operand)});
    }
    return groups;
}

// Zero points of integers: what is subtracted from a group's sum is zero * (sum of A's elements, less those of its own
// zero point), so that one has to be the same for all rows.
bool see_zero_of_a(const Seen& x, DotGroups& groups) {
    constexpr int64_t quad = 4; // of the kernels that sum bytes
    if (x.p.left.operand < 0 || groups.length % quad) return false;
    const int zero = x.p.left.zero;
    if (zero < 0) return true;
    const auto f = x.flat_of(zero);
    if (!f || !is_strided(f->m) || stride_of(f->m) != 0 || !x.is_bytes(zero)) return false;
    groups.places.push_back({x.view(zero, *f, 0, 0), {}, {}, DataType::undef});
    return true;
}

} // namespace

// Weights as bf16 that have to be computed. The mode may let what is computed of f32 and of integers be rounded; other
// types have to be exact.
bool Seen::see_pairs() {
    constexpr int64_t panel = 16, step = 32; // whole steps of tiles, and rows of the kernel
    const MatrixFactor& side = p.right;
    const auto f = flat_of(side.factor.operand);
    if (!f || p.k.size() != 1 || !is_strided(f->n) || !is_strided(f->k)) return false;
    const bool k_dense = stride_of(f->k) == 1;
    if (!k_dense && stride_of(f->n) != 1) return false;
    // Few rows read it as it lies.
    const int64_t most_few_rows = k_dense ? 2 : 4;
    if (p.rows <= most_few_rows) return false;
    const auto shared = grouped(*this);
    if (!shared || p.depth % step || shared->length % step) return false;
    const bool whole = k_dense || p.columns % panel == 0; // what has 4 bits is not masked
    if (!is_bytes(side.factor.operand) && !(whole && is_lines_of_nibbles(*f, side.factor.operand))) return false;
    PairsSpec spec{type_of(side.factor.operand), {}, {}, k_dense};
    DotPairs made;
    made.group = shared->length, made.b = view(side.factor.operand, *f, stride_of(f->k), stride_of(f->n));
    for (const DotPlace& place : shared->places) {
        const int operand = place.view.operand;
        const bool is_zero = operand == side.factor.zero;
        (is_zero ? spec.zero : spec.scale) =
            PairsSpec::Quantum{unpacked_type(type_of(operand)), place.view.column == 0};
        (is_zero ? made.zero : made.scale) = place;
    }
    const bool rounds = allows(space.fpmath, FpmathMode::bf16) && (spec.b == DataType::f32 || is_integer(spec.b));
    if (!rounds && !is_exact_bf16(side)) return false;
    if (!can_build_pairs(target, spec)) return false;
    pairs = std::move(made), pairs_spec = spec;
    return true;
}

// Decompressed weights: their elements as they are stored become the factor, and zero points and scales that are shared
// by groups along k are applied per group (DotGroups).
void Seen::see_groups() {
    if (p.right.operand >= 0 || p.k.size() != 1) return;
    const int zero_of_b = p.right.factor.zero, scale_of_b = p.right.factor.scale;
    if (views.integers && scale_of_b >= 0) return;
    // Sums of A's rows take so many registers of AVX2 that for many rows weights of 8 bits are decompressed by a step
    // of their own.
    constexpr int64_t rows_of_avx2 = 32;
    const bool many = target.vectors < 32 && p.rows > rows_of_avx2;
    if (zero_of_b >= 0 && many && !views.integers && is_bytes(p.right.factor.operand)) return;
    auto shared = grouped(*this);
    if (!shared || (views.integers && !see_zero_of_a(*this, *shared))) return;
    zero = zero_of_b, scale = scale_of_b;
    groups = std::move(*shared);
    p.right.operand = p.right.factor.operand;
    p.right.program = {};
    p.right.program.store(p.sum, p.right.program.load(p.right.operand, p.type));
}

} // namespace tessera::cpu
