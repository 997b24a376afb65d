// SPDX-License-Identifier: Apache-2.0
#include "gpu/opencl.hpp"

#include <dlfcn.h>

#include <fmt/format.h>

#include "core/made_once.hpp"

namespace tessera::gpu {

namespace {

struct Loaded {
    OpenCl functions;
    std::string reason;
};

Loaded load() {
    Loaded loaded;
    void* const library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL); // never closed: drivers leave threads behind
    if (!library) {
        const char* why = dlerror();
        loaded.reason = fmt::format("libOpenCL.so.1 cannot be loaded ({}); Debian has it in ocl-icd-libopencl1, and a "
                                    "driver of the device is needed besides",
                                    why ? why : "no reason given");
        return loaded;
    }
    std::string missing;
#define TESSERA_FUNCTION(name)                                                                                         \
    loaded.functions.name = reinterpret_cast<decltype(&::name)>(dlsym(library, #name));                                \
    if (!loaded.functions.name) missing += missing.empty() ? #name : ", " #name;
    TESSERA_OPENCL_FUNCTIONS(TESSERA_FUNCTION)
#undef TESSERA_FUNCTION
#define TESSERA_FUNCTION(name) loaded.functions.name = reinterpret_cast<decltype(&::name)>(dlsym(library, #name));
    TESSERA_OPENCL_2_FUNCTIONS(TESSERA_FUNCTION)
#undef TESSERA_FUNCTION
    if (!missing.empty()) loaded.reason = "libOpenCL.so.1 has no " + missing + "; OpenCL 1.2 or later is needed";
    return loaded;
}

const Loaded& loaded() {
    static constinit MadeOnce<Loaded> once;
    return once.get(load);
}

} // namespace

const OpenCl* opencl() { return loaded().reason.empty() ? &loaded().functions : nullptr; }
const std::string& opencl_reason() { return loaded().reason; }

std::string name_of_error(cl_int error) {
    switch (error) {
#define TESSERA_ERROR(name)                                                                                            \
    case name:                                                                                                         \
        return fmt::format(#name " ({})", error);
        TESSERA_ERROR(CL_DEVICE_NOT_FOUND)
        TESSERA_ERROR(CL_DEVICE_NOT_AVAILABLE)
        TESSERA_ERROR(CL_COMPILER_NOT_AVAILABLE)
        TESSERA_ERROR(CL_MEM_OBJECT_ALLOCATION_FAILURE)
        TESSERA_ERROR(CL_OUT_OF_RESOURCES)
        TESSERA_ERROR(CL_OUT_OF_HOST_MEMORY)
        TESSERA_ERROR(CL_BUILD_PROGRAM_FAILURE)
        TESSERA_ERROR(CL_INVALID_VALUE)
        TESSERA_ERROR(CL_INVALID_DEVICE)
        TESSERA_ERROR(CL_INVALID_CONTEXT)
        TESSERA_ERROR(CL_INVALID_COMMAND_QUEUE)
        TESSERA_ERROR(CL_INVALID_MEM_OBJECT)
        TESSERA_ERROR(CL_INVALID_BUFFER_SIZE)
        TESSERA_ERROR(CL_INVALID_KERNEL_ARGS)
        TESSERA_ERROR(CL_INVALID_WORK_GROUP_SIZE)
        TESSERA_ERROR(CL_INVALID_OPERATION)
        TESSERA_ERROR(CL_INVALID_EVENT)
        TESSERA_ERROR(CL_INVALID_EVENT_WAIT_LIST)
        TESSERA_ERROR(CL_INVALID_BINARY)
        TESSERA_ERROR(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        TESSERA_ERROR(CL_PROFILING_INFO_NOT_AVAILABLE)
#undef TESSERA_ERROR
    default:
        return fmt::format("OpenCL error {}", error);
    }
}

} // namespace tessera::gpu
