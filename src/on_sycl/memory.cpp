// SPDX-License-Identifier: Apache-2.0
#include "on_sycl/memory.hpp"

#include <algorithm>
#include <cstring>

#include "on_sycl/queue.hpp"

namespace tessera::on_sycl {

namespace {

constexpr size_t alignment = 64; // a cache line; an AVX-512 vector

// Throws where the backend has no USM at all.
sycl::usm::alloc type_of(void* address, const sycl::context& context) {
    return sycl::get_pointer_type(address, context);
}

} // namespace

std::shared_ptr<void> Living::find(void* key) {
    const std::lock_guard guard(lock_);
    const auto at = all_.find(key);
    return at == all_.end() ? nullptr : at->second.lock();
}

void Living::add(void* key, const std::shared_ptr<void>& object) {
    const std::lock_guard guard(lock_);
    all_[key] = object;
}

void Living::forget(void* key) {
    const std::lock_guard guard(lock_);
    if (const auto at = all_.find(key); at != all_.end() && at->second.expired()) all_.erase(at);
}

Memory::Memory(Device device) : device_(std::move(device)) {}

// Shared, so that the host reads and writes it as well; of the device where the device shares nothing.
Result<void*> Memory::allocate_usm(size_t bytes) const {
    const sycl::device& d = device_.device;
    void* address = nullptr;
    if (d.has(sycl::aspect::usm_shared_allocations))
        address = sycl::aligned_alloc_shared(alignment, bytes, d, device_.context);
    else if (d.has(sycl::aspect::usm_device_allocations))
        address = sycl::aligned_alloc_device(alignment, bytes, d, device_.context);
    else
        return unimplemented("{} has no unified shared memory; a memory of kind buffer works "
                             "(dnnl_sycl_interop_memory_create with dnnl_sycl_interop_buffer)",
                             device_.name());
    if (!address) return out_of_memory("SYCL: {} bytes cannot be allocated on {}", bytes, device_.name());
    return address;
}

Result<std::shared_ptr<void>> Memory::allocate(size_t bytes, MemoryKind kind) {
    const size_t least = std::max<size_t>(bytes, alignment); // nothing in SYCL has a size of 0
    return caught("memory cannot be allocated", [&]() -> Result<std::shared_ptr<void>> {
        if (kind == MemoryKind::buffer) return kept(Bytes(sycl::range<1>(least)));
        auto address = allocate_usm(least);
        if (!address) return Refusal(address.error());
        const std::shared_ptr<void> made(*address, [all = allocations_, context = device_.context](void* p) {
            all->forget(p);
            try {
                sycl::free(p, context);
            } catch (...) { // nobody to tell: destructors of memory objects cannot fail
            }
        });
        allocations_->add(*address, made);
        return made;
    });
}

std::shared_ptr<void> Memory::owner_of(void* address) const { return allocations_->find(address); }

// A copy of the buffer, the same one for each memory object over it, so that equal handles mean one buffer. SYCL's hash
// is the address of what copies share; parts share it with the whole, and each is a buffer of its own here.
std::shared_ptr<void> Memory::kept(const Bytes& buffer) const {
    if (buffer.is_sub_buffer()) return std::make_shared<Bytes>(buffer);
    void* const key = reinterpret_cast<void*>(std::hash<Bytes>()(buffer));
    if (auto known = buffers_->find(key)) return known;
    const std::shared_ptr<Bytes> made(new Bytes(buffer), [all = buffers_, key](Bytes* b) {
        all->forget(key);
        delete b;
    });
    buffers_->add(key, made);
    return made;
}

// On the CPU every address of the process can be reached. Elsewhere an address has to be USM of the engine's context,
// or the device reaches all memory of the host.
Result<void> Memory::check_address(void* address) const {
    const sycl::device& d = device_.device;
    if (device_.on_host || d.has(sycl::aspect::usm_system_allocations)) return {};
    if (!d.has(sycl::aspect::usm_device_allocations) && !d.has(sycl::aspect::usm_shared_allocations))
        return invalid(
            "{} has no unified shared memory, and so the address {} cannot be its memory; a sycl::buffer can "
            "(dnnl_sycl_interop_buffer)",
            device_.name(), address);
    const sycl::usm::alloc type = type_of(address, device_.context);
    if (type == sycl::usm::alloc::unknown)
        return invalid("{} cannot reach the address {}, which is no unified shared memory of the engine's context; "
                       "sycl::malloc_shared, malloc_device or malloc_host with that context allocate some",
                       device_.name(), address);
    if (type != sycl::usm::alloc::device) return {};
    const sycl::device of = sycl::get_pointer_device(address, device_.context);
    if (of == d) return {};
    return invalid("the address {} is memory of another device ({}) than the engine's ({})", address,
                   of.get_info<sycl::info::device::name>(), device_.name());
}

Result<std::shared_ptr<void>> Memory::share(DeviceBuffer given, size_t bytes) {
    return caught("a memory of the caller cannot be used", [&]() -> Result<std::shared_ptr<void>> {
        if (given.kind == MemoryKind::usm) {
            if (auto ok = check_address(given.handle); !ok) return Refusal(ok.error());
            return std::shared_ptr<void>(std::shared_ptr<void>(), given.handle); // owns nothing
        }
        const auto& buffer = *static_cast<const Bytes*>(given.handle);
        if (buffer.byte_size() < bytes)
            return invalid("the sycl::buffer has {:byte} for a tensor of {}", counted(buffer.byte_size()), bytes);
        // Where a part begins cannot be asked, and OpenCL takes only parts whose beginning is aligned as the device
        // asks.
        if (buffer.is_sub_buffer() && !device_.on_host)
            return unimplemented(
                "a part of another sycl::buffer is no memory of a GPU engine; the whole buffer is, with a "
                "descriptor that has an offset");
        return kept(buffer);
    });
}

// Accessors of the host wait for the tasks of the buffer.
Result<void> Memory::write(DeviceBuffer to, const void* from, size_t bytes) {
    if (bytes == 0) return {};
    return caught("memory cannot be written", [&]() -> Result<void> {
        if (to.kind == MemoryKind::buffer) {
            const sycl::host_accessor access(*static_cast<Bytes*>(to.handle), sycl::write_only);
            std::memcpy(&access[0], from, bytes);
        } else {
            copy(to.handle, from, to.handle, bytes);
        }
        return {};
    });
}

Result<void> Memory::read(DeviceBuffer from, void* to, size_t bytes) {
    if (bytes == 0) return {};
    return caught("memory cannot be read", [&]() -> Result<void> {
        if (from.kind == MemoryKind::buffer) {
            const sycl::host_accessor access(*static_cast<Bytes*>(from.handle), sycl::read_only);
            std::memcpy(to, &access[0], bytes);
        } else {
            copy(to, from.handle, from.handle, bytes);
        }
        return {};
    });
}

// Memory of a device alone is not the host's to touch.
void Memory::copy(void* to, const void* from, void* usm, size_t bytes) const {
    const bool of_device = !device_.on_host && type_of(usm, device_.context) == sycl::usm::alloc::device;
    if (of_device)
        sycl::queue(device_.context, device_.device).memcpy(to, from, bytes).wait();
    else
        std::memcpy(to, from, bytes);
}

Result<std::shared_ptr<DeviceQueue>> Memory::make_queue(unsigned flags) { return Queue::make(device_, flags); }

} // namespace tessera::on_sycl
