#include "cpu/jit/kernel.hpp"

#include <future>
#include <mutex>
#include <unordered_map>

#include <fmt/format.h>

#include "cpu/jit/code_memory.hpp"
#include "cpu/jit/emit.hpp"
#include "cpu/jit/inspection.hpp"

namespace tessera::cpu::jit {

namespace {

struct Entry {
    std::weak_ptr<const Kernel> ready;
    std::shared_future<std::shared_ptr<const Kernel>> building; // valid while someone builds
};

std::mutex lock;
std::unordered_map<std::string, Entry>& entries() {
    static auto* const map = new std::unordered_map<std::string, Entry>; // outlives every static
    return *map;
}

std::shared_ptr<const Kernel> make(const std::function<Code()>& build) {
    const Code code = build();
    const auto bytes = emit(code);
    if (!bytes) return nullptr;
    const void* address = place(*bytes);
    if (!address) return nullptr;
    auto made =
        std::make_shared<const Kernel>(address, bytes->size(), code.name(), vcode_is_kept() ? to_string(code) : "");
    tell_inspectors(code.name(), address, *bytes);
    return made;
}

} // namespace

Kernel::Kernel(const void* entry, size_t bytes, std::string name, std::string vcode)
    : entry_(reinterpret_cast<void (*)(void*)>(reinterpret_cast<uintptr_t>(entry))), bytes_(bytes),
      name_(std::move(name)), vcode_(std::move(vcode)) {}

GeneratedCode Kernel::generated() const { return {name_, vcode_, {static_cast<const uint8_t*>(address()), bytes_}}; }

Kernel::~Kernel() { release(address()); }

std::shared_ptr<const Kernel> kernel(const Target& t, const std::string& key, const std::function<Code()>& build) {
    const std::string full =
        fmt::format("{}{}{}{}{}{}{} {}", t.vector_bytes, t.masks ? "m" : "", t.byte_permute ? "b" : "",
                    t.bf16 ? "f" : "", t.vnni ? "v" : "", t.amx ? "a" : "", t.vectors, key);
    std::promise<std::shared_ptr<const Kernel>> promise;
    {
        std::unique_lock guard(lock);
        Entry& e = entries()[full];
        if (auto ready = e.ready.lock()) return ready;
        if (e.building.valid()) {
            auto future = e.building;
            guard.unlock();
            return future.get();
        }
        e.building = promise.get_future().share();
        if (entries().size() > 4096) // names of kernels that are gone
            std::erase_if(entries(),
                          [](const auto& x) { return x.second.ready.expired() && !x.second.building.valid(); });
    }
    std::shared_ptr<const Kernel> made;
    try {
        made = make(build);
    } catch (...) { // out of memory: the callers' other paths need less
        made = nullptr;
    }
    {
        const std::lock_guard guard(lock);
        Entry& e = entries()[full];
        e.ready = made;
        e.building = {};
    }
    promise.set_value(made);
    return made;
}

} // namespace tessera::cpu::jit
