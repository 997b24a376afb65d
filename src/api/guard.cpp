#include "api/guard.hpp"

#include <new>
#include <string>

#include "api/log.hpp"
#include "oneapi/dnnl/dnnl_tessera.h"

namespace tessera {

constinit thread_local bool last_call_refused = false;

namespace {

std::string& text_of_thread() {
    thread_local std::string text;
    return text;
}

} // namespace

const char* last_error() { return last_call_refused ? text_of_thread().c_str() : ""; }

dnnl_status_t refuse(const char* function, const Error& error, const Place& where) noexcept {
    try {
        text_of_thread() = refusal_text(function, error);
        last_call_refused = true;
        log_refusal(function, error, where);
    } catch (...) {
        // Without memory for the text the status still says what happened.
    }
    return static_cast<dnnl_status_t>(error.status);
}

dnnl_status_t refuse_exception(const char* function, const Place& where) noexcept {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        // The text fits a string's inner buffer in pieces only, so it may fail again; refuse() copes.
        try {
            return refuse(function, {Status::out_of_memory, "out of memory"}, where);
        } catch (...) { return dnnl_out_of_memory; }
    } catch (const std::exception& e) {
        try {
            return refuse(function, {Status::runtime_error, std::string("unexpected: ") + e.what()}, where);
        } catch (...) { return dnnl_runtime_error; }
    } catch (...) { return dnnl_runtime_error; }
}

} // namespace tessera

const char* dnnl_tessera_last_error() { return tessera::last_error(); }
