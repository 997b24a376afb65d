// SPDX-License-Identifier: Apache-2.0
// The compiled programs of a device.
#include <algorithm>
#include <map>
#include <mutex>

#include "gpu/device.hpp"

namespace tessera::gpu {

struct Device::Programs {
    std::mutex lock;
    std::map<std::string, Owned<cl_program>> made; // by source
    Binaries given;                                // of blobs
    const std::string folder = cache_folder();
};

void Device::start_programs() { programs_ = std::make_shared<Programs>(); }

namespace {

Owned<cl_program> owned(const OpenCl& cl, cl_program program) {
    return {program, [&cl](cl_program p) { p&& cl.clReleaseProgram(p); }};
}
std::string options(const Device& device, int registers) {
    std::string text = "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt";
    if (device.doubles) text += " -DTESSERA_F64";
    if (device.limits_registers && registers > 0) text += fmt::format(" -cl-nv-maxrregcount={}", registers);
    return text;
}

} // namespace

Result<Owned<cl_program>> Device::program(const std::string& source, int registers) {
    const std::lock_guard guard(programs_->lock);
    if (const auto at = programs_->made.find(source); at != programs_->made.end()) return at->second;
    Owned<cl_program> program;
    if (const auto at = programs_->given.find(source); at != programs_->given.end()) program = from_binary(at->second);
    if (!program)
        if (const auto binary = find_on_disk(programs_->folder, id_of_kernels_, source)) program = from_binary(*binary);
    if (!program) {
        auto made = compiled(source, registers);
        if (!made) return made;
        program = std::move(*made);
        if (!programs_->folder.empty()) // PoCL compiles a second time when it is asked for a binary
            if (const auto binary = binary_of(program.get()))
                keep_on_disk(programs_->folder, id_of_kernels_, source, *binary);
    }
    programs_->made[source] = program;
    return program;
}

Result<Owned<cl_kernel>> Device::kernel(cl_program program, const char* name) const {
    cl_int error = CL_SUCCESS;
    Owned<cl_kernel> made(cl.clCreateKernel(program, name, &error),
                          [&c = cl](cl_kernel k) { k&& c.clReleaseKernel(k); });
    if (error != CL_SUCCESS) return failed("clCreateKernel", error);
    return made;
}

Result<void> Device::set_argument(cl_kernel kernel, cl_uint number, cl_mem memory) const {
    const cl_int error = cl.clSetKernelArg(kernel, number, sizeof memory, &memory);
    return error == CL_SUCCESS ? Result<void>{} : failed("clSetKernelArg", error);
}

Result<Owned<cl_program>> Device::compiled(const std::string& source, int registers) const {
    const char* text = source.c_str();
    const size_t length = source.size();
    cl_int error = CL_SUCCESS;
    auto program = owned(cl, cl.clCreateProgramWithSource(context(), 1, &text, &length, &error));
    if (error != CL_SUCCESS) return failed("clCreateProgramWithSource", error);
    error = cl.clBuildProgram(program.get(), 1, &id, options(*this, registers).c_str(), nullptr, nullptr);
    if (error == CL_SUCCESS) return program;
    size_t bytes = 0;
    cl.clGetProgramBuildInfo(program.get(), id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes);
    std::string log(bytes, '\0');
    cl.clGetProgramBuildInfo(program.get(), id, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr);
    log.resize(log.find_last_not_of(std::string("\0 \n", 3)) + 1);
    return Refusal(
        Error{failed("clBuildProgram", error).value().status,
              fmt::format("OpenCL: {} does not compile a kernel ({}): {}", name, name_of_error(error), log)});
}

Owned<cl_program> Device::from_binary(const Bytes& binary) const {
    const unsigned char* bytes = binary.data();
    const size_t length = binary.size();
    cl_int error = CL_SUCCESS, status = CL_SUCCESS;
    auto program = owned(cl, cl.clCreateProgramWithBinary(context(), 1, &id, &length, &bytes, &status, &error));
    if (error != CL_SUCCESS || status != CL_SUCCESS) return nullptr;
    error = cl.clBuildProgram(program.get(), 1, &id, options(*this, 0).c_str(), nullptr, nullptr);
    return error == CL_SUCCESS ? program : nullptr;
}

Result<Bytes> Device::binary_of(cl_program program) const {
    // A program of a context with several devices has a place for each, and was built for this one alone.
    cl_uint count = 0;
    cl_int error = cl.clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, nullptr);
    std::vector<cl_device_id> devices(count);
    std::vector<size_t> sizes(count);
    if (error == CL_SUCCESS)
        error = cl.clGetProgramInfo(program, CL_PROGRAM_DEVICES, count * sizeof(cl_device_id), devices.data(), nullptr);
    if (error == CL_SUCCESS)
        error = cl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, count * sizeof(size_t), sizes.data(), nullptr);
    std::vector<unsigned char*> places(count);
    Bytes binary;
    for (size_t i = 0; i < count && error == CL_SUCCESS; ++i) {
        if (devices[i] != id) continue;
        binary.resize(sizes[i]);
        places[i] = binary.data();
    }
    if (error == CL_SUCCESS)
        error =
            cl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, count * sizeof(unsigned char*), places.data(), nullptr);
    if (error != CL_SUCCESS) return failed("clGetProgramInfo", error);
    return binary;
}

Result<Bytes> Device::kernels(const std::vector<cl_program>* of) const {
    const std::lock_guard guard(programs_->lock);
    Binaries all;
    for (const auto& [source, program] : programs_->made) {
        if (of && std::ranges::find(*of, program.get()) == of->end()) continue;
        auto binary = binary_of(program.get());
        if (!binary) return binary;
        all[source] = std::move(*binary);
    }
    return to_blob(id_of_kernels_, all);
}

Result<void> Device::add_kernels(std::span<const uint8_t> blob) {
    auto programs = from_blob(id_of_kernels_, blob);
    if (!programs) return Refusal(programs.error());
    const std::lock_guard guard(programs_->lock);
    programs_->given.merge(std::move(*programs));
    return {};
}

} // namespace tessera::gpu
