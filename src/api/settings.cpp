// SPDX-License-Identifier: Apache-2.0
// The C calls that set or read something of the whole process: verbose level, default math mode, primitive
// cache, instruction set, JIT inspection.
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <string>

#include "api/guard.hpp"
#include "api/objects/handles.hpp"
#include "api/settings.hpp"
#include "core/at_fork.hpp"
#include "core/made_once.hpp"
#include "core/nearest.hpp"
#include "core/verbose/verbose.hpp"
#include "cpu/engine.hpp"
#include "cpu/isa.hpp"
#include "cpu/isa_limit.hpp"
#include "oneapi/dnnl/dnnl_debug.h"
#include "oneapi/dnnl/dnnl_tessera.h"

using namespace tessera;

dnnl_status_t dnnl_set_verbose(int level) {
    return guarded("dnnl_set_verbose", [&]() -> Result<void> {
        if (!verbose::set_level(level))
            return invalid("level {} is none of 0 (nothing), 1 (executions), 2 (creations too)", level);
        return {};
    });
}

// ---- default math mode (FPM-03)

namespace {

constexpr int not_set = -1;
std::atomic<int> default_fpmath{not_set};

FpmathMode fpmath_of_environment() {
    const char* text = verbose::environment("DEFAULT_FPMATH_MODE");
    std::string word = text ? text : "";
    for (char& c : word) c = char(std::toupper(static_cast<unsigned char>(c)));
    if (word == "BF16") return FpmathMode::bf16;
    if (word == "F16") return FpmathMode::f16;
    if (word == "TF32") return FpmathMode::tf32;
    if (word == "ANY") return FpmathMode::any;
    if (text && word != "STRICT")
        verbose::setting("DEFAULT_FPMATH_MODE",
                         fmt::format("'{}' is none of STRICT BF16 F16 TF32 ANY; it is ignored{}", text,
                                     did_you_mean(word, {"STRICT", "BF16", "F16", "TF32", "ANY"})));
    return FpmathMode::strict;
}

} // namespace

namespace tessera {

FpmathMode default_fpmath_mode() {
    const int set = default_fpmath.load(std::memory_order_relaxed);
    if (set != not_set) return FpmathMode(set);
    static constinit MadeOnce<FpmathMode> mode;
    return mode.get(fpmath_of_environment);
}

Result<void> check_fpmath_mode(int mode) {
    if (mode < int(FpmathMode::strict) || mode > int(FpmathMode::tf32))
        return invalid("fpmath mode {} is none of strict (0), bf16 (1), f16 (2), any (3), tf32 (4)", mode);
    return {};
}

} // namespace tessera

dnnl_status_t dnnl_get_default_fpmath_mode(dnnl_fpmath_mode_t* mode) {
    return guarded("dnnl_get_default_fpmath_mode", [&]() -> Result<void> {
        if (auto ok = need(mode, "mode"); !ok) return ok;
        *mode = static_cast<dnnl_fpmath_mode_t>(default_fpmath_mode());
        return {};
    });
}

dnnl_status_t dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_t mode) {
    return guarded("dnnl_set_default_fpmath_mode", [&]() -> Result<void> {
        if (auto ok = check_fpmath_mode(int(mode)); !ok) return ok;
        default_fpmath = int(mode);
        return {};
    });
}

// ---- strict execution

namespace {

std::atomic<int> strict{not_set};

bool strict_by_environment() {
    const char* text = std::getenv("TESSERA_STRICT");
    if (text && (!*text || std::string_view(text).find_first_not_of("0123456789") != std::string_view::npos))
        verbose::setting("TESSERA_STRICT", fmt::format("'{}' is neither 0 nor 1; execution is not strict", text));
    return text && std::atoi(text) != 0;
}

} // namespace

bool tessera::strict_execution() {
    const int set = strict.load(std::memory_order_relaxed);
    if (set != not_set) [[likely]]
        return set != 0;
    int expected = not_set;
    strict.compare_exchange_strong(expected, strict_by_environment()); // unless the setter was called meanwhile
    return strict != 0;
}

dnnl_status_t dnnl_tessera_set_strict_execution(int enable) {
    return guarded("dnnl_tessera_set_strict_execution", [&]() -> Result<void> {
        strict = enable != 0;
        return {};
    });
}

// ---- primitive cache (CCH-01)

dnnl_status_t dnnl_get_primitive_cache_capacity(int* capacity) {
    return guarded("dnnl_get_primitive_cache_capacity", [&]() -> Result<void> {
        if (auto ok = need(capacity, "capacity"); !ok) return ok;
        *capacity = cache_capacity();
        return {};
    });
}

dnnl_status_t dnnl_set_primitive_cache_capacity(int capacity) {
    return guarded("dnnl_set_primitive_cache_capacity", [&]() -> Result<void> {
        if (capacity < 0) return invalid("capacity {} is negative; 0 turns the cache off", capacity);
        set_cache_capacity(capacity);
        return {};
    });
}

// ---- instruction set (ISA-01, ISA-02)

dnnl_status_t dnnl_set_max_cpu_isa(dnnl_cpu_isa_t isa) {
    return guarded("dnnl_set_max_cpu_isa", [&]() -> Result<void> {
        if (std::string_view(dnnl_cpu_isa2str(isa)).starts_with("unknown"))
            return invalid("{:#x} is no instruction set; dnnl_cpu_isa_t lists them", unsigned(isa));
        if (!cpu::set_isa_limit(isa))
            return invalid("the instruction set is in use already; limit it once, before any other call");
        return {};
    });
}

dnnl_cpu_isa_t dnnl_get_effective_cpu_isa() {
    dnnl_cpu_isa_t isa = dnnl_cpu_isa_default; // the answer if describing the machine runs out of memory
    (void)guarded("dnnl_get_effective_cpu_isa", [&]() -> Result<void> {
        isa = static_cast<dnnl_cpu_isa_t>(cpu::largest_isa(cpu_engine()->impl->machine().isa));
        return {};
    });
    return isa;
}

namespace {

// Hints are stored for dnnl_get_cpu_isa_hints() alone; the vector width of plans is that of the machine.
struct Hints {
    bool fixed = false;
    dnnl_cpu_isa_hints_t value = dnnl_cpu_isa_no_hints;

    void fix() {
        if (fixed) return;
        const char* text = verbose::environment("CPU_ISA_HINTS");
        std::string word = text ? text : "";
        for (char& c : word) c = char(std::toupper(static_cast<unsigned char>(c)));
        if (word == "PREFER_YMM")
            value = dnnl_cpu_isa_prefer_ymm;
        else if (text && word != "NO_HINTS")
            verbose::setting("CPU_ISA_HINTS", fmt::format("'{}' is none of NO_HINTS PREFER_YMM; it is ignored{}", text,
                                                          did_you_mean(word, {"NO_HINTS", "PREFER_YMM"})));
        fixed = true;
    }
};

constinit std::mutex hints_lock;
const bool hints_are_known = at_fork(hints_lock);
constinit Hints hints;

} // namespace

dnnl_status_t dnnl_set_cpu_isa_hints(dnnl_cpu_isa_hints_t isa_hints) {
    return guarded("dnnl_set_cpu_isa_hints", [&]() -> Result<void> {
        if (isa_hints != dnnl_cpu_isa_no_hints && isa_hints != dnnl_cpu_isa_prefer_ymm)
            return invalid("hints {:#x} are neither none (0) nor prefer_ymm (1)", unsigned(isa_hints));
        const std::lock_guard guard(hints_lock);
        if (hints.fixed || cpu::isa_in_use())
            return runtime_error("the hints are in use already; set them once, before any other call");
        hints.fixed = true;
        hints.value = isa_hints;
        return {};
    });
}

dnnl_cpu_isa_hints_t dnnl_get_cpu_isa_hints() {
    dnnl_cpu_isa_hints_t value = dnnl_cpu_isa_no_hints;
    (void)guarded("dnnl_get_cpu_isa_hints", [&]() -> Result<void> {
        const std::lock_guard guard(hints_lock);
        hints.fix();
        value = hints.value;
        return {};
    });
    return value;
}

// ---- JIT inspection (JIT-01, JIT-02)

dnnl_status_t dnnl_set_jit_dump(int enable) {
    return guarded("dnnl_set_jit_dump", [&]() -> Result<void> {
        cpu::set_jit_dump(enable != 0);
        return {};
    });
}

dnnl_status_t dnnl_set_jit_profiling_flags(unsigned int flags) {
    return guarded("dnnl_set_jit_profiling_flags", [&]() -> Result<void> {
        constexpr unsigned known = DNNL_JIT_PROFILE_VTUNE | DNNL_JIT_PROFILE_LINUX_PERFMAP |
                                   DNNL_JIT_PROFILE_LINUX_JITDUMP | DNNL_JIT_PROFILE_LINUX_JITDUMP_USE_TSC;
        if (flags & ~known)
            return invalid("flags {:#x} has {:#x}, which no profiler has; {:#x} has all that exist", flags,
                           flags & ~known, known);
        cpu::set_jit_profiling(flags);
        return {};
    });
}

dnnl_status_t dnnl_set_jit_profiling_jitdumpdir(const char* dir) {
    return guarded("dnnl_set_jit_profiling_jitdumpdir", [&]() -> Result<void> {
        cpu::set_jitdump_directory(dir ? dir : ""); // "": the directory of the environment variable JITDUMPDIR
        return {};
    });
}
