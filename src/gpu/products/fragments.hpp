// SPDX-License-Identifier: Apache-2.0
// Tensor cores: a warp of 32 work-items multiplies a tile of 16 rows of A by 8 columns of B, 32 bytes of k at a time.
// Each work-item has fragments of them, numbered as in the PTX ISA (mma.m16n8k16 for bf16 and f16, .m16n8k8 for tf32,
// .m16n8k32 for bytes), g = its number in the warp / 4, t = its number % 4:
//
//   A    word w: row g + 8 (w % 2), bytes 4t .. 4t + 3 of the half w / 2 of those 32
//   B    word w: column g, bytes 4t .. of the half w
//   C    number i: row g + 8 (i / 2), column 2t + i % 2
//
// The functions, whose text is inline PTX or, where that is emulated, OpenCL C in which work-items exchange what they
// have:
//
//   READ_MATRICES(to, at)         four matrices of 8 rows of 16 bytes: work-item 8 m + r says where row r of matrix m
//   is and
//                                 gets in to[m] bytes 4t .. of its row g
//   READ_TRANSPOSED(to, at)       elements of 16 bits: in to[m] elements 2t and 2t + 1 of its column g
//   MULTIPLY(c, a, b)             c[4] += a[4] * b[2]
//   COPY16(to, from, inside)      16 bytes from global to local memory, some time later, or zeros where not `inside`
//   COPIES_END()                  those since the last such end are a group
//   COPIED(groups)                waits for the work-item's own copies of all groups but the last ones
#pragma once

#include <string>
#include <string_view>

namespace tessera::gpu {

// What an element is for tensor cores.
enum class Form { bf16, f16, tf32, s8, u8 };
constexpr int bytes_of(Form form) { return form == Form::tf32 ? 4 : form == Form::s8 || form == Form::u8 ? 1 : 2; }
std::string_view name(Form form); // as PTX has it

// Of factors of these forms: equal ones, or s8 and u8. A work-item has so many copies on their way at most.
std::string source_of_fragments(bool ptx, Form left, Form right, int64_t copies);
// What the kernel declares for them, with so many work-items.
std::string source_of_exchange(bool ptx, int64_t lanes);

} // namespace tessera::gpu
