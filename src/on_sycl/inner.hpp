// SPDX-License-Identifier: Apache-2.0
// The engine that runs the plans of a SYCL engine: the CPU engine, or one of OpenCL over the native handles of the SYCL
// objects. The only file here that knows either.
#pragma once

#include <memory>
#include <span>

#include "core/device.hpp"
#include "core/engine.hpp"
#include "on_sycl/device.hpp"

namespace tessera::on_sycl {

// Whether OpenCL would run the plans of this device; the others run on the CPU engine.
bool is_for_opencl(const sycl::device& device);

Result<std::shared_ptr<Engine>> make_inner(const Device& device);

// Runs to its end on the cl_command_queue of a task. `handles`: a cl_mem or an address each, as `kinds` says. The
// reason of a refusal is empty where the status says it all.
Result<void> run_on_native_queue(const Engine& inner, const Executable& executable, sycl::interop_handle& interop,
                                 std::span<void* const> handles, std::span<const MemoryKind> kinds);

} // namespace tessera::on_sycl
