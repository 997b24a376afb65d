// SPDX-License-Identifier: Apache-2.0
// The C call that creates concats. The rules are in ops/concat/desc.cpp.
#include "ops/concat/concat.hpp"
#include "api/guard.hpp"
#include "api/objects/primitive_desc.hpp"

using namespace tessera;

dnnl_status_t dnnl_concat_primitive_desc_create(dnnl_primitive_desc_t* concat_primitive_desc, dnnl_engine_t engine,
                                                const_dnnl_memory_desc_t dst_desc, int n, int concat_dimension,
                                                const const_dnnl_memory_desc_t* src_descs,
                                                const_dnnl_primitive_attr_t attr) {
    return guarded("dnnl_concat_primitive_desc_create", [&]() -> Result<void> {
        if (auto ok = need("concat_primitive_desc", concat_primitive_desc, "engine", engine); !ok) return ok;
        if (n < 0) return invalid("concat: {} sources; 0 or more are needed", n);
        if (n > 0)
            if (auto ok = need(src_descs, "src_descs"); !ok) return ok;
        auto srcs = descriptors(src_descs, n);
        if (!srcs) return Refusal(std::move(srcs.error()));
        return create_primitive_desc(
            concat_primitive_desc, engine, engine,
            ops::make_concat(dst_desc ? &dst_desc->md : nullptr, concat_dimension, *srcs, attr_or_default(attr)));
    });
}
