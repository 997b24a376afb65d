// SPDX-License-Identifier: Apache-2.0
// The lines that the C API writes to the log: refusals, creations, executions (VRB-02..VRB-07).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "api/implementation.hpp"
#include "core/status.hpp"

namespace tessera {

struct Place; // api/guard.hpp

// The text of dnnl_tessera_last_error(): "<reason>" if it begins with the name of a primitive, else
// "<function>: <reason>". Zero-terminated; a text that does not fit ends with "...". Where in it the part begins that
// names neither the call nor the primitive that the call creates.
size_t put_refusal_text(std::span<char> to, std::string_view function, const Error& error) noexcept;

// None of the following throws: without memory a line is lost, because the call it reports on has already happened.

// primitive,create:check,reorder,<reason>,<file>:<line>   and create:dispatch for problems without implementation
// primitive,exec:check,primitive,<reason>,...             executions
// common,create:check,memory,<reason>,...                 memory and its descriptors; other calls by their names
// common,error,runtime,<reason>,...                       what the machine lacks: memory, an engine
void log_refusal(std::string_view function, const Error& error, const Place& where) noexcept;

// "primitive,create:cache_miss,cpu,reorder,portable,undef,src:f32::blocked:ab::f0 dst:...,,,2x3,0.02"
// `how`: "exec", "create:cache_miss", "create:cache_hit". `asked`: the problem the primitive was created for, in which
// some dims of `impl` may have been run-time dims (runtime_dims_masks).
void log_primitive(std::string_view how, const Implementation& impl, const Problem& asked,
                   double milliseconds) noexcept;

// "primitive,create:dispatch,cpu,...": as above, but in place of the time the reason why steps run portable code.
void log_fallback(const Implementation& impl) noexcept;

// "primitive,exec:check,primitive,<text()>": an argument that was accepted although its descriptor differs.
void log_argument(std::string_view kind, const std::function<std::string()>& text) noexcept;

// An execution without a primitive: "primitive,exec,cpu,<kind>,<rest()>".
void log_execution(std::string_view kind, const std::function<std::string()>& rest) noexcept;

} // namespace tessera
