// SPDX-License-Identifier: Apache-2.0
// Stands in for the OpenCL header where the interfaces are only compiled: the handle types of dnnl_ocl.h.
#ifndef ABI_VENDOR_CL_H
#define ABI_VENDOR_CL_H

typedef struct _cl_device_id* cl_device_id;
typedef struct _cl_context* cl_context;
typedef struct _cl_command_queue* cl_command_queue;
typedef struct _cl_mem* cl_mem;
typedef struct _cl_event* cl_event;

#endif
