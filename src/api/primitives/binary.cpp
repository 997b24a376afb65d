// SPDX-License-Identifier: Apache-2.0
// The C calls that create binary primitives. The rules are in ops/binary/desc.cpp.
#include "ops/binary/binary.hpp"
#include "api/guard.hpp"
#include "api/objects/primitive_desc.hpp"

using namespace tessera;

namespace {

const MemoryDesc no_condition;

} // namespace

dnnl_status_t dnnl_binary_primitive_desc_create(dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine,
                                                dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src0_desc,
                                                const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t dst_desc,
                                                const_dnnl_primitive_attr_t attr) {
    return guarded("dnnl_binary_primitive_desc_create", [&]() -> Result<void> {
        if (auto ok = need("primitive_desc", primitive_desc, "engine", engine, "src0_desc", src0_desc, "src1_desc",
                           src1_desc, "dst_desc", dst_desc);
            !ok)
            return ok;
        return create_primitive_desc(primitive_desc, engine, engine,
                                     ops::make_binary(int(alg_kind), src0_desc->md, src1_desc->md, no_condition,
                                                      dst_desc->md, attr_or_default(attr)));
    });
}

// src2_desc may be null for every algorithm but select.
dnnl_status_t dnnl_binary_primitive_desc_create_v2(dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine,
                                                   dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src0_desc,
                                                   const_dnnl_memory_desc_t src1_desc,
                                                   const_dnnl_memory_desc_t src2_desc,
                                                   const_dnnl_memory_desc_t dst_desc,
                                                   const_dnnl_primitive_attr_t attr) {
    return guarded("dnnl_binary_primitive_desc_create_v2", [&]() -> Result<void> {
        if (auto ok = need("primitive_desc", primitive_desc, "engine", engine, "src0_desc", src0_desc, "src1_desc",
                           src1_desc, "dst_desc", dst_desc);
            !ok)
            return ok;
        return create_primitive_desc(primitive_desc, engine, engine,
                                     ops::make_binary(int(alg_kind), src0_desc->md, src1_desc->md,
                                                      src2_desc ? src2_desc->md : no_condition, dst_desc->md,
                                                      attr_or_default(attr)));
    });
}
