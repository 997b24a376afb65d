// Rows of two machines for which golden texts are made, whatever the host is.
#pragma once

#include "core/machine.hpp"

namespace tessera {

inline Machine avx512_machine() { // as a Zen 4 with two processors
    Machine m;
    m.name = "avx512, 2 threads";
    m.isa = 0xe7;
    m.vector_bytes = 64;
    m.byte_permute = true;
    m.threads = 2;
    m.l1_bytes = 32 << 10, m.l2_bytes = 1 << 20, m.l3_bytes = m.stream_bytes = 32 << 20;
    return m;
}

inline Machine avx2_machine() { // as a Zen 2
    Machine m;
    m.name = "avx2, 8 threads";
    m.isa = 0x7;
    m.vector_bytes = 32;
    m.threads = 8;
    m.l1_bytes = 32 << 10, m.l2_bytes = 512 << 10, m.l3_bytes = m.stream_bytes = 16 << 20;
    return m;
}

} // namespace tessera
