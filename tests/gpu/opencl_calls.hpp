// SPDX-License-Identifier: Apache-2.0
// Functions of OpenCL for programs that use dnnl_ocl.hpp, from the library that the engine has loaded.
#pragma once

#include <dlfcn.h>

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#endif
#include <CL/cl.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

// CL(clFlush)(queue)
#define CL(name) tessera::test::opencl_function<decltype(&::name)>(#name)

namespace tessera::test {

template <typename Function> Function opencl_function(const char* name) {
    static void* const library = dlopen("libOpenCL.so.1", RTLD_NOW);
    const auto function = library ? reinterpret_cast<Function>(dlsym(library, name)) : nullptr;
    if (!function) throw std::runtime_error(std::string("no ") + name);
    return function;
}

template <typename Handle> using Kept = std::shared_ptr<std::remove_pointer_t<Handle>>;

inline Kept<cl_context> make_context(cl_device_id device) {
    return {CL(clCreateContext)(nullptr, 1, &device, nullptr, nullptr, nullptr), CL(clReleaseContext)};
}
inline Kept<cl_command_queue> make_queue(cl_context context, cl_device_id device,
                                         cl_command_queue_properties properties = 0) {
    return {CL(clCreateCommandQueue)(context, device, properties, nullptr), CL(clReleaseCommandQueue)};
}
inline Kept<cl_mem> make_buffer(cl_context context, size_t bytes) {
    return {CL(clCreateBuffer)(context, CL_MEM_READ_WRITE, bytes, nullptr, nullptr), CL(clReleaseMemObject)};
}
inline Kept<cl_event> make_event(cl_context context) {
    return {CL(clCreateUserEvent)(context, nullptr), CL(clReleaseEvent)};
}
inline cl_uint users(cl_context context) {
    cl_uint count = 0;
    CL(clGetContextInfo)(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, nullptr);
    return count;
}
inline cl_int state(cl_event event) {
    cl_int s = 0;
    CL(clGetEventInfo)(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof s, &s, nullptr);
    return s;
}

} // namespace tessera::test
