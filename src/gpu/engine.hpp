// The engine of devices of OpenCL.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "core/engine.hpp"

namespace tessera::gpu {

size_t device_count();
std::string why_no_device(); // a sentence for people, where device_count() is 0
Result<std::shared_ptr<Engine>> make_engine(size_t index);

} // namespace tessera::gpu
