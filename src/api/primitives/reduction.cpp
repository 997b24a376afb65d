// SPDX-License-Identifier: Apache-2.0
// The C call that creates reductions. The rules are in ops/reduction/desc.cpp.
#include "ops/reduction/reduction.hpp"
#include "api/guard.hpp"
#include "api/objects/primitive_desc.hpp"

using namespace tessera;

dnnl_status_t dnnl_reduction_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine,
                                                   dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
                                                   const_dnnl_memory_desc_t dst_desc, float p, float eps,
                                                   const_dnnl_primitive_attr_t attr) {
    return guarded("dnnl_reduction_primitive_desc_create", [&]() -> Result<void> {
        if (auto ok =
                need("primitive_desc", primitive_desc, "engine", engine, "src_desc", src_desc, "dst_desc", dst_desc);
            !ok)
            return ok;
        return create_primitive_desc(
            primitive_desc, engine, engine,
            ops::make_reduction(int(alg_kind), src_desc->md, dst_desc->md, p, eps, attr_or_default(attr)));
    });
}
