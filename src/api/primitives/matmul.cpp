// SPDX-License-Identifier: Apache-2.0
// The C call that creates matmul primitives. The rules are in ops/matmul/desc.cpp.
#include "ops/matmul/matmul.hpp"
#include "api/guard.hpp"
#include "api/objects/primitive_desc.hpp"

using namespace tessera;

// A null or zero bias_desc means no bias.
dnnl_status_t dnnl_matmul_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine,
                                                const_dnnl_memory_desc_t src_desc,
                                                const_dnnl_memory_desc_t weights_desc,
                                                const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,
                                                const_dnnl_primitive_attr_t attr) {
    return guarded("dnnl_matmul_primitive_desc_create", [&]() -> Result<void> {
        if (auto ok = need("primitive_desc", primitive_desc, "engine", engine, "src_desc", src_desc, "weights_desc",
                           weights_desc, "dst_desc", dst_desc);
            !ok)
            return ok;
        return create_primitive_desc(primitive_desc, engine, engine,
                                     ops::make_matmul(src_desc->md, weights_desc->md,
                                                      bias_desc ? bias_desc->md : MemoryDesc(), dst_desc->md,
                                                      attr_or_default(attr)));
    });
}
