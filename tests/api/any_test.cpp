// SPDX-License-Identifier: Apache-2.0
// Which tensor the layouts follow that a caller leaves open (`any`), of every primitive, where the tensors that it
// gives have different ones. The answers are those of oneDNN 3.13 wherever it does not refuse the mixture. covers:
// FMT-02 FMT-03 FMT-04 ELT-35 SOF-10 BNO-12 LRN-06 PRE-07 RES-09 SHU-09 BIN-06 SUM-04 RED-10
#include <functional>

#include <gtest/gtest.h>

#include "oneapi/dnnl/dnnl.hpp"

namespace tessera::test {
namespace {

using namespace dnnl;
using Md = memory::desc;
using Tag = memory::format_tag;

const memory::dims dims{2, 17, 5, 6}, larger{2, 17, 10, 12}, channels{1, 17, 1, 1}, weights_dims{8, 17, 5, 6},
    rows{2, 8};
constexpr Tag tags[] = {Tag::abcd, Tag::acdb, Tag::aBcd16b, Tag::bacd};
constexpr auto training = prop_kind::forward_training;
constexpr auto relu = algorithm::eltwise_relu;
const auto flags = normalization_flags::use_scale | normalization_flags::use_shift;

engine& cpu() {
    static engine made(engine::kind::cpu, 0);
    return made;
}
Md of(const memory::dims& d, Tag tag) { return {d, memory::data_type::f32, tag}; }
Md open(const memory::dims& d) { return of(d, Tag::any); }

// Layouts that a caller gives: of the forward's tensor that a backward reads, of the gradient of dst and of src; a
// primitive descriptor made of them answers with its gradients' descriptors.
struct Gradients {
    Md diff_src, diff_dst;
};
using Make = std::function<Gradients(const Md& data, const Md& diff_src, const Md& diff_dst)>;
template <typename Pd> Gradients gradients(const Pd& pd) { return {pd.diff_src_desc(), pd.diff_dst_desc()}; }

Gradients eltwise(const Md& data, const Md& ds, const Md& dd) {
    const eltwise_forward::primitive_desc forward(cpu(), training, relu, data, open(dims));
    return gradients(eltwise_backward::primitive_desc(cpu(), relu, ds, dd, data, 0, 0, forward));
}
Gradients softmax(const Md& data, const Md& ds, const Md& dd) {
    constexpr auto alg = algorithm::softmax_accurate;
    const softmax_forward::primitive_desc forward(cpu(), training, alg, data, data, 1);
    return gradients(softmax_backward::primitive_desc(cpu(), alg, ds, dd, data, 1, forward));
}
Gradients lrn(const Md& data, const Md& ds, const Md& dd) {
    constexpr auto alg = algorithm::lrn_across_channels;
    const lrn_forward::primitive_desc forward(cpu(), training, alg, data, open(dims), 5, 1, .75f, 1);
    return gradients(lrn_backward::primitive_desc(cpu(), alg, ds, dd, data, 5, 1, .75f, 1, forward));
}
Gradients batch_normalization(const Md& data, const Md& ds, const Md& dd) {
    const batch_normalization_forward::primitive_desc forward(cpu(), training, data, open(dims), 1e-5f, flags);
    return gradients(
        batch_normalization_backward::primitive_desc(cpu(), prop_kind::backward, ds, dd, data, 1e-5f, flags, forward));
}
Gradients group_normalization(const Md& data, const Md& ds, const Md& dd) {
    const group_normalization_forward::primitive_desc forward(cpu(), training, data, open(dims), 1, 1e-5f, flags);
    return gradients(group_normalization_backward::primitive_desc(cpu(), prop_kind::backward, ds, dd, data, 1, 1e-5f,
                                                                  flags, forward));
}
Gradients layer_normalization(const Md& data, const Md& ds, const Md& dd) {
    const layer_normalization_forward::primitive_desc forward(cpu(), training, data, open(dims), 1e-5f, flags);
    return gradients(
        layer_normalization_backward::primitive_desc(cpu(), prop_kind::backward, ds, dd, data, 1e-5f, flags, forward));
}
Gradients prelu(const Md& data, const Md& ds, const Md& dd) {
    const prelu_forward::primitive_desc forward(cpu(), training, data, open(channels), open(dims));
    return gradients(prelu_backward::primitive_desc(cpu(), data, open(channels), ds, open(channels), dd, forward));
}
Gradients shuffle(const Md& data, const Md& ds, const Md& dd) {
    const shuffle_forward::primitive_desc forward(cpu(), training, data, open(dims), 1, 17);
    return gradients(shuffle_backward::primitive_desc(cpu(), ds, dd, 1, 17, forward));
}

enum Leader { data, other }; // whose layout an open one takes
struct Row {
    const char* name;
    Make make;
    Leader diff_dst, diff_src; // where the other gradient is given
};
const Row backward[] = {
    {"eltwise", eltwise, other, other}, // both gradients have one layout
    {"softmax", softmax, data, other},
    {"lrn", lrn, data, data},
    {"batch_normalization", batch_normalization, other, other}, // likewise
    {"group_normalization", group_normalization, data, data},
    {"layer_normalization", layer_normalization, data, data},
    {"prelu", prelu, data, other},
    {"shuffle", shuffle, other, other}, // reads no tensor of the forward
};

TEST(Any, gradients) {
    for (const Row& row : backward)
        for (const Tag d : tags)
            for (const Tag o : tags) {
                const std::string where =
                    std::string(row.name) + ", " + std::to_string(int(d)) + " and " + std::to_string(int(o));
                const Md own = of(dims, d), given = of(dims, o);
                const Gradients both = row.make(own, open(dims), open(dims));
                EXPECT_EQ(both.diff_src, own) << where;
                EXPECT_EQ(both.diff_dst, own) << where;
                const Gradients of_src = row.make(own, open(dims), given), of_dst = row.make(own, given, open(dims));
                EXPECT_EQ(of_src.diff_src, row.diff_src == data ? own : given) << where;
                EXPECT_EQ(of_src.diff_dst, given) << where;
                EXPECT_EQ(of_dst.diff_dst, row.diff_dst == data ? own : given) << where;
                EXPECT_EQ(of_dst.diff_src, given) << where;
            }
}

TEST(Any, gradients_of_other_extents) {
    constexpr auto alg = algorithm::resampling_linear;
    for (const Tag s : tags)
        for (const Tag d : tags) {
            const resampling_forward::primitive_desc forward(cpu(), training, alg, of(dims, s), of(larger, d));
            const auto make = [&](const Md& ds, const Md& dd) {
                return gradients(resampling_backward::primitive_desc(cpu(), alg, ds, dd, forward));
            };
            const Gradients both = make(open(dims), open(larger)); // as dst of the hint
            EXPECT_EQ(both.diff_src, of(dims, d));
            EXPECT_EQ(both.diff_dst, of(larger, d));
            EXPECT_EQ(make(open(dims), of(larger, d)).diff_src, of(dims, d));
            EXPECT_EQ(make(of(dims, d), open(larger)).diff_dst, of(larger, d));
        }
}

TEST(Any, gradients_without_a_hint_are_plain) {
    dnnl_primitive_desc_t made = nullptr;
    const Md ds = open(dims), dd = open(larger);
    ASSERT_EQ(dnnl_resampling_backward_primitive_desc_create(&made, cpu().get(), dnnl_resampling_linear, nullptr,
                                                             ds.get(), dd.get(), nullptr, nullptr),
              dnnl_success);
    EXPECT_TRUE(dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(made, dnnl_query_diff_dst_md, 0),
                                       of(larger, Tag::abcd).get()));
    EXPECT_TRUE(dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(made, dnnl_query_diff_src_md, 0),
                                       of(dims, Tag::abcd).get()));
    dnnl_primitive_desc_destroy(made);
    // A hint of another rank is no leader.
    const memory::dims flat{2, 17, 5}, flat_larger{2, 17, 10};
    const resampling_forward::primitive_desc forward(cpu(), training, algorithm::resampling_linear, of(flat, Tag::acb),
                                                     of(flat_larger, Tag::acb));
    const resampling_backward::primitive_desc pd(cpu(), algorithm::resampling_linear, ds, dd, forward);
    EXPECT_EQ(pd.diff_dst_desc(), of(larger, Tag::abcd));
}

TEST(Any, weights_and_their_gradients) {
    for (const Tag d : tags)
        for (const Tag o : tags) {
            const Md own = of(dims, d), given = of(dims, o);
            const auto make = [&](const Md& w, const Md& dw) {
                const prelu_forward::primitive_desc forward(cpu(), training, own, w, open(dims));
                return prelu_backward::primitive_desc(cpu(), own, w, open(dims), dw, open(dims), forward);
            };
            EXPECT_EQ(make(given, open(dims)).diff_weights_desc(), given);
            EXPECT_EQ(make(open(dims), given).weights_desc(), own);
            EXPECT_EQ(make(open(dims), open(dims)).diff_weights_desc(), own);
        }
}

// The gradients of inner products are where the forward's tensors are: weights and src in corresponding layouts.
TEST(Any, inner_products) {
    constexpr Tag plain[] = {Tag::abcd, Tag::acdb};
    for (const Tag tag : plain) {
        const Md src = of(dims, tag), weights = of(weights_dims, tag), dst = of(rows, Tag::ab);
        const inner_product_forward::primitive_desc forward(cpu(), training, src, weights, open(rows));
        EXPECT_EQ(forward.dst_desc(), dst);
        const inner_product_backward_data::primitive_desc of_src(cpu(), open(dims), weights, open(rows), forward);
        EXPECT_EQ(of_src.diff_src_desc(), src);
        EXPECT_EQ(of_src.diff_dst_desc(), dst);
        const inner_product_backward_weights::primitive_desc of_weights(cpu(), open(dims), weights, open(rows),
                                                                        forward);
        EXPECT_EQ(of_weights.src_desc(), src);
        EXPECT_EQ(of_weights.diff_dst_desc(), dst);
    }
}

// Programs without a dimension of groups (PyTorch: in, out / groups, ...) read such a gradient as if groups and input
// channels were one dimension.
TEST(Any, groups_of_a_deconvolutions_gradient_lie_outside_of_input_channels) {
    const memory::dims src{2, 32, 6, 6}, weights{2, 8, 16, 3, 3}, dst{2, 16, 6, 6}, ones{1, 1};
    constexpr auto alg = algorithm::deconvolution_direct;
    const deconvolution_forward::primitive_desc forward(cpu(), training, alg, open(src), open(weights), open(dst), ones,
                                                        ones, ones);
    const deconvolution_backward_weights::primitive_desc backward(cpu(), alg, open(src), open(weights), open(dst), ones,
                                                                  ones, ones, forward);
    const memory::dims strides = backward.diff_weights_desc().get_strides();
    EXPECT_EQ(strides[0], 16 * strides[2]);
}

TEST(Any, results_follow_the_first_source) {
    for (const Tag s : tags)
        for (const Tag o : tags) {
            const Md src = of(dims, s), given = of(dims, o);
            EXPECT_EQ(eltwise_forward::primitive_desc(cpu(), training, relu, src, open(dims)).dst_desc(), src);
            EXPECT_EQ(softmax_forward::primitive_desc(cpu(), training, algorithm::softmax_accurate, src, open(dims), 1)
                          .dst_desc(),
                      src);
            EXPECT_EQ(
                batch_normalization_forward::primitive_desc(cpu(), training, src, open(dims), 1e-5f, flags).dst_desc(),
                src);
            EXPECT_EQ(
                layer_normalization_forward::primitive_desc(cpu(), training, src, open(dims), 1e-5f, flags).dst_desc(),
                src);
            EXPECT_EQ(group_normalization_forward::primitive_desc(cpu(), training, src, open(dims), 1, 1e-5f, flags)
                          .dst_desc(),
                      src);
            EXPECT_EQ(
                resampling_forward::primitive_desc(cpu(), training, algorithm::resampling_linear, src, open(larger))
                    .dst_desc(),
                of(larger, s));
            EXPECT_EQ(shuffle_forward::primitive_desc(cpu(), training, src, open(dims), 1, 17).dst_desc(), src);
            EXPECT_EQ(binary::primitive_desc(cpu(), algorithm::binary_add, src, given, open(dims)).dst_desc(), src);
            EXPECT_EQ(binary::primitive_desc(cpu(), algorithm::binary_add, src, open(dims), given).src1_desc(), src);
        }
}

} // namespace
} // namespace tessera::test
