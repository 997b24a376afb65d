// SPDX-License-Identifier: Apache-2.0
// What the tests of primitives make and expect over and over: descriptors, post-ops, refusals.
#pragma once

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "../attr/post_op_objects.hpp"
#include "core/desc/memory_desc.hpp"
#include "core/desc/tags.hpp"
#include "core/problem/problem.hpp"

namespace tessera::ops {

template <typename T> T valid(Result<T> made) {
    EXPECT_TRUE(made) << (made ? "" : made.error().reason);
    return *made;
}

// `tag` may be "any".
inline MemoryDesc md(std::vector<int64_t> dims, DataType type, std::string_view tag) {
    return valid(tag == "any" ? make_desc_any(dims, type) : make_desc_with_tag(dims, type, tag));
}
inline MemoryDesc strided(std::vector<int64_t> dims, DataType type, std::vector<int64_t> strides) {
    return valid(make_desc_with_strides(dims, type, strides));
}
inline MemoryDesc part(const MemoryDesc& parent, std::vector<int64_t> dims, std::vector<int64_t> offsets) {
    return valid(submemory(parent, dims, offsets));
}
inline std::vector<int64_t> strides_of(const MemoryDesc& m) { return {m.strides.begin(), m.strides.begin() + m.ndims}; }

inline void expect_refusal(const Result<Problem>& p, Status status, std::string_view word) {
    ASSERT_FALSE(p) << p->text();
    EXPECT_EQ(p.error().status, status) << p.error().reason;
    EXPECT_NE(p.error().reason.find(word), std::string::npos) << p.error().reason;
}

} // namespace tessera::ops
