// Execution of a primitive: argument checks, then the executable (RUN-05).
#pragma once

#include <span>

#include "api/objects/handles.hpp"

namespace tessera {

// Finds the memories by argument id (the last one if an id is repeated), checks them against the problem, and runs. A
// refused execution has written nothing.
Result<void> execute(const dnnl_primitive& primitive, const dnnl_stream& stream, std::span<const dnnl_exec_arg_t> args);

// The implementation that the last execution ran: the primitive's own or, with run-time dims, that of the actual dims.
ImplementationPtr executed(const dnnl_primitive& primitive);

} // namespace tessera
