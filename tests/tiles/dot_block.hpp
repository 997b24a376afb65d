// SPDX-License-Identifier: Apache-2.0
// A block of sums of products for the kernels' tests: operands that end at a page that nobody may touch, and the loop
// of contract.hpp over them. Small integers, so that sums are exact in any order.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/division.hpp"
#include "core/types/convert.hpp"
#include "cpu/jit/emit/emit.hpp"
#include "cpu/jit/regalloc.hpp"
#include "cpu/products/loops.hpp"
#include "cpu/tiles/amx/contract.hpp"
#include "cpu/tiles/dot/kernel/contract.hpp"
#include "machines.hpp"
#include "run_code.hpp"
#include "vcode_interpreter.hpp"

namespace tessera::cpu::dot_test {

using jit::Target;

inline const Target avx2{32, 16, false, false}, avx512{64, 32, true, false};
inline const Target avx2_vnni{32, 16, false, false, false, true}, avx512_all{64, 32, true, true, true, true};
inline const Target amx{64, 32, true, true, true, true, true, true};

inline std::string text(const Target& target, const DotSpec& spec) { return jit::name_of(target) + " " + key(spec); }

// What runs a kernel: emitted code, or the interpreter.
using Run = std::function<void(void* args)>;

struct Shape {
    int64_t steps = 1, columns = 16;
    bool accumulate = false;
    bool panels = false;        // B in panels, else in place
    int64_t rows = 0;           // of spec.rows, by configuration
    int64_t groups = 16;        // of k in a step, by configuration
    Few<int64_t, 2> outer = {}; // turns of the loops around the steps, innermost first, which leave gaps in A between
    bool b_gaps = false;        // and in B
    bool lines = false;         // rows of C begin at lines
};

inline bool has_float_sums(DotKind kind) {
    return kind == DotKind::f32 || kind == DotKind::bf16 || kind == DotKind::bf16_fma || kind == DotKind::amx_bf16 ||
           kind == DotKind::amx_f16;
}
// Elements of k in 4 bytes of B.
inline int elements_of_group(DotKind kind) { return kind == DotKind::f32 ? 1 : has_float_sums(kind) ? 2 : 4; }

class Block {
public:
    Block(const DotSpec& spec, const Shape& shape)
        : spec_(spec), shape_(shape), group_(elements_of_group(spec.kind)),
          q_(tiles() ? shape.groups * group_ : group_),
          width_(16 * (spec.panels - 1) + (spec.last              ? spec.last
                                           : spec.tail || tiles() ? shape.columns
                                                                  : 16)),
          rows_(shape.rows ? shape.rows : spec.rows) {
        const int64_t a_step = q_ * a_size(), b_column = q_ * size(spec.b), rows = rows_;
        int64_t steps = shape.steps;
        for (const int64_t turns : shape.outer) steps *= turns;
        args_.a_step = (spec.a_dense ? 1 : rows + 2) * a_step;
        args_.b_step = (shape.panels ? 16 : width_ + 5) * b_column;
        if (spec.interleaves) {
            args_.b_row = (width_ + 5) * size(spec.b);
            args_.b_step = group_ * args_.b_row, args_.b_panel = 16 * size(spec.b);
        }
        // Behind its turns each loop leaves three steps of A out, of B one where it has gaps.
        DotLoop all{1, args_.a_step, args_.b_step};
        Few<DotLoop, 3> loops{{shape.steps, all.a, all.b}};
        for (const int64_t turns : shape.outer) {
            all.a = loops.front().count * loops.front().a + 3 * args_.a_step;
            all.b = loops.front().count * loops.front().b + shape.b_gaps * args_.b_step;
            loops.insert(loops.begin(), {turns, all.a, all.b});
        }
        walk_.loops = loops;
        walk_.set(args_, steps);
        args_.a_row = spec.a_dense ? loops.front().count * loops.front().a + 2 * args_.a_step : a_step;
        if (!spec.interleaves) args_.b_panel = shape.panels ? loops.front().count * loops.front().b : 16 * b_column;
        args_.c_row = shape.lines ? round_up((width_ + 7) * 4, 64) : (width_ + 7) * 4;
        args_.columns = shape.columns;
        args_.accumulate = shape.accumulate;
        const int64_t last = spec.panels - 1, last_columns = tiles() || spec.b_whole ? 16 : width_ - 16 * last;
        const auto place = [](std::optional<GuardedPages>& pages, int64_t bytes) {
            return pages.emplace(size_t(std::max<int64_t>(bytes, 1))).place(size_t(bytes), true);
        };
        args_.a = place(a_, (rows - 1) * args_.a_row + a_offset(steps - 1) + a_step - spec.a_short);
        rows_of_b_ = steps * q_ - spec.b_short;
        const int64_t of_rows = (rows_of_b_ - 1) * args_.b_row + width_ * size(spec.b);
        const int64_t of_panels = last * args_.b_panel + b_offset(steps - 1) + last_columns * b_column;
        args_.b = place(b_, spec.interleaves ? of_rows : of_panels);
        steps_ = steps, depth_ = steps * q_ - spec.a_short / size(spec.a);
        if (spec.a_short || spec.b_short) args_.ends = 1, --args_.steps;
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t k = 0; k < depth_; ++k)
                write_a(a(i, k), value(spec.a) * (spec.kind == DotKind::amx_f16 ? 0x1p-16 : 1)); // denormals
        for (int64_t k = 0; k < rows_of_b_; ++k)
            for (int64_t j = 0; j < width_; ++j) write<double>(spec.b, b(k, j), 0, value(spec.b));
    }

    void check(const Run& run) {
        const int64_t rows = rows_;
        const auto bytes = size_t((rows - 1) * args_.c_row + width_ * 4);
        const DataType type = has_float_sums(spec_.kind) ? DataType::f32 : DataType::s32;
        std::memset(c_.begin(), 0xff, c_.size()); // NaN
        uint8_t* c = c_.place(bytes, true);
        const auto element = [&](int64_t i, int64_t j) { return c + i * args_.c_row + j * 4; };
        std::vector<double> want;
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < width_; ++j) {
                const double before = shape_.accumulate ? double(i - j) : 0;
                if (shape_.accumulate) write<double>(type, element(i, j), 0, before);
                want.push_back(before + sum(i, j) - (spec_.corrected ? 128 * sum_of_column(j) : 0));
            }
        args_.c = c;
        uint8_t* const sums = sums_.place(size_t(64 * spec_.panels), true);
        for (int j = 0; j < 16 * spec_.panels; ++j) write<double>(DataType::s32, sums + 4 * j, 0, sum_of_column(j));
        args_.sums = spec_.corrected ? sums : nullptr;
        std::vector<int32_t> starts;
        for (int64_t i = 0; i < rows; ++i) starts.push_back(int32_t(-128 * sum_of_row(i)));
        const size_t of_rows = starts.size() * sizeof(int32_t);
        uint8_t* const starts_at = starts_.place(of_rows, true);
        if (!starts.empty()) std::memcpy(starts_at, starts.data(), of_rows);
        args_.starts = spec_.shifts_b ? reinterpret_cast<const int32_t*>(starts_at) : nullptr;
        DotArgs copy = args_;
        run(&copy);
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < width_; ++j) {
                ASSERT_EQ(read<double>(type, element(i, j), 0), want[size_t(i * width_ + j)])
                    << i << ", " << j << "; steps " << shape_.steps << " columns " << shape_.columns;
                std::memset(element(i, j), 0xff, 4);
            }
        for (const uint8_t* p = c_.begin(); p < c_.end(); ++p) ASSERT_EQ(*p, 0xff) << "at " << p - c << " of C";
    }

    DotTiles configuration() const { return dot_tiles(spec_, int(rows_), int(shape_.columns), int(shape_.groups)); }

private:
    bool tiles() const { return is_amx(spec_.kind); }
    static int64_t size(DataType t) { return bits(t) / 8; }
    double sum_of_row(int64_t i) const {
        double all = 0;
        for (int64_t k = 0; k < depth_; ++k) all += read_a(a(i, k));
        return all;
    }
    double value(DataType t) {
        if (!has_float_sums(spec_.kind)) return double(int(random_() % 256)) - (t == DataType::u8 ? 0 : 128);
        if (t == DataType::e8m0) return double(1 << random_() % 3);
        return double(int(random_() % 7)) - (t == DataType::u8 ? 0 : 3);
    }
    int64_t a_offset(int64_t step) const { return walk_.at(step).a; }
    int64_t b_offset(int64_t step) const { return walk_.at(step).b; }
    uint8_t* a(int64_t i, int64_t k) const {
        constexpr int64_t order[] = {0, 2, 1, 3}; // of words
        return static_cast<uint8_t*>(const_cast<void*>(args_.a)) + i * args_.a_row + a_offset(k / q_) +
               (spec_.a_words ? order[k % q_] : k % q_) * a_size();
    }
    int64_t a_size() const { return spec_.a_words ? 2 : size(spec_.a); }
    void write_a(uint8_t* to, double value) const {
        if (!spec_.a_words) return write<double>(spec_.a, to, 0, value);
        const auto word = int16_t(value);
        std::memcpy(to, &word, sizeof word);
    }
    double read_a(const uint8_t* from) const {
        if (!spec_.a_words) return read<double>(spec_.a, from, 0);
        int16_t word;
        std::memcpy(&word, from, sizeof word);
        return word;
    }
    static double sum_of_column(int64_t j) { return double(37 * j - 400); } // before the call, any number
    uint8_t* b(int64_t k, int64_t j) const {
        if (spec_.interleaves)
            return static_cast<uint8_t*>(const_cast<void*>(args_.b)) + k * args_.b_row + j * size(spec_.b);
        return static_cast<uint8_t*>(const_cast<void*>(args_.b)) + j / 16 * args_.b_panel + b_offset(k / q_) +
               k % q_ / group_ * 64 + (j % 16 * group_ + k % group_) * size(spec_.b);
    }
    double sum(int64_t i, int64_t j) const {
        const bool flips_a = spec_.kind == DotKind::u8s8 && spec_.a == DataType::s8 && !spec_.shifts_b;
        const double flipped = flips_a ? 128 : 0;
        double all = 0;
        for (int64_t k = 0; k < steps_ * q_; ++k) {
            const double factor = k < depth_ ? read_a(a(i, k)) : 0;
            if (k < rows_of_b_) all += (factor + flipped) * read<double>(spec_.b, b(k, j), 0);
        }
        return all;
    }

    DotSpec spec_;
    Shape shape_;
    int64_t group_, q_;                             // elements of k in 4 bytes of B, in a step
    int64_t width_, rows_;                          // of C
    int64_t steps_ = 0, depth_ = 0, rows_of_b_ = 0; // of all loops
    DotWalk walk_;
    DotArgs args_{};
    std::minstd_rand random_{5};
    std::optional<GuardedPages> a_, b_;
    GuardedPages c_, sums_, starts_;
};

// The sums stay in registers: a kernel that spills them is as wrong as one that miscounts.
inline void check(const Target& target, const DotSpec& spec, const std::vector<Shape>& shapes) {
    const jit::Code code = build_dot(target, spec);
    const auto allocation = jit::allocate(code);
    ASSERT_TRUE(allocation) << text(target, spec);
    EXPECT_EQ(allocation->slots, 0) << text(target, spec);
    const auto bytes = jit::emit(code);
    ASSERT_TRUE(bytes) << text(target, spec);
    const bool runs = jit::runs_here(target);
    for (const Shape& shape : shapes) {
        SCOPED_TRACE(text(target, spec));
        Block block(spec, shape);
        ASSERT_NO_FATAL_FAILURE(block.check([&](void* args) { jit::interpret(code, args); }));
        if (!runs) continue;
        ASSERT_NO_FATAL_FAILURE(block.check([&](void* args) { EXPECT_TRUE(jit::run_code(*bytes, args)); }));
    }
}

inline void check_tiles(const DotSpec& spec, const std::vector<Shape>& shapes) {
    const jit::Code codes[] = {build_configure_tiles(amx), build_dot(amx, spec), build_release_tiles(amx)};
    std::vector<std::vector<uint8_t>> bytes;
    for (const jit::Code& code : codes) {
        const auto emitted = jit::emit(code);
        ASSERT_TRUE(emitted) << text(amx, spec);
        bytes.push_back(*emitted);
    }
    for (const Shape& shape : shapes) {
        SCOPED_TRACE(text(amx, spec));
        Block block(spec, shape);
        DotTiles tiles = block.configuration();
        ASSERT_NO_FATAL_FAILURE(block.check(
            [&](void* args) { interpret(codes[0], &tiles), interpret(codes[1], args), interpret(codes[2], nullptr); }));
        if (!jit::runs_here(amx)) continue;
        ASSERT_NO_FATAL_FAILURE(block.check([&](void* args) {
            EXPECT_TRUE(jit::run_code(bytes[0], &tiles) && jit::run_code(bytes[1], args) &&
                        jit::run_code(bytes[2], nullptr));
        }));
    }
}

inline int most_rows(const Target& target, DotSpec spec) {
    spec.rows = 0;
    do ++spec.rows;
    while (can_build_dot(target, spec));
    return spec.rows - 1;
}

} // namespace tessera::cpu::dot_test
