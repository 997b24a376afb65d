// SPDX-License-Identifier: Apache-2.0
// What an engine with memory of its own does with it: buffers, the queues of streams, and what one execution carries.
// The CPU engine has none of this: its buffers are addresses, and an execution has ended when it returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/status.hpp"

namespace tessera {

// An address in unified shared memory, or an object of the run time: a cl_mem, the address of a sycl::buffer. Of an
// execution, where DeviceMemory::takes_values(), also the address of eight bytes on the host, which are read before it
// returns.
enum class MemoryKind : uint8_t { usm = 0, buffer = 1, value = 2 };

// What an engine computes on: a cl_device_id and a cl_context, the addresses of a sycl::device and a sycl::context.
struct DeviceHandles {
    void *device = nullptr, *context = nullptr;
};

struct DeviceBuffer {
    void* handle = nullptr;
    MemoryKind kind = MemoryKind::buffer;
};

// Where the executions of a stream go. Events are those of the run time: a cl_event, the address of a sycl::event.
class DeviceQueue {
public:
    virtual ~DeviceQueue() = default;
    virtual void* handle() const = 0;                            // a cl_command_queue, the address of a sycl::queue
    virtual Result<void> wait(std::span<void* const> after) = 0; // for these events, and for all that was queued
    virtual Result<std::shared_ptr<void>>
    mark(std::span<void* const> after) = 0; // an event that ends when wait() would
    // STR-04: the nanoseconds that the device took for each execution since the last forget_times(), on streams with
    // profiling. Waits for them.
    virtual Result<std::vector<uint64_t>> times() = 0;
    virtual void forget_times() = 0;
};

// One execution on a device: Threads carries it to Executable::run.
struct Submission {
    DeviceQueue* queue = nullptr;
    std::span<const MemoryKind> kinds = {}; // of the pointers of the execution
    std::span<void* const> after = {};      // events that it waits for
    std::shared_ptr<void>* event = nullptr; // gets the event that ends with it
    std::optional<Error> failure = {};      // why it was not queued
};

class DeviceMemory {
public:
    virtual ~DeviceMemory() = default;
    virtual MemoryKind usual_kind() const = 0; // of memory that is made without a word about its kind
    virtual bool takes_values() const { return false; }
    virtual Result<std::shared_ptr<void>> allocate(size_t bytes, MemoryKind kind) = 0;
    // A buffer of the caller, of `bytes` bytes at least: refused where the device cannot reach it. What is returned has
    // the handle to use, and keeps an object of the run time alive; it owns no unified shared memory.
    virtual Result<std::shared_ptr<void>> share(DeviceBuffer buffer, size_t bytes) = 0;
    // Both finish what they do before they return; kernels of streams have to be waited for first.
    virtual Result<void> write(DeviceBuffer buffer, const void* from, size_t bytes) = 0;
    virtual Result<void> read(DeviceBuffer buffer, void* to, size_t bytes) = 0;

    virtual Result<std::shared_ptr<DeviceQueue>> make_queue(unsigned flags) = 0; // bits of dnnl_stream_flags_t
};

} // namespace tessera
