// SPDX-License-Identifier: Apache-2.0
// Lerp kernels against the definition in contract.hpp, bit for bit: rows of channels of every length class, lanes from
// one and two windows, stored types; what lies between the rows of results must stay as it was. covers: RES-03
#include <cmath>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "core/types/convert.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/tiles/lerp/contract.hpp"
#include "machines.hpp"
#include "run_code.hpp"

namespace tessera::cpu {

namespace {

using jit::Target;

struct Result {
    float left, right, left_weight, right_weight;
    float value() const { return std::fma(right_weight, right, left_weight * left); }
};

class LerpTest : public testing::TestWithParam<Target> {
protected:
    std::shared_ptr<const jit::Kernel> kernel(const LerpSpec& spec) const {
        return jit::kernel(GetParam(), key(spec), [&] { return build_lerp(GetParam(), spec); });
    }
    float weight() { return std::uniform_real_distribution<float>(0, 1)(random_); }
    int64_t below(int64_t n) { return std::uniform_int_distribution<int64_t>(0, n - 1)(random_); }
    std::mt19937 random_{7};
};

std::vector<float> numbers(size_t count, std::mt19937& random) {
    std::vector<float> all(count);
    for (float& x : all) x = std::normal_distribution<float>(0, 100)(random);
    return all;
}

constexpr float untouched = -12345;

} // namespace

TEST_P(LerpTest, channels) {
    for (DataType type : {DataType::f32, DataType::bf16, DataType::s8})
        for (int64_t columns : {1, 7, 8, 16, 20, 64, 100, 130, 200, 515})
            for (int64_t rows : {1, 3}) {
                constexpr int64_t pixels = 5, inputs = 4;
                const int64_t src_row = inputs * columns + 3, out_row = pixels * columns + 2;
                const int64_t size = bits(type) / 8;
                std::vector<float> src = numbers(size_t(src_row * rows), random_);
                std::vector<char> stored(src.size() * size_t(size));
                for (size_t i = 0; i < src.size(); ++i) {
                    write<float>(type, stored.data(), int64_t(i), src[i]);
                    src[i] = read<float>(type, stored.data(), int64_t(i));
                }
                std::vector<float> out(size_t(out_row * rows), untouched), expected = out;
                std::vector<LerpPixel> table;
                for (int64_t p = 0; p < pixels; ++p) {
                    const int64_t left = below(inputs) * columns, right = below(inputs) * columns;
                    table.push_back({left * size, right * size, weight(), weight()});
                    for (int64_t i = 0; i < rows; ++i)
                        for (int64_t j = 0; j < columns; ++j) {
                            const float* row = &src[size_t(i * src_row + j)];
                            expected[size_t(i * out_row + p * columns + j)] =
                                Result{row[left], row[right], table.back().left_weight, table.back().right_weight}
                                    .value();
                        }
                }
                LerpArgs args{stored.data(), out.data(), table.data(), pixels, rows, src_row * size, out_row * 4};
                (*kernel({.columns = columns, .type = type}))(&args);
                ASSERT_EQ(std::memcmp(out.data(), expected.data(), out.size() * 4), 0)
                    << columns << " of " << name(type);
            }
}

TEST_P(LerpTest, lanes) {
    const int64_t width = GetParam().vector_bytes, lanes = width / 4;
    for (DataType type : {DataType::f32, DataType::bf16, DataType::f16, DataType::s8, DataType::u8})
        for (bool two : {false, true}) {
            constexpr int64_t places = 3, rows = 4;
            const int64_t window = two ? 2 * lanes : lanes, span = window + 9, out_row = places * lanes + 5;
            const int64_t size = bits(type) / 8;
            const LerpSpec spec{0, two, type};
            ASSERT_TRUE(can_build_lerp(spec));
            std::vector<char> src(size_t(span * rows * size));
            for (int64_t i = 0; i < span * rows; ++i) write<float>(type, src.data(), i, float(below(100)));
            std::vector<float> out(size_t(out_row * rows), untouched), expected = out;
            std::vector<char> table(size_t(places * lerp_entry_bytes(int(width))));
            for (int64_t p = 0, first = 0, results = 0; p < places; ++p, first += results) {
                results = below(lanes) + 1; // the next place writes the others again
                const int64_t end = results * 4;
                char* entry = &table[size_t(p * lerp_entry_bytes(int(width)))];
                const int64_t start = below(span - window + 1), at = start * size;
                std::memcpy(entry + 4 * width, &at, sizeof at), std::memcpy(entry + 4 * width + 8, &end, sizeof end);
                for (int64_t l = 0; l < lanes; ++l) {
                    const auto left = int32_t(below(window)), right = int32_t(below(window));
                    const float left_weight = weight(), right_weight = weight();
                    std::memcpy(entry + 4 * l, &left, 4), std::memcpy(entry + width + 4 * l, &right, 4);
                    std::memcpy(entry + 2 * width + 4 * l, &left_weight, 4);
                    std::memcpy(entry + 3 * width + 4 * l, &right_weight, 4);
                    for (int64_t i = 0; i < rows; ++i)
                        expected[size_t(i * out_row + first + l)] =
                            Result{read<float>(type, src.data(), i * span + start + left),
                                   read<float>(type, src.data(), i * span + start + right), left_weight, right_weight}
                                .value();
                }
            }
            LerpArgs args{src.data(), out.data(), table.data(), places, rows, span * size, out_row * 4};
            (*kernel(spec))(&args);
            ASSERT_EQ(std::memcmp(out.data(), expected.data(), out.size() * 4), 0) << name(type) << " " << two;
        }
}

INSTANTIATE_TEST_SUITE_P(Targets, LerpTest, testing::ValuesIn(jit::vector_targets()),
                         [](const auto& t) { return jit::name_of(t.param); });

} // namespace tessera::cpu
