// SPDX-License-Identifier: Apache-2.0
// The C calls of dnnl_ocl.h. What the library is given is retained; what it hands out belongs to the object asked.
//
// The first header says for which version of OpenCL the others are read.
#include "gpu/opencl.hpp"
#include "api/guard.hpp"
#include "api/interop/blob.hpp"
#include "api/interop/run_time.hpp"
#include "gpu/engine.hpp"
#include "oneapi/dnnl/dnnl_ocl.h"

using namespace tessera;

namespace {

const InteropRunTime of_opencl = {
    gpu::handles_of,
    gpu::make_queue,
    {"dnnl_ocl_interop_usm", "dnnl_ocl_interop_buffer"},
    "the engine is not of OpenCL; dnnl_engine_create with dnnl_gpu and dnnl_ocl_interop_engine_create make one"};
static_assert(int(MemoryKind::usm) == dnnl_ocl_interop_usm && int(MemoryKind::buffer) == dnnl_ocl_interop_buffer);

Result<void> new_engine(dnnl_engine_t* engine, cl_device_id device, cl_context context, std::span<const uint8_t> blob) {
    auto made = given_engine(device, context, [&] { return gpu::make_engine(device, context); });
    if (!made) return Refusal(made.error());
    if (!blob.empty()) {
        if (auto ok = add_blob(*(*made)->impl, blob, nullptr); !ok) {
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
        return of_opencl.create_memory(memory, memory_desc, engine, memory_kind, 1, &handle);
    });
}

dnnl_status_t dnnl_ocl_interop_memory_create_v2(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc,
                                                dnnl_engine_t engine, dnnl_ocl_interop_memory_kind_t memory_kind,
                                                int nhandles, void** handles) {
    return guarded("dnnl_ocl_interop_memory_create_v2", [&]() -> Result<void> {
        if (auto ok = need("memory", memory, "memory_desc", memory_desc, "engine", engine, "handles", handles); !ok)
            return ok;
        return of_opencl.create_memory(memory, memory_desc, engine, memory_kind, nhandles, handles);
    });
}

dnnl_status_t dnnl_ocl_interop_memory_get_memory_kind(const_dnnl_memory_t memory,
                                                      dnnl_ocl_interop_memory_kind_t* memory_kind) {
    return guarded("dnnl_ocl_interop_memory_get_memory_kind", [&]() -> Result<void> {
        if (auto ok = need("memory", memory, "memory_kind", memory_kind); !ok) return ok;
        const auto kind = of_opencl.kind_of(*memory);
        if (!kind) return Refusal(kind.error());
        *memory_kind = static_cast<dnnl_ocl_interop_memory_kind_t>(*kind);
        return {};
    });
}

dnnl_status_t dnnl_ocl_interop_memory_get_mem_object(const_dnnl_memory_t memory, cl_mem* mem_object) {
    return guarded("dnnl_ocl_interop_memory_get_mem_object", [&]() -> Result<void> {
        if (auto ok = need("memory", memory, "mem_object", mem_object); !ok) return ok;
        const auto kind = of_opencl.kind_of(*memory);
        if (!kind) return Refusal(kind.error());
        if (*kind != MemoryKind::buffer)
            return invalid("the memory is unified shared memory, which dnnl_memory_get_data_handle returns; it has no "
                           "cl_mem");
        *mem_object = static_cast<cl_mem>(memory->handles[0]);
        return {};
    });
}

dnnl_status_t dnnl_ocl_interop_memory_set_mem_object(dnnl_memory_t memory, cl_mem mem_object) {
    return guarded("dnnl_ocl_interop_memory_set_mem_object", [&]() -> Result<void> {
        if (auto ok = need(memory, "memory"); !ok) return ok;
        return of_opencl.set_buffer(*memory, mem_object);
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
        if (auto on = of_opencl.handles(*engine); !on) return Refusal(on.error());
        const auto blob = blob_of(*engine->impl, nullptr, nullptr);
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
        const auto handles = of_opencl.handles(*engine);
        if (!handles) return Refusal(handles.error());
        *context = static_cast<cl_context>(handles->context);
        return {};
    });
}

dnnl_status_t dnnl_ocl_interop_get_device(dnnl_engine_t engine, cl_device_id* device) {
    return guarded("dnnl_ocl_interop_get_device", [&]() -> Result<void> {
        if (auto ok = need("engine", engine, "device", device); !ok) return ok;
        const auto handles = of_opencl.handles(*engine);
        if (!handles) return Refusal(handles.error());
        *device = static_cast<cl_device_id>(handles->device);
        return {};
    });
}

dnnl_status_t dnnl_ocl_interop_stream_create(dnnl_stream_t* stream, dnnl_engine_t engine, cl_command_queue queue) {
    return guarded("dnnl_ocl_interop_stream_create", [&]() -> Result<void> {
        if (auto ok = need("stream", stream, "engine", engine, "queue", queue); !ok) return ok;
        return of_opencl.create_stream(stream, engine, queue);
    });
}

dnnl_status_t dnnl_ocl_interop_stream_get_command_queue(dnnl_stream_t stream, cl_command_queue* queue) {
    return guarded("dnnl_ocl_interop_stream_get_command_queue", [&]() -> Result<void> {
        if (auto ok = need("stream", stream, "queue", queue); !ok) return ok;
        const auto own = of_opencl.queue_of(*stream);
        if (!own) return Refusal(own.error());
        *queue = static_cast<cl_command_queue>(*own);
        return {};
    });
}

dnnl_status_t dnnl_ocl_interop_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
                                                 const dnnl_exec_arg_t* args, const cl_event* deps, int ndeps,
                                                 cl_event* return_event) {
    return guarded("dnnl_ocl_interop_primitive_execute", [&]() -> Result<void> {
        if (auto ok = need("primitive", primitive, "stream", stream); !ok) return ok;
        if (ndeps < 0) return invalid("ndeps {} is negative", ndeps);
        if (ndeps > 0 && !deps) return invalid("deps is null, with ndeps {}", ndeps);
        std::vector<void*> after;
        for (int i = 0; i < ndeps; ++i) {
            if (!deps[i]) return invalid("deps[{}] is null", i);
            after.push_back(deps[i]);
        }
        std::shared_ptr<void> event;
        if (auto ok = of_opencl.execute(*primitive, *stream, nargs, args, after, return_event ? &event : nullptr); !ok)
            return ok;
        if (!return_event) return {};
        const auto taken = gpu::take_event(event);
        if (!taken) return Refusal(taken.error());
        *return_event = static_cast<cl_event>(*taken);
        return {};
    });
}
