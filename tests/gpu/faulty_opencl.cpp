// SPDX-License-Identifier: Apache-2.0
#include "faulty_opencl.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string_view>
#include <tuple>
#include <type_traits>

#include <dlfcn.h>

extern "C" void* __real_dlsym(void* library, const char* name);

namespace tessera::test {

namespace {

struct State {
    std::mutex lock;
    Fault fault;
    bool armed = false, happened = false;
    int64_t matched = 0;
    std::map<std::string, int64_t> calls;
    std::array<int64_t, kinds> alive{};
    std::vector<Queued> queued;
    std::string driver;
};
State& state() {
    static State* const only = new State;
    return *only;
}
thread_local int depth = 0;

struct Deeper {
    Deeper() { ++depth; }
    ~Deeper() { --depth; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
};

// CL_SUCCESS: the call goes on.
cl_int error_of(std::string_view name) {
    State& s = state();
    const std::lock_guard guard(s.lock);
    ++s.calls[std::string(name)];
    if (!s.armed || (s.fault.function.empty() ? name.starts_with("clRelease") : s.fault.function != name))
        return CL_SUCCESS;
    const int64_t number = s.matched++;
    if (s.fault.from_then_on ? number < s.fault.first : number != s.fault.first) return CL_SUCCESS;
    s.happened = true;
    return s.fault.error;
}

void count(int kind, int64_t change) {
    const std::lock_guard guard(state().lock);
    state().alive[size_t(kind)] += change;
}

void note_kernel(cl_uint count, const cl_event* after, const cl_event* made) {
    const std::lock_guard guard(state().lock);
    state().queued.push_back({{after, after + count}, made ? *made : nullptr});
}

// As clGetDeviceInfo() answers; false: the device itself is to answer.
bool answers_for_device(cl_device_info what, size_t room, void* to, size_t* size) {
    const std::lock_guard guard(state().lock);
    const std::string& text = state().driver;
    if (what != CL_DRIVER_VERSION || text.empty()) return false;
    if (to) std::memcpy(to, text.c_str(), std::min(room, text.size() + 1));
    if (size) *size = text.size() + 1;
    return true;
}

template <typename Handle> constexpr int kind_of() {
    if constexpr (std::is_same_v<Handle, cl_context>) return contexts;
    if constexpr (std::is_same_v<Handle, cl_command_queue>) return queues;
    if constexpr (std::is_same_v<Handle, cl_mem>) return buffers;
    if constexpr (std::is_same_v<Handle, cl_program>) return programs;
    if constexpr (std::is_same_v<Handle, cl_kernel>) return kernels;
    if constexpr (std::is_same_v<Handle, cl_event>) return events;
    if constexpr (std::is_same_v<Handle, cl_device_id>) return devices;
    return kinds;
}

enum Number {
#define TESSERA_FUNCTION(name) number_of_##name,
    TESSERA_OPENCL_FUNCTIONS(TESSERA_FUNCTION)
#ifdef TESSERA_OPENCL_2_FUNCTIONS
        TESSERA_OPENCL_2_FUNCTIONS(TESSERA_FUNCTION)
#endif
#undef TESSERA_FUNCTION
};

// The function that the library gets in place of `real`.
template <int N, typename Function> struct Between;
template <int N, typename R, typename... A> struct Between<N, R (*)(A...)> {
    static inline R (*real)(A...) = nullptr;
    static inline std::string_view name;

    static R call(A... arguments) {
        using Last = std::tuple_element_t<sizeof...(A) - 1, std::tuple<A...>>;
        [[maybe_unused]] const auto all = std::tie(arguments...);
        [[maybe_unused]] auto& first = std::get<0>(all);
        [[maybe_unused]] auto& last = std::get<sizeof...(A) - 1>(all);
        const Deeper deeper; // what follows is not the library's any more
        const cl_int error = error_of(name);
        if constexpr (std::is_same_v<R, cl_int>) {
            constexpr int kind = kind_of<std::remove_cvref_t<decltype(first)>>();
            const bool releases = name.starts_with("clRelease"),
                       waits = name == "clFinish" || name == "clWaitForEvents";
            if (releases) count(kind, -1); // also where it says that it failed
            // A device that is lost has no kernels that run on, so what waits does so before it fails.
            const cl_int done = error != CL_SUCCESS && !releases && !waits ? error : inside(arguments...);
            if (done == CL_SUCCESS && name.starts_with("clRetain")) count(kind, 1);
            if constexpr (std::is_same_v<Last, cl_event*>)
                if (done == CL_SUCCESS && last) count(events, 1);
            return error != CL_SUCCESS ? error : done;
        } else if constexpr (std::is_void_v<R>) {
            if (name == "clSVMFree") count(shared_memory, -1);
            inside(arguments...);
        } else {
            if (error != CL_SUCCESS) {
                if constexpr (std::is_same_v<Last, cl_int*>)
                    if (last) *last = error;
                return nullptr;
            }
            const R made = inside(arguments...);
            constexpr int kind = kind_of<R>();
            if (made && kind < kinds) count(kind, 1);
            if (made && name == "clSVMAlloc") count(shared_memory, 1);
            return made;
        }
    }

private:
    static R inside(A... arguments) {
        const auto all = std::tie(arguments...);
        if constexpr (N == number_of_clEnqueueNDRangeKernel) {
            const R done = real(arguments...);
            if (done == CL_SUCCESS) note_kernel(std::get<6>(all), std::get<7>(all), std::get<8>(all));
            return done;
        }
        if constexpr (N == number_of_clGetDeviceInfo)
            if (answers_for_device(std::get<1>(all), std::get<2>(all), std::get<3>(all), std::get<4>(all)))
                return CL_SUCCESS;
        if constexpr (std::is_same_v<R, cl_program>)
            if (name == "clCreateProgramWithSource" && spoils()) return spoiled(arguments...);
        return real(arguments...);
    }
    static bool spoils() {
        State& s = state();
        const std::lock_guard guard(s.lock);
        if (!s.armed || s.fault.function != name || s.fault.error != CL_SUCCESS) return false;
        return s.happened = true;
    }
    static cl_program spoiled(cl_context context, cl_uint, const char**, const size_t*, cl_int* error) {
        const char* text = "kernel void tessera_step() { no_such_function_anywhere(); }";
        if constexpr (std::is_same_v<std::tuple<A...>,
                                     std::tuple<cl_context, cl_uint, const char**, const size_t*, cl_int*>>)
            return real(context, 1, &text, nullptr, error);
        else
            return nullptr;
    }
    template <typename... B> static cl_program spoiled(B...) { return nullptr; }
};

void* between(const char* name, void* real) {
    if (!real) return nullptr;
#define TESSERA_FUNCTION(function)                                                                                     \
    if (std::string_view(name) == #function) {                                                                         \
        using Here = Between<number_of_##function, decltype(&::function)>;                                             \
        Here::name = #function, Here::real = reinterpret_cast<decltype(&::function)>(real);                            \
        return reinterpret_cast<void*>(&Here::call);                                                                   \
    }
    TESSERA_OPENCL_FUNCTIONS(TESSERA_FUNCTION)
#ifdef TESSERA_OPENCL_2_FUNCTIONS
    TESSERA_OPENCL_2_FUNCTIONS(TESSERA_FUNCTION)
#endif
#undef TESSERA_FUNCTION
    return real;
}

} // namespace

void plan_fault(const Fault& fault) {
    State& s = state();
    const std::lock_guard guard(s.lock);
    s.fault = fault, s.armed = true, s.happened = false, s.matched = 0, s.calls.clear(), s.queued.clear();
}

bool end_of_fault() {
    State& s = state();
    const std::lock_guard guard(s.lock);
    s.armed = false;
    return s.happened;
}

std::map<std::string, int64_t> calls() {
    const std::lock_guard guard(state().lock);
    return state().calls;
}

std::vector<Queued> queued() {
    const std::lock_guard guard(state().lock);
    return state().queued;
}

void pretend_driver(const std::string& version) {
    const std::lock_guard guard(state().lock);
    state().driver = version;
}

std::array<int64_t, kinds> alive() {
    const std::lock_guard guard(state().lock);
    return state().alive;
}

bool in_opencl() { return depth > 0; }

} // namespace tessera::test

extern "C" void* __wrap_dlsym(void* library, const char* name) {
    return tessera::test::between(name, __real_dlsym(library, name));
}
