// SPDX-License-Identifier: Apache-2.0
/// Interop with Level Zero. This version has no Level Zero runtime: it exports the
/// calls, and each of them returns dnnl_unimplemented.
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

/// Reads the key of the engine cache blob of a device.
/// @param driver Driver.
/// @param device Device of the driver.
/// @param size With the bytes NULL: gets their number. Otherwise: the room for them.
/// @param[out] cache_blob_id The key; NULL to ask for its length.
/// @returns dnnl_unimplemented whatever the arguments: this version has no GPU runtime.
DNNL_API dnnl_status_t dnnl_ze_interop_engine_get_cache_blob_id(ze_driver_handle_t driver, ze_device_handle_t device,
                                                                size_t* size, uint8_t* cache_blob_id);

/// Stores what an engine has compiled.
/// @param engine Level Zero engine.
/// @param size With the bytes NULL: gets their number. Otherwise: the room for them.
/// @param[out] cache_blob The blob; NULL to ask for its size.
/// @returns dnnl_unimplemented whatever the arguments: this version has no GPU runtime.
DNNL_API dnnl_status_t dnnl_ze_interop_engine_get_cache_blob(dnnl_engine_t engine, size_t* size, uint8_t* cache_blob);

/// Creates an engine from a cache blob.
/// @param[out] engine The engine.
/// @param driver Driver.
/// @param device Device of the driver.
/// @param context Context of the device.
/// @param size Bytes of the blob.
/// @param cache_blob The blob.
/// @returns dnnl_unimplemented whatever the arguments: this version has no GPU runtime.
DNNL_API dnnl_status_t dnnl_ze_interop_engine_create_from_cache_blob(dnnl_engine_t* engine, ze_driver_handle_t driver,
                                                                     ze_device_handle_t device,
                                                                     ze_context_handle_t context, size_t size,
                                                                     const uint8_t* cache_blob);

/// Creates an engine on a device of a driver and context.
/// @param[out] engine The engine.
/// @param driver Driver.
/// @param device Device of the driver.
/// @param context Context of the device.
/// @returns dnnl_unimplemented whatever the arguments: this version has no GPU runtime.
DNNL_API dnnl_status_t dnnl_ze_interop_engine_create(dnnl_engine_t* engine, ze_driver_handle_t driver,
                                                     ze_device_handle_t device, ze_context_handle_t context);

/// Reads the context of an engine.
/// @param engine Level Zero engine.
/// @param[out] context Its context.
/// @returns dnnl_unimplemented whatever the arguments: this version has no GPU runtime.
DNNL_API dnnl_status_t dnnl_ze_interop_engine_get_context(dnnl_engine_t engine, ze_context_handle_t* context);

/// Reads the device of an engine.
/// @param engine Level Zero engine.
/// @param[out] device Its device.
/// @returns dnnl_unimplemented whatever the arguments: this version has no GPU runtime.
DNNL_API dnnl_status_t dnnl_ze_interop_engine_get_device(dnnl_engine_t engine, ze_device_handle_t* device);

/// Reads the driver of an engine.
/// @param engine Level Zero engine.
/// @param[out] driver Its driver.
/// @returns dnnl_unimplemented whatever the arguments: this version has no GPU runtime.
DNNL_API dnnl_status_t dnnl_ze_interop_engine_get_driver(dnnl_engine_t engine, ze_driver_handle_t* driver);

/// Creates a stream on an immediate command list.
/// @param[out] stream The stream.
/// @param engine Level Zero engine.
/// @param list Command list on the device of the engine.
/// @param profiling Not 0: keep the time of every execution.
/// @returns dnnl_unimplemented whatever the arguments: this version has no GPU runtime.
DNNL_API dnnl_status_t dnnl_ze_interop_stream_create(dnnl_stream_t* stream, dnnl_engine_t engine,
                                                     ze_command_list_handle_t list, int profiling);

/// Reads the command list of a stream.
/// @param stream Stream to ask.
/// @param[out] list Its command list.
/// @returns dnnl_unimplemented whatever the arguments: this version has no GPU runtime.
DNNL_API dnnl_status_t dnnl_ze_interop_stream_get_list(dnnl_stream_t stream, ze_command_list_handle_t* list);

/// As dnnl_memory_create_v2(), with USM pointers as handles.
/// @param[out] memory The memory object; the caller destroys it.
/// @param memory_desc Descriptor, copied.
/// @param engine Level Zero engine.
/// @param nhandles Number of buffers of the descriptor.
/// @param handles One USM pointer, DNNL_MEMORY_ALLOCATE or DNNL_MEMORY_NONE per buffer.
/// @returns dnnl_unimplemented whatever the arguments: this version has no GPU runtime.
DNNL_API dnnl_status_t dnnl_ze_interop_memory_create(dnnl_memory_t* memory, const_dnnl_memory_desc_t memory_desc,
                                                     dnnl_engine_t engine, int nhandles, void** handles);

/// As dnnl_primitive_execute(), after events.
/// @param primitive Primitive to run.
/// @param stream Stream on its engine.
/// @param nargs Number of entries of args.
/// @param args Arguments, as in dnnl_primitive_execute().
/// @param ndeps Number of events.
/// @param deps Events to wait for; may be NULL without any.
/// @param[out] return_event Event of the execution, owned by the stream; may be NULL.
/// @returns dnnl_unimplemented whatever the arguments: this version has no GPU runtime.
DNNL_API dnnl_status_t dnnl_ze_interop_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream,
                                                         int nargs, const dnnl_exec_arg_t* args, int ndeps,
                                                         const ze_event_handle_t* deps,
                                                         ze_event_handle_t* return_event);

#ifdef __cplusplus
}
#endif

#endif
