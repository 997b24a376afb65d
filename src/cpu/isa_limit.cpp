#include "cpu/isa_limit.hpp"

#include <cctype>
#include <mutex>
#include <string>

#include "core/verbose/verbose.hpp"

namespace tessera::cpu {

namespace {

constexpr uint32_t everything = ~0u;
std::mutex lock;
bool fixed = false, read = false;
uint32_t limit = everything;

} // namespace

uint32_t parse_isa(std::string_view text) {
    std::string word(text);
    for (char& c : word) c = char(std::tolower(static_cast<unsigned char>(c)));
    constexpr struct {
        std::string_view name;
        uint32_t bits;
    } names[] = {
#define ISA(name, bits) {#name, bits},
#include "cpu/isa.def"
#undef ISA
        {"avx512_core_fp16", 0x1ef}, {"avx512_core_amx", 0xfef}, {"avx512_core_amx_fp16", 0x1fef}, {"avx10_2", 0x201ff},
        {"avx10_2_512", 0x201ff},    {"avx10_2_amx_2", 0x22fff}, {"avx10_2_512_amx_2", 0x22fff},
    };
    for (const auto& n : names)
        if (n.name == word) return n.bits;
    return everything;
}

bool set_isa_limit(uint32_t isa) {
    const std::lock_guard guard(lock);
    if (fixed) return false;
    fixed = true;
    limit = isa ? isa : everything;
    return true;
}

uint32_t isa_limit() {
    const std::lock_guard guard(lock);
    read = true;
    if (!fixed) {
        fixed = true;
        if (const char* text = verbose::environment("MAX_CPU_ISA")) limit = parse_isa(text);
    }
    return limit;
}

bool isa_in_use() {
    const std::lock_guard guard(lock);
    return read;
}

} // namespace tessera::cpu
