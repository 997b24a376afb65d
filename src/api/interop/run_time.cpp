// SPDX-License-Identifier: Apache-2.0
#include "api/interop/run_time.hpp"

#include "api/execute.hpp"
#include "api/objects/memory.hpp"

namespace tessera {

namespace {

Result<void> has_buffers(const InteropRunTime& run_time, const dnnl_memory& memory) {
    if (memory.desc.md.kind == FormatKind::host_scalar)
        return invalid("a host scalar has no buffer of a device; dnnl_memory_get_host_scalar_value reads its value");
    if (auto on = run_time.handles(*memory.engine); !on) return Refusal(on.error());
    return {};
}

} // namespace

Result<DeviceHandles> InteropRunTime::handles(const dnnl_engine& engine) const {
    const DeviceHandles handles = handles_of(*engine.impl);
    if (!handles.device) return invalid("{}", another);
    return handles;
}

Result<void> InteropRunTime::create_memory(dnnl_memory_t* memory, const_dnnl_memory_desc_t desc, dnnl_engine_t engine,
                                           int kind, int count, void* const* with) const {
    if (count < 0) return invalid("nhandles {} is negative", count);
    if (kind != int(MemoryKind::usm) && kind != int(MemoryKind::buffer))
        return invalid("memory_kind {} is neither {} (0) nor {} (1)", kind, kinds[0], kinds[1]);
    if (auto on = handles(*engine); !on) return Refusal(on.error());
    return tessera::create_memory(memory, desc, engine, MemoryKind(kind), {with, size_t(count)});
}

Result<MemoryKind> InteropRunTime::kind_of(const dnnl_memory& memory) const {
    if (auto ok = has_buffers(*this, memory); !ok) return Refusal(ok.error());
    return memory.kind;
}

Result<void> InteropRunTime::set_buffer(dnnl_memory& memory, void* buffer) const {
    if (auto ok = has_buffers(*this, memory); !ok) return ok;
    if (memory.handles.size() != 1)
        return invalid("the tensor has {} buffers; dnnl_memory_set_data_handle_v2 sets each", memory.handles.size());
    return replace_buffer(memory, 0, {buffer, MemoryKind::buffer});
}

Result<void> InteropRunTime::create_stream(dnnl_stream_t* stream, dnnl_engine_t engine, void* queue) const {
    if (auto on = handles(*engine); !on) return Refusal(on.error());
    unsigned flags = 0;
    auto made = make_queue(*engine->impl, queue, flags);
    if (!made) return Refusal(made.error());
    *stream = new dnnl_stream{engine, flags, nullptr, std::move(*made)};
    return {};
}

Result<void*> InteropRunTime::queue_of(const dnnl_stream& stream) const {
    if (auto on = handles(*stream.engine); !on) return Refusal(on.error());
    return stream.queue->handle();
}

Result<void> InteropRunTime::execute(const dnnl_primitive& primitive, const dnnl_stream& stream, int nargs,
                                     const dnnl_exec_arg_t* args, std::span<void* const> after,
                                     std::shared_ptr<void>* event) const {
    if (auto on = handles(*stream.engine); !on) return Refusal(on.error());
    return execute_logged(primitive, stream, nargs, args, {after, event});
}

} // namespace tessera
