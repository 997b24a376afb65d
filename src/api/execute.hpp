// SPDX-License-Identifier: Apache-2.0
// Execution of a primitive: argument checks, then the executable (RUN-05).
#pragma once

#include <span>

#include "api/objects/handles.hpp"

namespace tessera {

// Of the run time of the stream's engine: what the execution waits for, and where its own event goes.
struct Events {
    std::span<void* const> after = {};
    std::shared_ptr<void>* event = nullptr;
};

// Finds the memories by argument id (the last one if an id is repeated), checks them against the problem, and runs. A
// refused execution has written nothing.
Result<void> execute(const dnnl_primitive& primitive, const dnnl_stream& stream, std::span<const dnnl_exec_arg_t> args,
                     const Events& events = {});

// The same for dnnl_primitive_execute() and its kin: with the checks of a list, and the log.
Result<void> execute_logged(const dnnl_primitive& primitive, const dnnl_stream& stream, int nargs,
                            const dnnl_exec_arg_t* args, const Events& events = {});

// The implementation that the last execution ran: the primitive's own or, with run-time dims, that of the actual dims.
ImplementationPtr executed(const dnnl_primitive& primitive);

} // namespace tessera
