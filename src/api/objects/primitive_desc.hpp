// SPDX-License-Identifier: Apache-2.0
// Helpers of the calls that create primitive descriptors.
#pragma once

#include "api/objects/handles.hpp"

namespace tessera {

// Turns the result of ops::make_* into a handle, or passes its refusal on.
Result<void> create_primitive_desc(dnnl_primitive_desc_t* result, dnnl_engine* engine, dnnl_engine* dst_engine,
                                   Result<Problem>&& problem);

// The descriptors of n sources; refuses null entries and names their index. The array is not read if n exceeds the
// number of argument ids (such a count is garbage).
Result<std::vector<MemoryDesc>> descriptors(const const_dnnl_memory_desc_t* descs, int n);

// Checks that a hint is null or a forward descriptor of that kind (FMT-04, SHU-11, ELT-43).
Result<void> check_hint(PrimitiveKind kind, const dnnl_primitive_desc* hint);

const Attr& attr_or_default(const dnnl_primitive_attr* attr); // null: no attributes

} // namespace tessera
