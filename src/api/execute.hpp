// Execution of a primitive: argument checks, then the executable (RUN-05).
#pragma once

#include <span>

#include "api/objects/handles.hpp"

namespace tessera {

// Finds the memories by argument id, of several with one id the last, compares them with the problem, and runs. When
// something is refused nothing has been written.
Result<void> execute(const dnnl_primitive& primitive, const dnnl_stream& stream, std::span<const dnnl_exec_arg_t> args);

// What the last execution ran: the primitive's own implementation or, with run-time dims, the one of their values.
ImplementationPtr executed(const dnnl_primitive& primitive);

} // namespace tessera
