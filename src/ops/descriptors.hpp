// What primitives demand of descriptors, and what a layout left open (`any`) becomes. Reasons begin with the primitive
// and the side: "binary: src_1 is sparse; ...".
#pragma once

#include <optional>

#include "core/desc/memory_desc.hpp"

namespace tessera::ops {

// A blocked layout that elements can be read from. `may_be_any`: or one to be chosen here; `may_be_open`: run-time
// dims.
Result<void> check_layout(const char* primitive, const char* side, const MemoryDesc& md, bool may_be_any,
                          bool may_be_open = false);
// Every element of what is written has a place of its own, and there is no compensation behind it.
Result<void> check_written(const char* primitive, const char* side, const MemoryDesc& md);
// A type that is computed with in f32: f32, bf16, f16, f8, s32, s8, u8.
Result<void> check_computed_type(const char* primitive, const char* side, const MemoryDesc& md);

// The layout that a tensor of `dims` takes after `leader`: of equal dims the same strides, else the same order and
// blocks, dense (a blocked dimension that is one element wide here and more there is not padded up to the block).
//   {2,3} after 2x3 ba: strides {1,2}      {1,3,1,1} after 2x3x4x5 acdb: strides {3,1,3,3}
Result<MemoryDesc> layout_after(const MemoryDesc& leader, std::span<const int64_t> dims, DataType type);

// The first contradiction among checks, else the first thing without support (STA-06).
class Findings {
public:
    void add(const Result<void>& check);
    Result<void> result() const;

private:
    std::optional<Error> found_;
};

} // namespace tessera::ops
