// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory.hpp"

#include "gpu/queue.hpp"

namespace tessera::gpu {

namespace {

// Of shared memory; the other side may be the host's.
Result<void> copied(const Device& device, void* to, const void* from, size_t bytes) {
    if (auto ok = device.usm().copy(device.queue(), to, from, bytes); !ok) return ok;
    return device.copied("clFinish", CL_SUCCESS);
}

} // namespace

Result<std::shared_ptr<void>> Memory::allocate(size_t bytes, MemoryKind kind) {
    if (kind == MemoryKind::usm) {
        auto made = device_->usm().allocate(bytes);
        if (!made) return made;
        // The context outlives what it has.
        return std::shared_ptr<void>(made->get(), [device = device_, owned = *made](void*) mutable {
            if (device->usm().frees_at_once()) device->finish_shared_memory();
            owned.reset();
        });
    }
    auto made = device_->buffer(bytes);
    if (!made) return Refusal(made.error());
    return std::shared_ptr<void>(*made, made->get());
}

Result<std::shared_ptr<void>> Memory::share(DeviceBuffer buffer, size_t bytes) {
    if (buffer.kind == MemoryKind::usm) {
        if (auto ok = device_->usm().check(buffer.handle, bytes); !ok) return Refusal(ok.error());
        return std::shared_ptr<void>(std::shared_ptr<void>(), buffer.handle);
    }
    const OpenCl& cl = device_->cl;
    const auto mem = static_cast<cl_mem>(buffer.handle);
    cl_context context = nullptr;
    size_t size = 0;
    cl_int error = cl.clGetMemObjectInfo(mem, CL_MEM_CONTEXT, sizeof context, &context, nullptr);
    if (error == CL_SUCCESS) error = cl.clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof size, &size, nullptr);
    if (error != CL_SUCCESS)
        return invalid("the handle is no cl_mem: clGetMemObjectInfo says {}", name_of_error(error));
    if (context != device_->context())
        return invalid("the cl_mem is of another context than the engine; make one with the engine's context");
    if (size < bytes) return invalid("the cl_mem has {:byte}; the tensor has {}", counted(size), bytes);
    error = cl.clRetainMemObject(mem);
    if (error != CL_SUCCESS) return failed("clRetainMemObject", error);
    return std::shared_ptr<void>(
        buffer.handle, [device = device_](void* h) { device->cl.clReleaseMemObject(static_cast<cl_mem>(h)); });
}

Result<void> Memory::write(DeviceBuffer buffer, const void* from, size_t bytes) {
    if (bytes == 0) return {};
    if (buffer.kind == MemoryKind::usm) return copied(*device_, buffer.handle, from, bytes);
    return device_->copied("clEnqueueWriteBuffer",
                           device_->cl.clEnqueueWriteBuffer(device_->queue(), static_cast<cl_mem>(buffer.handle),
                                                            CL_TRUE, 0, bytes, from, 0, nullptr, nullptr));
}

Result<void> Memory::read(DeviceBuffer buffer, void* to, size_t bytes) {
    if (bytes == 0) return {};
    if (buffer.kind == MemoryKind::usm) return copied(*device_, to, buffer.handle, bytes);
    return device_->copied("clEnqueueReadBuffer",
                           device_->cl.clEnqueueReadBuffer(device_->queue(), static_cast<cl_mem>(buffer.handle),
                                                           CL_TRUE, 0, bytes, to, 0, nullptr, nullptr));
}

Result<std::shared_ptr<DeviceQueue>> Memory::make_queue(unsigned flags) { return Queue::make(device_, flags); }

} // namespace tessera::gpu
