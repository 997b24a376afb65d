// SPDX-License-Identifier: Apache-2.0
// Primitive descriptors, primitives, execution arguments, queries and the cache, through the C interface.
// covers: RUN-01 RUN-02 RUN-04 RUN-05 RUN-06 RUN-07 RUN-08 RUN-09 CCH-01 CCH-03 STA-01 STA-02 STA-05 STA-06 STA-07
// covers: STA-08 ARG-01 ARG-02 SCR-01 SCR-02 SHU-11 FMT-04 REO-02 REO-03 REO-15 REO-22 REO-25
#include <thread>

#include "../c_objects.hpp"
#include "api/implementation.hpp"
#include "this_runtime.hpp"

namespace tessera::test {
namespace {

std::vector<float> iota(size_t n) {
    std::vector<float> v(n);
    for (size_t i = 0; i < n; ++i) v[i] = float(i);
    return v;
}

void fill(Memory& m, const std::vector<float>& v) {
    if (!v.empty()) std::memcpy(m.bytes.data(), v.data(), m.bytes.size());
}

// A reorder f32 ab -> s8 ba of 2x3 with everything it needs.
struct Reorder : testing::Test {
    Desc src{{2, 3}, dnnl_f32, dnnl_ab}, dst{{2, 3}, dnnl_s8, dnnl_ba};
    Memory from{src, {1.f, 2.f, 3.f, 4.f, 5.f, 600.f}}, to{dst, 0x55};
    PrimitiveDesc pd;
    const std::vector<int8_t> untouched = std::vector<int8_t>(6, 0x55);

    void SetUp() override { ASSERT_EQ(make_reorder(pd, src, dst), dnnl_success) << last_error(); }
};

TEST_F(Reorder, Executes) {
    const Primitive p(pd);
    ASSERT_EQ(execute(p, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}), dnnl_success) << last_error();
    EXPECT_EQ(to.values<int8_t>(), (std::vector<int8_t>{1, 4, 2, 5, 3, 127}));
}

TEST_F(Reorder, OutlivesWhatItWasMadeOf) {
    Primitive p(pd);
    pd.out();
    src.out();
    dst.out();
    const_dnnl_primitive_desc_t view = nullptr;
    ASSERT_EQ(dnnl_primitive_get_primitive_desc(p, &view), dnnl_success);
    EXPECT_EQ(dnnl_primitive_desc_query_s32(view, dnnl_query_num_of_inputs_s32, 0), 1);
    EXPECT_EQ(execute(p, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}), dnnl_success);
}

TEST_F(Reorder, MissingArgumentsAreNamed) {
    const Primitive p(pd);
    EXPECT_EQ(execute(p, {{DNNL_ARG_FROM, from}}), dnnl_invalid_arguments);
    EXPECT_EQ(last_error(), "reorder: argument DNNL_ARG_TO (17) is missing");
    EXPECT_EQ(execute(p, {{DNNL_ARG_TO, to}}), dnnl_invalid_arguments);
    EXPECT_NE(last_error().find("DNNL_ARG_FROM (1)"), std::string::npos);
    EXPECT_EQ(execute(p, {{DNNL_ARG_FROM, nullptr}, {DNNL_ARG_TO, to}}), dnnl_invalid_arguments);
    EXPECT_EQ(execute(p, {}), dnnl_invalid_arguments);
    EXPECT_EQ(to.values<int8_t>(), untouched);
}

TEST_F(Reorder, ArrayOfArguments) {
    const Primitive p(pd);
    const Stream stream;
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    EXPECT_EQ(dnnl_primitive_execute(p, stream, -1, args), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_primitive_execute(p, stream, 2, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_primitive_execute(p, nullptr, 2, args), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_primitive_execute(nullptr, stream, 2, args), dnnl_invalid_arguments);
    EXPECT_EQ(to.values<int8_t>(), untouched);
}

TEST_F(Reorder, ExtraArgumentsAreIgnoredAndTheLastOfSeveralCounts) {
    const Primitive p(pd);
    Memory other(dst, 0x55);
    EXPECT_EQ(execute(p, {{DNNL_ARG_TO, other},
                          {DNNL_ARG_SCRATCHPAD, from},
                          {DNNL_ARG_WEIGHTS, nullptr},
                          {DNNL_ARG_FROM, from},
                          {DNNL_ARG_TO, to}}),
              dnnl_success);
    EXPECT_EQ(other.values<int8_t>(), untouched);
    EXPECT_NE(to.values<int8_t>(), untouched);
}

TEST_F(Reorder, StrictExecutionComparesDescriptors) {
    const Primitive p(pd);
    const Strict strict;
    const Desc wrong[] = {
        {{2, 3}, dnnl_s8, dnnl_ab}, {{3, 2}, dnnl_s8, dnnl_ba}, {{2, 3}, dnnl_u8, dnnl_ba}, {{6}, dnnl_s8, dnnl_a}};
    for (const Desc& d : wrong) {
        Memory m(d, 0x55);
        EXPECT_EQ(execute(p, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, m}}), dnnl_invalid_arguments);
        EXPECT_NE(last_error().find("the primitive was made for s8::blocked:ba"), std::string::npos) << last_error();
        EXPECT_EQ(m.values<int8_t>(), untouched);
    }
    const HostScalar scalar(dnnl_s8, int8_t(1));
    EXPECT_EQ(execute(p, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, scalar}}), dnnl_invalid_arguments);
}

TEST_F(Reorder, MemoriesMustCoverWhatIsReached) {
    const Primitive p(pd);
    const Desc small[] = {{{5}, dnnl_s8, dnnl_a}, {{2, 5}, dnnl_s4, dnnl_ba}, {{0, 9}, dnnl_f32, dnnl_ab}};
    for (const Desc& d : small) {
        Memory m(d, 0x55);
        EXPECT_EQ(execute(p, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, m}}), dnnl_invalid_arguments);
        const std::string bytes = std::to_string(m.bytes.size()) + " bytes";
        for (const std::string part : {"DNNL_ARG_TO (17)", "s8::blocked:ba::f0 2x3 and reaches 6 bytes", bytes.c_str()})
            EXPECT_NE(last_error().find(part), std::string::npos) << last_error();
        EXPECT_EQ(m.values<int8_t>(), std::vector<int8_t>(m.bytes.size(), 0x55));
    }
    const HostScalar scalar(dnnl_s8, int8_t(1));
    EXPECT_EQ(execute(p, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, scalar}}), dnnl_invalid_arguments);
    const Desc large[] = {
        {{2, 3}, dnnl_s8, dnnl_ab}, {{3, 2}, dnnl_u8, dnnl_ab}, {{3}, dnnl_f16, dnnl_a}, {{2, 6}, dnnl_u4, dnnl_ab}};
    for (const Desc& d : large) {
        Memory m(d, 0x55);
        ASSERT_EQ(execute(p, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, m}}), dnnl_success) << last_error();
        EXPECT_EQ(m.values<int8_t>(), (std::vector<int8_t>{1, 4, 2, 5, 3, 127}));
    }
}

// A scalar of the host is a buffer of one element.
TEST(HostScalars, AsTensors) {
    const Desc one({1}, dnnl_f32, dnnl_a);
    PrimitiveDesc pd;
    ASSERT_EQ(make_reorder(pd, one, one), dnnl_success);
    const Primitive p(pd);
    const HostScalar from(dnnl_f32, 7.f), to(dnnl_f32, 0.f), narrow(dnnl_f16, uint16_t(0));
    ASSERT_EQ(execute(p, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}), dnnl_success) << last_error();
    float value = 0;
    ASSERT_EQ(dnnl_memory_get_host_scalar_value(to, &value), dnnl_success);
    EXPECT_EQ(value, 7.f);
    EXPECT_EQ(execute(p, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, narrow}}), dnnl_invalid_arguments);
}

TEST_F(Reorder, NullHandles) {
    const Primitive p(pd);
    ASSERT_EQ(dnnl_memory_set_data_handle(from, nullptr), dnnl_success);
    EXPECT_EQ(execute(p, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}), dnnl_invalid_arguments);
    EXPECT_NE(last_error().find("null handle"), std::string::npos) << last_error();
    EXPECT_EQ(to.values<int8_t>(), untouched);
}

// One buffer for src and dst works where each element lies where it lay, and is as wide.
TEST(InPlace, ElementsOfAnotherWidthAreRefused) {
    const Desc f32({64}, dnnl_f32, dnnl_a), s32({64}, dnnl_s32, dnnl_a), s8({64}, dnnl_s8, dnnl_a),
        f16({64}, dnnl_f16, dnnl_a);
    struct Case {
        const Desc &src, &dst;
        bool possible;
    };
    for (const Case& c :
         {Case{f32, f32, true}, {f32, s32, true}, {f32, s8, false}, {s8, f32, false}, {f16, f32, false}}) {
        PrimitiveDesc pd;
        ASSERT_EQ(make_reorder(pd, c.src, c.dst), dnnl_success) << last_error();
        std::vector<unsigned char> buffer(256, 0x3f);
        Memory from(c.src), to(c.dst);
        ASSERT_EQ(dnnl_memory_set_data_handle(from, buffer.data()), dnnl_success);
        ASSERT_EQ(dnnl_memory_set_data_handle(to, buffer.data()), dnnl_success);
        EXPECT_EQ(execute(Primitive(pd), {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}}),
                  c.possible ? dnnl_success : dnnl_invalid_arguments)
            << last_error();
        EXPECT_TRUE(c.possible || buffer == std::vector<unsigned char>(256, 0x3f));
    }
}

TEST(ZeroVolume, SucceedsWithoutTouchingAnything) {
    for (const auto& dims : std::vector<std::vector<dnnl_dim_t>>{{0, 3}, {3, 0}, {0, 0}}) {
        const Desc ab(dims, dnnl_f32, dnnl_ab), ba(dims, dnnl_f32, dnnl_ba);
        PrimitiveDesc pd;
        ASSERT_EQ(make_reorder(pd, ab, ba), dnnl_success) << last_error();
        const Primitive p(pd);
        Memory from(ab), to(ba);
        EXPECT_EQ(dnnl_memory_set_data_handle(from, nullptr), dnnl_success);
        EXPECT_EQ(dnnl_memory_set_data_handle(to, nullptr), dnnl_success);
        EXPECT_EQ(execute(p, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}), dnnl_success) << last_error();
        EXPECT_EQ(execute(p, {{DNNL_ARG_FROM, from}}), dnnl_invalid_arguments);
    }
}

TEST_F(Reorder, Creation) {
    PrimitiveDesc none;
    EXPECT_EQ(dnnl_reorder_primitive_desc_create(none.out(), src, nullptr, dst, cpu(), nullptr),
              dnnl_invalid_arguments);
    EXPECT_EQ(last_error(), "dnnl_reorder_primitive_desc_create: src_engine is null");
    EXPECT_EQ(dnnl_reorder_primitive_desc_create(none.out(), src, cpu(), dst, nullptr, nullptr),
              dnnl_invalid_arguments);
    const Desc other({2, 4}, dnnl_s8, dnnl_ab), any({2, 3}, dnnl_s8, dnnl_format_tag_any);
    EXPECT_EQ(make_reorder(none, src, other), dnnl_invalid_arguments);
    EXPECT_EQ(make_reorder(none, src, any), dnnl_invalid_arguments);
    // Both contradictory (shapes) and unsupported (eltwise): the contradiction is answered.
    PostOps chain;
    ASSERT_EQ(dnnl_post_ops_append_eltwise(chain, dnnl_eltwise_relu, 0, 0), dnnl_success);
    Attr attr;
    ASSERT_EQ(dnnl_primitive_attr_set_post_ops(attr, chain), dnnl_success);
    EXPECT_EQ(make_reorder(none, src, dst, attr), dnnl_unimplemented);
    EXPECT_EQ(make_reorder(none, src, other, attr), dnnl_invalid_arguments);
    EXPECT_EQ(none, nullptr);
}

TEST_F(Reorder, NextImplAndClone) {
    PrimitiveDesc copy;
    ASSERT_EQ(dnnl_primitive_desc_clone(copy.out(), pd), dnnl_success);
    EXPECT_EQ(dnnl_primitive_desc_next_impl(pd), dnnl_last_impl_reached);
    EXPECT_FALSE(last_error().empty());
    for (const dnnl_primitive_desc_t d : {dnnl_primitive_desc_t(pd), dnnl_primitive_desc_t(copy)}) {
        const Primitive p(d);
        EXPECT_EQ(execute(p, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}), dnnl_success);
    }
}

template <typename T> T answer(const_dnnl_primitive_desc_t pd, dnnl_query_t what) {
    T value{};
    EXPECT_EQ(dnnl_primitive_desc_query(pd, what, 0, &value), dnnl_success) << what << last_error();
    return value;
}

TEST_F(Reorder, Queries) {
    EXPECT_EQ(answer<dnnl_engine_t>(pd, dnnl_query_engine), cpu());
    EXPECT_EQ(answer<dnnl_engine_t>(pd, dnnl_query_reorder_src_engine), cpu());
    EXPECT_EQ(answer<dnnl_engine_t>(pd, dnnl_query_reorder_dst_engine), cpu());
    EXPECT_EQ(answer<dnnl_primitive_kind_t>(pd, dnnl_query_primitive_kind), dnnl_reorder);
    EXPECT_EQ(answer<int>(pd, dnnl_query_num_of_inputs_s32), 1);
    EXPECT_EQ(answer<int>(pd, dnnl_query_num_of_outputs_s32), 1);
    EXPECT_EQ(answer<dnnl_dim_t>(pd, dnnl_query_memory_consumption_s64), 0);
    EXPECT_EQ(answer<dnnl_dim_t>(pd, dnnl_query_cache_blob_id_size_s64), 0);
    EXPECT_NE(std::string(answer<const char*>(pd, dnnl_query_impl_info_str)), "");
    EXPECT_TRUE(dnnl_memory_desc_equal(answer<const_dnnl_memory_desc_t>(pd, dnnl_query_src_md), src));
    double time;
    for (const int what : {5, 11, 14, 17, 23, 32})
        EXPECT_EQ(dnnl_primitive_desc_query(pd, static_cast<dnnl_query_t>(what), 0, &time), dnnl_unimplemented) << what;
    for (const int what : {0, 33, 128, 137, 256, 257, 268, -1})
        EXPECT_EQ(dnnl_primitive_desc_query(pd, static_cast<dnnl_query_t>(what), 0, &time), dnnl_invalid_arguments)
            << what;
    EXPECT_EQ(dnnl_primitive_desc_query_s32(pd, dnnl_query_axis_s32, 0), 0);
}

TEST_F(Reorder, DescriptorQueries) {
    const auto md = [&](dnnl_query_t what, int index = 0) { return dnnl_primitive_desc_query_md(pd, what, index); };
    EXPECT_TRUE(dnnl_memory_desc_equal(md(dnnl_query_src_md), src));
    EXPECT_TRUE(dnnl_memory_desc_equal(md(dnnl_query_dst_md), dst));
    EXPECT_TRUE(dnnl_memory_desc_equal(md(dnnl_query_exec_arg_md, DNNL_ARG_FROM), src));
    EXPECT_TRUE(dnnl_memory_desc_equal(md(dnnl_query_exec_arg_md, DNNL_ARG_TO), dst));
    for (const auto& [what, index] : std::vector<std::pair<dnnl_query_t, int>>{{dnnl_query_src_md, 1},
                                                                               {dnnl_query_weights_md, 0},
                                                                               {dnnl_query_diff_src_md, 0},
                                                                               {dnnl_query_workspace_md, 0},
                                                                               {dnnl_query_scratchpad_md, 0},
                                                                               {dnnl_query_exec_arg_md, 4097}}) {
        ASSERT_NE(md(what, index), nullptr) << what;
        EXPECT_EQ(dnnl_memory_desc_get_size(md(what, index)), 0u) << what;
    }
    EXPECT_EQ(md(dnnl_query_scratchpad_md, 1), nullptr);
    EXPECT_EQ(md(dnnl_query_engine), nullptr);
    EXPECT_EQ(dnnl_primitive_desc_query_md(nullptr, dnnl_query_src_md, 0), nullptr);
}

TEST_F(Reorder, CacheBlobsBelongToGpus) {
    Primitive p(pd), none;
    size_t size = 7;
    EXPECT_EQ(dnnl_primitive_get_cache_blob(p, &size, nullptr), dnnl_unimplemented);
    const uint8_t blob[3] = {};
    EXPECT_EQ(dnnl_primitive_create_from_cache_blob(none.out(), pd, 3, blob), dnnl_unimplemented);
    EXPECT_EQ(dnnl_primitive_create_from_cache_blob(none.out(), pd, 0, blob), dnnl_invalid_arguments);
}

// ---- shuffle

TEST(Shuffle, QueriesAndHints) {
    const Desc md({2, 6, 4}, dnnl_f32, dnnl_abc), any({2, 6, 4}, dnnl_f32, dnnl_format_tag_any);
    PrimitiveDesc forward, backward, reorder;
    ASSERT_EQ(dnnl_shuffle_forward_primitive_desc_create(forward.out(), cpu(), dnnl_forward_inference, md, any, 1, 2,
                                                         nullptr),
              dnnl_success)
        << last_error();
    EXPECT_EQ(answer<int>(forward, dnnl_query_axis_s32), 1);
    EXPECT_EQ(answer<dnnl_dim_t>(forward, dnnl_query_group_size_s64), 2);
    EXPECT_EQ(answer<dnnl_prop_kind_t>(forward, dnnl_query_prop_kind), dnnl_forward_inference);
    EXPECT_TRUE(dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(forward, dnnl_query_dst_md, 0), md));
    ASSERT_EQ(make_reorder(reorder, md, md), dnnl_success);
    const auto create = [&](const_dnnl_primitive_desc_t hint) {
        return dnnl_shuffle_backward_primitive_desc_create(backward.out(), cpu(), any, md, 1, 2, hint, nullptr);
    };
    EXPECT_EQ(create(reorder), dnnl_invalid_arguments);
    EXPECT_EQ(create(nullptr), dnnl_success) << last_error();
    EXPECT_EQ(create(forward), dnnl_success) << last_error();
    EXPECT_TRUE(dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(backward, dnnl_query_diff_src_md, 0), md));
    PrimitiveDesc none;
    for (const int prop : {0, 128, 160, 192})
        EXPECT_EQ(dnnl_shuffle_forward_primitive_desc_create(none.out(), cpu(), static_cast<dnnl_prop_kind_t>(prop), md,
                                                             md, 1, 2, nullptr),
                  dnnl_invalid_arguments);
}

TEST(Shuffle, Executes) {
    const Desc md({1, 6}, dnnl_f32, dnnl_ab);
    PrimitiveDesc pd;
    ASSERT_EQ(dnnl_shuffle_forward_primitive_desc_create(pd.out(), cpu(), dnnl_forward_training, md, md, 1, 2, nullptr),
              dnnl_success);
    Memory from(md), to(md);
    fill(from, iota(6));
    ASSERT_EQ(execute(Primitive(pd), {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}}), dnnl_success) << last_error();
    EXPECT_EQ(to.values<float>(), (std::vector<float>{0, 2, 4, 1, 3, 5}));
}

// ---- run-time dims

TEST(RuntimeDims, ResolvedAtExecution) {
    const dnnl_dim_t open = DNNL_RUNTIME_DIM_VAL;
    const Desc ab({open, open}, dnnl_f32, dnnl_ab), ba({open, open}, dnnl_f32, dnnl_ba);
    PrimitiveDesc pd;
    ASSERT_EQ(make_reorder(pd, ab, ba), dnnl_success) << last_error();
    const Primitive p(pd);
    for (const auto& dims : std::vector<std::vector<dnnl_dim_t>>{{2, 3}, {3, 2}, {2, 3}, {0, 4}, {5, 1}}) {
        const Desc src(dims, dnnl_f32, dnnl_ab), dst(dims, dnnl_f32, dnnl_ba);
        Memory from(src), to(dst);
        fill(from, iota(from.bytes.size() / 4));
        for (int repeat = 0; repeat < 2; ++repeat)
            ASSERT_EQ(execute(p, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}), dnnl_success) << last_error();
        const auto x = from.values<float>(), y = to.values<float>();
        for (size_t i = 0; i < size_t(dims[0]); ++i)
            for (size_t j = 0; j < size_t(dims[1]); ++j)
                EXPECT_EQ(y[j * size_t(dims[0]) + i], x[i * size_t(dims[1]) + j]);
    }
    const Desc small({2, 3}, dnnl_f32, dnnl_ab), other({2, 4}, dnnl_f32, dnnl_ba), plain({2, 3}, dnnl_s8, dnnl_ba);
    Memory from(small), wrong_dims(other, 0x55), wrong_type(plain, 0x55);
    EXPECT_EQ(execute(p, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, wrong_dims}}), dnnl_invalid_arguments);
    EXPECT_EQ(execute(p, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, wrong_type}}), dnnl_invalid_arguments);
    EXPECT_EQ(execute(p, {{DNNL_ARG_FROM, from}}), dnnl_invalid_arguments);
    EXPECT_EQ(wrong_dims.values<unsigned char>(), std::vector<unsigned char>(32, 0x55));
}

// ---- cache

// A plan is laid out for the threads of who asks for it.
TEST(Cache, OneEntryForEachNumberOfThreads) {
    if (!threads_can_be_set()) GTEST_SKIP() << "the caller has no setting";
    const Desc src({5, 3}, dnnl_f32, dnnl_ab), dst({5, 3}, dnnl_f32, dnnl_ba);
    const auto created = [&](int threads) { // entries more
        set_threads(threads);
        const int before = cache_size();
        PrimitiveDesc pd;
        EXPECT_EQ(make_reorder(pd, src, dst), dnnl_success) << last_error();
        return cache_size() - before;
    };
    ASSERT_EQ(dnnl_set_primitive_cache_capacity(0), dnnl_success); // empties it
    ASSERT_EQ(dnnl_set_primitive_cache_capacity(1024), dnnl_success);
    EXPECT_EQ(created(2), 1);
    EXPECT_EQ(created(2), 0);
    EXPECT_EQ(created(3), 1);
    EXPECT_EQ(created(2), 0);
}

TEST(Cache, ThreadsShareAndCapacityZeroWorks) {
    for (const int capacity : {1024, 1, 0}) {
        ASSERT_EQ(dnnl_set_primitive_cache_capacity(capacity), dnnl_success);
        std::vector<std::thread> threads;
        for (int t = 0; t < 8; ++t)
            threads.emplace_back([] {
                for (dnnl_dim_t n = 1; n < 20; ++n) {
                    const Desc src({n, 3}, dnnl_f32, dnnl_ab), dst({n, 3}, dnnl_f32, dnnl_ba);
                    PrimitiveDesc pd;
                    ASSERT_EQ(make_reorder(pd, src, dst), dnnl_success);
                    Memory from(src), to(dst);
                    fill(from, iota(size_t(n) * 3));
                    ASSERT_EQ(execute(Primitive(pd), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}), dnnl_success);
                    ASSERT_EQ(to.values<float>()[size_t(n)], 1.f);
                }
            });
        for (auto& t : threads) t.join();
    }
    ASSERT_EQ(dnnl_set_primitive_cache_capacity(1024), dnnl_success);
}

} // namespace
} // namespace tessera::test
