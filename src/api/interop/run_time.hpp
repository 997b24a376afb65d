// SPDX-License-Identifier: Apache-2.0
// What the calls of dnnl_ocl.h and dnnl_sycl.h do alike, for the run time that a row describes: the checks, their
// sentences, and the objects made of what the caller has.
//
//   const InteropRunTime of_opencl = {gpu::handles_of, gpu::make_queue, {"dnnl_ocl_interop_usm", ...}, "the engine
//   ..."}; of_opencl.create_memory(memory, desc, engine, dnnl_ocl_interop_buffer, {&handle, 1})
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "api/objects/handles.hpp"
#include "core/device.hpp"
#include "core/engine.hpp"

namespace tessera {

struct InteropRunTime {
    DeviceHandles (*handles_of)(const Engine& engine); // nulls: an engine of another run time
    Result<std::shared_ptr<DeviceQueue>> (*make_queue)(const Engine& engine, void* queue, unsigned& flags);
    const char* kinds[2]; // what the header calls MemoryKind::usm and MemoryKind::buffer, which have its values
    const char* another;  // the refusal of engines of another run time

    Result<DeviceHandles> handles(const dnnl_engine& engine) const;

    // `kind` is the number that the caller gave, `count` that of the handles.
    Result<void> create_memory(dnnl_memory_t* memory, const_dnnl_memory_desc_t desc, dnnl_engine_t engine, int kind,
                               int count, void* const* handles) const;
    Result<MemoryKind> kind_of(const dnnl_memory& memory) const;
    Result<void> set_buffer(dnnl_memory& memory, void* buffer) const;

    Result<void> create_stream(dnnl_stream_t* stream, dnnl_engine_t engine, void* queue) const;
    Result<void*> queue_of(const dnnl_stream& stream) const;
    Result<void> execute(const dnnl_primitive& primitive, const dnnl_stream& stream, int nargs,
                         const dnnl_exec_arg_t* args, std::span<void* const> after, std::shared_ptr<void>* event) const;
};

} // namespace tessera
