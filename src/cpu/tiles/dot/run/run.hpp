// SPDX-License-Identifier: Apache-2.0
// Products of matrices under the dot tile: C[b][m][n] = epilogue(sum over k of A[b][m][k] * B[b][k][n]).
//
// What the kernel cannot read in place is packed block by block, A and B by plans of their own (packs), and the
// epilogue runs on the sums under the map tile while a block is in the caches. What a unit reads of B is packed once.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/division.hpp"
#include "core/plan/steps/matrices.hpp"
#include "cpu/executor/job.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/tiles/dot/choose/choose.hpp"
#include "cpu/tiles/dot/loops.hpp"
#include "cpu/tiles/map/contract.hpp"

namespace tessera::cpu {

// An operand over the flattened dimensions, in elements. A factor without a single stride along one of them is packed;
// without one in any other operand the step is no job.
struct DotView {
    int operand = -1;
    int bits = 8; // of an element
    int64_t offset = 0;
    Modes batch;
    int64_t row = 0, column = 0;   // of A: m and k; of B: k and n; of others m and n
    int64_t panel = 0;             // of B and of the epilogue's: between panels
    Modes rows = {}, columns = {}; // where several strides describe them: row and column are the innermost then

    int64_t bytes(int64_t elements) const { return elements * bits / 8; } // of 4 bits: of an even number
    int64_t down(int64_t i) const { return rows.size() > 1 ? offset_in(rows, i) : i * row; }
    char* at(const Bases& bases, int64_t batch_index, int64_t i, int64_t j) const {
        const int64_t right = columns.size() > 1 ? offset_in(columns, j) : j * column;
        return bases[size_t(operand)] + bytes(offset + offset_in(batch, batch_index) + down(i) + right);
    }
};

struct DotPlace {
    DotView view;
    Modes along, k;                           // along: n, of packs of A m, in blocks of 16 or none
    DataType unpacked_from = DataType::undef; // of 4 bits: of zero points of groups

    int64_t element(int64_t batch, int64_t i, int64_t at_k) const {
        return view.offset + offset_in(view.batch, batch) + offset_in(along, i) + offset_in(k, at_k);
    }
};

// A packed block of A or B: rows of A as `a_row` says, panels of B.
struct DotPack {
    std::shared_ptr<const Executable> run; // pointers: of `places`, then where to
    std::vector<DotPlace> places;
    int64_t extent = 0, products = 1; // rows or columns of the block; how many of them at once
    int64_t depth = 0, part = 0;      // of k; of B, of which part of it
    // 4-bit elements are unpacked to bytes first, in lines along k or across it; -1: none.
    int nibbles = -1; // place
    DataType unpacked_from = DataType::undef;
    bool along_k = false;

    int64_t lines() const { return along_k ? extent : depth; }
    int64_t line_bytes() const { return round_up(along_k ? depth : extent, 16); }
};

// Grouped quantization of B: scales and zero points that change along k. The sum over groups of k of scale * (sum of a
// * b - zero * sum of a): kernels run over a group at a time, and a map adds up the results.
struct DotGroups {
    int64_t length = 0;                                          // of a group; 0: none
    std::vector<DotPlace> places;                                // scales, zero points
    std::shared_ptr<const jit::Kernel> first, more;              // sums of a group to those of all, replacing or adding
    std::array<std::shared_ptr<const jit::Kernel>, 2> sums_of_a; // f32 like DotJob::row_sums, or null
};

// B that is packed by a kernel of its own (kernel/pairs.hpp).
struct DotPairs {
    int64_t group = 0; // of k with the same zeros and scales
    DotView b;
    std::optional<DotPlace> zero, scale;
    std::shared_ptr<const jit::Kernel> kernel;
    // Where k is dense in B they are rows of bf16, which turned reads as they are; panels are made of `columns` at
    // once.
    static constexpr int64_t columns = 64;
    int64_t row_bytes = 0;
    std::vector<DotPack> panels;
    bool k_dense() const { return row_bytes > 0; }
};

class DotJob final : public Job {
public:
    static constexpr size_t variants = 4; // kernels: full blocks, fewer panels, fewer rows, both
    DotChoice choice;
    int64_t batches, rows, columns, depth;
    int64_t products_of_byte = 1; // as choose.hpp has it
    DotView a, b, c;              // c: dst where the kernel stores to it, which `direct` says
    bool direct = false;
    bool integers = false;              // sums are s32
    int64_t run_of_rows = 0;            // rows with which register blocks end
    int64_t run_of_a = 0, run_of_c = 0; // rows of A that are packed at once; of dst that one stride describes
    bool panels_apart = false;          // some operand of the epilogue has panels of 16 columns of its own, as nChw16c
    DotWalk walk;                       // over k, if that is several loops
    std::array<std::shared_ptr<const jit::Kernel>, variants> kernel;    // null where the shape has none of the blocks
    std::array<std::shared_ptr<const jit::Kernel>, variants> streaming; // the same past the caches; null: not so stored
    std::array<std::shared_ptr<const jit::Kernel>, variants> finishing; // with the epilogue, where the choice says so
    std::shared_ptr<const jit::Kernel> few, few_rest; // dots or axpy: of a group of rows, of what the last one has
    bool shifts_b = false;                            // their results begin at sums of A's rows
    std::array<DotTiles, variants> tiles;             // AMX: the configuration of each kernel
    std::shared_ptr<const jit::Kernel> configure, release;
    std::vector<DotPack> pack_a, pack_b; // of full blocks, and of the last one if that is smaller
    int64_t packed_row = 0;              // bytes of a packed row of A
    bool pads_rows = false;   // A is packed as 4 bytes a row, for k is less than a step of the kernel (short_rows.hpp),
    uint32_t flip_of_row = 0; // with these bits of each element changed
    std::vector<DotPack> turns;                            // of turned: sums of a unit to rows
    bool a_by_depth = false;                               // what is packed of A is `depth` of k
    bool together = false;                                 // A and B of all products of a unit are packed at once
    bool joint_epilogue = false;                           // one call of the epilogue for all products of a unit
    std::shared_ptr<const jit::Kernel> epilogue;           // null where no sums pass through memory
    std::shared_ptr<const jit::Kernel> short_epilogue;     // of `width_of_epilogue`, or null
    std::shared_ptr<const jit::Kernel> streaming_epilogue; // non-temporal, for dst in whole lines, or null
    int64_t width_of_epilogue = 0;                         // of a register block, or of a panel where they lie apart
    std::vector<DotView> outer;                            // operands of the epilogue
    std::vector<int> in_registers;                         // their numbers, in the order of `finishing`
    std::string blocks_name, epilogue_name;                // of the first kernel, without epilogue; of the epilogue
    int sum = 0; // its operand of sums; behind it those of B's columns, of A's rows and of all groups
    DotGroups groups;
    DotPairs pairs;
    // Of all panels of a block, and of the last ones: alone, and with the products of the first block of rows, or null.
    std::array<std::shared_ptr<const jit::Kernel>, 2> column_sums, summing;
    std::array<std::shared_ptr<const jit::Kernel>, 2> row_sums; // of sum_rows rows, and of one
    std::shared_ptr<const jit::Kernel> sums_of_rows;            // dots of a row of ones; where blocks shift B
    int64_t rows_of_sums = 8; // at once: 8 vectors of results, which AVX2 has with 4 rows

    void run(const Bases& bases, int64_t first, int64_t last) const override;
    std::string text() const override;
    std::vector<const jit::Kernel*> kernels() const override;
    // Elements between rows of sums, or of dst where they go there.
    int64_t row_of_turned() const { return direct ? c.row : round_up(choice.unit_columns, 16) + 16; }
    // Of `turned`: columns whose sums are transposed at a time, so that finished sums are still in L1.
    int64_t columns_at_once() const {
        constexpr int64_t sums = 8192;
        const int64_t blocks = sums / (round_up(rows, 16) * choice.spec.rows);
        return depth > choice.depth ? choice.unit_columns : std::max<int64_t>(blocks, 1) * choice.spec.rows;
    }
    // Bytes from panel to panel where `part` of k is packed.
    int64_t packed_panel(int64_t part) const {
        return cpu::packed_panel(part, depth, choice.spec.kind, bits(choice.spec.b));
    }
    void prepare(); // units and scratch, when all else is set

private:
    static constexpr int64_t line = 64; // bytes of a cache's
    struct Unit {
        const Bases& bases;
        int64_t batch, row, column, rows = 0, columns = 0; // of C
        // Scratch; part: sums of a group.
        char *b = nullptr, *a = nullptr, *c = nullptr, *column_sums = nullptr, *row_sums = nullptr, *part = nullptr,
             *nibbles = nullptr, *zeros = nullptr;
        int32_t* starts = nullptr;  // of a block's rows, for a part of k
        const char* ones = nullptr; // bytes, as many
        int configured = -1;        // AMX: the kernel whose configuration the thread has, or -1
        int64_t block = 0;          // the first row of the block of rows
        int64_t products = 1;       // from `batch` on
    };

    struct Part {
        int64_t first, end; // of k
    };

    void product(Unit& unit) const;
    void products_of_kernels(Unit& unit, int64_t products) const;
    void run_kernel(Unit& unit, size_t variant, DotArgs& args) const;
    // The kernel of a block from which so many rows and columns are left.
    size_t variant_of(int64_t rows_left, int64_t columns_left) const {
        return (columns_left < 16 * choice.spec.panels ? 1 : 0) + (rows_left < choice.spec.rows ? 2 : 0);
    }
    void few_rows(const Unit& unit) const;
    void groups_of_rows(const Unit& unit) const;
    void start_rows(const Unit& unit, const char* a_first, int64_t a_row, Part k) const;
    int32_t* starts_at(const Unit& unit, int64_t k) const;
    void start_block(const Unit& unit, const char* a_base, int64_t row, int64_t count, Part k) const;
    void few_columns(const Unit& unit) const;
    void turned(Unit& unit) const;
    void turned_sums(Unit& unit, int64_t first, int64_t wide, Part k) const;
    void turn(const Unit& unit, int64_t first, int64_t wide) const;
    void configure_for(Unit& unit, size_t variant) const;
    void add_group(const Unit& unit, int64_t row, int64_t rows, int64_t column, int64_t columns, int64_t k,
                   const char* sums, char* all) const;
    void sum_a(const Unit& unit, DotArgs args, int64_t count, int64_t k) const;
    void sum_rows(const Unit& unit, DotArgs args, int64_t count) const;
    void pack_rows(const Unit& unit, int64_t row, int64_t count, int64_t k, int64_t depth) const;
    void pack_panels(const Unit& unit, int64_t k, int64_t depth) const;
    void pack_pairs(const Unit& unit, int64_t k, int64_t depth) const;
    void prefetch_part(const Unit& unit, Part k) const;
    int64_t whole_steps(int64_t k) const { return shift_ < 0 ? k / choice.step : k >> shift_; }
    int64_t in_steps(int64_t count) const { return whole_steps(count + choice.step - 1); }
    void sum_columns(const Unit& unit, DotArgs args, int64_t k, int64_t depth) const;
    void sum_block(const Unit& unit, const DotArgs& product, int64_t j, Part k) const;
    // Where one block of rows reads each block of columns once, they are summed just before it does, or while it does:
    // else B comes from memory twice.
    bool sums_by_blocks() const { return bytes_columns_ && choice.unit_rows <= choice.block_rows; }
    // Sums of B's columns where kernels start from them: of each part of k, or of all of it for the first part.
    bool sums_are_of_parts() const { return choice.spec.corrected && sums_by_blocks(); }
    const char* shared(const Unit& unit, const DotPlace& place, int64_t column, int64_t wide, int64_t k) const;
    void to_bf16(const Unit& unit, int64_t column, int64_t count, Part k, char* to, int64_t panel) const;
    void part(Unit& unit, DotArgs& args, const char* a_base, int64_t row, int64_t rows, Part k) const;
    void blocks(Unit& unit, DotArgs& args, int64_t row, int64_t rows, Part k) const;
    // A and the loops for a part of k that ends within a step if it is the last one.
    void set_a(DotArgs& args, const char* a_base, Part k, bool last) const;
    DotLoop at_k(int64_t k) const {
        const int64_t step = whole_steps(k);
        return choice.spec.loops > 1 ? walk.at(step) : DotLoop{0, step * strides_.a_step, step * strides_.b_step};
    }
    void set_steps(DotArgs& args, int64_t count, bool last) const;
    // The loops over `count` of k of products with ones, which sum A's rows or B's columns in steps of 4 bytes.
    void set_loops_of_sums(DotArgs& args, int64_t count, bool of_a) const;
    bool keeps_sums() const { // between parts of k, or for what takes all of them
        return direct || depth > choice.depth || choice.chunk || joint_epilogue || groups.length || few;
    }
    int64_t rows_at(int64_t row, int64_t most) const { return rows_of_run(run_of_rows, row, most); }
    int64_t rows_of_run(int64_t run, int64_t row, int64_t most) const { // up to its end
        return run == rows ? most : std::min(most, run - row % run);
    }
    void place(const Unit& unit, int64_t row, int64_t column, DotOperand* operands) const;
    void bare_blocks(Unit& unit, DotArgs& args, char* c_first, int64_t count, int64_t wide) const;
    void bare_finishing(Unit& unit, DotArgs& args, int64_t row, int64_t count) const;
    void finish(const Unit& unit, int64_t row, int64_t rows, int64_t column, int64_t columns, const char* sums) const;
    void pack(const std::vector<DotPack>& packs, const Unit& unit, int64_t first, int64_t extent, int64_t k,
              int64_t depth, char* to, int64_t part = 0) const;

    int64_t c_row_ = 0; // bytes of a row of sums
    int64_t bytes_b_ = 0, bytes_a_ = 0, bytes_c_ = 0, bytes_columns_ = 0, bytes_rows_ = 0, bytes_part_ = 0,
            bytes_n_ = 0, bytes_zeros_ = 0, bytes_starts_ = 0, bytes_ones_ = 0;
    EvenParts rows_, columns_; // of units
    int shift_ = 0;            // of the step of k where that is a power of two, or -1
    // Of A, B and dst, or of the packs and sums: the same in every unit. Set one by one: a copy of all arguments, with
    // their loops, takes 25 ns.
    struct Strides {
        int64_t a_row, a_step, b_row, b_panel, b_step, c_row, c_panel = 64;
        void set(DotArgs& args) const {
            args.a_row = a_row, args.a_step = a_step, args.b_row = b_row, args.b_panel = b_panel;
            args.b_step = b_step, args.c_row = c_row, args.c_panel = c_panel;
        }
    } strides_{};
    bool only_kernels_ = false; // a product is a call for each block of rows
    // So is a part of k of a block of rows, for each of columns; and the last part, where kernels apply the epilogue.
    bool bare_blocks_ = false, bare_finishing_ = false;
};

} // namespace tessera::cpu
