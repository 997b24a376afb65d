// SPDX-License-Identifier: Apache-2.0
#include "cpu/isa_limit.hpp"

#include <cctype>
#include <mutex>
#include <string>

#include <fmt/format.h>

#include "core/at_fork.hpp"
#include "core/nearest.hpp"
#include "core/verbose/verbose.hpp"

namespace tessera::cpu {

namespace {

constexpr uint32_t everything = ~0u;
constinit std::mutex lock;
const bool known = at_fork(lock);
bool fixed = false, read = false;
uint32_t limit = everything;

std::string in_small_letters(std::string_view text) {
    std::string word(text);
    for (char& c : word) c = char(std::tolower(static_cast<unsigned char>(c)));
    return word;
}

} // namespace

std::optional<uint32_t> parse_isa(std::string_view text) {
    const std::string word = in_small_letters(text);
    if (word.empty() || word == "default" || word == "all") return everything;
    enum : uint32_t {
#define ISA(name, bits) bits_of_##name = bits,
#include "cpu/isa.def"
#undef ISA
    };
    constexpr struct {
        std::string_view name;
        uint32_t bits;
    } names[] = {
#define ISA(name, bits) {#name, bits},
#define ISA_ALIAS(name, row) {#name, bits_of_##row},
#include "cpu/isa.def"
#undef ISA_ALIAS
#undef ISA
    };
    for (const auto& n : names)
        if (n.name == word) return n.bits;
    return std::nullopt;
}

namespace {

// What is said once, for the limit is read once.
uint32_t limit_of(const char* text) {
    if (const auto isa = parse_isa(text)) return *isa;
    std::string known;
#define ISA(name, bits) known += #name " ";
#include "cpu/isa.def"
#undef ISA
    std::vector<std::string_view> words{"default"};
#define ISA(name, bits) words.push_back(#name);
#include "cpu/isa.def"
#undef ISA
    verbose::setting("MAX_CPU_ISA", fmt::format("'{}' is none of {}default; it is ignored{}", text, known,
                                                did_you_mean(in_small_letters(text), words)));
    return everything;
}

} // namespace

bool set_isa_limit(uint32_t isa) {
    const std::lock_guard guard(lock);
    if (fixed) return false;
    fixed = true;
    limit = isa ? isa : everything;
    return true;
}

uint32_t isa_limit() {
    const std::lock_guard guard(lock);
    if (!fixed) {
        if (const char* text = verbose::environment("MAX_CPU_ISA")) limit = limit_of(text);
        fixed = true; // not before: reading needs memory, and where there is none the next call reads again
    }
    read = true;
    return limit;
}

bool isa_in_use() {
    const std::lock_guard guard(lock);
    return read;
}

} // namespace tessera::cpu
