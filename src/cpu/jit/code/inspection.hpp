// SPDX-License-Identifier: Apache-2.0
// Inspection: who is told about kernels when they are made. Switched by the API or the environment, read at first use.
//
//   ONEDNN_JIT_DUMP=1       dnnl_dump_cpu_<kernel>.<n>.bin in the working directory
//   ONEDNN_JIT_PROFILE=2    a line in /tmp/perf-<pid>.map
//   ONEDNN_JIT_PROFILE=6    that and jitdump.hpp's file; 14: with time stamp counts
//
// The jitdump file lies in the directory that was set, else in that of JITDUMPDIR, else of HOME, else the working one.
// Intel's VTune would have to be linked in; who asks for it reads a warning in the log.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tessera::cpu::jit {

enum Profiler : unsigned { vtune = 1, perf_map = 2, jitdump = 4, jitdump_counts = 8 }; // DNNL_JIT_PROFILE_*

void set_dump(bool on);
void set_profiling(unsigned profilers);
void set_jitdump_directory(const std::string& directory); // "": of the environment

// Kernels made from now on keep the text of their vcode, 10 to 100 KB each, for GeneratedCode.
void keep_vcode(bool on);
bool vcode_is_kept();

void tell_inspectors(const std::string& name, const void* address, std::span<const uint8_t> code);

} // namespace tessera::cpu::jit
