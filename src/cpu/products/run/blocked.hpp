// SPDX-License-Identifier: Apache-2.0
// Products in blocks, of vectors or of tiles: C[b][m][n] = epilogue(sum over k of A[b][m][k] * B[b][k][n]).
//
// What kernels cannot read in place is packed block by block, A and B by plans of their own (pack.hpp), and the
// epilogue runs on the sums, while a block of them is in the caches, or in the registers of the kernels. What a unit
// reads of B is packed once. Blocks of rows and parts of k are the same for vectors and tiles; what they do with one of
// both is theirs (blocks()).
#pragma once

#include <array>

#include "cpu/products/choose/choose.hpp"
#include "cpu/products/loops.hpp"
#include "cpu/products/run/job.hpp"

namespace tessera::cpu {

// Sums of columns of B, for zero points and for factors that enter with an offset.
struct SumKernels {
    // Of all panels of a block, and of the last ones.
    std::array<KernelPtr, 2> of_columns;
    KernelPtr starts; // dots of a row of ones; where blocks shift B
};

class BlockedJob : public ProductJob {
public:
    static constexpr size_t variants = 4;            // kernels: full blocks, fewer panels, fewer rows, both
    using Kernels = std::array<KernelPtr, variants>; // null where there is no such block

    DotChoice choice;
    DotWalk walk;                // over k, if that is several loops
    DotPairs pairs;              // B, where it is computed
    bool packs_at_once = false;  // A and B of all products of a unit are packed at once
    bool joint_epilogue = false; // one call of the epilogue for all products of a unit
    SumKernels sums;

    void run(const Bases& bases, int64_t first, int64_t last) const final;
    void prepare(int64_t products_of_byte) override;
    // Bytes from panel to panel where `part` of k is packed.
    int64_t panel_bytes(int64_t part) const {
        return packed_panel(part, v.depth, choice.spec.kind, bits(choice.spec.b));
    }

protected:
    struct Unit : ProductUnit {
        // Scratch; part: sums of a group.
        char *b = nullptr, *a = nullptr, *c = nullptr, *part = nullptr, *nibbles = nullptr, *zeros = nullptr;
        int32_t* starts = nullptr;  // of a block's rows, for a part of k
        const char* ones = nullptr; // bytes, as many
        int configured = -1;        // AMX: the kernel whose configuration the thread has, or -1
        int64_t products = 1;       // from `batch` on, that are packed at once
    };
    // What blocks() multiplies: rows from number `row` of C on, columns of the unit, a part of k.
    struct RowBlock {
        int64_t row, count;
        KPart k;
    };
    // All register blocks of these. `args` has A and B at their first, and the strides.
    virtual void blocks(Unit& unit, DotArgs& args, const RowBlock& rows) const = 0;
    // Whole products that are calls for register blocks and nothing else.
    virtual void whole_products(Unit& unit, int64_t products) const = 0;
    virtual void leave(const Unit&) const {}

    // Where the register blocks of some rows read A and B and leave their sums.
    class Places {
    public:
        Places(const BlockedJob& job, const Unit& unit, const DotArgs& args, const RowBlock& rows);
        const char* a(int64_t i) const { return a_ + (in_place_ ? down(job_.v.a, i) : i * a_row_); }
        const char* b(int64_t j) const { return b_ + j / 16 * b_panel_; }
        char* c(int64_t i) const { // of the first columns, in dst or in scratch memory
            return job_.v.direct ? dst_ + down(job_.v.c, i) : c_ + (keeps_ ? i * c_row_ : 0);
        }
        // Of a group, in scratch memory, and of all groups.
        char* part(int64_t i, int64_t j) const { return part_ + (keeps_parts_ ? i * c_row_ : 0) + j * 4; }
        char* all(int64_t i, int64_t j) const { return c_ + i * c_row_ + j * 4; }

    private:
        int64_t down(const DotView& v, int64_t i) const { return v.bytes(v.down(row_ + i) - v.down(row_)); }

        const BlockedJob& job_;
        const int64_t row_, a_row_, b_panel_, c_row_;
        const char *a_, *b_;
        char *c_, *part_, *dst_;
        const bool in_place_, keeps_, keeps_parts_;
    };
    // The kernel of a block from which so many rows and columns are left.
    size_t variant_of(int64_t rows_left, int64_t columns_left) const {
        return (columns_left < 16 * choice.spec.panels ? 1 : 0) + (rows_left < choice.spec.rows ? 2 : 0);
    }
    bool keeps_sums() const { // between parts of k, or for what takes all of them
        return v.direct || v.depth > choice.depth || choice.chunk || joint_epilogue || groups.length;
    }
    bool finishes(KPart k) const { return k.end == v.depth && !v.direct && !joint_epilogue; }
    void end_group(const Unit& unit, const Places& at, const RowBlock& rows, int64_t i, int64_t count, int64_t j,
                   int64_t wide) const;
    void pass(const Unit& unit, int64_t row, int64_t count, int64_t column, int64_t wide, const char* from) const {
        finish.run(v, unit, row, count, column, wide, from, c_row_);
    }
    bool sums_columns() const { return bytes_.columns; } // of B
    // Where one block of rows reads each block of columns once, they are summed just before it does: else B
    // comes from memory twice.
    bool sums_by_blocks() const { return sums_columns() && choice.unit_rows <= choice.block_rows; }
    // Sums of B's columns where kernels start from them: of each part of k, or of all of it for the first part.
    bool sums_are_of_parts() const { return choice.spec.corrected && sums_by_blocks(); }
    void sum_block(const Unit& unit, const DotArgs& product, int64_t j, KPart k) const;
    template <typename Call>
    void each_block(DotArgs& args, char* c_first, int64_t count, int64_t wide, const Call& call) const;
    template <typename Call> void each_product(Unit& unit, int64_t products, const Call& call) const;

    bool bare_ = false;                         // nothing but addresses differs between register blocks
    int64_t c_row_ = 0;                         // bytes of a row of sums
    static const char no_sums_[4 * cache_line]; // of four panels

private:
    void product(Unit& unit) const;
    void part(Unit& unit, DotArgs& args, const char* a_base, const RowBlock& rows) const;
    void in_strips(Unit& unit, DotArgs& args, const char* a_base, const RowBlock& rows) const;
    void pack_rows(const Unit& unit, int64_t row, int64_t count, KPart k) const;
    void pack_panels(const Unit& unit, KPart k) const;
    void prefetch_b(const Unit& unit, KPart k) const;
    void sum_columns(const Unit& unit, DotArgs args, KPart k) const;
    void sum_rows(const Unit& unit, DotArgs args, int64_t count) const;
    void start_block(const Unit& unit, const char* a_base, const RowBlock& rows) const;
    // The loops over `count` of k of products with ones, which sum A's rows or B's columns in steps of 4 bytes.
    void set_loops_of_sums(DotArgs& args, int64_t count, bool of_a) const;
    // A and the loops for a part of k that ends within a step if it is the last one.
    void set_a(DotArgs& args, const char* a_base, KPart k, bool last) const;
    void set_steps(DotArgs& args, int64_t count, bool last) const;
    int64_t whole_steps(int64_t k) const { return shift_ < 0 ? k / choice.step : k >> shift_; }
    DotLoop at_k(int64_t k) const {
        const int64_t step = whole_steps(k);
        return choice.spec.loops > 1 ? walk.at(step) : DotLoop{0, step * strides_.a_step, step * strides_.b_step};
    }
    void set_scratch();
    void set_strides();

    // Scratch memory of a unit; of A, B and sums for each of its products.
    struct Bytes {
        int64_t b = 0, a = 0, c = 0, columns = 0, rows = 0, part = 0, nibbles = 0, zeros = 0, starts = 0, ones = 0;
    } bytes_;
    int shift_ = 0; // of the step of k where that is a power of two, or -1
    // Of A, B and dst, or of the packs and sums: the same in every unit. Set one by one: a copy of all arguments, with
    // their loops, takes 25 ns.
    struct Strides {
        int64_t a_row, a_step, b_row, b_panel, b_step, c_row, c_panel = 64;
        void set(DotArgs& args) const {
            args.a_row = a_row, args.a_step = a_step, args.b_row = b_row, args.b_panel = b_panel;
            args.b_step = b_step, args.c_row = c_row, args.c_panel = c_panel;
        }
    } strides_{};
    bool only_kernels_ = false; // a product is a call for each register block
};

// The choice and the views of a job; what was seen is moved to it.
void choose_for(Seen& seen, BlockedJob& job);
// Packs of A and B, kernels of sums and of groups. False where one of them could not be made.
bool make_packs(Seen& seen, BlockedJob& job);
bool make_sums(Seen& seen, BlockedJob& job);
bool finish_groups(Seen& seen, BlockedJob& job);

// A register block that the product has: `variant` as BlockedJob has it. 0 rows: there is none.
struct BlockVariant {
    int64_t rows, columns;
    bool narrow, low;
};
BlockVariant block_variant(const BlockedJob& job, size_t variant);

// What blocks() does where nothing but addresses differ: of 14x32 and 32 of k the rest of it takes a fifth of the time.
template <typename Call> [[gnu::always_inline]] inline void
BlockedJob::each_block(DotArgs& args, char* c_first, int64_t count, int64_t wide, const Call& call) const {
    const int64_t height = choice.spec.rows, width = 16 * choice.spec.panels;
    const char *const a_first = static_cast<const char*>(args.a), *const b_first = static_cast<const char*>(args.b);
    const auto block = [&](int64_t i, int64_t j) {
        args.a = a_first + i * args.a_row, args.b = b_first + j / 16 * args.b_panel;
        args.c = c_first + i * args.c_row + j / 16 * args.c_panel;
        call(variant_of(count - i, wide - j));
    };
    if (count <= height && wide <= width)
        block(0, 0);
    else if (choice.rows_inside)
        for (int64_t j = 0; j < wide; j += width)
            for (int64_t i = 0; i < count; i += height) block(i, j);
    else
        for (int64_t i = 0; i < count; i += height)
            for (int64_t j = 0; j < wide; j += width) block(i, j);
}

// Nothing differs between these products and their blocks but addresses: 1000 of f32 4x4x4, 31 -> 11 ns each, of u8 x
// s8 16x16x16, 95 -> 41.
template <typename Call>
[[gnu::always_inline]] inline void BlockedJob::each_product(Unit& unit, int64_t products, const Call& call) const {
    DotArgs args;
    strides_.set(args);
    args.columns = v.columns % 16 ? v.columns % 16 : 16;
    const bool packed_a = choice.a == DotSource::packed, packed_b = choice.b == DotSource::packed;
    set_steps(args, v.depth, true), args.accumulate = 0;
    for (int64_t p = 0; p < products; ++p) {
        args.a = packed_a ? unit.a + p * bytes_.a : v.a.at(unit.bases, unit.batch + p, 0, 0);
        args.b = packed_b ? unit.b + p * bytes_.b : v.b.at(unit.bases, unit.batch + p, 0, 0);
        char* const c = v.direct ? v.c.at(unit.bases, unit.batch + p, 0, 0) : unit.c + p * bytes_.c;
        each_block(args, c, v.rows, v.columns, [&](size_t variant) { call(variant, args); });
    }
}

} // namespace tessera::cpu
