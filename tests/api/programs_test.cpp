// SPDX-License-Identifier: Apache-2.0
// What programs written for oneDNN do when they execute: memories whose descriptors are not those of the primitive, but
// whose buffers are large enough. The primitive's descriptor says how a buffer is read and written (decision 005).
// covers: RUN-05 OBJ-09 RTD-01 DER-01 SCL-03
#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include "core/verbose/verbose.hpp"
#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_tessera.h"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

struct Programs : testing::Test {
    engine eng{engine::kind::cpu, 0};
    stream strm{eng};

    template <typename T> memory with(const memory::desc& md, const std::vector<T>& values) {
        memory m(md, eng);
        EXPECT_GE(md.get_size(), values.size() * sizeof(T));
        std::memcpy(m.get_data_handle(), values.data(), values.size() * sizeof(T));
        return m;
    }
    template <typename T> static std::vector<T> values_of(const memory& m, size_t count) {
        const T* data = static_cast<const T*>(m.get_data_handle());
        return {data, data + count};
    }
    template <typename T> static std::vector<T> counted(size_t count) {
        std::vector<T> v(count);
        for (size_t i = 0; i < count; ++i) v[i] = T(int(i * 7 % 31) - 15);
        return v;
    }
    // The same execution in the strict mode, which must refuse it.
    void refused_when_strict(const primitive& p, const std::unordered_map<int, memory>& args) {
        dnnl_tessera_set_strict_execution(1);
        EXPECT_THROW(p.execute(strm, args), dnnl::error);
        dnnl_tessera_set_strict_execution(0);
    }
};

// A dst that the primitive wants as nhwc and the program holds as nchw: the bytes are written as nhwc.
TEST_F(Programs, shuffle_writes_acdb_into_a_memory_of_abcd) {
    const memory::dims dims{2, 6, 3, 5};
    const memory::desc nchw(dims, dt::f32, tag::abcd), nhwc(dims, dt::f32, tag::acdb);
    const shuffle_forward shuffle({eng, prop_kind::forward_inference, nhwc, nhwc, 1, 2});
    memory src = with(nhwc, counted<float>(180)), expected(nhwc, eng), dst(nchw, eng);
    shuffle.execute(strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, expected}});
    shuffle.execute(strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    strm.wait();
    EXPECT_EQ(values_of<float>(dst, 180), values_of<float>(expected, 180));
    refused_when_strict(shuffle, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
}

// In-place concatenation: the sources are parts of dst, and the producers of the parts were made for their
// descriptors, but are executed with the memory of the whole.
TEST_F(Programs, parts_of_a_concat_are_written_through_the_memory_of_the_whole) {
    const memory::desc whole({4, 8}, dt::f32, tag::ab), narrow({4, 3}, dt::f32, tag::ab),
        wide({4, 5}, dt::f32, tag::ab);
    const memory::desc left = whole.submemory_desc({4, 3}, {0, 0}), right = whole.submemory_desc({4, 5}, {0, 3});
    memory dst(whole, eng), a = with(narrow, counted<float>(12)), b = with(wide, counted<float>(20));
    using relu = eltwise_forward;
    for (auto& [part, from] : {std::pair{left, a}, std::pair{right, b}}) {
        const relu producer({eng, prop_kind::forward_inference, algorithm::eltwise_abs, from.get_desc(), part});
        producer.execute(strm, {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, dst}});
        refused_when_strict(producer, {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, dst}});
    }
    std::vector<float> expected(32);
    for (size_t i = 0; i < 32; ++i)
        expected[i] =
            std::abs(i % 8 < 3 ? counted<float>(12)[i / 8 * 3 + i % 8] : counted<float>(20)[i / 8 * 5 + i % 8 - 3]);
    EXPECT_EQ(values_of<float>(dst, 32), expected);
    // The concat of the parts where they lie moves nothing, whichever descriptor the memory of the parts has.
    const concat join({eng, whole, 1, {left, right}});
    join.execute(strm, {{DNNL_ARG_MULTIPLE_SRC, dst}, {DNNL_ARG_MULTIPLE_SRC + 1, dst}, {DNNL_ARG_DST, dst}});
    memory of_left(left, eng, dst.get_data_handle()), of_right(right, eng, dst.get_data_handle());
    join.execute(strm, {{DNNL_ARG_MULTIPLE_SRC, of_left}, {DNNL_ARG_MULTIPLE_SRC + 1, of_right}, {DNNL_ARG_DST, dst}});
    strm.wait();
    EXPECT_EQ(values_of<float>(dst, 32), expected);
}

// Scales by groups of K, one value for two groups and 1000 columns: the primitive reads them as 2x1000, row by row;
// the program describes the same buffer as 1000x2 in ba.
TEST_F(Programs, weights_are_decompressed_by_scales_described_the_other_way) {
    const memory::dim M = 3, N = 1000, K = 64;
    const memory::desc src_md({M, K}, dt::f32, tag::ab), weights_md({K, N}, dt::s8, tag::ab),
        dst_md({M, N}, dt::f32, tag::ab);
    primitive_attr attr;
    attr.set_scales(DNNL_ARG_WEIGHTS, 3, {K / 2, 1}, dt::f32);
    attr.set_fpmath_mode(fpmath_mode::strict, true);
    const matmul product({eng, src_md, weights_md, dst_md, attr});
    memory src = with(src_md, counted<float>(M * K)), weights = with(weights_md, counted<int8_t>(K * N));
    std::vector<float> factors(2 * N);
    for (size_t i = 0; i < factors.size(); ++i) factors[i] = 0.25f * float(1 + i % 5);
    memory rows = with(memory::desc({2, N}, dt::f32, tag::ab), factors),
           columns = with(memory::desc({N, 2}, dt::f32, tag::ba), factors), expected(dst_md, eng), dst(dst_md, eng);
    const int scales = DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS;
    product.execute(strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, expected}, {scales, rows}});
    product.execute(strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}, {scales, columns}});
    strm.wait();
    EXPECT_EQ(values_of<float>(dst, M * N), values_of<float>(expected, M * N));
    float first = 0; // of row 0 and column 1
    for (memory::dim k = 0; k < K; ++k)
        first += counted<float>(M * K)[size_t(k)] * float(counted<int8_t>(K * N)[size_t(k * N + 1)]) *
                 factors[size_t(k / 32 * N + 1)];
    EXPECT_NEAR(values_of<float>(dst, 2)[1], first, 1e-2f);
    refused_when_strict(product,
                        {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}, {scales, columns}});
}

// Descriptors that say that scales, zero points and slopes of a prelu post-op lie elsewhere than they are read.
TEST_F(Programs, values_that_lie_elsewhere_than_they_are_read_are_refused) {
    const memory::dim K = 256, N = 48, G = 8;
    const memory::desc src_md({3, K}, dt::f32, tag::ab), weights_md({K, N}, dt::s8, tag::ab),
        dst_md({3, N}, dt::f32, tag::ab);
    memory src = with(src_md, counted<float>(3 * K)), weights = with(weights_md, counted<int8_t>(K * N));
    const memory::desc pool({4 * G, N}, dt::f32, tag::ab), integers({4 * G, N}, dt::s32, tag::ab);
    std::vector<float> factors(4 * G * N);
    for (size_t i = 0; i < factors.size(); ++i) factors[i] = float(1 + i % 7);
    memory f32 = with(pool, factors), s32 = with(integers, std::vector<int32_t>(factors.begin(), factors.end()));
    const auto run = [&](int kind, const memory::desc& md) { // the results, or the refusal
        primitive_attr attr;
        attr.set_fpmath_mode(fpmath_mode::strict, true);
        post_ops chain;
        memory& values = kind == DNNL_ARG_ATTR_ZERO_POINTS ? s32 : f32;
        int id = kind | DNNL_ARG_WEIGHTS;
        if (kind == DNNL_ARG_ATTR_SCALES) attr.set_scales(DNNL_ARG_WEIGHTS, 3, {K / G, 1}, dt::f32);
        if (kind == DNNL_ARG_ATTR_ZERO_POINTS) attr.set_zero_points(DNNL_ARG_WEIGHTS, 3, {K / G, 1}, dt::s32);
        if (kind == 0) {
            chain.append_prelu(3);
            attr.set_post_ops(chain);
            id = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_WEIGHTS;
        }
        memory dst(dst_md, eng);
        try {
            matmul({eng, src_md, weights_md, dst_md, attr})
                .execute(strm, {{DNNL_ARG_SRC, src},
                                {DNNL_ARG_WEIGHTS, weights},
                                {DNNL_ARG_DST, dst},
                                {id, memory(md, eng, values.get_data_handle())}});
        } catch (const error& e) { return std::string(e.what()); }
        strm.wait();
        std::string text;
        for (const float x : values_of<float>(dst, 3 * N)) text += std::to_string(x) + " ";
        return text;
    };
    for (const int kind : {DNNL_ARG_ATTR_SCALES, DNNL_ARG_ATTR_ZERO_POINTS, 0}) {
        const dt type = kind == DNNL_ARG_ATTR_ZERO_POINTS ? dt::s32 : dt::f32;
        const memory::dim rows = kind ? G : 3;
        const std::string results = run(kind, {{rows, N}, type, tag::ab});
        EXPECT_EQ(results.find("could not"), std::string::npos) << results;
        for (const memory::desc& same :
             {memory::desc({rows * N}, type, tag::a), memory::desc({N, rows}, type, tag::ba),
              memory::desc({1, rows, N}, type, tag::abc), memory::desc({rows * N + 5}, type, tag::a),
              memory::desc({rows, 1, N}, type, memory::dims{N, 7, 1})})
            EXPECT_EQ(run(kind, same), results);
        for (const memory::desc& other :
             {memory::desc({rows, N}, type, tag::ba), memory::desc({rows, N}, type, memory::dims{64, 1}),
              memory::desc({rows * N}, type, memory::dims{2}), memory::desc({rows, N}, type, tag::BA16a16b),
              memory::desc({4 * G, N}, type, tag::ab).submemory_desc({rows, N}, {1, 0}),
              memory::desc({rows, 1, N}, type, tag::cab)}) {
            const std::string refusal = run(kind, other);
            EXPECT_NE(refusal.find("does not have them"), std::string::npos) << refusal;
        }
    }
    // One value: where it lies matters alone.
    primitive_attr attr;
    attr.set_scales_mask(DNNL_ARG_SRC, 0);
    const memory::desc pair({2}, dt::f32, tag::a), strided({1}, dt::f32, memory::dims{7});
    const reorder scaled({eng, pair, eng, pair, attr});
    memory from = with(pair, std::vector<float>{1, 2}), to(pair, eng);
    const auto with_scale = [&](const memory::desc& md) {
        scaled.execute(strm, {{DNNL_ARG_FROM, from},
                              {DNNL_ARG_TO, to},
                              {DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM, memory(md, eng, f32.get_data_handle())}});
    };
    EXPECT_NO_THROW(with_scale(strided));
    EXPECT_THROW(with_scale(pair.submemory_desc({1}, {1})), dnnl::error);
}

// A test driver holds results as f32 and looks at the bits of the sums itself.
TEST_F(Programs, sums_of_s32_go_into_a_memory_of_f32) {
    const memory::desc src_md({5, 40}, dt::u8, tag::ab), weights_md({40, 7}, dt::s8, tag::ab),
        dst_md({5, 7}, dt::s32, tag::ab);
    const matmul product({eng, src_md, weights_md, dst_md});
    std::vector<uint8_t> a(200);
    std::iota(a.begin(), a.end(), uint8_t(3));
    memory src = with(src_md, a), weights = with(weights_md, counted<int8_t>(280)),
           dst(memory::desc({5, 7}, dt::f32, tag::ab), eng);
    product.execute(strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}});
    strm.wait();
    std::vector<int32_t> expected(35);
    for (size_t i = 0; i < 35; ++i)
        for (size_t k = 0; k < 40; ++k) expected[i] += a[i / 7 * 40 + k] * counted<int8_t>(280)[k * 7 + i % 7];
    EXPECT_EQ(values_of<int32_t>(dst, 35), expected);
    refused_when_strict(product, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}});
}

// Weights in the layout that the primitive asked for, kept in a buffer that is only so many bytes.
TEST_F(Programs, packed_weights_are_kept_as_bytes) {
    const memory::desc src_md({9, 33}, dt::f32, tag::ab), plain({33, 21}, dt::f32, tag::ab),
        open({33, 21}, dt::f32, tag::any), dst_md({9, 21}, dt::f32, tag::ab);
    const matmul::primitive_desc pd(eng, src_md, open, dst_md);
    const memory::desc packed = pd.weights_desc();
    memory bytes(memory::desc({memory::dim(packed.get_size())}, dt::u8, tag::a), eng),
        weights = with(plain, counted<float>(33 * 21)), src = with(src_md, counted<float>(9 * 33)), dst(dst_md, eng),
        expected(dst_md, eng);
    reorder(reorder::primitive_desc(eng, plain, eng, packed)).execute(strm, weights, bytes);
    const matmul product(pd);
    product.execute(strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, bytes}, {DNNL_ARG_DST, dst}});
    matmul({eng, src_md, plain, dst_md})
        .execute(strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, expected}});
    strm.wait();
    EXPECT_EQ(values_of<float>(dst, 9 * 21), values_of<float>(expected, 9 * 21)); // integers: sums are exact
    refused_when_strict(product, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, bytes}, {DNNL_ARG_DST, dst}});
    // One byte less than the packed weights have.
    memory short_bytes(memory::desc({memory::dim(packed.get_size()) - 1}, dt::u8, tag::a), eng);
    EXPECT_THROW(product.execute(strm, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, short_bytes}, {DNNL_ARG_DST, dst}}),
                 dnnl::error);
}

// A view that is given to a primitive of the whole: its memory does not reach beyond the view's last element.
TEST_F(Programs, a_view_covers_what_lies_before_its_end) {
    const memory::desc whole({4, 8}, dt::f32, tag::ab), row({1, 8}, dt::f32, tag::ab);
    const memory::desc second = whole.submemory_desc({1, 8}, {1, 0}), corner = whole.submemory_desc({1, 1}, {3, 7});
    memory data = with(whole, counted<float>(32)), out(whole, eng), out_row(row, eng);
    const reorder all({eng, whole, eng, whole}), one({eng, row, eng, row});
    memory of_second(second, eng, data.get_data_handle()), of_corner(corner, eng, data.get_data_handle());
    EXPECT_THROW(all.execute(strm, of_second, out), dnnl::error); // 16 elements for 32
    all.execute(strm, of_corner, out);
    EXPECT_EQ(values_of<float>(out, 32), counted<float>(32));
    one.execute(strm, of_second, out_row); // the primitive knows no offset: it reads from the start
    EXPECT_EQ(values_of<float>(out_row, 8), counted<float>(8));
}

// Where the primitive left dims open the memory gives them, with strides and offset of its own, in the primitive's
// type.
TEST_F(Programs, open_dims_come_with_the_strides_of_the_memory) {
    const memory::dim open = DNNL_RUNTIME_DIM_VAL;
    const memory::desc src_md({open, 3}, dt::f32, tag::ab), weights_md({3, 2}, dt::f32, tag::ab),
        dst_md({open, 2}, dt::f32, tag::ab);
    const matmul product({eng, src_md, weights_md, dst_md});
    const std::vector<float> numbers = [] {
        std::vector<float> v(24);
        std::iota(v.begin(), v.end(), 0.f);
        return v;
    }();
    memory weights = with(weights_md, std::vector<float>{1, 2, 3, 4, 5, 6}),
           transposed = with(memory::desc({3, 2}, dt::f32, tag::ba), std::vector<float>{1, 2, 3, 4, 5, 6});
    const auto run = [&](const memory::desc& from, const memory& w, const memory::desc& to) {
        memory src = with(memory::desc({24}, dt::f32, tag::a), numbers), dst(memory::desc({12}, dt::f32, tag::a), eng);
        std::fill_n(static_cast<float*>(dst.get_data_handle()), 12, -1.f);
        product.execute(strm, {{DNNL_ARG_SRC, memory(from, eng, src.get_data_handle())},
                               {DNNL_ARG_WEIGHTS, w},
                               {DNNL_ARG_DST, memory(to, eng, dst.get_data_handle())}});
        return values_of<float>(dst, 6);
    };
    const memory::desc ab({2, 3}, dt::f32, tag::ab), rows({2, 3}, dt::f32, memory::dims{8, 1}),
        ba({2, 3}, dt::f32, tag::ba), to({2, 2}, dt::f32, tag::ab), far({2, 2}, dt::f32, memory::dims{4, 1}),
        sums({2, 2}, dt::s32, tag::ab), whole({3, 8}, dt::f32, tag::ab), view = whole.submemory_desc({2, 3}, {1, 4});
    using List = std::vector<float>;
    EXPECT_EQ(run(ab, weights, to), (List{13, 16, 40, 52, -1, -1}));
    EXPECT_EQ(run(rows, weights, to), (List{13, 16, 85, 112, -1, -1}));
    EXPECT_EQ(run(ba, weights, to), (List{26, 32, 35, 44, -1, -1}));
    EXPECT_EQ(run(ab, weights, far), (List{13, 16, -1, -1, 40, 52}));
    EXPECT_EQ(run(ab, transposed, to), (List{13, 16, 40, 52, -1, -1})) << "all known: read as the primitive says";
    EXPECT_EQ(run(ab, weights, sums), (List{13, 16, 40, 52, -1, -1})) << "f32 into a memory of s32";
    EXPECT_EQ(run(view, weights, to), (List{12 + 39 + 70, 24 + 52 + 84, 20 + 63 + 110, 40 + 84 + 132, -1, -1}));
    for (const memory::desc& other :
         {memory::desc({2, 4}, dt::f32, tag::ab), memory::desc({6}, dt::f32, tag::a),
          memory::desc({1, 2, 3}, dt::f32, tag::abc), memory::desc({3, 3}, dt::f32, tag::ab),
          memory::desc({2, 3}, dt::f16, tag::ab), memory::desc({2, 3}, dt::f32, tag::AB2a4b)})
        EXPECT_THROW(run(other, weights, to), dnnl::error) << other.get_size();
    dnnl_tessera_set_strict_execution(1);
    EXPECT_NO_THROW(run(ab, weights, to));
    EXPECT_THROW(run(rows, weights, to), dnnl::error);
    EXPECT_THROW(run(ab, transposed, to), dnnl::error);
    EXPECT_THROW(run(ab, weights, sums), dnnl::error);
    dnnl_tessera_set_strict_execution(0);
}

// The log says what was taken although it differs, and what is not read; without the topic it says nothing.
TEST_F(Programs, the_log_tells_of_differences) {
    const memory::desc md({2, 3}, dt::f32, tag::ab), other({6}, dt::s32, tag::a);
    const reorder copy({eng, md, eng, md});
    memory from = with(md, counted<float>(6)), to(other, eng), same(md, eng);
    primitive_attr attr;
    attr.set_scales_mask(DNNL_ARG_SRC, 2);
    const reorder scaled({eng, md, eng, md, attr});
    memory factors = with(memory::desc({4}, dt::s32, tag::a), counted<int32_t>(4));
    const auto lines = [&](uint32_t topics) {
        tessera::verbose::read_environment();
        const uint32_t before = tessera::verbose::topics.exchange(topics);
        testing::internal::CaptureStdout();
        copy.execute(strm, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, same}, {DNNL_ARG_SCRATCHPAD, same}});
        copy.execute(strm, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}, {DNNL_ARG_WEIGHTS, from}});
        const dnnl_exec_arg_t twice[] = {
            {DNNL_ARG_FROM, from.get()}, {DNNL_ARG_TO, same.get()}, {DNNL_ARG_FROM, from.get()}};
        EXPECT_EQ(dnnl_primitive_execute(copy.get(), strm.get(), 3, twice), dnnl_success);
        scaled.execute(strm,
                       {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, same}, {DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM, factors}});
        tessera::verbose::topics = before;
        std::string text = testing::internal::GetCapturedStdout();
        std::erase(text, '\r');
        const size_t header = text.find("exec_time\n"); // before the first line of a program
        return header == text.npos ? text : text.substr(header + 10);
    };
    const std::string start = "onednn_verbose,v1,primitive,exec:check,primitive,reorder: argument ";
    EXPECT_EQ(lines(tessera::verbose::check),
              start + "DNNL_ARG_WEIGHTS (33) is not read by this primitive\n" + start +
                  "DNNL_ARG_TO (17) is a memory of s32::blocked:a::f0 6; its buffer is used as "
                  "f32::blocked:ab::f0 2x3\n" +
                  start + "DNNL_ARG_FROM (1) is given again; the last counts\n" + start +
                  "DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM (4097) is a memory of s32::blocked:a::f0 4; its buffer is "
                  "used as 3 values of f32 in a row\n");
    EXPECT_EQ(lines(tessera::verbose::error), "");
}

} // namespace
