// SPDX-License-Identifier: Apache-2.0
// The OpenCL functions that the library calls, found in libOpenCL.so.1 when a device is first asked for, so that the
// library itself depends on none.
//
//   const OpenCl* cl = opencl();   // null: opencl_reason() says why
//   cl->clGetPlatformIDs(...)
#pragma once

#define CL_TARGET_OPENCL_VERSION 200 // functions behind 1.2 are called where devices have them
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <memory>
#include <string>
#include <type_traits>

namespace tessera::gpu {

#define TESSERA_OPENCL_FUNCTIONS(F)                                                                                    \
    F(clGetPlatformIDs)                                                                                                \
    F(clGetPlatformInfo)                                                                                               \
    F(clGetDeviceIDs)                                                                                                  \
    F(clGetDeviceInfo)                                                                                                 \
    F(clRetainDevice)                                                                                                  \
    F(clReleaseDevice)                                                                                                 \
    F(clCreateContext)                                                                                                 \
    F(clGetContextInfo)                                                                                                \
    F(clReleaseContext)                                                                                                \
    F(clRetainContext)                                                                                                 \
    F(clCreateCommandQueue)                                                                                            \
    F(clGetCommandQueueInfo)                                                                                           \
    F(clReleaseCommandQueue)                                                                                           \
    F(clRetainCommandQueue)                                                                                            \
    F(clCreateBuffer)                                                                                                  \
    F(clGetMemObjectInfo)                                                                                              \
    F(clRetainMemObject)                                                                                               \
    F(clReleaseMemObject)                                                                                              \
    F(clCreateProgramWithSource)                                                                                       \
    F(clCreateProgramWithBinary)                                                                                       \
    F(clBuildProgram)                                                                                                  \
    F(clGetProgramInfo)                                                                                                \
    F(clGetProgramBuildInfo)                                                                                           \
    F(clReleaseProgram)                                                                                                \
    F(clCreateKernel)                                                                                                  \
    F(clReleaseKernel)                                                                                                 \
    F(clSetKernelArg)                                                                                                  \
    F(clEnqueueNDRangeKernel)                                                                                          \
    F(clEnqueueFillBuffer)                                                                                             \
    F(clEnqueueCopyBuffer)                                                                                             \
    F(clEnqueueWriteBuffer)                                                                                            \
    F(clEnqueueReadBuffer)                                                                                             \
    F(clEnqueueBarrierWithWaitList)                                                                                    \
    F(clEnqueueMarkerWithWaitList)                                                                                     \
    F(clWaitForEvents)                                                                                                 \
    F(clRetainEvent)                                                                                                   \
    F(clReleaseEvent)                                                                                                  \
    F(clGetEventInfo)                                                                                                  \
    F(clGetEventProfilingInfo)                                                                                         \
    F(clFlush)                                                                                                         \
    F(clFinish)                                                                                                        \
    F(clGetExtensionFunctionAddressForPlatform)
// Of OpenCL 2.0: null where the loader has none.
#define TESSERA_OPENCL_2_FUNCTIONS(F)                                                                                  \
    F(clSVMAlloc)                                                                                                      \
    F(clSVMFree)                                                                                                       \
    F(clSetKernelArgSVMPointer)                                                                                        \
    F(clEnqueueSVMMemcpy)

struct OpenCl {
#define TESSERA_FUNCTION(name) decltype(&::name) name = nullptr;
    TESSERA_OPENCL_FUNCTIONS(TESSERA_FUNCTION)
    TESSERA_OPENCL_2_FUNCTIONS(TESSERA_FUNCTION)
#undef TESSERA_FUNCTION
};

const OpenCl* opencl();
const std::string& opencl_reason(); // "" where opencl() is not null

// "CL_OUT_OF_RESOURCES (-5)"
std::string name_of_error(cl_int error);

// What clRelease... gives back.
template <typename Handle> using Owned = std::shared_ptr<std::remove_pointer_t<Handle>>;

} // namespace tessera::gpu
