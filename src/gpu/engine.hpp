// SPDX-License-Identifier: Apache-2.0
// The engine of devices of OpenCL.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "core/device.hpp"
#include "core/engine.hpp"

namespace tessera::gpu {

size_t device_count();
std::string why_no_device(); // a sentence for people, where device_count() is 0
Result<std::shared_ptr<Engine>> make_engine(size_t index);

// Whether sums of products are in the order that the interpreter of plans has; on GPUs they have another one.
bool sums_as_defined(const Engine& engine);

// Interoperability: the handles are those of CL/cl.h.
Result<std::shared_ptr<Engine>> make_engine(void* device, void* context);                            // retains both
Result<std::shared_ptr<DeviceQueue>> make_queue(const Engine& engine, void* queue, unsigned& flags); // over a caller's
void release_context(void* context); // one use of it: other run times hand out objects that are retained already
void release_queue(void* queue);
DeviceHandles handles_of(const Engine& engine);               // nulls: the engine is not of OpenCL
Result<std::vector<uint8_t>> kernels_id_of(void* device);     // Engine::kernels_id of its engines
Result<void*> take_event(const std::shared_ptr<void>& event); // retained for the caller

} // namespace tessera::gpu
