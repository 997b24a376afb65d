// SPDX-License-Identifier: Apache-2.0
// What is seen of a product step before anything is chosen or made: the kind of kernel, which factors kernels can read
// in place, runs of rows, corrections of sums, the epilogue's operands, and whose tile it is. A few microseconds;
// ask_dot() and the table of tiles see the same.
//
//   see.cpp         the order of what follows; the shape that choices are made from
//   kind.cpp        the kind of kernel
//   factors.cpp     A and B where they lie, by which loops over k
//   epilogue.cpp    corrections of sums of integers, the epilogue's operands
//   groups.cpp      grouped quantization, weights that are computed as bf16
//   ways.cpp        whether few rows or columns go a way of their own
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "cpu/products/choose/choose.hpp"
#include "cpu/products/pack/pairs_kernel.hpp"
#include "cpu/products/run/job.hpp"
#include "cpu/tiles/few/contract.hpp"
#include "cpu/tiles/map/contract.hpp"

namespace tessera::cpu {

// dots and axpy: of few rows. tall: dots of few columns, with the factors swapped. turned: AMX, rows of tiles are B's
// columns as they lie, and their sums are transposed.
enum class ProductWay : uint8_t { blocks, dots, axpy, tall, turned };
enum class ProductTile : uint8_t { dot, amx, few }; // the folder in cpu/tiles

// What the tiles cannot do: whose part it is, which may become a step of its own, and why.
enum class DotPart : uint8_t { none, left, right, epilogue };
struct DotFault {
    DotPart part;
    std::string why;
};

struct Seen {
    Seen(const Plan& one, const Step& step, const Matrices& matrices, const jit::Target& on, const Context& row)
        : plan(one), space(step.product->space), p(matrices), target(on), context(row) {}

    const Plan& plan;
    const Space& space;
    Matrices p;
    const jit::Target& target;
    const Context& context;

    DotKind kind = DotKind::f32;
    DataType a_type = DataType::f32, b_type = DataType::f32; // as packed
    ProductViews views;                                      // A, B and dst where kernels can take them in place
    Modes a_k, b_k;                                          // their k, in elements from k to k
    DotView b_rows;                                          // B where kernels can interleave it
    DotView few_a, few_b;                                    // for the other ways
    ProductWay way = ProductWay::blocks;
    Corrections sums;
    DotGroups groups;
    int zero = -1, scale = -1; // operands of groups
    DotPairs pairs;
    std::optional<PairsSpec> pairs_spec; // by which B is packed
    MapSpec epilogue;
    std::vector<DotView> outer; // its operands
    DotShape shape{};
    std::vector<KernelPtr> made; // kernels of the job

    // Fills all that. No result where it is seen.
    std::optional<DotFault> see();

    ProductTile tile() const {
        if (is_amx(kind) && (way == ProductWay::blocks || way == ProductWay::turned)) return ProductTile::amx;
        return way == ProductWay::blocks ? ProductTile::dot : ProductTile::few;
    }
    bool is_few() const { return way == ProductWay::dots || way == ProductWay::axpy; }
    DataType sum_type() const { return views.integers ? DataType::s32 : DataType::f32; }
    DotKind vector_kind() const { return target.vnni && b_type == DataType::s8 ? DotKind::u8s8 : DotKind::s8_exact; }

    DataType type_of(int operand) const { return plan.operands[size_t(operand)].type; }
    bool is_bare(const MatrixFactor& side, DataType type) const { // as it lies, without a zero point
        return side.operand >= 0 && side.zero < 0 && type_of(side.operand) == type;
    }
    KernelPtr keep(KernelPtr kernel) { // for the job; null: none could be made
        if (kernel && std::ranges::find(made, kernel) == made.end()) made.push_back(kernel);
        return kernel;
    }
    bool is_bytes(int operand) const { return !is_sub_byte(plan.operands[size_t(operand)].type); }

    std::optional<Flat> flat_of(int operand) const;
    DotView view(int operand, const Flat& f, int64_t row, int64_t column) const {
        return {operand, bits(type_of(operand)), space.layouts[size_t(operand)].offset, f.batch, row, column, 0};
    }
    // All operands of a factor.
    template <typename Is> bool all_are(const MatrixFactor& side, const Is& is) const {
        return std::ranges::all_of(side.program.ops, [&](const Op& op) {
            if (op.code != OpCode::load) return true;
            const auto f = flat_of(op.operand);
            return f && is(*f);
        });
    }
    // A value of 8 bits times a power of two is exact in bf16.
    bool is_exact_bf16(const MatrixFactor& side) const {
        const DataType type = type_of(side.factor.operand);
        const bool scaled = side.factor.scale >= 0 && type_of(side.factor.scale) != DataType::e8m0;
        return !scaled && side.factor.zero < 0 && bits(type) <= 8;
    }
    bool is_lines_of_nibbles(const Flat& f, int operand) const; // of 4 bits, that begin at whole bytes

private:
    bool see_pairs();
    void see_groups();
    std::optional<DotFault> see_kind();
    std::optional<DotFault> see_runs();
    void see_way();
    void correct_sums();
    std::optional<DotFault> see_epilogue();
    std::optional<DotFault> see_factors();
    void see_shape();
};

// Whether a factor can be packed: `rows` of A, or panels of B.
bool can_pack(const Seen& seen, const MatrixFactor& side, bool rows);

DotFault never(std::string why);
DotFault no_strides(const Seen& seen, DotPart part, int operand);

KernelPtr kernel_of(Seen& seen, const DotSpec& spec); // null where none can be built
KernelPtr kernel_of(Seen& seen, const FewRowsSpec& spec, bool dots);

// Where sums do not go to dst: the pass that finishes them, if it `runs`, or what kernels finish them with. False where
// its kernel cannot be made.
bool make_pass(Seen& seen, ProductJob& job, bool runs = true);
// The kernels of sums of A's rows of type `a`, dense along k or not; of groups, these included. False where one cannot
// be built.
bool make_row_sums(Seen& seen, ProductJob& job, DataType a, bool a_dense, int loops = 1);
bool make_groups(Seen& seen, ProductJob& job, DataType a, bool a_dense);
// The job with its units, scratch memory and kernels, when all else is set.
std::unique_ptr<Job> finished(Seen& seen, std::unique_ptr<ProductJob> job);

FewRowsSpec few_rows_spec(const Seen& seen, int64_t rows, bool dots, bool prefetches);
FewRowsSpec tall_spec(const Seen& seen);

bool allows_pairs(const Seen& seen); // whether B may be computed as bf16
// Whether the last step of k is whole: with zeros, as memories are padded.
bool is_padded(const Seen& seen, int operand, int64_t step);
// Elements between panels of 16 columns in steps of `step`, if B lies so; else 0.
int64_t panels_of(const Seen& seen, const Flat& f, int64_t step);

// Jobs by tile. Null where a kernel or a pack could not be made. What was seen is moved to the job.
std::unique_ptr<Job> make_dot_job(Seen& seen);
std::unique_ptr<Job> make_amx_job(Seen& seen);
std::unique_ptr<Job> make_few_job(Seen& seen);

} // namespace tessera::cpu
