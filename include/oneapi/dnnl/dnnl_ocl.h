// SPDX-License-Identifier: Apache-2.0
/// Interop with OpenCL, for builds with DNNL_GPU_RUNTIME == DNNL_RUNTIME_OCL
/// or DNNL_RUNTIME_SYCL; in others each call returns dnnl_unimplemented.
///
/// OpenCL objects given to the library are retained, and released together
/// with the object they were given to. Objects the library hands out are not
/// retained for the caller. Handles must be of the library that
/// libOpenCL.so.1 is: what is no OpenCL object cannot be told from one.
#ifndef ONEAPI_DNNL_DNNL_OCL_H
#define ONEAPI_DNNL_DNNL_OCL_H

#include <CL/cl.h>

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_ocl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// As dnnl_memory_create(); `memory_kind` says whether `handle` is a USM pointer or a cl_mem. Unified shared memory is
/// that of cl_intel_unified_shared_memory, or shared virtual memory (SVM) of OpenCL 2.0 on devices without.
/// @param[out] memory The memory object; the caller destroys it.
/// @param memory_desc Descriptor, copied.
/// @param engine OpenCL engine.
/// @param memory_kind What handle is.
/// @param handle USM pointer, which must outlive the object, or cl_mem; DNNL_MEMORY_ALLOCATE; DNNL_MEMORY_NONE.
/// @returns dnnl_success; dnnl_invalid_arguments for null pointers, an unknown kind, an engine that is not of OpenCL, a
///     cl_mem of another context or a handle with too few bytes; dnnl_unimplemented for USM on a device without;
///     dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_ocl_interop_memory_create(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc,
                                                      dnnl_engine_t engine, dnnl_ocl_interop_memory_kind_t memory_kind,
                                                      void* handle);

/// As dnnl_ocl_interop_memory_create(), with one handle per buffer.
/// @param[out] memory The memory object; the caller destroys it.
/// @param memory_desc Descriptor, copied.
/// @param engine OpenCL engine.
/// @param memory_kind What the handles are.
/// @param nhandles Number of buffers of the descriptor.
/// @param handles One handle per buffer.
/// @returns As dnnl_ocl_interop_memory_create(); dnnl_invalid_arguments for another number of handles than buffers.
DNNL_API dnnl_status_t dnnl_ocl_interop_memory_create_v2(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc,
                                                         dnnl_engine_t engine,
                                                         dnnl_ocl_interop_memory_kind_t memory_kind, int nhandles,
                                                         void** handles);

/// Reads what backs a memory object.
/// @param memory Memory object to ask.
/// @param[out] memory_kind Its kind.
/// @returns dnnl_success; dnnl_invalid_arguments for null pointers, a host scalar or memory that is not of OpenCL.
DNNL_API dnnl_status_t dnnl_ocl_interop_memory_get_memory_kind(const_dnnl_memory_t memory,
                                                               dnnl_ocl_interop_memory_kind_t* memory_kind);

/// Reads the cl_mem of a memory object.
/// @param memory Memory object to ask.
/// @param[out] mem_object Its cl_mem, not retained for the caller.
/// @returns dnnl_success; dnnl_invalid_arguments for null pointers, USM or memory that is not of OpenCL.
DNNL_API dnnl_status_t dnnl_ocl_interop_memory_get_mem_object(const_dnnl_memory_t memory, cl_mem* mem_object);

/// Replaces the cl_mem of a memory object, which becomes backed by a buffer.
/// @param memory Memory object to change.
/// @param mem_object Buffer, retained.
/// @returns dnnl_success; dnnl_invalid_arguments for memory that is null, not of OpenCL or of several buffers, or a
///     cl_mem of another context or with too few bytes.
DNNL_API dnnl_status_t dnnl_ocl_interop_memory_set_mem_object(dnnl_memory_t memory, cl_mem mem_object);

/// Reads the key of the engine cache blob of a device.
/// @param device Device.
/// @param size With the bytes NULL: gets their number. Otherwise: the room for them.
/// @param[out] cache_blob_id The key; NULL to ask for its length.
/// @returns dnnl_success; dnnl_invalid_arguments for null pointers or too little room.
DNNL_API dnnl_status_t dnnl_ocl_interop_engine_get_cache_blob_id(cl_device_id device, size_t* size,
                                                                 uint8_t* cache_blob_id);

/// Stores what an engine has compiled: programs with their sources, a version and a checksum. The library keeps
/// compiled programs on disk, too, where TESSERA_OPENCL_CACHE says (README.md).
/// @param engine OpenCL engine.
/// @param size With the bytes NULL: gets their number. Otherwise: the room for them.
/// @param[out] cache_blob The blob; NULL to ask for its size.
/// @returns dnnl_success; dnnl_invalid_arguments for null pointers, an engine that is not of OpenCL or too little room.
DNNL_API dnnl_status_t dnnl_ocl_interop_engine_get_cache_blob(dnnl_engine_t engine, size_t* size, uint8_t* cache_blob);

/// Creates an engine from a cache blob. A blob is code, which the driver loads: its checksum finds accidents, and it
/// must come from where programs come from.
/// @param[out] engine The engine.
/// @param device Device.
/// @param context Context of the device.
/// @param size Bytes of the blob.
/// @param cache_blob The blob.
/// @returns dnnl_success; dnnl_invalid_arguments for null pointers, a device outside of the context, or a blob that is
///     damaged or of another device, driver or version.
DNNL_API dnnl_status_t dnnl_ocl_interop_engine_create_from_cache_blob(dnnl_engine_t* engine, cl_device_id device,
                                                                      cl_context context, size_t size,
                                                                      const uint8_t* cache_blob);

/// Creates an engine on a device of a context. Those of one device and context are the same engine, however often it is
/// made; the device may be of any type, processors among them.
/// @param[out] engine The engine.
/// @param device Device.
/// @param context Context of the device.
/// @returns dnnl_success; dnnl_invalid_arguments for null pointers or a device outside of the context;
///     dnnl_unimplemented without libOpenCL.so.1.
DNNL_API dnnl_status_t dnnl_ocl_interop_engine_create(dnnl_engine_t* engine, cl_device_id device, cl_context context);

/// Reads the context of an engine.
/// @param engine OpenCL engine.
/// @param[out] context Its context, not retained for the caller.
/// @returns dnnl_success; dnnl_invalid_arguments for null pointers or an engine that is not of OpenCL.
DNNL_API dnnl_status_t dnnl_ocl_interop_engine_get_context(dnnl_engine_t engine, cl_context* context);

/// Reads the device of an engine.
/// @param engine OpenCL engine.
/// @param[out] device Its device.
/// @returns dnnl_success; dnnl_invalid_arguments for null pointers or an engine that is not of OpenCL.
DNNL_API dnnl_status_t dnnl_ocl_interop_get_device(dnnl_engine_t engine, cl_device_id* device);

/// Creates a stream on a queue of the engine's device and context. The queue's properties decide whether it is in
/// order, and whether dnnl_query_profiling_data() has times of it.
/// @param[out] stream The stream.
/// @param engine OpenCL engine.
/// @param queue Queue on the device and context of the engine, retained.
/// @returns dnnl_success; dnnl_invalid_arguments for null pointers, an engine that is not of OpenCL, or a queue of
///     another context or device.
DNNL_API dnnl_status_t dnnl_ocl_interop_stream_create(dnnl_stream_t* stream, dnnl_engine_t engine,
                                                      cl_command_queue queue);

/// Reads the queue of a stream.
/// @param stream Stream to ask.
/// @param[out] queue Its queue, not retained for the caller.
/// @returns dnnl_success; dnnl_invalid_arguments for null pointers or a stream that is not of OpenCL.
DNNL_API dnnl_status_t dnnl_ocl_interop_stream_get_command_queue(dnnl_stream_t stream, cl_command_queue* queue);

/// As dnnl_primitive_execute(), after events.
/// @param primitive Primitive to run.
/// @param stream Stream on its engine.
/// @param nargs Number of entries of args.
/// @param args Arguments, as in dnnl_primitive_execute().
/// @param deps Events to wait for; may be NULL without any.
/// @param ndeps Number of events.
/// @param[out] return_event Event of the execution, to be released by the caller; may be NULL.
/// @returns As dnnl_primitive_execute(); dnnl_invalid_arguments for a stream that is not of OpenCL, a negative number
///     or a null event.
DNNL_API dnnl_status_t dnnl_ocl_interop_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream,
                                                          int nargs, const dnnl_exec_arg_t* args, const cl_event* deps,
                                                          int ndeps, cl_event* return_event);

#ifdef __cplusplus
}
#endif

#endif
