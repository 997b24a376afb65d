// What the creating calls of all primitives have in common.
#pragma once

#include "api/objects/handles.hpp"

namespace tessera {

// Turns what ops::make_* answered into a handle, or passes its refusal on.
Result<void> create_primitive_desc(dnnl_primitive_desc_t* result, dnnl_engine* engine, dnnl_engine* dst_engine,
                                   Result<Problem>&& problem);

// The descriptors of several sources; refuses nulls among them by their number. What is behind the array is not read
// when n is beyond any number of sources (a count that large is garbage).
Result<std::vector<MemoryDesc>> descriptors(const const_dnnl_memory_desc_t* descs, int n);

// A hint is the forward descriptor of any primitive of that kind, or null; nothing of it is used (FMT-04, SHU-11,
// ELT-43).
Result<void> check_hint(PrimitiveKind kind, const dnnl_primitive_desc* hint);

const Attr& attr_or_default(const dnnl_primitive_attr* attr); // null: no attributes

} // namespace tessera
