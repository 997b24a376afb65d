// The CPU engine: compiles plans for the machine it runs on.
#pragma once

#include <memory>

#include "core/engine.hpp"

namespace tessera::cpu {

const Machine& this_machine();         // read once from CPUID and the operating system
std::shared_ptr<Engine> make_engine(); // all CPU engines are interchangeable

// What happens to kernels generated from now on: written to dnnl_dump_cpu_<kernel>.<n>.bin in the working directory
// (also by ONEDNN_JIT_DUMP=1); named in /tmp/perf-<pid>.map (also by ONEDNN_JIT_PROFILE=2).
void set_jit_dump(bool on);
void set_perf_map(bool on);

} // namespace tessera::cpu
