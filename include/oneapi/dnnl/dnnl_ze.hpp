// SPDX-License-Identifier: Apache-2.0
// Interoperability with Level Zero: engines from driver, device and context, streams from in-order immediate
// command lists, tensors in unified shared memory, executions with events.
// Contract: the objects given must outlive what is made of them; events returned belong to the stream.
// This version has no Level Zero runtime: every call fails with unimplemented.
//
//     engine eng = ze_interop::make_engine(driver, device, context);

#ifndef ONEAPI_DNNL_DNNL_ZE_HPP
#define ONEAPI_DNNL_DNNL_ZE_HPP

#include "oneapi/dnnl/cpp/interop.hpp"
#include "oneapi/dnnl/dnnl_ze.h"

namespace dnnl {

/// Interoperability with Level Zero.
namespace ze_interop {

/// @param driver Driver of the device.
/// @param device Device.
/// @returns Key of a device's engine blob.
/// @throws dnnl::error with dnnl_unimplemented: this version has no GPU runtime.
inline std::vector<uint8_t> get_engine_cache_blob_id(ze_driver_handle_t driver, ze_device_handle_t device) {
    size_t size = 0;
    error::wrap_c_api(dnnl_ze_interop_engine_get_cache_blob_id(driver, device, &size, nullptr),
                      "could not get the size of an engine's cache blob id");
    std::vector<uint8_t> id(size);
    error::wrap_c_api(dnnl_ze_interop_engine_get_cache_blob_id(driver, device, &size, id.data()),
                      "could not get an engine's cache blob id");
    return id;
}

/// @param aengine Engine.
/// @returns What an engine compiled for itself, as bytes.
/// @throws dnnl::error with dnnl_unimplemented: this version has no GPU runtime.
inline std::vector<uint8_t> get_engine_cache_blob(const engine& aengine) {
    size_t size = 0;
    error::wrap_c_api(dnnl_ze_interop_engine_get_cache_blob(aengine.get(), &size, nullptr),
                      "could not get the size of an engine's cache blob");
    std::vector<uint8_t> blob(size);
    error::wrap_c_api(dnnl_ze_interop_engine_get_cache_blob(aengine.get(), &size, blob.data()),
                      "could not get an engine's cache blob");
    return blob;
}

/// An engine from the blob of an equal one.
/// @param driver Driver of the device.
/// @param device Device.
/// @param context Context of the device.
/// @param cache_blob Bytes from get_engine_cache_blob().
/// @returns The engine.
/// @throws dnnl::error with dnnl_unimplemented: this version has no GPU runtime.
inline engine make_engine(ze_driver_handle_t driver, ze_device_handle_t device, ze_context_handle_t context,
                          const std::vector<uint8_t>& cache_blob) {
    dnnl_engine_t c_engine = nullptr;
    error::wrap_c_api(dnnl_ze_interop_engine_create_from_cache_blob(&c_engine, driver, device, context,
                                                                    cache_blob.size(), cache_blob.data()),
                      "could not create a Level Zero engine from a cache blob");
    return engine(c_engine);
}

/// An engine on a device of a context.
/// @param adriver Driver of the device.
/// @param adevice Device.
/// @param acontext Context of the device.
/// @returns The engine.
/// @throws dnnl::error with dnnl_unimplemented: this version has no GPU runtime.
inline engine make_engine(ze_driver_handle_t adriver, ze_device_handle_t adevice, ze_context_handle_t acontext) {
    dnnl_engine_t c_engine = nullptr;
    error::wrap_c_api(dnnl_ze_interop_engine_create(&c_engine, adriver, adevice, acontext),
                      "could not create a Level Zero engine");
    return engine(c_engine);
}

/// @param aengine Engine.
/// @returns The context of an engine.
/// @throws dnnl::error with dnnl_unimplemented: this version has no GPU runtime.
inline ze_context_handle_t get_context(const engine& aengine) {
    ze_context_handle_t context = nullptr;
    error::wrap_c_api(dnnl_ze_interop_engine_get_context(aengine.get(), &context),
                      "could not get the context of an engine");
    return context;
}

/// @param aengine Engine.
/// @returns The device of an engine.
/// @throws dnnl::error with dnnl_unimplemented: this version has no GPU runtime.
inline ze_device_handle_t get_device(const engine& aengine) {
    ze_device_handle_t device = nullptr;
    error::wrap_c_api(dnnl_ze_interop_engine_get_device(aengine.get(), &device),
                      "could not get the device of an engine");
    return device;
}

/// @param aengine Engine.
/// @returns The driver of an engine.
/// @throws dnnl::error with dnnl_unimplemented: this version has no GPU runtime.
inline ze_driver_handle_t get_driver(const engine& aengine) {
    ze_driver_handle_t driver = nullptr;
    error::wrap_c_api(dnnl_ze_interop_engine_get_driver(aengine.get(), &driver),
                      "could not get the driver of an engine");
    return driver;
}

/// A stream over a command list; with profiling it records one time per execution.
/// @param aengine Engine whose primitives the stream runs.
/// @param alist Command list on the device of the engine.
/// @param aprofiling Whether to record the time of every execution.
/// @returns The stream.
/// @throws dnnl::error with dnnl_unimplemented: this version has no GPU runtime.
inline stream make_stream(const engine& aengine, ze_command_list_handle_t alist, bool aprofiling = false) {
    dnnl_stream_t c_stream = nullptr;
    error::wrap_c_api(dnnl_ze_interop_stream_create(&c_stream, aengine.get(), alist, aprofiling),
                      "could not create a Level Zero stream");
    return stream(c_stream);
}

/// @param astream Stream.
/// @returns The command list of a stream.
/// @throws dnnl::error with dnnl_unimplemented: this version has no GPU runtime.
inline ze_command_list_handle_t get_list(const stream& astream) {
    ze_command_list_handle_t list = nullptr;
    error::wrap_c_api(dnnl_ze_interop_stream_get_list(astream.get(), &list),
                      "could not get the command list of a stream");
    return list;
}

/// A tensor over one pointer per buffer of its descriptor; none: the library allocates.
/// @param memory_desc Descriptor of the tensor.
/// @param aengine Engine.
/// @param handles One handle per buffer; none: the library allocates.
/// @returns The memory object.
/// @throws dnnl::error with dnnl_unimplemented: this version has no GPU runtime.
inline memory make_memory(const memory::desc& memory_desc, const engine& aengine, std::vector<void*> handles = {}) {
    if (handles.empty()) handles = detail::allocate_all(memory_desc);
    dnnl_memory_t c_memory = nullptr;
    error::wrap_c_api(dnnl_ze_interop_memory_create(&c_memory, memory_desc.get(), aengine.get(),
                                                    static_cast<int>(handles.size()), handles.data()),
                      "could not create a memory on a Level Zero engine");
    return memory(c_memory);
}

/// A tensor over one pointer, DNNL_MEMORY_ALLOCATE or DNNL_MEMORY_NONE.
/// @param memory_desc Descriptor of the tensor.
/// @param aengine Engine.
/// @param handle The handle.
/// @returns The memory object.
/// @throws dnnl::error with dnnl_unimplemented: this version has no GPU runtime.
inline memory make_memory(const memory::desc& memory_desc, const engine& aengine, void* handle) {
    return make_memory(memory_desc, aengine, std::vector<void*>{handle});
}

/// Executes after `deps`; the returned event ends with the execution.
/// @param aprimitive Primitive to run.
/// @param astream Stream on the engine of the primitive.
/// @param args Memory objects by their DNNL_ARG_* numbers.
/// @param deps Events to wait for.
/// @returns The event.
/// @throws dnnl::error with dnnl_unimplemented: this version has no GPU runtime.
inline ze_event_handle_t execute(const dnnl::primitive& aprimitive, const stream& astream,
                                 const std::unordered_map<int, memory>& args,
                                 const std::vector<ze_event_handle_t>& deps = {}) {
    const std::vector<dnnl_exec_arg_t> c_args = detail::exec_args(args);
    ze_event_handle_t event = nullptr;
    error::wrap_c_api(dnnl_ze_interop_primitive_execute(
                          aprimitive.get(), astream.get(), static_cast<int>(c_args.size()), c_args.data(),
                          static_cast<int>(deps.size()), deps.empty() ? nullptr : deps.data(), &event),
                      "could not execute a primitive on a Level Zero stream");
    return event;
}

} // namespace ze_interop

} // namespace dnnl

#endif
