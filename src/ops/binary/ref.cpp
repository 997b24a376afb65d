// The oracle of binary: BIN-01..05, element by element; padding zero (FMT-06).
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
    const Layout to = layout_of(dst);
    for_each_coordinate(std::span<const int64_t>(dst.padded_dims.data(), size_t(dst.ndims)), [&](auto at) {
        if (is_padding(at, dst.dims_span())) write_bits(dst.type, buffers.at(arg::dst), to.at(at), 0);
    });
    for_each_coordinate(dst.dims_span(), [&](auto at) {
        const float a = ref_load(p, buffers, arg::src, at), b = ref_load(p, buffers, arg::src_1, at);
        const float value =
            alg == binary::select ? select_of(ref_load(p, buffers, arg::src_2, at), a, b) : binary_of(alg, a, b);
        ref_finish(p, buffers, value, arg::dst, at);
    });
}

} // namespace tessera::ops
