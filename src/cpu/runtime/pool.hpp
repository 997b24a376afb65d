// SPDX-License-Identifier: Apache-2.0
// A pool of the library's own threads, which help a caller with its chunks. No barrier: the caller works too, and
// returns when the last chunk is done, whether or not a helper ever woke up. It waits only for chunks that a helper has
// begun.
//
//   share(16, 3, body, context);   // body(context, 0) ... body(context, 15), on this thread and up to 3 helpers
//
// Any number of threads may call at once; they share the helpers, and one that finds none free works alone. A call from
// inside of a chunk works alone. Helpers are made when first asked for, compute in the caller's floating-point
// environment, are not inherited by fork(), and are joined when the library is unloaded. Chunks throw nothing.
#pragma once

#include <cstdint>

#include "cpu/runtime/threads.hpp"

namespace tessera::cpu {

bool inside_shared_chunk(); // this thread is running a chunk of share()
void share(int64_t chunks, int most_helpers, ChunkBody body, const void* context);

} // namespace tessera::cpu
