// SPDX-License-Identifier: Apache-2.0
// Rules and plans of pooling; every problem runs through the interpreter, the portable engine and generated code.
#include "ops/pooling/pooling.hpp"

#include <algorithm>
#include <cmath>

#include "objects.hpp"
#include "trial.hpp"

namespace tessera::ops {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity(), largest = std::numeric_limits<float>::max();
constexpr DataType f32 = DataType::f32;
constexpr int algs[] = {alg::pooling_max, alg::pooling_avg_include_padding, alg::pooling_avg_exclude_padding};

PoolingWindows windows(int64_t kernel, int64_t stride, int64_t dilation, int64_t before, int64_t behind) {
    PoolingWindows w;
    w.kernel.fill(kernel), w.strides.fill(stride), w.dilation.fill(dilation);
    w.padding_l.fill(before), w.padding_r.fill(behind);
    return w;
}

Problem forward(int alg, const MemoryDesc& src, const MemoryDesc& dst, const PoolingWindows& w,
                PropKind prop = PropKind::forward_training, const Attr& attr = {}) {
    return valid(make_pooling_forward(prop, alg, src, dst, w, attr));
}

// A row of values, pooled.
struct Row1 {
    std::vector<float> dst, workspace;
};
Row1 of(int alg, const std::vector<float>& values, int64_t outputs, const PoolingWindows& w, DataType type = f32) {
    Trial run(forward(alg, md({1, 1, int64_t(values.size())}, type, "abc"), md({1, 1, outputs}, type, "abc"), w));
    run.set(arg::src, values);
    run.check();
    return {run.get(arg::dst), alg == alg::pooling_max ? run.get(arg::workspace) : std::vector<float>{}};
}

} // namespace

// covers: POO-02 POO-03 POO-04 POO-10
TEST(Pooling, values_of_the_specification) {
    const MemoryDesc src = md({1, 1, 2, 2}, f32, "abcd"), dst = md({1, 1, 3, 3}, f32, "abcd");
    const auto corner = [&](int alg) {
        Trial run(forward(alg, src, dst, windows(2, 1, 0, 1, 1)));
        run.set(arg::src, {1, 2, 3, 4});
        run.check();
        return run.get(arg::dst);
    };
    EXPECT_EQ(corner(alg::pooling_max), (std::vector<float>{1, 2, 2, 3, 4, 4, 3, 4, 4}));
    EXPECT_EQ(corner(alg::pooling_avg_include_padding)[0], 0.25f);
    const auto exclude = corner(alg::pooling_avg_exclude_padding);
    EXPECT_EQ((std::vector<float>{exclude[0], exclude[1], exclude[3], exclude[4]}),
              (std::vector<float>{1, 1.5f, 2, 2.5f}));
    const PoolingWindows pairs = windows(2, 2, 0, 0, 0);
    EXPECT_EQ(of(alg::pooling_avg_include_padding, {1, 2, -1, -2, 0, 1}, 3, pairs, DataType::s8).dst,
              (std::vector<float>{2, -2, 0}))
        << "ties to even";
}

// covers: POO-02 POO-07
TEST(Pooling, maxima_and_their_taps) {
    EXPECT_EQ(of(alg::pooling_max, {3, 5, 5, 5}, 1, windows(4, 1, 0, 0, 0)).workspace[0], 1) << "the first of equal";
    const PoolingWindows pairs = windows(2, 2, 0, 2, 2);
    const Row1 row = of(alg::pooling_max, {NAN, 1, -infinity, NAN, -infinity, -infinity, 0, infinity}, 6, pairs);
    const std::vector<float> want{-largest, NAN, NAN, -infinity, infinity, -largest}; // without a tap a finite number
    for (size_t i = 0; i < want.size(); ++i)
        EXPECT_TRUE(row.dst[i] == want[i] || (std::isnan(row.dst[i]) && std::isnan(want[i]))) << i;
    EXPECT_EQ(row.workspace, (std::vector<float>{0, 0, 1, 0, 1, 0}));
    EXPECT_EQ(of(alg::pooling_max, {-5, -6}, 3, pairs, DataType::s8).dst, (std::vector<float>{-128, -5, -128}));
    EXPECT_EQ(of(alg::pooling_max, {5, 6}, 3, pairs, DataType::u8).dst, (std::vector<float>{0, 6, 0}));
    EXPECT_EQ(of(alg::pooling_max, {-1, -2}, 3, pairs, DataType::f16).dst, (std::vector<float>{-65504, -1, -65504}));
    const float least = std::ldexp(1.f, -133); // of bf16, a denormal
    Trial small(forward(alg::pooling_max, md({1, 16, 2}, DataType::bf16, "acb"), md({1, 16, 1}, DataType::bf16, "acb"),
                        windows(2, 2, 0, 0, 0), PropKind::forward_inference));
    small.set(arg::src, std::vector<float>(32, least));
    small.check();
    EXPECT_EQ(small.get(arg::dst), std::vector<float>(16, least));
    Trial wide(forward(alg::pooling_max, md({1, 1, 2}, DataType::s32, "abc"), md({1, 1, 1}, DataType::s32, "abc"),
                       windows(2, 1, 0, 0, 0)));
    write<int32_t>(DataType::s32, wide.bytes[arg::src].data(), 0, 16777216);
    write<int32_t>(DataType::s32, wide.bytes[arg::src].data(), 1, 16777217);
    wide.check();
    EXPECT_EQ(read<int32_t>(DataType::s32, wide.bytes[arg::dst].data(), 0), 16777217) << "not by way of f32";
    const auto type = [&](int64_t a, int64_t b) {
        PoolingWindows w = windows(a, 1, 0, 0, 0);
        w.kernel[1] = b;
        return forward(alg::pooling_max, md({1, 1, a, b}, f32, "abcd"), md({1, 1, 1, 1}, f32, "abcd"), w)
            .md(arg::workspace)
            .type;
    };
    EXPECT_EQ(type(15, 17), DataType::u8);
    EXPECT_EQ(type(16, 16), DataType::s32);
}

// Windows of -infinity alone, NaN, and zeros of both signs, in steps for ranges, passes and copies with a border: the
// tap is one inside, the first of the largest, and the gradient goes there.
TEST(Pooling, special_values_and_where_their_gradients_go) {
    unsigned seed = 1;
    for (const char* tag : {"abcd", "acdb", "aBcd16b"})
        for (const DataType type : {f32, DataType::bf16})
            for (const int64_t kernel : {2, 3, 7, 13, 17})
                for (const float filler : {-infinity, 0.f}) {
                    const MemoryDesc desc = md({1, 17, 9, 20}, type, tag);
                    const PoolingWindows w = windows(kernel, 1, 0, kernel / 2, (kernel - 1) / 2);
                    const Problem p = forward(alg::pooling_max, desc, desc, w);
                    Trial run(p, ++seed, true);
                    std::vector<float> values = run.get(arg::src);
                    for (size_t i = 0; i < values.size(); ++i)
                        if (i % 7 || i % 800 < 300) values[i] = filler == 0 && i % 2 ? -filler : filler;
                    run.set(arg::src, values);
                    run.check();
                    for (const float tap : run.get(arg::workspace)) ASSERT_LT(tap, float(kernel * kernel));
                    Trial back(valid(make_pooling_backward(alg::pooling_max, desc, desc, w, &p, {})), ++seed);
                    back.set(arg::workspace, run.get(arg::workspace));
                    back.set(arg::diff_dst, std::vector<float>(values.size(), 1));
                    back.check();
                    double sum = 0; // nothing goes to the padding
                    for (const float x : back.get(arg::diff_src)) sum += double(x);
                    if (type == f32) { EXPECT_EQ(sum, double(values.size())) << tag << " " << kernel; }
                }
}

// covers: POO-05 POO-06 POO-14
TEST(Pooling, gradients) {
    const MemoryDesc src = md({1, 1, 4}, f32, "abc"), dst = md({1, 1, 3}, f32, "abc");
    const PoolingWindows w = windows(2, 1, 0, 0, 0), padded = windows(2, 2, 0, 1, 1);
    const Problem hint = forward(alg::pooling_max, src, dst, w);
    Trial max(valid(make_pooling_backward(alg::pooling_max, src, dst, w, &hint, {})));
    max.set(arg::diff_dst, {1, 2, 4});
    max.set(arg::workspace, {1, 0, 1});
    max.check();
    EXPECT_EQ(max.get(arg::diff_src), (std::vector<float>{0, 3, 0, 4}));
    max.set(arg::workspace, {1, 7, 2}); // beyond the kernel
    max.check();
    EXPECT_EQ(max.get(arg::diff_src), (std::vector<float>{0, 1, 0, 0}));
    const auto mean = [&](int alg) {
        Trial run(valid(make_pooling_backward(alg, src, dst, padded, nullptr, {})));
        run.set(arg::diff_dst, {1, 2, 4});
        run.check();
        return run.get(arg::diff_src);
    };
    EXPECT_EQ(mean(alg::pooling_avg_include_padding), (std::vector<float>{.5f, 1, 1, 2}));
    EXPECT_EQ(mean(alg::pooling_avg_exclude_padding), (std::vector<float>{1, 1, 1, 4}));
    const MemoryDesc none = md({1, 1, 0}, f32, "abc"), three = md({1, 1, 3}, f32, "abc");
    Trial(forward(alg::pooling_max, none, three, windows(2, 1, 0, 2, 2))).check();
}

// covers: POO-01 POO-09 POO-11 FMT-06
TEST(Pooling, every_layout_and_alg) {
    const char* tags[] = {"abcd", "acdb", "aBcd16b", "dcba", "abCD2c4d", "ABcd4a4b"};
    unsigned seed = 1;
    for (const int alg : algs)
        for (const char* from : tags)
            for (const char* to : tags) {
                // 4 x 2 taps, and at borders 2, 4 or 1, so that quotients are exact.
                PoolingWindows w = windows(4, 2, 0, 2, 2);
                w.kernel[1] = 2, w.strides[1] = 1, w.padding_l[1] = 0, w.padding_r[1] = 1;
                const bool dilated = seed % 3 == 0 && alg != alg::pooling_avg_exclude_padding;
                if (dilated) w.dilation[0] = 1, w.padding_l[0] = 4;
                const MemoryDesc src = md({2, 18, 8, 5}, f32, from), dst = md({2, 18, dilated ? 4 : 5, 5}, f32, to);
                const Problem p = forward(alg, src, dst, w);
                Trial(p, ++seed, alg == alg::pooling_max).check();
                Trial(valid(make_pooling_backward(alg, src, dst, w, &p, {})), ++seed).check();
            }
}

TEST(Pooling, large_windows_and_volumes) {
    const char* tags[] = {"abcd", "acdb", "aBcd16b"};
    for (const int alg : {alg::pooling_max, alg::pooling_avg_include_padding})
        for (const char* tag : tags) {
            const MemoryDesc src = md({1, 18, 8, 9}, f32, tag), dst = md({1, 18, 9, 10}, f32, tag);
            const Problem p = forward(alg, src, dst, windows(8, 1, 0, 4, 4));
            Trial(p, 3, alg == alg::pooling_max).check();
            Trial(valid(make_pooling_backward(alg, src, dst, windows(8, 1, 0, 4, 4), &p, {})), 4).check();
            const MemoryDesc volume = md({1, 2, 5, 6, 7}, f32, "abcde"), out = md({1, 2, 3, 4, 4}, f32, "acdeb");
            const Problem q = forward(alg, volume, out, windows(2, 2, 0, 1, 1));
            Trial(q, 5).check();
            Trial(valid(make_pooling_backward(alg, volume, out, windows(2, 2, 0, 1, 1), &q, {})), 6).check();
        }
}

// Windows of 13 x 13 that overlap: 26 elements a result and the copies with borders, not 169; the same of 5 x 5 x 5.
// Values of few kinds, so that many taps of a window are as large.
TEST(Pooling, windows_that_overlap_go_along_one_dim_after_the_other) {
    const auto points = [](const Problem& p) {
        const auto plan = row(p.kind).lower(p);
        double all = 0;
        for (const Step& step : plan->steps) {
            if (!step.group) all += double(step.nest.points());
            for (size_t i = 0; step.group && i < step.group->steps.size(); ++i)
                all += double(step.nest.points()) * double(step.group->steps[i].nest.points());
        }
        return all;
    };
    const PoolingWindows w = windows(13, 1, 0, 6, 6), cube = windows(5, 1, 0, 2, 2), apart = windows(7, 2, 0, 3, 3);
    unsigned seed = 1;
    for (const DataType type : {f32, DataType::s8})
        for (const char* tag : {"abcd", "acdb", "aBcd16b"})
            for (const int alg : algs)
                for (const PropKind prop : {PropKind::forward_training, PropKind::forward_inference}) {
                    const MemoryDesc md_of = md({1, 17, 20, 18}, type, tag);
                    const Problem p = forward(alg, md_of, md_of, w, prop);
                    EXPECT_LT(points(p), 40 * 17 * 20 * 18) << tag;
                    Trial(p, ++seed, alg == alg::pooling_max).check();
                    const MemoryDesc small = md({1, 17, 10, 9}, type, tag);
                    const Problem q = forward(alg, md_of, small, apart, prop);
                    EXPECT_LT(points(q), 40 * 17 * 10 * 9) << tag;
                    Trial(q, ++seed, alg == alg::pooling_max).check();
                }
    for (const char* tag : {"abcde", "acdeb", "aBcde16b"}) {
        const MemoryDesc volume = md({1, 18, 7, 9, 8}, f32, tag);
        for (const int alg : algs) {
            const Problem p = forward(alg, volume, volume, cube);
            EXPECT_LT(points(p), 30 * 18 * 7 * 9 * 8) << tag;
            Trial(p, ++seed, alg == alg::pooling_max).check();
        }
    }
}

// covers: POO-05
TEST(Pooling, of_equal_maxima_the_first_tap) {
    const MemoryDesc image = md({1, 1, 9, 9}, f32, "abcd");
    Trial run(forward(alg::pooling_max, image, image, windows(7, 1, 0, 3, 3)));
    std::vector<float> values(81, 1.f), taps;
    run.set(arg::src, values);
    run.check();
    for (int h = 0; h < 9; ++h)
        for (int w = 0; w < 9; ++w) taps.push_back(float(std::max(3 - h, 0) * 7 + std::max(3 - w, 0)));
    EXPECT_EQ(run.get(arg::workspace), taps);
    run.set(arg::src, std::vector<float>(81, -infinity)); // as low as a border, which has no gradient
    run.check();
    EXPECT_EQ(run.get(arg::workspace), taps);
}

// Large windows: outputs are added where the workspace says, in the order in which the interpreter adds up an input's;
// any numbers may stand there, and zeros of both signs and infinities among the values.
TEST(Pooling, gradients_of_large_maxima_have_the_bits_of_their_plan) {
    struct Shape {
        PoolingWindows w;
        Dims from, to;
        int ndims;
    };
    const Shape shapes[] = {{windows(13, 1, 0, 6, 6), {1, 18, 20, 19}, {1, 18, 20, 19}, 4},
                            {windows(9, 2, 0, 4, 4), {2, 17, 20, 19}, {2, 17, 10, 10}, 4},
                            {windows(11, 1, 1, 10, 10), {1, 3, 24, 23}, {1, 3, 24, 23}, 4},
                            {windows(17, 1, 0, 8, 8), {1, 5, 19, 18}, {1, 5, 19, 18}, 4}, // numbers of s32
                            {windows(5, 1, 0, 2, 2), {1, 16, 6, 8, 7}, {1, 16, 6, 8, 7}, 5},
                            {windows(90, 1, 0, 45, 44), {2, 5, 200}, {2, 5, 200}, 3}};
    std::mt19937 random(7);
    for (const Shape& shape : shapes)
        for (const DataType type : {f32, DataType::bf16})
            for (const std::string_view form : {"ab*", "a*b", "aB*16b"}) {
                std::string tag(form);
                tag.replace(tag.find('*'), 1, std::string("cde").substr(0, size_t(shape.ndims) - 2));
                const auto of = [&](const Dims& dims) {
                    return md(std::vector<int64_t>(dims.begin(), dims.begin() + shape.ndims), type, tag.c_str());
                };
                if (type != f32 && &shape != &shapes[0]) continue;
                const MemoryDesc src = of(shape.from), dst = of(shape.to);
                const Problem hint = forward(alg::pooling_max, src, dst, shape.w);
                Trial run(valid(make_pooling_backward(alg::pooling_max, src, dst, shape.w, &hint, {})));
                double volume = 1;
                for (int d = 2; d < shape.ndims; ++d) volume *= double(shape.w.kernel[size_t(d) - 2]);
                std::vector<float> values, numbers;
                for (int64_t i = 0; i < dst.nelems(false); ++i) {
                    const float odd[] = {0, 0, 0, 0, -0.f, -0.f, -0.f, infinity};
                    values.push_back(random() % 8 ? float(int(random() % 20001) - 10000) / 9973 : odd[random() % 8]);
                    const double taps = random() % 16 ? volume : 2 * volume; // beyond the kernel, too
                    numbers.push_back(float(random() % uint32_t(taps)));
                }
                run.set(arg::diff_dst, values), run.set(arg::workspace, numbers);
                run.check_bits();
                if (&shape != &shapes[0]) continue;
                const auto plan = std::make_shared<const Plan>(*row(run.p.kind).lower(run.p));
                const auto made = cpu::make_generated(plan, generating_machines().back());
                ASSERT_TRUE(made);
                EXPECT_NE(made->text().find("scatter"), std::string::npos) << made->text();
            }
}

// covers: POO-10
TEST(Pooling, all_types) {
    const DataType types[] = {f32,           DataType::bf16, DataType::f16,     DataType::s8,
                              DataType::s32, DataType::u8,   DataType::f8_e5m2, DataType::f8_e4m3};
    unsigned seed = 1;
    for (const DataType a : types)
        for (const DataType b : types)
            for (const int alg : algs) {
                const MemoryDesc src = md({1, 18, 8}, a, "acb"), dst = md({1, 18, 5}, b, "acb");
                const Problem p = forward(alg, src, dst, windows(4, 2, 0, 2, 2));
                Trial(p, ++seed, alg == alg::pooling_max).check();
            }
    const MemoryDesc f64 = md({1, 1, 3}, DataType::f64, "abc"), fine = md({1, 1, 3}, f32, "abc");
    const PoolingWindows w = windows(1, 1, 0, 0, 0);
    expect_refusal(make_pooling_forward(PropKind::forward_inference, alg::pooling_max, f64, fine, w, {}),
                   Status::unimplemented, "src is f64");
    expect_refusal(make_pooling_backward(alg::pooling_avg_include_padding, f64, fine, w, nullptr, {}),
                   Status::unimplemented, "diff_src is f64");
}

// covers: POO-08 POO-11 POO-13
TEST(Pooling, hints_and_open_layouts) {
    const MemoryDesc src = md({2, 17, 6}, f32, "aBc16b"), dst = md({2, 17, 3}, f32, "abc"),
                     any = md({2, 17, 3}, f32, "any");
    const PoolingWindows w = windows(2, 2, 0, 0, 0);
    const Problem p = forward(alg::pooling_max, src, any, w);
    EXPECT_TRUE(p.tensors[1].was_any);
    EXPECT_EQ(p.md(arg::dst).inner_nblks, 1);
    EXPECT_EQ(p.md(arg::workspace).inner_nblks, 1) << "dst's layout";
    EXPECT_EQ(row(p.kind).shape(p), "mb2ic17_iw6ow3kw2sw2dw0pw0");
    const Problem inference = forward(alg::pooling_max, src, dst, w, PropKind::forward_inference);
    EXPECT_EQ(inference.find(arg::workspace), nullptr);
    EXPECT_EQ(forward(alg::pooling_avg_include_padding, src, dst, w).find(arg::workspace), nullptr);
    const auto gradient = [&](const Problem* hint, const PoolingWindows& of = windows(2, 2, 0, 0, 0)) {
        return make_pooling_backward(alg::pooling_max, md({2, 17, 6}, f32, "any"), dst, of, hint, {});
    };
    expect_refusal(gradient(nullptr), Status::invalid_arguments, "its hint is null");
    expect_refusal(gradient(&inference), Status::unimplemented, "the hint has none");
    const Problem other = forward(alg::pooling_max, src, md({2, 17, 5}, f32, "abc"), windows(2, 1, 0, 0, 0));
    expect_refusal(gradient(&other), Status::invalid_arguments, "the hint is 2x17x5");
    expect_refusal(gradient(&p, windows(2, 0, 0, 0, 0)), Status::invalid_arguments, "stride");
    const Problem backward = valid(gradient(&p));
    EXPECT_TRUE(backward.tensors.back().was_any);
    EXPECT_EQ(backward.md(arg::diff_src).inner_nblks, 0) << "as diff_dst";
    Trial(backward).check();
    expect_refusal(make_pooling_forward(PropKind::forward_inference, 5, src, dst, w, {}), Status::invalid_arguments,
                   "is none of pooling_max");
    expect_refusal(make_pooling_forward(PropKind::backward_data, alg::pooling_max, src, dst, w, {}),
                   Status::invalid_arguments, "neither forward_training");
    expect_refusal(make_pooling_forward(PropKind::forward_inference, alg::pooling_max, src,
                                        strided({2, 17, 3}, f32, {0, 3, 1}), w, {}),
                   Status::unimplemented, "overwrite");
    const int64_t huge = int64_t(1) << 60;
    expect_refusal(make_pooling_forward(PropKind::forward_inference, alg::pooling_max, src, dst,
                                        windows(huge, huge, huge, huge, huge), {}),
                   Status::unimplemented, "are possible");
}

// Means by the definition of a derivative: the change of the sum of g * dst where an element of src changes by 1 is
// diff_src, exactly, as means are linear.
TEST(Pooling, gradients_of_means_are_derivatives) {
    for (const int alg : {alg::pooling_avg_include_padding, alg::pooling_avg_exclude_padding}) {
        const PoolingWindows w = windows(4, 2, 0, 1, 1);
        const MemoryDesc src = md({1, 1, 6, 6}, f32, "abcd"), dst = md({1, 1, 3, 3}, f32, "abcd");
        Trial gradient(valid(make_pooling_backward(alg, src, dst, w, nullptr, {})));
        const std::vector<float> g{1, -2, 3, 4, 5, -6, 7, 8, 9};
        gradient.set(arg::diff_dst, g);
        gradient.reference();
        const std::vector<float> want = gradient.get(arg::diff_src);
        for (size_t i = 0; i < want.size(); ++i) {
            Trial run(forward(alg, src, dst, w));
            std::vector<float> values(want.size(), 0);
            values[i] = 1;
            run.set(arg::src, values);
            run.reference();
            const std::vector<float> out = run.get(arg::dst);
            double sum = 0;
            for (size_t o = 0; o < g.size(); ++o) sum += double(g[o]) * double(out[o]);
            EXPECT_NEAR(sum, double(want[i]), 1e-5) << "element " << i;
        }
    }
}

} // namespace tessera::ops
