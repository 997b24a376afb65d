// SPDX-License-Identifier: Apache-2.0
#include "ops/reorder/reorder.hpp"

#include "primitives/row.hpp"

namespace tessera::primitives::reorder {

namespace {

void add_attr(dnnl::primitive_attr& attr, const ProblemLine& line) {
    if (!line.cell.scales) return;
    const LineCellScales& s = *line.cell.scales;
    const auto extent = [&](size_t d) { return d < line.dims.size() ? line.dims[d] : 1; };
    attr.set_rnn_data_qparams(s.scale, s.shift);
    attr.set_rnn_weights_qparams(s.mask, rnn_scales(s.mask, extent(3) * extent(4)));
    attr.set_rnn_weights_projection_qparams(s.projection_mask, rnn_scales(s.projection_mask, extent(3)));
}

} // namespace

constinit const Row row = {
    .kind = PrimitiveKind::reorder,
    .help = "  reorder [--sdt=TYPE] [--ddt=TYPE] [--stag=TAG | --sstrides=S] [--dtag=TAG | --dstrides=S]\n"
            "          [--ssub=OFFSETS@PARENT] [--dsub=OFFSETS@PARENT] [--attr-scales=src:MASK[:TYPE[:GxG]]+dst:MASK]\n"
            "          [--attr-zero-points=src:MASK[:TYPE]+dst:MASK] [--attr-post-ops=sum:BETA[:ZERO_POINT[:TYPE]]]\n"
            "          [--attr-scratchpad=user] [--oscale=MASK[:rt]] [--rt=MASK] [--flags=s8s8:MASK+asymm:MASK]\n"
            "          [--flags=rnn:MASK] [--attr-rnn=SCALE:SHIFT[:MASK[:MASK]]]\n"
            "          [--expect=STATUS] [--seed=N] DIMS\n",
    .options = "--oscale --rt --flags --attr-rnn",
    .dst_layout = Open::never,
    .tells_dst_type = true,
    .add_attr = add_attr,
    .create =
        [](dnnl_primitive_desc_t* made, const Asked& a, dnnl_engine_t engine, const_dnnl_primitive_attr_t attr) {
            return dnnl_reorder_primitive_desc_create(made, a.handle(0), engine, as_handle(a.dst), engine, attr);
        },
    .make = [](const Asked& a, const Attr& attr) { return ops::make_reorder(a.src(), a.dst, attr); },
    .moves = true,
    .driver = "--reorder",
    .dtag = "abx",
    .keys = "--strides --runtime-dim-mask --oflag",
};

} // namespace tessera::primitives::reorder
