/// Interop with SYCL. This version has no SYCL runtime: it exports the calls,
/// and each of them returns dnnl_unimplemented.
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
/// @param[out] engine The engine.
/// @param device Points to a sycl::device, copied.
/// @param context Points to a sycl::context of the device, copied.
/// @returns dnnl_unimplemented whatever the arguments: this version has no SYCL runtime.
DNNL_API dnnl_status_t dnnl_sycl_interop_engine_create(dnnl_engine_t* engine, const void* device, const void* context);

/// Reads the context of an engine.
/// @param engine SYCL engine.
/// @param[out] context Points to its sycl::context, owned by the engine.
/// @returns dnnl_unimplemented whatever the arguments: this version has no SYCL runtime.
DNNL_API dnnl_status_t dnnl_sycl_interop_engine_get_context(dnnl_engine_t engine, void** context);

/// Reads the device of an engine.
/// @param engine SYCL engine.
/// @param[out] device Points to its sycl::device, owned by the engine.
/// @returns dnnl_unimplemented whatever the arguments: this version has no SYCL runtime.
DNNL_API dnnl_status_t dnnl_sycl_interop_engine_get_device(dnnl_engine_t engine, void** device);

/// As dnnl_memory_create(); `memory_kind` says whether `handle` is a USM pointer or a pointer to a
/// sycl::buffer.
/// @param[out] memory The memory object; the caller destroys it.
/// @param memory_desc Descriptor, copied.
/// @param engine SYCL engine.
/// @param memory_kind What handle is.
/// @param handle USM pointer or pointer to a sycl::buffer; DNNL_MEMORY_ALLOCATE; DNNL_MEMORY_NONE.
/// @returns dnnl_unimplemented whatever the arguments: this version has no SYCL runtime.
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
/// @returns dnnl_unimplemented whatever the arguments: this version has no SYCL runtime.
DNNL_API dnnl_status_t dnnl_sycl_interop_memory_create_v2(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc,
                                                          dnnl_engine_t engine,
                                                          dnnl_sycl_interop_memory_kind_t memory_kind, int nhandles,
                                                          void** handles);

/// Reads what backs a memory object.
/// @param memory Memory object to ask.
/// @param[out] memory_kind Its kind.
/// @returns dnnl_unimplemented whatever the arguments: this version has no SYCL runtime.
DNNL_API dnnl_status_t dnnl_sycl_interop_memory_get_memory_kind(const_dnnl_memory_t memory,
                                                                dnnl_sycl_interop_memory_kind_t* memory_kind);

/// Replaces the storage by a sycl::buffer of bytes, `buffer` points to it.
/// @param memory Memory object to change.
/// @param buffer Points to a sycl::buffer of bytes, as many as the tensor needs; copied.
/// @returns dnnl_unimplemented whatever the arguments: this version has no SYCL runtime.
DNNL_API dnnl_status_t dnnl_sycl_interop_memory_set_buffer(dnnl_memory_t memory, void* buffer);

/// Creates a stream on a sycl::queue of the engine's device and context.
/// @param[out] stream The stream.
/// @param engine SYCL engine.
/// @param queue Points to a sycl::queue on the device and context of the engine, copied.
/// @returns dnnl_unimplemented whatever the arguments: this version has no SYCL runtime.
DNNL_API dnnl_status_t dnnl_sycl_interop_stream_create(dnnl_stream_t* stream, dnnl_engine_t engine, void* queue);

/// Reads the queue of a stream.
/// @param stream Stream to ask.
/// @param[out] queue Points to its sycl::queue, owned by the stream.
/// @returns dnnl_unimplemented whatever the arguments: this version has no SYCL runtime.
DNNL_API dnnl_status_t dnnl_sycl_interop_stream_get_queue(dnnl_stream_t stream, void** queue);

/// As dnnl_primitive_execute(), after events.
/// @param primitive Primitive to run.
/// @param stream Stream on its engine.
/// @param nargs Number of entries of args.
/// @param args Arguments, as in dnnl_primitive_execute().
/// @param deps Points to a std::vector<sycl::event> to wait for; may be NULL.
/// @param[out] return_event Points to a sycl::event that gets the event of the execution; may be NULL.
/// @returns dnnl_unimplemented whatever the arguments: this version has no SYCL runtime.
DNNL_API dnnl_status_t dnnl_sycl_interop_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream,
                                                           int nargs, const dnnl_exec_arg_t* args, const void* deps,
                                                           void* return_event);

#ifdef __cplusplus
}
#endif

#endif
