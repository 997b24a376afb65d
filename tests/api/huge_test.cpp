// SPDX-License-Identifier: Apache-2.0
// Tensors larger than any memory, or of many elements in one place (strides of 0): primitives for them are made or
// refused with a reason, soon, and without leaving 64 bits on the way, which the sanitizer build watches.
// covers: MEM-13 STA-02
#include <chrono>
#include <cstring>
#include <random>

#include <cmath>

#include <gtest/gtest.h>

#include "oneapi/dnnl/dnnl.hpp"

namespace tessera::test {
namespace {

using dnnl::memory;
using Random = std::mt19937_64;

memory::dim extent(Random& r) {
    static constexpr memory::dim some[] = {1,
                                           2,
                                           3,
                                           17,
                                           memory::dim(1) << 16,
                                           (memory::dim(1) << 20) + 1,
                                           memory::dim(1) << 31,
                                           (memory::dim(1) << 40) - 1,
                                           memory::dim(1) << 58,
                                           memory::dim(1) << 61};
    return some[r() % std::size(some)];
}

memory::data_type type(Random& r) {
    static constexpr memory::data_type some[] = {memory::data_type::f32, memory::data_type::s8, memory::data_type::bf16,
                                                 memory::data_type::s32, memory::data_type::u8};
    return some[r() % std::size(some)];
}

// Dense, or with all elements of some dims in one place, or blocked, or of few elements and as far apart as elements
// can be; nothing where no such descriptor is possible.
memory::desc desc(Random& r, const memory::dims& dims, memory::data_type type) {
    memory::dims strides(dims.size());
    memory::dim stride = 1;
    const bool repeats = r() % 2;
    for (size_t d = dims.size(); d-- > 0;) {
        strides[d] = repeats && r() % 2 ? 0 : stride;
        if (strides[d] && __builtin_mul_overflow(stride, dims[d], &stride)) strides[d] = 0, stride = 1;
    }
    memory::dim span = 0;
    for (size_t d = 0; d < dims.size(); ++d) span += dims[d] < 32 ? (dims[d] - 1) * strides[d] : memory::dim(1) << 62;
    if (span > 0 && span < memory::dim(1) << 20) {
        const memory::dim most = memory::dim(1) << (r() % 2 ? 60 - r() % 3 : 29 + r() % 5);
        for (memory::dim& s : strides) s *= most / span;
        return memory::desc(dims, type, strides, true);
    }
    static constexpr memory::format_tag blocked[] = {memory::format_tag::undef, memory::format_tag::a,
                                                     memory::format_tag::BA16a16b, memory::format_tag::aBc16b,
                                                     memory::format_tag::aBcd16b};
    if (r() % 4 == 0)
        if (const memory::desc md(dims, type, blocked[dims.size()], true); md) return md;
    return memory::desc(dims, type, strides, true);
}

// Everything that can be made of one shape.
template <typename Do> void attempt(const char* what, uint64_t seed, int& made, Do act) {
    const auto start = std::chrono::steady_clock::now();
    try {
        act();
        ++made;
    } catch (const dnnl::error& e) {
        EXPECT_GT(std::strlen(e.what()), 20u) << what;
        EXPECT_NE(e.status, dnnl_runtime_error) << what << " " << e.what() << ", seed " << seed;
    }
    const auto took = std::chrono::steady_clock::now() - start;
    EXPECT_LT(took, std::chrono::seconds(20)) << what << ", seed " << seed; // microseconds on an idle machine
}

} // namespace

TEST(Huge, primitives_are_made_or_refused) {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    constexpr auto inference = dnnl::prop_kind::forward_inference;
    int made = 0;
    for (uint64_t seed = 1; seed <= 1500 && !testing::Test::HasFailure(); ++seed) {
        Random r(seed);
        memory::dims dims(1 + r() % 4);
        for (memory::dim& d : dims) d = seed % 3 ? extent(r) : memory::dim(1 + r() % 17);
        const memory::desc a = desc(r, dims, type(r)), b = desc(r, dims, type(r)), c = desc(r, dims, type(r));
        if (!a || !b || !c) continue;
        attempt("reorder", seed, made, [&] {
            dnnl::primitive_attr attr;
            if (r() % 3 == 0) attr.set_scales_mask(DNNL_ARG_SRC, int(r() % 4));
            dnnl::reorder(dnnl::reorder::primitive_desc(cpu, a, cpu, b, attr));
        });
        attempt("eltwise", seed, made, [&] {
            dnnl::eltwise_forward({cpu, inference, dnnl::algorithm::eltwise_relu, a, b});
        });
        attempt("binary", seed, made, [&] { dnnl::binary({cpu, dnnl::algorithm::binary_add, a, b, c}); });
        attempt("sum", seed, made, [&] { dnnl::sum({cpu, c, {1.f, 2.f}, {a, b}}); });
        attempt("concat", seed, made, [&] { dnnl::concat({cpu, int(r() % dims.size()), {a, a}}); });
        attempt("prelu", seed, made, [&] { dnnl::prelu_forward({cpu, inference, a, b, c}); });
        attempt("softmax", seed, made, [&] {
            dnnl::softmax_forward({cpu, inference, dnnl::algorithm::softmax_accurate, a, b, int(r() % dims.size())});
        });
        if (const memory::dim cells = extent(r); dims.size() == 3) {
            const auto f32 = memory::data_type::f32;
            const auto layer = desc(r, dims, f32), state = desc(r, {dims[0], dims[1], cells}, f32);
            const auto w = desc(r, {1, 1, dims[2], 4, cells}, f32), u = desc(r, {1, 1, cells, 4, cells}, f32),
                       bias = desc(r, {1, 1, 4, cells}, f32);
            const memory::desc none;
            if (layer && state && w && u && bias)
                attempt("lstm", seed, made, [&] {
                    dnnl::lstm_forward({cpu, dnnl::prop_kind::forward_training,
                                        dnnl::rnn_direction::unidirectional_left2right, layer, none, none, w, u, bias,
                                        state, none, none});
                });
        }
        memory::dims few = dims;
        few[r() % dims.size()] = 1;
        if (const memory::desc e = desc(r, few, type(r)); e)
            attempt("reduction", seed, made, [&] {
                dnnl::reduction({cpu, dnnl::algorithm::reduction_mean, a, e, 1.f, 0.f});
            });
        if (dims.size() < 2) continue;
        const auto flags = dnnl::normalization_flags(r() % 8);
        attempt("batch_normalization", seed, made, [&] {
            dnnl::batch_normalization_forward({cpu, dnnl::prop_kind::forward_training, a, a, 1e-5f, flags});
        });
        attempt("layer_normalization", seed, made, [&] {
            dnnl::layer_normalization_forward({cpu, dnnl::prop_kind::forward_training, a, b, 1e-5f, flags});
        });
        attempt("group_normalization", seed, made, [&] {
            dnnl::group_normalization_forward({cpu, dnnl::prop_kind::forward_training, a, b, 1, 1e-5f, flags});
        });
        memory::dims weights = dims, dst = dims;
        weights[dims.size() - 2] = dims.back();
        dst.back() = weights.back() = extent(r);
        const memory::desc w = desc(r, weights, a.get_data_type()), d = desc(r, dst, type(r));
        if (w && d) attempt("matmul", seed, made, [&] { dnnl::matmul({cpu, a, w, d}); });
        if (const memory::desc e = desc(r, dims, memory::data_type::f32); e)
            attempt("lrn", seed, made, [&] {
                dnnl::lrn_forward({cpu, inference, dnnl::algorithm::lrn_across_channels, e, e, extent(r), 1, 1, 1});
            });
        if (dims.size() > 2) {
            const memory::dims ones(dims.size() - 2, 1), none(dims.size() - 2, 0);
            memory::dims kernel = ones, pooled = dims;
            kernel[0] = extent(r), pooled[2] = dims[2] - kernel[0] + 1;
            attempt("pooling", seed, made, [&] {
                dnnl::pooling_forward({cpu, dnnl::prop_kind::forward_training, dnnl::algorithm::pooling_max, a, b, ones,
                                       ones, none, none, none});
            });
            if (const memory::desc e = pooled[2] > 0 ? desc(r, pooled, type(r)) : memory::desc(); e)
                attempt("pooling", seed, made, [&] {
                    dnnl::pooling_forward({cpu, inference, dnnl::algorithm::pooling_avg_exclude_padding, a, e, ones,
                                           kernel, none, none, none});
                });
        }
        if (dims.size() > 2 && dims.size() < 6) { // kernels, strides, dilations and paddings of any size
            const auto direction = r() % 3;
            const size_t spatial = dims.size() - 2;
            memory::dims strides(spatial, 1), dilation(spatial, 0), left(spatial, 0), right(spatial, 0), kernel = dims,
                                                                                                         out = dims;
            kernel[0] = out[1] = extent(r);
            for (size_t k = 0; k < spatial; ++k) {
                kernel[k + 2] = extent(r), strides[k] = extent(r), dilation[k] = extent(r) - 1;
                left[k] = extent(r) - 1, right[k] = extent(r) - 1;
                const double reach = double(kernel[k + 2] - 1) * double(dilation[k] + 1) + 1;
                const double windows = std::floor((double(dims[k + 2]) - reach + double(left[k]) + double(right[k])) /
                                                  double(strides[k])) +
                                       1;
                out[k + 2] = std::abs(windows) < 9e15 ? std::max<int64_t>(int64_t(windows), 0) : 1;
            }
            const auto type_of_all = memory::data_type::f32;
            const memory::desc x = desc(r, dims, type_of_all), w = desc(r, kernel, type_of_all),
                               z = desc(r, out, type_of_all);
            const auto direct = dnnl::algorithm::convolution_direct;
            if (x && w && z)
                attempt("convolution", seed, made, [&] {
                    const dnnl::convolution_forward::primitive_desc forward(
                        cpu, dnnl::prop_kind::forward_training, direct, x, w, z, strides, dilation, left, right);
                    if (direction == 0) dnnl::convolution_forward{forward};
                    if (direction == 1)
                        dnnl::convolution_backward_data(
                            {cpu, direct, x, w, z, strides, dilation, left, right, forward});
                    if (direction == 2)
                        dnnl::convolution_backward_weights(
                            {cpu, direct, x, w, z, strides, dilation, left, right, forward});
                });
        }
        weights = dims;
        weights[0] = extent(r);
        const memory::desc v = desc(r, weights, a.get_data_type()), y = desc(r, {dims[0], weights[0]}, type(r));
        if (v && y)
            attempt("inner product", seed, made, [&] { dnnl::inner_product_forward({cpu, inference, a, v, y}); });
    }
    EXPECT_GT(made, 500);
}

} // namespace tessera::test
