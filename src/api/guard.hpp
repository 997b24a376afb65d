// SPDX-License-Identifier: Apache-2.0
// The boundary of every C entry point: guarded() turns the result or the exception of the body into a status.
//
//   dnnl_status_t DNNL_API dnnl_memory_desc_destroy(dnnl_memory_desc_t desc) {
//       return guarded("dnnl_memory_desc_destroy", [&]() -> Result<void> {
//           if (auto ok = need(desc, "memory_desc"); !ok) return ok;
//           delete desc;
//           return {};
//       });
//   }
//
// A refusal is kept as the thread's last error (put_refusal_text() of log.hpp), which dnnl_tessera_last_error() returns
// until the next guarded call of the thread succeeds, and is written as a verbose line if the level asks for it.
// Success costs one store to a thread-local flag (about 2 ns in the shared library).
#pragma once

#include <string_view>
#include <utility>

#include "core/status.hpp"
#include "oneapi/dnnl/dnnl_types.h"

namespace tessera {

// Where in the source a call was refused, for the verbose line (Clang 14 has no std::source_location).
struct Place {
    const char* file;
    int line;
};

// Whether the last guarded call of this thread was refused. The text lives in guard.cpp.
extern constinit thread_local bool last_call_refused;

// Text of the thread's last refused call; "" after a call that succeeded. Valid until the thread's next call.
const char* last_error();
// The same for wrappers in C++: without the names of the call and of the primitive that it creates, and with the names
// of calls that C++ has.
const char* last_error_cpp();

// Cold paths of guarded(): keep the text, write the verbose line, return the status.
dnnl_status_t refuse(const char* function, const Error& error, const Place& where) noexcept;
dnnl_status_t refuse_exception(const char* function, const Place& where) noexcept; // inside a catch

template <typename Body> dnnl_status_t guarded(const char* function, Body&& body,
                                               const Place& where = {__builtin_FILE(), __builtin_LINE()}) noexcept {
    try {
        const Result<void> result = std::forward<Body>(body)();
        if (result) [[likely]] {
            last_call_refused = false;
            return dnnl_success;
        }
        return refuse(function, result.error(), where);
    } catch (...) { return refuse_exception(function, where); }
}

// Refuses a null pointer by the name of the parameter: "memory_desc is null".
inline Result<void> need(const void* pointer, const char* name) {
    if (pointer == nullptr) [[unlikely]]
        return invalid("{} is null", name);
    return {};
}

// Several at once: need("engine", engine, "stream", stream).
template <typename... Rest>
Result<void> need(const char* name, const void* pointer, const char* next, const void* next_pointer, Rest... rest) {
    if (pointer == nullptr) [[unlikely]]
        return invalid("{} is null", name);
    if constexpr (sizeof...(rest) == 0)
        return need(next_pointer, next);
    else
        return need(next, next_pointer, rest...);
}

} // namespace tessera
