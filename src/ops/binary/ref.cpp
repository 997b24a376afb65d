// SPDX-License-Identifier: Apache-2.0
// The reference of binary: BIN-01..05, element by element; padding zero (FMT-06).
#include "ops/binary/binary.hpp"

#include "core/program/binary.hpp"
#include "core/types/convert.hpp"
#include "ops/coordinates.hpp"
#include "ops/epilogue.hpp"

namespace tessera::ops {

void ref_binary(const Problem& p, const Buffers& buffers) {
    const MemoryDesc& dst = p.md(arg::dst);
    const int alg = alg_of_binary(p);
    if (dst.has_zero_dim()) return;
    for (const Tensor& t : p.tensors)
        if (t.output) zero_padding(t.md, buffers.at(t.arg));
    for_each_coordinate(dst.dims_span(), [&](auto at) {
        const float a = ref_load(p, buffers, arg::src, at), b = ref_load(p, buffers, arg::src_1, at);
        const float value =
            alg == binary::select ? select_of(ref_load(p, buffers, arg::src_2, at), a, b) : binary_of(alg, a, b);
        ref_finish(p, buffers, value, arg::dst, at);
    });
}

} // namespace tessera::ops
