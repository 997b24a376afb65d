// The C calls of dnnl_ocl.h. What the library is given is retained; what it hands out belongs to the object asked.
#include <CL/cl.h>

#include "api/execute.hpp"
#include "api/guard.hpp"
#include "api/interop/blob.hpp"
#include "api/objects/memory.hpp"
#include "gpu/engine.hpp"
#include "oneapi/dnnl/dnnl_ocl.h"

using namespace tessera;

namespace {

Result<gpu::Handles> handles_of(const dnnl_engine& engine) {
    const gpu::Handles handles = gpu::handles_of(*engine.impl);
    if (!handles.device)
        return invalid("the engine is not of OpenCL; dnnl_engine_create with dnnl_gpu and "
                       "dnnl_ocl_interop_engine_create make one");
    return handles;
}

Result<MemoryKind> kind_of(dnnl_ocl_interop_memory_kind_t kind) {
    if (kind == dnnl_ocl_interop_usm) return MemoryKind::usm;
    if (kind == dnnl_ocl_interop_buffer) return MemoryKind::buffer;
    return invalid("memory_kind {}: there are dnnl_ocl_interop_usm (0) and dnnl_ocl_interop_buffer (1)", int(kind));
}

Result<void> create(dnnl_memory_t* memory, const_dnnl_memory_desc_t desc, dnnl_engine_t engine,
                    dnnl_ocl_interop_memory_kind_t kind, std::span<void* const> handles) {
    const auto known = kind_of(kind);
    if (!known) return Refusal(known.error());
    if (auto on = handles_of(*engine); !on) return Refusal(on.error());
    return create_memory(memory, desc, engine, *known, handles);
}

Result<void> check_memory(const_dnnl_memory_t memory) {
    if (memory->desc.md.kind == FormatKind::host_scalar) return invalid("a host scalar has no buffer of a device");
    if (auto on = handles_of(*memory->engine); !on) return Refusal(on.error());
    return {};
}

Result<void> new_engine(dnnl_engine_t* engine, cl_device_id device, cl_context context, std::span<const uint8_t> blob) {
    auto made = given_engine(device, context, [&] { return gpu::make_engine(device, context); });
    if (!made) return Refusal(made.error());
    if (!blob.empty()) {
        if (auto ok = add_blob(*(*made)->impl, blob); !ok) {
            dnnl_engine_destroy(*made);
            return ok;
        }
    }
    *engine = *made;
    return {};
}

} // namespace

dnnl_status_t dnnl_ocl_interop_memory_create(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc,
                                             dnnl_engine_t engine, dnnl_ocl_interop_memory_kind_t memory_kind,
                                             void* handle) {
    return guarded("dnnl_ocl_interop_memory_create", [&]() -> Result<void> {
        if (auto ok = need("memory", memory, "memory_desc", memory_desc, "engine", engine); !ok) return ok;
        return create(memory, memory_desc, engine, memory_kind, {&handle, 1});
    });
}

dnnl_status_t dnnl_ocl_interop_memory_create_v2(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc,
                                                dnnl_engine_t engine, dnnl_ocl_interop_memory_kind_t memory_kind,
                                                int nhandles, void** handles) {
    return guarded("dnnl_ocl_interop_memory_create_v2", [&]() -> Result<void> {
        if (auto ok = need("memory", memory, "memory_desc", memory_desc, "engine", engine, "handles", handles); !ok)
            return ok;
        if (nhandles < 0) return invalid("nhandles {} is negative", nhandles);
        return create(memory, memory_desc, engine, memory_kind, {handles, size_t(nhandles)});
    });
}

dnnl_status_t dnnl_ocl_interop_memory_get_memory_kind(const_dnnl_memory_t memory,
                                                      dnnl_ocl_interop_memory_kind_t* memory_kind) {
    return guarded("dnnl_ocl_interop_memory_get_memory_kind", [&]() -> Result<void> {
        if (auto ok = need("memory", memory, "memory_kind", memory_kind); !ok) return ok;
        if (auto ok = check_memory(memory); !ok) return ok;
        *memory_kind = memory->kind == MemoryKind::usm ? dnnl_ocl_interop_usm : dnnl_ocl_interop_buffer;
        return {};
    });
}

dnnl_status_t dnnl_ocl_interop_memory_get_mem_object(const_dnnl_memory_t memory, cl_mem* mem_object) {
    return guarded("dnnl_ocl_interop_memory_get_mem_object", [&]() -> Result<void> {
        if (auto ok = need("memory", memory, "mem_object", mem_object); !ok) return ok;
        if (auto ok = check_memory(memory); !ok) return ok;
        if (memory->kind != MemoryKind::buffer)
            return invalid("the memory is unified shared memory, which dnnl_memory_get_data_handle returns; it has no "
                           "cl_mem");
        *mem_object = static_cast<cl_mem>(memory->handles[0]);
        return {};
    });
}

dnnl_status_t dnnl_ocl_interop_memory_set_mem_object(dnnl_memory_t memory, cl_mem mem_object) {
    return guarded("dnnl_ocl_interop_memory_set_mem_object", [&]() -> Result<void> {
        if (auto ok = need(memory, "memory"); !ok) return ok;
        if (auto ok = check_memory(memory); !ok) return ok;
        if (memory->handles.size() != 1)
            return invalid("the tensor has {} buffers; dnnl_memory_set_data_handle_v2 sets each",
                           memory->handles.size());
        return replace_buffer(*memory, 0, {mem_object, MemoryKind::buffer});
    });
}

dnnl_status_t dnnl_ocl_interop_engine_get_cache_blob_id(cl_device_id device, size_t* size, uint8_t* cache_blob_id) {
    return guarded("dnnl_ocl_interop_engine_get_cache_blob_id", [&]() -> Result<void> {
        if (auto ok = need("device", device, "size", size); !ok) return ok;
        const auto id = gpu::kernels_id_of(device);
        if (!id) return Refusal(id.error());
        return hand_out(blob_id(*id), size, cache_blob_id);
    });
}

dnnl_status_t dnnl_ocl_interop_engine_get_cache_blob(dnnl_engine_t engine, size_t* size, uint8_t* cache_blob) {
    return guarded("dnnl_ocl_interop_engine_get_cache_blob", [&]() -> Result<void> {
        if (auto ok = need("engine", engine, "size", size); !ok) return ok;
        if (auto on = handles_of(*engine); !on) return Refusal(on.error());
        const auto blob = blob_of(*engine->impl, nullptr);
        if (!blob) return Refusal(blob.error());
        return hand_out(*blob, size, cache_blob);
    });
}

dnnl_status_t dnnl_ocl_interop_engine_create_from_cache_blob(dnnl_engine_t* engine, cl_device_id device,
                                                             cl_context context, size_t size,
                                                             const uint8_t* cache_blob) {
    return guarded("dnnl_ocl_interop_engine_create_from_cache_blob", [&]() -> Result<void> {
        if (auto ok = need("engine", engine, "device", device, "context", context, "cache_blob", cache_blob); !ok)
            return ok;
        if (size == 0) return invalid("a cache blob of 0 bytes; dnnl_ocl_interop_engine_create needs none");
        return new_engine(engine, device, context, {cache_blob, size});
    });
}

dnnl_status_t dnnl_ocl_interop_engine_create(dnnl_engine_t* engine, cl_device_id device, cl_context context) {
    return guarded("dnnl_ocl_interop_engine_create", [&]() -> Result<void> {
        if (auto ok = need("engine", engine, "device", device, "context", context); !ok) return ok;
        return new_engine(engine, device, context, {});
    });
}

dnnl_status_t dnnl_ocl_interop_engine_get_context(dnnl_engine_t engine, cl_context* context) {
    return guarded("dnnl_ocl_interop_engine_get_context", [&]() -> Result<void> {
        if (auto ok = need("engine", engine, "context", context); !ok) return ok;
        const auto handles = handles_of(*engine);
        if (!handles) return Refusal(handles.error());
        *context = static_cast<cl_context>(handles->context);
        return {};
    });
}

dnnl_status_t dnnl_ocl_interop_get_device(dnnl_engine_t engine, cl_device_id* device) {
    return guarded("dnnl_ocl_interop_get_device", [&]() -> Result<void> {
        if (auto ok = need("engine", engine, "device", device); !ok) return ok;
        const auto handles = handles_of(*engine);
        if (!handles) return Refusal(handles.error());
        *device = static_cast<cl_device_id>(handles->device);
        return {};
    });
}

dnnl_status_t dnnl_ocl_interop_stream_create(dnnl_stream_t* stream, dnnl_engine_t engine, cl_command_queue queue) {
    return guarded("dnnl_ocl_interop_stream_create", [&]() -> Result<void> {
        if (auto ok = need("stream", stream, "engine", engine, "queue", queue); !ok) return ok;
        unsigned flags = 0;
        auto made = gpu::make_queue(*engine->impl, queue, flags);
        if (!made) return Refusal(made.error());
        *stream = new dnnl_stream{engine, flags, nullptr, std::move(*made)};
        return {};
    });
}

dnnl_status_t dnnl_ocl_interop_stream_get_command_queue(dnnl_stream_t stream, cl_command_queue* queue) {
    return guarded("dnnl_ocl_interop_stream_get_command_queue", [&]() -> Result<void> {
        if (auto ok = need("stream", stream, "queue", queue); !ok) return ok;
        if (auto on = handles_of(*stream->engine); !on) return Refusal(on.error());
        *queue = static_cast<cl_command_queue>(stream->queue->handle());
        return {};
    });
}

dnnl_status_t dnnl_ocl_interop_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
                                                 const dnnl_exec_arg_t* args, const cl_event* deps, int ndeps,
                                                 cl_event* return_event) {
    return guarded("dnnl_ocl_interop_primitive_execute", [&]() -> Result<void> {
        if (auto ok = need("primitive", primitive, "stream", stream); !ok) return ok;
        if (auto on = handles_of(*stream->engine); !on) return Refusal(on.error());
        if (ndeps < 0) return invalid("ndeps {} is negative", ndeps);
        if (ndeps > 0 && !deps) return invalid("deps is null, with ndeps {}", ndeps);
        std::vector<void*> after;
        for (int i = 0; i < ndeps; ++i) {
            if (!deps[i]) return invalid("deps[{}] is null", i);
            after.push_back(deps[i]);
        }
        std::shared_ptr<void> event;
        if (auto ok = execute_logged(*primitive, *stream, nargs, args, {after, return_event ? &event : nullptr}); !ok)
            return ok;
        if (!return_event) return {};
        const auto taken = gpu::take_event(event);
        if (!taken) return Refusal(taken.error());
        *return_event = static_cast<cl_event>(*taken);
        return {};
    });
}
