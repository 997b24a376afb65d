// SPDX-License-Identifier: Apache-2.0
// Normalizations: results that the specification reports, gradients by numerical differentiation, what is refused.
#include "ops/normalization/normalization.hpp"

#include <functional>
#include <limits>

#include "objects.hpp"
#include "ops/batch_normalization/batch_normalization.hpp"
#include "ops/group_normalization/group_normalization.hpp"
#include "ops/layer_normalization/layer_normalization.hpp"
#include "trial.hpp"

namespace tessera::ops {

namespace {

constexpr DataType f32 = DataType::f32;
constexpr unsigned affine = norm::use_scale | norm::use_shift;

// A problem with the plain tensors that its plan reads and writes, executed by the interpreter of plans.
struct Execution {
    explicit Execution(Problem problem) : p(std::move(problem)) {
        for (const Tensor& t : p.tensors) values[t.arg].resize(size_t(t.md.nelems()));
        for (const QuantArg& q : quant_args(p)) values[q.id] = {1};
    }
    void execute() {
        const auto plan = valid(row(p.kind).lower(p));
        ASSERT_TRUE(verify(plan)) << to_string(plan);
        std::map<int, std::vector<float>> stored; // of f32 alone, plain
        std::vector<std::vector<unsigned char>> scratch;
        for (const int64_t bytes : plan.scratch) scratch.emplace_back(size_t(bytes) + 64);
        std::map<int, std::vector<unsigned char>> bytes;
        for (const auto& [id, v] : values) {
            const DataType type = p.find(id) ? p.md(id).type : f32;
            auto& b = bytes[id];
            b.resize(v.size() * 8 + 64);
            for (size_t i = 0; i < v.size(); ++i) write<float>(type, b.data(), int64_t(i), v[i]);
        }
        std::vector<void*> pointers;
        for (const Operand& o : plan.operands)
            pointers.push_back(o.scratch >= 0 ? scratch[size_t(o.scratch)].data() + o.bytes
                                              : bytes.at(o.arg).data() + o.bytes);
        interpret(plan, pointers);
        for (const Tensor& t : p.tensors)
            for (size_t i = 0; t.output && i < values[t.arg].size(); ++i)
                values[t.arg][i] = read<float>(t.md.type, bytes[t.arg].data(), int64_t(i));
    }
    Problem p;
    std::map<int, std::vector<float>> values;
};

MemoryDesc plain(const std::vector<int64_t>& dims, DataType type = f32) {
    return md(dims, type, std::string_view("abcdef").substr(0, dims.size()));
}

// A forward and its backward, of either kind, over plain tensors.
using Forward = std::function<Result<Problem>(unsigned flags)>;
using Backward = std::function<Result<Problem>(unsigned flags, const Problem& forward)>;

double pseudo_random(size_t i) { return double(i * 2654435761u % 1000) / 500 - 1; }

// d loss / d x, where loss is the sum of dst times some weights, against what the backward gives.
void check_gradients(const Forward& make_forward, const Backward& make_backward, unsigned flags) {
    Execution forward(valid(make_forward(flags)));
    Execution backward(valid(make_backward(flags, forward.p)));
    for (auto& [id, v] : forward.values)
        for (size_t i = 0; i < v.size(); ++i) v[i] = float(pseudo_random(i * 7 + size_t(id)));
    if (flags & norm::use_global_stats)
        for (float& v : forward.values[arg::variance]) v = v * v + .5f;
    std::vector<double> weights;
    for (size_t i = 0; i < forward.values[arg::dst].size(); ++i) weights.push_back(pseudo_random(3 * i + 1));
    const auto loss = [&] {
        forward.execute();
        double sum = 0;
        for (size_t i = 0; i < weights.size(); ++i) sum += double(forward.values[arg::dst][i]) * weights[i];
        return sum;
    };
    loss();
    for (auto& [id, v] : backward.values) {
        if (id == arg::diff_dst) v.assign(weights.begin(), weights.end());
        if (id != arg::diff_dst && forward.values.count(id)) v = forward.values[id];
    }
    backward.execute();
    for (const auto& [of, to] :
         {std::pair{arg::src, arg::diff_src}, {arg::scale, arg::diff_scale}, {arg::shift, arg::diff_shift}}) {
        if (!backward.p.find(to)) continue;
        for (size_t i = 0; i < forward.values[of].size(); ++i) {
            constexpr float step = 1.f / 64;
            float& x = forward.values[of][i];
            const float before = x;
            x = before + step;
            const double high = loss();
            x = before - step;
            const double low = loss();
            x = before;
            // The third derivative times step^2 / 6, and the roundings of two sums over the step.
            EXPECT_NEAR(backward.values[to][i], (high - low) / (2 * double(step)), 4e-3)
                << arg_name(to) << " " << i << ", flags " << flags;
        }
    }
}

} // namespace

// covers: LNO-01 LNO-09 SUR-06
TEST(Normalization, values_of_the_specification) {
    Attr attr;
    attr.scales[arg::src] = {};
    Execution run(valid(make_layer_normalization_forward(PropKind::forward_inference, plain({1, 4}, DataType::s8),
                                                         plain({1, 4}), {}, f32, 0, 0, attr)));
    run.values[arg::src] = {0, 1, 2, 3};
    run.values[arg::scales | arg::src] = {100};
    run.execute();
    const float expected[] = {-134.164f, -44.7214f, 44.7214f, 134.164f};
    for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(run.values[arg::dst][i], expected[i], 1e-3f);
}

// The gradient of root mean squares has no mean of the gradients, unlike oneDNN's. covers: LNO-02 LNO-03 LNO-04 SUR-07
TEST(Normalization, gradients_of_layers_are_derivatives) {
    const MemoryDesc data = plain({3, 5});
    const auto forward = [&](unsigned flags) {
        return make_layer_normalization_forward(PropKind::forward_training, data, data, {}, f32, 1e-2f, flags, {});
    };
    const auto backward = [&](unsigned flags, const Problem&) {
        return make_layer_normalization_backward(PropKind::backward, data, data, data, {}, f32, f32, 1e-2f, flags, {});
    };
    for (const unsigned flags :
         {0u, affine, unsigned(norm::rms), affine | norm::rms, affine | unsigned(norm::use_global_stats),
          unsigned(norm::rms | norm::use_global_stats)})
        check_gradients(forward, backward, flags);
}

// covers: BNO-02
TEST(Normalization, gradients_of_batches_are_derivatives) {
    const MemoryDesc data = plain({3, 2, 4});
    const auto forward = [&](unsigned flags) {
        return make_batch_normalization_forward(PropKind::forward_training, data, data, 1e-2f, flags, {});
    };
    const auto backward = [&](unsigned flags, const Problem& hint) {
        return make_batch_normalization_backward(PropKind::backward, data, data, data, 1e-2f, flags, &hint, {});
    };
    for (const unsigned flags : {0u, affine, affine | unsigned(norm::use_global_stats)})
        check_gradients(forward, backward, flags);
}

// covers: GNO-02
TEST(Normalization, gradients_of_groups_are_derivatives) {
    const MemoryDesc data = plain({2, 4, 3});
    const auto forward = [&](unsigned flags) {
        return make_group_normalization_forward(PropKind::forward_training, data, data, 2, 1e-2f, flags, {});
    };
    const auto backward = [&](unsigned flags, const Problem&) {
        return make_group_normalization_backward(PropKind::backward, data, data, data, 2, 1e-2f, flags, {});
    };
    for (const unsigned flags : {0u, affine, affine | unsigned(norm::use_global_stats)})
        check_gradients(forward, backward, flags);
}

// The three forwards over plain tensors.
template <typename F> void each_forward(float epsilon, F visit) {
    constexpr auto training = PropKind::forward_training;
    for (const int64_t columns : {2, 40, 1000, 20000}) {
        const MemoryDesc rows = plain({3, columns});
        visit(valid(make_layer_normalization_forward(training, rows, rows, {}, f32, epsilon, 0, {})));
    }
    for (const char* tag : {"abcd", "acdb", "aBcd16b"})
        for (const int64_t height : {1, 60, 260}) { // a channel is one cell, or several
            const MemoryDesc images = md({2, 18, height, 32}, f32, tag);
            visit(valid(make_batch_normalization_forward(training, images, images, epsilon, 0, {})));
            visit(valid(make_group_normalization_forward(training, images, images, 6, epsilon, 0, {})));
        }
}

// Half of the elements are the spacing of f32 above the others, so that no f32 is the mean, and the variance is a
// square of it: results are exact, and so the same bits in the reference and on every machine. covers: BNO-01 GNO-01
// LNO-01
TEST(Normalization, means_that_no_number_is) {
    for (const auto& [low, spacing] : {std::pair{1e6f, .0625f}, {1e7f, 1.f}, {1e8f, 8.f}, {-1e8f, 8.f}})
        each_forward(.75f * spacing * spacing, [low = low, spacing = spacing](const Problem& p) {
            if ((low == 1e7f || low < 0) && p.md(arg::src).nelems() > 70000) return; // large ones take seconds
            Trial run(p);
            std::vector<float> values = run.get(arg::src);
            for (size_t i = 0; i < values.size(); ++i) values[i] = low + float(i % 2) * spacing;
            run.set(arg::src, values);
            run.check();
            EXPECT_EQ(run.get(arg::dst)[0], -.5f);
            EXPECT_EQ(run.get(arg::variance)[0], spacing * spacing / 4);
        });
}

// Against double: the first element may be far from all others, too.
TEST(Normalization, errors_far_from_zero) {
    for (const auto& [mean, deviation] : {std::pair{0., 1.}, {1e4, 1.}, {1e7, 20.}, {1e8, 200.}})
        for (const double first : {mean, mean + 1000 * deviation})
            each_forward(1e-10f, [&, mean = mean, deviation = deviation](const Problem& p) {
                const MemoryDesc& src = p.md(arg::src);
                const bool plain_rows = src.is_plain() && src.strides[1] >= src.strides[src.ndims - 1];
                if (src.nelems() < 4000 || src.nelems() > 70000 || !plain_rows) return; // Execution takes plain tensors
                Trial run(p);
                std::vector<float> values = run.get(arg::src);
                for (size_t i = 0; i < values.size(); ++i)
                    values[i] = float(mean + deviation * 1.7 * pseudo_random(i * 31 + i / 97));
                values[0] = float(first);
                run.set(arg::src, values);
                run.reference();
                const std::vector<float> want = run.get(arg::dst), variances = run.get(arg::variance);
                Execution got(p);
                got.values[arg::src] = values;
                got.execute();
                double off = 0, of_variance = 0;
                for (size_t i = 0; i < want.size(); ++i)
                    off = std::max(off, std::abs(double(got.values[arg::dst][i]) - double(want[i])) /
                                            (1 + std::abs(double(want[i]))));
                for (size_t i = 0; i < variances.size(); ++i)
                    of_variance = std::max(of_variance,
                                           std::abs(double(got.values[arg::variance][i]) / double(variances[i]) - 1));
                EXPECT_LT(off, first == mean ? 1e-6 : 2e-5)
                    << to_string(p.md(arg::src).dims_span()) << " " << mean << " " << first;
                EXPECT_LT(of_variance, 2e-6) << to_string(p.md(arg::src).dims_span()) << " " << mean << " " << first;
            });
}

// covers: BNO-09 BNO-14 LNO-05
TEST(Normalization, nan_and_nothing) {
    Execution run(valid(make_batch_normalization_forward(PropKind::forward_training, plain({2, 2}), plain({2, 2}),
                                                         1e-5f, norm::fuse_relu, {})));
    run.values[arg::src] = {NAN, 1, 2, 3};
    run.execute();
    EXPECT_TRUE(std::isnan(run.values[arg::dst][0]) && std::isnan(run.values[arg::mean][0]));
    EXPECT_EQ(run.values[arg::mean][1], 2);
    EXPECT_EQ(run.values[arg::dst][1], 0);
    EXPECT_EQ(run.values[arg::workspace][1], 0);
    EXPECT_EQ(run.values[arg::workspace][0], 1); // what is not below 0 is not cut off
    Execution none(valid(make_layer_normalization_forward(PropKind::forward_training, plain({2, 0}), plain({2, 0}), {},
                                                          f32, 1e-5f, 0, {})));
    none.values[arg::mean] = none.values[arg::variance] = {7, 7};
    none.execute();
    EXPECT_EQ(none.values[arg::mean], (std::vector<float>{0, 0}));
    EXPECT_EQ(none.values[arg::variance], (std::vector<float>{0, 0}));
}

// covers: LNO-05 LNO-06 LNO-07 LNO-08 LNO-12 BNO-03 BNO-08 BNO-10 GNO-03 GNO-04
TEST(Normalization, refusals) {
    const MemoryDesc a = plain({2, 6}), b = plain({2, 5});
    const auto layer = [&](const MemoryDesc& src, const MemoryDesc& dst, const MemoryDesc& statistics, unsigned flags,
                           DataType type = f32) {
        return make_layer_normalization_forward(PropKind::forward_training, src, dst, statistics, type, 1e-5f, flags,
                                                {});
    };
    expect_refusal(layer(a, b, {}, 0), Status::invalid_arguments, "dst is 2x5, src 2x6; shapes must be equal");
    expect_refusal(layer(a, a, plain({3}), 0), Status::invalid_arguments, "mean and variance (stat_desc) are 3");
    expect_refusal(layer(a, a, plain({2}, DataType::bf16), 0), Status::unimplemented, "(stat_desc) are bf16");
    expect_refusal(layer(a, a, {}, norm::fuse_relu), Status::invalid_arguments, "flags 8 have 8");
    expect_refusal(layer(a, a, {}, norm::use_scale, DataType::s8), Status::unimplemented, "scale and shift are s8");
    expect_refusal(layer(plain({6}), plain({6}), {}, 0), Status::invalid_arguments, "2 to 5 are possible");
    expect_refusal(layer(plain({2, 6}, DataType::s32), a, {}, 0), Status::unimplemented, "src is s32");
    const auto batch = [&](const MemoryDesc& src, const MemoryDesc& dst, unsigned flags) {
        return make_batch_normalization_forward(PropKind::forward_training, src, dst, 1e-5f, flags, {});
    };
    expect_refusal(batch(a, plain({2, 6}, DataType::bf16), 0), Status::unimplemented, "one type throughout");
    expect_refusal(batch(a, md({2, 6}, f32, "ba"), 0), Status::unimplemented, "one layout for both");
    expect_refusal(batch(plain({2, 6}, DataType::s8), plain({2, 6}, DataType::s8), 0), Status::unimplemented,
                   "without use_global_stats");
    expect_refusal(batch(a, a, norm::fuse_add_relu), Status::unimplemented, "fuse_norm_add_relu");
    expect_refusal(batch(a, a, norm::rms), Status::invalid_arguments, "flags 32 have 32");
    const auto group = [&](int64_t groups) {
        return make_group_normalization_forward(PropKind::forward_training, a, a, groups, 1e-5f, 0, {});
    };
    expect_refusal(group(4), Status::invalid_arguments, "4 groups of the 6 channels");
    expect_refusal(group(0), Status::invalid_arguments, "0 groups of the 6 channels");
}

} // namespace tessera::ops
