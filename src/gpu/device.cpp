// SPDX-License-Identifier: Apache-2.0
#include "gpu/device.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "core/verbose/verbose.hpp"

namespace tessera::gpu {

namespace {

std::string text_of(const OpenCl& cl, cl_device_id id, cl_device_info what) {
    size_t bytes = 0;
    if (cl.clGetDeviceInfo(id, what, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return "";
    std::string text(bytes, '\0');
    cl.clGetDeviceInfo(id, what, bytes, text.data(), nullptr);
    text.resize(bytes - 1);
    return text;
}

// The size of sub-groups that multiply matrices is the least that there is.
int least_sub_group(const OpenCl& cl, cl_device_id id) {
    size_t bytes = 0;
    if (cl.clGetDeviceInfo(id, CL_DEVICE_SUB_GROUP_SIZES_INTEL, 0, nullptr, &bytes) != CL_SUCCESS) return 0;
    std::vector<size_t> sizes(bytes / sizeof(size_t));
    if (sizes.empty() ||
        cl.clGetDeviceInfo(id, CL_DEVICE_SUB_GROUP_SIZES_INTEL, bytes, sizes.data(), nullptr) != CL_SUCCESS)
        return 0;
    const size_t least = *std::ranges::min_element(sizes);
    return least == 8 || least == 16 ? int(least) : 0;
}

} // namespace

Refusal failed(std::string_view call, cl_int error) {
    const bool memory = error == CL_OUT_OF_RESOURCES || error == CL_OUT_OF_HOST_MEMORY ||
                        error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_INVALID_BUFFER_SIZE;
    if (memory) return out_of_memory("OpenCL: {} failed: {}", call, name_of_error(error));
    return runtime_error("OpenCL: {} failed: {}", call, name_of_error(error));
}

Result<std::shared_ptr<Device>> Device::make(const OpenCl& cl, cl_device_id id, cl_context context) {
    std::shared_ptr<Device> device(new Device(cl, id));
    device->name = text_of(cl, id, CL_DEVICE_NAME);
    const std::string extensions = text_of(cl, id, CL_DEVICE_EXTENSIONS);
    device->doubles = extensions.find("cl_khr_fp64") != std::string::npos;
    device->dots = extensions.find("cl_khr_integer_dot_product") != std::string::npos;
    if (extensions.find("cl_intel_subgroup_matrix_multiply_accumulate") != std::string::npos)
        device->matrices = least_sub_group(cl, id);
    device->limits_registers = extensions.find("cl_nv_compiler_options") != std::string::npos;
    cl_device_type type = 0;
    cl.clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, nullptr);
    device->processor = type & CL_DEVICE_TYPE_CPU;
    cl_int error = CL_SUCCESS;
    if (context)
        error = cl.clRetainContext(context);
    else
        context = cl.clCreateContext(nullptr, 1, &id, nullptr, nullptr, &error);
    if (error != CL_SUCCESS) return failed("clCreateContext", error);
    device->context_ = Owned<cl_context>(context, [&cl](cl_context c) { cl.clReleaseContext(c); });
    device->usm_ = Usm::of(cl, id, context, extensions);
    auto queue = device->make_queue(0);
    if (!queue) return Refusal(queue.error());
    device->queue_ = std::move(*queue);
    device->id_of_kernels_ = gpu::id_of_kernels(cl, id);
    device->start_programs();
    return device;
}

Result<Owned<cl_command_queue>> Device::make_queue(cl_command_queue_properties properties) const {
    cl_int error = CL_SUCCESS;
    Owned<cl_command_queue> queue(cl.clCreateCommandQueue(context(), id, properties, &error),
                                  [&c = cl](cl_command_queue q) { q&& c.clReleaseCommandQueue(q); });
    if (error != CL_SUCCESS) return failed("clCreateCommandQueue", error);
    return queue;
}

Result<Owned<cl_mem>> Device::buffer(size_t bytes, const void* contents) {
    cl_int error = CL_SUCCESS;
    const size_t size = (std::max<size_t>(bytes, 4) + 3) / 4 * 4; // halves of bytes are written by words
    Owned<cl_mem> memory(cl.clCreateBuffer(context(), CL_MEM_READ_WRITE, size, nullptr, &error),
                         [&c = cl](cl_mem m) { m&& c.clReleaseMemObject(m); });
    if (error != CL_SUCCESS) return failed("clCreateBuffer", error);
    if (contents && bytes) {
        error = cl.clEnqueueWriteBuffer(queue(), memory.get(), CL_TRUE, 0, bytes, contents, 0, nullptr, nullptr);
        if (auto ok = copied("clEnqueueWriteBuffer", error); !ok) return Refusal(ok.error());
    }
    return memory;
}

void Device::uses_shared_memory(const Owned<cl_command_queue>& queue) {
    const std::lock_guard guard(shared_lock_);
    for (auto& known : shared_queues_)
        if (known.expired()) return void(known = queue);
    shared_queues_.push_back(queue);
}

void Device::finish_shared_memory() {
    // Without a copy of the list, which could fail, and without the lock while it waits.
    for (size_t i = 0;; ++i) {
        Owned<cl_command_queue> queue;
        {
            const std::lock_guard guard(shared_lock_);
            if (i == shared_queues_.size()) return;
            queue = shared_queues_[i].lock();
        }
        if (queue) cl.clFinish(queue.get());
    }
}

Result<void> Device::copied(std::string_view call, cl_int error) const {
    if (error != CL_SUCCESS) return failed(call, error);
    error = cl.clFinish(queue());
    return error == CL_SUCCESS ? Result<void>{} : failed("clFinish", error);
}

std::string id_of_kernels(const OpenCl& cl, cl_device_id id) {
    return fmt::format("{}; {}; {}; {}", text_of(cl, id, CL_DEVICE_NAME), text_of(cl, id, CL_DEVICE_VENDOR),
                       text_of(cl, id, CL_DEVICE_VERSION), text_of(cl, id, CL_DRIVER_VERSION));
}

Result<std::vector<cl_device_id>> device_ids() {
    const OpenCl* cl = opencl();
    if (!cl) return unimplemented("{}", opencl_reason());
    const char* asked = std::getenv("TESSERA_OPENCL_DEVICES");
    if (asked && *asked && std::string_view(asked) != "all")
        verbose::setting(
            "TESSERA_OPENCL_DEVICES",
            fmt::format("'{}' is not all; devices of type GPU and accelerator are engines, no processors", asked));
    const cl_device_type types = asked && std::string_view(asked) == "all"
                                     ? CL_DEVICE_TYPE_ALL
                                     : CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR;
    cl_uint count = 0;
    cl_int error = cl->clGetPlatformIDs(0, nullptr, &count);
    constexpr cl_int no_platform = -1001; // CL_PLATFORM_NOT_FOUND_KHR
    if (error == no_platform || (error == CL_SUCCESS && count == 0))
        return unimplemented("OpenCL has no platform here: the driver of the device is not installed, or its file in "
                             "/etc/OpenCL/vendors is missing");
    if (error != CL_SUCCESS) return failed("clGetPlatformIDs", error);
    std::vector<cl_platform_id> platforms(count);
    error = cl->clGetPlatformIDs(count, platforms.data(), nullptr);
    if (error != CL_SUCCESS) return failed("clGetPlatformIDs", error);
    std::vector<cl_device_id> all;
    for (const cl_platform_id platform : platforms) {
        cl_uint devices = 0;
        cl_int answer = cl->clGetDeviceIDs(platform, types, 0, nullptr, &devices);
        std::vector<cl_device_id> found(devices);
        if (answer == CL_SUCCESS) answer = cl->clGetDeviceIDs(platform, types, devices, found.data(), nullptr);
        if (answer == CL_SUCCESS) all.insert(all.end(), found.begin(), found.end());
        if (answer != CL_SUCCESS && answer != CL_DEVICE_NOT_FOUND) error = answer;
    }
    if (all.empty() && error != CL_SUCCESS) return failed("clGetDeviceIDs", error); // a driver's; others may work
    if (all.empty() && types != CL_DEVICE_TYPE_ALL)
        return unimplemented("OpenCL has no device of type GPU or accelerator here; TESSERA_OPENCL_DEVICES=all takes "
                             "processors too");
    if (all.empty()) return unimplemented("OpenCL has platforms here, but no device");
    return all;
}

} // namespace tessera::gpu
