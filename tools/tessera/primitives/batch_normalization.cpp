// SPDX-License-Identifier: Apache-2.0
#include "ops/batch_normalization/batch_normalization.hpp"

#include "primitives/normalization.hpp"

namespace tessera::primitives::batch_normalization {
namespace {

// A backward with a fused relu needs the descriptor of its forward.
dnnl_status_t create(dnnl_primitive_desc_t* made, const Asked& a, dnnl_engine_t engine,
                     const_dnnl_primitive_attr_t attr) {
    if (!a.line.backward())
        return dnnl_batch_normalization_forward_primitive_desc_create(made, engine, a.prop(), a.handle(0),
                                                                      a.dst_handle(), a.line.eps, a.line.flags, attr);
    dnnl_primitive_desc_t hint = nullptr;
    dnnl_status_t status = dnnl_success;
    if (a.line.flags & ops::norm::fuse_relu)
        status = dnnl_batch_normalization_forward_primitive_desc_create(
            &hint, engine, dnnl_forward_training, a.handle(0), a.dst_handle(), a.line.eps, a.line.flags, nullptr);
    if (status == dnnl_success)
        status = dnnl_batch_normalization_backward_primitive_desc_create(
            made, engine, a.prop(), a.dst_handle(), a.dst_handle(), a.handle(0), a.line.eps, a.line.flags, hint, attr);
    if (hint) dnnl_primitive_desc_destroy(hint);
    return status;
}

Result<Problem> make(const Asked& a, const Attr& attr) {
    if (!a.line.backward())
        return ops::make_batch_normalization_forward(a.line.prop, a.src(), a.dst, a.line.eps, a.line.flags, attr);
    std::optional<Problem> forward;
    if (a.line.flags & ops::norm::fuse_relu) {
        auto hint = ops::make_batch_normalization_forward(PropKind::forward_training, a.src(), a.dst, a.line.eps,
                                                          a.line.flags, {});
        if (!hint) return hint;
        forward = std::move(*hint);
    }
    return ops::make_batch_normalization_backward(a.line.prop, a.dst, a.dst, a.src(), a.line.eps, a.line.flags,
                                                  forward ? &*forward : nullptr, attr);
}

} // namespace

constinit const Row row = {
    .kind = PrimitiveKind::batch_normalization,
    .help =
        "  batch_normalization [--dir=FWD_D|FWD_I|BWD_DW|BWD_D] [--flags=GCHR] [--eps=X] [--sdt=TYPE] [--stag=TAG]\n"
        "            [--dtag=TAG|any] [--attr-post-ops=relu] DIMS\n",
    .options = "--dir --eps --flags --inplace",
    .dst_layout = Open::always,
    .create = create,
    .make = make,
    .adds = true,
    .values = values_of_normalization,
    .positive = arg::variance,
    .bounds = bounds_of_sets<ops::Sets::channels>,
    .driver = "--bnorm",
    .letters = " mb ic id ih iw ",
    .example = "mb2ic16ih5iw5",
    .complete = complete_normalization,
};

} // namespace tessera::primitives::batch_normalization
