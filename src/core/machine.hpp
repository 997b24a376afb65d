// SPDX-License-Identifier: Apache-2.0
// Machine: the facts about a processor that selection and schedules read. No code and no CPUID here; the CPU engine
// describes the machine it runs on (src/cpu/machine.cpp), and tests describe machines they do not have. Context: a
// machine, and what differs between the steps that one selection makes for it.
#pragma once

#include <cstdint>
#include <string>

namespace tessera {

struct Machine {
    std::string name = "portable";
    uint32_t isa = 0; // bits of dnnl_cpu_isa_t
    int vector_bytes = 16;
    bool byte_permute = false; // AVX-512 VBMI, which no bit of dnnl_cpu_isa_t names
    // Products in bf16 (AVX-512 BF16) are faster than in f32: twice the rate on Zen 4, half on Intel (measured).
    bool fast_bf16_products = false;
    bool two_shuffles = false;       // a cycle, of vectors of 64 bytes across lanes: Zen 5; Zen 4 and Intel do one
    bool spare_vector_pipes = false; // an xor of 64 bytes costs nothing beside two products a cycle: Zen 5
    bool follows_rows = false; // the hardware prefetches as many rows of a matrix as a register block reads: Zen 5
    int64_t l1_ways = 8;       // lines of addresses a page apart that L1 holds at a time
    int64_t l1_bytes = 32 << 10, l2_bytes = 1 << 20, l3_bytes = 16 << 20; // l1, l2 per core; l3 shared
    int64_t stream_bytes = 16 << 20; // bytes read and written from which non-temporal stores win (ONEDNN_STREAM_BYTES)
    // Bytes a step touches up to which it stays on the calling thread: a sleeping team takes about 50 us to wake, and
    // one core moves 256 KiB in 10 to 30 us.
    int64_t parallel_bytes = 256 << 10;
};

// Facts of the machine are the same for all steps of a plan; these are not. Where facts are enough, functions take a
// Machine: a Context becomes one by itself, and never the other way round.
struct Context : Machine {
    Context() = default;
    explicit Context(const Machine& facts, int team = 1) : Machine(facts), threads(team) {}

    int threads = 1;   // that share the step
    int64_t times = 1; // the step runs one after the other in an execution: at the points of a group

    // Whether stores of a step that reads and writes so many bytes go past the caches: all that it does in an execution
    // counts.
    bool streams(int64_t bytes) const { return bytes > stream_bytes / times; }
};

// The same context for what a single thread runs.
inline Context with_one_thread(Context context) {
    context.threads = 1;
    return context;
}

} // namespace tessera
