/// Interop with OpenCL (IOP-02). In builds whose GPU runtime is not
/// DNNL_RUNTIME_OCL every call answers dnnl_unimplemented.
///
/// OpenCL objects given to the library are retained, and released together
/// with the object they were given to. Objects the library hands out are not
/// retained for the caller.
#ifndef ONEAPI_DNNL_DNNL_OCL_H
#define ONEAPI_DNNL_DNNL_OCL_H

#include <CL/cl.h>

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_ocl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// As dnnl_memory_create(); `memory_kind` says whether `handle` is a USM
/// pointer or a pointer to a cl_mem.
/// Errors: as there; dnnl_invalid_arguments also for an engine without OpenCL or
/// memory the device cannot reach.
DNNL_API dnnl_status_t dnnl_ocl_interop_memory_create(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc,
                                                      dnnl_engine_t engine, dnnl_ocl_interop_memory_kind_t memory_kind,
                                                      void* handle);

/// As dnnl_ocl_interop_memory_create(), with one handle per buffer.
/// Errors: as there; dnnl_invalid_arguments also for a wrong number of handles.
DNNL_API dnnl_status_t dnnl_ocl_interop_memory_create_v2(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc,
                                                         dnnl_engine_t engine,
                                                         dnnl_ocl_interop_memory_kind_t memory_kind, int nhandles,
                                                         void** handles);

/// Writes what backs a memory object.
DNNL_API dnnl_status_t dnnl_ocl_interop_memory_get_memory_kind(const_dnnl_memory_t memory,
                                                               dnnl_ocl_interop_memory_kind_t* memory_kind);

/// Writes the cl_mem of a memory object.
/// Errors: dnnl_invalid_arguments for one that is backed by USM.
DNNL_API dnnl_status_t dnnl_ocl_interop_memory_get_mem_object(const_dnnl_memory_t memory, cl_mem* mem_object);

/// Replaces the cl_mem of a memory object, which becomes backed by a buffer.
/// Errors: dnnl_invalid_arguments for an engine without OpenCL.
DNNL_API dnnl_status_t dnnl_ocl_interop_memory_set_mem_object(dnnl_memory_t memory, cl_mem mem_object);

/// With `cache_blob_id` NULL: writes to `*size` the length of the key of a
/// device's engine cache blob. Otherwise writes the key.
/// Errors: dnnl_invalid_arguments if `*size` is too small.
DNNL_API dnnl_status_t dnnl_ocl_interop_engine_get_cache_blob_id(cl_device_id device, size_t* size,
                                                                 uint8_t* cache_blob_id);

/// With `cache_blob` NULL: writes to `*size` the bytes needed to store what an
/// engine has compiled. Otherwise writes them.
/// Errors: dnnl_invalid_arguments if `*size` is too small.
DNNL_API dnnl_status_t dnnl_ocl_interop_engine_get_cache_blob(dnnl_engine_t engine, size_t* size, uint8_t* cache_blob);

/// Creates an engine from a cache blob of `size` bytes.
/// Errors: dnnl_invalid_arguments if the blob is not for this device.
DNNL_API dnnl_status_t dnnl_ocl_interop_engine_create_from_cache_blob(dnnl_engine_t* engine, cl_device_id device,
                                                                      cl_context context, size_t size,
                                                                      const uint8_t* cache_blob);

/// Creates an engine on a device of a context.
/// Errors: dnnl_invalid_arguments if the device is not part of the context.
DNNL_API dnnl_status_t dnnl_ocl_interop_engine_create(dnnl_engine_t* engine, cl_device_id device, cl_context context);

/// Writes the context of an engine.
/// Errors: dnnl_invalid_arguments for an engine without OpenCL.
DNNL_API dnnl_status_t dnnl_ocl_interop_engine_get_context(dnnl_engine_t engine, cl_context* context);

/// Writes the device of an engine.
/// Errors: dnnl_invalid_arguments for an engine without OpenCL.
DNNL_API dnnl_status_t dnnl_ocl_interop_get_device(dnnl_engine_t engine, cl_device_id* device);

/// Creates a stream on a queue of the engine's device and context.
/// Errors: dnnl_invalid_arguments if the queue belongs to another one.
DNNL_API dnnl_status_t dnnl_ocl_interop_stream_create(dnnl_stream_t* stream, dnnl_engine_t engine,
                                                      cl_command_queue queue);

/// Writes the queue of a stream.
/// Errors: dnnl_invalid_arguments for a stream without OpenCL.
DNNL_API dnnl_status_t dnnl_ocl_interop_stream_get_command_queue(dnnl_stream_t stream, cl_command_queue* queue);

/// As dnnl_primitive_execute(), after `ndeps` events. `return_event` optional:
/// gets the event of the execution, to be released by the caller.
/// Errors: as there; dnnl_runtime_error if OpenCL fails.
DNNL_API dnnl_status_t dnnl_ocl_interop_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream,
                                                          int nargs, const dnnl_exec_arg_t* args, const cl_event* deps,
                                                          int ndeps, cl_event* return_event);

#ifdef __cplusplus
}
#endif

#endif
