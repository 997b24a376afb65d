// SPDX-License-Identifier: Apache-2.0
// The laws of loop nests: joining keeps the sequence of addresses, ordering keeps their set.
#include <algorithm>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "core/plan/nest.hpp"
#include "core/plan/rewrite/operands.hpp"
#include "core/plan/unit.hpp"

namespace tessera {

namespace {

using Addresses = std::vector<std::array<int64_t, 2>>;

Addresses walk(const Nest& nest) {
    Addresses result{{nest.base[0], nest.base[1]}};
    for (const Loop& loop : nest.loops) { // outer to inner: each address fans out
        Addresses next;
        for (const auto& a : result)
            for (int64_t i = 0; i < loop.extent; ++i)
                next.push_back({a[0] + loop.offset(0, i), a[1] + loop.offset(1, i)});
        result = std::move(next);
    }
    return result;
}

Nest random_nest(std::mt19937& r) {
    Nest nest;
    nest.base = {int64_t(r() % 50), int64_t(r() % 50)};
    int64_t s = 1, d = 1;
    for (unsigned k = 0; k < 1 + r() % 5; ++k) {
        Loop loop;
        loop.extent = 1 + int64_t(r() % 4);
        loop.stride[0] = r() % 3 ? s : int64_t(r() % 9);
        loop.stride[1] = r() % 3 ? d : int64_t(r() % 9);
        if (r() % 8 == 0) {
            std::vector<int64_t> table;
            for (int64_t i = 0; i < loop.extent; ++i) table.push_back(int64_t(r() % 20));
            loop.table.set(1, table);
        }
        s *= loop.extent, d *= loop.extent;
        nest.loops.insert(nest.loops.begin(), loop);
    }
    return nest;
}

} // namespace

TEST(Coalesce, visits_the_same_addresses_in_the_same_order) {
    std::mt19937 r(7);
    size_t joined = 0;
    for (int i = 0; i < 5000; ++i) {
        const Nest nest = random_nest(r), c = coalesce(nest, 2);
        ASSERT_EQ(walk(c), walk(nest)) << to_string(nest, 2);
        ASSERT_LE(c.loops.size(), nest.loops.size());
        joined += nest.loops.size() - c.loops.size();
    }
    EXPECT_GT(joined, 1000u);
}

// A sum over one loop and a map over the next are no map over both, whatever their strides.
TEST(Coalesce, loops_of_different_kinds_stay_apart) {
    constexpr LoopKind kinds[] = {LoopKind::map, LoopKind::reduce};
    for (const LoopKind outer : kinds)
        for (const LoopKind inner : kinds) {
            Nest nest;
            for (const auto& [kind, stride] : {std::pair{outer, 4}, {inner, 1}}) {
                Loop loop{4, kind};
                loop.stride[0] = loop.stride[1] = stride;
                nest.loops.push_back(loop);
            }
            EXPECT_EQ(coalesce(nest, 2).loops.size(), outer == inner ? 1u : 2u);
        }
}

TEST(Order, visits_the_same_set_of_addresses_with_dst_strides_descending) {
    std::mt19937 r(8);
    for (int i = 0; i < 5000; ++i) {
        const Nest nest = random_nest(r), o = order(nest, 2, 1);
        Addresses a = walk(nest), b = walk(o);
        std::sort(a.begin(), a.end());
        std::sort(b.begin(), b.end());
        ASSERT_EQ(a, b) << to_string(nest, 2);
        for (size_t k = 1; k < o.loops.size(); ++k) {
            if (o.loops[k].indexed() || o.loops[k - 1].indexed()) continue;
            ASSERT_GE(o.loops[k - 1].stride[1], o.loops[k].stride[1]);
        }
    }
}

// Unit u is the u-th point that nested loops visit.
TEST(UnitIndex, finds_the_points_in_the_order_of_nested_loops) {
    std::mt19937 r(10);
    for (int i = 0; i < 5000; ++i) {
        const Nest nest = random_nest(r);
        const Addresses points = walk(nest);
        ASSERT_EQ(iterations(nest.loops), int64_t(points.size()));
        const size_t inner = r() % (nest.loops.size() + 1); // loops that next() takes
        for (size_t u = 0; u < points.size(); ++u) {
            UnitIndex index{int64_t(u)};
            std::array<int64_t, 2> at{nest.base[0], nest.base[1]};
            size_t k = nest.loops.size();
            for (; k > inner; --k) {
                const int64_t x = index.next(nest.loops[k - 1].extent);
                for (size_t o = 0; o < 2; ++o) at[o] += nest.loops[k - 1].offset(int(o), x);
            }
            index.add_offsets({nest.loops.data(), k}, at);
            ASSERT_EQ(at, points[u]) << to_string(nest, 2) << ", unit " << u;
            ASSERT_EQ(index.outermost(), 0);
        }
    }
    UnitIndex index(7);
    EXPECT_EQ(index.next(3), 1);
    EXPECT_EQ(index.outermost(), 2);
}

// Against a map of what was set: values, equality that ignores zeros, sums.
TEST(PerOperand, is_zero_where_nothing_was_set) {
    std::mt19937 r(9);
    for (int i = 0; i < 500; ++i) {
        PerOperand<int64_t> a, b;
        std::map<size_t, int64_t> of_a, of_b;
        for (unsigned k = 0; k < r() % 20; ++k) {
            const size_t o = r() % (k % 2 ? 6 : 400);
            a[o] = of_a[o] = int64_t(r() % 3);
            const size_t q = r() % 400;
            b.set(q, of_b[q] = int64_t(r() % 3));
        }
        PerOperand<int64_t> sum = a, doubled = a;
        sum += b;
        doubled.each([](int64_t& x) { x *= 2; });
        bool equal = true;
        for (size_t o = 0; o < 400; ++o) {
            ASSERT_EQ(std::as_const(a)[o], of_a[o]);
            ASSERT_EQ(std::as_const(sum)[o], of_a[o] + of_b[o]);
            ASSERT_EQ(std::as_const(doubled)[o], 2 * of_a[o]);
            equal &= of_a[o] == of_b[o];
        }
        ASSERT_EQ(a == b, equal);
        PerOperand<int64_t> same = a;
        same[399] += 0;
        ASSERT_TRUE(a == same && same == a);
    }
}

TEST(DenseLoop, is_the_last_of_stride_1_with_several_points) {
    const auto loop = [](int64_t extent, int64_t stride) {
        Loop l{extent};
        l.stride[0] = stride;
        return l;
    };
    EXPECT_EQ(dense_loop({{}, {loop(8, 16), loop(16, 1), loop(1, 1)}}, 0), 1u);
    EXPECT_EQ(dense_loop({{}, {loop(2, 1), loop(16, 1)}}, 0), 1u);
    EXPECT_EQ(dense_loop({{}, {loop(8, 16), loop(16, 2)}}, 0), 2u);
    Loop indexed = loop(4, 1);
    indexed.table.set(0, std::vector<int64_t>{0, 1, 2, 3});
    EXPECT_EQ(dense_loop({{}, {loop(8, 16), indexed}}, 0), 2u);
}

} // namespace tessera
