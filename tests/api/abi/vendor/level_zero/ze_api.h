// SPDX-License-Identifier: Apache-2.0
// Stands in for the Level Zero header where the interfaces are only compiled: the handle types of dnnl_ze.h.
#ifndef ABI_VENDOR_ZE_API_H
#define ABI_VENDOR_ZE_API_H

typedef struct _ze_driver_handle_t* ze_driver_handle_t;
typedef struct _ze_device_handle_t* ze_device_handle_t;
typedef struct _ze_context_handle_t* ze_context_handle_t;
typedef struct _ze_command_list_handle_t* ze_command_list_handle_t;
typedef struct _ze_event_handle_t* ze_event_handle_t;

#endif
