#include "cpu/jit/kernel.hpp"

#include <atomic>
#include <mutex>
#include <new>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "core/at_fork.hpp"
#include "core/cache/pending.hpp"
#include "core/made_once.hpp"
#include "cpu/jit/code/code_memory.hpp"
#include "cpu/jit/code/inspection.hpp"
#include "cpu/jit/emit/emit.hpp"

namespace tessera::cpu::jit {

namespace {

// What a build came to: a kernel, null where the target has no code for it, nothing where memory was out.
using Built = std::optional<std::shared_ptr<const Kernel>>;

struct Entry {
    std::weak_ptr<const Kernel> ready;
    std::shared_ptr<Pending<Built>> building; // null while nobody builds
};
using Entries = std::unordered_map<std::string, Entry>;

constinit std::mutex lock;
constinit MadeOnce<Entries> all_entries;
const bool known = at_fork(lock, [] {
    if (Entries* made = all_entries.if_made()) // the threads that were building are not in the child
        for (auto& [key, entry] : *made) entry.building.reset();
});

std::atomic<Emit> emit_code{emit};

std::shared_ptr<const Kernel> make(const std::function<Code()>& build) {
    const Code code = build();
    const auto bytes = emit_code.load()(code);
    if (!bytes) return nullptr;
    auto made = std::make_shared<Kernel>(bytes->size(), code.name(), vcode_is_kept() ? to_string(code) : "");
    const void* address = place(*bytes); // given back by the kernel's destructor, so after whatever may throw
    if (!address) return nullptr;
    made->set_address(address);
    tell_inspectors(code.name(), address, *bytes);
    return made;
}

Built try_to_make(const std::function<Code()>& build) noexcept {
    try {
        return make(build);
    } catch (const std::bad_alloc&) { return std::nullopt; } catch (...) { // no code then; the callers have other paths
        return nullptr;
    }
}

// A slower path in place of the kernel would stay in the caches long after there is memory again.
const std::shared_ptr<const Kernel>& kernel_of(const Built& built) {
    if (!built) throw std::bad_alloc();
    return *built;
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

void set_emit(Emit emit_instead) { emit_code = emit_instead ? emit_instead : emit; }

std::shared_ptr<const Kernel> kernel(const Target& t, const std::string& key, const std::function<Code()>& build) {
    const std::string full =
        fmt::format("{}{}{}{}{}{}{} {}", t.vector_bytes, t.masks ? "m" : "", t.byte_permute ? "b" : "",
                    t.bf16 ? "f" : "", t.vnni ? "v" : "", t.amx ? "a" : "", t.vectors, key);
    Entries& entries = all_entries.get();
    const auto pending = std::make_shared<Pending<Built>>();
    {
        std::unique_lock guard(lock);
        Entry& e = entries[full]; // the last that may throw before others wait
        if (auto ready = e.ready.lock()) return ready;
        if (const auto building = e.building) {
            guard.unlock();
            return kernel_of(building->wait());
        }
        e.building = pending;
        if (entries.size() > 4096) // names of kernels that are gone
            std::erase_if(entries, [](const auto& x) { return x.second.ready.expired() && !x.second.building; });
    }
    Built built = try_to_make(build);
    {
        const std::lock_guard guard(lock);
        Entry& e = entries.find(full)->second;
        if (built) e.ready = *built;
        e.building.reset();
    }
    pending->set(std::move(built));
    return kernel_of(pending->wait());
}

} // namespace tessera::cpu::jit
