// SPDX-License-Identifier: Apache-2.0
// The log of the library: which lines are wanted and the one place that writes them to stdout (VRB-01..VRB-03, VRB-09).
//
//   ONEDNN_VERBOSE=profile,filter=shuffle   lines of creations and executions, of shuffles alone
//
//   if (verbose::on(verbose::profile_exec))
//       verbose::write("primitive", "shuffle", "exec,cpu,shuffle,...,0.012", header);
//
// A line that is not wanted costs one relaxed load. Lines of several threads do not mix: each is one fwrite.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::verbose {

enum Topic : uint32_t {
    error = 1,          // what the machine or the run time refused: no memory, no such engine
    warn = 2,           // settings that are unknown or cannot be honoured
    check = 4,          // what the interface refused, with its reason
    profile_create = 8, // one line a creation
    profile_exec = 16,  // one line an execution
    dispatch = 32,      // problems without implementation
    unread = 1u << 31,  // the environment has not been read yet
};

struct Settings {
    uint32_t topics = error;
    std::string filter;  // regular expression; "" passes everything
    std::string unknown; // words that are no topic, separated by blanks
};
// The value of ONEDNN_VERBOSE: "all", "profile_exec,check", "filter=reorder", the numbers 0, 1, 2. Pure.
Settings parse(std::string_view text);

// ONEDNN_<name>, or DNNL_<name> where the first is not set (BLD-03); nullptr if neither is.
const char* environment(const char* name);

extern std::atomic<uint32_t> topics;
uint32_t read_environment(); // sets the topics and returns them

inline bool on(uint32_t topic) {
    uint32_t now = topics.load(std::memory_order_relaxed);
    if (now == unread) [[unlikely]]
        now = read_environment();
    return (now & topic) != 0;
}

// 0: nothing, 1: executions, 2: creations too; errors with 1 and 2. False for other numbers.
bool set_level(int level);

// Writes "onednn_verbose,v1,<component>,<rest>" if the filter passes the component ("primitive", "common") or `kind`,
// the primitive that the line is about ("" if none); before the first line those that `header` answers. `rest` may
// hold any character but newlines.
void write(std::string_view component, std::string_view kind, std::string_view rest,
           std::vector<std::string> (*header)());

// Reports that an environment variable cannot be honoured: "onednn_verbose,v1,common,warn,ONEDNN_MAX_CPU_ISA: <what>".
// Printed unless ONEDNN_VERBOSE or dnnl_set_verbose() asked for silence; variables are read once, so it comes once.
// `name` is without ONEDNN_, or with TESSERA_.
void setting(const char* name, std::string_view what);

// A number from the environment; `otherwise` if it is not set or, with a warning, if it is no number >= `least`.
int64_t environment_number(const char* name, int64_t otherwise, int64_t least = INT64_MIN);

// A line of topic `warn`, if that is wanted: "onednn_verbose,v1,common,warn,<text>".
void warning(std::string_view text);

// A reason as a field of a line: commas, which separate fields, become semicolons; control characters, which may come
// from a variable, and the middle of what is very long are left out (shown()).
std::string as_field(std::string_view text);

bool timestamps();     // ONEDNN_VERBOSE_TIMESTAMP
double milliseconds(); // of a steady clock

} // namespace tessera::verbose
