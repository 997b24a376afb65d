// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/code/inspection.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include <fmt/format.h>
#if defined(__linux__)
#include <unistd.h>
#endif

#include "core/at_fork.hpp"
#include "core/made_once.hpp"
#include "core/verbose/verbose.hpp"
#include "cpu/jit/code/jitdump.hpp"

namespace tessera::cpu::jit {

namespace {

void check_vtune(unsigned profilers, const char* asked_by) {
    if (profilers & vtune)
        verbose::warning(
            fmt::format("{}: VTune's interface is not built in; 2 (perf map) and 6 (jitdump) are", asked_by));
}

unsigned asked(const char* name) { // by the environment
    return unsigned(verbose::environment_number(name, 0, 0));
}

struct Switches {
    std::atomic<bool> dump{asked("JIT_DUMP") != 0};
    std::atomic<unsigned> profilers{asked("JIT_PROFILE")};
    std::atomic<bool> vcode{false};
    std::string directory; // with directory_lock

    Switches() { check_vtune(profilers, "ONEDNN_JIT_PROFILE"); }
};

constinit MadeOnce<Switches> the_switches;
constinit std::mutex directory_lock;
const bool directory_lock_known = at_fork(directory_lock);

Switches& switches() { return the_switches.get(); }

void write_dump(const std::string& name, std::span<const uint8_t> code) {
    static std::atomic<int> count{0};
    // A part of the name: all of it may be longer than the 255 bytes of a file's, and the number tells kernels apart.
    std::string file = fmt::format("dnnl_dump_cpu_{:.100}.{}.bin", name, count++);
    for (char& c : file)
        if (c == ' ' || c == ':' || c == '/') c = '_';
    if (std::FILE* f = std::fopen(file.c_str(), "wb")) {
        std::fwrite(code.data(), 1, code.size(), f);
        std::fclose(f);
    }
}

void write_perf_map([[maybe_unused]] const std::string& name, [[maybe_unused]] const void* address,
                    [[maybe_unused]] size_t bytes) {
#if defined(__linux__)
    if (std::FILE* f = std::fopen(fmt::format("/tmp/perf-{}.map", getpid()).c_str(), "a")) {
        fmt::print(f, "{:x} {:x} tessera {}\n", reinterpret_cast<uintptr_t>(address), bytes, name);
        std::fclose(f);
    }
#endif
}

std::string jitdump_directory(Switches& s) {
    {
        const std::lock_guard guard(directory_lock);
        if (!s.directory.empty()) return s.directory;
    }
    for (const char* variable : {"JITDUMPDIR", "HOME"})
        if (const char* text = std::getenv(variable); text && *text) return text;
    return ".";
}

} // namespace

void set_dump(bool on) { switches().dump = on; }

void keep_vcode(bool on) { switches().vcode = on; }
bool vcode_is_kept() { return switches().vcode; }

void set_profiling(unsigned profilers) {
    switches().profilers = profilers;
    check_vtune(profilers, "dnnl_set_jit_profiling_flags");
}

void set_jitdump_directory(const std::string& directory) {
    Switches& s = switches();
    const std::lock_guard guard(directory_lock);
    s.directory = directory;
}

void tell_inspectors(const std::string& name, const void* address, std::span<const uint8_t> code) {
    Switches& s = switches();
    if (s.dump) write_dump(name, code);
    const unsigned profilers = s.profilers;
    if (profilers & perf_map) write_perf_map(name, address, code.size());
    if (!(profilers & jitdump)) return;
    const auto told = append_to_jitdump(jitdump_directory(s), profilers & jitdump_counts, name, address, code);
    if (told) return;
    s.profilers &= ~jitdump; // it would fail for every kernel
    verbose::warning("jitdump: " + told.error().reason);
}

} // namespace tessera::cpu::jit
