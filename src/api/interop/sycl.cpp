// The C calls of dnnl_sycl.h. SYCL's objects cross them as addresses: what the library is given is copied, which shares
// the object; what it hands out belongs to the object asked.
#include "api/execute.hpp"
#include "api/guard.hpp"
#include "api/objects/memory.hpp"
#include "on_sycl/engine.hpp"
#include "oneapi/dnnl/dnnl_sycl.h"

using namespace tessera;

namespace {

Result<on_sycl::Handles> handles_of(const dnnl_engine& engine) {
    const on_sycl::Handles handles = on_sycl::handles_of(*engine.impl);
    if (!handles.device)
        return invalid(
            "the engine is not of SYCL; dnnl_sycl_interop_engine_create (sycl_interop::make_engine) makes one of "
            "a device and a context");
    return handles;
}

Result<MemoryKind> kind_of(dnnl_sycl_interop_memory_kind_t kind) {
    if (kind == dnnl_sycl_interop_usm) return MemoryKind::usm;
    if (kind == dnnl_sycl_interop_buffer) return MemoryKind::buffer;
    return invalid("memory_kind {}: there are dnnl_sycl_interop_usm (0) and dnnl_sycl_interop_buffer (1)", int(kind));
}

Result<void> create(dnnl_memory_t* memory, const_dnnl_memory_desc_t desc, dnnl_engine_t engine,
                    dnnl_sycl_interop_memory_kind_t kind, std::span<void* const> handles) {
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

} // namespace

dnnl_status_t dnnl_sycl_interop_engine_create(dnnl_engine_t* engine, const void* device, const void* context) {
    return guarded("dnnl_sycl_interop_engine_create", [&]() -> Result<void> {
        if (auto ok = need("engine", engine, "device", device, "context", context); !ok) return ok;
        const on_sycl::Handles key = on_sycl::key_of(device, context);
        auto made = given_engine(key.device, key.context, [&] { return on_sycl::make_engine(device, context); });
        if (!made) return Refusal(made.error());
        *engine = *made;
        return {};
    });
}

dnnl_status_t dnnl_sycl_interop_engine_get_context(dnnl_engine_t engine, void** context) {
    return guarded("dnnl_sycl_interop_engine_get_context", [&]() -> Result<void> {
        if (auto ok = need("engine", engine, "context", context); !ok) return ok;
        const auto handles = handles_of(*engine);
        if (!handles) return Refusal(handles.error());
        *context = handles->context;
        return {};
    });
}

dnnl_status_t dnnl_sycl_interop_engine_get_device(dnnl_engine_t engine, void** device) {
    return guarded("dnnl_sycl_interop_engine_get_device", [&]() -> Result<void> {
        if (auto ok = need("engine", engine, "device", device); !ok) return ok;
        const auto handles = handles_of(*engine);
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
        return create(memory, memory_desc, engine, memory_kind, {&handle, 1});
    });
}

dnnl_status_t dnnl_sycl_interop_memory_create_v2(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc,
                                                 dnnl_engine_t engine, dnnl_sycl_interop_memory_kind_t memory_kind,
                                                 int nhandles, void** handles) {
    return guarded("dnnl_sycl_interop_memory_create_v2", [&]() -> Result<void> {
        if (auto ok = need("memory", memory, "memory_desc", memory_desc, "engine", engine, "handles", handles); !ok)
            return ok;
        if (nhandles < 0) return invalid("nhandles {} is negative", nhandles);
        return create(memory, memory_desc, engine, memory_kind, {handles, size_t(nhandles)});
    });
}

dnnl_status_t dnnl_sycl_interop_memory_get_memory_kind(const_dnnl_memory_t memory,
                                                       dnnl_sycl_interop_memory_kind_t* memory_kind) {
    return guarded("dnnl_sycl_interop_memory_get_memory_kind", [&]() -> Result<void> {
        if (auto ok = need("memory", memory, "memory_kind", memory_kind); !ok) return ok;
        if (auto ok = check_memory(memory); !ok) return ok;
        *memory_kind = memory->kind == MemoryKind::usm ? dnnl_sycl_interop_usm : dnnl_sycl_interop_buffer;
        return {};
    });
}

dnnl_status_t dnnl_sycl_interop_memory_set_buffer(dnnl_memory_t memory, void* buffer) {
    return guarded("dnnl_sycl_interop_memory_set_buffer", [&]() -> Result<void> {
        if (auto ok = need("memory", memory, "buffer", buffer); !ok) return ok;
        if (auto ok = check_memory(memory); !ok) return ok;
        if (memory->handles.size() != 1)
            return invalid("the tensor has {} buffers; dnnl_memory_set_data_handle_v2 sets each",
                           memory->handles.size());
        return replace_buffer(*memory, 0, {buffer, MemoryKind::buffer});
    });
}

dnnl_status_t dnnl_sycl_interop_stream_create(dnnl_stream_t* stream, dnnl_engine_t engine, void* queue) {
    return guarded("dnnl_sycl_interop_stream_create", [&]() -> Result<void> {
        if (auto ok = need("stream", stream, "engine", engine, "queue", queue); !ok) return ok;
        if (auto on = handles_of(*engine); !on) return Refusal(on.error());
        unsigned flags = 0;
        auto made = on_sycl::make_queue(*engine->impl, queue, flags);
        if (!made) return Refusal(made.error());
        *stream = new dnnl_stream{engine, flags, nullptr, std::move(*made)};
        return {};
    });
}

dnnl_status_t dnnl_sycl_interop_stream_get_queue(dnnl_stream_t stream, void** queue) {
    return guarded("dnnl_sycl_interop_stream_get_queue", [&]() -> Result<void> {
        if (auto ok = need("stream", stream, "queue", queue); !ok) return ok;
        if (auto on = handles_of(*stream->engine); !on) return Refusal(on.error());
        *queue = stream->queue->handle();
        return {};
    });
}

dnnl_status_t dnnl_sycl_interop_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
                                                  const dnnl_exec_arg_t* args, const void* deps, void* return_event) {
    return guarded("dnnl_sycl_interop_primitive_execute", [&]() -> Result<void> {
        if (auto ok = need("primitive", primitive, "stream", stream); !ok) return ok;
        if (auto on = handles_of(*stream->engine); !on) return Refusal(on.error());
        const std::vector<void*> after = deps ? on_sycl::events_in(deps) : std::vector<void*>();
        std::shared_ptr<void> event;
        if (auto ok = execute_logged(*primitive, *stream, nargs, args, {after, return_event ? &event : nullptr}); !ok)
            return ok;
        if (return_event) on_sycl::assign_event(return_event, event);
        return {};
    });
}
