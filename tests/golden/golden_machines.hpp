// SPDX-License-Identifier: Apache-2.0
// The machines for which golden schedules are made, whatever the host is: all that generate code, with threads and
// caches of processors that have them. Those of AVX2 have 8 threads, the others 2.
#pragma once

#include "machines.hpp"

namespace tessera {

inline std::vector<Context> golden_machines() {
    std::vector<Context> all = generating_machines();
    for (Context& m : all) {
        const bool narrow = m.vector_bytes == 32;
        m.threads = narrow ? 8 : 2;
        m.l1_bytes = 32 << 10, m.l2_bytes = narrow ? 512 << 10 : 1 << 20;
        m.l3_bytes = m.stream_bytes = narrow ? 16 << 20 : 32 << 20;
    }
    return all;
}

} // namespace tessera
