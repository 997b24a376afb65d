// SPDX-License-Identifier: Apache-2.0
// Dropout and stochastic rounding: the generator against its published vectors, masks against those that the other
// implementation makes, the rules, and every way of running a plan against the oracle.
// covers: DRP-01 DRP-02 DRP-03 DRP-04 RND-01 FMT-06
#include <bit>
#include <cmath>

#include "core/program/lib/eltwise.hpp"
#include "core/program/lib/random.hpp"
#include "objects.hpp"
#include "ops/binary/binary.hpp"
#include "ops/concat/concat.hpp"
#include "ops/eltwise/eltwise.hpp"
#include "ops/prelu/prelu.hpp"
#include "ops/resampling/resampling.hpp"
#include "trial.hpp"

namespace tessera::ops {

namespace {

// The words of a program that loads its inputs, one operand each, and stores what `make` makes of them.
template <typename Make> std::vector<uint32_t> run(const std::vector<uint32_t>& inputs, int outputs, Make make) {
    Program program;
    std::vector<Expression> values;
    for (size_t i = 0; i < inputs.size(); ++i) values.push_back({&program, program.load(int(i), ValueType::s32)});
    int next = int(inputs.size());
    for (const Expression& e : make(values)) program.store(next++, e.value);
    std::vector<uint32_t> cells = inputs;
    cells.resize(inputs.size() + size_t(outputs));
    std::vector<void*> pointers;
    for (uint32_t& cell : cells) pointers.push_back(&cell);
    eval(program, std::vector<DataType>(cells.size(), DataType::s32), pointers, std::vector<int64_t>(cells.size(), 0));
    return {cells.begin() + long(inputs.size()), cells.end()};
}

// Input words are bits of f32.
template <typename Make> float run_float(const std::vector<uint32_t>& inputs, Make make) {
    return std::bit_cast<float>(
        run(inputs, 1, [&](const auto& v) { return std::vector<Expression>{bits_of(make(v))}; })[0]);
}

uint32_t word(float x) { return std::bit_cast<uint32_t>(x); }

std::vector<uint32_t> philox_words(const std::vector<uint32_t>& counter_and_key) {
    return run(counter_and_key, 4, [](const auto& v) {
        const Words words = philox({v[0], v[1], v[2], v[3]}, v[4], v[5]);
        return std::vector<Expression>(words.begin(), words.end());
    });
}

Attr dropping(MemoryDesc mask, DataType seed = DataType::s32, bool offset = false) {
    Attr attr;
    Dropout d;
    d.mask = std::move(mask);
    d.seed_type = seed;
    d.use_offset = offset;
    attr.dropout = d;
    return attr;
}

Attr rounding(std::vector<int> ids) {
    Attr attr;
    for (const int id : ids) attr.rounding[id] = RoundingMode::stochastic;
    return attr;
}

Result<Problem> identity(const MemoryDesc& src, const MemoryDesc& dst, const Attr& attr) {
    return make_eltwise_forward(PropKind::forward_training, alg::eltwise_linear, src, dst, 1, 0, attr);
}

void set_dropout(Trial& trial, float probability, int64_t seed, int64_t offset = 0) {
    const Dropout& d = *trial.p.attr.dropout;
    write<float>(DataType::f32, trial.bytes.at(arg::dropout_probability).data(), 0, probability);
    write<int64_t>(d.seed_type, trial.bytes.at(arg::dropout_seed).data(), 0, seed);
    if (d.use_offset) write<int64_t>(DataType::s64, trial.bytes.at(arg::dropout_offset).data(), 0, offset);
}

// The mask of 32 elements in a row as the other implementation (3.13) answers it.
std::string mask_of(float probability, DataType type, int64_t seed, std::optional<int64_t> offset) {
    const MemoryDesc data = md({2, 3, 4, 4}, DataType::f32, "abcd");
    Trial trial(valid(identity(data, data, dropping(md({2, 3, 4, 4}, DataType::u8, "any"), type, offset.has_value()))));
    set_dropout(trial, probability, seed, offset.value_or(0));
    trial.check();
    std::string text;
    for (const float kept : trial.get(arg::dropout_mask)) text += kept != 0 ? '1' : '0';
    return text.substr(0, 32);
}

} // namespace

// Vectors that come with the paper's library.
TEST(Philox, published_vectors) {
    using W = std::vector<uint32_t>;
    EXPECT_EQ(philox_words({0, 0, 0, 0, 0, 0}), (W{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    const uint32_t f = 0xffffffff;
    EXPECT_EQ(philox_words({f, f, f, f, f, f}), (W{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(philox_words({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0}),
              (W{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
    EXPECT_EQ(rounding_bits_of(2, 0), philox_words({0, 0, 0, 0, 0, 0})[2]);
    EXPECT_EQ(dropout_bits_of(0x13198a2e00000001, 0, 0x85a308d3243f6a88),
              philox_words({0x243f6a88, 0x85a308d3, 0, 0x13198a2e, 0, 0})[1]);
}

TEST(Dropout, masks_of_the_other_implementation) {
    constexpr int64_t high = int64_t(77) << 32;
    EXPECT_EQ(mask_of(.5f, DataType::s32, 5, {}), "00001111111111111111111100001111");
    EXPECT_EQ(mask_of(.5f, DataType::s64, 5 + high, {}), "00001111111111111111111100001111");
    EXPECT_EQ(mask_of(.5f, DataType::s64, 5 + high, 0), "00001111111111111111111100001111");
    EXPECT_EQ(mask_of(.5f, DataType::s32, 5, 9), "01000111111011010100001001000100");
    EXPECT_EQ(mask_of(.5f, DataType::s32, -5, 9), "10110010001111100111000111011000");
    EXPECT_EQ(mask_of(.5f, DataType::s64, -5, 9), "10110010001111100111000111011000");
    EXPECT_EQ(mask_of(.5f, DataType::s64, 5 + high, 9), "00111010110000001011101010100011");
    EXPECT_EQ(mask_of(.5f, DataType::s64, 5 + high, 9 + (int64_t(3) << 32)), "10111101110110011100001001111101");
    EXPECT_EQ(mask_of(.9f, DataType::s64, 5, 9), "00000100001000000000001001000000");
    EXPECT_EQ(mask_of(0.f, DataType::s64, 5, 9), std::string(32, '1'));
    EXPECT_EQ(mask_of(-1.f, DataType::s64, 5, 9), std::string(32, '1'));
    for (const float none : {1.f, 2.f, NAN}) EXPECT_EQ(mask_of(none, DataType::s64, 5, 9), std::string(32, '0'));
}

TEST(Dropout, the_comparison_is_exact) {
    std::mt19937 random(7);
    for (int i = 0; i < 20000; ++i) {
        const auto some = uint32_t(random()) >> random() % 32;
        const float near = float(double(some) * 0x1p-32);
        const float probabilities[] = {near,
                                       std::nextafter(near, 2.f),
                                       std::nextafter(near, -1.f),
                                       -near,
                                       0.f,
                                       1.f,
                                       1e-40f,
                                       NAN,
                                       std::bit_cast<float>(uint32_t(random()))};
        const float p = probabilities[random() % std::size(probabilities)];
        const uint32_t around[] = {some, some - 1, some + 1, 0, 0xffffffff, some ^ 0xff};
        for (const uint32_t bits : around) {
            const auto kept = run({bits, word(p)}, 1, [](const auto& v) {
                return std::vector<Expression>{is_kept(v[0], float_of(v[1]))};
            })[0];
            ASSERT_EQ(kept != 0, is_kept_of(bits, p)) << bits << " against " << p;
        }
    }
}

TEST(Dropout, every_layout_and_type) {
    const std::vector<int64_t> shape{2, 17, 5, 7};
    for (const char* src : {"abcd", "acdb", "aBcd16b"})
        for (const char* dst : {"abcd", "acdb", "aBcd16b"})
            for (DataType type : {DataType::f32, DataType::bf16, DataType::s8}) {
                Attr attr = dropping(md(shape, DataType::u8, "any"), DataType::s64, true);
                attr.post_ops.entries = {sum_op(0.5f), eltwise_op(alg::eltwise_linear, 2, 1)};
                Trial trial(valid(identity(md(shape, type, src), md(shape, type, dst), attr)));
                set_dropout(trial, 0.25f, 1234567890123, 5);
                trial.check();
            }
}

TEST(Dropout, primitives) {
    const std::vector<int64_t> shape{2, 17, 5, 7};
    const Attr attr = dropping(md(shape, DataType::u8, "aBcd16b")), bare = dropping({});
    const MemoryDesc data = md(shape, DataType::f32, "aBcd16b"), row = md({1, 17, 1, 1}, DataType::f32, "abcd");
    std::vector<Problem> problems{valid(make_binary(131056, data, row, {}, data, attr)),
                                  valid(make_binary(131056, data, row, {}, data, bare))};
    for (const int how : {0x2fff0, 0x2fff1})
        for (const char* tag : {"abcd", "acdb", "aBcd16b"})
            problems.push_back(
                valid(make_resampling(PropKind::forward_training, how, {}, md({2, 17, 3, 4}, DataType::f32, tag),
                                      md(shape, DataType::f32, "aBcd16b"), attr)));
    for (const Problem& p : problems) {
        Trial trial(p);
        set_dropout(trial, 0.5f, 3);
        trial.check();
    }
}

TEST(Dropout, rules) {
    const MemoryDesc data = md({4, 6}, DataType::f32, "ab");
    expect_refusal(identity(data, data, dropping(md({4, 5}, DataType::u8, "ab"))), Status::invalid_arguments, "4x5");
    expect_refusal(identity(data, data, dropping(md({4, 6}, DataType::u8, "ba"))), Status::unimplemented,
                   "layout of dst");
    const MemoryDesc huge = md({65537, 65536}, DataType::u8, "ab");
    expect_refusal(identity(huge, huge, dropping({})), Status::unimplemented, "4295032832");
    expect_refusal(make_concat(nullptr, 0, std::vector{data, data}, dropping({})), Status::unimplemented, "eltwise");
}

// Every f32 exponent: one of the two neighbours, numbers of the type as they are, what the definition says.
TEST(StochasticRounding, neighbours) {
    std::mt19937 random(9);
    for (const auto& [type, mantissa] :
         {std::pair{DataType::bf16, 7}, {DataType::f16, 10}, {DataType::f8_e5m2, 2}, {DataType::f8_e4m3, 3}})
        for (int i = 0; i < 20000; ++i) {
            const auto bits = uint32_t(random()), noise = uint32_t(random());
            const float x = std::bit_cast<float>(i % 4 ? bits : bits & 0xfff80000);
            const float got = run_float(
                {word(x), noise}, [&](const auto& v) { return rounded_stochastically(float_of(v[0]), v[1], type); });
            if (std::isnan(x)) {
                ASSERT_TRUE(std::isnan(got));
                continue;
            }
            ASSERT_EQ(word(got), word(rounded_stochastically_of(x, noise, type))) << x;
            if (!(std::fabs(x) <= range(type).highest)) {
                ASSERT_EQ(word(got), word(x));
                continue;
            }
            uint64_t cell = 0;
            write<float>(type, &cell, 0, got);
            ASSERT_EQ(read<float>(type, &cell, 0), got) << "no number of the type";
            write<float>(type, &cell, 0, x);
            const float nearest = read<float>(type, &cell, 0);
            if (nearest == x) { ASSERT_EQ(got, x); }
            const double unit = x == 0 ? 0 : std::ldexp(1., std::ilogb(x) - mantissa);
            const double step = std::max(unit, range(type).least_positive);
            ASSERT_LT(std::fabs(double(got) - double(x)), step) << x;
        }
}

// The mean of many is the value: with n elements its deviation has a standard deviation of sqrt(p (1-p) / n) steps.
TEST(StochasticRounding, mean_is_the_value) {
    constexpr int64_t n = 1 << 16;
    struct Case {
        DataType type;
        float x;
        double step;
    };
    for (const auto& [type, x, step] :
         {Case{DataType::bf16, 1.f + 0x1p-10f, 0x1p-7}, Case{DataType::f16, -3.f - 0x1.8p-10f, 0x1p-9},
          Case{DataType::f16, 0x1.4p-24f, 0x1p-24}, Case{DataType::f8_e5m2, 1.1f, 0.25},
          Case{DataType::f8_e4m3, 0x1p-11f, 0x1p-9}}) {
        double sum = 0;
        for (int64_t i = 0; i < n; ++i) sum += rounded_stochastically_of(x, rounding_bits_of(uint64_t(i), 42), type);
        const double p = std::fabs(x) / step - std::floor(std::fabs(x) / step);
        EXPECT_NEAR(sum / n, x, 4 * step * std::sqrt(p * (1 - p) / n)) << name(type) << " " << x;
    }
}

TEST(StochasticRounding, gradients) {
    const std::vector<int64_t> shape{2, 17, 5, 7};
    for (DataType type : {DataType::bf16, DataType::f16, DataType::f8_e5m2, DataType::f8_e4m3, DataType::f32})
        for (const char* tag : {"abcd", "acdb", "aBcd16b"}) {
            const MemoryDesc data = md(shape, type, tag), slopes = md({1, 17, 1, 1}, type, "abcd");
            const Attr attr = rounding({arg::diff_src}), both = rounding({arg::diff_src, arg::diff_weights});
            std::vector<Problem> problems{
                valid(make_eltwise_backward(alg::eltwise_square, data, data, data, 0, 0, attr)),
                valid(make_prelu_backward(data, slopes, data, slopes, data, both)),
                valid(make_prelu_backward(data, data, data, data, data, both)),
                valid(make_resampling(PropKind::backward_data, 0x2fff1, {}, md({2, 17, 3, 4}, type, tag), data, attr)),
                valid(make_resampling(PropKind::backward_data, 0x2fff1, {}, data, md({2, 17, 9, 9}, type, tag), attr))};
            for (const Problem& p : problems) {
                Trial trial(p);
                write<int32_t>(DataType::s32, trial.bytes.at(arg::rounding_seed).data(), 0, -77);
                trial.check();
            }
        }
}

TEST(StochasticRounding, rules) {
    const MemoryDesc data = md({4, 6}, DataType::bf16, "ab"), bytes = md({4, 6}, DataType::s8, "ab");
    expect_refusal(identity(data, data, rounding({arg::dst})), Status::unimplemented, "not possible here");
    expect_refusal(make_eltwise_backward(alg::eltwise_relu, data, data, data, 0, 0, rounding({arg::diff_weights})),
                   Status::unimplemented, "diff_src it is");
    expect_refusal(make_prelu_backward(bytes, bytes, bytes, bytes, bytes, rounding({arg::diff_src})),
                   Status::unimplemented, "s8");
}

} // namespace tessera::ops
