// SPDX-License-Identifier: Apache-2.0
#include "libraries.hpp"

#include <iterator>
#include <stdexcept>

#include <dlfcn.h>

#if defined(__x86_64__)
#define JUMP_THROUGH(slot) "jmp *" slot "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP_THROUGH(slot) "adrp x16, " slot "\nldr x16, [x16, :lo12:" slot "]\nbr x16\n"
#else
#error "the jump to the address in a variable, changing no register that carries arguments, is to be written here"
#endif

extern "C" {
#define CALL(name) [[gnu::visibility("hidden"), gnu::used]] void* to_##name = nullptr;
#include "calls.def"
#undef CALL
}
#define CALL(name) asm(".text\n.globl " #name "\n.type " #name ", %function\n" #name ":\n" JUMP_THROUGH("to_" #name));
#include "calls.def"
#undef CALL

namespace hunt {
namespace {

struct Entry {
    const char* name;
    void** slot;
};
constexpr Entry entries[] = {
#define CALL(name) {#name, &to_##name},
#include "calls.def"
#undef CALL
};
const differential::Cpu* cpu_in_use = nullptr;

dnnl_status_t missing() { return dnnl_unimplemented; }

void fill(const std::vector<void*>& entry_points) {
    for (size_t i = 0; i < std::size(entries); ++i) *entries[i].slot = entry_points[i];
}

// Deep binding: a library's calls of its own entry points stay its own.
std::vector<void*> entry_points_of(const std::string& path) {
    void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (!handle) throw std::runtime_error(dlerror());
    std::vector<void*> found;
    for (const Entry& entry : entries) {
        void* const address = dlsym(handle, entry.name);
        found.push_back(address ? address : reinterpret_cast<void*>(missing));
    }
    fill(found); // for the engine that is made next
    return found;
}

} // namespace

Library::Library(const std::string& path) : entry_points_(entry_points_of(path)) {}

void Library::use() const {
    fill(entry_points_);
    cpu_in_use = &cpu_;
}

} // namespace hunt

const differential::Cpu& differential::cpu() { return *hunt::cpu_in_use; }
