// SPDX-License-Identifier: Apache-2.0
// The kind of kernel, and the types of what it reads where that has to be packed.
#include <utility>

#include <fmt/format.h>

#include "cpu/products/see/seen.hpp"

namespace tessera::cpu {

namespace {

class KindOf {
public:
    explicit KindOf(const Seen& seen) : x(seen), p(seen.p) {}

    // The kind of f32, bf16 and f16, and the type of both factors.
    std::pair<DotKind, DataType> floats() const {
        // The length of a group is a multiple of the kernel's step of k; values of 8 bits are exact in bf16.
        const bool decompressed = x.groups.length && bits(x.type_of(p.right.operand)) <= 8;
        const bool bf16 = x.pairs_spec || (x.groups.length % step_of(DotKind::amx_bf16) == 0 && fits_bf16(p.left) &&
                                           (fits_bf16(p.right) || decompressed));
        if (const auto found = bf16 ? bf16_kind() : std::nullopt) return {*found, DataType::bf16};
        if (fits_f16(decompressed)) return {DotKind::amx_f16, DataType::f16};
        if (fits_fma()) return {DotKind::bf16_fma, DataType::bf16};
        return {DotKind::f32, DataType::f32};
    }
    // Whether tiles multiply bytes. The length of a group is a multiple of the kernel's step of k.
    bool tiles_of_bytes() const {
        return x.groups.length % step_of(DotKind::amx_int8) == 0 && worth_tiles() && !rows_of_vectors();
    }
    // Tiles or vectors multiply bf16, and B is none yet.
    bool allows_pairs() const {
        return p.type == ValueType::f32 && fits_bf16(p.left) && !x.is_bare(p.right, DataType::bf16) && bf16_kind();
    }

private:
    bool fits_bf16(const MatrixFactor& side) const {
        const bool rounds = allows(x.space.fpmath, FpmathMode::bf16) && std::min(p.rows, p.columns) >= 16;
        return x.is_bare(side, DataType::bf16) || (rounds && x.is_bare(side, DataType::f32)) || x.is_exact_bf16(side);
    }
    // AMX-FP16: products of f16 are exact in f32, denormals too. Fewer rows are done before panels of f16, which
    // vectors read in place, were packed as pairs (by count of instructions: no such machine was measured).
    bool fits_f16(bool decompressed) const {
        constexpr int64_t least_rows = 9;
        const auto fits = [&](const MatrixFactor& side) {
            return x.is_bare(side, DataType::f16) || (side.factor.scale < 0 && x.is_exact_bf16(side));
        };
        if (!x.target.amx_f16 || !worth_tiles() || p.rows < least_rows) return false;
        if (!x.is_bare(p.left, DataType::f16) && !x.is_bare(p.right, DataType::f16)) return false;
        return x.groups.length % step_of(DotKind::amx_f16) == 0 && fits(p.left) && (fits(p.right) || decompressed);
    }
    // The kernel that multiplies pairs of bf16, where one does so faster than f32.
    std::optional<DotKind> bf16_kind() const {
        if (worth_tiles()) return DotKind::amx_bf16;
        if (x.target.bf16 && x.context.fast_bf16_products) return DotKind::bf16;
        return std::nullopt;
    }
    // So few rows of bytes take longer on tiles, for which B has to be packed.
    bool rows_of_vectors() const {
        const auto f = x.flat_of(p.right.operand);
        return p.rows <= 4 && f && is_strided(f->n) && is_strided(f->k) && stride_of(f->n) == 1 && p.columns > 1;
    }
    // Few rows read panels of pairs of bf16 as they are, where no instruction multiplies pairs: widening all of B to
    // f32 takes longer.
    bool fits_fma() const {
        constexpr int64_t most_rows = 64;
        if (p.rows > most_rows || x.groups.length || !x.is_bare(p.left, DataType::bf16) ||
            !x.is_bare(p.right, DataType::bf16))
            return false;
        const auto f = x.flat_of(p.right.operand);
        return f && is_padded(x, p.right.operand, 2) && panels_of(x, *f, 2) > 0;
    }
    // Below that a configuration costs more than tiles win.
    bool worth_tiles() const {
        constexpr int64_t one_tile = 16 * 16 * 64; // products of bytes
        return x.target.amx && p.batches * p.rows * p.columns * p.depth >= one_tile && p.depth >= 16;
    }

    const Seen& x;
    const Matrices& p;
};

std::string_view name_of(const Seen& x, const MatrixFactor& side) {
    return x.plan.operands[size_t(side.factor.operand)].name;
}

} // namespace

bool allows_pairs(const Seen& seen) { return KindOf(seen).allows_pairs(); }

std::optional<DotFault> Seen::see_kind() {
    const KindOf of(*this);
    if (p.type == ValueType::f32) {
        const auto [found, type] = of.floats();
        kind = found, a_type = b_type = type;
        return std::nullopt;
    }
    for (auto [side, type] : {std::pair{&p.left, &a_type}, std::pair{&p.right, &b_type}}) {
        if (side->operand < 0)
            return never(
                fmt::format("{} of integers has a scale, or a zero point that varies along k", name_of(*this, *side)));
        const DataType stored = type_of(side->operand);
        if (!is_integer(stored) || bits(stored) > 8)
            return never(
                fmt::format("{} is {}, and kernels of integers multiply 8 bits", name_of(*this, *side), name(stored)));
        *type = bits(stored) == 8 && !has_sign(stored) ? DataType::u8 : DataType::s8;
    }
    kind = of.tiles_of_bytes() ? DotKind::amx_int8 : vector_kind();
    return std::nullopt;
}

} // namespace tessera::cpu
