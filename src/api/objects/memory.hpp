// SPDX-License-Identifier: Apache-2.0
// Creation of memory objects, for the calls of the C interface and of interoperability.
#pragma once

#include <span>

#include "api/objects/handles.hpp"

namespace tessera {

// Aligned to 64 bytes; null for none.
Result<std::shared_ptr<void>> allocate_on_host(size_t bytes);

// The checks of all kinds of creation, then the object. `handles`: one for each buffer, DNNL_MEMORY_ALLOCATE and
// DNNL_MEMORY_NONE among them.
Result<void> create_memory(dnnl_memory_t* memory, const_dnnl_memory_desc_t desc, dnnl_engine_t engine, MemoryKind kind,
                           std::span<void* const> handles);

// Another buffer, of another kind perhaps, in an object with one.
Result<void> replace_buffer(dnnl_memory& memory, size_t index, DeviceBuffer buffer);

} // namespace tessera
