// Machine: a row of facts about the processor that lower and schedule read. No code, no CPUID here; the CPU engine
// fills the row of the machine it runs on (src/cpu/machine.cpp) and tests use rows of machines they do not have.
#pragma once

#include <cstdint>
#include <string>

namespace tessera {

struct Machine {
    std::string name = "portable";
    uint32_t isa = 0; // bits of dnnl_cpu_isa_t
    int vector_bytes = 16;
    bool byte_permute = false; // AVX-512 VBMI, which no bit of dnnl_cpu_isa_t names
    // Sums of products of bf16 by AVX-512 BF16 are faster than as f32: Zen 4 does twice as many, Intel half (measured).
    bool fast_bf16_products = false;
    int threads = 1;
    int64_t l1_bytes = 32 << 10, l2_bytes = 1 << 20, l3_bytes = 16 << 20; // l1, l2 per core; l3 shared
    int64_t stream_bytes = 16 << 20; // read and written, from which on non-temporal stores win (ONEDNN_STREAM_BYTES)
};

} // namespace tessera
