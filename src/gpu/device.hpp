// Devices of OpenCL, each with a context and a queue of the library's own, and the kernels that were compiled for it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.hpp"
#include "gpu/opencl.hpp"

namespace tessera::gpu {

class Device {
public:
    static Result<std::shared_ptr<Device>> make(const OpenCl& cl, cl_device_id id);

    const OpenCl& cl;
    const cl_device_id id;
    std::string name;
    bool doubles = false;   // f64
    bool processor = false; // no GPU
    size_t group = 64;      // work-items
    cl_context context() const { return context_.get(); }
    cl_command_queue queue() const { return queue_.get(); }

    // Compiled once for equal sources; the error has the compiler's words.
    Result<Owned<cl_program>> program(const std::string& source);
    Result<Owned<cl_command_queue>> make_queue() const;
    Result<Owned<cl_mem>> buffer(size_t bytes, const void* contents = nullptr); // of at least 4 bytes

private:
    Device(const OpenCl& functions, cl_device_id device) : cl(functions), id(device) {}
    Owned<cl_context> context_;
    Owned<cl_command_queue> queue_;
    struct Programs;
    std::shared_ptr<Programs> programs_;
};

// "OpenCL: clCreateBuffer failed: CL_INVALID_BUFFER_SIZE (-61)"; out_of_memory where the error says that.
Refusal failed(std::string_view call, cl_int error);

// GPUs and accelerators; processors too where TESSERA_OPENCL_DEVICES=all asks for them.
Result<std::vector<cl_device_id>> device_ids();

} // namespace tessera::gpu
