// SPDX-License-Identifier: Apache-2.0
// The program's own OpenCL context, queue and buffers: the library works on them beside the program's kernels.
//
// The engine is made of a device and a context of the program, the stream of its queue, the memory objects of its
// buffers; commands of both follow each other in the queue, without waiting in between. It prints a product of two
// matrices that the program wrote into buffers. Without a device it says so; TESSERA_OPENCL_DEVICES=all takes
// processors as well. Link with OpenCL: -lOpenCL.

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_ocl.hpp"

using dnnl::engine;
using dnnl::memory;
namespace interop = dnnl::ocl_interop;

void check(cl_int status) {
    if (status != CL_SUCCESS) throw std::runtime_error("OpenCL: status " + std::to_string(status));
}

int main() try {
    dnnl::set_verbose(0);
    if (engine::get_count(engine::kind::gpu) == 0) {
        std::printf("no device\n");
        return 77; // ctest: skipped
    }
    // A device that the library takes; a program has found its own by clGetDeviceIDs().
    const cl_device_id device = interop::get_device(engine(engine::kind::gpu, 0));

    // [objects]
    cl_int status = 0;
    const cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    check(status);
    const cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    check(status);
    const engine on_device = interop::make_engine(device, context);
    dnnl::stream stream = interop::make_stream(on_device, queue);
    // [/objects]

    // [buffers]
    const std::vector<float> a = {1, 2, 3, 4, 5, 6}, b = {1, 0, 0, 1, 1, 1};
    std::vector<float> c(4);
    const auto buffer = [&](size_t floats) {
        const cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE, floats * sizeof(float), nullptr, &status);
        check(status);
        return made;
    };
    const cl_mem src = buffer(6), weights = buffer(6), dst = buffer(4);
    check(clEnqueueWriteBuffer(queue, src, CL_FALSE, 0, 24, a.data(), 0, nullptr, nullptr));
    check(clEnqueueWriteBuffer(queue, weights, CL_FALSE, 0, 24, b.data(), 0, nullptr, nullptr));
    const auto tensor = [&](memory::dim rows, memory::dim columns, cl_mem data) {
        return interop::make_memory({{rows, columns}, memory::data_type::f32, memory::format_tag::ab}, on_device, data);
    };
    const memory x = tensor(2, 3, src), w = tensor(3, 2, weights), y = tensor(2, 2, dst);
    // [/buffers]

    // [execute]
    const dnnl::matmul product({on_device, x.get_desc(), w.get_desc(), y.get_desc()});
    const cl_event done = interop::execute(product, stream, //
                                           {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_DST, y}});
    check(clEnqueueReadBuffer(queue, dst, CL_TRUE, 0, 16, c.data(), 1, &done, nullptr));
    // [/execute]

    std::printf("%g %g\n%g %g\n", c[0], c[1], c[2], c[3]);
    check(clReleaseEvent(done));
    for (cl_mem m : {src, weights, dst}) check(clReleaseMemObject(m)); // the library has kept its own count
    check(clReleaseCommandQueue(queue));
    check(clReleaseContext(context));
    return c == std::vector<float>{4, 5, 10, 11} ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
