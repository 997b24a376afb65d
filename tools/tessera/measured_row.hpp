// SPDX-License-Identifier: Apache-2.0
// The figures of a machine's row, measured: what `tessera doctor --measure` prints.
//
//   figure              how
//   l1_ways, l1_bytes   a chain of loads through lines a page apart: one more than the ways, and every load misses
//   l2_bytes            a chain through so many bytes in random order: up to where a load takes twice as long
//   l3_bytes            is not measured: in a virtual machine neighbours own a part of it that changes
//   stream_bytes        from which on a copy with non-temporal stores beats memcpy
//   parallel_bytes      from which on a copy by the team beats one by the caller alone
//   two_shuffles        more than one and a half shuffles of 64 bytes across lanes take the time of an addition
//   spare_vector_pipes  as many xors of 64 bytes beside f32 multiply-adds lengthen these by less than a quarter
//   follows_rows        is not measured
//   fast_bf16_products  vdpbf16ps does more products a second than f32 multiply-adds
#pragma once

#include "core/machine.hpp"

namespace tessera {

Machine measured_row(const Machine& in_use); // what could not be measured is that in use; some seconds

} // namespace tessera
