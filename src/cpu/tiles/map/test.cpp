// SPDX-License-Identifier: Apache-2.0
// Generated map kernels against the portable lanes, bit for bit: every pair of stored types, value type, shape of
// program, size around the vector and turn edges, target that the machine can run; extremes in the data, guard pages
// around src and dst, gaps between rows that must stay as they were. covers: DT-01 CVT-01 CVT-02 CVT-10
#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <random>

#include <gtest/gtest.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "cpu/jit/kernel.hpp"
#include "cpu/jit/program_code.hpp"
#include "cpu/lanes/lanes.hpp"
#include "cpu/tiles/map/make.hpp"
#include "machines.hpp"
#include "run_code.hpp"

namespace tessera::cpu {

namespace {

using jit::Target;

constexpr DataType stored_types[] = {DataType::f32,     DataType::bf16, DataType::f16,     DataType::s32,
                                     DataType::s8,      DataType::u8,   DataType::boolean, DataType::f8_e5m2,
                                     DataType::f8_e4m3, DataType::e8m0};
constexpr int64_t sizes[] = {1,  2,  3,  4,  5,  7,  8,  9,  12, 13,  15,  16,  17,  23,  31,  32,  33,
                             47, 48, 49, 63, 64, 65, 79, 95, 96, 127, 128, 129, 131, 160, 191, 192, 193};

// Codes of a type with what is special in it, `from` on.
void fill(DataType type, unsigned char* out, int64_t count, unsigned from) {
    static const std::vector<uint32_t> specials = [] {
        std::vector<uint32_t> v{0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x7f800000,
                                0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001, 0xffa54321, 0x7fffffff, 0x7f7fffff,
                                0xff7fffff, 0x00400000, 0x7f7f8000, 0x7f7f7fff, 0x47ffefff, 0x47fff000, 0x33000000,
                                0x33000001, 0x32ffffff, 0x33c00000, 0x38800000, 0x387fffff, 0x387fe000, 0x7ffffffe};
        for (float f :
             {0.5f,         1.5f,         2.5f,          -0.5f,         -1.5f,        -2.5f,    126.5f,     127.5f,
              127.49999f,   128.f,        -128.f,        -128.5f,       -129.f,       254.5f,   255.5f,     256.f,
              2147483520.f, 2147483648.f, -2147483648.f, -2147483904.f, 1e10f,        -1e10f,   8388607.5f, 8388608.f,
              16777215.f,   448.f,        464.f,         465.f,         480.f,        61439.9f, 61440.f,    57344.f,
              -61440.f,     65504.f,      65519.f,       65520.f,       0x1p-6f,      0x1p-7f,  0x1p-9f,    0x1p-10f,
              0x1.8p-10f,   0x3p-10f,     0x5p-10f,      0xfp-10f,      0xf.8p-10f,   0x1p-14f, 0x1p-16f,   0x1p-17f,
              0x3p-17f,     0x5p-17f,     0x7p-17f,      0x1.0002p-17f, 0x7.001p-17f, 3.14159f, -100.25f})
            v.push_back(std::bit_cast<uint32_t>(f));
        return v;
    }();
    static std::mt19937 random(7);
    for (int64_t i = 0; i < count; ++i) {
        const unsigned n = from + unsigned(i);
        const uint32_t noise = uint32_t(random());
        uint32_t code = noise;
        if (type == DataType::f32) {
            // in turns: special, any bits, values of the size of integers, values of the size of f8's steps
            const float small = float(int32_t(noise % 80000) - 40000) / 128.f;
            code = n % 4 == 0   ? specials[(n / 4) % specials.size()]
                   : n % 4 == 1 ? noise
                   : n % 4 == 2 ? std::bit_cast<uint32_t>(small)
                                : std::bit_cast<uint32_t>(small * 0x1p-14f);
        } else if (type == DataType::s32) {
            constexpr uint32_t edges[] = {0,          1,        0xffffffff, 127,   128,   0xffffff80,
                                          0xffffff7f, 255,      256,        32767, 32768, 0x7fffffff,
                                          0x80000000, 16777217, 0x7fffffbf, 65536};
            code = n % 3 == 0 ? edges[(n / 3) % 16] : n % 3 == 1 ? noise : uint32_t(int32_t(noise % 1000) - 500);
        } else if (bits(type) == 16) {
            constexpr uint16_t edges[] = {0,      0x8000, 1,      0x3ff,  0x400,  0x7c00,
                                          0xfc00, 0x7c01, 0x7e55, 0x7bff, 0x7f80, 0x7f81};
            code = n % 3 == 0 ? edges[(n / 3) % 12] : noise;
        } else if (bits(type) == 8) {
            code = n % 2 ? noise : n / 2;
        }
        write_bits(type, out, i, bits(type) == 64 ? uint64_t(noise) * 0x9e3779b97f4a7c15u : code);
    }
}

struct Shape {
    const char* name;
    Program program;
    std::vector<DataType> more; // operands behind src and dst
    std::array<int64_t, map_operands> column{1, 1};
};

std::vector<Shape> shapes(ValueType v) {
    std::vector<Shape> all;
    const DataType natural = v == ValueType::f32 ? DataType::f32 : DataType::s32;
    {
        Shape s{"conversion", {}, {}};
        s.program.store(1, s.program.load(0, v));
        all.push_back(s);
        s.name = "one value a row", s.column[0] = 0;
        all.push_back(s);
    }
    for (int64_t column : {0, 1}) {
        Shape s{column ? "scale per column" : "scale", {}, {natural}, {1, 1, column}};
        const int x = s.program.load(0, v);
        s.program.store(1, s.program.binary(OpCode::mul, x, s.program.load(2, v)));
        all.push_back(s);
    }
    {
        Shape s{"zero points, sum", {}, {DataType::s8, natural, DataType::s32}, {1, 1, 0, 1, 0}};
        Program& p = s.program;
        int x = p.load(0, v);
        x = p.binary(OpCode::sub, x, p.load(2, v));
        x = p.binary(OpCode::mul, x, p.load(3, v));
        x = p.binary(OpCode::add, x, p.binary(OpCode::mul, p.load(1, v), p.constant(3, v)));
        if (v == ValueType::f32) x = p.binary(OpCode::div, x, p.constant(0.75, v));
        p.store(1, p.binary(OpCode::add, x, p.load(4, v)));
        all.push_back(s);
    }
    return all;
}

std::string text(const unsigned char* p, size_t n) {
    std::string s;
    for (size_t i = 0; i < n; ++i) s += "0123456789abcdef"[p[i] >> 4], s += "0123456789abcdef"[p[i] & 15];
    return s;
}

// The portable lanes, or the definition of the program where they lack `cvt`.
void reference(const MapSpec& spec, const Access* access, int64_t rows, int64_t columns) {
    const auto& ops = spec.program.ops;
    if (std::none_of(ops.begin(), ops.end(), [](const Op& op) { return op.code == OpCode::cvt; }))
        return run_lanes(spec.program, spec.types, access, access, rows, columns);
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) {
            std::vector<void*> pointers;
            std::vector<int64_t> elements;
            for (size_t o = 0; o < spec.types.size(); ++o) {
                pointers.push_back(access[o].base);
                elements.push_back(i * access[o].row + j * access[o].column);
            }
            eval(spec.program, spec.types, pointers, elements);
        }
}

class Checker {
public:
    // Rows and columns of spec on the kernel and on run_lanes; operands 0 and 1 lie at the pages, the others anywhere.
    void check(const jit::Kernel& kernel, const MapSpec& spec, int64_t rows, int64_t columns, bool at_end, int shift) {
        const size_t count = spec.types.size();
        const int64_t gap = rows > 1 ? 5 : 0;
        MapArgs args{};
        args.rows = rows, args.columns = columns;
        Access access[map_operands];
        const DataType dst_type = spec.types[1];
        const size_t dst_size = size_t(bits(dst_type) / 8);
        const size_t dst_bytes = size_t((rows - 1) * (columns + gap) + columns) * dst_size;
        for (size_t o = 0; o < count; ++o) {
            const DataType type = spec.types[o];
            const int64_t size = bits(type) / 8, row = spec.column[o] ? columns + gap : 1;
            const int64_t elements = spec.column[o] ? (rows - 1) * row + columns : rows;
            unsigned char* at = buffers_[o].place(size_t(elements * size), at_end);
            fill(type, at, elements, seed_ += 13);
            access[o] = {at, 0, row, spec.column[o], nullptr};
            args.base[o] = at, args.row[o] = row * size;
        }
        std::vector<unsigned char> expected(dst_bytes);
        std::memcpy(expected.data(), args.base[1], dst_bytes);
        // dst of the kernel: a copy that may be out of alignment
        unsigned char* const dst = dst_.place(dst_bytes + size_t(at_end ? shift : 0), at_end) + (at_end ? 0 : shift);
        unsigned char* const low = std::max(dst_.begin(), dst - 512);
        unsigned char* const high = std::min(dst_.end(), dst + dst_bytes + 512);
        std::memset(low, 0xa5, size_t(high - low));
        std::memcpy(dst, args.base[1], dst_bytes);
        args.base[1] = dst;
        kernel(&args);
        access[1].base = expected.data();
        reference(spec, access, rows, columns);
        if (std::memcmp(dst, expected.data(), dst_bytes)) {
            for (size_t b = 0; b < dst_bytes; b += dst_size) {
                if (!std::memcmp(dst + b, &expected[b], dst_size)) continue;
                // Which of two NaN operands an addition keeps is open: compilers swap them in the portable loops.
                if (!is_conversion(spec.program) && std::isnan(read<float>(dst_type, dst + b, 0)) &&
                    std::isnan(read<float>(dst_type, &expected[b], 0)))
                    continue;
                const size_t e = b / dst_size, row = e / size_t(columns + gap), column = e % size_t(columns + gap);
                const size_t src_size = size_t(bits(spec.types[0]) / 8);
                const auto* src = static_cast<const unsigned char*>(access[0].base) +
                                  (row * size_t(access[0].row) + column) * src_size;
                FAIL() << kernel.name() << " rows " << rows << " columns " << columns << " at " << row << "," << column
                       << ": got " << text(dst + b, dst_size) << " expected " << text(&expected[b], dst_size)
                       << " src (low byte first) " << text(src, src_size);
            }
        }
        for (unsigned char* p = low; p < high; ++p)
            if (p < dst || p >= dst + dst_bytes)
                if (*p != 0xa5) FAIL() << kernel.name() << " wrote outside, at " << p - dst << " of " << dst_bytes;
    }

    void check_all(const Target& target, const MapSpec& spec) {
        ASSERT_TRUE(can_build_map(spec)) << key(spec);
        const auto kernel = jit::kernel(target, key(spec), [&] { return build_map(target, spec); });
        ASSERT_TRUE(kernel) << key(spec) << " W " << target.vector_bytes;
        for (int64_t columns : sizes)
            for (int64_t rows : {1, 3}) {
                if (spec.fixed && columns != spec.fixed) continue;
                check(*kernel, spec, rows, columns, true, 0);
                if (spec.stream) check(*kernel, spec, rows, columns, false, int(columns % 4));
                if (testing::Test::HasFatalFailure()) return;
            }
        ++kernels;
    }

    int kernels = 0;

private:
    GuardedPages buffers_[map_operands], dst_;
    unsigned seed_ = 0;
};

class MapTest : public testing::TestWithParam<Target> {};

void check_types(const Target& target, ValueType v, bool stream) {
    Checker checker;
    for (const Shape& shape : shapes(v))
        for (DataType src : stored_types)
            for (DataType dst : stored_types) {
                MapSpec spec{shape.program, {src, dst}, shape.column, stream};
                spec.types.insert(spec.types.end(), shape.more.begin(), shape.more.end());
                checker.check_all(target, spec);
                if (testing::Test::HasFatalFailure()) return;
            }
    EXPECT_EQ(checker.kernels, 500);
}

} // namespace

TEST_P(MapTest, f32_values) { check_types(GetParam(), ValueType::f32, false); }
TEST_P(MapTest, s32_values) { check_types(GetParam(), ValueType::s32, false); }
TEST_P(MapTest, streams) { check_types(GetParam(), ValueType::f32, true); }

TEST_P(MapTest, copies) {
    Checker checker;
    Program copy;
    copy.store(1, copy.load(0, ValueType::bits));
    for (bool stream : {false, true})
        for (DataType type : {DataType::s8, DataType::f16, DataType::f32, DataType::s64})
            checker.check_all(GetParam(), {copy, {type, type}, {1, 1}, stream});
}

// Float targets round to nearest even, integer targets as the environment says; flushing subnormals changes nothing.
TEST_P(MapTest, rounding_modes) {
    Checker checker;
    const Shape conversion = shapes(ValueType::f32)[0];
    auto all_pairs = [&] {
        for (DataType src : stored_types)
            for (DataType dst : stored_types) {
                checker.check_all(GetParam(), {conversion.program, {src, dst}, conversion.column, false});
                if (testing::Test::HasFatalFailure()) return;
            }
    };
    for (int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        std::fesetround(mode);
        all_pairs();
        std::fesetround(FE_TONEAREST);
    }
#if defined(__x86_64__)
    const unsigned state = _mm_getcsr();
    _mm_setcsr(state | 0x8040); // FTZ, DAZ
    all_pairs();
    _mm_setcsr(state);
#endif
}

// Kernels of one number of columns each.
TEST_P(MapTest, short_rows) {
    Checker checker;
    int refused = 0;
    for (const Shape& shape : shapes(ValueType::f32))
        for (DataType src : {DataType::f32, DataType::bf16, DataType::f16, DataType::s8})
            for (DataType dst : stored_types)
                for (int64_t columns : sizes) {
                    MapSpec spec{shape.program, {src, dst}, shape.column, false, int(columns)};
                    spec.types.insert(spec.types.end(), shape.more.begin(), shape.more.end());
                    if (can_build_short_rows(GetParam(), spec))
                        checker.check_all(GetParam(), spec);
                    else
                        ++refused;
                    if (testing::Test::HasFatalFailure()) return;
                }
    EXPECT_GT(checker.kernels, refused);
    Program copy;
    copy.store(1, copy.load(0, ValueType::bits));
    Program as_f32;
    as_f32.store(1, as_f32.load(0, ValueType::f32));
    for (DataType dst : {DataType::f32, DataType::bf16, DataType::u8}) // whole vectors past the caches
        for (const Program& program : {copy, as_f32}) {
            const MapSpec spec{program, {DataType::f32, dst}, {1, 1}, true, GetParam().vector_bytes};
            const bool copies = program.ops[0].type == ValueType::bits;
            if (copies && dst != DataType::f32) continue;
            ASSERT_TRUE(can_build_short_rows(GetParam(), spec)) << key(spec);
            const auto kernel = jit::kernel(GetParam(), key(spec), [&] { return build_map(GetParam(), spec); });
            ASSERT_TRUE(kernel);
            checker.check(*kernel, spec, 1, spec.fixed, false, 0);
            MapSpec part = spec;
            part.fixed = GetParam().vector_bytes / 4 + 1;
            ASSERT_FALSE(can_build_short_rows(GetParam(), part)) << key(part);
        }
    for (DataType type : {DataType::s8, DataType::f16, DataType::f32, DataType::s64})
        for (int64_t columns : {1, 3, 8, 15, 16, 17, 32})
            checker.check_all(GetParam(), {copy, {type, type}, {1, 1}, false, int(columns)});
}

// Rows anywhere: those of src and of a scale a row follow tables, then those of dst, too; the others lie a stride
// apart.
TEST_P(MapTest, rows_by_steps) {
    Program scaled, clamp;
    scaled.store(1, scaled.binary(OpCode::mul, scaled.load(0, ValueType::f32), scaled.load(2, ValueType::f32)));
    clamp.store(1, clamp.load(0, ValueType::s32));
    constexpr int64_t rows = 9, gap = 3, order[rows] = {4, 4, 0, 7, 1, 1, 8, 3, 2};
    const auto check_rows = [&](MapSpec spec, int64_t columns) {
        const auto kernel = map_kernel(GetParam(), spec);
        ASSERT_TRUE(kernel) << key(spec);
        std::vector<unsigned char> bytes[3], expected;
        std::vector<int64_t> steps[3];
        MapArgs args{};
        args.rows = rows, args.columns = columns;
        Access at[3] = {};
        const auto place = [&](size_t o, int64_t i) { // element
            const bool stepped = std::ranges::count(spec.stepped, int(o)) > 0;
            const int64_t row = o == 1 && stepped ? (i * 4) % rows : stepped ? order[i] : i; // dst: each once
            return row * (spec.column[o] ? columns + gap : 1);
        };
        for (size_t o = 0; o < spec.types.size(); ++o) {
            const int64_t size = bits(spec.types[o]) / 8;
            bytes[o].resize(size_t(rows * (columns + gap) * size), 0xa5);
            if (o != 1) fill(spec.types[o], bytes[o].data(), rows * (columns + gap), unsigned(columns));
            for (int64_t i = 0; i + 1 < rows; ++i) steps[o].push_back((place(o, i + 1) - place(o, i)) * size);
            steps[o].push_back(0);
            args.base[o] = bytes[o].data() + place(o, 0) * size, args.row[o] = steps[o][0];
            if (std::ranges::count(spec.stepped, int(o))) args.set_steps(o, steps[o].data());
        }
        expected = bytes[1];
        for (int64_t i = 0; i < rows; ++i) {
            for (size_t o = 0; o < spec.types.size(); ++o)
                at[o] = {o == 1 ? expected.data() : bytes[o].data(), place(o, i), 0, spec.column[o], nullptr};
            run_lanes(spec.program, spec.types, at, at, 1, columns);
        }
        (*kernel)(&args);
        ASSERT_EQ(bytes[1], expected) << key(spec) << " columns " << columns;
    };
    for (const std::vector<int>& stepped : {std::vector{0}, {0, 2}, {0, 1, 2}, {1}})
        for (const int64_t columns : {1, 2, 3, 7, 8, 15, 16, 17, 33, 64, 100, 300})
            for (const bool fixed : {false, true})
                for (const DataType type : {DataType::f32, DataType::bf16, DataType::u8}) {
                    MapSpec spec{scaled, {type, DataType::s8, DataType::f32}, {1, 1, 0}, false};
                    spec.stepped = stepped, spec.fixed = fixed ? int(columns) : 0;
                    if (fixed && !can_build_short_rows(GetParam(), spec)) continue;
                    check_rows(spec, columns);
                    spec.program = clamp, spec.types = {DataType::u8, DataType::s8};
                    std::erase(spec.stepped, 2);
                    check_rows(spec, columns);
                    spec.program = {}, spec.types = {type, type};
                    spec.program.store(1, spec.program.load(0, ValueType::bits));
                    check_rows(spec, columns);
                    if (HasFatalFailure()) return;
                }
}

// Operands that stay in registers: period columns of them are repeated within a row.
TEST_P(MapTest, held_operands) {
    Program p;
    const int centred = p.binary(OpCode::sub, p.load(0, ValueType::f32), p.load(1, ValueType::f32));
    p.store(3, p.binary(OpCode::mul, centred, p.load(2, ValueType::f32)));
    const int lanes = GetParam().vector_bytes / 4;
    constexpr int64_t rows = 5;
    for (const DataType type : {DataType::f32, DataType::bf16, DataType::s8})
        for (const auto& [period, fixed] : {std::pair{lanes, lanes},
                                            {lanes, 4 * lanes},
                                            {2 * lanes, 4 * lanes},
                                            {3 * lanes, 3 * lanes},
                                            {8 * lanes, 8 * lanes},
                                            {lanes, 7 * lanes},
                                            {1, 5},
                                            {2, 2 * lanes},
                                            {4, 28},
                                            {lanes / 2, 4 * lanes}}) {
            MapSpec spec{p, {type, DataType::f32, DataType::bf16, type}, {1, 1, 1, 1}, false, fixed};
            spec.held = {1, 2}, spec.period = period;
            ASSERT_TRUE(can_build_short_rows(GetParam(), spec)) << key(spec);
            const auto kernel = jit::kernel(GetParam(), key(spec), [&] { return build_map(GetParam(), spec); });
            ASSERT_TRUE(kernel) << key(spec);
            const int64_t size = bits(type) / 8, row = spec.fixed + 3;
            std::vector<unsigned char> src(size_t(rows * row * size)), found(src.size(), 0xa5), expected = found;
            std::vector<unsigned char> means(size_t(spec.period * 4)), scales(size_t(spec.period * 2));
            for (int64_t i = 0; i < rows * row; ++i) write<float>(type, src.data(), i, float(i % 50));
            for (int64_t j = 0; j < spec.period; ++j)
                write<float>(DataType::f32, means.data(), j, float(j % 7)),
                    write<float>(DataType::bf16, scales.data(), j, float(j % 3));
            for (int64_t i = 0; i < rows; ++i)
                for (int64_t j = 0; j < spec.fixed; ++j)
                    write<float>(type, expected.data(), i * row + j,
                                 (read<float>(type, src.data(), i * row + j) - float(j % spec.period % 7)) *
                                     float(j % spec.period % 3));
            MapArgs args{};
            args.rows = rows;
            args.base[0] = src.data(), args.base[1] = means.data(), args.base[2] = scales.data();
            args.base[3] = found.data(), args.row[0] = args.row[3] = row * size;
            (*kernel)(&args);
            ASSERT_EQ(found, expected) << key(spec);
        }
}

// Rows whose ends are padding: anything is read there, except behind the last row, and zeros are stored.
TEST_P(MapTest, rows_with_padding) {
    Program scaled, copy;
    scaled.store(1, scaled.binary(OpCode::mul, scaled.load(0, ValueType::f32), scaled.load(2, ValueType::f32)));
    copy.store(1, copy.load(0, ValueType::bits));
    const int lanes = GetParam().vector_bytes / 4;
    constexpr int rows = 4;
    int kernels = 0;
    for (const Program& program : {scaled, copy})
        for (const auto& [live, period] :
             {std::pair{1, 2}, {1, 4}, {3, 4}, {5, 8}, {1, 16}, {4, 16}, {15, 16}, {17, 32}})
            for (const DataType from : {DataType::f32, DataType::bf16, DataType::s8})
                for (const DataType to : {DataType::f32, DataType::bf16, DataType::u8, DataType::s8})
                    for (const int merged : {1, 2, 3, 4, 8}) {
                        MapSpec spec{program, {from, to, DataType::f32}, {1, 1, 1}, false, merged * period};
                        if (is_copy(program) && from != to) continue;
                        if (!is_copy(program)) spec.held = {2};
                        spec.period = period, spec.live = live;
                        if (!can_build_short_rows(GetParam(), spec)) continue;
                        ++kernels;
                        const auto kernel = map_kernel(GetParam(), spec);
                        ASSERT_TRUE(kernel) << key(spec);
                        const int64_t columns = rows * spec.fixed, size = bits(to) / 8;
                        const int64_t behind = merged == 1 ? period - live : 0; // not in the buffer
                        GuardedPages pages, scales;
                        unsigned char* const src = pages.place(size_t((columns - behind) * bits(from) / 8), true);
                        unsigned char* const scale = scales.place(size_t(live) * 4, true);
                        std::vector<unsigned char> found(size_t(columns * size), 0xa5), expected(found.size(), 0);
                        for (int64_t i = 0; i < columns - behind; ++i) write<float>(from, src, i, float(i % 50));
                        for (int64_t j = 0; j < live; ++j) write<float>(DataType::f32, scale, j, float(j % 3));
                        for (int64_t i = 0; i < columns; ++i)
                            if (const int64_t j = i % period; j < live)
                                write<float>(to, expected.data(), i,
                                             read<float>(from, src, i) * (is_copy(program) ? 1 : float(j % 3)));
                        MapArgs args{};
                        args.rows = rows, args.base[0] = src, args.base[1] = found.data(), args.base[2] = scale;
                        args.row[0] = spec.fixed * bits(from) / 8, args.row[1] = spec.fixed * size;
                        (*kernel)(&args);
                        ASSERT_EQ(found, expected) << key(spec);
                    }
    EXPECT_GT(kernels, lanes == 16 ? 400 : 300);
}

// Conversions of nothing but an operand that is held: the same row again and again.
TEST_P(MapTest, held_sources) {
    const int lanes = GetParam().vector_bytes / 4;
    constexpr int64_t rows = 5;
    for (const ValueType value : {ValueType::f32, ValueType::s32})
        for (const DataType from : stored_types)
            for (const DataType to : stored_types)
                for (const auto& [period, fixed] : {std::pair{1, 1}, {1, 4}, {2, 4}, {3, 3}}) {
                    MapSpec spec{{}, {from, to}, {1, 1}, false, fixed * lanes};
                    spec.program.store(1, spec.program.load(0, value));
                    if (is_copy(spec.program)) continue;
                    spec.held = {0}, spec.period = period * lanes;
                    ASSERT_EQ(can_build_short_rows(GetParam(), spec), !is_table(spec.program, spec.types, GetParam()))
                        << key(spec);
                    if (!can_build_short_rows(GetParam(), spec)) continue;
                    const auto kernel = jit::kernel(GetParam(), key(spec), [&] { return build_map(GetParam(), spec); });
                    ASSERT_TRUE(kernel) << key(spec);
                    const int64_t size = bits(to) / 8, row = spec.fixed + 3;
                    std::vector<unsigned char> src(size_t(spec.period * bits(from) / 8));
                    std::vector<unsigned char> found(size_t(rows * row * size), 0xa5), expected = found;
                    fill(from, src.data(), spec.period, unsigned(fixed));
                    for (int64_t i = 0; i < rows; ++i)
                        for (int64_t j = 0; j < spec.fixed; j += spec.period) {
                            const Access places[] = {{src.data(), 0, 0, 1, nullptr},
                                                     {expected.data(), i * row + j, 0, 1, nullptr}};
                            run_lanes(spec.program, spec.types, places, places, 1, spec.period);
                        }
                    MapArgs args{};
                    args.rows = rows;
                    args.base[0] = src.data(), args.base[1] = found.data(), args.row[1] = row * size;
                    (*kernel)(&args);
                    ASSERT_EQ(found, expected) << key(spec);
                }
}

// What a row's last vector computes again comes from what was there before the row was stored.
TEST_P(MapTest, short_rows_in_place) {
    Program half;
    half.store(1, half.binary(OpCode::mul, half.load(0, ValueType::f32), half.constant(0.5, ValueType::f32)));
    constexpr int64_t rows = 5, gap = 3;
    for (DataType type : {DataType::f32, DataType::bf16, DataType::f16, DataType::s8, DataType::u8})
        for (int columns = 1; columns <= 8 * GetParam().vector_bytes / 4; ++columns) {
            const MapSpec spec{half, {type, type}, {1, 1}, false, columns};
            ASSERT_TRUE(can_build_short_rows(GetParam(), spec));
            const auto kernel = jit::kernel(GetParam(), key(spec), [&] { return build_map(GetParam(), spec); });
            ASSERT_TRUE(kernel);
            const int64_t row = columns + gap, size = bits(type) / 8;
            std::vector<unsigned char> data(size_t(rows * row * size)), expected;
            for (int64_t i = 0; i < rows * row; ++i) write<float>(type, data.data(), i, float(i % 96));
            expected = data;
            const Access access[] = {{expected.data(), 0, row, 1, nullptr}, {expected.data(), 0, row, 1, nullptr}};
            run_lanes(half, spec.types, access, access, rows, columns);
            MapArgs args{};
            args.rows = rows, args.columns = columns;
            for (int o : {0, 1}) args.base[o] = data.data(), args.row[o] = row * size;
            (*kernel)(&args);
            ASSERT_EQ(data, expected) << key(spec);
        }
}

// Eight operands leave the kernel general registers for index and counters; of more the addresses stay in memory.
TEST_P(MapTest, many_operands) {
    Checker checker;
    for (bool stream : {false, true})
        for (int count : {7, 8, 9, 12, 16}) {
            MapSpec spec{{}, {DataType::f32, DataType::bf16}, {1, 1}, stream};
            int x = spec.program.load(0, ValueType::f32);
            for (int o = 2; o < count; ++o) {
                spec.types.push_back(o % 2 ? DataType::s8 : DataType::f16);
                spec.column[size_t(o)] = o % 4 != 0;
                const int y = spec.program.load(o, ValueType::f32);
                x = spec.program.binary(o % 2 ? OpCode::add : OpCode::sub, x, y);
            }
            spec.program.store(1, x);
            checker.check_all(GetParam(), spec);
        }
}

TEST_P(MapTest, conversions_between_values) {
    Checker checker;
    for (DataType dst : stored_types) {
        MapSpec spec{{}, {DataType::f32, dst}, {1, 1}, false};
        Program& p = spec.program;
        const int rounded = p.cvt(p.load(0, ValueType::f32), ValueType::s32);
        const int sum = p.binary(OpCode::add, rounded, p.constant(-7, ValueType::s32));
        p.store(1, p.cvt(sum, ValueType::f32));
        checker.check_all(GetParam(), spec);
    }
}

INSTANTIATE_TEST_SUITE_P(targets, MapTest, testing::ValuesIn(jit::vector_targets()),
                         [](const auto& info) { return jit::name_of(info.param); });

TEST(map, refuses_what_it_does_not_build) {
    Program copy;
    copy.store(1, copy.load(0, ValueType::bits));
    EXPECT_FALSE(can_build_map({copy, {DataType::s4, DataType::s4}, {1, 1}, false})); // nibbles
    EXPECT_FALSE(can_build_map({copy, {DataType::s8, DataType::s8}, {0, 1}, false})); // one element for all
    Program convert;
    convert.store(1, convert.load(0, ValueType::f64));
    EXPECT_FALSE(can_build_map({convert, {DataType::f64, DataType::f32}, {1, 1}, false}));
    Program plain;
    plain.store(1, plain.load(0, ValueType::f32));
    EXPECT_TRUE(can_build_map({plain, {DataType::f32, DataType::s8}, {1, 1}, false}));
    EXPECT_FALSE(can_build_map({plain, {DataType::f32, DataType::s8}, {1, 0}, false})); // a store on itself
    EXPECT_FALSE(can_build_map({plain, {DataType::f32, DataType::s4}, {1, 1}, false}));
    Program again = plain;
    again.store(1, again.load(1, ValueType::f32));
    EXPECT_FALSE(can_build_map({again, {DataType::f32, DataType::s8}, {1, 1}, false})); // a load after a store
    Program divide;
    const int x = divide.load(0, ValueType::s32);
    divide.store(1, divide.binary(OpCode::div, x, x));
    EXPECT_FALSE(can_build_map({divide, {DataType::s32, DataType::s32}, {1, 1}, false}));
}

} // namespace tessera::cpu
