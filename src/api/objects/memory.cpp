// SPDX-License-Identifier: Apache-2.0
// The C calls of memory objects: a descriptor, an engine, and one pointer per buffer.
//
// Buffers belong to the caller or, for DNNL_MEMORY_ALLOCATE, to the library: aligned to 64 bytes and freed with the
// object. set_data_handle never touches the contents: primitives zero the padding of what they write, so that buffers
// may be read-only and the call costs nothing (OBJ-03). On the CPU a mapping is the buffer itself, of a device a copy,
// which is written back when it is unmapped.
#include "api/objects/memory.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "api/guard.hpp"

using namespace tessera;

namespace {

constexpr std::align_val_t alignment{64};              // a cache line; an AVX-512 vector
constexpr size_t largest_allocation = size_t(1) << 47; // user addresses of x86-64 end here

} // namespace

Result<std::shared_ptr<void>> tessera::allocate_on_host(size_t bytes) {
    if (bytes == 0) return nullptr; // an empty tensor is never accessed
    void* p = bytes < largest_allocation ? ::operator new(bytes, alignment, std::nothrow) : nullptr;
    if (p == nullptr) return out_of_memory("{} bytes cannot be allocated", bytes);
    return std::shared_ptr<void>(p, [](void* q) { ::operator delete(q, alignment); });
}

namespace {

// Refuses descriptors that memory objects cannot have (OBJ-07).
Result<void> check_storable(const MemoryDesc& md) {
    if (md.kind == FormatKind::any)
        return invalid("a memory of format any ({}): query the primitive descriptor for the layout it chose",
                       to_string(md.dims_span()));
    if (md.kind == FormatKind::host_scalar)
        return invalid("a host scalar has no buffer; dnnl_memory_create_host_scalar makes one");
    if (md.kind == FormatKind::sparse && md.encoding == SparseEncoding::packed)
        return invalid("a memory of packed sparse weights ({}): query the primitive descriptor for the descriptor that "
                       "it chose",
                       to_string(md.dims_span()));
    if (md.has_runtime())
        return invalid("a memory of dims {}: its run-time dims and strides must be known; make it from a descriptor "
                       "with the numbers of the execution",
                       to_string(md.dims_span()));
    return {};
}

// get_size() does not count the offset of a view inside its tensor (MEM-13); a buffer allocated here must.
size_t bytes_to_allocate(const MemoryDesc& md, int buffer) {
    return size_of(md, buffer) + (md.is_blocked() ? size_t(bytes_of(md.type, md.offset0)) : 0);
}

// The storage of a handle, and the handle to use.
Result<std::shared_ptr<void>> storage(const MemoryDesc& md, const dnnl_engine& engine, MemoryKind kind, void*& handle,
                                      size_t index) {
    DeviceMemory* const device = engine.memory;
    if (handle == DNNL_MEMORY_ALLOCATE) {
        const size_t bytes = bytes_to_allocate(md, int(index));
        auto made = device && bytes ? device->allocate(bytes, kind) : allocate_on_host(bytes);
        if (made) handle = made->get();
        return made;
    }
    if (!device || !handle) return nullptr;
    auto shared = device->share({handle, kind}, reach_of(md, int(index)));
    if (!shared) return invalid("{}: {}", to_token(md), shared.error().reason);
    handle = shared->get();
    return shared;
}

// Checks the index of a buffer; host scalars have none.
Result<void> check_buffer(const dnnl_memory& memory, int index) {
    if (memory.desc.md.kind == FormatKind::host_scalar)
        return invalid("a host scalar has no handle; dnnl_memory_get_host_scalar_value and "
                       "dnnl_memory_set_host_scalar_value reach its value");
    if (index < 0 || size_t(index) >= memory.handles.size())
        return invalid("buffer {} is outside of 0..{}", index, int(memory.handles.size()) - 1);
    return {};
}

dnnl_status_t get_handle(const char* function, const_dnnl_memory_t memory, void** handle, int index) {
    return guarded(function, [&]() -> Result<void> {
        if (auto ok = need("memory", memory, "handle", handle); !ok) return ok;
        if (auto ok = check_buffer(*memory, index); !ok) return ok;
        *handle = memory->handles[size_t(index)];
        return {};
    });
}

dnnl_status_t set_handle(const char* function, dnnl_memory_t memory, void* handle, int index) {
    return guarded(function, [&]() -> Result<void> {
        if (auto ok = need(memory, "memory"); !ok) return ok;
        if (auto ok = check_buffer(*memory, index); !ok) return ok;
        if (handle == DNNL_MEMORY_ALLOCATE)
            return invalid("DNNL_MEMORY_ALLOCATE is for creation; here the handle is a buffer of yours or null");
        return replace_buffer(*memory, size_t(index), {handle, memory->kind});
    });
}

// The contents of a device's buffer on the host: all bytes that the descriptor counts, gaps behind the last element
// among them. The buffer of a view may end with its last element, and so may one that the caller made.
Result<dnnl_memory::Mapping> copy_of_device(const dnnl_memory& memory, int index) {
    const MemoryDesc& md = memory.desc.md;
    auto copy = allocate_on_host(bytes_to_allocate(md, index));
    if (!copy) return Refusal(copy.error());
    const DeviceBuffer from{memory.handles[size_t(index)], memory.kind};
    const size_t reach = reach_of(md, index);
    size_t bytes = md.is_blocked() && md.offset0 != 0 ? reach : std::max(reach, size_of(md, index));
    auto ok = memory.engine->memory->read(from, copy->get(), bytes);
    if (!ok && bytes > reach) ok = memory.engine->memory->read(from, copy->get(), bytes = reach);
    if (!ok) return Refusal(ok.error());
    return dnnl_memory::Mapping{index, std::move(*copy), bytes};
}

dnnl_status_t map(const char* function, const_dnnl_memory_t memory, void** mapped, int index) {
    return guarded(function, [&]() -> Result<void> {
        if (auto ok = need("memory", memory, "mapped_ptr", mapped); !ok) return ok;
        const MemoryDesc& md = memory->desc.md;
        if (md.kind == FormatKind::host_scalar && index == 0) {
            *mapped = const_cast<uint64_t*>(&memory->scalar);
            return {};
        }
        if (auto ok = check_buffer(*memory, index); !ok) return ok;
        *mapped = size_of(md, index) == 0 ? nullptr : memory->handles[size_t(index)];
        if (!*mapped || !memory->engine->memory) return {};
        auto copy = copy_of_device(*memory, index);
        if (!copy) return Refusal(copy.error());
        *mapped = copy->contents.get();
        memory->mapped.push_back(std::move(*copy));
        return {};
    });
}

// Of the CPU the pointer is not checked: the buffer may have been replaced since it was mapped.
dnnl_status_t unmap(const char* function, const_dnnl_memory_t memory, const void* pointer, int index) {
    return guarded(function, [&]() -> Result<void> {
        if (auto ok = need(memory, "memory"); !ok) return ok;
        if (memory->desc.md.kind == FormatKind::host_scalar && index == 0) return {};
        if (auto ok = check_buffer(*memory, index); !ok) return ok;
        DeviceMemory* const device = memory->engine->memory;
        const bool nothing = size_of(memory->desc.md, index) == 0 || !memory->handles[size_t(index)];
        if (!device || (!pointer && nothing)) return {};
        const auto found = std::ranges::find_if(memory->mapped, [&](const dnnl_memory::Mapping& m) {
            return m.index == index && m.contents.get() == pointer;
        });
        if (found == memory->mapped.end())
            return invalid("buffer {} is not mapped to this pointer: a mapping is what dnnl_memory_map_data returned, "
                           "until it is unmapped",
                           index);
        const dnnl_memory::Mapping mapping = std::move(*found);
        memory->mapped.erase(found);
        return device->write({memory->handles[size_t(index)], memory->kind}, mapping.contents.get(), mapping.bytes);
    });
}

MemoryKind usual_kind(const dnnl_engine& engine) {
    DeviceMemory* const device = engine.memory;
    return device ? device->usual_kind() : MemoryKind::usm;
}

Result<void> check_scalar(const_dnnl_memory_t memory, const void* value) {
    if (auto ok = need("memory", memory, "value", value); !ok) return ok;
    if (memory->desc.md.kind != FormatKind::host_scalar)
        return invalid("{} is no host scalar; map its data to reach values", to_token(memory->desc.md));
    return {};
}

} // namespace

Result<void> tessera::create_memory(dnnl_memory_t* memory, const_dnnl_memory_desc_t desc, dnnl_engine_t engine,
                                    MemoryKind kind, std::span<void* const> handles) {
    if (auto ok = check_storable(desc->md); !ok) return ok;
    const int count = handle_count(desc->md);
    if (handles.size() != size_t(count))
        return invalid("{:handle} for {}, which has {:buffer}", counted(handles.size()), to_token(desc->md),
                       counted(count));
    auto result = std::make_unique<dnnl_memory>();
    result->desc = *desc;
    result->engine = engine;
    result->kind = kind;
    for (size_t k = 0; k < handles.size(); ++k) {
        void* handle = handles[k];
        auto owned = storage(desc->md, *engine, kind, handle, k);
        if (!owned) return Refusal(owned.error());
        result->handles.push_back(handle);
        result->owned.push_back(std::move(*owned));
    }
    *memory = result.release();
    return {};
}

Result<void> tessera::replace_buffer(dnnl_memory& memory, size_t index, DeviceBuffer buffer) {
    auto owned = storage(memory.desc.md, *memory.engine, buffer.kind, buffer.handle, index);
    if (!owned) return Refusal(owned.error());
    memory.handles[index] = buffer.handle;
    memory.owned[index] = std::move(*owned);
    memory.kind = buffer.kind;
    return {};
}

dnnl_status_t dnnl_memory_create(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine,
                                 void* handle) {
    return guarded("dnnl_memory_create", [&]() -> Result<void> {
        if (auto ok = need("memory", memory, "memory_desc", memory_desc, "engine", engine); !ok) return ok;
        if (auto ok = check_storable(memory_desc->md); !ok) return ok;
        const std::vector<void*> handles(size_t(handle_count(memory_desc->md)), handle);
        if (handles.size() > 1 && handle != DNNL_MEMORY_ALLOCATE && handle != DNNL_MEMORY_NONE)
            return invalid("one buffer for a tensor of {}; dnnl_memory_create_v2 takes a buffer each", handles.size());
        return create_memory(memory, memory_desc, engine, usual_kind(*engine), handles);
    });
}

dnnl_status_t dnnl_memory_create_v2(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine,
                                    int nhandles, void** handles) {
    return guarded("dnnl_memory_create_v2", [&]() -> Result<void> {
        if (auto ok = need("memory", memory, "memory_desc", memory_desc, "engine", engine, "handles", handles); !ok)
            return ok;
        if (nhandles < 0) return invalid("nhandles {} is negative", nhandles);
        return create_memory(memory, memory_desc, engine, usual_kind(*engine), {handles, size_t(nhandles)});
    });
}

dnnl_status_t dnnl_memory_create_host_scalar(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc,
                                             void* scalar_ptr) {
    return guarded("dnnl_memory_create_host_scalar", [&]() -> Result<void> {
        if (auto ok = need("memory", memory, "memory_desc", memory_desc, "scalar_ptr", scalar_ptr); !ok) return ok;
        if (memory_desc->md.kind != FormatKind::host_scalar)
            return invalid("{} is no host scalar; dnnl_memory_create makes its memory", to_token(memory_desc->md));
        auto result = std::make_unique<dnnl_memory>();
        result->desc = *memory_desc;
        std::memcpy(&result->scalar, scalar_ptr, size_of(memory_desc->md));
        *memory = result.release();
        return {};
    });
}

dnnl_status_t dnnl_memory_get_memory_desc(const_dnnl_memory_t memory, const_dnnl_memory_desc_t* memory_desc) {
    return guarded("dnnl_memory_get_memory_desc", [&]() -> Result<void> {
        if (auto ok = need("memory", memory, "memory_desc", memory_desc); !ok) return ok;
        *memory_desc = &memory->desc;
        return {};
    });
}

dnnl_status_t dnnl_memory_get_engine(const_dnnl_memory_t memory, dnnl_engine_t* engine) {
    return guarded("dnnl_memory_get_engine", [&]() -> Result<void> {
        if (auto ok = need("memory", memory, "engine", engine); !ok) return ok;
        *engine = memory->engine;
        return {};
    });
}

dnnl_status_t dnnl_memory_map_data(const_dnnl_memory_t memory, void** mapped_ptr) {
    return map("dnnl_memory_map_data", memory, mapped_ptr, 0);
}
dnnl_status_t dnnl_memory_map_data_v2(const_dnnl_memory_t memory, void** mapped_ptr, int index) {
    return map("dnnl_memory_map_data_v2", memory, mapped_ptr, index);
}
dnnl_status_t dnnl_memory_unmap_data(const_dnnl_memory_t memory, void* mapped_ptr) {
    return unmap("dnnl_memory_unmap_data", memory, mapped_ptr, 0);
}
dnnl_status_t dnnl_memory_unmap_data_v2(const_dnnl_memory_t memory, void* mapped_ptr, int index) {
    return unmap("dnnl_memory_unmap_data_v2", memory, mapped_ptr, index);
}

dnnl_status_t dnnl_memory_get_data_handle(const_dnnl_memory_t memory, void** handle) {
    return get_handle("dnnl_memory_get_data_handle", memory, handle, 0);
}
dnnl_status_t dnnl_memory_get_data_handle_v2(const_dnnl_memory_t memory, void** handle, int index) {
    return get_handle("dnnl_memory_get_data_handle_v2", memory, handle, index);
}
dnnl_status_t dnnl_memory_set_data_handle(dnnl_memory_t memory, void* handle) {
    return set_handle("dnnl_memory_set_data_handle", memory, handle, 0);
}
dnnl_status_t dnnl_memory_set_data_handle_v2(dnnl_memory_t memory, void* handle, int index) {
    return set_handle("dnnl_memory_set_data_handle_v2", memory, handle, index);
}

dnnl_status_t dnnl_memory_get_host_scalar_value(const_dnnl_memory_t memory, void* value) {
    return guarded("dnnl_memory_get_host_scalar_value", [&]() -> Result<void> {
        if (auto ok = check_scalar(memory, value); !ok) return ok;
        std::memcpy(value, &memory->scalar, size_of(memory->desc.md));
        return {};
    });
}

dnnl_status_t dnnl_memory_set_host_scalar_value(dnnl_memory_t memory, const void* value) {
    return guarded("dnnl_memory_set_host_scalar_value", [&]() -> Result<void> {
        if (auto ok = check_scalar(memory, value); !ok) return ok;
        std::memcpy(&memory->scalar, value, size_of(memory->desc.md));
        return {};
    });
}

dnnl_status_t dnnl_memory_destroy(dnnl_memory_t memory) {
    delete memory; // null is nothing to destroy
    return dnnl_success;
}
