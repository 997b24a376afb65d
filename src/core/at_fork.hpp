// What a child of fork() finds. It has one thread and a copy of everything, locks included; one that another thread
// held would stay locked for ever, around data that are half changed. So fork() takes every lock of the library first.
//
//   constinit std::mutex lock;
//   const bool known = at_fork(lock, [] { forget what other threads were doing });
//
// A static initialiser makes the call. Such locks are constinit, for the guard of a function's static would be one more
// lock that a child may find taken (core/made_once.hpp is for the objects behind them), and none of them is taken while
// another one is held, which leaves no order to agree on.
#pragma once

#include <mutex>

namespace tessera {

// With all locks held, `child` runs in every child, in its only thread, and `parent` in the parent, before the child is
// there. Answers true.
bool at_fork(std::mutex& lock, void (*child)() = nullptr, void (*parent)() = nullptr);

} // namespace tessera
