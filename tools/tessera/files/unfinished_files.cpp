// SPDX-License-Identifier: Apache-2.0
#include "files/unfinished_files.hpp"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

namespace tessera {
namespace {

// Taking a name out of its slot takes ownership: either the signal handler, on any thread, or forget_unfinished().
std::atomic<char*> names[8];
std::atomic<int> waiting{0}, came{0};

constexpr int asked_to_end[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};
constexpr int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

void end(int signal) {
    for (auto& name : names)
        if (const char* taken = name.exchange(nullptr)) ::unlink(taken);
    if (signal == SIGBUS) {
        static constexpr char text[] = "tessera: a mapped file has shrunk, or its disk is full\n";
        (void)!::write(STDERR_FILENO, text, sizeof text - 1);
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal); // delivered when the handler returns
}

void end_unless_waiting(int signal) {
    if (waiting.load() == 0) return end(signal);
    came = signal;
}

void handle(int signal, void (*handler)(int)) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) return;
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    ::sigaction(signal, &action, nullptr);
}

} // namespace

void remove_unfinished_on_signals() {
    for (const int signal : asked_to_end) handle(signal, end_unless_waiting);
    for (const int signal : faults) handle(signal, end);
    std::signal(SIGXFSZ, SIG_IGN);
}

int remember_unfinished(const char* name) {
    char* copy = ::strdup(name);
    for (int slot = 0; copy && slot < int(std::size(names)); ++slot)
        if (char* free = nullptr; names[slot].compare_exchange_strong(free, copy)) return slot;
    std::free(copy);
    return -1;
}

void forget_unfinished(int slot) {
    if (slot >= 0) std::free(names[slot].exchange(nullptr));
}

SignalsWait::SignalsWait() { ++waiting; }

SignalsWait::~SignalsWait() {
    if (--waiting == 0)
        if (const int signal = came.exchange(0)) std::raise(signal);
}

} // namespace tessera
