// SPDX-License-Identifier: Apache-2.0
// Setters of Attr: what is accepted, what is refused, and that a refusal says why and changes nothing.
// covers: ATR-02 ATR-04 ATR-05 SCL-01 SCL-02 SCL-05 SCL-06 SCL-07 ZPT-01 ZPT-02 ZPT-05 OSC-02 OSC-03 RND-01 DT-02
#include "core/attr/attr.hpp"

#include <bit>
#include <limits>

#include <gtest/gtest.h>

#include "core/problem/problem.hpp"

namespace tessera {
namespace {

constexpr int weights = 33, bias = 41;

void expect_refused(const Result<void>& r, const char* part) {
    ASSERT_FALSE(r);
    EXPECT_EQ(r.error().status, Status::invalid_arguments);
    EXPECT_NE(r.error().reason.find(part), std::string::npos) << r.error().reason;
}

Quant quant(int mask, DataType type, std::vector<int64_t> groups = {}) {
    Quant q;
    q.mask = mask;
    q.type = type;
    q.groups = std::move(groups);
    return q;
}

TEST(Scales, ArgumentsThatTakeThem) {
    for (const int id : {1, 2, 3, 4, weights, 17, 1024, 1024 + 7, 16384 | weights, 16384 | 17}) {
        Attr a;
        EXPECT_TRUE(a.set_scales(id, quant(0, DataType::f32))) << id;
        EXPECT_EQ(a.scales.count(id), 1u);
    }
    for (const int id : {0, 5, 18, bias, 80, 129, 2048, 16384 | 1, 4096 | 1, -1, std::numeric_limits<int>::min()}) {
        Attr a;
        expect_refused(a.set_scales(id, quant(0, DataType::f32)), "are not possible; the sources, weights and dst can");
        EXPECT_TRUE(a.scales.empty());
    }
}

TEST(Scales, Types) {
    for (const DataType t : all_types) {
        const bool ok = t == DataType::f32 || t == DataType::bf16 || t == DataType::f16 || t == DataType::e8m0 ||
                        t == DataType::f8_e5m2 || t == DataType::f8_e4m3;
        Attr a;
        EXPECT_EQ(bool(a.set_scales(1, quant(0, t))), ok) << name(t);
    }
    Attr a;
    expect_refused(a.set_scales(1, quant(0, DataType::undef)), "undef");
    expect_refused(a.set_scales(1, quant(0, DataType(1234))), "data type 1234");
    expect_refused(a.set_scales(1, quant(0, DataType::f64)), "data type f64");
}

TEST(Scales, MasksAndGroups) {
    Attr a;
    EXPECT_TRUE(a.set_scales(1, quant(3, DataType::f32, {1, 4})));
    expect_refused(a.set_scales(1, quant(-1, DataType::f32)), "mask -1");
    expect_refused(a.set_scales(1, quant(1 << 12, DataType::f32)), "mask 0x1000");
    expect_refused(a.set_scales(1, quant(0, DataType::f32, {1, 4})), "mask 0");
    expect_refused(a.set_scales(1, quant(3, DataType::f32, {4})), "1 group size");
    expect_refused(a.set_scales(1, quant(3, DataType::f32, {1, 1, 4})), "3 group sizes");
    expect_refused(a.set_scales(1, quant(3, DataType::f32, {0, 4})), "positive");
    expect_refused(a.set_scales(1, quant(3, DataType::f32, {4, -4})), "positive");
    EXPECT_EQ(a.scales.at(1), quant(3, DataType::f32, {1, 4})) << "a refusal keeps what was set";
}

TEST(Scales, HostScalarsHaveMaskZero) {
    Attr a;
    Quant q = quant(0, DataType::f32);
    q.on_host = true;
    EXPECT_TRUE(a.set_scales(1, q));
    q.mask = 1;
    expect_refused(a.set_scales(1, q), "host scalar");
}

TEST(Scales, QuantizationModes) {
    Attr a;
    for (const int mode : {1, 2, 3}) {
        Quant q = quant(0, DataType::f32);
        q.mode = QuantizationMode(mode);
        EXPECT_TRUE(a.set_scales(17, q)) << mode;
    }
    for (const int mode : {0, 4, -1}) {
        Quant q = quant(0, DataType::f32);
        q.mode = QuantizationMode(mode);
        expect_refused(a.set_scales(17, q), "quantization mode");
    }
}

TEST(ZeroPoints, ArgumentsAndTypes) {
    for (const int id : {1, weights, 17}) {
        Attr a;
        EXPECT_TRUE(a.set_zero_points(id, quant(0, DataType::s32))) << id;
    }
    for (const int id : {0, 2, bias, 18, 1024}) {
        Attr a;
        expect_refused(a.set_zero_points(id, quant(0, DataType::s32)), "are not possible; src (1), weights (33)");
    }
    for (const DataType t : all_types) {
        const bool ok =
            t == DataType::s32 || t == DataType::s8 || t == DataType::u8 || t == DataType::s4 || t == DataType::u4;
        Attr a;
        EXPECT_EQ(bool(a.set_zero_points(1, quant(0, t))), ok) << name(t);
        EXPECT_EQ(bool(a.set_zero_points(17, quant(0, t))), t == DataType::s32) << name(t);
    }
}

TEST(PrecomputedReductions, OfSrcInS32) {
    Attr a;
    EXPECT_TRUE(a.set_precomputed_reductions(1, quant(3, DataType::s32, {1, 4})));
    expect_refused(a.set_precomputed_reductions(weights, quant(0, DataType::s32)),
                   "precomputed reductions of weights (33) are not possible");
    expect_refused(a.set_precomputed_reductions(1, quant(0, DataType::f32)), "s32 is");
}

TEST(OutputScales, RuntimeValueIsComparedByBits) {
    const float at_execution = std::bit_cast<float>(0x7fc000d0u), nan = std::numeric_limits<float>::quiet_NaN();
    Attr a, b;
    ASSERT_TRUE(a.set_output_scales(2, {{at_execution}}));
    EXPECT_TRUE(a.output_scales.at_execution());
    ASSERT_TRUE(b.set_output_scales(2, {{nan}}));
    EXPECT_FALSE(b.output_scales.at_execution());
    EXPECT_EQ(b, b) << "a NaN equals itself";
    EXPECT_FALSE(a == b);
}

TEST(OutputScales, Checks) {
    Attr a;
    const float at_execution = std::bit_cast<float>(0x7fc000d0u);
    const float values[] = {1.f, 2.f, 3.f}, mixed[] = {1.f, at_execution};
    EXPECT_TRUE(a.set_output_scales(0, values)) << "the count is checked where dst is known";
    expect_refused(a.set_output_scales(-1, values), "mask -1");
    expect_refused(a.set_output_scales(0, {}), "no values");
    expect_refused(a.set_output_scales(2, mixed), "give it alone");
    const float one[] = {1.f};
    ASSERT_TRUE(a.set_output_scales(0, one));
    EXPECT_TRUE(a.has_default_values()) << "the factor 1 is no attribute";
}

TEST(Rounding, ArgumentsAndModes) {
    Attr a;
    for (const int id : {17, 129, 161}) EXPECT_TRUE(a.set_rounding(id, RoundingMode::stochastic)) << id;
    expect_refused(a.set_rounding(1, RoundingMode::stochastic), "stochastic rounding of src (1) is not possible");
    expect_refused(a.set_rounding(17, RoundingMode(2)), "mode 2");
    EXPECT_TRUE(a.set_rounding(1, RoundingMode::environment)) << "the default may be said of every argument";
    for (const int id : {17, 129, 161}) EXPECT_TRUE(a.set_rounding(id, RoundingMode::environment));
    EXPECT_TRUE(a.has_default_values());
}

TEST(Attr, DefaultValues) {
    Attr a;
    EXPECT_TRUE(a.has_default_values());
    a.scratchpad = ScratchpadMode::user;
    EXPECT_TRUE(a.has_default_values()) << "the scratchpad mode changes no result";
    a.deterministic = true;
    EXPECT_FALSE(a.has_default_values());
}

} // namespace
} // namespace tessera
