// SPDX-License-Identifier: Apache-2.0
// The C call that creates reorders. The rules are in ops/reorder/desc.cpp.
#include "ops/reorder/reorder.hpp"
#include "api/guard.hpp"
#include "api/objects/primitive_desc.hpp"

using namespace tessera;

dnnl_status_t dnnl_reorder_primitive_desc_create(dnnl_primitive_desc_t* reorder_primitive_desc,
                                                 const_dnnl_memory_desc_t src_desc, dnnl_engine_t src_engine,
                                                 const_dnnl_memory_desc_t dst_desc, dnnl_engine_t dst_engine,
                                                 const_dnnl_primitive_attr_t attr) {
    return guarded("dnnl_reorder_primitive_desc_create", [&]() -> Result<void> {
        if (auto ok = need("reorder_primitive_desc", reorder_primitive_desc, "src_desc", src_desc, "src_engine",
                           src_engine, "dst_desc", dst_desc, "dst_engine", dst_engine);
            !ok)
            return ok;
        return create_primitive_desc(reorder_primitive_desc, src_engine, dst_engine,
                                     ops::make_reorder(src_desc->md, dst_desc->md, attr_or_default(attr)));
    });
}
