// SPDX-License-Identifier: Apache-2.0
// No threads: everything on the caller's.
#include "cpu/runtime/threads.hpp"

#include "cpu/runtime/ranges.hpp"

namespace tessera::cpu {

Runtime runtime() { return Runtime::seq; }

int max_threads() { return 1; }
void set_max_threads(int) {} // one is all there is

void for_chunks(int64_t chunks, int, const Threads&, ChunkBody body, const void* context) {
    run_here(chunks, body, context);
}

} // namespace tessera::cpu
