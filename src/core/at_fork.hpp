// SPDX-License-Identifier: Apache-2.0
// pthread_atfork for the library's mutexes. A child of fork() has one thread and a copy of all memory: a mutex that
// another thread held would stay locked forever, guarding half-changed data. So fork() takes every lock first.
//
//   constinit std::mutex lock;
//   const bool known = at_fork(lock, [] { forget what other threads were doing });
//
// A static initialiser makes the call. These mutexes are constinit, because the guard of a function-local static would
// be one more lock that a child may find taken (core/made_once.hpp is for the objects they guard). None of them is
// taken while another one is held, so there is no lock order to keep.
#pragma once

#include <mutex>

namespace tessera {

// Registers `lock`. With all locks held, `parent` runs in the parent just before the fork and `child` in the child just
// after it. Returns true.
bool at_fork(std::mutex& lock, void (*child)() = nullptr, void (*parent)() = nullptr);

} // namespace tessera
