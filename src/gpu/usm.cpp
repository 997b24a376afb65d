// SPDX-License-Identifier: Apache-2.0
#include "gpu/usm.hpp"

#include "gpu/device.hpp"

namespace tessera::gpu {

namespace {

constexpr cl_uint alignment = 64; // as on the host

template <typename Value> Value of_device(const OpenCl& cl, cl_device_id id, cl_device_info what) {
    Value value{};
    if (cl.clGetDeviceInfo(id, what, sizeof value, &value, nullptr) != CL_SUCCESS) return Value{};
    return value;
}

} // namespace

Usm Usm::of(const OpenCl& cl, cl_device_id device, cl_context context, const std::string& extensions) {
    Usm usm;
    usm.cl_ = &cl, usm.device_ = device, usm.context_ = context;
    if (extensions.find("cl_intel_unified_shared_memory") != std::string::npos) {
        const auto platform = of_device<cl_platform_id>(cl, device, CL_DEVICE_PLATFORM);
        const auto find = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
                cl.clGetExtensionFunctionAddressForPlatform(platform, name));
        };
        find(usm.allocate_device_, "clDeviceMemAllocINTEL");
        find(usm.allocate_shared_, "clSharedMemAllocINTEL");
        find(usm.free_, "clMemBlockingFreeINTEL");
        find(usm.info_, "clGetMemAllocInfoINTEL");
        find(usm.set_, "clSetKernelArgMemPointerINTEL");
        find(usm.copy_, "clEnqueueMemcpyINTEL");
        usm.intel_ = usm.allocate_device_ && usm.allocate_shared_ && usm.free_ && usm.info_ && usm.set_ && usm.copy_;
        usm.shares_ = of_device<cl_ulong>(cl, device, CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL) != 0;
        usm.system_ = of_device<cl_ulong>(cl, device, CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL) != 0;
    }
    const bool functions = cl.clSVMAlloc && cl.clSVMFree && cl.clSetKernelArgSVMPointer && cl.clEnqueueSVMMemcpy;
    usm.svm_ =
        !usm.intel_ && functions && of_device<cl_device_svm_capabilities>(cl, device, CL_DEVICE_SVM_CAPABILITIES) != 0;
    return usm;
}

Result<std::shared_ptr<void>> Usm::allocate(size_t bytes) const {
    if (!any()) return unimplemented("the device has no unified shared memory; memory of kind buffer is a cl_mem");
    if (svm_) {
        void* const p = cl_->clSVMAlloc(context_, CL_MEM_READ_WRITE, bytes, alignment);
        if (!p) return out_of_memory("OpenCL: clSVMAlloc has no {} bytes", bytes);
        return std::shared_ptr<void>(p, [cl = cl_, context = context_](void* q) { cl->clSVMFree(context, q); });
    }
    cl_int error = CL_SUCCESS;
    void* const p = shares_ ? allocate_shared_(context_, device_, nullptr, bytes, alignment, &error)
                            : allocate_device_(context_, device_, nullptr, bytes, alignment, &error);
    if (error != CL_SUCCESS || !p)
        return failed(shares_ ? "clSharedMemAllocINTEL" : "clDeviceMemAllocINTEL", p ? error : CL_OUT_OF_RESOURCES);
    // Waits for the kernels that use it.
    return std::shared_ptr<void>(p, [free = free_, context = context_](void* q) { free(context, q); });
}

Result<void> Usm::check(const void* from, size_t bytes) const {
    if (!any()) return unimplemented("the device has no unified shared memory; memory of kind buffer is a cl_mem");
    if (svm_ || system_) return {};
    cl_unified_shared_memory_type_intel type = CL_MEM_TYPE_UNKNOWN_INTEL;
    cl_int error = info_(context_, from, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, nullptr);
    if (error != CL_SUCCESS) return failed("clGetMemAllocInfoINTEL", error);
    if (type == CL_MEM_TYPE_UNKNOWN_INTEL)
        return invalid("{} is no unified shared memory of the engine's context, and the device cannot reach other "
                       "memory of the host; clSharedMemAllocINTEL and its kin make some",
                       from);
    const void* base = nullptr;
    size_t size = 0;
    error = info_(context_, from, CL_MEM_ALLOC_BASE_PTR_INTEL, sizeof base, &base, nullptr);
    if (error == CL_SUCCESS) error = info_(context_, from, CL_MEM_ALLOC_SIZE_INTEL, sizeof size, &size, nullptr);
    if (error != CL_SUCCESS) return failed("clGetMemAllocInfoINTEL", error);
    const auto offset = size_t(static_cast<const char*>(from) - static_cast<const char*>(base));
    if (size < offset || size - offset < bytes)
        return invalid("the unified shared memory at {} ends after {:byte}; the tensor has {}", from,
                       counted(size - offset), bytes);
    return {};
}

Result<void> Usm::set_argument(cl_kernel kernel, cl_uint number, const void* pointer) const {
    const cl_int error =
        intel_ ? set_(kernel, number, pointer) : cl_->clSetKernelArgSVMPointer(kernel, number, pointer);
    if (error != CL_SUCCESS)
        return failed(intel_ ? "clSetKernelArgMemPointerINTEL" : "clSetKernelArgSVMPointer", error);
    return {};
}

Result<void> Usm::copy(cl_command_queue queue, void* to, const void* from, size_t bytes) const {
    const cl_int error = intel_ ? copy_(queue, CL_TRUE, to, from, bytes, 0, nullptr, nullptr)
                                : cl_->clEnqueueSVMMemcpy(queue, CL_TRUE, to, from, bytes, 0, nullptr, nullptr);
    if (error != CL_SUCCESS) return failed(intel_ ? "clEnqueueMemcpyINTEL" : "clEnqueueSVMMemcpy", error);
    return {};
}

} // namespace tessera::gpu
