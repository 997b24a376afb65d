// SPDX-License-Identifier: Apache-2.0
// Generated reduce kernels against their contract, value by value: every combination, stored types, sizes around the
// vector, sums from the start and added to, special values; guard pages around every operand, and what lies behind the
// sums must stay as it was. covers: RED-02 RED-03
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "core/types/convert.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/tiles/reduce/contract.hpp"
#include "machines.hpp"
#include "run_code.hpp"

namespace tessera::cpu {

namespace {

using jit::Target;

constexpr int64_t sizes[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 23, 24, 31, 32, 33, 63, 64, 65, 100, 127, 128, 130};
constexpr OpCode combinations[] = {OpCode::reduce_add, OpCode::reduce_mul, OpCode::reduce_max, OpCode::reduce_min,
                                   OpCode::reduce_max_at};

// value * scale, or beside it the number of the point: operands value, scale (column 0), numbers (counted).
ReduceSpec spec_of(OpCode combine, ValueType type, DataType stored, bool along_sum, int64_t stride = 1) {
    Program p;
    const int x = p.binary(OpCode::mul, p.load(0, type), p.load(1, type));
    const int r = combine == OpCode::reduce_max_at ? p.reduce(combine, x, p.index(2)) : p.reduce(combine, x);
    p.store(0, r);
    if (combine == OpCode::reduce_max_at) p.store(0, p.second(r));
    const DataType natural = type == ValueType::f32 ? DataType::f32 : DataType::s32;
    ReduceSpec spec;
    spec.parts = split_reduction(p, 3);
    spec.types = {stored, natural, DataType::s32, natural, spec.parts.pairs() ? DataType::s32 : DataType::f32};
    spec.column = {stride, 0, along_sum ? 3 : 0};
    spec.along_sum = along_sum;
    return spec;
}

uint32_t code_of(DataType type, std::mt19937& random) {
    const uint32_t noise = uint32_t(random());
    if (type == DataType::f32) {
        constexpr uint32_t specials[] = {0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 0xff7fffff, 1};
        return noise % 11 == 0 ? specials[noise / 11 % 8]
                               : std::bit_cast<uint32_t>(float(int32_t(noise % 4001) - 2000) / 64.f);
    }
    if (type == DataType::s32) return uint32_t(int32_t(noise % 201) - 100);
    if (bits(type) == 16) return noise % 23 == 0 ? 0xffff : (noise & 0x8fff) | 0x3000; // NaN; f16 and bf16 near 1
    return noise & 0xff;
}

class ReduceTest : public testing::TestWithParam<Target> {
protected:
    void check(const ReduceSpec& spec, int64_t results, int64_t columns, int64_t turns, int64_t points, bool at_end) {
        ASSERT_TRUE(can_build_reduce(spec));
        const auto kernel = jit::kernel(GetParam(), key(spec), [&] { return build_reduce(GetParam(), spec); });
        ASSERT_TRUE(kernel) << key(spec);
        if (spec.along_sum) turns = points = 1;
        const int64_t size = bits(spec.types[0]) / 8, stride = spec.column[0], row = (columns - 1) * stride + 4;
        const int64_t elements = results * turns * points * row - 3;
        unsigned char* const values = values_.place(size_t(elements * size), at_end);
        unsigned char* const scales = scales_.place(size_t(results * 4), at_end);
        for (int64_t i = 0; i < elements; ++i) write_bits(spec.types[0], values, i, code_of(spec.types[0], random_));
        for (int64_t i = 0; i < results; ++i) write<float>(spec.types[1], scales, i, float(1 + i % 2));

        const int64_t lanes = spec.along_sum ? reduction_sums : columns, padded = (lanes + 15) / 16 * 16;
        const auto cells = size_t(results * padded);
        std::vector<uint32_t> sums(2 * (cells + 16), untouched), out(2 * (size_t(results) + 16), untouched);
        std::vector<Partial> expected(size_t(results * lanes), of_nothing(spec.parts.combine, spec.parts.type));
        for (Partial& p : expected) p.second = no_number;
        for (size_t i = 0; i < expected.size(); ++i) {
            const size_t at = i / size_t(lanes) * size_t(padded) + i % size_t(lanes);
            if (!spec.fresh) expected[i].value = code_of(spec.types[3], random_) & 0x3fffffff, expected[i].second = 5;
            if (!spec.fresh) sums[at] = expected[i].value, sums[cells + 16 + at] = expected[i].second;
        }
        const int64_t first_number = 7;
        for (int64_t i = 0; i < results; ++i)
            for (int64_t t = 0; t < turns; ++t)
                for (int64_t p = 0; p < points; ++p)
                    for (int64_t j = 0; j < columns; ++j) {
                        const int64_t place = ((i * turns + t) * points + p) * row + j * stride;
                        const int64_t number = first_number + i + 10 * t + 2 * p + spec.column[2] * j;
                        Partial& into = expected[size_t(i * lanes + (spec.along_sum ? j % reduction_sums : j))];
                        into.count = 1;
                        into = combined(spec.parts.combine, spec.parts.type, into,
                                        of_point(product(spec, values, place, scales, i), uint32_t(number)));
                    }
        ReduceArgs args{};
        args.results = results, args.columns = columns, args.turns = turns, args.points = points;
        args.sums = reinterpret_cast<char*>(sums.data()), args.sums_row = padded * 4;
        args.seconds = int64_t(cells + 16) * 4, args.out = reinterpret_cast<char*>(out.data());
        if (spec.joined && spec.parts.pairs()) out.resize(cells + 16 + out.size());
        args.out = reinterpret_cast<char*>(out.data());
        args.set(0, reinterpret_cast<char*>(values), row * size, points * row * size, turns * points * row * size,
                 stride * size);
        args.set(1, reinterpret_cast<char*>(scales), 0, 0, 4, 0);
        args.set(2, reinterpret_cast<char*>((uintptr_t(1) << 32) + first_number), 2, 10, 1, spec.column[2]);
        (*kernel)(&args);

        const auto same = [&](const Partial& want, uint32_t value, uint32_t second, const char* what, int64_t at) {
            const bool nan = spec.parts.type == ValueType::f32 && std::isnan(std::bit_cast<float>(want.value)) &&
                             std::isnan(std::bit_cast<float>(value)); // which of two NaN an addition keeps is open
            ASSERT_TRUE(nan || want.value == value)
                << what << " " << at << " of " << key(spec) << " results " << results << " columns " << columns
                << " turns " << turns << " points " << points << std::hex << " " << want.value << " " << value;
            if (spec.parts.pairs()) { ASSERT_EQ(want.second, second) << what << " " << at << " of " << key(spec); }
        };
        for (int64_t i = 0; i < results; ++i) {
            if (spec.joined) {
                Partial* const p = &expected[size_t(i * lanes)];
                for (int apart = reduction_sums / 2; apart; apart /= 2)
                    for (int k = 0; k < apart; ++k) {
                        p[k].count = p[k + apart].count = 1;
                        p[k] = combined(spec.parts.combine, spec.parts.type, p[k], p[k + apart]);
                    }
                same(*p, out[size_t(i)], spec.parts.pairs() ? out[cells + 16 + size_t(i)] : 0, "result", i);
                continue;
            }
            for (int64_t k = 0; k < lanes; ++k) {
                const auto at = size_t(i * padded + k);
                same(expected[size_t(i * lanes + k)], sums[at], sums[cells + 16 + at], "sum", i * lanes + k);
                if (HasFatalFailure()) return;
            }
        }
        for (size_t at = cells; at < cells + 16; ++at) ASSERT_EQ(sums[at], untouched) << key(spec);
        for (size_t at = size_t(results); at < size_t(results) + 16; ++at) ASSERT_EQ(out[at], untouched) << key(spec);
    }

    void check_by_16(const jit::Kernel& kernel, const ReduceSpec& spec, int64_t columns, int64_t turns,
                     int64_t points) {
        constexpr int64_t results = 2;
        const int64_t size = bits(spec.types[0]) / 8, row = columns + 3, padded = (columns + 15) / 16 * 16;
        const int64_t elements = results * turns * points * row - 3;
        unsigned char* const values = values_.place(size_t(elements * size), true);
        unsigned char* const scales = scales_.place(size_t(results * 4), true);
        for (int64_t i = 0; i < elements; ++i) write_bits(spec.types[0], values, i, code_of(spec.types[0], random_));
        for (int64_t i = 0; i < results; ++i) write<float>(spec.types[1], scales, i, float(1 + i % 2));
        std::vector<uint32_t> sums(size_t(results * padded + 16), untouched);
        ReduceArgs args{};
        args.results = results, args.columns = columns, args.turns = turns, args.points = points;
        args.sums = reinterpret_cast<char*>(sums.data()), args.sums_row = padded * 4;
        args.set(0, reinterpret_cast<char*>(values), row * size, points * row * size, turns * points * row * size,
                 size);
        args.set(1, reinterpret_cast<char*>(scales), 0, 0, 4, 0);
        args.points = points / reduction_sums;
        kernel(&args);
        for (int64_t i = 0; i < results; ++i)
            for (int64_t j = 0; j < columns; ++j) {
                Partial p[reduction_sums];
                std::ranges::fill(p, of_nothing(spec.parts.combine, spec.parts.type));
                for (Partial& partial : p) partial.count = 1;
                for (int64_t n = 0; n < turns * points; ++n) {
                    Partial& into = p[n % reduction_sums];
                    into = combined(spec.parts.combine, spec.parts.type, into,
                                    of_point(product(spec, values, (i * turns * points + n) * row + j, scales, i)));
                }
                for (int apart = reduction_sums / 2; apart; apart /= 2)
                    for (int k = 0; k < apart; ++k)
                        p[k] = combined(spec.parts.combine, spec.parts.type, p[k], p[k + apart]);
                const uint32_t found = sums[size_t(i * padded + j)];
                const bool nan = std::isnan(std::bit_cast<float>(found)) && std::isnan(std::bit_cast<float>(p->value));
                ASSERT_TRUE(nan || found == p->value)
                    << key(spec) << " columns " << columns << " turns " << turns << " points " << points << " at " << i
                    << "," << j << std::hex << " " << p->value << " " << found;
            }
        for (int64_t at = results * padded; at < results * padded + 16; ++at) ASSERT_EQ(sums[size_t(at)], untouched);
    }

    void check_sizes(ReduceSpec spec) {
        for (const bool fresh : {true, false}) {
            spec.fresh = fresh;
            for (const int64_t columns : sizes) {
                spec.joined = false;
                check(spec, 1 + columns % 3, columns, 1 + columns % 2, 1 + columns % 5, true);
                check(spec, 2, columns, 2, 3, false);
                spec.joined = spec.along_sum;
                if (spec.joined) check(spec, 3, columns, 1, 1, true);
                if (HasFatalFailure()) return;
            }
        }
    }

    // Windows: results go to operands 3 and, of pairs, 4, `step` elements apart; what lies between stays.
    void check_windows(OpCode combine, DataType stored, DataType result, int64_t stride, int64_t step, int64_t columns,
                       bool fixed) {
        ReduceSpec spec = windows_of(combine, stored, result, stride, step);
        spec.single = columns % 4 == 3, spec.plain = columns % 16 == 15 && combine == OpCode::reduce_add;
        const int64_t results = 1 + columns % 6, planes = spec.single ? 1 : 1 + columns % 2,
                      turns = spec.single ? 1 : 1 + columns % 3, points = spec.single ? 1 : 2;
        spec.deep = planes > 1;
        const int64_t size = bits(stored) / 8, row = (columns - 1) * stride + 1, elements = results + 9 * row;
        const int64_t out_size = bits(result) / 8, out_row = (columns - 1) * step + 3;
        if (fixed) {
            spec.row = {size, 4, 0, out_row * out_size, out_row * 4};
            if (!can_fix_columns(GetParam(), spec, columns)) return;
            spec.fixed = int(columns);
        }
        if (!fixed && step > 2 && bits(result) == 32) { // masks enough only for a fixed row
            EXPECT_FALSE(can_build_reduce(spec));
            return;
        }
        ASSERT_TRUE(can_build_reduce(spec));
        const auto kernel = jit::kernel(GetParam(), key(spec), [&] { return build_reduce(GetParam(), spec); });
        ASSERT_TRUE(kernel) << key(spec);
        // Neighbours overlap: result i begins an element behind, points a row.
        const int64_t used = results - 1 + (planes * turns * points - 1) * row + row;
        ASSERT_LE(used, elements + 3 * row);
        unsigned char* const values = values_.place(size_t(used * size), columns % 2);
        unsigned char* const scales = scales_.place(size_t(results * 4), columns % 2);
        for (int64_t i = 0; i < used; ++i) write_bits(stored, values, i, code_of(stored, random_));
        for (int64_t i = 0; i < results; ++i) write<float>(DataType::f32, scales, i, float(1 + i % 2));
        const int64_t outs = (results - 1) * out_row + (columns - 1) * step + 1;
        unsigned char* const out = outs_.place(size_t(outs * out_size), columns % 2);
        unsigned char* const seconds = seconds_.place(size_t(outs * 4), columns % 2);
        std::fill(out, out + outs * out_size, uint8_t(0xcd)), std::fill(seconds, seconds + outs * 4, uint8_t(0xcd));
        std::vector<uint8_t> want(out, out + outs * out_size), want_seconds(seconds, seconds + outs * 4);
        std::vector<bool> is_nan(size_t(outs), false);
        const int64_t first_number = 7;
        for (int64_t i = 0; i < results; ++i)
            for (int64_t j = 0; j < columns; ++j) {
                Partial sum = of_nothing(combine, ValueType::f32);
                sum.second = no_number;
                for (int64_t t = 0; t < planes * turns * points; ++t) {
                    const Partial point = of_point(product(spec, values, i + t * row + j * stride, scales, i),
                                                   uint32_t(first_number + t));
                    sum.count = 1;
                    sum = spec.plain ? point : combined(combine, ValueType::f32, sum, point);
                }
                const int64_t at = i * out_row + j * step;
                const auto value = std::bit_cast<float>(sum.value);
                is_nan[size_t(at)] = std::isnan(value);
                write<float>(result, want.data(), at, value);
                if (spec.parts.pairs()) write<int32_t>(DataType::s32, want_seconds.data(), at, int32_t(sum.second));
            }
        ReduceArgs args{};
        args.results = results, args.columns = columns, args.planes = planes, args.turns = turns, args.points = points;
        const int64_t p = row * size, t = points * p;
        args.set(0, reinterpret_cast<char*>(values), p, t, size, stride * size, turns * t);
        args.set(1, reinterpret_cast<char*>(scales), 0, 0, 4, 0);
        args.set(2, reinterpret_cast<char*>((uintptr_t(1) << 32) + first_number), 1, points, 0, 0, turns * points);
        args.set(3, reinterpret_cast<char*>(out), 0, 0, out_row * out_size, step * out_size);
        args.set(4, reinterpret_cast<char*>(seconds), 0, 0, out_row * 4, step * 4);
        (*kernel)(&args);
        for (int64_t i = 0; i < outs; ++i) {
            const bool same = std::equal(out + i * out_size, out + (i + 1) * out_size, want.data() + i * out_size);
            ASSERT_TRUE(same || (is_nan[size_t(i)] && std::isnan(read<float>(result, out, i))))
                << i << " of " << key(spec) << " results " << results << " columns " << columns << " got "
                << read<float>(result, out, i) << " instead of " << read<float>(result, want.data(), i);
        }
        ASSERT_TRUE(std::equal(want_seconds.begin(), want_seconds.end(), seconds)) << key(spec);
    }

    static ReduceSpec windows_of(OpCode combine, DataType stored, DataType result, int64_t stride, int64_t step) {
        Program p;
        const int x = p.binary(OpCode::mul, p.load(0, ValueType::f32), p.load(1, ValueType::f32));
        const bool pairs = combine == OpCode::reduce_max_at;
        const int r = pairs ? p.reduce(combine, x, p.index(2)) : p.reduce(combine, x);
        p.store(3, r);
        if (pairs) p.store(4, p.second(r));
        ReduceSpec spec;
        spec.parts = split_reduction(p, 5);
        spec.types = {stored,
                      DataType::f32,
                      DataType::s32,
                      result,
                      DataType::s32,
                      DataType::f32,
                      pairs ? DataType::s32 : DataType::f32};
        spec.column = {stride, 0, 0, step, step};
        spec.windows = true;
        if (pairs) spec.grows = 2;
        return spec;
    }

    static constexpr uint32_t untouched = 0xdeadbeef;

private:
    static uint32_t product(const ReduceSpec& spec, const void* values, int64_t place, const void* scales, int64_t i) {
        if (spec.parts.type == ValueType::s32)
            return uint32_t(read<int32_t>(spec.types[0], values, place)) *
                   uint32_t(read<int32_t>(spec.types[1], scales, i));
        return std::bit_cast<uint32_t>(read<float>(spec.types[0], values, place) *
                                       read<float>(spec.types[1], scales, i));
    }
    GuardedPages values_, scales_, outs_, seconds_;
    std::mt19937 random_{11};
};

} // namespace

TEST_P(ReduceTest, every_combination_and_type) {
    for (const OpCode combine : combinations)
        for (const bool along_sum : {false, true}) {
            for (const DataType stored : {DataType::f32, DataType::bf16, DataType::f16, DataType::s8, DataType::u8})
                check_sizes(spec_of(combine, ValueType::f32, stored, along_sum));
            for (const DataType stored : {DataType::s32, DataType::s8})
                check_sizes(spec_of(combine, ValueType::s32, stored, along_sum));
            if (HasFatalFailure()) return;
        }
}

TEST_P(ReduceTest, strided_columns) {
    for (const int64_t stride : {2, 3, 4, 7, 8}) {
        if (stride > most_reduce_stride_without_masks && !GetParam().masks) continue;
        for (const DataType stored : {DataType::f32, DataType::bf16, DataType::s8}) {
            check_sizes(spec_of(OpCode::reduce_max, ValueType::f32, stored, false, stride));
            check_sizes(spec_of(OpCode::reduce_max_at, ValueType::f32, stored, false, stride));
            if (HasFatalFailure()) return;
        }
    }
}

TEST_P(ReduceTest, windows) {
    for (const OpCode combine : {OpCode::reduce_add, OpCode::reduce_max, OpCode::reduce_max_at})
        for (const DataType stored : {DataType::f32, DataType::bf16, DataType::s8})
            for (const DataType result : {DataType::f32, DataType::bf16, DataType::s8})
                for (const int64_t stride : {1, 2, 3, 5, 8})
                    for (const int64_t step : {1, 2, 3, 4}) {
                        if (stride > most_reduce_stride_without_masks && !GetParam().masks) continue;
                        if (!can_store_columns(GetParam(), result, step) || (stride > 1 && step > 1)) continue;
                        if (combine == OpCode::reduce_max_at && step > 1) continue;
                        for (const int64_t columns : sizes)
                            for (const bool fixed : {false, true})
                                check_windows(combine, stored, result, stride, step, columns, fixed);
                        if (HasFatalFailure()) return;
                    }
}

// All points of a result in one call, 16 partial results in registers: turns whose points are no multiple of 16,
// columns around the vector.
TEST_P(ReduceTest, columns_by_16) {
    int kernels = 0;
    for (const OpCode combine : combinations)
        for (const DataType stored : {DataType::f32, DataType::bf16, DataType::s8})
            for (const auto& [turns, points] : {std::pair{1, 1}, {1, 16}, {1, 49}, {3, 49}, {4, 32}, {7, 3}}) {
                ReduceSpec spec = spec_of(combine, ValueType::f32, stored, false);
                spec.by_16 = true, spec.rest = points % 16, spec.turned = turns > 1, spec.still = 2;
                if (!can_build_by_16(GetParam(), spec)) continue;
                const auto kernel = jit::kernel(GetParam(), key(spec), [&] { return build_reduce(GetParam(), spec); });
                ASSERT_TRUE(kernel) << key(spec);
                ++kernels;
                for (const int64_t columns : {1, 5, 15, 16, 17, 31, 32, 50}) {
                    check_by_16(*kernel, spec, columns, turns, points);
                    if (HasFatalFailure()) return;
                }
            }
    EXPECT_EQ(kernels > 0, GetParam().vectors == 32 && GetParam().masks);
}

INSTANTIATE_TEST_SUITE_P(Targets, ReduceTest, testing::ValuesIn(jit::vector_targets()),
                         [](const auto& t) { return jit::name_of(t.param); });

} // namespace tessera::cpu
