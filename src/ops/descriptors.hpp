// SPDX-License-Identifier: Apache-2.0
// Checks of descriptors that primitives share, and the choice of layouts that the caller left open (`any`). Reasons
// begin with the primitive and the tensor: "binary: src_1 is sparse; ...".
#pragma once

#include <optional>
#include <string>

#include "core/problem/problem.hpp"

namespace tessera::ops {

// The propagation kind of a forward call.
Result<void> check_forward(PrimitiveKind kind, PropKind prop);
// A blocked layout that elements can be read from. `may_be_any` also allows `any`, `may_be_open` run-time dims.
Result<void> check_layout(const char* primitive, const char* side, const MemoryDesc& md, bool may_be_any,
                          bool may_be_open = false);
// For outputs: no two elements share an address (stride 0), and there is no compensation behind the elements.
Result<void> check_written(const char* primitive, const char* side, const MemoryDesc& md);
// Whether an element lies in the same bytes in both, and nothing is written behind the elements of `written`: what two
// tensors need to share a buffer.
bool have_one_place(const MemoryDesc& read, const MemoryDesc& written);
// A type whose elements are computed in f32: f32, bf16, f16, f8, s32, s8, u8.
Result<void> check_computed_type(const char* primitive, const char* side, const MemoryDesc& md);

// The layout of a tensor of `dims` modelled on `leader`: the same strides if the dims are equal; otherwise dense, with
// the same order and blocks (a blocked dimension of extent 1 here and more there is not padded up to the block).
//   {2,3} after 2x3 ba: strides {1,2}      {1,3,1,1} after 2x3x4x5 acdb: strides {3,1,3,3}
Result<MemoryDesc> layout_after(const MemoryDesc& leader, std::span<const int64_t> dims, DataType type);
// Row-major, of these dims and type.
Result<MemoryDesc> plain_layout(const MemoryDesc& open);
// The letters of dims first .. end - 1 in a tag: "abc".
std::string letters(int first, int end);
// The layout of the tag, in place of `any`.
Result<void> choose_tag(MemoryDesc& open, const std::string& tag);
// Replaces `any` by the layout of the other tensor, or by a plain one if both are open. Whether it was open.
Result<bool> choose_layout(MemoryDesc& open, const MemoryDesc& other);

// The same for diff_dst, where no tensor of the forward is given: by diff_src, else by dst of the hint's problem, if
// there is one.
Result<bool> choose_gradient(MemoryDesc& diff_dst, const MemoryDesc& diff_src, const Problem* hint);

// The first contradiction among checks, else the first thing without support (STA-06).
class Findings {
public:
    void add(const Result<void>& check);
    Result<void> result() const;

private:
    std::optional<Error> found_;
};

} // namespace tessera::ops
