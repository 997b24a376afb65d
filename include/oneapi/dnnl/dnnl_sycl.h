/// Interop with SYCL (IOP-01). In builds whose runtimes are not
/// DNNL_RUNTIME_SYCL every call answers dnnl_unimplemented.
///
/// SYCL objects are C++ objects; they cross this interface as pointers. Objects
/// given to the library are copied (SYCL objects are reference counted); those
/// it hands out belong to the object asked.
#ifndef ONEAPI_DNNL_DNNL_SYCL_H
#define ONEAPI_DNNL_DNNL_SYCL_H

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_sycl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Creates an engine from a sycl::device and a sycl::context.
/// Errors: dnnl_invalid_arguments if the device is not part of the context.
DNNL_API dnnl_status_t dnnl_sycl_interop_engine_create(dnnl_engine_t* engine, const void* device, const void* context);

/// Writes a pointer to the engine's sycl::context.
/// Errors: dnnl_invalid_arguments for an engine without SYCL.
DNNL_API dnnl_status_t dnnl_sycl_interop_engine_get_context(dnnl_engine_t engine, void** context);

/// Writes a pointer to the engine's sycl::device.
/// Errors: dnnl_invalid_arguments for an engine without SYCL.
DNNL_API dnnl_status_t dnnl_sycl_interop_engine_get_device(dnnl_engine_t engine, void** device);

/// As dnnl_memory_create(); `memory_kind` says whether `handle` is a USM
/// pointer or a pointer to a sycl::buffer.
/// Errors: as there; dnnl_invalid_arguments also for an engine without SYCL or
/// memory the device cannot reach.
DNNL_API dnnl_status_t dnnl_sycl_interop_memory_create(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc,
                                                       dnnl_engine_t engine,
                                                       dnnl_sycl_interop_memory_kind_t memory_kind, void* handle);

/// As dnnl_sycl_interop_memory_create(), with one handle per buffer.
/// Errors: as there; dnnl_invalid_arguments also for a wrong number of handles.
DNNL_API dnnl_status_t dnnl_sycl_interop_memory_create_v2(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc,
                                                          dnnl_engine_t engine,
                                                          dnnl_sycl_interop_memory_kind_t memory_kind, int nhandles,
                                                          void** handles);

/// Writes what backs a memory object.
DNNL_API dnnl_status_t dnnl_sycl_interop_memory_get_memory_kind(const_dnnl_memory_t memory,
                                                                dnnl_sycl_interop_memory_kind_t* memory_kind);

/// Replaces the storage by a sycl::buffer of bytes, `buffer` points to it.
/// Errors: dnnl_invalid_arguments for a buffer smaller than the tensor.
DNNL_API dnnl_status_t dnnl_sycl_interop_memory_set_buffer(dnnl_memory_t memory, void* buffer);

/// Creates a stream on a sycl::queue of the engine's device and context.
/// Errors: dnnl_invalid_arguments if the queue belongs to another one.
DNNL_API dnnl_status_t dnnl_sycl_interop_stream_create(dnnl_stream_t* stream, dnnl_engine_t engine, void* queue);

/// Writes a pointer to the stream's sycl::queue.
/// Errors: dnnl_invalid_arguments for a stream without SYCL.
DNNL_API dnnl_status_t dnnl_sycl_interop_stream_get_queue(dnnl_stream_t stream, void** queue);

/// As dnnl_primitive_execute(). `deps` optional: points to a
/// std::vector<sycl::event> to wait for; `return_event` optional: points to a
/// sycl::event that gets the event of the execution.
/// Errors: as there; dnnl_runtime_error if SYCL fails.
DNNL_API dnnl_status_t dnnl_sycl_interop_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream,
                                                           int nargs, const dnnl_exec_arg_t* args, const void* deps,
                                                           void* return_event);

#ifdef __cplusplus
}
#endif

#endif
