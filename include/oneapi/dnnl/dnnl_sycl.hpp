// SPDX-License-Identifier: Apache-2.0
// Interoperability with SYCL: engines from devices and contexts, streams from queues, tensors from buffers
// or unified shared memory (USM), executions with events.
// With DNNL_WITH_SYCL defined before the first include, dnnl::memory also has the v2 members
// get_sycl_buffer() and set_sycl_buffer().
// For builds with DNNL_GPU_RUNTIME == DNNL_RUNTIME_SYCL; in others every call fails with unimplemented.
//
//     engine eng = sycl_interop::make_engine(queue.get_device(), queue.get_context());
//     stream s = sycl_interop::make_stream(eng, queue);
//     sycl::event done = sycl_interop::execute(primitive, s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}}, {before});

#ifndef ONEAPI_DNNL_DNNL_SYCL_HPP
#define ONEAPI_DNNL_DNNL_SYCL_HPP

#include "oneapi/dnnl/cpp/interop.hpp"
#include "oneapi/dnnl/cpp/sycl_include.hpp"
#include "oneapi/dnnl/dnnl_sycl.h"

namespace dnnl {

/// Interoperability with SYCL.
namespace sycl_interop {

/// What holds the bytes of a tensor.
enum class memory_kind : int {
    // enumerators: sycl_interop::memory_kind
    usm = dnnl_sycl_interop_usm,       ///< Unified shared memory; the default.
    buffer = dnnl_sycl_interop_buffer, ///< A SYCL buffer of bytes.
    // end of enumerators
};

/// @param akind Kind.
/// @returns The C number of a kind.
inline dnnl_sycl_interop_memory_kind_t convert_to_c(memory_kind akind) {
    return static_cast<dnnl_sycl_interop_memory_kind_t>(akind);
}

/// An engine on a device of a context: of kind cpu for a CPU, else of kind gpu.
/// @param adevice Device.
/// @param acontext Context of the device.
/// @returns The engine.
/// @throws dnnl::error with the status of dnnl_sycl_interop_engine_create() if that refuses.
inline engine make_engine(const sycl::device& adevice, const sycl::context& acontext) {
    dnnl_engine_t c_engine = nullptr;
    error::wrap_c_api(dnnl_sycl_interop_engine_create(&c_engine, &adevice, &acontext),
                      "could not create a SYCL engine");
    return engine(c_engine);
}

/// @param aengine Engine.
/// @returns The context of an engine.
/// @throws dnnl::error with the status of dnnl_sycl_interop_engine_get_context() if that refuses.
inline sycl::context get_context(const engine& aengine) {
    void* context = nullptr;
    error::wrap_c_api(dnnl_sycl_interop_engine_get_context(aengine.get(), &context),
                      "could not get the context of an engine");
    return *static_cast<sycl::context*>(context);
}

/// @param aengine Engine.
/// @returns The device of an engine.
/// @throws dnnl::error with the status of dnnl_sycl_interop_engine_get_device() if that refuses.
inline sycl::device get_device(const engine& aengine) {
    void* device = nullptr;
    error::wrap_c_api(dnnl_sycl_interop_engine_get_device(aengine.get(), &device),
                      "could not get the device of an engine");
    return *static_cast<sycl::device*>(device);
}

/// A stream over a queue; in order if the queue is.
/// @param aengine Engine whose primitives the stream runs.
/// @param aqueue Queue on the device and context of the engine.
/// @returns The stream.
/// @throws dnnl::error with the status of dnnl_sycl_interop_stream_create() if that refuses.
inline stream make_stream(const engine& aengine, sycl::queue& aqueue) {
    dnnl_stream_t c_stream = nullptr;
    error::wrap_c_api(dnnl_sycl_interop_stream_create(&c_stream, aengine.get(), &aqueue),
                      "could not create a SYCL stream");
    return stream(c_stream);
}

/// @param astream Stream.
/// @returns The queue of a stream.
/// @throws dnnl::error with the status of dnnl_sycl_interop_stream_get_queue() if that refuses.
inline sycl::queue get_queue(const stream& astream) {
    void* queue = nullptr;
    error::wrap_c_api(dnnl_sycl_interop_stream_get_queue(astream.get(), &queue), "could not get the queue of a stream");
    return *static_cast<sycl::queue*>(queue);
}

/// @param amemory Memory object.
/// @returns The buffer of a tensor of kind `buffer`, seen as elements of type T; one dimension only.
/// @throws dnnl::error with dnnl_invalid_arguments if it is held by USM, has no buffer yet, or is not of SYCL.
template <typename T, int ndims = 1> sycl::buffer<T, ndims> get_buffer(const memory& amemory) {
    static_assert(ndims == 1, "only one-dimensional buffers are supported");
    dnnl_sycl_interop_memory_kind_t kind = dnnl_sycl_interop_usm;
    error::wrap_c_api(dnnl_sycl_interop_memory_get_memory_kind(amemory.get(), &kind),
                      "could not get the kind of a memory");
    if (kind != dnnl_sycl_interop_buffer)
        DNNL_THROW_ERROR(dnnl_invalid_arguments, "the memory is held by USM; it has no SYCL buffer");
    void* handle = nullptr;
    error::wrap_c_api(dnnl_memory_get_data_handle(amemory.get(), &handle), "could not get the buffer of a memory");
    if (!handle) DNNL_THROW_ERROR(dnnl_invalid_arguments, "the memory has no SYCL buffer yet");
    sycl::buffer<uint8_t, 1>& bytes = *static_cast<sycl::buffer<uint8_t, 1>*>(handle);
    return bytes.template reinterpret<T, 1>(sycl::range<1>(bytes.size() / sizeof(T)));
}

/// Replaces the buffer of a tensor; one dimension only.
/// @param amemory Memory object.
/// @param abuffer SYCL buffer of one dimension.
/// @throws dnnl::error with the status of dnnl_sycl_interop_memory_set_buffer() if that refuses.
template <typename T, int ndims> void set_buffer(memory& amemory, sycl::buffer<T, ndims>& abuffer) {
    static_assert(ndims == 1, "only one-dimensional buffers are supported");
    sycl::buffer<uint8_t, 1> bytes =
        abuffer.template reinterpret<uint8_t, 1>(sycl::range<1>(abuffer.size() * sizeof(T)));
    error::wrap_c_api(dnnl_sycl_interop_memory_set_buffer(amemory.get(), &bytes),
                      "could not set the SYCL buffer of a memory");
}

/// v2 spelling; the stream is a hint.
/// @param amemory Memory object.
/// @param abuffer SYCL buffer of one dimension.
/// @param astream Stream.
/// @throws dnnl::error with the status of dnnl_sycl_interop_memory_set_buffer() if that refuses.
template <typename T, int ndims>
void set_buffer(memory& amemory, sycl::buffer<T, ndims>& abuffer, const stream& astream) {
    static_cast<void>(astream);
    set_buffer(amemory, abuffer);
}

/// @param amemory Memory object.
/// @returns What holds the bytes of a tensor.
/// @throws dnnl::error with the status of dnnl_sycl_interop_memory_get_memory_kind() if that refuses.
inline memory_kind get_memory_kind(const memory& amemory) {
    dnnl_sycl_interop_memory_kind_t kind = dnnl_sycl_interop_usm;
    error::wrap_c_api(dnnl_sycl_interop_memory_get_memory_kind(amemory.get(), &kind),
                      "could not get the kind of a memory");
    return static_cast<memory_kind>(kind);
}

/// A tensor of a kind, over one handle per buffer of its descriptor; none: the library allocates.
/// @param memory_desc Descriptor of the tensor.
/// @param aengine Engine.
/// @param kind What the handles are.
/// @param handles One handle per buffer; none: the library allocates.
/// @returns The memory object.
/// @throws dnnl::error with the status of dnnl_sycl_interop_memory_create_v2() if that refuses.
inline memory make_memory(const memory::desc& memory_desc, const engine& aengine, memory_kind kind,
                          std::vector<void*> handles = {}) {
    if (handles.empty()) handles = detail::allocate_all(memory_desc);
    dnnl_memory_t c_memory = nullptr;
    error::wrap_c_api(dnnl_sycl_interop_memory_create_v2(&c_memory, memory_desc.get(), aengine.get(),
                                                         convert_to_c(kind), static_cast<int>(handles.size()),
                                                         handles.data()),
                      "could not create a memory on a SYCL engine");
    return memory(c_memory);
}

/// A tensor of a kind over one handle: a USM pointer, a buffer's address, DNNL_MEMORY_ALLOCATE or _NONE.
/// @param memory_desc Descriptor of the tensor.
/// @param aengine Engine.
/// @param kind What the handles are.
/// @param handle The handle.
/// @returns The memory object.
/// @throws dnnl::error with the status of dnnl_sycl_interop_memory_create_v2() if that refuses.
inline memory make_memory(const memory::desc& memory_desc, const engine& aengine, memory_kind kind, void* handle) {
    return make_memory(memory_desc, aengine, kind, std::vector<void*>{handle});
}

/// A tensor over a buffer, which the library keeps a copy of; one dimension only.
/// @param memory_desc Descriptor of the tensor.
/// @param aengine Engine.
/// @param abuffer SYCL buffer of one dimension.
/// @returns The memory object.
/// @throws dnnl::error with the status of dnnl_sycl_interop_memory_create_v2() or
///     dnnl_sycl_interop_memory_set_buffer() if one of them refuses.
template <typename T, int ndims = 1>
memory make_memory(const memory::desc& memory_desc, const engine& aengine, sycl::buffer<T, ndims>& abuffer) {
    memory result = make_memory(memory_desc, aengine, memory_kind::buffer, DNNL_MEMORY_NONE);
    set_buffer(result, abuffer);
    return result;
}

/// Executes after `deps`; the returned event ends with the execution. What fails in the queue stream::wait() throws.
/// @param aprimitive Primitive to run.
/// @param astream Stream on the engine of the primitive.
/// @param args Memory objects by their DNNL_ARG_* numbers.
/// @param deps Events to wait for.
/// @returns The event.
/// @throws dnnl::error with the status of dnnl_sycl_interop_primitive_execute() if that refuses.
inline sycl::event execute(const dnnl::primitive& aprimitive, const stream& astream,
                           const std::unordered_map<int, memory>& args, const std::vector<sycl::event>& deps = {}) {
    const std::vector<dnnl_exec_arg_t> c_args = detail::exec_args(args);
    sycl::event event;
    error::wrap_c_api(dnnl_sycl_interop_primitive_execute(aprimitive.get(), astream.get(),
                                                          static_cast<int>(c_args.size()), c_args.data(), &deps,
                                                          &event),
                      "could not execute a primitive on a SYCL stream");
    return event;
}

} // namespace sycl_interop

#ifdef DNNL_WITH_SYCL
template <typename T, int ndims> memory::memory(const desc& md, const engine& aengine, sycl::buffer<T, ndims>& buffer)
    : memory(sycl_interop::make_memory(md, aengine, buffer)) {}

template <typename T, int ndims> sycl::buffer<T, ndims> memory::get_sycl_buffer(size_t* offset) const {
    if (offset) *offset = 0;
    return sycl_interop::get_buffer<T, ndims>(*this);
}

template <typename T, int ndims> void memory::set_sycl_buffer(sycl::buffer<T, ndims>& buffer) {
    sycl_interop::set_buffer(*this, buffer);
}

template <typename T, int ndims> void memory::set_sycl_buffer(sycl::buffer<T, ndims>& buffer, stream& astream) {
    sycl_interop::set_buffer(*this, buffer, astream);
}
#endif

} // namespace dnnl

#endif
