// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/division.hpp"
#include "cpu/jit/codec.hpp"
#include "cpu/tiles/dot/make.hpp"
#include "cpu/tiles/map/make.hpp"

namespace tessera::cpu {

namespace {

// Zero points and scales of weights where they change along k by groups, if at all; those of one whole in those of the
// other.
std::optional<DotGroups> grouped(const DotContext& x) {
    DotGroups groups;
    groups.length = x.p.depth;
    for (const int operand : {x.p.right.factor.zero, x.p.right.factor.scale}) {
        if (operand < 0) continue;
        const auto f = x.seen(operand);
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

} // namespace

// Weights as bf16 that have to be computed: converted, decompressed, or both. The mode may let what is computed of f32
// and of integers be rounded; other types have to be exact.
bool see_pairs(DotContext& x) {
    constexpr int64_t panel = 16, step = 32; // whole steps of tiles, and rows of the kernel
    const MatrixFactor& side = x.p.right;
    const auto f = x.seen(side.factor.operand);
    if (!f || x.p.k.size() != 1 || !is_strided(f->n) || !is_strided(f->k)) return false;
    const bool k_dense = stride_of(f->k) == 1;
    if (!k_dense && stride_of(f->n) != 1) return false;
    // Few rows read it as it lies.
    const int64_t most_few_rows = k_dense ? 2 : 4;
    if (x.p.rows <= most_few_rows) return false;
    const auto groups = grouped(x);
    if (!groups || x.p.depth % step || groups->length % step) return false;
    const bool whole = k_dense || x.p.columns % panel == 0; // what has 4 bits is not masked
    if (!x.is_bytes(side.factor.operand) && !(whole && x.is_lines_of_nibbles(*f, side.factor.operand))) return false;
    PairsSpec spec{x.type_of(side.factor.operand), {}, {}, k_dense};
    DotPairs pairs{
        groups->length, x.view(side.factor.operand, *f, stride_of(f->k), stride_of(f->n)), {}, {}, nullptr, 0, {}};
    for (const DotPlace& place : groups->places) {
        const int operand = place.view.operand;
        const bool is_zero = operand == side.factor.zero;
        (is_zero ? spec.zero : spec.scale) =
            PairsSpec::Quantum{unpacked_type(x.type_of(operand)), place.view.column == 0};
        (is_zero ? pairs.zero : pairs.scale) = place;
    }
    const bool rounds = x.space.bf16_factors && (spec.b == DataType::f32 || is_integer(spec.b));
    if (!rounds && !x.is_exact_bf16(side)) return false;
    if (!can_build_pairs(x.target, spec)) return false;
    x.job.pairs = std::move(pairs), x.pairs = spec;
    return true;
}

namespace {

// Zero points of integers: what is subtracted from a group's sum is zero * (sum of A's elements, less those of its own
// zero point), so that one has to be the same for all rows.
bool see_zero_of_a(DotContext& x, DotGroups& groups) {
    constexpr int64_t quad = 4; // of the kernels that sum bytes
    if (x.p.left.operand < 0 || groups.length % quad) return false;
    const int zero = x.p.left.zero;
    if (zero < 0) return true;
    const auto f = x.seen(zero);
    if (!f || !is_strided(f->m) || stride_of(f->m) != 0 || !x.is_bytes(zero)) return false;
    groups.places.push_back({x.view(zero, *f, 0, 0), {}, {}, DataType::undef});
    return true;
}

} // namespace

// Decompressed weights: their elements as they are stored become the factor, and zero points and scales that are shared
// by groups along k are applied per group (DotGroups).
void see_groups(DotContext& x) {
    if (x.p.right.operand >= 0 || x.p.k.size() != 1) return;
    const int zero = x.p.right.factor.zero, scale = x.p.right.factor.scale;
    const bool integers = x.p.type == ValueType::s32;
    if (integers && scale >= 0) return;
    // Sums of A's rows take so many registers of AVX2 that for many rows weights of 8 bits are decompressed by a step
    // of their own.
    constexpr int64_t rows_of_avx2 = 32;
    const bool many = x.target.vectors < 32 && x.p.rows > rows_of_avx2;
    if (zero >= 0 && many && !integers && x.is_bytes(x.p.right.factor.operand)) return;
    auto groups = grouped(x);
    if (!groups || (integers && !see_zero_of_a(x, *groups))) return;
    x.zero = zero, x.scale = scale;
    x.job.groups = std::move(*groups);
    x.p.right.operand = x.p.right.factor.operand;
    x.p.right.program = {};
    x.p.right.program.store(x.p.sum, x.p.right.program.load(x.p.right.operand, x.p.type));
}

// The largest part of k, in whole steps of the kernel, that divides a group.
void fit_depth(DotContext& x) {
    DotChoice& c = x.job.choice;
    const int64_t group = x.job.groups.length, step = step_of(x.kind);
    int64_t parts = ceil_div(group, c.depth);
    while (group < x.p.depth && (group % parts || group / parts % step)) ++parts;
    c.depth = group < x.p.depth ? group / parts : c.depth;
    c.unit_batches = 1, c.streams = false, c.chunk = 0;
}

bool make_groups(DotContext& x) {
    DotGroups& groups = x.job.groups;
    if (!groups.length) return true;
    const ValueType type = x.p.type;
    const DataType sums = type == ValueType::f32 ? DataType::f32 : DataType::s32;
    for (const bool first : {true, false}) {
        MapSpec spec = map_spec({}, x.plan.operands, {sums, sums, sums, sums});
        if (spec.types.size() > map_operands) return false;
        Program& p = spec.program;
        const auto load = [&](int operand) { return p.load(operand, type); };
        int v = load(x.p.sum);
        if (x.zero >= 0) {
            int of_a = load(x.p.sum + 2);
            if (type == ValueType::s32 && x.p.left.zero >= 0)
                of_a = p.binary(OpCode::sub, of_a,
                                p.binary(OpCode::mul, load(x.p.left.zero), p.constant(double(groups.length), type)));
            v = p.binary(OpCode::sub, v, p.binary(OpCode::mul, of_a, load(x.zero)));
        }
        if (x.scale >= 0) v = p.binary(OpCode::mul, v, load(x.scale));
        // Sums begin with 0, so -0 is none.
        v = p.binary(OpCode::add, first ? p.constant(0, type) : load(x.p.sum + 3), v);
        p.store(x.p.sum + 3, v);
        spec.column[size_t(x.p.sum)] = spec.column[size_t(x.p.sum) + 3] = 1;
        for (const DotPlace& place : groups.places)
            spec.types[size_t(place.view.operand)] = unpacked_type(x.type_of(place.view.operand));
        for (const DotPlace& place : groups.places) spec.column[size_t(place.view.operand)] = place.view.column;
        auto& made = first ? groups.first : groups.more;
        if (!(made = map_kernel(x.target, spec))) return false;
    }
    for (size_t i = 0; x.zero >= 0 && i < 2; ++i) {
        const DataType a = x.job.few ? x.type_of(x.p.left.operand) : x.job.choice.spec.a;
        DotSpec ones{DotKind::f32, i ? 1 : int(x.job.rows_of_sums), 1, a, DataType::f32};
        if (type == ValueType::s32) ones.kind = DotKind::s8_exact, ones.b = DataType::s8;
        ones.a_dense = x.job.choice.a == DotSource::packed || x.job.a.column == 1;
        if (!(groups.sums_of_a[i] = x.kernel(ones))) return false;
    }
    return true;
}

} // namespace tessera::cpu
