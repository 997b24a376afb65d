// The machines that random plans are compiled for: what the processor under the test can run, everything it has and
// less of it. Kernels differ by the width of vectors, by permutes of bytes and by bf16 instructions; with 512 bits all
// four combinations of the last two exist (Skylake none, Ice Lake permutes, Cooper Lake bf16, Sapphire Rapids both).
#pragma once

#include <vector>

#include "cpu/engine.hpp"

namespace tessera::fuzz {

// Two of them for each seed, so that a run of many seeds meets all: the whole machine, and AVX2 or one between.
inline std::vector<Machine> generating_machines(uint64_t seed) {
    constexpr uint32_t avx2 = 0x7, avx512 = 0x27, bf16 = 0xe7;
    const Machine whole = [] {
        Machine m = cpu::this_machine();
        m.stream_bytes = 512; // streams wherever they are possible, in spite of small problems
        m.threads = 2;
        return m;
    }();
    std::vector<Machine> list;
    const bool wide = (whole.isa & avx512) == avx512;
    if (wide) list.push_back(whole);
    if (wide && seed % 2 == 0) {
        Machine m = whole;
        m.l2_bytes = 4 << 10; // groups of steps in several chunks
        m.byte_permute = whole.byte_permute && seed % 3 == 1;
        m.isa &= seed % 3 == 2 ? bf16 : avx512;
        m.name = m.byte_permute ? "avx512 with byte permutes" : seed % 3 == 2 ? "avx512 with bf16" : "avx512";
        list.push_back(m);
    }
    if ((whole.isa & avx2) == avx2 && (!wide || seed % 2 == 1)) {
        Machine m = whole;
        m.isa = avx2, m.vector_bytes = 32, m.byte_permute = false, m.l2_bytes = 4 << 10, m.name = "avx2";
        list.push_back(m);
    }
    return list;
}

} // namespace tessera::fuzz
