// SPDX-License-Identifier: Apache-2.0
// Interoperability with OpenCL: engines from devices and contexts, streams from queues, tensors from
// buffers or unified shared memory (USM), executions with events.
// Contract: the library retains the OpenCL objects it is given; objects it returns are not retained again.
// Builds without DNNL_RUNTIME_OCL or DNNL_RUNTIME_SYCL for GPUs refuse every call as unimplemented.
//
//     engine eng = ocl_interop::make_engine(device, context);

#ifndef ONEAPI_DNNL_DNNL_OCL_HPP
#define ONEAPI_DNNL_DNNL_OCL_HPP

#include "oneapi/dnnl/cpp/interop.hpp"
#include "oneapi/dnnl/dnnl_ocl.h"

namespace dnnl {

/// Interoperability with OpenCL.
namespace ocl_interop {

/// What holds the bytes of a tensor.
enum class memory_kind : int {
    // enumerators: ocl_interop::memory_kind
    usm = dnnl_ocl_interop_usm,       ///< Unified shared memory.
    buffer = dnnl_ocl_interop_buffer, ///< A cl_mem.
    // end of enumerators
};

/// @param akind Kind.
/// @returns The C number of a kind.
inline dnnl_ocl_interop_memory_kind_t convert_to_c(memory_kind akind) {
    return static_cast<dnnl_ocl_interop_memory_kind_t>(akind);
}

/// @param device Device.
/// @returns Key of a device's engine blob.
/// @throws dnnl::error with the status of dnnl_ocl_interop_engine_get_cache_blob_id() if that refuses.
inline std::vector<uint8_t> get_engine_cache_blob_id(cl_device_id device) {
    size_t size = 0;
    error::wrap_c_api(dnnl_ocl_interop_engine_get_cache_blob_id(device, &size, nullptr),
                      "could not get the size of an engine's cache blob id");
    std::vector<uint8_t> id(size);
    error::wrap_c_api(dnnl_ocl_interop_engine_get_cache_blob_id(device, &size, id.data()),
                      "could not get an engine's cache blob id");
    return id;
}

/// @param aengine Engine.
/// @returns What an engine compiled for itself, as bytes.
/// @throws dnnl::error with the status of dnnl_ocl_interop_engine_get_cache_blob() if that refuses.
inline std::vector<uint8_t> get_engine_cache_blob(const engine& aengine) {
    size_t size = 0;
    error::wrap_c_api(dnnl_ocl_interop_engine_get_cache_blob(aengine.get(), &size, nullptr),
                      "could not get the size of an engine's cache blob");
    std::vector<uint8_t> blob(size);
    error::wrap_c_api(dnnl_ocl_interop_engine_get_cache_blob(aengine.get(), &size, blob.data()),
                      "could not get an engine's cache blob");
    return blob;
}

/// An engine from the blob of an equal one.
/// @param device Device.
/// @param context Context of the device.
/// @param cache_blob Bytes from get_engine_cache_blob().
/// @returns The engine.
/// @throws dnnl::error with the status of dnnl_ocl_interop_engine_create_from_cache_blob() if that refuses.
inline engine make_engine(cl_device_id device, cl_context context, const std::vector<uint8_t>& cache_blob) {
    dnnl_engine_t c_engine = nullptr;
    error::wrap_c_api(dnnl_ocl_interop_engine_create_from_cache_blob(&c_engine, device, context, cache_blob.size(),
                                                                     cache_blob.data()),
                      "could not create an OpenCL engine from a cache blob");
    return engine(c_engine);
}

/// An engine on a device of a context.
/// @param device Device.
/// @param context Context of the device.
/// @returns The engine.
/// @throws dnnl::error with the status of dnnl_ocl_interop_engine_create() if that refuses.
inline engine make_engine(cl_device_id device, cl_context context) {
    dnnl_engine_t c_engine = nullptr;
    error::wrap_c_api(dnnl_ocl_interop_engine_create(&c_engine, device, context), "could not create an OpenCL engine");
    return engine(c_engine);
}

/// @param aengine Engine.
/// @returns The context of an engine.
/// @throws dnnl::error with the status of dnnl_ocl_interop_engine_get_context() if that refuses.
inline cl_context get_context(const engine& aengine) {
    cl_context context = nullptr;
    error::wrap_c_api(dnnl_ocl_interop_engine_get_context(aengine.get(), &context),
                      "could not get the context of an engine");
    return context;
}

/// @param aengine Engine.
/// @returns The device of an engine.
/// @throws dnnl::error with the status of dnnl_ocl_interop_get_device() if that refuses.
inline cl_device_id get_device(const engine& aengine) {
    cl_device_id device = nullptr;
    error::wrap_c_api(dnnl_ocl_interop_get_device(aengine.get(), &device), "could not get the device of an engine");
    return device;
}

/// A stream over a command queue; in order if the queue is.
/// @param aengine Engine whose primitives the stream runs.
/// @param queue Queue on the device and context of the engine.
/// @returns The stream.
/// @throws dnnl::error with the status of dnnl_ocl_interop_stream_create() if that refuses.
inline stream make_stream(const engine& aengine, cl_command_queue queue) {
    dnnl_stream_t c_stream = nullptr;
    error::wrap_c_api(dnnl_ocl_interop_stream_create(&c_stream, aengine.get(), queue),
                      "could not create an OpenCL stream");
    return stream(c_stream);
}

/// @param astream Stream.
/// @returns The queue of a stream.
/// @throws dnnl::error with the status of dnnl_ocl_interop_stream_get_command_queue() if that refuses.
inline cl_command_queue get_command_queue(const stream& astream) {
    cl_command_queue queue = nullptr;
    error::wrap_c_api(dnnl_ocl_interop_stream_get_command_queue(astream.get(), &queue),
                      "could not get the queue of a stream");
    return queue;
}

/// @param amemory Memory object.
/// @returns The buffer of a tensor of kind `buffer`.
/// @throws dnnl::error with the status of dnnl_ocl_interop_memory_get_mem_object() if that refuses.
inline cl_mem get_mem_object(const memory& amemory) {
    cl_mem mem_object = nullptr;
    error::wrap_c_api(dnnl_ocl_interop_memory_get_mem_object(amemory.get(), &mem_object),
                      "could not get the OpenCL buffer of a memory");
    return mem_object;
}

/// Replaces the buffer of a tensor of kind `buffer`.
/// @param amemory Memory object.
/// @param mem_object Buffer.
/// @throws dnnl::error with the status of dnnl_ocl_interop_memory_set_mem_object() if that refuses.
inline void set_mem_object(memory& amemory, cl_mem mem_object) {
    error::wrap_c_api(dnnl_ocl_interop_memory_set_mem_object(amemory.get(), mem_object),
                      "could not set the OpenCL buffer of a memory");
}

/// @param amemory Memory object.
/// @returns What holds the bytes of a tensor.
/// @throws dnnl::error with the status of dnnl_ocl_interop_memory_get_memory_kind() if that refuses.
inline memory_kind get_memory_kind(const memory& amemory) {
    dnnl_ocl_interop_memory_kind_t kind = dnnl_ocl_interop_buffer;
    error::wrap_c_api(dnnl_ocl_interop_memory_get_memory_kind(amemory.get(), &kind),
                      "could not get the kind of a memory");
    return static_cast<memory_kind>(kind);
}

/// A tensor of a kind, over one handle per buffer of its descriptor; none: the library allocates.
/// @param memory_desc Descriptor of the tensor.
/// @param aengine Engine.
/// @param kind What the handles are.
/// @param handles One handle per buffer; none: the library allocates.
/// @returns The memory object.
/// @throws dnnl::error with the status of dnnl_ocl_interop_memory_create_v2() if that refuses.
inline memory make_memory(const memory::desc& memory_desc, const engine& aengine, memory_kind kind,
                          std::vector<void*> handles = {}) {
    if (handles.empty()) handles = detail::allocate_all(memory_desc);
    dnnl_memory_t c_memory = nullptr;
    error::wrap_c_api(dnnl_ocl_interop_memory_create_v2(&c_memory, memory_desc.get(), aengine.get(), convert_to_c(kind),
                                                        static_cast<int>(handles.size()), handles.data()),
                      "could not create a memory on an OpenCL engine");
    return memory(c_memory);
}

/// A tensor of a kind over one handle: a USM pointer, a cl_mem, DNNL_MEMORY_ALLOCATE or DNNL_MEMORY_NONE.
/// @param memory_desc Descriptor of the tensor.
/// @param aengine Engine.
/// @param kind What the handles are.
/// @param handle The handle.
/// @returns The memory object.
/// @throws dnnl::error with the status of dnnl_ocl_interop_memory_create_v2() if that refuses.
inline memory make_memory(const memory::desc& memory_desc, const engine& aengine, memory_kind kind, void* handle) {
    return make_memory(memory_desc, aengine, kind, std::vector<void*>{handle});
}

/// A tensor over buffers.
/// @param memory_desc Descriptor of the tensor.
/// @param aengine Engine.
/// @param mem_objects One buffer per buffer of the descriptor.
/// @returns The memory object.
/// @throws dnnl::error with the status of dnnl_ocl_interop_memory_create_v2() if that refuses.
inline memory make_memory(const memory::desc& memory_desc, const engine& aengine, std::vector<cl_mem> mem_objects) {
    const std::vector<void*> handles(mem_objects.begin(), mem_objects.end());
    return make_memory(memory_desc, aengine, memory_kind::buffer, handles);
}

/// A tensor over one buffer.
/// @param memory_desc Descriptor of the tensor.
/// @param aengine Engine.
/// @param mem_object The buffer.
/// @returns The memory object.
/// @throws dnnl::error with the status of dnnl_ocl_interop_memory_create_v2() if that refuses.
inline memory make_memory(const memory::desc& memory_desc, const engine& aengine, cl_mem mem_object) {
    return make_memory(memory_desc, aengine, std::vector<cl_mem>{mem_object});
}

/// Executes after `deps`; the event that is returned belongs to the caller and ends with the execution.
/// @param aprimitive Primitive to run.
/// @param astream Stream on the engine of the primitive.
/// @param args Memory objects by their DNNL_ARG_* numbers.
/// @param deps Events to wait for.
/// @returns The event.
/// @throws dnnl::error with the status of dnnl_ocl_interop_primitive_execute() if that refuses.
inline cl_event execute(const dnnl::primitive& aprimitive, const stream& astream,
                        const std::unordered_map<int, memory>& args, const std::vector<cl_event>& deps = {}) {
    const std::vector<dnnl_exec_arg_t> c_args = detail::exec_args(args);
    cl_event event = nullptr;
    error::wrap_c_api(dnnl_ocl_interop_primitive_execute(
                          aprimitive.get(), astream.get(), static_cast<int>(c_args.size()), c_args.data(),
                          deps.empty() ? nullptr : deps.data(), static_cast<int>(deps.size()), &event),
                      "could not execute a primitive on an OpenCL stream");
    return event;
}

} // namespace ocl_interop

} // namespace dnnl

#endif
