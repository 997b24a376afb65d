// SPDX-License-Identifier: Apache-2.0
// DeviceMemory of OpenCL.
#pragma once

#include "core/device.hpp"
#include "gpu/device.hpp"

namespace tessera::gpu {

class Memory final : public DeviceMemory {
public:
    explicit Memory(std::shared_ptr<Device> device) : device_(std::move(device)) {}
    MemoryKind usual_kind() const override { return MemoryKind::buffer; }
    bool takes_values() const override { return true; }
    Result<std::shared_ptr<void>> allocate(size_t bytes, MemoryKind kind) override;
    Result<std::shared_ptr<void>> share(DeviceBuffer buffer, size_t bytes) override;
    Result<void> write(DeviceBuffer buffer, const void* from, size_t bytes) override;
    Result<void> read(DeviceBuffer buffer, void* to, size_t bytes) override;
    Result<std::shared_ptr<DeviceQueue>> make_queue(unsigned flags) override;

private:
    const std::shared_ptr<Device> device_;
};

} // namespace tessera::gpu
