// SPDX-License-Identifier: Apache-2.0
// prelu: the definition, gradients against numerical differentiation, sums over every set of shared dims, the rules.
#include <bit>

#include "objects.hpp"
#include "ops/prelu/prelu.hpp"
#include "trial.hpp"

namespace tessera::ops {

namespace {

constexpr DataType f32 = DataType::f32;
const PropKind forward = PropKind::forward_inference;

MemoryDesc any(std::vector<int64_t> dims, DataType type = f32) { return *make_desc_any(dims, type); }

Problem backward(const MemoryDesc& data, const MemoryDesc& weights) {
    return valid(make_prelu_backward(data, weights, data, weights, data, {}));
}

// Shapes of weights for data of 3x4x2x5: bit d set, dimension d is not shared.
std::vector<int64_t> weights_of(const std::vector<int64_t>& data, unsigned own) {
    std::vector<int64_t> dims;
    for (size_t d = 0; d < data.size(); ++d) dims.push_back(own >> d & 1 ? data[d] : 1);
    return dims;
}

// sum of diff_dst * prelu(src, weights): the scalar whose gradients are asked for.
double loss(const std::vector<int64_t>& data, const std::vector<int64_t>& weights, const std::vector<float>& s,
            const std::vector<float>& w, const std::vector<float>& dd) {
    Trial run(
        valid(make_prelu_forward(forward, md(data, f32, "abcd"), md(weights, f32, "abcd"), md(data, f32, "abcd"), {})));
    run.set(arg::src, s);
    run.set(arg::weights, w);
    run.reference();
    const auto y = run.get(arg::dst);
    double sum = 0;
    for (size_t i = 0; i < y.size(); ++i) sum += double(dd[i]) * y[i];
    return sum;
}

} // namespace

// covers: PRE-01 PRE-03 PRE-09
TEST(Prelu, forward_values) {
    for (const PropKind prop : {PropKind::forward_training, PropKind::forward_inference}) {
        const MemoryDesc data = md({8}, f32, "a");
        Trial run(valid(make_prelu_forward(prop, data, data, data, {})));
        run.set(arg::src, {2, -2, 0.f, -0.f, 0.f, NAN, -INFINITY, INFINITY});
        run.set(arg::weights, {3, 3, -5, 5, INFINITY, 1, -1, NAN});
        run.check();
        const auto y = run.get(arg::dst);
        const float want[] = {2, -6, -0.f, -0.f, NAN, NAN, INFINITY, INFINITY};
        for (size_t i = 0; i < y.size(); ++i) {
            if (std::isnan(want[i])) {
                EXPECT_TRUE(std::isnan(y[i])) << i << ": " << y[i];
            } else {
                EXPECT_EQ(std::bit_cast<uint32_t>(y[i]), std::bit_cast<uint32_t>(want[i])) << i << ": " << y[i];
            }
        }
    }
}

// covers: PRE-02
TEST(Prelu, gradients_are_numerical_derivatives) {
    const std::vector<int64_t> data{2, 3, 1, 4};
    for (unsigned own = 0; own < 16; ++own) {
        const auto shape = weights_of(data, own);
        Trial run(backward(md(data, f32, "abcd"), md(shape, f32, "abcd")), own + 1);
        auto s = run.get(arg::src), w = run.get(arg::weights);
        const auto dd = run.get(arg::diff_dst);
        for (float& x : s)
            if (x == 0) x = 1; // there is no derivative at 0
        run.set(arg::src, s);
        run.check();
        // Multiples of 1/4, and a step of 1/8 that crosses no kink: the difference quotient is exact.
        const float h = 0.125f;
        const auto derivative = [&](std::vector<float>& of, size_t i) {
            const float x = of[i];
            of[i] = x + h;
            const double up = loss(data, shape, s, w, dd);
            of[i] = x - h;
            const double down = loss(data, shape, s, w, dd);
            of[i] = x;
            return (up - down) / (2 * h);
        };
        const auto diff_src = run.get(arg::diff_src), diff_weights = run.get(arg::diff_weights);
        for (size_t i = 0; i < s.size(); ++i) EXPECT_EQ(diff_src[i], derivative(s, i)) << "diff_src " << i;
        for (size_t i = 0; i < w.size(); ++i) EXPECT_EQ(diff_weights[i], derivative(w, i)) << "diff_weights " << i;
    }
}

// One order of additions: the interpreter on one thread and the engines on two give the same bits.
// covers: PRE-02 PRE-06 NUM-04
TEST(Prelu, every_set_of_shared_dims_in_any_layout) {
    const char* tags[] = {"abcd", "acdb", "aBcd16b", "cdba", "ABcd4a4b"};
    const std::vector<int64_t> data{3, 18, 2, 5};
    unsigned seed = 1;
    for (unsigned own = 0; own < 16; ++own)
        for (int turn = 0; turn < 5; ++turn, ++seed) {
            const MemoryDesc src = md(data, f32, tags[seed % 5]), other = md(data, f32, tags[seed / 5 % 5]);
            const MemoryDesc weights = md(weights_of(data, own), f32, tags[seed / 3 % 5]);
            const MemoryDesc diff_weights = md(weights_of(data, own), f32, tags[seed / 7 % 5]);
            Trial(valid(make_prelu_forward(forward, src, weights, other, {})), seed).check();
            Trial(valid(make_prelu_backward(src, weights, other, diff_weights, src, {})), seed).check();
        }
    // Long sums, of few and of many weights.
    Trial(backward(md({7, 5, 33, 35}, f32, "abcd"), md({1, 5, 1, 1}, f32, "abcd"))).check();
    Trial(backward(md({7, 40, 33, 5}, f32, "acdb"), md({1, 40, 1, 1}, f32, "abcd"))).check();
    Trial(backward(md({9000}, f32, "a"), md({1}, f32, "a"))).check();
}

// covers: PRE-05
TEST(Prelu, all_types) {
    const DataType types[] = {f32,           DataType::bf16, DataType::f16,     DataType::s8,
                              DataType::s32, DataType::u8,   DataType::f8_e5m2, DataType::f8_e4m3};
    unsigned seed = 1;
    for (const DataType a : types)
        for (const DataType b : types) {
            const MemoryDesc data = md({2, 20, 3}, a, "acb"), weights = md({1, 20, 1}, b, "abc");
            Trial(valid(make_prelu_forward(forward, data, weights, md({2, 20, 3}, b, "abc"), {})), ++seed).check();
            Trial(backward(data, weights), seed).check();
            Trial(backward(data, md({2, 20, 3}, b, "acb")), seed).check();
        }
    const MemoryDesc f64 = md({2}, DataType::f64, "a"), fine = md({2}, f32, "a");
    expect_refusal(make_prelu_forward(forward, f64, fine, fine, {}), Status::unimplemented, "src is f64");
    expect_refusal(make_prelu_forward(forward, fine, f64, fine, {}), Status::unimplemented, "weights is f64");
}

// covers: PRE-04 PRE-06
TEST(Prelu, shapes) {
    const MemoryDesc data = md({2, 3, 4}, f32, "abc"), row = md({1, 3, 1}, f32, "abc");
    const Problem p = backward(data, row);
    std::vector<int> ids;
    for (const Tensor& t : p.tensors) ids.push_back(t.output ? -t.arg : t.arg);
    EXPECT_EQ(ids, (std::vector<int>{arg::src, arg::weights, arg::diff_dst, -arg::diff_src, -arg::diff_weights}));
    const auto make = [&](const MemoryDesc& weights) { return make_prelu_forward(forward, data, weights, data, {}); };
    expect_refusal(make(md({1, 2, 1}, f32, "abc")), Status::invalid_arguments, "dimension 1 of weights is 2");
    expect_refusal(make(md({3}, f32, "a")), Status::invalid_arguments, "as many dimensions");
    expect_refusal(make_prelu_forward(forward, data, row, row, {}), Status::invalid_arguments, "dst is 1x3x1");
    expect_refusal(make_prelu_backward(data, row, data, data, data, {}), Status::invalid_arguments, "diff_weights is");
    const MemoryDesc six = md({1, 2, 1, 2, 1, 2}, f32, "abcdef");
    expect_refusal(make_prelu_forward(forward, six, six, six, {}), Status::invalid_arguments, "6 dimensions");
    expect_refusal(make_prelu_forward(PropKind::backward, data, row, data, {}), Status::invalid_arguments,
                   "propagation kind backward is");
}

// covers: PRE-07 FMT-02
TEST(Prelu, open_layouts_follow_src) {
    const Problem p =
        valid(make_prelu_forward(forward, md({2, 3, 4, 5}, f32, "acdb"), any({1, 3, 1, 1}), any({2, 3, 4, 5}), {}));
    EXPECT_EQ(strides_of(p.md(arg::weights)), (std::vector<int64_t>{3, 1, 3, 3}));
    EXPECT_EQ(tag_of(p.md(arg::dst)), "acdb");
    const MemoryDesc data = md({2, 17, 4, 5}, f32, "aBcd16b"), open = any({2, 17, 4, 5}), few = any({1, 17, 1, 1});
    const Problem b = valid(make_prelu_backward(data, few, open, few, open, {}));
    EXPECT_EQ(tag_of(b.md(arg::diff_src)), "aBcd16b");
    EXPECT_EQ(tag_of(b.md(arg::diff_dst)), "aBcd16b");
    EXPECT_EQ(b.md(arg::weights).inner_nblks, 1);
    EXPECT_TRUE(b.md(arg::diff_weights) == b.md(arg::weights));
    Trial(b).check();
    expect_refusal(make_prelu_forward(forward, open, few, open, {}), Status::invalid_arguments, "`any`");
}

// covers: PRE-02 PRE-06
TEST(Prelu, empty_shapes_have_empty_sums) {
    Trial run(backward(md({0, 3}, f32, "ab"), md({1, 3}, f32, "ab")));
    run.check();
    EXPECT_EQ(run.get(arg::diff_weights), (std::vector<float>{0, 0, 0}));
    Trial blocked(backward(md({0, 17, 2}, f32, "abc"), md({1, 17, 1}, f32, "aBc16b")));
    blocked.check();
}

// covers: PRE-08
TEST(Prelu, no_attributes) {
    const MemoryDesc data = md({2, 3}, f32, "ab");
    Attr scales, sum;
    scales.scales[arg::src] = Quant{};
    PostOp op;
    op.kind = PostOpKind::sum;
    ASSERT_TRUE(sum.post_ops.append(op));
    for (const Attr& attr : {scales, sum})
        expect_refusal(make_prelu_forward(forward, data, data, data, attr), Status::unimplemented, "not possible");
}

} // namespace tessera::ops
