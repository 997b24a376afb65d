// The OpenCL functions that the library calls, found in libOpenCL.so.1 when a device is first asked for, so that the
// library itself depends on none.
//
//   const OpenCl* cl = opencl();   // null: opencl_reason() says why
//   cl->clGetPlatformIDs(...)
#pragma once

#define CL_TARGET_OPENCL_VERSION 120 // what is called; devices may have more
#include <CL/cl.h>

#include <memory>
#include <string>
#include <type_traits>

namespace tessera::gpu {

#define TESSERA_OPENCL_FUNCTIONS(F)                                                                                    \
    F(clGetPlatformIDs)                                                                                                \
    F(clGetPlatformInfo)                                                                                               \
    F(clGetDeviceIDs)                                                                                                  \
    F(clGetDeviceInfo)                                                                                                 \
    F(clCreateContext)                                                                                                 \
    F(clReleaseContext)                                                                                                \
    F(clRetainContext)                                                                                                 \
    F(clCreateCommandQueue)                                                                                            \
    F(clReleaseCommandQueue)                                                                                           \
    F(clRetainCommandQueue)                                                                                            \
    F(clCreateBuffer)                                                                                                  \
    F(clRetainMemObject)                                                                                               \
    F(clReleaseMemObject)                                                                                              \
    F(clCreateProgramWithSource)                                                                                       \
    F(clBuildProgram)                                                                                                  \
    F(clGetProgramBuildInfo)                                                                                           \
    F(clReleaseProgram)                                                                                                \
    F(clCreateKernel)                                                                                                  \
    F(clReleaseKernel)                                                                                                 \
    F(clSetKernelArg)                                                                                                  \
    F(clEnqueueNDRangeKernel)                                                                                          \
    F(clEnqueueCopyBuffer)                                                                                             \
    F(clEnqueueWriteBuffer)                                                                                            \
    F(clEnqueueReadBuffer)                                                                                             \
    F(clFinish)

struct OpenCl {
#define TESSERA_FUNCTION(name) decltype(&::name) name = nullptr;
    TESSERA_OPENCL_FUNCTIONS(TESSERA_FUNCTION)
#undef TESSERA_FUNCTION
};

const OpenCl* opencl();
const std::string& opencl_reason(); // "" where opencl() is not null

// "CL_OUT_OF_RESOURCES (-5)"
std::string name_of_error(cl_int error);

// What clRelease... gives back.
template <typename Handle> using Owned = std::shared_ptr<std::remove_pointer_t<Handle>>;

} // namespace tessera::gpu
