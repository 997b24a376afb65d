// SPDX-License-Identifier: Apache-2.0
#include "api/staged.hpp"

#include <algorithm>

#include "api/objects/memory.hpp"

namespace tessera {

namespace {

DeviceMemory* elsewhere(const dnnl_memory& memory) { return memory.engine ? memory.engine->memory : nullptr; }
DeviceBuffer device_buffer_of(const dnnl_memory& memory) { return {memory.handles[0], memory.kind}; }

} // namespace

Result<DeviceBuffer> Staged::add(const dnnl_memory& memory, size_t bytes, bool written) {
    const bool scalar = memory.desc.md.kind == FormatKind::host_scalar;
    if (scalar && here_ && here_->takes_values())
        return DeviceBuffer{const_cast<uint64_t*>(&memory.scalar), MemoryKind::value};
    Place place{&memory, nullptr, nullptr, scalar ? const_cast<uint64_t*>(&memory.scalar) : nullptr, bytes, written};
    DeviceMemory* const there = scalar ? nullptr : elsewhere(memory);
    if (there) {
        auto copy = allocate_on_host(bytes);
        if (!copy) return Refusal(copy.error());
        place.host = std::move(*copy);
        place.on_host = place.host.get();
        if (auto ok = there->read(device_buffer_of(memory), place.on_host, bytes); !ok) return Refusal(ok.error());
    } else if (!scalar) {
        place.on_host = memory.handles[0];
    }
    if (here_) {
        auto copy = here_->allocate(bytes, MemoryKind::buffer); // a queue keeps it as long as kernels use it
        if (!copy) return Refusal(copy.error());
        place.device = std::move(*copy);
        if (auto ok = here_->write({place.device.get()}, place.on_host, bytes); !ok) return Refusal(ok.error());
    }
    places_.push_back(place);
    return here_ ? DeviceBuffer{place.device.get()} : DeviceBuffer{place.on_host, MemoryKind::usm};
}

bool Staged::anything_written() const { return std::ranges::any_of(places_, &Place::written); }

Result<void> Staged::finish() const {
    for (const Place& place : places_) {
        if (!place.written) continue;
        if (here_)
            if (auto ok = here_->read({place.device.get()}, place.on_host, place.bytes); !ok) return ok;
        if (DeviceMemory* const there = elsewhere(*place.memory))
            if (auto ok = there->write(device_buffer_of(*place.memory), place.on_host, place.bytes); !ok) return ok;
    }
    return {};
}

} // namespace tessera
