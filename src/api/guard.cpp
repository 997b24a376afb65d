// SPDX-License-Identifier: Apache-2.0
#include "api/guard.hpp"

#include <array>
#include <new>
#include <string>

#include "api/log/cpp_spelling.hpp"
#include "api/log/log.hpp"
#include "oneapi/dnnl/dnnl_tessera.h"

namespace tessera {

constinit thread_local bool last_call_refused = false;

namespace {

// A fixed buffer without a destructor: a string needs memory that may have run out, and the C library ends the process
// if it cannot allocate the record of a thread-local destructor.
constinit thread_local std::array<char, 2048> text_of_thread{}, text_in_cpp{};
constinit thread_local size_t reason_at = 0; // in the former, behind the names of the call and the primitive

} // namespace

const char* last_error() { return last_call_refused ? text_of_thread.data() : ""; }

const char* last_error_cpp() {
    put_in_cpp(text_in_cpp, last_call_refused ? text_of_thread.data() + reason_at : "");
    return text_in_cpp.data();
}

dnnl_status_t refuse(const char* function, const Error& error, const Place& where) noexcept {
    reason_at = put_refusal_text(text_of_thread, function, error);
    last_call_refused = true;
    log_refusal(function, error, where);
    return static_cast<dnnl_status_t>(error.status);
}

dnnl_status_t refuse_exception(const char* function, const Place& where) noexcept {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return refuse(function, {Status::out_of_memory, "out of memory"}, where); // short: it needs no memory
    } catch (const std::exception& e) {
        try {
            return refuse(function, {Status::runtime_error, std::string("unexpected: ") + e.what()}, where);
        } catch (...) { return refuse(function, {Status::out_of_memory, "out of memory"}, where); }
    } catch (...) { return refuse(function, {Status::runtime_error, "unexpected"}, where); }
}

} // namespace tessera

const char* dnnl_tessera_last_error() { return tessera::last_error(); }
const char* dnnl_tessera_last_error_cpp() { return tessera::last_error_cpp(); }
