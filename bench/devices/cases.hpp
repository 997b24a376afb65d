// The cases of the benchmark of devices, each on any engine.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

namespace tessera::bench {

struct DeviceWork {
    std::function<void()> run; // and waits
    int64_t bytes = 0;         // of all tensors
};
struct DeviceCase {
    std::string name;
    std::function<DeviceWork(const dnnl::engine&)> make;
};
std::vector<DeviceCase> device_cases();

} // namespace tessera::bench
