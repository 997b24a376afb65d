// SPDX-License-Identifier: Apache-2.0
/// Interop with SYCL, for builds with DNNL_GPU_RUNTIME == DNNL_RUNTIME_SYCL; in
/// others each call returns dnnl_unimplemented.
///
/// SYCL objects are C++ objects; they cross this interface as pointers. Objects
/// given to the library are copied (SYCL objects are reference counted); those
/// it hands out belong to the object asked. A pointer to anything else cannot be
/// told from one. What SYCL throws becomes a status: dnnl_out_of_memory or
/// dnnl_runtime_error, with its words.
#ifndef ONEAPI_DNNL_DNNL_SYCL_H
#define ONEAPI_DNNL_DNNL_SYCL_H

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_sycl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Creates an engine from a sycl::device and a sycl::context. A device of type CPU makes an engine of kind dnnl_cpu,
/// whose work runs in host tasks; any other, of SYCL's OpenCL backend, one of kind dnnl_gpu. Both kinds have memory of
/// their own, and equal devices and contexts give the same engine.
/// @param[out] engine The engine.
/// @param device Points to a sycl::device, copied.
/// @param context Points to a sycl::context of the device, copied.
/// @returns dnnl_success; dnnl_invalid_arguments for null pointers or a device that is none of the context's;
///     dnnl_unimplemented for a device of another backend than OpenCL that is no CPU.
DNNL_API dnnl_status_t dnnl_sycl_interop_engine_create(dnnl_engine_t* engine, const void* device, const void* context);

/// Reads the context of an engine.
/// @param engine SYCL engine.
/// @param[out] context Points to its sycl::context, owned by the engine.
/// @returns dnnl_success; dnnl_invalid_arguments for null pointers or an engine that is not of SYCL.
DNNL_API dnnl_status_t dnnl_sycl_interop_engine_get_context(dnnl_engine_t engine, void** context);

/// Reads the device of an engine.
/// @param engine SYCL engine.
/// @param[out] device Points to its sycl::device, owned by the engine.
/// @returns dnnl_success; dnnl_invalid_arguments for null pointers or an engine that is not of SYCL.
DNNL_API dnnl_status_t dnnl_sycl_interop_engine_get_device(dnnl_engine_t engine, void** device);

/// As dnnl_memory_create(); `memory_kind` says whether `handle` is a USM pointer or a pointer to a
/// sycl::buffer of bytes, which is copied. dnnl_memory_create() itself makes USM. USM must be of the engine's context,
/// unless the device reaches all memory of the host (aspect usm_system_allocations), as CPUs do.
/// @param[out] memory The memory object; the caller destroys it.
/// @param memory_desc Descriptor, copied.
/// @param engine SYCL engine.
/// @param memory_kind What handle is.
/// @param handle USM pointer, which must outlive its use, or pointer to a sycl::buffer<uint8_t, 1>;
///     DNNL_MEMORY_ALLOCATE; DNNL_MEMORY_NONE.
/// @returns dnnl_success; dnnl_invalid_arguments for null pointers, an unknown kind, an engine that is not of SYCL, an
///     address that the device cannot reach or a buffer with too few bytes; dnnl_unimplemented for USM on a device
///     without; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_sycl_interop_memory_create(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc,
                                                       dnnl_engine_t engine,
                                                       dnnl_sycl_interop_memory_kind_t memory_kind, void* handle);

/// As dnnl_sycl_interop_memory_create(), with one handle per buffer.
/// @param[out] memory The memory object; the caller destroys it.
/// @param memory_desc Descriptor, copied.
/// @param engine SYCL engine.
/// @param memory_kind What the handles are.
/// @param nhandles Number of buffers of the descriptor.
/// @param handles One handle per buffer.
/// @returns As dnnl_sycl_interop_memory_create(); dnnl_invalid_arguments for another number of handles than buffers.
DNNL_API dnnl_status_t dnnl_sycl_interop_memory_create_v2(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc,
                                                          dnnl_engine_t engine,
                                                          dnnl_sycl_interop_memory_kind_t memory_kind, int nhandles,
                                                          void** handles);

/// Reads what backs a memory object.
/// @param memory Memory object to ask.
/// @param[out] memory_kind Its kind.
/// @returns dnnl_success; dnnl_invalid_arguments for null pointers, a host scalar or memory that is not of SYCL.
DNNL_API dnnl_status_t dnnl_sycl_interop_memory_get_memory_kind(const_dnnl_memory_t memory,
                                                                dnnl_sycl_interop_memory_kind_t* memory_kind);

/// Replaces the storage by a sycl::buffer<uint8_t, 1>, `buffer` points to it; the object becomes one of kind buffer.
/// @param memory Memory object to change.
/// @param buffer Points to a sycl::buffer of bytes, as many as the tensor needs; copied.
/// @returns dnnl_success; dnnl_invalid_arguments for null pointers, a host scalar, memory that is not of SYCL, a tensor
/// of
///     several buffers or a sycl::buffer with too few bytes: the storage is what it was then.
DNNL_API dnnl_status_t dnnl_sycl_interop_memory_set_buffer(dnnl_memory_t memory, void* buffer);

/// Creates a stream on a sycl::queue of the engine's device and context.
/// @param[out] stream The stream.
/// @param engine SYCL engine.
/// @param queue Points to a sycl::queue on the device and context of the engine, copied.
/// @returns dnnl_success; dnnl_invalid_arguments for null pointers, an engine that is not of SYCL or a queue of another
///     device or context.
DNNL_API dnnl_status_t dnnl_sycl_interop_stream_create(dnnl_stream_t* stream, dnnl_engine_t engine, void* queue);

/// Reads the queue of a stream.
/// @param stream Stream to ask.
/// @param[out] queue Points to its sycl::queue, owned by the stream.
/// @returns dnnl_success; dnnl_invalid_arguments for null pointers or a stream that is not of SYCL.
DNNL_API dnnl_status_t dnnl_sycl_interop_stream_get_queue(dnnl_stream_t stream, void** queue);

/// As dnnl_primitive_execute(), after events. On a queue out of order, executions over USM wait for what `deps` names
/// alone; buffers order themselves.
/// @param primitive Primitive to run.
/// @param stream Stream on its engine.
/// @param nargs Number of entries of args.
/// @param args Arguments, as in dnnl_primitive_execute().
/// @param deps Points to a std::vector<sycl::event> to wait for; may be NULL.
/// @param[out] return_event Points to a sycl::event that gets the event of the execution; may be NULL. Unchanged if the
/// call
///     fails.
/// @returns As dnnl_primitive_execute(), and when the execution is queued; dnnl_invalid_arguments for a stream that is
/// not of
///     SYCL. What fails later, in the queue, dnnl_stream_wait() returns.
DNNL_API dnnl_status_t dnnl_sycl_interop_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream,
                                                           int nargs, const dnnl_exec_arg_t* args, const void* deps,
                                                           void* return_event);

#ifdef __cplusplus
}
#endif

#endif
