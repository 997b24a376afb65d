#include "ops/reorder/reorder.hpp"

#include "primitives/row.hpp"

namespace tessera::primitives {

constinit const Row reorder_row = {
    .kind = PrimitiveKind::reorder,
    .help = "  reorder [--sdt=TYPE] [--ddt=TYPE] [--stag=TAG | --sstrides=S] [--dtag=TAG | --dstrides=S]\n"
            "          [--ssub=OFFSETS@PARENT] [--dsub=OFFSETS@PARENT] [--attr-scales=src:MASK[:TYPE[:GxG]]+dst:MASK]\n"
            "          [--attr-zero-points=src:MASK[:TYPE]+dst:MASK] [--attr-post-ops=sum:BETA[:ZERO_POINT[:TYPE]]]\n"
            "          [--attr-scratchpad=user] [--oscale=MASK[:rt]] [--rt=MASK] [--flags=s8s8:MASK+asymm:MASK]\n"
            "          [--expect=STATUS] [--seed=N] DIMS\n",
    .options = "--oscale --rt --flags",
    .dst_layout = Open::never,
    .tells_dst_type = true,
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

} // namespace tessera::primitives
