// SPDX-License-Identifier: Apache-2.0
// softmax: results that the specification reports, by the reference, and what is refused. The plans of every machine
// are compared with the reference by tests/inputs/softmax.txt.
#include "ops/softmax/softmax.hpp"

#include <cmath>
#include <limits>

#include "core/program/lib/eltwise.hpp"
#include "objects.hpp"
#include "trial.hpp"

namespace tessera::ops {

namespace {

constexpr DataType f32 = DataType::f32, s8 = DataType::s8;
constexpr float infinity = std::numeric_limits<float>::infinity(), largest = std::numeric_limits<float>::max();
constexpr PropKind inference = PropKind::forward_inference;

Problem softmax(int alg, const MemoryDesc& src, const MemoryDesc& dst, int axis, const Attr& attr = {}) {
    return valid(make_softmax_forward(inference, alg, src, dst, axis, attr));
}

std::vector<float> of(int alg, std::vector<float> row) {
    const MemoryDesc desc = md({int64_t(row.size())}, f32, "a");
    std::vector<float> result(row.size());
    ref_softmax(softmax(alg, desc, desc, 0), {{arg::src, row.data()}, {arg::dst, result.data()}});
    return result;
}

std::vector<float> gradient(int alg, std::vector<float> d, std::vector<float> dd) {
    const MemoryDesc desc = md({int64_t(d.size())}, f32, "a");
    std::vector<float> result(d.size());
    ref_softmax(valid(make_softmax_backward(alg, desc, desc, desc, 0, {})),
                {{arg::dst, d.data()}, {arg::diff_dst, dd.data()}, {arg::diff_src, result.data()}});
    return result;
}

void expect_row(const std::vector<float>& got, const std::vector<float>& want) {
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i) {
        if (std::isnan(want[i]))
            EXPECT_TRUE(std::isnan(got[i])) << i << ": " << got[i];
        else
            EXPECT_TRUE(got[i] == want[i] || std::abs(got[i] - want[i]) < 1e-6f * (1 + std::abs(want[i])))
                << i << ": " << got[i] << ", not " << want[i];
    }
}

} // namespace

// covers: SOF-01 SOF-02
TEST(Softmax, formulas) {
    const float sum = std::exp(-2.f) + std::exp(-1.f) + 1;
    expect_row(of(alg::softmax_accurate, {1, 2, 3}), {std::exp(-2.f) / sum, std::exp(-1.f) / sum, 1 / sum});
    expect_row(of(alg::softmax_log, {1, 2, 3}), {-2 - std::log(sum), -1 - std::log(sum), -std::log(sum)});
    expect_row(gradient(alg::softmax_accurate, {.25f, .75f}, {4, 8}), {.25f * (4 - 7), .75f * (8 - 7)});
    expect_row(gradient(alg::softmax_log, {-1, 0}, {4, 8}), {4 - 12 * std::exp(-1.f), 8 - 12});
}

// covers: SOF-09
TEST(Softmax, infinities_and_nan) {
    const auto both = [](const std::vector<float>& row, const std::vector<float>& accurate,
                         const std::vector<float>& log) {
        expect_row(of(alg::softmax_accurate, row), accurate);
        expect_row(of(alg::softmax_log, row), log);
    };
    const float half = std::log(.5f);
    both({-infinity, -infinity}, {NAN, NAN}, {NAN, NAN});
    both({-infinity, 1, 1}, {0, .5f, .5f}, {-infinity, half, half});
    both({infinity, 1, 2}, {NAN, 0, 0}, {NAN, -infinity, -infinity});
    both({1, NAN, -infinity}, {NAN, NAN, NAN}, {NAN, NAN, NAN});
    both({NAN, NAN}, {NAN, NAN}, {NAN, NAN});
    both({NAN, -infinity}, {NAN, NAN}, {NAN, NAN});
    both({infinity, NAN}, {NAN, NAN}, {NAN, NAN});
    both({-largest, -largest}, {.5f, .5f}, {half, half});
    both({-largest, largest}, {0, 1}, {-infinity, 0});
}

// In every engine, wherever it lies: in vectors, tails, blocks of a sum, pieces of a blocked axis.
TEST(Softmax, a_nan_is_all_of_its_row) {
    for (const int alg : {alg::softmax_accurate, alg::softmax_log})
        for (const DataType type : {f32, DataType::bf16})
            for (const char* tag : {"ab", "ba", "aB16b"})
                for (const int64_t extent : {2, 17, 40, 5000}) {
                    const MemoryDesc desc = md({3, extent}, type, tag);
                    Trial run(softmax(alg, desc, desc, 1));
                    std::vector<float> values(size_t(3 * extent), 1);
                    values[0] = values[size_t(extent + std::min<int64_t>(15, extent - 1))] = NAN;
                    values[size_t(3 * extent - 1)] = NAN;
                    run.set(arg::src, values);
                    run.check();
                    for (const float x : run.get(arg::dst)) ASSERT_TRUE(std::isnan(x)) << tag << " " << extent;
                }
}

// covers: SOF-06
TEST(Softmax, scales) {
    PostOp linear;
    linear.kind = PostOpKind::eltwise, linear.alg = alg::eltwise_linear, linear.alpha = 1, linear.beta = 100;
    Attr attr;
    attr.scales[arg::src] = attr.scales[arg::dst] = Quant{};
    ASSERT_TRUE(attr.post_ops.append(linear));
    const MemoryDesc desc = md({2}, s8, "a");
    int8_t src[] = {1, 1}, dst[] = {0, 0};
    float of_src = 40, of_dst = 4;
    ref_softmax(
        softmax(alg::softmax_accurate, desc, desc, 0, attr),
        {{arg::src, src}, {arg::dst, dst}, {arg::scales | arg::src, &of_src}, {arg::scales | arg::dst, &of_dst}});
    EXPECT_EQ(dst[0], 30);
    EXPECT_EQ(dst[1], 30);
    const MemoryDesc a = md({2, 3}, f32, "ab"), b = md({2, 3}, DataType::bf16, "ab"), c = md({2, 3}, s8, "ab");
    const auto make = [&](const MemoryDesc& from, const MemoryDesc& to, const Attr& given) {
        return make_softmax_forward(inference, alg::softmax_accurate, from, to, 1, given);
    };
    EXPECT_TRUE(make(a, c, attr) && make(c, a, attr));
    expect_refusal(make(a, a, attr), Status::unimplemented, "scales belong to integers");
    expect_refusal(make(a, b, attr), Status::unimplemented, "scales belong to integers");
    attr.scales[arg::src].mask = 2;
    expect_refusal(make(c, c, attr), Status::unimplemented, "mask 2");
}

// covers: SOF-03 SOF-04 SOF-05 SOF-07 SOF-10
TEST(Softmax, what_is_refused_and_chosen) {
    const MemoryDesc a = md({2, 3}, f32, "ab"), open = md({2, 3}, f32, "any"), wide = md({2, 4}, f32, "ab");
    const auto forward = [](int alg, const MemoryDesc& from, const MemoryDesc& to, int axis,
                            PropKind prop = inference) { return make_softmax_forward(prop, alg, from, to, axis, {}); };
    const int alg = alg::softmax_accurate;
    expect_refusal(forward(alg::softmax_log + 1, a, a, 1), Status::invalid_arguments, "neither softmax_accurate");
    expect_refusal(forward(alg, a, a, 1, PropKind::backward_data), Status::invalid_arguments, "propagation kind");
    for (const int axis : {-1, 2, 100}) expect_refusal(forward(alg, a, a, axis), Status::invalid_arguments, "axis");
    expect_refusal(forward(alg, open, a, 1), Status::invalid_arguments, "`any`");
    expect_refusal(forward(alg, a, wide, 1), Status::invalid_arguments, "shapes must be equal");
    expect_refusal(forward(alg, a, strided({2, 3}, f32, {0, 1}), 1), Status::unimplemented, "overwrite");
    expect_refusal(forward(alg, md({2, 3}, DataType::f64, "ab"), a, 1), Status::unimplemented, "src is f64");
    expect_refusal(forward(alg, md({runtime_dim, 3}, f32, "ab"), a, 1), Status::unimplemented, "run-time dims");
    EXPECT_EQ(strides_of(softmax(alg, md({2, 3}, f32, "ba"), open, 1).md(arg::dst)), (std::vector<int64_t>{1, 2}));
    EXPECT_EQ(softmax(alg, a, a, 1).auxiliary(), "alg:softmax_accurate axis:1") << "as verbose lines have it";

    const auto backward = [&](const MemoryDesc& ds, const MemoryDesc& dd, const MemoryDesc& d, int axis = 1) {
        return make_softmax_backward(alg, ds, dd, d, axis, {});
    };
    expect_refusal(backward(a, a, open), Status::invalid_arguments, "`any`");
    expect_refusal(backward(a, wide, a), Status::invalid_arguments, "shapes must be equal");
    expect_refusal(backward(wide, a, a), Status::invalid_arguments, "shapes must be equal");
    expect_refusal(backward(a, a, a, -1), Status::invalid_arguments, "axis");
    const MemoryDesc integers = md({2, 3}, s8, "ab");
    for (const auto& p : {backward(integers, a, a), backward(a, integers, a), backward(a, a, integers)})
        expect_refusal(p, Status::unimplemented, "floating-point types have gradients");
    const Problem chosen = valid(backward(open, open, md({2, 3}, f32, "ba")));
    EXPECT_EQ(strides_of(chosen.md(arg::diff_src)), (std::vector<int64_t>{1, 2}));
    EXPECT_EQ(strides_of(chosen.md(arg::diff_dst)), (std::vector<int64_t>{1, 2}));
}

} // namespace tessera::ops
