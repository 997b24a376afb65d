// SPDX-License-Identifier: Apache-2.0
// A team of threads of the library's run time, for measuring what the machine can do with as many threads.
//
//   on_team(library_threads(), [&](int member, int members) { ... });     // each member once, at the same time
#pragma once

#include <functional>

namespace tessera {

int library_threads(); // as many as the library uses; 1 where it has none of its own
void on_team(int threads, const std::function<void(int, int)>& work);

} // namespace tessera
