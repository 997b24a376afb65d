// SPDX-License-Identifier: Apache-2.0
// Memory of SYCL engines: unified shared memory (USM), whose handles are addresses, and sycl::buffer, whose handle is
// the address of a copy of the buffer that the library keeps.
#pragma once

#include <map>
#include <mutex>

#include "core/device.hpp"
#include "on_sycl/device.hpp"

namespace tessera::on_sycl {

// What is alive, by address. An object that is being destroyed is not found any more.
class Living {
public:
    std::shared_ptr<void> find(void* key);
    void add(void* key, const std::shared_ptr<void>& object);
    void forget(void* key); // by the object's deleter, before the key can be used again

private:
    std::mutex lock_;
    std::map<void*, std::weak_ptr<void>> all_;
};

class Memory final : public DeviceMemory {
public:
    explicit Memory(Device device);
    MemoryKind usual_kind() const override { return MemoryKind::usm; }
    Result<std::shared_ptr<void>> allocate(size_t bytes, MemoryKind kind) override;
    Result<std::shared_ptr<void>> share(DeviceBuffer buffer, size_t bytes) override;
    Result<void> write(DeviceBuffer buffer, const void* from, size_t bytes) override;
    Result<void> read(DeviceBuffer buffer, void* to, size_t bytes) override;
    Result<std::shared_ptr<DeviceQueue>> make_queue(unsigned flags) override;

    // What keeps an address alive that allocate() gave out; null for all others. An execution holds it until it ends,
    // so that a memory object may be destroyed before.
    std::shared_ptr<void> owner_of(void* address) const;

private:
    Result<void*> allocate_usm(size_t bytes) const;
    Result<void> check_address(void* address) const;
    std::shared_ptr<void> kept(const Bytes& buffer) const;
    void copy(void* to, const void* from, void* usm, size_t bytes) const; // `usm`: which of the two it is
    const Device device_;
    const std::shared_ptr<Living> allocations_ = std::make_shared<Living>(), buffers_ = std::make_shared<Living>();
};

} // namespace tessera::on_sycl
