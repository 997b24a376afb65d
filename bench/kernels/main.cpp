// SPDX-License-Identifier: Apache-2.0
// product_kernels: the kernels of products, one thread, against peaks measured in turns with them.
//
//   product_kernels                          every kernel that this processor runs
//   product_kernels --filter amx --turns 15
//
// peak=1 is products from registers alone; fed=1 the same products with the loads of an 8x48 block, from the first
// level: power limits the clock, and loads draw some. Few rows are measured against reading their weights. Columns are
// the medians of fractions; L1: operands in the first level, L2: B there (AMX: A), one operand stays in the first.
#include <cstdio>
#include <stdexcept>

#include <fmt/format.h>

#include "arguments.hpp"
#include "cpu/engine.hpp"
#include "measure.hpp"

int main(int argc, char** argv) try {
    using namespace tessera;
    using namespace tessera::cpu;
    bench::Options o;
    CommandLine program("Kernels of products against their peaks, in turns", "product_kernels");
    program.option("--filter", o.filter, "Only kernels whose name contains this");
    program.option("--turns", o.turns, "Turns of kernel and peaks").range(1, 1000).shows_default();
    if (const auto code = program.parse(argc, argv)) return *code;
    const Machine& machine = this_machine();
    if (!jit::has_target(machine)) throw std::runtime_error("no generated code for this processor");
    const jit::Target best = jit::target_of(machine);
    const jit::Target narrow{32, 16, false, false, false, (machine.isa & 0xf) == 0xf};
    const bench::Buffer memory(bench::bytes_of_memory);
    fmt::print("{:44} {:>8} {:>6} {:>6}\n", "kernel", "Gop/s", "peak", "fed");
    if (best.vector_bytes == 64) measure_blocks(o, best, memory);
    if (best.amx) measure_tiles(o, best, memory);
    measure_blocks(o, narrow, memory);
    if (best.vector_bytes == 64) measure_few_rows(o, best, memory);
    measure_few_rows(o, narrow, memory);
    return 0;
} catch (const std::exception& e) {
    fmt::print(stderr, "product_kernels: {}\n", e.what());
    return 1;
}
