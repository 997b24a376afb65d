// SPDX-License-Identifier: Apache-2.0
// Memory of OpenCL between pages that cannot be touched, so that a kernel's access beyond it, which a GPU may take for
// a fault or not, is one on PoCL's processors. For programs with this file and --wrap=dlsym, by TESSERA_OPENCL_GUARD:
//
//   behind    each buffer, and all shared memory of OpenCL 2.0, ends with the last byte before such a page
//   aligned   the same, but for up to 15 bytes, so that it begins at a multiple of 16
//   front     it begins with the first byte behind such a page
//
// Without `aligned` memory begins wherever its size has it begin, which kernels have to take, for shared memory of a
// caller may begin at any element; with it they access vectors, of 16 bytes at most, where they do on a GPU. Canaries
// are on the other side and in the 15 bytes, and are looked at when the memory is released. What memory holds before it
// is written are NaNs of all types. Arrays in local memory are guarded likewise (guarded_local.hpp). Other devices,
// whose memory is not the host's, go on as they are.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>

#include <dlfcn.h>

#include "gpu/opencl.hpp"
#include "guarded_local.hpp"
#include "trial/guarded_buffer.hpp"

extern "C" void* __real_dlsym(void* library, const char* name);

namespace tessera::test {

namespace {

// Of the loader, when the library has asked for them.
#define TESSERA_FUNCTIONS(F)                                                                                           \
    F(clCreateBuffer)                                                                                                  \
    F(clCreateProgramWithSource)                                                                                       \
    F(clGetContextInfo)                                                                                                \
    F(clGetDeviceInfo)                                                                                                 \
    F(clSetMemObjectDestructorCallback)                                                                                \
    F(clSVMAlloc)                                                                                                      \
    F(clSVMFree)
struct Loader {
#define TESSERA_FUNCTION(name) decltype(&::name) name = nullptr;
    TESSERA_FUNCTIONS(TESSERA_FUNCTION)
#undef TESSERA_FUNCTION
};
constinit Loader cl;

std::string_view asked_side() {
    const char* const side = std::getenv("TESSERA_OPENCL_GUARD");
    return side ? side : "";
}

GuardedBuffer::Placement placement() {
    return asked_side() == "front" ? GuardedBuffer::Placement::start_at_guard : GuardedBuffer::Placement::end_at_guard;
}

// Whether kernels take memory of the host where it lies.
bool is_guarded(cl_context context) {
    cl_device_id device = nullptr;
    cl_device_type type = 0;
    char version[256] = {};
    if (asked_side().empty() ||
        cl.clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, nullptr) != CL_SUCCESS)
        return false;
    cl.clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, nullptr);
    cl.clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version - 1, version, nullptr);
    const std::string_view words = version;
    return type & CL_DEVICE_TYPE_CPU && words.find("PoCL") != words.npos;
}

constexpr uint8_t canary = 0xa5, nan_of_all_types = 0xff;

struct Guarded {
    explicit Guarded(size_t size)
        : pages(asked_side() == "aligned" ? (size + 15) / 16 * 16 : size, placement()), bytes(size) {
        std::fill(begin(), begin() + bytes, nan_of_all_types);
        std::fill(begin() + bytes, pages.end(), canary);
    }
    ~Guarded() {
        const auto stands = [](uint8_t byte) { return byte == canary; };
        if (pages.intact() && std::all_of(begin() + bytes, pages.end(), stands)) return;
        std::fprintf(stderr, "a kernel wrote beside a buffer of %zu bytes\n", bytes);
        std::abort();
    }
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;
    uint8_t* begin() const { return pages.begin(); }

    GuardedBuffer pages;
    size_t bytes;
};

std::unique_ptr<Guarded> guarded(size_t bytes) try {
    return std::make_unique<Guarded>(bytes);
} catch (const std::bad_alloc&) { return nullptr; }

cl_program create_guarded_program(cl_context context, cl_uint count, const char** texts, const size_t* lengths,
                                  cl_int* error) {
    std::string source;
    for (cl_uint i = 0; i < count; ++i)
        source += lengths && lengths[i] ? std::string_view(texts[i], lengths[i]) : std::string_view(texts[i]);
    if (is_guarded(context))
        source = with_guarded_arrays(source, placement() == GuardedBuffer::Placement::start_at_guard);
    const char* text = source.c_str();
    return cl.clCreateProgramWithSource(context, 1, &text, nullptr, error);
}

cl_mem create_guarded(cl_context context, cl_mem_flags flags, size_t bytes, void* from, cl_int* error) {
    if (flags & CL_MEM_USE_HOST_PTR || bytes == 0 || !is_guarded(context))
        return cl.clCreateBuffer(context, flags, bytes, from, error);
    auto memory = guarded(bytes);
    if (!memory) {
        if (error) *error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        return nullptr;
    }
    if (flags & CL_MEM_COPY_HOST_PTR) std::copy_n(static_cast<const uint8_t*>(from), bytes, memory->begin());
    constexpr cl_mem_flags other_places = CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR;
    const cl_mem made =
        cl.clCreateBuffer(context, (flags & ~other_places) | CL_MEM_USE_HOST_PTR, bytes, memory->begin(), error);
    if (!made) return nullptr;
    const auto end = [](cl_mem, void* p) { delete static_cast<Guarded*>(p); };
    if (cl.clSetMemObjectDestructorCallback(made, end, memory.release()) != CL_SUCCESS) std::abort();
    return made;
}

struct Shared {
    std::mutex lock;
    std::map<void*, std::unique_ptr<Guarded>> all;
};
Shared& shared() {
    static Shared* const only = new Shared;
    return *only;
}

void* allocate_shared(cl_context context, cl_svm_mem_flags flags, size_t bytes, cl_uint alignment) {
    if (!is_guarded(context)) return cl.clSVMAlloc(context, flags, bytes, alignment);
    auto memory = guarded(bytes);
    if (!memory) return nullptr;
    const std::lock_guard guard(shared().lock);
    void* const at = memory->begin();
    shared().all[at] = std::move(memory);
    return at;
}

void free_shared(cl_context context, void* at) {
    const std::lock_guard guard(shared().lock);
    const auto found = shared().all.find(at);
    if (found == shared().all.end()) return cl.clSVMFree(context, at);
    shared().all.erase(found);
}

} // namespace

} // namespace tessera::test

extern "C" void* __wrap_dlsym(void* library, const char* name) {
    using namespace tessera::test;
    void* const real = __real_dlsym(library, name);
    const std::string_view asked = name;
    if (!real || !asked.starts_with("cl")) return real;
#define TESSERA_FUNCTION(name) cl.name = reinterpret_cast<decltype(cl.name)>(__real_dlsym(library, #name));
    TESSERA_FUNCTIONS(TESSERA_FUNCTION)
#undef TESSERA_FUNCTION
    if (!asked_side().empty()) // groups share their local memory, so they run one after the other
        for (const char* const count : {"POCL_MAX_PTHREAD_COUNT", "POCL_CPU_MAX_CU_COUNT"}) setenv(count, "1", 1);
    if (asked == "clCreateBuffer") return reinterpret_cast<void*>(create_guarded);
    if (asked == "clCreateProgramWithSource") return reinterpret_cast<void*>(create_guarded_program);
    if (asked == "clSVMAlloc") return reinterpret_cast<void*>(allocate_shared);
    if (asked == "clSVMFree") return reinterpret_cast<void*>(free_shared);
    return real;
}
