#include "cpu/jit/kernel.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <mutex>
#include <unordered_map>

#include <fmt/format.h>
#if defined(__linux__)
#include <unistd.h>
#endif

#include "core/verbose/verbose.hpp"
#include "cpu/jit/code_memory.hpp"
#include "cpu/jit/emit.hpp"

namespace tessera::cpu::jit {

namespace {

bool asked(const char* name, long bit) { // by the environment
    const char* text = verbose::environment(name);
    return text && (std::atol(text) & bit);
}

std::atomic<bool> dump{asked("JIT_DUMP", ~0L)}, perf_map{asked("JIT_PROFILE", 2)};

struct Entry {
    std::weak_ptr<const Kernel> ready;
    std::shared_future<std::shared_ptr<const Kernel>> building; // valid while someone builds
};

std::mutex lock;
std::unordered_map<std::string, Entry>& entries() {
    static auto* const map = new std::unordered_map<std::string, Entry>; // outlives every static
    return *map;
}

void write_file(const std::string& name, const std::vector<uint8_t>& code) {
    static std::atomic<int> count{0};
    std::string file = fmt::format("dnnl_dump_cpu_{}.{}.bin", name, count++);
    for (char& c : file)
        if (c == ' ' || c == ':' || c == '/') c = '_';
    if (std::FILE* f = std::fopen(file.c_str(), "wb")) {
        std::fwrite(code.data(), 1, code.size(), f);
        std::fclose(f);
    }
}

void tell_perf([[maybe_unused]] const void* address, [[maybe_unused]] size_t bytes,
               [[maybe_unused]] const std::string& name) {
#if defined(__linux__)
    if (std::FILE* f = std::fopen(fmt::format("/tmp/perf-{}.map", getpid()).c_str(), "a")) {
        fmt::print(f, "{:x} {:x} tessera {}\n", reinterpret_cast<uintptr_t>(address), bytes, name);
        std::fclose(f);
    }
#endif
}

std::shared_ptr<const Kernel> make(const std::function<Code()>& build) {
    const Code code = build();
    const auto bytes = emit(code);
    if (!bytes) return nullptr;
    const void* address = place(*bytes);
    if (!address) return nullptr;
    if (dump) write_file(code.name(), *bytes);
    if (perf_map) tell_perf(address, bytes->size(), code.name());
    return std::make_shared<const Kernel>(address, bytes->size(), code.name(), build);
}

} // namespace

Kernel::Kernel(const void* entry, size_t bytes, std::string name, std::function<Code()> build)
    : entry_(reinterpret_cast<void (*)(void*)>(reinterpret_cast<uintptr_t>(entry))), bytes_(bytes),
      name_(std::move(name)), build_(std::move(build)) {}

std::string Kernel::text() const {
    const auto* bytes = static_cast<const uint8_t*>(address());
    std::string out = to_string(build_()) + fmt::format("machine code, {} bytes:\n", bytes_);
    for (size_t i = 0; i < bytes_; ++i)
        out += fmt::format("{:02x}{}", bytes[i], i % 32 == 31 || i + 1 == bytes_ ? "\n" : "");
    return out;
}

Kernel::~Kernel() { release(address()); }

std::shared_ptr<const Kernel> kernel(const Target& t, const std::string& key, const std::function<Code()>& build) {
    const std::string full =
        fmt::format("{}{}{}{} {}", t.vector_bytes, t.masks ? "m" : "", t.byte_permute ? "b" : "", t.vectors, key);
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

void set_dump(bool on) { dump = on; }
void set_perf_map(bool on) { perf_map = on; }

} // namespace tessera::cpu::jit
