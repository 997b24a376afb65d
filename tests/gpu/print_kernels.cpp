// SPDX-License-Identifier: Apache-2.0
// Prints the OpenCL C of a problem's steps for a device that need not be here, each to a file of a folder:
//
// Prints of each its file, the registers of a work-item, what it runs.
//
//   gpu_kernels capability=90,lanes=256,units=132,local_bytes=49152 folder "matmul 512x512:512x512"
//
// With a capability the kernels have PTX (tools/ptx.sh).
#include <cstdio>
#include <fstream>

#include <fmt/format.h>

#include "gpu/kernels.hpp"
#include "line/problem_line.hpp"
#include "ops/ops.hpp"
#include "trial/experiment.hpp"

int main(int argc, char** argv) {
    using namespace tessera;
    if (argc < 4) return 2;
    auto row = gpu::with_facts({}, argv[1]);
    if (!row) return std::fprintf(stderr, "%s\n", row.error().reason.c_str()), 1;
    row->ptx = row->capability > 0, row->dots = row->ptx;
    row->multiplies_matrices = row->matrices > 0;
    for (int i = 3, number = 0; i < argc; ++i) {
        const auto line = parse_problem_line(argv[i]);
        const auto problem = line ? problem_of(*line) : Refusal(line.error());
        const auto plan = problem ? ops::row(problem->kind).lower(*problem) : Refusal(problem.error());
        if (!plan) return std::fprintf(stderr, "%s: %s\n", argv[i], plan.error().reason.c_str()), 1;
        const gpu::KernelPlan runs = gpu::kernel_plan(*row, *plan);
        for (const auto& [step, launch, operands, beside] : gpu::kernels_of(*row, runs)) {
            const std::string path = fmt::format("{}/{:02}.cl", argv[2], number++);
            std::ofstream(path) << "// " << argv[i] << "\n" << launch.source;
            fmt::print("{} {} {} groups of {}: {} of {}\n", path, launch.registers ? launch.registers : 255,
                       launch.groups, launch.lanes, name(runs.plan.steps[step].kind), argv[i]);
        }
    }
    return 0;
}
