// SPDX-License-Identifier: Apache-2.0
#include "ops/shuffle/shuffle.hpp"

#include "primitives/row.hpp"

namespace tessera::primitives::shuffle {
namespace {

// A forward shuffle of what is going to be diff_dst, or where that is refused of anything: the line's refusal has to
// come from the backward call.
dnnl_status_t create_hint(dnnl_primitive_desc_t* hint, const Asked& a, dnnl_engine_t engine) {
    const auto create = [&](const MemoryDesc& data, int axis, int64_t group) {
        const auto any = make_desc_any(data.dims_span(), data.type);
        if (!any) return dnnl_invalid_arguments;
        return dnnl_shuffle_forward_primitive_desc_create(hint, engine, dnnl_forward_training, as_handle(data),
                                                          as_handle(*any), axis, group, nullptr);
    };
    if (create(a.dst, a.line.axis, a.line.group) == dnnl_success) return dnnl_success;
    return create(*make_desc_with_tag(std::vector<int64_t>{2, 4}, DataType::f32, "ab"), 1, 2);
}

dnnl_status_t create(dnnl_primitive_desc_t* made, const Asked& a, dnnl_engine_t engine,
                     const_dnnl_primitive_attr_t attr) {
    const int axis = a.line.axis;
    const int64_t group = a.line.group;
    if (!a.line.backward())
        return dnnl_shuffle_forward_primitive_desc_create(made, engine, a.prop(), a.handle(0), as_handle(a.dst), axis,
                                                          group, attr);
    dnnl_primitive_desc_t hint = nullptr;
    if (const dnnl_status_t status = create_hint(&hint, a, engine); status != dnnl_success) return status;
    const dnnl_status_t status = dnnl_shuffle_backward_primitive_desc_create(made, engine, a.handle(0),
                                                                             as_handle(a.dst), axis, group, hint, attr);
    dnnl_primitive_desc_destroy(hint);
    return status;
}

} // namespace

constinit const Row row = {
    .kind = PrimitiveKind::shuffle,
    .help = "  shuffle [--dir=FWD_D|FWD_I|BWD_D] [--sdt=TYPE] [--stag=TAG] [--dtag=TAG|any] [--axis=N] [--group=N]\n"
            "          [--expect=STATUS] [--seed=N] DIMS\n",
    .options = "--rt --flags --dir --axis --group",
    .opens_diff_src = true,
    .create = create,
    .make =
        [](const Asked& a, const Attr& attr) {
            return ops::make_shuffle(a.line.prop, a.src(), a.dst, a.line.axis, a.line.group, attr);
        },
    .moves = true,
    .view_of_gradients = true,
    .driver = "--shuffle",
    .dtag = "abx",
};

} // namespace tessera::primitives::shuffle
