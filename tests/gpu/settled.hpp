// SPDX-License-Identifier: Apache-2.0
// Counts that another thread is about to lower.
#pragma once

#include <chrono>
#include <thread>

namespace tessera::test {

// What `count` says, once that is `expected` or five seconds have passed: PoCL's threads let go of a command, and with
// it of its queue and context, a moment after clFinish has returned.
template <typename Count> unsigned settled(Count count, unsigned expected) {
    for (int i = 0; i < 5000 && count() != expected; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return count();
}

} // namespace tessera::test
