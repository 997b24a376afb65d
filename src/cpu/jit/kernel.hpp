// SPDX-License-Identifier: Apache-2.0
// Kernel: a generated function, shared by everything that asks for the same key and freed with the last user.
//
// kernel() builds outside of the lock; two threads that ask for one key at once wait for one build. inspection.hpp says
// who is told about new kernels.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/engine.hpp"
#include "core/function_ref.hpp"
#include "cpu/jit/vcode.hpp"

namespace tessera::cpu::jit {

class Kernel {
public:
    Kernel(size_t bytes, std::string name, std::string vcode);
    void set_address(const void* entry); // of place(), once; released by the destructor
    ~Kernel();
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;
    void operator()(void* args) const { entry_(args); }
    const std::string& name() const { return name_; }
    const void* address() const { return reinterpret_cast<const void*>(entry_); }
    size_t bytes() const { return bytes_; }
    const std::string& vcode() const { return vcode_; }
    GeneratedCode generated() const; // with its vcode if inspection.hpp says that it is kept

private:
    void (*entry_)(void*) = nullptr;
    size_t bytes_;
    std::string name_;
    std::string vcode_;
};

// Null when the target cannot run the code or there is no executable memory. `key` names everything that `build`
// depends on besides the target; `build` is not called after the return. Throws std::bad_alloc where memory is out.
std::shared_ptr<const Kernel> kernel(const Target& target, const std::string& key, FunctionRef<Code()> build);

// For tests: what kernels are emitted by, so that an interpreter can stand in for instructions that the processor
// lacks. Null is emit() again; kernels that are in use stay what they are.
using Emit = std::optional<std::vector<uint8_t>> (*)(const Code&);
void set_emit(Emit emit_instead);
// For tests: whoever gets a kernel that was there already builds its own code nevertheless, and `again` hears of both,
// which are the same unless a key leaves out something that the code depends on. Null ends it.
using Again = void (*)(const std::string& key, const Kernel& there, const Code& own);
void set_again(Again again);

} // namespace tessera::cpu::jit
