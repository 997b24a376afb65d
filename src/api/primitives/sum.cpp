// SPDX-License-Identifier: Apache-2.0
// The C call that creates sums. The rules are in ops/sum/desc.cpp.
#include "ops/sum/sum.hpp"
#include "api/guard.hpp"
#include "api/objects/primitive_desc.hpp"

using namespace tessera;

dnnl_status_t dnnl_sum_primitive_desc_create(dnnl_primitive_desc_t* sum_primitive_desc, dnnl_engine_t engine,
                                             const_dnnl_memory_desc_t dst_desc, int n, const float* scales,
                                             const const_dnnl_memory_desc_t* src_descs,
                                             const_dnnl_primitive_attr_t attr) {
    return guarded("dnnl_sum_primitive_desc_create", [&]() -> Result<void> {
        if (auto ok = need("sum_primitive_desc", sum_primitive_desc, "engine", engine); !ok) return ok;
        if (n < 1) return invalid("sum: {} sources; 1 or more are needed", n);
        if (auto ok = need("scales", scales, "src_descs", src_descs); !ok) return ok;
        auto srcs = descriptors(src_descs, n);
        if (!srcs) return Refusal(std::move(srcs.error()));
        return create_primitive_desc(
            sum_primitive_desc, engine, engine,
            ops::make_sum(dst_desc ? &dst_desc->md : nullptr, {scales, size_t(n)}, *srcs, attr_or_default(attr)));
    });
}
