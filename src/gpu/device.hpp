// SPDX-License-Identifier: Apache-2.0
// Devices of OpenCL, each with a context, a queue of the library's own, and the kernels that were compiled for it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.hpp"
#include "gpu/binaries.hpp"
#include "gpu/opencl.hpp"
#include "gpu/usm.hpp"

namespace tessera::gpu {

class Device {
public:
    // Without a context it makes one; that of a caller is retained.
    static Result<std::shared_ptr<Device>> make(const OpenCl& cl, cl_device_id id, cl_context context = nullptr);

    const OpenCl& cl;
    const cl_device_id id;
    std::string name;
    bool doubles = false;          // f64
    bool processor = false;        // no GPU
    bool dots = false;             // cl_khr_integer_dot_product
    bool limits_registers = false; // cl_nv_compiler_options
    // Work-items of its sub-groups with cl_intel_subgroup_matrix_multiply_accumulate, or 0.
    std::atomic<int> matrices = 0;
    std::atomic<bool> matrices_checked = false;
    cl_context context() const { return context_.get(); }
    cl_command_queue queue() const { return queue_.get(); }
    const Usm& usm() const { return usm_; }
    // After a blocking copy on queue(), which returned `error`: Intel's CPU run time (2026.2) returns before the copy
    // has ended, and kernels on other queues then got garbage as arguments, 10 to 20 of 60.
    Result<void> copied(std::string_view call, cl_int error) const;

    // Compiled once for equal sources, or found in a blob or on disk; the error has the compiler's words.
    // `registers` as in Launch, the same for the same source.
    Result<Owned<cl_program>> program(const std::string& source, int registers = 0);
    Result<Owned<cl_kernel>> kernel(cl_program program, const char* name) const; // a new one: it holds its arguments
    Result<void> set_argument(cl_kernel kernel, cl_uint number, cl_mem memory) const;
    const std::string& id_of_kernels() const { return id_of_kernels_; } // device, driver and options: binaries.hpp
    // All programs, or those of a list, as bytes; and bytes for program() to find.
    Result<Bytes> kernels(const std::vector<cl_program>* of) const;
    Result<void> add_kernels(std::span<const uint8_t> blob);
    Result<Owned<cl_command_queue>> make_queue(cl_command_queue_properties properties) const;
    // Queues with kernels that use shared memory, which are finished before some of it is freed.
    void uses_shared_memory(const Owned<cl_command_queue>& queue);
    void finish_shared_memory();
    Result<Owned<cl_mem>> buffer(size_t bytes, const void* contents = nullptr); // of at least 4 bytes

private:
    Device(const OpenCl& functions, cl_device_id device) : cl(functions), id(device) {}
    Owned<cl_context> context_;
    Owned<cl_command_queue> queue_;
    Usm usm_;
    std::mutex shared_lock_;
    std::vector<std::weak_ptr<std::remove_pointer_t<cl_command_queue>>> shared_queues_;
    struct Programs;
    std::shared_ptr<Programs> programs_;
    std::string id_of_kernels_;
    void start_programs();
    Result<Owned<cl_program>> compiled(const std::string& source, int registers) const;
    Owned<cl_program> from_binary(const Bytes& binary) const; // null: compile
    Result<Bytes> binary_of(cl_program program) const;
};

// "OpenCL: clCreateBuffer failed: CL_INVALID_BUFFER_SIZE (-61)"; out_of_memory where the error says that.
Refusal failed(std::string_view call, cl_int error);

std::string id_of_kernels(const OpenCl& cl, cl_device_id id);

// GPUs and accelerators; processors too where TESSERA_OPENCL_DEVICES=all asks for them.
Result<std::vector<cl_device_id>> device_ids();

} // namespace tessera::gpu
