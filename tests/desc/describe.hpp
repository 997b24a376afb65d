// SPDX-License-Identifier: Apache-2.0
// Short ways to name descriptors and to expect refusals, for the tests of src/core/desc.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/desc/memory_desc.hpp"

namespace tessera::testing {

using List = std::vector<int64_t>;
constexpr int64_t any_extent = runtime_dim;

// A descriptor that must exist; an empty one and a failure of the test otherwise.
inline MemoryDesc must(const Result<MemoryDesc>& md) {
    EXPECT_TRUE(md.has_value()) << (md ? "" : md.error().reason);
    return md ? *md : MemoryDesc();
}
inline MemoryDesc tagged(const List& dims, std::string_view tag, DataType type = DataType::f32) {
    return must(make_desc_with_tag(dims, type, tag));
}
inline MemoryDesc strided(const List& dims, const List& strides, DataType type = DataType::f32) {
    return must(make_desc_with_strides(dims, type, strides));
}

inline List strides_of(const MemoryDesc& md) { return List(md.strides.begin(), md.strides.begin() + md.ndims); }
inline List dims_of(const MemoryDesc& md) { return List(md.dims.begin(), md.dims.begin() + md.ndims); }
inline List padded_of(const MemoryDesc& md) { return List(md.padded_dims.begin(), md.padded_dims.begin() + md.ndims); }
inline List blocks_of(const MemoryDesc& md) {
    return List(md.inner_blks.begin(), md.inner_blks.begin() + md.inner_nblks);
}
inline List block_dims_of(const MemoryDesc& md) {
    return List(md.inner_idxs.begin(), md.inner_idxs.begin() + md.inner_nblks);
}

// The status of a result, and a reason that says something: every refusal names a value or a way out.
template <typename T> void expect_refused(const Result<T>& result, Status status, std::string_view part = "") {
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(int(result.error().status), int(status)) << result.error().reason;
    EXPECT_GT(result.error().reason.size(), 15u);
    EXPECT_NE(result.error().reason.find(part), std::string::npos) << result.error().reason;
}
template <typename T> void expect_invalid(const Result<T>& result, std::string_view part = "") {
    expect_refused(result, Status::invalid_arguments, part);
}
template <typename T> void expect_unimplemented(const Result<T>& result, std::string_view part = "") {
    expect_refused(result, Status::unimplemented, part);
}

} // namespace tessera::testing
