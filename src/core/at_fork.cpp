// SPDX-License-Identifier: Apache-2.0
#include "core/at_fork.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

namespace tessera {

namespace {

struct Item {
    std::mutex* lock;
    void (*child)();
    void (*parent)();
};

constexpr size_t most = 32;
constinit std::array<Item, most> items{};
constinit std::atomic<size_t> count{0}; // grows only while the library's static initialisers run

void start_parent() {
    for (size_t i = 0; i < count; ++i) items[i].lock->lock();
    for (size_t i = 0; i < count; ++i)
        if (items[i].parent) items[i].parent();
}
void unlock_all() {
    for (size_t i = count; i-- > 0;) items[i].lock->unlock();
}
void start_child() {
    for (size_t i = 0; i < count; ++i)
        if (items[i].child) items[i].child();
    unlock_all();
}

} // namespace

bool at_fork(std::mutex& lock, void (*child)(), void (*parent)()) {
#if __has_include(<pthread.h>)
    if (count == 0) pthread_atfork(start_parent, unlock_all, start_child);
#endif
    if (count == most) std::abort(); // raise `most`: every start of the library ends here
    items[count] = {&lock, child, parent};
    ++count;
    return true;
}

} // namespace tessera
