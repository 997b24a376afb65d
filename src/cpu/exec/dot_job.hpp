// Products of matrices under the dot tile: C[b][m][n] = epilogue(sum over k of A[b][m][k] * B[b][k][n]).
//
// Everything that does not fit the kernel is brought into form block by block: A and B by plans of their own (packs),
// sums by the map tile (the epilogue), while a block is in the caches. What of B a unit reads is packed once.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cpu/exec/dot_choice.hpp"
#include "cpu/exec/dot_pattern.hpp"
#include "cpu/exec/job.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/tiles/map/contract.hpp"

namespace tessera::cpu {

// An operand over the flattened dimensions, in bytes; what has no stride along one of them is packed, or the step is no
// job.
struct DotView {
    int operand = -1;
    int64_t offset = 0;
    Modes batch;                 // elements
    int64_t size = 1;            // bytes of an element
    int64_t row = 0, column = 0; // of A: m and k; of B: k and n; of others m and n
    int64_t panel = 0;           // of B: between panels
};

// A block of A or B brought into form: rows of A as `a_row` says, panels of B.
struct DotPack {
    std::shared_ptr<const Executable> run; // pointers: of `views`, then where to
    std::vector<DotView> views;            // row: along m (of A) or n (of B), by which a block's place is found
    int64_t extent = 0, products = 1;      // rows or columns of the block; how many of them at once
};

class DotJob final : public Job {
public:
    static constexpr size_t variants = 4; // kernels: full blocks, fewer panels, fewer rows, both
    DotChoice choice;
    int64_t batches, rows, columns, depth;
    DotView a, b, c; // c: dst where the kernel stores to it, which `direct` says
    bool direct = false;
    std::array<std::shared_ptr<const jit::Kernel>, variants> kernel; // null where the shape has none of the blocks
    std::shared_ptr<const jit::Kernel> few;                          // dots or axpy
    std::array<DotTiles, variants> tiles;                            // AMX: the configuration of each kernel
    std::shared_ptr<const jit::Kernel> configure, release;
    std::vector<DotPack> pack_a, pack_b; // of full blocks, and of the last one if that is smaller
    int64_t packed_row = 0;              // bytes of a packed row of A
    bool together = false;               // A and B of all products of a unit are packed at once
    bool joint_epilogue = false;         // and the rows of all their sums are as one matrix to the epilogue
    std::shared_ptr<const jit::Kernel> epilogue;
    std::shared_ptr<const jit::Kernel> short_epilogue;     // of the width of a register block, or null
    std::shared_ptr<const jit::Kernel> streaming_epilogue; // the same past the caches, for dst in whole lines, or null
    std::vector<DotView> outer;                            // operands of the epilogue
    int sum = 0; // its operand of sums; behind it those of B's columns and of A's rows
    std::array<std::shared_ptr<const jit::Kernel>, 2> column_sums; // of all panels of a block, and of the last ones
    std::array<std::shared_ptr<const jit::Kernel>, 2> row_sums;    // of sum_rows rows, and of one
    static constexpr int64_t rows_of_sums = 8;

    void run(const Bases& bases, int64_t first, int64_t last) const override;
    std::string text() const override;
    std::vector<const jit::Kernel*> kernels() const override;
    void prepare(); // units and scratch, when all else is set

private:
    struct Unit {
        const Bases& bases;
        int64_t batch, row, rows, column, columns; // of C
        char *b, *a, *c, *column_sums, *row_sums;  // scratch
        int configured;                            // AMX: the kernel whose configuration the thread has, or -1
        int64_t block;                             // the first row of the block of rows
        int64_t products;                          // from `batch` on
    };

    void product(Unit& unit) const;
    void few_rows(const Unit& unit) const;
    void sum_columns(const Unit& unit, DotArgs args) const;
    void sum_rows(const Unit& unit, DotArgs args, int64_t count) const;
    void pack_rows(const Unit& unit, int64_t row, int64_t count) const;
    void pack_panels(const Unit& unit) const;
    int64_t padded() const { return padded_depth(depth, choice.spec.kind); }
    void blocks(Unit& unit, const DotArgs& first, int64_t row, int64_t rows, int64_t columns, bool last) const;
    void finish(const Unit& unit, int64_t row, int64_t rows, int64_t column, int64_t columns, const char* sums) const;
    void pack(const std::vector<DotPack>& packs, const Unit& unit, int64_t first, int64_t extent, char* to) const;

    int64_t c_row_ = 0; // bytes of a row of sums
    int64_t bytes_b_ = 0, bytes_a_ = 0, bytes_c_ = 0, bytes_columns_ = 0, bytes_rows_ = 0;
    int64_t row_units_ = 1, column_units_ = 1;
};

} // namespace tessera::cpu
