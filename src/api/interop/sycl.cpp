// SPDX-License-Identifier: Apache-2.0
// The C calls of dnnl_sycl.h. SYCL's objects cross them as addresses: what the library is given is copied, which shares
// the object; what it hands out belongs to the object asked.
#include "api/guard.hpp"
#include "api/interop/run_time.hpp"
#include "on_sycl/engine.hpp"
#include "oneapi/dnnl/dnnl_sycl.h"

using namespace tessera;

namespace {

const InteropRunTime of_sycl = {on_sycl::handles_of,
                                on_sycl::make_queue,
                                {"dnnl_sycl_interop_usm", "dnnl_sycl_interop_buffer"},
                                "the engine is not of SYCL; dnnl_sycl_interop_engine_create "
                                "(sycl_interop::make_engine) makes one of a device and a "
                                "context"};
static_assert(int(MemoryKind::usm) == dnnl_sycl_interop_usm && int(MemoryKind::buffer) == dnnl_sycl_interop_buffer);

} // namespace

dnnl_status_t dnnl_sycl_interop_engine_create(dnnl_engine_t* engine, const void* device, const void* context) {
    return guarded("dnnl_sycl_interop_engine_create", [&]() -> Result<void> {
        if (auto ok = need("engine", engine, "device", device, "context", context); !ok) return ok;
        const DeviceHandles key = on_sycl::key_of(device, context);
        auto made = given_engine(key.device, key.context, [&] { return on_sycl::make_engine(device, context); });
        if (!made) return Refusal(made.error());
        *engine = *made;
        return {};
    });
}

dnnl_status_t dnnl_sycl_interop_engine_get_context(dnnl_engine_t engine, void** context) {
    return guarded("dnnl_sycl_interop_engine_get_context", [&]() -> Result<void> {
        if (auto ok = need("engine", engine, "context", context); !ok) return ok;
        const auto handles = of_sycl.handles(*engine);
        if (!handles) return Refusal(handles.error());
        *context = handles->context;
        return {};
    });
}

dnnl_status_t dnnl_sycl_interop_engine_get_device(dnnl_engine_t engine, void** device) {
    return guarded("dnnl_sycl_interop_engine_get_device", [&]() -> Result<void> {
        if (auto ok = need("engine", engine, "device", device); !ok) return ok;
        const auto handles = of_sycl.handles(*engine);
        if (!handles) return Refusal(handles.error());
        *device = handles->device;
        return {};
    });
}

dnnl_status_t dnnl_sycl_interop_memory_create(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc,
                                              dnnl_engine_t engine, dnnl_sycl_interop_memory_kind_t memory_kind,
                                              void* handle) {
    return guarded("dnnl_sycl_interop_memory_create", [&]() -> Result<void> {
        if (auto ok = need("memory", memory, "memory_desc", memory_desc, "engine", engine); !ok) return ok;
        return of_sycl.create_memory(memory, memory_desc, engine, memory_kind, 1, &handle);
    });
}

dnnl_status_t dnnl_sycl_interop_memory_create_v2(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc,
                                                 dnnl_engine_t engine, dnnl_sycl_interop_memory_kind_t memory_kind,
                                                 int nhandles, void** handles) {
    return guarded("dnnl_sycl_interop_memory_create_v2", [&]() -> Result<void> {
        if (auto ok = need("memory", memory, "memory_desc", memory_desc, "engine", engine, "handles", handles); !ok)
            return ok;
        return of_sycl.create_memory(memory, memory_desc, engine, memory_kind, nhandles, handles);
    });
}

dnnl_status_t dnnl_sycl_interop_memory_get_memory_kind(const_dnnl_memory_t memory,
                                                       dnnl_sycl_interop_memory_kind_t* memory_kind) {
    return guarded("dnnl_sycl_interop_memory_get_memory_kind", [&]() -> Result<void> {
        if (auto ok = need("memory", memory, "memory_kind", memory_kind); !ok) return ok;
        const auto kind = of_sycl.kind_of(*memory);
        if (!kind) return Refusal(kind.error());
        *memory_kind = static_cast<dnnl_sycl_interop_memory_kind_t>(*kind);
        return {};
    });
}

dnnl_status_t dnnl_sycl_interop_memory_set_buffer(dnnl_memory_t memory, void* buffer) {
    return guarded("dnnl_sycl_interop_memory_set_buffer", [&]() -> Result<void> {
        if (auto ok = need("memory", memory, "buffer", buffer); !ok) return ok;
        return of_sycl.set_buffer(*memory, buffer);
    });
}

dnnl_status_t dnnl_sycl_interop_stream_create(dnnl_stream_t* stream, dnnl_engine_t engine, void* queue) {
    return guarded("dnnl_sycl_interop_stream_create", [&]() -> Result<void> {
        if (auto ok = need("stream", stream, "engine", engine, "queue", queue); !ok) return ok;
        return of_sycl.create_stream(stream, engine, queue);
    });
}

dnnl_status_t dnnl_sycl_interop_stream_get_queue(dnnl_stream_t stream, void** queue) {
    return guarded("dnnl_sycl_interop_stream_get_queue", [&]() -> Result<void> {
        if (auto ok = need("stream", stream, "queue", queue); !ok) return ok;
        const auto own = of_sycl.queue_of(*stream);
        if (!own) return Refusal(own.error());
        *queue = *own;
        return {};
    });
}

dnnl_status_t dnnl_sycl_interop_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
                                                  const dnnl_exec_arg_t* args, const void* deps, void* return_event) {
    return guarded("dnnl_sycl_interop_primitive_execute", [&]() -> Result<void> {
        if (auto ok = need("primitive", primitive, "stream", stream); !ok) return ok;
        const std::vector<void*> after = deps ? on_sycl::events_in(deps) : std::vector<void*>();
        std::shared_ptr<void> event;
        if (auto ok = of_sycl.execute(*primitive, *stream, nargs, args, after, return_event ? &event : nullptr); !ok)
            return ok;
        if (return_event) on_sycl::assign_event(return_event, event);
        return {};
    });
}
