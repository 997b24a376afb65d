/// Interop with Level Zero (IOP-03). In builds whose GPU runtime is not
/// DNNL_RUNTIME_ZE every call answers dnnl_unimplemented.
///
/// Level Zero objects stay owned by the caller and must outlive the objects
/// made from them. Memory is unified shared memory; streams are in-order
/// immediate command lists.
#ifndef ONEAPI_DNNL_DNNL_ZE_H
#define ONEAPI_DNNL_DNNL_ZE_H

#include <level_zero/ze_api.h>

#include "oneapi/dnnl/dnnl.h"

#ifdef __cplusplus
extern "C" {
#endif

/// With `cache_blob_id` NULL: writes to `*size` the length of the key of a
/// device's engine cache blob. Otherwise writes the key.
/// Errors: dnnl_invalid_arguments if `*size` is too small.
DNNL_API dnnl_status_t dnnl_ze_interop_engine_get_cache_blob_id(ze_driver_handle_t driver, ze_device_handle_t device,
                                                                size_t* size, uint8_t* cache_blob_id);

/// With `cache_blob` NULL: writes to `*size` the bytes needed to store what an
/// engine has compiled. Otherwise writes them.
/// Errors: dnnl_invalid_arguments if `*size` is too small.
DNNL_API dnnl_status_t dnnl_ze_interop_engine_get_cache_blob(dnnl_engine_t engine, size_t* size, uint8_t* cache_blob);

/// Creates an engine from a cache blob of `size` bytes.
/// Errors: dnnl_invalid_arguments if the blob is not for this device.
DNNL_API dnnl_status_t dnnl_ze_interop_engine_create_from_cache_blob(dnnl_engine_t* engine, ze_driver_handle_t driver,
                                                                     ze_device_handle_t device,
                                                                     ze_context_handle_t context, size_t size,
                                                                     const uint8_t* cache_blob);

/// Creates an engine on a device of a driver and context.
/// Errors: dnnl_invalid_arguments if they do not belong together.
DNNL_API dnnl_status_t dnnl_ze_interop_engine_create(dnnl_engine_t* engine, ze_driver_handle_t driver,
                                                     ze_device_handle_t device, ze_context_handle_t context);

/// Writes the context of an engine.
/// Errors: dnnl_invalid_arguments for an engine without Level Zero.
DNNL_API dnnl_status_t dnnl_ze_interop_engine_get_context(dnnl_engine_t engine, ze_context_handle_t* context);

/// Writes the device of an engine.
/// Errors: dnnl_invalid_arguments for an engine without Level Zero.
DNNL_API dnnl_status_t dnnl_ze_interop_engine_get_device(dnnl_engine_t engine, ze_device_handle_t* device);

/// Writes the driver of an engine.
/// Errors: dnnl_invalid_arguments for an engine without Level Zero.
DNNL_API dnnl_status_t dnnl_ze_interop_engine_get_driver(dnnl_engine_t engine, ze_driver_handle_t* driver);

/// Creates a stream on an immediate command list. `profiling` 1: keep the time
/// of every execution.
/// Errors: dnnl_invalid_arguments for a list of another device.
DNNL_API dnnl_status_t dnnl_ze_interop_stream_create(dnnl_stream_t* stream, dnnl_engine_t engine,
                                                     ze_command_list_handle_t list, int profiling);

/// Writes the command list of a stream.
/// Errors: dnnl_invalid_arguments for a stream without Level Zero.
DNNL_API dnnl_status_t dnnl_ze_interop_stream_get_list(dnnl_stream_t stream, ze_command_list_handle_t* list);

/// As dnnl_memory_create_v2(), with USM pointers as handles.
/// Errors: as there; dnnl_invalid_arguments also for memory the device cannot
/// reach.
DNNL_API dnnl_status_t dnnl_ze_interop_memory_create(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc,
                                                     dnnl_engine_t engine, int nhandles, void** handles);

/// As dnnl_primitive_execute(), after `ndeps` events. `return_event` optional:
/// gets the event of the execution, which stays owned by the stream.
/// Errors: as there; dnnl_runtime_error if Level Zero fails.
DNNL_API dnnl_status_t dnnl_ze_interop_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream,
                                                         int nargs, const dnnl_exec_arg_t* args, int ndeps,
                                                         const ze_event_handle_t* deps,
                                                         ze_event_handle_t* return_event);

#ifdef __cplusplus
}
#endif

#endif
