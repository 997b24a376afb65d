// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/kernel.hpp"

#include <atomic>
#include <mutex>
#include <new>
#include <string>

#include <fmt/format.h>

#include "core/at_fork.hpp"
#include "core/cache/lru.hpp"
#include "core/made_once.hpp"
#include "cpu/jit/code/code_memory.hpp"
#include "cpu/jit/code/inspection.hpp"
#include "cpu/jit/emit/emit.hpp"

namespace tessera::cpu::jit {

namespace {

using Cache = Lru<std::string, Kernel, std::weak_ptr>; // code goes with its last user
constexpr size_t most_names = 4096;

constinit std::mutex lock;
constinit MadeOnce<Cache> the_cache;
const bool known = at_fork(lock, [] {
    if (Cache* made = the_cache.if_made()) made->forget_unfinished(); // the threads that were building are not here
});

std::atomic<Emit> emit_code{emit};
std::atomic<Again> build_again{nullptr};

Result<std::shared_ptr<const Kernel>> make(const std::string& key, FunctionRef<Code()> build) {
    Code code = build();
    if (code.name().empty()) code.set_name(key);
    const auto bytes = emit_code.load()(code);
    if (!bytes) return unimplemented("no code for this target");
    auto made = std::make_shared<Kernel>(bytes->size(), code.name(), vcode_is_kept() ? to_string(code) : "");
    const void* address = place(*bytes); // given back by the kernel's destructor, so after whatever may throw
    if (!address) return unimplemented("no memory for code");
    made->set_address(address);
    tell_inspectors(code.name(), address, *bytes);
    return std::shared_ptr<const Kernel>(std::move(made));
}

} // namespace

Kernel::Kernel(size_t bytes, std::string name, std::string vcode)
    : bytes_(bytes), name_(std::move(name)), vcode_(std::move(vcode)) {}

void Kernel::set_address(const void* entry) {
    entry_ = reinterpret_cast<void (*)(void*)>(reinterpret_cast<uintptr_t>(entry));
}

GeneratedCode Kernel::generated() const { return {name_, vcode_, {static_cast<const uint8_t*>(address()), bytes_}}; }

Kernel::~Kernel() {
    if (entry_) release(address());
}

void set_again(Again again) { build_again = again; }
void set_emit(Emit emit_instead) { emit_code = emit_instead ? emit_instead : emit; }

std::shared_ptr<const Kernel> kernel(const Target& t, const std::string& key, FunctionRef<Code()> build) {
    const std::string full = fmt::format("{} {}", jit::key(t), key);
    Cache& cache = the_cache.get([] { return Cache(lock, most_names); });
    const auto [made, hit] = cache.get(full, std::hash<std::string>()(full), [&] { return make(key, build); });
    if (const Again again = build_again.load(std::memory_order_relaxed); again && hit && made) [[unlikely]]
        again(full, **made, build());
    if (made) return *made;
    // A slower path in place of the kernel would stay in the caches long after there is memory again.
    if (made.error().status == Status::out_of_memory) throw std::bad_alloc();
    return nullptr; // no code; the callers have other paths
}

} // namespace tessera::cpu::jit
