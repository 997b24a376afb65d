// DeviceMemory: what an engine with memory of its own does with it. Handles are what the caller sees of a buffer (a
// cl_mem); the CPU engine has none of this, its buffers are addresses.
#pragma once

#include <cstddef>
#include <memory>

#include "core/status.hpp"

namespace tessera {

class DeviceMemory {
public:
    virtual ~DeviceMemory() = default;
    virtual Result<std::shared_ptr<void>> allocate(size_t bytes) = 0;
    virtual std::shared_ptr<void> share(void* handle) = 0; // a buffer of the caller, kept while it is in use here
    // Both finish what they do before they return; kernels of streams have to be waited for first.
    virtual Result<void> write(void* handle, const void* from, size_t bytes) = 0;
    virtual Result<void> read(void* handle, void* to, size_t bytes) = 0;

    virtual Result<std::shared_ptr<void>> make_queue() = 0; // of a stream
    virtual Result<void> wait(void* queue) = 0;             // until all of it is done
};

} // namespace tessera
