// SPDX-License-Identifier: Apache-2.0
// The guards see what they are there for: accesses of kernels beside a buffer, beside shared memory and beside an array
// in local memory, on either side.
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/opencl.hpp"
#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_ocl.hpp"

namespace tessera::test {

namespace {

enum class Memory { buffer, shared, local };
constexpr cl_long elements = 100; // 400 bytes, a multiple of 16

// A work-item adds 1 to one of n elements. False: kernels take no shared memory that is not the run time's own.
bool touch(Memory memory, const char* guard, cl_long at, cl_long n = elements) {
    setenv("TESSERA_OPENCL_GUARD", guard, 1);
    const dnnl::engine engine(dnnl::engine::kind::gpu, 0);
    const cl_context context = dnnl::ocl_interop::get_context(engine);
    const cl_device_id device = dnnl::ocl_interop::get_device(engine);
    const gpu::OpenCl& cl = *gpu::opencl();
    const cl_command_queue queue = cl.clCreateCommandQueue(context, device, 0, nullptr);
    const char* text = memory == Memory::local ? "kernel void touch(global uint* b, long at) {\n"
                                                 "    local uint some[4], tile[100];\n"
                                                 "    some[at & 3] = tile[at] = 1;\n"
                                                 "    b[0] = some[0] + tile[at];\n}"
                                               : "kernel void touch(global uint* b, long at) { b[at] += 1; }";
    const auto program = cl.clCreateProgramWithSource(context, 1, &text, nullptr, nullptr);
    EXPECT_EQ(cl.clBuildProgram(program, 1, &device, "", nullptr, nullptr), CL_SUCCESS);
    const auto kernel = cl.clCreateKernel(program, "touch", nullptr);
    const cl_mem buffer = cl.clCreateBuffer(context, CL_MEM_READ_WRITE, size_t(n) * 4, nullptr, nullptr);
    void* const shared = cl.clSVMAlloc(context, CL_MEM_READ_WRITE, size_t(n) * 4, 0);
    const bool taken = (memory == Memory::shared ? cl.clSetKernelArgSVMPointer(kernel, 0, shared)
                                                 : cl.clSetKernelArg(kernel, 0, sizeof buffer, &buffer)) == CL_SUCCESS;
    cl.clSetKernelArg(kernel, 1, sizeof at, &at);
    const size_t one = 1;
    if (taken) {
        EXPECT_EQ(cl.clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr), CL_SUCCESS);
        cl.clFinish(queue);
    }
    cl.clSVMFree(context, shared);
    cl.clReleaseKernel(kernel), cl.clReleaseProgram(program), cl.clReleaseMemObject(buffer);
    cl.clReleaseCommandQueue(queue);
    return taken;
}

bool has_pocl() {
    if (dnnl::engine::get_count(dnnl::engine::kind::gpu) == 0) return false;
    char version[256] = {};
    cl_device_type type = 0;
    const dnnl::engine engine(dnnl::engine::kind::gpu, 0);
    const cl_device_id device = dnnl::ocl_interop::get_device(engine);
    gpu::opencl()->clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, nullptr);
    gpu::opencl()->clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version - 1, version, nullptr);
    return type & CL_DEVICE_TYPE_CPU && std::string(version).find("PoCL") != std::string::npos;
}

// PoCL has taken any memory of the host as shared memory up to some version.
std::vector<Memory> all() {
    if (!touch(Memory::shared, "behind", 0)) return {Memory::buffer, Memory::local};
    return {Memory::buffer, Memory::shared, Memory::local};
}

} // namespace

TEST(GuardedOpenCl, lets_kernels_have_their_memory) {
    if (!has_pocl()) GTEST_SKIP() << "no device whose memory is the host's";
    for (const char* guard : {"behind", "aligned", "front"})
        for (const Memory memory : all())
            for (const cl_long at : {cl_long(0), elements - 1}) EXPECT_TRUE(touch(memory, guard, at));
}

TEST(GuardedOpenClDeathTest, sees_accesses_beside_it) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    if (!has_pocl()) GTEST_SKIP() << "no device whose memory is the host's";
    for (const Memory memory : all()) {
        EXPECT_DEATH(touch(memory, "behind", elements), "") << int(memory);
        EXPECT_DEATH(touch(memory, "front", -1), "") << int(memory);
    }
    EXPECT_DEATH(touch(Memory::buffer, "behind", -1), "wrote beside a buffer of 400 bytes");
    EXPECT_DEATH(touch(Memory::buffer, "front", elements), "wrote beside a buffer of 400 bytes");
    EXPECT_DEATH(touch(Memory::buffer, "aligned", elements + 1, elements + 1), "wrote beside a buffer of 404 bytes");
    EXPECT_DEATH(touch(Memory::buffer, "aligned", elements + 4, elements + 1), "");
}

} // namespace tessera::test
