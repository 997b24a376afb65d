// SPDX-License-Identifier: Apache-2.0
// Engine: the interface of devices. It compiles plans to executables.
//
// The CPU engine is src/cpu; src/api/objects/engine.cpp makes it. All methods may be called from any thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/machine.hpp"
#include "core/plan/plan.hpp"
#include "core/status.hpp"

namespace tessera {

class DeviceMemory; // core/device.hpp
struct Submission;

enum class EngineKind : int { any = 0, cpu = 1, gpu = 2 };

// Where an execution runs: the threads to use, or the queue of a device. The default is the engine's own run time
// (OpenMP, one thread); a thread pool of the caller comes with its stream.
struct Threads {
    void* pool = nullptr;         // dnnl::threadpool_interop::threadpool_iface* in threadpool builds
    Submission* device = nullptr; // of engines with memory of their own
};

// A kernel that was generated for a plan, for inspection. A device's has a source alone, in place of vcode.
struct GeneratedCode {
    std::string name;
    std::string vcode;              // "" unless the engine was told to keep it
    std::span<const uint8_t> bytes; // machine code and the tables behind it; valid as long as the executable
};

// A compiled plan: immutable and shared between primitives and threads.
class Executable {
public:
    virtual ~Executable() = default;
    // `pointers`: the start of the buffer of each operand of the plan (Operand::bytes is added inside); the entries of
    // constants are ignored. Blocks until done; on a device, whose pointers are handles of buffers, until it is queued;
    // Submission says the rest, and gets a sentence about what failed.
    virtual Status run(std::span<void* const> pointers, const Threads& threads) const = 0;
    virtual std::string_view name() const = 0; // "portable", for impl_info_str
    // The schedule, for inspection: one line per step, and the kernels of the steps that have any.
    virtual std::string text() const = 0;
    virtual std::vector<GeneratedCode> code() const { return {}; }
    // The plan that runs: the compiled one, rewritten by what the engine has (core/plan/rewrite).
    virtual const Plan* runs() const = 0;
    // Which tile each step of that plan got, one line a step; "" where there are none.
    virtual std::string_view selection() const { return {}; }
    // Why some steps, or all, run portable code instead of generated code; "" if none does.
    virtual std::string_view fallback() const { return {}; }
};

class Engine {
public:
    virtual ~Engine() = default;
    const uint64_t id = next_id(); // never used again: keys of caches, which may outlive the engine
    virtual EngineKind kind() const = 0;
    virtual const Machine& machine() const = 0;
    virtual int threads() const = 0; // number of threads that plans compiled by the calling thread are scheduled for
    virtual Result<std::shared_ptr<const Executable>> compile(std::shared_ptr<const Plan> plan) const = 0;
    virtual DeviceMemory* memory() const { return nullptr; } // of a device; null: the host's
    // Compiled kernels, to be kept by the caller (CCH-03): those of a plan's executable, all of them if it is null.
    virtual Result<std::vector<uint8_t>> kernels(const Executable*) const;
    virtual Result<void> add_kernels(std::span<const uint8_t> blob) const;
    virtual std::vector<uint8_t> kernels_id() const {
        return {};
    } // blobs are for engines with the same; empty: no blobs

private:
    static uint64_t next_id();
};

} // namespace tessera
