// The C calls of memory objects: a descriptor, an engine, and one pointer per buffer.
//
// Buffers belong to the caller or, for DNNL_MEMORY_ALLOCATE, to the library: aligned to 64 bytes and freed with the
// object. set_data_handle never touches the contents: primitives zero the padding of what they write, so that buffers
// may be read-only and the call costs nothing (OBJ-03). On the CPU a mapping is the buffer itself, of a device a copy,
// which is written back when it is unmapped.
#include <cstring>
#include <new>

#include "api/guard.hpp"
#include "api/objects/handles.hpp"
#include "core/device.hpp"

using namespace tessera;

namespace {

constexpr std::align_val_t alignment{64};              // a cache line; an AVX-512 vector
constexpr size_t largest_allocation = size_t(1) << 47; // user addresses of x86-64 end here

Result<std::shared_ptr<void>> allocate(size_t bytes) {
    if (bytes == 0) return nullptr; // an empty tensor is never accessed
    void* p = bytes < largest_allocation ? ::operator new(bytes, alignment, std::nothrow) : nullptr;
    if (p == nullptr) return out_of_memory("{} bytes cannot be allocated", bytes);
    return std::shared_ptr<void>(p, [](void* q) { ::operator delete(q, alignment); });
}

// Refuses descriptors that memory objects cannot have (OBJ-07).
Result<void> check_storable(const MemoryDesc& md) {
    if (md.kind == FormatKind::any)
        return invalid("a memory of format any ({}): query the primitive descriptor for the layout it chose",
                       to_string(md.dims_span()));
    if (md.kind == FormatKind::host_scalar)
        return invalid("a host scalar has no buffer; dnnl_memory_create_host_scalar makes one");
    if (md.kind == FormatKind::sparse && md.encoding == SparseEncoding::packed)
        return invalid("a memory of packed sparse weights ({}): its form is known only to the primitive that packs it",
                       to_string(md.dims_span()));
    if (md.has_runtime())
        return invalid("a memory of dims {}: run-time dims and strides must be known here", to_string(md.dims_span()));
    return {};
}

// get_size() does not count the offset of a view inside its tensor (MEM-13); a buffer allocated here must.
size_t bytes_to_allocate(const MemoryDesc& md, int buffer) {
    return size_of(md, buffer) + (md.is_blocked() ? size_t(bytes_of(md.type, md.offset0)) : 0);
}

Result<void> create(dnnl_memory_t* memory, const_dnnl_memory_desc_t desc, dnnl_engine_t engine,
                    std::span<void* const> handles) {
    auto result = std::make_unique<dnnl_memory>();
    result->desc = *desc;
    result->engine = engine;
    for (size_t k = 0; k < handles.size(); ++k) {
        std::shared_ptr<void> owned;
        void* handle = handles[k];
        DeviceMemory* const device = engine->impl->memory();
        if (handle == DNNL_MEMORY_ALLOCATE) {
            const size_t bytes = bytes_to_allocate(desc->md, int(k));
            auto storage = device && bytes ? device->allocate(bytes) : allocate(bytes);
            if (!storage) return tl::unexpected(storage.error());
            owned = std::move(*storage);
            handle = owned.get();
        } else if (device && handle) {
            owned = device->share(handle);
        }
        result->handles.push_back(handle);
        result->owned.push_back(std::move(owned));
    }
    *memory = result.release();
    return {};
}

// Checks the index of a buffer; host scalars have none.
Result<void> check_buffer(const dnnl_memory& memory, int index) {
    if (memory.desc.md.kind == FormatKind::host_scalar)
        return invalid("a host scalar has no handle; dnnl_memory_get_host_scalar_value and _set_ reach its value");
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
        memory->handles[size_t(index)] = handle;
        DeviceMemory* const device = memory->engine->impl->memory();
        memory->owned[size_t(index)] = device && handle ? device->share(handle) : nullptr;
        return {};
    });
}

// The contents of a device's buffer, on the host.
Result<std::shared_ptr<void>> copy_of_device(const dnnl_memory& memory, int index) {
    const size_t bytes = bytes_to_allocate(memory.desc.md, index);
    auto copy = allocate(bytes);
    if (!copy) return copy;
    if (auto ok = memory.engine->impl->memory()->read(memory.handles[size_t(index)], copy->get(), bytes); !ok)
        return Refusal(ok.error());
    return copy;
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
        if (!*mapped || !memory->engine->impl->memory()) return {};
        auto copy = copy_of_device(*memory, index);
        if (!copy) return Refusal(copy.error());
        *mapped = copy->get();
        memory->mapped.resize(memory->handles.size());
        memory->mapped[size_t(index)] = std::move(*copy);
        return {};
    });
}

// The pointer is not checked: the buffer may have been replaced since it was mapped.
dnnl_status_t unmap(const char* function, const_dnnl_memory_t memory, int index) {
    return guarded(function, [&]() -> Result<void> {
        if (auto ok = need(memory, "memory"); !ok) return ok;
        if (memory->desc.md.kind == FormatKind::host_scalar && index == 0) return {};
        if (auto ok = check_buffer(*memory, index); !ok) return ok;
        DeviceMemory* const device = memory->engine->impl->memory();
        if (!device || memory->mapped.size() <= size_t(index) || !memory->mapped[size_t(index)]) return {};
        const auto copy = std::move(memory->mapped[size_t(index)]);
        return device->write(memory->handles[size_t(index)], copy.get(), bytes_to_allocate(memory->desc.md, index));
    });
}

Result<void> check_scalar(const_dnnl_memory_t memory, const void* value) {
    if (auto ok = need("memory", memory, "value", value); !ok) return ok;
    if (memory->desc.md.kind != FormatKind::host_scalar)
        return invalid("{} is no host scalar; map its data to reach values", to_token(memory->desc.md));
    return {};
}

} // namespace

dnnl_status_t dnnl_memory_create(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine,
                                 void* handle) {
    return guarded("dnnl_memory_create", [&]() -> Result<void> {
        if (auto ok = need("memory", memory, "memory_desc", memory_desc, "engine", engine); !ok) return ok;
        if (auto ok = check_storable(memory_desc->md); !ok) return ok;
        const std::vector<void*> handles(size_t(handle_count(memory_desc->md)), handle);
        if (handles.size() > 1 && handle != DNNL_MEMORY_ALLOCATE && handle != DNNL_MEMORY_NONE)
            return invalid("one buffer for a tensor of {}; dnnl_memory_create_v2 takes a buffer each", handles.size());
        return create(memory, memory_desc, engine, handles);
    });
}

dnnl_status_t dnnl_memory_create_v2(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine,
                                    int nhandles, void** handles) {
    return guarded("dnnl_memory_create_v2", [&]() -> Result<void> {
        if (auto ok = need("memory", memory, "memory_desc", memory_desc, "engine", engine, "handles", handles); !ok)
            return ok;
        if (auto ok = check_storable(memory_desc->md); !ok) return ok;
        const int count = handle_count(memory_desc->md);
        if (nhandles != count)
            return invalid("{} handles for {}, which has {} buffers", nhandles, to_token(memory_desc->md), count);
        return create(memory, memory_desc, engine, {handles, size_t(count)});
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
dnnl_status_t dnnl_memory_unmap_data(const_dnnl_memory_t memory, void*) {
    return unmap("dnnl_memory_unmap_data", memory, 0);
}
dnnl_status_t dnnl_memory_unmap_data_v2(const_dnnl_memory_t memory, void*, int index) {
    return unmap("dnnl_memory_unmap_data_v2", memory, index);
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
