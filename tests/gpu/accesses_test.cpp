// SPDX-License-Identifier: Apache-2.0
// Reorders, shuffles and maps as a GPU reads and writes them: between all layouts that networks use, nearly all bytes
// of each sector that is touched are used, and a work-item waits for many bytes at a time.
#include <gtest/gtest.h>

#include "accesses.hpp"
#include "line/problem_line.hpp"
#include "ops/ops.hpp"
#include "trial/experiment.hpp"

namespace tessera::test {

namespace {

// One of the size that an H200 has.
const gpu::DeviceRow a_gpu = [] {
    gpu::DeviceRow row{.lanes = 256, .units = 132, .local_bytes = 48 << 10, .vector_floats = 1};
    row.unrolls = false;
    return row;
}();

std::shared_ptr<gpu::Device> device() {
    const gpu::OpenCl* cl = gpu::opencl();
    const auto ids = cl ? gpu::device_ids() : Result<std::vector<cl_device_id>>(std::vector<cl_device_id>());
    if (!ids || ids->empty()) return nullptr;
    auto made = gpu::Device::make(*cl, ids->front());
    return made ? *made : nullptr;
}

gpu::KernelPlan kernels_of(const char* line) {
    const auto problem = problem_of(*parse_problem_line(line));
    return gpu::kernel_plan(a_gpu, *ops::row(problem->kind).lower(*problem));
}

} // namespace

TEST(Accesses, of_movers) {
    const auto on = device();
    if (!on) GTEST_SKIP() << "no device of OpenCL";
    const char* lines[] = {
        "reorder --stag=abcd --dtag=abcd 8x64x56x56",
        "reorder --stag=abcd --dtag=acdb 8x64x56x56",
        "reorder --stag=acdb --dtag=abcd 8x64x56x56",
        "reorder --stag=abcd --dtag=aBcd16b 8x64x56x56",
        "reorder --stag=aBcd16b --dtag=abcd 8x64x56x56",
        "reorder --stag=acdb --dtag=aBcd16b 8x64x56x56",
        "reorder --stag=aBcd16b --dtag=acdb 8x64x56x56",
        "reorder --stag=abcd --dtag=aBcd8b 8x64x56x56",
        "reorder --stag=aBcd8b --dtag=abcd 8x64x56x56",
        "reorder --stag=aBcd8b --dtag=aBcd16b 8x64x56x56",
        "reorder --stag=aBcd8b --dtag=acdb 8x64x56x56",
        "reorder --stag=acdb --dtag=aBcd8b 8x64x56x56",
        "reorder --stag=abcde --dtag=acdeb 2x32x8x56x56",
        "reorder --stag=acdeb --dtag=abcde 2x32x8x56x56",
        "reorder --stag=ab --dtag=ba 1024x2048",
        "reorder --stag=ba --dtag=ab 1000x2000",
        "reorder --stag=abcd --dtag=ABcd16b16a 512x512x3x3",
        "reorder --stag=ABcd16b16a --dtag=abcd 512x512x3x3",
        "reorder --stag=abcd --dtag=acdb 256x512x7x7",
        "reorder --stag=acdb --dtag=abcd 256x512x7x7",
        "reorder --sdt=u8 --ddt=f32 --stag=acdb --dtag=abcd 32x3x224x224",
        "reorder --sdt=f32 --ddt=u8 --stag=abcd --dtag=acdb 32x3x224x224",
        "reorder --sdt=u8 --ddt=u8 --stag=acdb --dtag=abcd 32x3x224x224",
        "reorder --stag=abcd --dtag=acdb 32x3x224x224",
        "reorder --stag=acdb --dtag=abcd 32x3x224x224",
        "reorder --sdt=bf16 --ddt=bf16 --stag=abcd --dtag=acdb 8x64x56x56",
        "reorder --sdt=f16 --ddt=f16 --stag=acdb --dtag=abcd 8x64x56x56",
        "reorder --sdt=s8 --ddt=s8 --stag=abcd --dtag=acdb 8x64x56x56",
        "reorder --sdt=s8 --ddt=s8 --stag=acdb --dtag=abcd 8x64x56x56",
        "reorder --sdt=s8 --ddt=s8 --stag=aBcd16b --dtag=acdb 8x64x56x56",
        "reorder --sdt=s8 --ddt=s8 --stag=abcd --dtag=abcd 8x64x56x56",
        "reorder --sdt=bf16 --ddt=bf16 --stag=aBcd16b --dtag=acdb 8x64x56x56",
        "reorder --sdt=f32 --ddt=bf16 --stag=abcd --dtag=abcd 8x64x56x56",
        "reorder --sdt=f32 --ddt=s8 --stag=abcd --dtag=acdb 8x64x56x56",
        "reorder --sdt=s8 --ddt=f32 --stag=acdb --dtag=abcd 8x64x56x56",
        "reorder --sdt=bf16 --ddt=f32 --stag=aBcd16b --dtag=abcd 8x64x56x56",
        "reorder --sdt=f64 --ddt=f64 --stag=abcd --dtag=acdb 8x64x56x56",
        "shuffle --stag=abcd --axis=1 --group=4 8x64x56x56",
        "shuffle --stag=acdb --axis=1 --group=4 8x64x56x56",
        "shuffle --stag=aBcd16b --axis=1 --group=4 8x64x56x56",
        "shuffle --dt=bf16 --stag=acdb --axis=1 --group=4 8x64x56x56",
        "shuffle --dt=s8 --stag=acdb --axis=1 --group=4 8x64x56x56",
        "eltwise --alg=relu --stag=abcd 8x64x56x56",
        "eltwise --dt=bf16 --alg=relu --stag=abcd 8x64x56x56",
        "eltwise --dt=s8 --alg=relu --stag=abcd 8x64x56x56",
        "binary --alg=add --stag=abcd:abcd 8x64x56x56:1x64x1x1",
        "binary --alg=add --stag=acdb:acdb 8x64x56x56:1x64x1x1",
        "binary --alg=add --stag=abcd:acdb 8x64x56x56:8x64x56x56",
    };
    std::puts("Shares of sectors that are used: by groups, read and written; by instructions, read and written.\n"
              "Passes of local memory for an instruction. Bytes that a work-item loads before it stores.");
    for (const char* line : lines) {
        const gpu::KernelPlan kernels = kernels_of(line);
        const auto a = accesses(*on, kernels.plan, gpu::kernels_of(a_gpu, kernels)[0]);
        ASSERT_TRUE(a) << line << ": " << a.error().reason;
        std::printf("%.2f %.2f  %.2f %.2f  %.2f %3.0f  %s\n", a->read, a->written, a->read_at_once, a->written_at_once,
                    a->conflicts, a->in_flight, line);
        EXPECT_GE(a->read, 0.9) << line;
        EXPECT_GE(a->written, 0.9) << line;
        EXPECT_LE(a->conflicts, 1.5) << line;
        EXPECT_GE(a->in_flight, 16) << line;
    }
}

// There is no memory to run them in.
TEST(Accesses, of_movers_with_places_of_64_bits_compile) {
    const auto on = device();
    if (!on) GTEST_SKIP() << "no device of OpenCL";
    for (const char* line : {"reorder --sdt=s8 --ddt=s8 --stag=ab --dtag=ba 100000x100000",
                             "reorder --sdt=f32 --ddt=bf16 --stag=ab --dtag=ab 100000x100000",
                             "shuffle --dt=bf16 --stag=aBcd16b --axis=1 --group=5 40000x70x112x112",
                             "shuffle --stag=acdb --axis=1 --group=4 40000x64x112x112"}) {
        const gpu::KernelPlan kernels = kernels_of(line);
        const gpu::Launch launch = gpu::kernels_of(a_gpu, kernels)[0].launch;
        EXPECT_TRUE(launch.wide) << line;
        const auto program = on->program(launch.source);
        EXPECT_TRUE(program) << line << ": " << program.error().reason;
    }
}

} // namespace tessera::test
