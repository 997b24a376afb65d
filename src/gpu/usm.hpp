// SPDX-License-Identifier: Apache-2.0
// Unified shared memory of a device: cl_intel_unified_shared_memory or, where a device has none, shared virtual memory
// of OpenCL 2.0, which cannot say whether an address is of that kind.
#pragma once

#include <memory>
#include <string>

#include "core/status.hpp"
#include "gpu/opencl.hpp"

namespace tessera::gpu {

class Usm {
public:
    static Usm of(const OpenCl& cl, cl_device_id device, cl_context context, const std::string& extensions);

    bool any() const { return intel_ || svm_; }
    // For the host to read and write, too, where the device can share.
    Result<std::shared_ptr<void>> allocate(size_t bytes) const;
    // Whether a kernel may access `bytes` bytes from here.
    Result<void> check(const void* from, size_t bytes) const;
    Result<void> set_argument(cl_kernel kernel, cl_uint number, const void* pointer) const;
    bool frees_at_once() const { return svm_; } // whatever still uses the memory
    // Blocks. A side that is no shared memory is memory of the host.
    Result<void> copy(cl_command_queue queue, void* to, const void* from, size_t bytes) const;

private:
    const OpenCl* cl_ = nullptr;
    cl_device_id device_ = nullptr;
    cl_context context_ = nullptr; // kept by the device that has this
    bool intel_ = false, shares_ = false, system_ = false, svm_ = false;
    clDeviceMemAllocINTEL_fn allocate_device_ = nullptr;
    clSharedMemAllocINTEL_fn allocate_shared_ = nullptr;
    clMemBlockingFreeINTEL_fn free_ = nullptr;
    clGetMemAllocInfoINTEL_fn info_ = nullptr;
    clSetKernelArgMemPointerINTEL_fn set_ = nullptr;
    clEnqueueMemcpyINTEL_fn copy_ = nullptr;
};

} // namespace tessera::gpu
