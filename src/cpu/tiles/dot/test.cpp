// Blocks of sums of products against the loop of contract.hpp: every block, strides of A, tails, types, numbers of
// steps; through the emitted code on the targets of this processor and through the interpreter for all targets. Small
// integers, so that sums are exact in any order. Operands end at a page that nobody may touch. covers: MAT-01
#include <algorithm>
#include <cstring>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "core/division.hpp"
#include "core/types/convert.hpp"
#include "cpu/jit/emit/emit.hpp"
#include "cpu/tiles/dot/kernel/contract.hpp"
#include "cpu/tiles/dot/run/words.hpp"
#include "machines.hpp"
#include "run_code.hpp"
#include "vcode_interpreter.hpp"

namespace tessera::cpu {

namespace {

using jit::Target;

const Target avx2{32, 16, false, false}, avx512{64, 32, true, false};
const Target avx2_vnni{32, 16, false, false, false, true}, avx512_all{64, 32, true, true, true, true};
const Target amx{64, 32, true, true, true, true, true, true};

std::string text(const Target& target, const DotSpec& spec) { return jit::name_of(target) + " " + key(spec); }

// What runs a kernel: emitted code, or the interpreter.
using Run = std::function<void(void* args)>;

struct Shape {
    int64_t steps = 1, columns = 16;
    bool accumulate = false;
    bool panels = false;       // B in panels, else in place
    int64_t rows = 0;          // of spec.rows, by configuration
    int64_t groups = 16;       // of k in a step, by configuration
    int64_t outer[2] = {1, 1}; // passes of the loops around the steps, which leave gaps between
    bool lines = false;        // rows of C begin at lines
};

bool has_float_sums(DotKind kind) {
    return kind == DotKind::f32 || kind == DotKind::bf16 || kind == DotKind::bf16_fma || kind == DotKind::amx_bf16 ||
           kind == DotKind::amx_f16;
}
// Elements of k in 4 bytes of B.
int elements_of_group(DotKind kind) { return kind == DotKind::f32 ? 1 : has_float_sums(kind) ? 2 : 4; }

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
        const int64_t steps = shape.steps * shape.outer[0] * shape.outer[1];
        args_.a_step = (spec.a_dense ? 1 : rows + 2) * a_step;
        // The loops of A: each leaves three steps out, of those around it two.
        pass_[0] = (shape.steps + 3) * args_.a_step, pass_[1] = shape.outer[0] * pass_[0] + 2 * args_.a_step;
        args_.outer[0] = {shape.outer[0], pass_[0] - shape.steps * args_.a_step};
        args_.outer[1] = {shape.outer[1], pass_[1] - shape.outer[0] * pass_[0]};
        args_.a_row = spec.a_dense ? shape.outer[1] * pass_[1] : a_step;
        args_.b_step = (shape.panels ? 16 : width_ + 5) * b_column;
        args_.b_panel = (shape.panels ? 16 * steps : 16) * b_column;
        if (spec.interleaves) {
            args_.b_row = (width_ + 5) * size(spec.b);
            args_.b_step = group_ * args_.b_row, args_.b_panel = 16 * size(spec.b);
        }
        args_.c_row = shape.lines ? round_up((width_ + 7) * 4, 64) : (width_ + 7) * 4;
        args_.steps = shape.steps, args_.columns = shape.columns, args_.accumulate = shape.accumulate;
        const int64_t last = spec.panels - 1, last_columns = tiles() || spec.b_whole ? 16 : width_ - 16 * last;
        args_.a = a_.place(size_t((rows - 1) * args_.a_row + a_offset(steps - 1) + a_step - spec.a_short), true);
        rows_of_b_ = steps * q_ - spec.b_short;
        const int64_t of_rows = (rows_of_b_ - 1) * args_.b_row + width_ * size(spec.b);
        const int64_t of_panels = last * args_.b_panel + (steps - 1) * args_.b_step + last_columns * b_column;
        args_.b = b_.place(size_t(spec.interleaves ? of_rows : of_panels), true);
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
        const bool both = spec_.sums_b && spec_.corrected;
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < width_; ++j) {
                const double before = shape_.accumulate ? double(i - j) : 0;
                if (shape_.accumulate) write<double>(type, element(i, j), 0, before);
                want.push_back(before + sum(i, j) -
                               (spec_.corrected ? 128 * (both ? column_of_b(j) : sum_of_column(j)) : 0));
            }
        args_.c = c;
        uint8_t* const sums = sums_.place(size_t(64 * spec_.panels), true);
        for (int j = 0; j < 16 * spec_.panels; ++j) write<double>(DataType::s32, sums + 4 * j, 0, sum_of_column(j));
        args_.sums = spec_.sums_b || spec_.corrected ? sums : nullptr;
        std::vector<int32_t> starts;
        for (int64_t i = 0; i < rows; ++i) starts.push_back(int32_t(-128 * sum_of_row(i)));
        const size_t of_rows = starts.size() * sizeof(int32_t);
        uint8_t* const starts_at = starts_.place(of_rows, true);
        if (!starts.empty()) std::memcpy(starts_at, starts.data(), of_rows);
        args_.starts = spec_.shifts_b ? reinterpret_cast<const int32_t*>(starts_at) : nullptr;
        DotArgs copy = args_;
        run(&copy);
        for (int64_t j = 0; spec_.sums_b && j < width_; ++j) {
            const double before = shape_.accumulate && !both ? sum_of_column(j) : 0;
            ASSERT_EQ(read<double>(DataType::s32, sums + 4 * j, 0), before + column_of_b(j)) << "sum of column " << j;
        }
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
    double column_of_b(int64_t j) {
        double all = 0;
        for (int64_t k = 0; k < steps_ * q_; ++k) all += read<double>(spec_.b, b(k, j), 0);
        return all;
    }
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
    int64_t a_offset(int64_t step) const {
        const int64_t passes = step / shape_.steps;
        return step % shape_.steps * args_.a_step + passes % shape_.outer[0] * pass_[0] +
               passes / shape_.outer[0] * pass_[1];
    }
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
        return static_cast<uint8_t*>(const_cast<void*>(args_.b)) + j / 16 * args_.b_panel + k / q_ * args_.b_step +
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
    int64_t group_, q_;    // elements of k in 4 bytes of B, in a step
    int64_t width_, rows_; // of C
    int64_t steps_ = 0, depth_ = 0, rows_of_b_ = 0,
            pass_[2] = {}; // of all loops; of A; bytes of A between passes of each
    DotArgs args_{};
    std::minstd_rand random_{5};
    GuardedPages a_, b_, c_, sums_, starts_;
};

// The sums stay in registers: a kernel that spills them is as wrong as one that miscounts.
void check(const Target& target, const DotSpec& spec, const std::vector<Shape>& shapes) {
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

void check_tiles(const DotSpec& spec, const std::vector<Shape>& shapes) {
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

int most_rows(const Target& target, DotSpec spec) {
    spec.rows = 0;
    do ++spec.rows;
    while (can_build_dot(target, spec));
    return spec.rows - 1;
}

} // namespace

TEST(DotTile, blocks_that_fit) {
    const auto most = [](const Target& target, int panels) { return most_rows(target, {.panels = panels}); };
    EXPECT_EQ(most(avx512, 1), 28);
    EXPECT_EQ(most(avx512, 2), 14);
    EXPECT_EQ(most(avx512, 3), 9);
    EXPECT_EQ(most(avx512, 4), 6);
    EXPECT_EQ(most(avx512, 5), 0);
    EXPECT_EQ(most(avx2, 1), 6);
    EXPECT_EQ(most(avx2, 2), 2);
    EXPECT_FALSE(can_build_dot(avx2, {.tail = true}));
    EXPECT_FALSE(can_build_dot(avx512, {.tail = true, .last = 3}));
    EXPECT_FALSE(can_build_dot(avx2, {.last = 16}));
    EXPECT_FALSE(can_build_dot(avx2, {.last = -1}));
    DotSpec bytes{DotKind::s8_exact, 1, 1, DataType::u8, DataType::s8};
    bytes.last = 3; // of steps of four elements kernels read whole vectors
    EXPECT_FALSE(can_build_dot(avx2, bytes));
    bytes.b_whole = true;
    EXPECT_TRUE(can_build_dot(avx2, bytes));
    EXPECT_EQ(most_rows(avx2, {.panels = 1, .last = 8}), 13); // half a panel's registers
    EXPECT_EQ(most_rows(avx2, {.panels = 1, .last = 9}), 6);
    EXPECT_FALSE(can_build_dot(avx512, {.b = DataType::s4}));
}

TEST(DotTile, every_f32_block) {
    for (const Target& target : {avx2, avx512})
        for (int panels = 1; panels <= 4; ++panels)
            for (int rows = 1; rows <= most_rows(target, {.panels = panels}); ++rows)
                for (bool dense : {true, false}) {
                    DotSpec spec{.rows = rows, .panels = panels, .a_dense = dense};
                    ASSERT_NO_FATAL_FAILURE(
                        check(target, spec, {{.steps = 1}, {.steps = 4, .panels = true}, {7, 16, true}}));
                    spec.b_ahead = 64 * panels, spec.c_ahead = true;
                    ASSERT_NO_FATAL_FAILURE(check(target, spec, {{.steps = 9}}));
                }
}

TEST(DotTile, stores_past_the_caches) {
    const DotSpec tail{.tail = true, .c_passes = true}, last{.last = 8, .c_passes = true};
    EXPECT_FALSE(can_build_dot(avx512, tail));
    EXPECT_FALSE(can_build_dot(avx2, last));
    for (const Target& target : {avx2, avx512})
        for (int panels = 1; panels <= 2; ++panels)
            for (int rows = 1; rows <= most_rows(target, {.panels = panels}); ++rows) {
                const DotSpec spec{.rows = rows, .panels = panels, .c_passes = true};
                const bool streams = std::ranges::any_of(build_dot(target, spec).insts(),
                                                         [](const jit::Inst& i) { return i.op == jit::VOp::stream; });
                EXPECT_TRUE(streams) << text(target, spec);
                ASSERT_NO_FATAL_FAILURE(check(
                    target, spec, {{.steps = 3, .lines = true}, {.steps = 4, .accumulate = true, .lines = true}}));
            }
}

TEST(DotTile, every_tail) {
    for (int64_t columns = 1; columns <= 16; ++columns)
        for (const auto& [rows, panels] : {std::pair{1, 1}, {8, 3}, {6, 4}}) {
            const DotSpec spec{.rows = rows, .panels = panels, .tail = true};
            ASSERT_NO_FATAL_FAILURE(check(avx512, spec, {{.steps = 5, .columns = columns}, {5, columns, true, true}}));
        }
}

// Of targets without masks: as many columns as the kernel was built for, of B in place or padded.
TEST(DotTile, every_last_panel) {
    for (int last = 1; last < 16; ++last)
        for (bool whole : {false, true})
            for (int panels : {1, 2})
                for (DataType b : {DataType::f32, DataType::bf16, DataType::s8}) {
                    DotSpec spec{.panels = panels, .b = b, .last = last, .b_whole = whole};
                    for (int rows : {1, most_rows(avx2, spec)}) {
                        spec.rows = rows;
                        ASSERT_NO_FATAL_FAILURE(
                            check(avx2, spec, {{.steps = 5, .panels = whole}, {9, 16, true, whole}}));
                    }
                }
    for (int last : {1, 7, 8, 9, 15})
        for (const Target& target : {avx2, avx2_vnni})
            for (DotKind kind : {DotKind::s8_exact, DotKind::u8s8, DotKind::bf16_fma}) {
                const bool pairs = kind == DotKind::bf16_fma;
                DotSpec spec{kind, 1, 1, pairs ? DataType::bf16 : DataType::u8, pairs ? DataType::bf16 : DataType::s8};
                spec.last = last, spec.b_whole = true;
                if (!can_build_dot(target, spec)) continue;
                for (int rows : {1, most_rows(target, spec)}) {
                    spec.rows = rows;
                    ASSERT_NO_FATAL_FAILURE(check(target, spec, {{.steps = 5, .panels = true}, {9, 16, true, true}}));
                }
            }
}

TEST(DotTile, types_of_B_and_A) {
    for (const Target& target : {avx2, avx512})
        for (DataType type : {DataType::bf16, DataType::f16, DataType::s8, DataType::u8, DataType::f8_e5m2,
                              DataType::f8_e4m3, DataType::e8m0})
            for (int panels : {1, 2}) {
                DotSpec spec{.panels = panels, .b = type, .tail = target.masks};
                spec.rows = most_rows(target, spec);
                ASSERT_NO_FATAL_FAILURE(check(target, spec, {{.steps = 5, .columns = 9}}));
                spec.a = type, spec.b = DataType::f32, spec.a_dense = panels == 1;
                spec.rows = most_rows(target, spec);
                ASSERT_NO_FATAL_FAILURE(check(target, spec, {{.steps = 6, .columns = 16}}));
            }
}

TEST(DotTile, bf16) {
    DotSpec spec{DotKind::bf16, 8, 3, DataType::bf16, DataType::bf16};
    EXPECT_FALSE(can_build_dot(avx512, spec));
    EXPECT_FALSE(can_build_dot(avx2_vnni, spec));
    spec.b = DataType::f32;
    EXPECT_FALSE(can_build_dot(avx512_all, spec));
    for (bool dense : {true, false})
        for (const auto& [rows, panels] : {std::pair{1, 1}, {14, 2}, {6, 4}})
            for (bool tail : {true, false})
                ASSERT_NO_FATAL_FAILURE(
                    check(avx512_all, {DotKind::bf16, rows, panels, DataType::bf16, DataType::bf16, dense, tail},
                          {{.steps = 3}, {6, 9, true, true}}));
}

TEST(DotTile, bf16_by_fma) {
    EXPECT_FALSE(can_build_dot(avx512, {DotKind::bf16_fma, 1, 1, DataType::bf16, DataType::f32}));
    for (const Target& target : {avx2, avx512})
        for (DataType a : {DataType::f32, DataType::bf16})
            for (int panels = 1; panels <= 4; ++panels)
                for (bool dense : {true, false}) {
                    DotSpec spec{DotKind::bf16_fma, 1, panels, a, DataType::bf16, dense, target.masks && dense};
                    for (int rows : {1, most_rows(target, spec)}) {
                        spec.rows = rows;
                        if (!can_build_dot(target, spec)) continue;
                        ASSERT_NO_FATAL_FAILURE(check(target, spec, {{.steps = 3}, {6, 9, true, true}}));
                    }
                }
}

TEST(DotTile, bytes) {
    EXPECT_FALSE(can_build_dot(avx512, {DotKind::u8s8, 1, 1, DataType::u8, DataType::s8}));
    EXPECT_FALSE(can_build_dot(avx512_all, {DotKind::u8s8, 1, 1, DataType::u8, DataType::u8}));
    for (DotKind kind : {DotKind::u8s8, DotKind::s8_exact})
        for (DataType a : {DataType::u8, DataType::s8})
            for (DataType b : {DataType::u8, DataType::s8})
                for (const Target& target : {avx2_vnni, avx512_all})
                    for (int panels = 1; panels <= 4; ++panels) {
                        DotSpec spec{kind, 1, panels, a, b, panels != 3, target.masks && panels == 2};
                        const int most = most_rows(target, spec);
                        const bool possible = kind == DotKind::s8_exact || b == DataType::s8;
                        EXPECT_EQ(most >= 1, possible && (target.masks || panels < 4)) << panels;
                        for (int rows : {1, most}) {
                            spec.rows = rows;
                            if (!can_build_dot(target, spec)) continue;
                            ASSERT_NO_FATAL_FAILURE(check(target, spec, {{.steps = 3}, {6, 9, true, true}}));
                        }
                    }
}

TEST(DotTile, sums_of_columns) {
    DotSpec spec{DotKind::u8s8, 1, 1, DataType::s8, DataType::s8};
    spec.sums_b = true;
    EXPECT_FALSE(can_build_dot(avx512, spec));
    EXPECT_FALSE(can_build_dot(avx512_all, {.sums_b = true}));
    for (const Target& target : {avx2_vnni, avx512_all})
        for (DataType a : {DataType::u8, DataType::s8})
            for (int panels = 1; panels <= 4; ++panels) {
                spec.a = a, spec.panels = panels, spec.tail = target.masks && panels == 3;
                for (int rows : {1, most_rows(target, spec)}) {
                    spec.rows = rows;
                    if (!can_build_dot(target, spec)) continue;
                    ASSERT_NO_FATAL_FAILURE(
                        check(target, spec, {{.steps = 3}, {6, 9, true, true}, {.steps = 41, .panels = true}}));
                }
            }
}

TEST(DotTile, words_of_bytes) {
    DotSpec spec{DotKind::s8_exact, 1, 1, DataType::u8, DataType::s8};
    spec.a_words = true, spec.a_dense = false;
    EXPECT_FALSE(can_build_dot(avx2, spec));
    spec.a_dense = true;
    for (const Target& target : {avx2, avx512, avx2_vnni})
        for (DataType a : {DataType::u8, DataType::s8})
            for (DataType b : {DataType::u8, DataType::s8})
                for (int panels = 1; panels <= 4; ++panels) {
                    spec.a = a, spec.b = b, spec.panels = panels, spec.tail = target.masks && panels == 2;
                    for (int rows : {1, most_rows(target, spec)}) {
                        spec.rows = rows;
                        if (!can_build_dot(target, spec)) continue;
                        ASSERT_NO_FATAL_FAILURE(check(target, spec, {{.steps = 3}, {6, 9, true, true}}));
                    }
                }
}

TEST(DotTile, bytes_become_words) {
    for (const bool has_sign : {false, true})
        for (int64_t bytes = 4; bytes <= 200; bytes += 4) {
            GuardedPages pages;
            const int64_t whole = (bytes + 15) / 16 * 16; // which is read, and written twice as long
            uint8_t* const row = pages.place(size_t(2 * whole), true);
            for (int64_t k = 0; k < bytes; ++k) row[k] = uint8_t(k * 89 + 200);
            widen_to_words(reinterpret_cast<char*>(row), bytes, has_sign);
            for (int64_t k = 0; k < bytes; ++k) {
                constexpr int64_t order[] = {0, 2, 1, 3};
                int16_t word;
                std::memcpy(&word, row + 2 * (k / 4 * 4 + order[k % 4]), sizeof word);
                const auto byte = uint8_t(k * 89 + 200);
                ASSERT_EQ(word, has_sign ? int8_t(byte) : int(byte)) << k << " of " << bytes;
            }
        }
}

// A ends within a step, at a page that nobody may touch.
TEST(DotTile, last_steps_that_are_short) {
    struct {
        DotKind kind;
        DataType a, b;
    } const kinds[] = {
        {DotKind::bf16, DataType::bf16, DataType::bf16}, {DotKind::bf16_fma, DataType::bf16, DataType::bf16},
        {DotKind::u8s8, DataType::u8, DataType::s8},     {DotKind::u8s8, DataType::s8, DataType::s8},
        {DotKind::s8_exact, DataType::u8, DataType::s8}, {DotKind::s8_exact, DataType::s8, DataType::u8}};
    for (const Target& target : {avx2_vnni, avx512_all})
        for (const auto& [kind, a, b] : kinds)
            for (int bytes : {1, 2, 3})
                for (int rows : {1, 3}) {
                    DotSpec spec{kind, rows, 1, a, b};
                    spec.a_short = bytes;
                    if (!can_build_dot(target, spec)) {
                        EXPECT_TRUE((bytes % 2 && a == DataType::bf16) || (kind == DotKind::bf16 && !target.bf16));
                        continue;
                    }
                    ASSERT_NO_FATAL_FAILURE(
                        check(target, spec, {{.steps = 2}, {6, 9, true, true}, {.steps = 31, .panels = true}}));
                }
    EXPECT_FALSE(can_build_dot(avx512_all, {.a_short = 2})); // f32 has no steps of 4 bytes
    DotSpec strided{DotKind::u8s8, 1, 1, DataType::u8, DataType::s8, false};
    strided.a_short = 1;
    EXPECT_FALSE(can_build_dot(avx512_all, strided));
}

TEST(DotTile, sums_of_bytes) {
    std::vector<char> bytes(200);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = char(i * 37 + (i % 5 ? 0 : 128));
    for (size_t first : {0, 1, 7})
        for (size_t count = 0; first + count <= bytes.size(); ++count) {
            int32_t want = 0;
            for (size_t i = first; i < first + count; ++i) want += int8_t(bytes[i]);
            ASSERT_EQ(sum_of_bytes(bytes.data() + first, int64_t(count)), want) << count << " from " << first;
        }
}

// Kernels that are told the sums of B's columns start at -128 times them; those that sum them correct what they have.
TEST(DotTile, corrected_sums) {
    DotSpec spec{DotKind::u8s8, 1, 1, DataType::s8, DataType::s8};
    spec.corrected = true;
    EXPECT_FALSE(can_build_dot(avx512, spec));
    EXPECT_FALSE(can_build_dot(avx512_all, {.corrected = true}));
    for (const Target& target : {avx2_vnni, avx512_all})
        for (DataType a : {DataType::u8, DataType::s8})
            for (int panels = 1; panels <= 4; ++panels)
                for (bool sums_b : {false, true}) {
                    spec.a = a, spec.panels = panels, spec.tail = target.masks && panels == 3, spec.sums_b = sums_b;
                    for (int rows : {1, most_rows(target, spec)}) {
                        spec.rows = rows;
                        if (!can_build_dot(target, spec)) continue;
                        ASSERT_NO_FATAL_FAILURE(
                            check(target, spec, {{.steps = 3}, {6, 9, true, true}, {.steps = 41, .panels = true}}));
                    }
                }
    // The largest block of the first rows: 8x48 and three sums.
    for (DataType a : {DataType::u8, DataType::s8}) {
        spec.a = a, spec.rows = 8, spec.panels = 3, spec.tail = false, spec.sums_b = true;
        EXPECT_TRUE(can_build_dot(avx512_all, spec));
        const auto allocation = jit::allocate(build_dot(avx512_all, spec));
        ASSERT_TRUE(allocation);
        EXPECT_EQ(allocation->slots, 0) << name(a); // in registers alone
    }
}

// Of kernels that read B as B + 128 sums begin at what takes that back, a row's at its own.
TEST(DotTile, shifted_b) {
    DotSpec spec{DotKind::u8s8, 1, 1, DataType::s8, DataType::s8};
    spec.shifts_b = true;
    EXPECT_FALSE(can_build_dot(avx512, spec));
    for (const DotSpec& wrong : {DotSpec{DotKind::u8s8, 1, 1, DataType::u8, DataType::s8},
                                 DotSpec{DotKind::s8_exact, 1, 1, DataType::s8, DataType::s8}}) {
        DotSpec shifts = wrong;
        shifts.shifts_b = true;
        EXPECT_FALSE(can_build_dot(avx512_all, shifts)) << key(shifts);
    }
    for (bool DotSpec::*other : {&DotSpec::sums_b, &DotSpec::corrected}) {
        DotSpec both = spec;
        both.*other = true;
        EXPECT_FALSE(can_build_dot(avx512_all, both)) << key(both);
    }
    for (const Target& target : {avx2_vnni, avx512_all})
        for (int panels = 1; panels <= 4; ++panels)
            for (int a_short : {0, 1, 3}) {
                spec.panels = panels, spec.tail = target.masks && panels == 3, spec.a_short = a_short;
                for (int rows : {1, most_rows(target, spec)}) {
                    spec.rows = rows;
                    if (!can_build_dot(target, spec)) continue;
                    ASSERT_NO_FATAL_FAILURE(
                        check(target, spec, {{.steps = 3}, {6, 9, true, true}, {.steps = 41, .panels = true}}));
                }
            }
    spec.panels = 2, spec.tail = false, spec.a_short = 0, spec.loops = 2;
    ASSERT_NO_FATAL_FAILURE(check(avx512_all, spec, {{.steps = 5, .panels = true, .outer = {3, 1}}}));
}

// Rows of B that are interleaved: tails of columns, and of k with A as it lies and with zeros behind it.
TEST(DotTile, rows_of_b) {
    const DotSpec kinds[] = {{DotKind::bf16, 1, 1, DataType::bf16, DataType::bf16},
                             {DotKind::u8s8, 1, 1, DataType::u8, DataType::s8},
                             {DotKind::u8s8, 1, 1, DataType::s8, DataType::s8}};
    for (DotSpec spec : kinds) {
        spec.interleaves = true;
        EXPECT_FALSE(can_build_dot(avx2_vnni, spec));
        EXPECT_FALSE(can_build_dot(avx512, spec));
        const int of_step = spec.kind == DotKind::bf16 ? 2 : 4;
        for (const bool shifts : {false, true})
            for (int panels = 1; panels <= 4; ++panels)
                for (int b_short = 0; b_short < of_step; ++b_short)
                    for (const bool a_short : {false, true}) {
                        spec.shifts_b = shifts, spec.panels = panels, spec.b_short = b_short;
                        spec.a_short = a_short ? b_short * bits(spec.a) / 8 : 0, spec.tail = false;
                        spec.rows = 1;
                        if (!can_build_dot(avx512_all, spec)) continue;
                        for (int rows : {1, most_rows(avx512_all, spec)}) {
                            spec.rows = rows, spec.tail = rows > 1;
                            ASSERT_NO_FATAL_FAILURE(check(
                                avx512_all, spec, {{.steps = 3}, {6, 9, true}, {2, 1}, {.steps = 12, .columns = 15}}));
                        }
                    }
        spec.shifts_b = false, spec.a_short = spec.b_short = 0, spec.tail = false, spec.panels = 4;
        spec.rows = spec.a == DataType::s8 ? 5 : 6; // beside the bits to flip
        EXPECT_TRUE(can_build_dot(avx512_all, spec)) << key(spec);
        spec.loops = 2;
        if (can_build_dot(avx512_all, spec)) { // with `flips`, of fewer rows
            ASSERT_NO_FATAL_FAILURE(check(avx512_all, spec, {{.steps = 5, .outer = {3, 1}}}));
        }
        spec.loops = 1, spec.b_short = of_step;
        EXPECT_FALSE(can_build_dot(avx512_all, spec));
        spec.b_short = 1, spec.interleaves = false;
        EXPECT_FALSE(can_build_dot(avx512_all, spec));
    }
    EXPECT_FALSE(can_build_dot(avx512_all, {.interleaves = true}));
}

TEST(DotTile, loops_over_k) {
    const DotSpec kinds[] = {{},
                             {DotKind::bf16, 1, 1, DataType::bf16, DataType::bf16},
                             {DotKind::u8s8, 1, 1, DataType::u8, DataType::s8},
                             {DotKind::s8_exact, 1, 1, DataType::s8, DataType::u8}};
    for (const Target& target : {avx2, avx512, avx512_all})
        for (const DotSpec& kind : kinds)
            for (int panels : {1, 3})
                for (bool dense : {true, false})
                    for (int loops : {2, 3}) {
                        DotSpec spec = kind;
                        spec.panels = panels, spec.a_dense = dense, spec.loops = loops;
                        const int most = most_rows(target, spec);
                        for (int rows : {1, most}) {
                            spec.rows = rows;
                            if (!can_build_dot(target, spec)) continue;
                            Shape shape{.steps = 5, .accumulate = rows == 1, .panels = dense, .outer = {3, 1}};
                            if (loops == 3) shape.outer[1] = 2;
                            Shape short_one = shape;
                            short_one.steps = 1, short_one.outer[0] = 1;
                            ASSERT_NO_FATAL_FAILURE(check(target, spec, {shape, short_one}));
                        }
                    }
    EXPECT_FALSE(can_build_dot(avx512, {.loops = 4}));
    EXPECT_FALSE(can_build_dot(
        amx, {.kind = DotKind::amx_bf16, .rows = 16, .a = DataType::bf16, .b = DataType::bf16, .loops = 0}));
    for (const auto& [rows, panels] : {std::pair{16, 4}, {32, 2}})
        for (int loops : {2, 3}) {
            DotSpec spec{DotKind::amx_int8, rows, panels, DataType::u8, DataType::s8};
            spec.loops = loops;
            ASSERT_NO_FATAL_FAILURE(
                check_tiles(spec, {{.steps = 2, .panels = true, .rows = rows - 3, .outer = {3, loops - 1}}}));
        }
}

TEST(DotTile, tiles) {
    const DotSpec good{DotKind::amx_bf16, 32, 2, DataType::bf16, DataType::bf16};
    EXPECT_TRUE(can_build_dot(amx, good));
    EXPECT_FALSE(can_build_dot(avx512_all, good));
    Target without_f16 = amx;
    without_f16.amx_f16 = false;
    EXPECT_FALSE(can_build_dot(without_f16, {DotKind::amx_f16, 32, 2, DataType::f16, DataType::f16}));
    for (const auto& [rows, panels] : {std::pair{32, 3}, {16, 5}, {20, 1}, {48, 1}, {0, 1}})
        EXPECT_FALSE(can_build_dot(amx, {DotKind::amx_bf16, rows, panels, DataType::bf16, DataType::bf16}));
    for (const auto& [rows, panels] : {std::pair{16, 1}, {16, 2}, {16, 3}, {16, 4}, {32, 1}, {32, 2}}) {
        DotSpec spec{DotKind::amx_bf16, rows, panels, DataType::bf16, DataType::bf16};
        EXPECT_EQ(dot_tiles(spec, rows, 16), dot_tiles(good, 32, 16));
        const std::vector<Shape> shapes{{.steps = 1, .panels = true},
                                        {3, 16, true, true},
                                        {2, 5, false, true, rows - 5},
                                        {2, 1, true, true, rows - 15},
                                        {.steps = 1, .columns = 7, .panels = true, .groups = 3}};
        for (bool passes : {false, true}) {
            spec.a_passes = passes, spec.ahead = passes && panels <= 2 ? 4 : 0;
            ASSERT_NO_FATAL_FAILURE(check_tiles(spec, shapes));
        }
        spec.a_passes = false, spec.ahead = 0, spec.b_passes = true;
        ASSERT_NO_FATAL_FAILURE(check_tiles(spec, shapes));
        ASSERT_NO_FATAL_FAILURE(check_tiles({DotKind::amx_f16, rows, panels, DataType::f16, DataType::f16}, shapes));
        for (DataType a : {DataType::u8, DataType::s8})
            for (DataType b : {DataType::u8, DataType::s8})
                ASSERT_NO_FATAL_FAILURE(check_tiles({DotKind::amx_int8, rows, panels, a, b}, shapes));
    }
}

} // namespace tessera::cpu
