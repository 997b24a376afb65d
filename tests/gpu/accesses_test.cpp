// SPDX-License-Identifier: Apache-2.0
// Kernels as a GPU reads and writes them: between all layouts that networks use, nearly all bytes of each sector that
// is touched are used, and a work-item waits for many bytes at a time, and seldom for its group.
#include <gtest/gtest.h>

#include "accesses.hpp"
#include "first_device.hpp"
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

gpu::KernelPlan kernels_of(const char* line) {
    const auto problem = problem_of(*parse_problem_line(line));
    return gpu::kernel_plan(a_gpu, *ops::row(problem->kind).lower(*problem));
}

} // namespace

TEST(Accesses, of_movers) {
    const auto on = first_device();
    if (!on) GTEST_SKIP() << "no device of OpenCL";
    const char* lines[] = {
        "reorder --stag=abcd --dtag=acdb 8x64x56x56",
        "reorder --stag=acdb --dtag=abcd 8x64x56x56",
        "reorder --stag=abcd --dtag=aBcd16b 8x64x56x56",
        "reorder --stag=aBcd16b --dtag=abcd 8x64x56x56",
        "reorder --stag=acdb --dtag=aBcd16b 8x64x56x56",
        "reorder --stag=aBcd16b --dtag=acdb 8x64x56x56",
        "reorder --stag=aBcd8b --dtag=aBcd16b 8x64x56x56",
        "reorder --stag=abcde --dtag=acdeb 2x32x8x56x56",
        "reorder --stag=ab --dtag=ba 1024x2048",
        "reorder --stag=abcd --dtag=ABcd16b16a 512x512x3x3",
        "reorder --stag=abcd --dtag=acdb 256x512x7x7",
        "reorder --sdt=u8 --ddt=f32 --stag=acdb --dtag=abcd 32x3x224x224",
        "reorder --sdt=f32 --ddt=u8 --stag=abcd --dtag=acdb 32x3x224x224",
        "reorder --stag=abcd --dtag=acdb 32x3x224x224",
        "reorder --sdt=bf16 --ddt=bf16 --stag=abcd --dtag=acdb 8x64x56x56",
        "reorder --sdt=f16 --ddt=f16 --stag=acdb --dtag=abcd 8x64x56x56",
        "reorder --sdt=s8 --ddt=s8 --stag=abcd --dtag=acdb 8x64x56x56",
        "reorder --sdt=s8 --ddt=s8 --stag=aBcd16b --dtag=acdb 8x64x56x56",
        "reorder --sdt=s8 --ddt=s8 --stag=abcd --dtag=abcd 8x64x56x56",
        "reorder --sdt=f32 --ddt=bf16 --stag=abcd --dtag=abcd 8x64x56x56",
        "reorder --sdt=f32 --ddt=s8 --stag=abcd --dtag=acdb 8x64x56x56",
        "reorder --sdt=f64 --ddt=f64 --stag=abcd --dtag=acdb 8x64x56x56",
        "shuffle --stag=acdb --axis=1 --group=4 8x64x56x56",
        "shuffle --stag=aBcd16b --axis=1 --group=4 8x64x56x56",
        "shuffle --dt=s8 --stag=acdb --axis=1 --group=4 8x64x56x56",
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

// Sums, windows and groups of steps: the sectors that a group touches and its instructions touch again, beside what it
// should; how often the slowest work-item waits for memory, one load after the other, and for its group.
TEST(Accesses, of_sums) {
    const auto on = first_device();
    if (!on) GTEST_SKIP() << "no device of OpenCL";
    struct Case {
        const char* line;
        double waits, barriers, again;
    };
    const Case cases[] = {
        {"softmax --alg=accurate --stag=ab --axis=1 4096x1000", 8, 8, 2.5},
        {"softmax --alg=accurate --stag=acdb --axis=1 8x21x64x64", 8, 6, 2.5},
        {"softmax --alg=accurate --stag=abcd --axis=1 8x21x64x64", 8, 4, 2.5},
        {"layer_normalization --dir=FWD_D --flags=CH --dt=bf16 --stag=ab 4096x2048", 5, 8, 1.5},
        {"reduction --alg=sum --stag=ab 16384x4096:16384x1", 64, 6, 1.1},
        {"reduction --alg=mean --stag=acdb 64x256x56x56:64x256x1x1", 49, 6, 1.1},
        // Taps of 16 bytes, three on their way.
        {"convolution --stag=acdb:any --dtag=acdb --padding=1 8x64x28x28:64x1x1x3x3", 3, 0, 4},
        {"pooling --dir=FWD_I --alg=max --kernel=3x3 --stride=2 --padding=1 --stag=acdb 8x64x56x56:8x64x28x28", 3, 0,
         4},
        {"matmul 1x4096:4096x4096", 8, 2, 1.1},
    };
    std::puts("Shares of sectors that are used, by groups: read and written. Waits for memory and for the group. Bytes "
              "of sectors that\ninstructions touch for one that the group does.");
    for (const Case& c : cases) {
        const gpu::KernelPlan kernels = kernels_of(c.line);
        const auto a = accesses(*on, kernels.plan, gpu::kernels_of(a_gpu, kernels)[0]);
        ASSERT_TRUE(a) << c.line << ": " << a.error().reason;
        std::printf("%.2f %.2f  %3.0f %3.0f  %.2f  %s\n", a->read, a->written, a->waits, a->barriers,
                    a->bytes_at_once / a->bytes, c.line);
        EXPECT_GE(a->read, 0.9) << c.line;
        EXPECT_GE(a->written, 0.9) << c.line;
        EXPECT_LE(a->waits, c.waits) << c.line;
        EXPECT_LE(a->barriers, c.barriers) << c.line;
        EXPECT_LE(a->bytes_at_once, c.again * a->bytes) << c.line;
    }
}

// There is no memory to run them in.
TEST(Accesses, of_movers_with_places_of_64_bits_compile) {
    const auto on = first_device();
    if (!on) GTEST_SKIP() << "no device of OpenCL";
    for (const char* line : {"reorder --sdt=s8 --ddt=s8 --stag=ab --dtag=ba 100000x100000",
                             "reorder --sdt=f32 --ddt=bf16 --stag=ab --dtag=ab 100000x100000",
                             "shuffle --stag=acdb --axis=1 --group=4 40000x64x112x112"}) {
        const gpu::KernelPlan kernels = kernels_of(line);
        const gpu::Launch launch = gpu::kernels_of(a_gpu, kernels)[0].launch;
        EXPECT_TRUE(launch.wide) << line;
        const auto program = on->program(launch.source);
        EXPECT_TRUE(program) << line << ": " << program.error().reason;
    }
}

} // namespace tessera::test
