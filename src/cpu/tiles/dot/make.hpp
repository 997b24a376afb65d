// SPDX-License-Identifier: Apache-2.0
// What the parts that make a DotJob share: the step as matrices, the kernel that was chosen, the job under
// construction.
//
//   see.cpp      which operands can be read in place, runs of rows, the epilogue: before anything is chosen
//   ways.cpp     whether few rows or columns go a way of their own
//   make.cpp     kernels
//   packs.cpp    packing of A and B
//   groups.cpp   grouped quantization: weights that are decompressed
#pragma once

#include <algorithm>
#include <memory>
#include <optional>

#include "cpu/lanes/nibbles.hpp"
#include "cpu/tiles/dot/kernel/few_rows.hpp"
#include "cpu/tiles/dot/kernel/pairs.hpp"
#include "cpu/tiles/dot/run/run.hpp"

namespace tessera::cpu {

// An operand over the flattened dims of a product.
struct Flat {
    Modes batch, m, n, k;
};

// Columns in panels of 16, which are apart.
inline bool is_panels(const Modes& n) { return n.size() == 2 && n[1].extent == 16; }

struct DotContext {
    DotContext(const Plan& one, const Step& step, const Matrices& matrices, const jit::Target& on, const Machine& row)
        : plan(one), space(step.product->space), p(matrices), target(on), machine(row) {}

    const Plan& plan;
    const Space& space;
    Matrices p;
    const jit::Target& target;
    const Machine& machine;
    std::unique_ptr<DotJob> made = std::make_unique<DotJob>();
    DotJob& job = *made;
    DotKind kind = DotKind::f32;
    DataType a_type = DataType::f32, b_type = DataType::f32; // as packed
    bool needs_columns = false, needs_rows = false;          // sums of B's columns, of A's rows
    bool corrected = false;                                  // the former only for kernels that start from them
    bool shifts_b = false;                                   // B enters as B + 128, in blocks
    int zero = -1, scale = -1;                               // operands of groups
    std::optional<PairsSpec> pairs;                          // by which B is packed
    DotShape shape{};
    Modes a_k, b_k; // k of the factors where they can be read in place, in elements from k to k
    MapSpec epilogue;
    bool few = false; // rows, under dots or axpy
    bool turned = false;
    bool tall = false;     // few columns, under dots
    bool few_dots = false; // few, and B dense in k
    DotView few_a, few_b;
    DotView b_rows; // which kernels can interleave

    DotKind vector_kind() const { return target.vnni && b_type == DataType::s8 ? DotKind::u8s8 : DotKind::s8_exact; }
    // Instructions for pairs and for fours pay where products are the limit, from 5 rows on. One or two rows that
    // prefetch B are limited by memory: with fours they run at 0.73 to 0.95 of the speed of plain words.
    FewRowsSpec few_spec(int64_t rows) const {
        FewRowsSpec spec{int(rows), type_of(p.left.operand), type_of(p.right.operand), p.type};
        const bool many = p.rows > 4;
        spec.pairs = many && few_dots && kind == DotKind::bf16;
        spec.shifts_b = many && few_dots && kind == DotKind::u8s8 && spec.a == spec.b;
        spec.prefetches = job.choice.spec.b_ahead > 0;
        spec.fours = !few_dots && takes_fours() && (rows > 2 || !spec.prefetches);
        spec.a_dense = spec.fours && few_a.column == 1;
        return spec;
    }
    bool takes_fours() const {
        return p.type == ValueType::s32 && target.vnni && target.masks && is_byte(type_of(p.left.operand)) &&
               is_byte(type_of(p.right.operand));
    }
    FewRowsSpec tall_spec() const {
        return {int(p.columns), type_of(p.right.operand), type_of(p.left.operand), p.type};
    }

    DataType type_of(int operand) const { return plan.operands[size_t(operand)].type; }
    bool is_bare(const MatrixFactor& side, DataType type) const { // as it lies, without a zero point
        return side.operand >= 0 && side.zero < 0 && type_of(side.operand) == type;
    }
    bool is_bytes(int operand) const { return !is_sub_byte(plan.operands[size_t(operand)].type); }

    std::optional<Flat> seen(int operand) const {
        const Layout& layout = space.layouts[size_t(operand)];
        auto b = flat(layout, space.dims, p.b), m = flat(layout, space.dims, p.m);
        auto n = flat(layout, space.dims, p.n), k = flat(layout, space.dims, p.k);
        if (!b || !m || !n || !k) return std::nullopt;
        return Flat{*b, *m, *n, *k};
    }
    DotView view(int operand, const Flat& f, int64_t row, int64_t column) const {
        return {operand, bits(type_of(operand)), space.layouts[size_t(operand)].offset, f.batch, row, column, 0};
    }
    // All operands of a factor.
    template <typename Is> bool all_are(const MatrixFactor& side, const Is& is) const {
        return std::all_of(side.program.ops.begin(), side.program.ops.end(), [&](const Op& op) {
            if (op.code != OpCode::load) return true;
            const auto f = seen(op.operand);
            return f && is(*f);
        });
    }
    // A value of 8 bits times a power of two is exact in bf16.
    bool is_exact_bf16(const MatrixFactor& side) const {
        const DataType type = type_of(side.factor.operand);
        const bool scaled = side.factor.scale >= 0 && type_of(side.factor.scale) != DataType::e8m0;
        return !scaled && side.factor.zero < 0 && bits(type) <= 8;
    }
    // Elements of 4 bits in lines that begin at whole bytes.
    bool is_lines_of_nibbles(const Flat& f, int operand) const {
        if (is_bytes(operand) || space.layouts[size_t(operand)].offset % 2) return false;
        for (const Modes* modes : {&f.batch, &f.m, &f.n, &f.k})
            if (!is_strided(*modes)) return false;
        const int64_t across = stride_of(f.m) ? stride_of(f.m) : stride_of(f.n), k = stride_of(f.k);
        return stride_of(f.batch) % 2 == 0 && ((across == 1 && k % 2 == 0) || (k == 1 && across % 2 == 0));
    }
    std::shared_ptr<const jit::Kernel> kernel(const DotSpec& spec) const {
        if (!can_build_dot(target, spec)) return nullptr;
        return jit::kernel(target, key(spec), [=, t = target] { return build_dot(t, spec); });
    }
};

// What the tile cannot do: whose part it is, which may become a step of its own, and why.
enum class DotPart : uint8_t { none, left, right, epilogue };
struct DotFault {
    DotPart part;
    std::string why;
};

// Fills the context: kind, types, shape, the job's views. No result where all is seen.
std::optional<DotFault> see_product(DotContext& context);

void see_ways(DotContext& context); // turned, few, tall

// True where nothing has to be done.
bool can_pack(const DotContext& context, const MatrixFactor& side, bool rows);
bool pack_rows(DotContext& context);
bool pack_panels(DotContext& context);
bool make_pairs(DotContext& context);  // the kernel, and what it leaves to do
bool pack_turned(DotContext& context); // A as panels, and the sums' way back
void join_products(DotContext& context);

bool see_pairs(DotContext& context);
void see_groups(DotContext& context);
void fit_depth(DotContext& context);
bool make_groups(DotContext& context);

} // namespace tessera::cpu
