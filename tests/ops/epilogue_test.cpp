// SPDX-License-Identifier: Apache-2.0
// Attributes as programs: lowered plans, interpreted, against values computed here from the words of the specification
// and against the oracle. Every tensor of a post-op in every mask of broadcasting and several layouts.
// covers: NUM-01 NUM-03 PO-02 PO-03 PO-05 PO-06 PO-08 PRE-10 SCL-03 ELT-38
#include <cmath>
#include <cstring>
#include <functional>

#include <gtest/gtest.h>

#include "core/types/convert.hpp"
#include "objects.hpp"
#include "ops/coordinates.hpp"
#include "ops/eltwise/eltwise.hpp"
#include "ops/epilogue.hpp"
#include "ops/ops.hpp"

namespace tessera::ops {

namespace {

constexpr int relu = 0x20, linear = 0x26, exp_ = 0x2a;
constexpr int add = 131056, mul = 131057, max = 131058, div = 131060, sub = 131061, ge = 131062, ne = 131067;
constexpr int select = 131068;

// The buffers of a problem, filled with small numbers of both signs; padding with rubbish.
struct Arena {
    std::map<int, std::vector<uint8_t>> bytes;
    Buffers buffers;

    void add(int id, DataType type, size_t size) {
        auto& b = bytes[id];
        b.resize(size + 16);
        const auto count = int64_t(size) * 8 / bits(type);
        for (int64_t i = 0; i < count; ++i)
            write<float>(type, b.data(), i, float((i * 7 + id) % 11 - 5) * (is_integer(type) ? 1.f : 0.5f));
        buffers[id] = b.data();
    }
    explicit Arena(const Problem& p) {
        for (const Tensor& t : p.tensors) add(t.arg, t.md.type, size_of(t.md));
        for (const QuantArg& q : quant_args(p)) {
            add(q.id, q.quant.type, size_t(q.count * 4));
            for (int64_t i = 0; i < q.count; ++i) write<float>(q.quant.type, buffers[q.id], i, float(i + 1) * 0.5f);
        }
    }
    Arena(const Arena& other) : bytes(other.bytes) {
        for (auto& [id, b] : bytes) buffers[id] = b.data();
    }
};

Arena interpreted(const Problem& p, const Arena& before) {
    Arena after = before;
    const auto plan = row(p.kind).lower(p);
    EXPECT_TRUE(plan) << plan.error().reason;
    EXPECT_TRUE(verify(*plan)) << verify(*plan).error().reason;
    std::vector<std::vector<float>> constants = plan->constants;
    std::vector<void*> pointers;
    for (const Operand& o : plan->operands)
        pointers.push_back(o.constant >= 0 ? static_cast<void*>(constants[size_t(o.constant)].data())
                                           : static_cast<char*>(after.buffers.at(o.arg)) + o.bytes);
    interpret(*plan, pointers);
    return after;
}

Problem identity(const MemoryDesc& src, const MemoryDesc& dst, std::vector<PostOp> chain) {
    Attr attr;
    attr.post_ops.entries = std::move(chain);
    auto p = make_eltwise_forward(PropKind::forward_inference, linear, src, dst, 1, 0, attr);
    EXPECT_TRUE(p) << p.error().reason;
    return *p;
}

float at(const Problem& p, const Arena& a, int id, std::span<const int64_t> coordinates) {
    const MemoryDesc& m = p.md(id);
    std::vector<int64_t> c(coordinates.begin(), coordinates.end());
    for (size_t d = 0; d < c.size(); ++d)
        if (m.dims[d] == 1) c[d] = 0;
    return read<float>(m.type, a.buffers.at(id), layout_of(m).at(c));
}

using Expected = std::function<float(const Problem&, const Arena&, std::span<const int64_t>)>;

// The plan and the oracle, both against `expected` at every element; padding is zero and nothing else is written.
void check(const Problem& p, const Expected& expected) {
    const Arena before(p);
    const Arena plan = interpreted(p, before);
    Arena ref = before;
    row(p.kind).ref(p, ref.buffers);
    const MemoryDesc& dst = p.md(arg::dst);
    EXPECT_EQ(plan.bytes.at(arg::dst), ref.bytes.at(arg::dst)) << p.text();
    for_each_coordinate(dst.dims_span(), [&](auto c) {
        float cell = 0;
        write<float>(dst.type, &cell, 0, expected(p, before, c));
        const float wanted = read<float>(dst.type, &cell, 0), got = at(p, plan, arg::dst, c);
        ASSERT_TRUE(got == wanted || (std::isnan(got) && std::isnan(wanted))) << p.text() << " " << to_string(c);
    });
    for_each_coordinate(std::span<const int64_t>(dst.padded_dims.data(), size_t(dst.ndims)), [&](auto c) {
        if (!is_padding(c, dst.dims_span())) return;
        ASSERT_EQ(read_bits(dst.type, plan.buffers.at(arg::dst), layout_of(dst).at(c)), 0u);
    });
    for (const auto& [id, b] : before.bytes) EXPECT_TRUE(id == arg::dst || b == plan.bytes.at(id)) << arg_name(id);
}

const std::vector<int64_t> shape{2, 5, 3, 4};

} // namespace

TEST(Epilogue, binary_broadcasts_along_every_mask) {
    for (int mask = 0; mask < 16; ++mask)
        for (const char* tag : {"abcd", "acdb", "aBcd16b"}) {
            std::vector<int64_t> dims(4, 1);
            for (size_t d = 0; d < 4; ++d)
                if (mask >> d & 1) dims[d] = shape[d];
            const MemoryDesc src1 = md(dims, DataType::bf16, tag), data = md(shape, DataType::f32, "aBcd16b");
            check(identity(data, md(shape, DataType::f32, "acdb"), {binary_op(sub, src1)}),
                  [](const Problem& p, const Arena& a, auto c) {
                      return at(p, a, arg::src, c) - at(p, a, arg::post_op(0) | arg::src_1, c);
                  });
        }
}

TEST(Epilogue, every_binary_function) {
    const MemoryDesc data = md(shape, DataType::f32, "abcd");
    const auto applied = [](int alg, float x, float y) -> float {
        const float truth[] = {x + y,         x * y,        x > y ? x : y, x < y ? x : y, x / y,         x - y,
                               float(x >= y), float(x > y), float(x <= y), float(x < y),  float(x == y), float(x != y)};
        return truth[alg - add];
    };
    for (int alg = add; alg <= ne; ++alg)
        for (DataType type : {DataType::f32, DataType::f16, DataType::s8, DataType::u8, DataType::s32})
            check(identity(data, data, {binary_op(alg, md({1, 5, 1, 1}, type, "abcd"))}),
                  [&](const Problem& p, const Arena& a, auto c) {
                      return applied(alg, at(p, a, arg::src, c), at(p, a, arg::post_op(0) | arg::src_1, c));
                  });
}

TEST(Epilogue, select_takes_the_value_where_the_condition_holds) {
    const MemoryDesc data = md(shape, DataType::f32, "abcd");
    check(identity(data, data,
                   {binary_op(select, md({2, 1, 3, 1}, DataType::f32, "abcd"), md(shape, DataType::s8, "acdb"))}),
          [](const Problem& p, const Arena& a, auto c) {
              const int base = arg::post_op(0);
              return at(p, a, base | arg::src_2, c) != 0 ? at(p, a, arg::src, c) : at(p, a, base | arg::src_1, c);
          });
}

TEST(Epilogue, prelu_by_mask) {
    const MemoryDesc data = md(shape, DataType::f32, "aBcd16b");
    for (int mask = 0; mask < 16; ++mask)
        check(identity(data, data, {prelu_op(mask)}), [](const Problem& p, const Arena& a, auto c) {
            const float x = at(p, a, arg::src, c);
            return x > 0 ? x : x * at(p, a, arg::post_op(0) | arg::weights, c);
        });
}

TEST(Epilogue, sum_reads_dst_as_another_type) {
    const MemoryDesc data = md(shape, DataType::s8, "acdb");
    check(identity(data, data, {sum_op(0.5f)}), [](const Problem& p, const Arena& a, auto c) {
        return at(p, a, arg::src, c) + 0.5f * at(p, a, arg::dst, c);
    });
    check(identity(data, data, {sum_op(2, 3, DataType::u8)}), [](const Problem& p, const Arena& a, auto c) {
        const float old = read<float>(DataType::u8, a.buffers.at(arg::dst), layout_of(p.md(arg::dst)).at(c));
        return at(p, a, arg::src, c) + 2 * (old - 3);
    });
    // A factor of 0 does not read dst: NaN there stays unseen.
    const MemoryDesc f32 = md(shape, DataType::f32, "abcd");
    const Problem p = identity(f32, f32, {sum_op(0)});
    Arena before(p);
    std::memset(before.buffers[arg::dst], 0xff, size_of(f32));
    const Arena after = interpreted(p, before);
    for_each_coordinate(f32.dims_span(),
                        [&](auto c) { EXPECT_EQ(at(p, after, arg::dst, c), at(p, before, arg::src, c)); });
}

TEST(Epilogue, chains_run_in_order) {
    const MemoryDesc data = md(shape, DataType::f32, "abcd"), channel = md({1, 5, 1, 1}, DataType::f32, "abcd");
    PostOp scaled = eltwise_op(relu, 0.25f);
    scaled.scale = 4; // of the previous version: the result times 4
    const auto x = [](const Problem& p, const Arena& a, auto c) { return at(p, a, arg::src, c); };
    const auto w = [](const Problem& p, const Arena& a, auto c, int i) {
        return at(p, a, arg::post_op(i) | arg::src_1, c);
    };
    check(identity(data, data, {binary_op(add, channel), scaled, sum_op(0.5f), binary_op(mul, channel)}),
          [&](const Problem& p, const Arena& a, auto c) {
              float v = x(p, a, c) + w(p, a, c, 0);
              v = 4 * (v > 0 ? v : 0.25f * v);
              v += 0.5f * at(p, a, arg::dst, c);
              return v * w(p, a, c, 3);
          });
    check(identity(data, data, {binary_op(mul, channel), sum_op(0.5f), scaled, binary_op(add, channel)}),
          [&](const Problem& p, const Arena& a, auto c) {
              float v = x(p, a, c) * w(p, a, c, 0) + 0.5f * at(p, a, arg::dst, c);
              v = 4 * (v > 0 ? v : 0.25f * v);
              return v + w(p, a, c, 3);
          });
    // A function that does not commute with its scale: 4 * (2 v + 3), not 2 * 4 v + 3 nor 2 v + 4 * 3.
    PostOp line = eltwise_op(linear, 2, 3);
    line.scale = 4;
    check(identity(data, data, {line, binary_op(sub, channel)}),
          [&](const Problem& p, const Arena& a, auto c) { return 4 * (2 * x(p, a, c) + 3) - w(p, a, c, 1); });
    // The most there can be: 32 of them.
    check(identity(data, data, std::vector<PostOp>(32, binary_op(add, channel))),
          [&](const Problem& p, const Arena& a, auto c) {
              float v = x(p, a, c);
              for (int i = 0; i < 32; ++i) v += w(p, a, c, i);
              return v;
          });
}

TEST(Epilogue, nan_goes_through) {
    const MemoryDesc one = md({1}, DataType::f32, "a");
    const auto result = [&](int alg, float x, float y) {
        const Problem p = identity(one, one, {binary_op(alg, one)});
        Arena before(p);
        std::memcpy(before.buffers[arg::src], &x, 4);
        std::memcpy(before.buffers[arg::post_op(0) | arg::src_1], &y, 4);
        const Arena after = interpreted(p, before);
        Arena ref = before;
        row(p.kind).ref(p, ref.buffers);
        const float got = at(p, after, arg::dst, std::vector<int64_t>{0});
        const float wanted = at(p, ref, arg::dst, std::vector<int64_t>{0});
        EXPECT_TRUE(got == wanted || (std::isnan(got) && std::isnan(wanted))) << alg;
        return got;
    };
    const float nan = std::nanf("");
    for (int alg : {add, mul, max, max + 1, div, sub})
        for (bool first : {true, false}) EXPECT_TRUE(std::isnan(result(alg, first ? nan : 1, first ? 1 : nan))) << alg;
    for (int alg = ge; alg <= ne; ++alg)
        for (bool first : {true, false})
            EXPECT_EQ(result(alg, first ? nan : 1, first ? 1 : nan), alg == ne ? 1.f : 0.f) << alg;
}

TEST(Epilogue, padding_stays_zero_whatever_f_of_zero_is) {
    const MemoryDesc blocked = md(shape, DataType::f32, "aBcd16b");
    auto p = make_eltwise_forward(PropKind::forward_training, exp_, blocked, blocked, 0, 0, {});
    ASSERT_TRUE(p);
    const Arena after = interpreted(*p, Arena(*p));
    const auto to = layout_of(blocked);
    for_each_coordinate(std::span<const int64_t>(blocked.padded_dims.data(), 4), [&](auto c) {
        const float v = read<float>(DataType::f32, after.buffers.at(arg::dst), to.at(c));
        EXPECT_EQ(v == 0, is_padding(c, blocked.dims_span()));
    });
}

} // namespace tessera::ops
