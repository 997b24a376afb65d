// SPDX-License-Identifier: Apache-2.0
// The hash of problems: whatever usually tells two problems apart changes it, or a cache of a thousand would be a list.
// That equal problems have equal hashes, and which problems are equal, is tests/attr/problem_test.cpp.
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/cache/problem_key.hpp"
#include "core/desc/memory_desc.hpp"

namespace tessera {
namespace {

MemoryDesc desc(std::vector<int64_t> dims, DataType type, const char* tag) {
    const auto md = make_desc_with_tag(dims, type, tag);
    EXPECT_TRUE(md) << tag;
    return md.value_or(MemoryDesc());
}

Problem one() {
    Problem p;
    p.kind = PrimitiveKind::eltwise;
    p.prop = PropKind::forward_inference;
    p.tensors = {{.arg = arg::src, .md = desc({2, 16, 5, 7}, DataType::f32, "abcd")},
                 {.arg = arg::dst, .md = desc({2, 16, 5, 7}, DataType::f32, "abcd"), .output = true}};
    p.params = {{query::alg_kind, 32}};
    p.float_params = {{query::alpha, 0.5f}};
    return p;
}

TEST(ProblemHash, EachPartChangesIt) {
    const std::vector<std::pair<const char*, std::function<void(Problem&)>>> changes = {
        {"kind", [](Problem& p) { p.kind = PrimitiveKind::reorder; }},
        {"prop", [](Problem& p) { p.prop = PropKind::forward_training; }},
        {"arg", [](Problem& p) { p.tensors[0].arg = arg::weights; }},
        {"any", [](Problem& p) { p.tensors[0].was_any = true; }},
        {"dims",
         [](Problem& p) {
             p.tensors[0].md = desc({2, 17, 5, 7}, DataType::f32, "abcd");
         }},
        {"type",
         [](Problem& p) {
             p.tensors[0].md = desc({2, 16, 5, 7}, DataType::bf16, "abcd");
         }},
        {"strides",
         [](Problem& p) {
             p.tensors[0].md = desc({2, 16, 5, 7}, DataType::f32, "acdb");
         }},
        {"blocks",
         [](Problem& p) {
             p.tensors[0].md = desc({2, 16, 5, 7}, DataType::f32, "aBcd16b");
         }},
        {"smaller blocks",
         [](Problem& p) {
             p.tensors[0].md = desc({2, 16, 5, 7}, DataType::f32, "aBcd8b");
         }},
        {"offset", [](Problem& p) { p.tensors[0].md.offset0 = 3; }},
        {"the second tensor",
         [](Problem& p) {
             p.tensors[1].md = desc({2, 16, 5, 7}, DataType::u8, "abcd");
         }},
        {"a tensor more", [](Problem& p) { p.tensors.push_back(p.tensors[1]); }},
        {"parameter", [](Problem& p) { p.params[query::alg_kind] = 33; }},
        {"float parameter", [](Problem& p) { p.float_params[query::alpha] = -0.5f; }},
        {"scales", [](Problem& p) { p.attr.scales[arg::src].mask = 2; }},
        {"zero points", [](Problem& p) { p.attr.zero_points[arg::src].mask = 0; }},
        {"post-ops", [](Problem& p) { p.attr.post_ops.entries.emplace_back(); }},
    };
    std::set<uint64_t> seen{hash(one())};
    for (const auto& [what, change] : changes) {
        Problem p = one();
        change(p);
        EXPECT_TRUE(seen.insert(hash(p)).second) << what << " does not change the hash, or as another part does";
    }
}

// As a network has them: sizes and layouts that follow each other.
TEST(ProblemHash, NeighboursDoNotCollide) {
    std::set<uint64_t> seen;
    size_t problems = 0;
    for (int64_t mb = 1; mb <= 4; ++mb)
        for (int64_t c = 1; c <= 64; ++c)
            for (int64_t h = 1; h <= 8; ++h)
                for (const char* tag : {"abcd", "acdb"}) {
                    Problem p = one();
                    p.tensors[0].md = desc({mb, c, h, 7}, DataType::f32, tag);
                    p.tensors[1].md = p.tensors[0].md;
                    seen.insert(hash(p));
                    ++problems;
                }
    EXPECT_EQ(seen.size(), problems);
    std::set<uint64_t> buckets; // the lowest bits alone choose among 2^n places
    for (uint64_t h : seen) buckets.insert(h % 4096);
    EXPECT_GT(buckets.size(), 1800u); // 4096 values into 4096 places at random: 2589 +- 25
}

} // namespace
} // namespace tessera
