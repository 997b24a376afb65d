// The lines that the C API writes to the log: refusals, creations, executions (VRB-02..VRB-07).
#pragma once

#include <string>
#include <string_view>

#include "api/implementation.hpp"
#include "core/status.hpp"

namespace tessera {

struct Place; // api/guard.hpp

// "primitive,create:check,reorder,<reason>,<file>:<line>"; what the machine refused:
// "common,error,runtime,<reason>,..."
void log_refusal(std::string_view function, const Error& error, const Place& where);

// "primitive,create:cache_miss,cpu,reorder,portable,undef,src:f32::blocked:ab::f0 dst:...,,,2x3,0.02"
// `how`: "exec", "create:cache_miss", "create:cache_hit".
void log_primitive(std::string_view how, const Implementation& impl, double milliseconds);

} // namespace tessera
