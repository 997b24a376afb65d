// Kernel: a generated function, shared by everything that asks for the same key and freed with the last user.
//
// kernel() builds outside of the lock; two threads that ask for one key at once wait for one build. The inspection
// switches of the API (dump, perf map) apply when a kernel is made.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cpu/jit/vcode.hpp"

namespace tessera::cpu::jit {

class Kernel {
public:
    Kernel(const void* entry, size_t bytes, std::string name, std::function<Code()> build);
    ~Kernel();
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;
    void operator()(void* args) const { entry_(args); }
    const std::string& name() const { return name_; }
    const void* address() const { return reinterpret_cast<const void*>(entry_); }
    size_t bytes() const { return bytes_; }
    std::string text() const; // vcode, built again, and the machine code as bytes

private:
    void (*entry_)(void*);
    size_t bytes_;
    std::string name_;
    std::function<Code()> build_;
};

// Null when the target cannot run the code or there is no executable memory. `key` names everything that `build`
// depends on besides the target.
std::shared_ptr<const Kernel> kernel(const Target& target, const std::string& key, const std::function<Code()>& build);

// JIT-01, JIT-02: what dnnl_set_jit_dump and dnnl_set_jit_profiling_flags switch.
void set_dump(bool on);
void set_perf_map(bool on);

} // namespace tessera::cpu::jit
