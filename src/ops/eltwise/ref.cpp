// SPDX-License-Identifier: Apache-2.0
// The reference of eltwise: the function in double, element by element; padding zero (ELT-38).
#include "ops/eltwise/eltwise.hpp"

#include "core/program/lib/eltwise.hpp"
#include "core/types/convert.hpp"
#include "ops/coordinates.hpp"
#include "ops/epilogue.hpp"

namespace tessera::ops {

void ref_eltwise(const Problem& p, const Buffers& buffers) {
    const EltwiseView view = view_of_eltwise(p);
    const MemoryDesc& dst = p.md(view.to);
    if (dst.has_zero_dim()) return;
    const Layout to = layout_of(dst);
    for (const Tensor& t : p.tensors)
        if (t.output) zero_padding(t.md, buffers.at(t.arg));
    for_each_coordinate(dst.dims_span(), [&](auto at) {
        const double x = ref_load(p, buffers, view.data, at);
        if (view.backward) {
            const double dd = ref_load(p, buffers, arg::diff_dst, at);
            const auto d = float(eltwise_backward_of(view.alg, x, dd, view.alpha, view.beta));
            write<float>(dst.type, buffers.at(view.to), to.at(at), ref_round(p, buffers, d, view.to, at));
        } else {
            ref_finish(p, buffers, float(eltwise_of(view.alg, x, view.alpha, view.beta)), view.to, at);
        }
    });
}

} // namespace tessera::ops
