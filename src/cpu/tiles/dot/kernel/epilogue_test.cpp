// SPDX-License-Identifier: Apache-2.0
// Epilogues that kernels apply to their sums in registers, against the map tile on the same sums: the same bytes. Full
// blocks, tails, sums on top of those in memory; through the emitted code on the targets of this processor and through
// the interpreter for all targets. Operands end at a page that nobody may touch. covers: MAT-04
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <tuple>

#include <gtest/gtest.h>

#include "core/types/convert.hpp"
#include "cpu/jit/emit/emit.hpp"
#include "cpu/jit/regalloc.hpp"
#include "cpu/tiles/dot/kernel/contract.hpp"
#include "machines.hpp"
#include "run_code.hpp"
#include "vcode_interpreter.hpp"

namespace tessera::cpu {

namespace {

using jit::Target;
using Run = std::function<void(void* args)>;

const Target avx2{32, 16, false, false}, avx512{64, 32, true, false}, avx512_all{64, 32, true, true, true, true};

std::string text(const Target& target, const DotSpec& spec) { return jit::name_of(target) + " " + key(spec); }

// The epilogue on a block's sums: bytes of dst are those that the map tile makes of the sums that the same block
// without it stores. Any floats, some results denormal.
class Finished {
public:
    static constexpr int dst = 0, bias = 1, common = 2, of_row = 3, sums = 4;
    enum Steps { store_alone, bias_and_relu, all };

    Finished(const Target& target, const DotSpec& spec, DataType to, Steps steps) : target_(target), spec_(spec) {
        MapSpec map;
        const ValueType type = spec.kind == DotKind::u8s8 ? ValueType::s32 : ValueType::f32;
        map.types = {to, DataType::f32, DataType::f32, DataType::bf16,
                     type == ValueType::f32 ? DataType::f32 : DataType::s32};
        map.column[dst] = map.column[bias] = map.column[sums] = 1;
        Program& p = map.program;
        int v = p.load(sums, type);
        const auto f32 = [&](int operand) { return p.load(operand, ValueType::f32); };
        if (type == ValueType::s32 && steps != store_alone) v = p.cvt(v, ValueType::f32);
        if (steps == all) v = p.binary(OpCode::mul, p.binary(OpCode::mul, v, f32(common)), f32(of_row));
        if (steps != store_alone) v = p.binary(OpCode::add, v, f32(bias));
        if (steps == all) v = p.binary(OpCode::add, v, f32(dst));
        if (steps == bias_and_relu) v = p.binary(OpCode::max, p.constant(0, ValueType::f32), v);
        p.store(dst, v);
        map_ = map;
        spec_.epilogue = std::make_shared<const MapSpec>(map), spec_.sum = sums;
        const std::vector<int> numbers = epilogue_operands(map, sums);
        for (size_t i = 0; i < numbers.size(); ++i)
            spec_.epilogue_rows |= uint32_t(numbers[i] == dst || numbers[i] == of_row) << i;
    }

    // Registers of blocks as large as possible may not suffice; then there is nothing to check.
    bool check(int64_t columns, bool accumulate) {
        if (!epilogue_fits(target_, spec_)) return false;
        const jit::Code code = build_dot(target_, spec_);
        const auto allocation = jit::allocate(code);
        EXPECT_TRUE(allocation && allocation->slots == 0) << text(target_, spec_);
        const auto bytes = jit::emit(code);
        EXPECT_TRUE(bytes) << text(target_, spec_);
        DotSpec plain = spec_;
        plain.epilogue = nullptr;
        make_operands(columns, accumulate);
        std::vector<uint8_t> sums_of = c_, want;
        DotArgs args = args_;
        args.c = sums_of.data();
        jit::interpret(build_dot(target_, plain), &args);
        const std::vector<uint8_t> before(dst_, dst_ + dst_bytes_);
        MapArgs map_args;
        map_args.rows = spec_.rows, map_args.columns = width_;
        for (const auto& [operand, base, row] : {std::tuple{dst, static_cast<void*>(dst_), dst_row_},
                                                 {bias, bias_, int64_t(0)},
                                                 {common, &common_, 0},
                                                 {of_row, of_row_.data(), 2},
                                                 {sums, sums_of.data(), args.c_row}})
            map_args.base[operand] = base, map_args.row[operand] = row;
        jit::interpret(build_map(target_, map_), &map_args);
        want.assign(dst_, dst_ + dst_bytes_);
        const auto runs = [&](const Run& run) {
            std::copy(before.begin(), before.end(), dst_);
            std::vector<uint8_t> kept = c_;
            DotArgs copy = args_;
            copy.c = kept.data();
            run(&copy);
            EXPECT_TRUE(std::equal(want.begin(), want.end(), dst_)) << text(target_, spec_);
            EXPECT_EQ(kept, c_) << text(target_, spec_);
        };
        runs([&](void* args) { jit::interpret(code, args); });
        if (jit::runs_here(target_)) runs([&](void* args) { EXPECT_TRUE(jit::run_code(*bytes, args)); });
        return true;
    }

private:
    void make_operands(int64_t columns, bool accumulate) {
        constexpr int64_t steps = 5;
        width_ = 16 * (spec_.panels - 1) + columns;
        const int size = bits(map_.types[dst]) / 8, q = spec_.kind == DotKind::f32    ? 1
                                                        : spec_.kind == DotKind::bf16 ? 2
                                                                                      : 4;
        dst_row_ = (width_ + 3) * size, dst_bytes_ = size_t((spec_.rows - 1) * dst_row_ + width_ * size);
        const auto filled = [&](GuardedPages& pages, size_t bytes, DataType type) {
            uint8_t* at = pages.place(bytes, true);
            for (size_t i = 0; i < bytes * 8 / size_t(bits(type)); ++i)
                write<double>(type, at, int64_t(i), number(type));
            return at;
        };
        dst_ = filled(dst_pages_, dst_bytes_, map_.types[dst]);
        bias_ = filled(bias_pages_, size_t(width_) * 4, DataType::f32);
        of_row_.resize(size_t(spec_.rows));
        for (auto& x : of_row_) write<double>(DataType::bf16, &x, 0, number(DataType::bf16));
        a_.resize(size_t(spec_.rows * steps * q)), b_.resize(size_t(steps * spec_.panels * 16 * q));
        c_.resize(size_t(spec_.rows * spec_.panels * 64));
        for (auto* bytes : {&a_, &b_}) bytes->resize(bytes->size() * size_t(bits(spec_.a)) / 8);
        for (size_t i = 0; i < a_.size() * 8 / size_t(bits(spec_.a)); ++i)
            write<double>(spec_.a, a_.data(), int64_t(i), number(spec_.a));
        for (size_t i = 0; i < b_.size() * 8 / size_t(bits(spec_.b)); ++i)
            write<double>(spec_.b, b_.data(), int64_t(i), number(spec_.b));
        for (size_t i = 0; i < c_.size() / 4; ++i)
            write<double>(map_.types[sums], c_.data(), int64_t(i), number(DataType::f32));
        args_ = {};
        args_.a = a_.data(), args_.a_row = steps * q * bits(spec_.a) / 8, args_.a_step = q * bits(spec_.a) / 8;
        args_.b = b_.data(), args_.b_panel = steps * 16 * q * bits(spec_.b) / 8,
        args_.b_step = 16 * q * bits(spec_.b) / 8;
        args_.c_row = spec_.panels * 64, args_.steps = steps, args_.columns = columns, args_.accumulate = accumulate;
        const auto operand_of = [&](int number) -> DotOperand {
            const int64_t size = bits(map_.types[size_t(number)]) / 8;
            return number == dst      ? DotOperand{dst_, dst_row_, 16 * size}
                   : number == bias   ? DotOperand{bias_, 0, 16 * size}
                   : number == common ? DotOperand{&common_, 0, 0}
                                      : DotOperand{of_row_.data(), size, 0};
        };
        operands_.clear();
        for (const int number : epilogue_operands(map_, sums)) operands_.push_back(operand_of(number));
        args_.operands = operands_.data();
    }
    double number(DataType type) {
        if (is_integer(type)) return double(random_() % 250) - (has_sign(type) ? 125 : 0);
        const double x = (double(random_() % 20001) - 10000) / 777;
        return random_() % 9 ? x : std::ldexp(x, -64); // products of two of these are denormal
    }

    const Target target_;
    DotSpec spec_;
    MapSpec map_;
    int64_t width_ = 0, dst_row_ = 0;
    size_t dst_bytes_ = 0;
    DotArgs args_{};
    float common_ = 0.7f;
    uint8_t *dst_ = nullptr, *bias_ = nullptr;
    std::vector<uint16_t> of_row_;
    std::vector<uint8_t> a_, b_, c_;
    std::vector<DotOperand> operands_;
    std::minstd_rand random_{7};
    GuardedPages dst_pages_, bias_pages_;
};

int most_rows(const Target& target, DotSpec spec) {
    spec.rows = 0;
    do ++spec.rows;
    while (can_build_dot(target, spec));
    return spec.rows - 1;
}

} // namespace

TEST(DotEpilogue, bytes_of_the_map_tile) {
    const DotSpec kinds[] = {
        {}, {DotKind::bf16, 1, 1, DataType::bf16, DataType::bf16}, {DotKind::u8s8, 1, 1, DataType::u8, DataType::s8}};
    int checked = 0, of_large_blocks = 0;
    for (const Target& target : {avx2, avx512, avx512_all})
        for (const DotSpec& kind : kinds)
            for (int panels = 1; panels <= 4; ++panels) {
                DotSpec spec = kind;
                spec.panels = panels;
                const int most = most_rows(target, spec);
                for (int rows : {1, 2, most}) {
                    spec.rows = rows;
                    if (!can_build_dot(target, spec)) continue;
                    for (DataType to :
                         {DataType::f32, DataType::bf16, DataType::f16, DataType::s8, DataType::u8, DataType::s32})
                        for (auto steps : {Finished::store_alone, Finished::bias_and_relu, Finished::all})
                            for (const auto& [tail, dense] :
                                 {std::pair{false, false}, {true, false}, {false, true}, {true, true}}) {
                                spec.epilogue_dense = dense;
                                spec.tail = tail && target.masks;
                                spec.last = tail && !target.masks ? 5 + 4 * (rows % 2) : 0, spec.b_whole = true;
                                const int columns = spec.last ? spec.last : spec.tail ? 5 : 16;
                                const bool done = Finished(target, spec, to, steps).check(columns, tail);
                                checked += done;
                                of_large_blocks += done && rows == most && target.masks;
                                ASSERT_FALSE(HasFailure());
                            }
                }
            }
    EXPECT_GT(checked, 3000);
    EXPECT_GT(of_large_blocks, 900);
}

TEST(DotEpilogue, what_the_pass_keeps) {
    const auto fits = [](const MapSpec& map) {
        DotSpec spec;
        spec.epilogue = std::make_shared<const MapSpec>(map), spec.sum = 2;
        return epilogue_fits(avx512, spec);
    };
    MapSpec counted;
    counted.types = {DataType::f32, DataType::s32, DataType::f32}, counted.column = {1, 1, 1};
    MapSpec plain = counted, longer = counted;
    counted.program.store(0, counted.program.cvt(counted.program.index(1), ValueType::f32));
    EXPECT_FALSE(fits(counted));
    plain.program.store(0, plain.program.load(2, ValueType::f32));
    EXPECT_TRUE(fits(plain));
    int v = longer.program.load(2, ValueType::f32);
    for (int i = 0; i < 20; ++i) v = longer.program.binary(OpCode::add, v, v);
    longer.program.store(0, v);
    EXPECT_FALSE(fits(longer)); // too many operations for code at every sum
    DotSpec tiles{DotKind::amx_bf16, 16, 1, DataType::bf16, DataType::bf16};
    tiles.epilogue = std::make_shared<const MapSpec>(plain), tiles.sum = 2;
    EXPECT_FALSE(epilogue_fits({64, 32, true, true, true, true, true}, tiles));
}

} // namespace tessera::cpu
