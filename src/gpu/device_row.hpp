// SPDX-License-Identifier: Apache-2.0
// The row of a device: the facts that kernels are shaped by. Tests take rows of devices they do not have.
#pragma once

#include <cstdint>
#include <string_view>

#include "gpu/device.hpp"

namespace tessera::gpu {

struct DeviceRow {
    // Work-items of a group. On a processor one, which walks its points with the loops that compilers vectorise; on a
    // GPU neighbours access neighbouring elements and share local memory.
    int64_t lanes = 256;
    int64_t units = 16;             // that run groups at the same time
    int64_t local_bytes = 32 << 10; // of local memory for a group
    int64_t vector_floats = 1;      // that the device computes at once in a work-item
    // Ten times the compute capability of NVIDIA's devices, which says what instructions there are; 0: another device.
    int64_t capability = 0;
    int64_t matrices = 0; // work-items of a sub-group that multiplies matrices: 16 or 8; 0: none does
    int64_t dots = 0;     // 1: an instruction multiplies four bytes by four
    bool ptx = false; // the compiler takes PTX; else what a capability has is emulated by OpenCL C, slowly, for tests
    bool multiplies_matrices = false; // by cl_intel_subgroup_matrix_multiply_accumulate; else as without `ptx`
    bool aligned = true; // all handles are multiples of 16 bytes, as cl_mem is; else kernels are ready for any
    bool unrolls = true; // loops where kernels ask for it: a processor on which they are tried compiles for long then
    int64_t wide = 0;    // 1: places have 64 bits where 32 would do, too, so that tests need no tensors of gigabytes
    bool processor() const { return lanes == 1; }
    // By an instruction, faster than by integers, which compilers of processors vectorise.
    bool converts_f16() const { return !processor(); }
};

// As the device says, but for what TESSERA_DEVICE names ("lanes=256,local_bytes=32768"): tests run the kernels of GPUs
// on a processor. Read once; a list with a mistake is ignored as a whole, with a warning.
DeviceRow row_of(const Device& device);
// The row with the facts of such a list, or what is wrong with it.
Result<DeviceRow> with_facts(DeviceRow row, std::string_view list);

} // namespace tessera::gpu
