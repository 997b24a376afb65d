// SPDX-License-Identifier: Apache-2.0
// A description of the current test that is printed to stderr if an access to a guard page ends it.
#pragma once

#include <csignal>
#include <cstring>
#include <string>

#include <unistd.h>

namespace tessera {

// Where it is said and how; `ends`: that is all then, with exit code 1.
struct FaultReport {
    int stream = STDERR_FILENO;
    const char *memory = "a fault in: ", *arithmetic = memory;
    bool ends = false;
};
inline FaultReport fault_report;

inline char current_case[512];
inline constexpr int fault_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
inline struct sigaction actions_before[4]; // a sanitizer's, which knows where

// Kept until the next call; the first one installs the handler.
inline void doing(const std::string& text) {
    static const bool installed = [] {
        struct sigaction action {};
        action.sa_handler = [](int signal) { // returns to the instruction that faults, which does it again
            const auto say = [](const char* words) { (void)!::write(fault_report.stream, words, std::strlen(words)); };
            say(signal == SIGFPE ? fault_report.arithmetic : fault_report.memory), say(current_case), say("\n");
            if (fault_report.ends) _exit(1);
            for (int i = 0; i < 4; ++i) sigaction(fault_signals[i], &actions_before[i], nullptr);
        };
        for (int i = 0; i < 4; ++i) sigaction(fault_signals[i], &action, &actions_before[i]);
        return true;
    }();
    (void)installed;
    std::strncpy(current_case, text.c_str(), sizeof current_case - 1);
}

} // namespace tessera
