// SPDX-License-Identifier: Apache-2.0
#include "cpu/isa.hpp"

#include <atomic>
#include <initializer_list>

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tessera::cpu {

#if defined(__x86_64__)

namespace {

struct Leaf {
    unsigned a = 0, b = 0, c = 0, d = 0;
    Leaf(unsigned leaf, unsigned sub) { __get_cpuid_count(leaf, sub, &a, &b, &c, &d); }
};

// Register state that the operating system saves: XCR0.
uint64_t saved_state() {
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return uint64_t(high) << 32 | low;
}

bool all(unsigned reg, std::initializer_list<int> positions) {
    for (int p : positions)
        if (!(reg >> p & 1)) return false;
    return true;
}

// Linux saves tiles for processes that asked; it refuses where a thread's alternate signal stack is too small for them.
bool ask_for_tiles() {
#if defined(__linux__)
    constexpr int request_permission = 0x1023, tile_data = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
    return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
#else
    return false;
#endif
}

} // namespace

bool amx_permitted() {
    constexpr int not_asked = -1; // threads that come first at the same time ask the system twice
    static constinit std::atomic<int> permitted{not_asked};
    if (permitted == not_asked) permitted = (detect_isa() & 0xe00) == 0xe00 && ask_for_tiles();
    return permitted != 0;
}

uint32_t detect_isa() {
    const Leaf one(1, 0), seven(7, 0), seven_one(7, 1);
    uint32_t isa = 0;
    if (!all(one.c, {19})) return isa; // SSE4.1
    isa |= 0x1;
    const uint64_t state = all(one.c, {27}) ? saved_state() : 0; // OSXSAVE
    if ((state & 0x6) != 0x6 || !all(one.c, {28})) return isa;
    isa |= 0x2;
    if (!all(one.c, {12, 29}) || !all(seven.b, {5})) return isa; // FMA, F16C, AVX2
    isa |= 0x4;
    if (all(seven_one.a, {4})) isa |= 0x8; // AVX-VNNI
    if (isa & 0x8 && all(seven_one.a, {23}) && all(seven_one.d, {4, 5}))
        isa |= 0x10; // AVX-IFMA apart: NE-CONVERT, VNNI-INT8
    if ((state & 0xe6) != 0xe6 || !all(seven.b, {16, 17, 28, 30, 31})) return isa; // AVX512 F, DQ, CD, BW, VL
    isa |= 0x20;
    if (all(seven.c, {11})) isa |= 0x40;                                           // AVX512_VNNI
    if (isa & 0x40 && all(seven_one.a, {5})) isa |= 0x80;                          // AVX512_BF16
    if (isa & 0x80 && all(seven.d, {23})) isa |= 0x100;                            // AVX512_FP16
    const bool tiles = (state & 0x60000) == 0x60000 && all(seven.d, {22, 24, 25}); // AMX BF16, TILE, INT8
    if (isa & 0x100 && tiles) isa |= 0xe00;
    if (isa & 0x200 && all(seven_one.a, {21})) isa |= 0x1000; // AMX_FP16
    return isa;
}

bool detect_byte_permute() { return (detect_isa() & 0x20) && all(Leaf(7, 0).c, {1}); }

bool is_amd() { return Leaf(0, 0).b == 0x68747541; } // "Auth"

bool detect_fast_bf16_products() { return (detect_isa() & 0x80) && is_amd(); }

// Leaf 0x8000001A would say how wide the data paths are, but hypervisors clear it. AMD's processors have VP2INTERSECT
// since these are of 64 bytes; Intel's that had it did one shuffle a cycle.
bool detect_paths_of_64_bytes() { return (detect_isa() & 0x80) && is_amd() && all(Leaf(7, 0).d, {8}); }

#else

uint32_t detect_isa() { return 0; }
bool detect_byte_permute() { return false; }
bool detect_fast_bf16_products() { return false; }
bool detect_paths_of_64_bytes() { return false; }
bool amx_permitted() { return false; }

#endif

namespace {

struct Row {
    std::string_view name;
    uint32_t bits;
};

Row largest_row(uint32_t isa) {
    Row best{"portable", 0};
#define ISA(name, bits)                                                                                                \
    if ((isa & (bits)) == (bits)) best = {#name, bits};
#include "cpu/isa.def"
#undef ISA
    return best;
}

} // namespace

std::string_view isa_name(uint32_t isa) { return largest_row(isa).name; }
uint32_t largest_isa(uint32_t isa) { return largest_row(isa).bits; }

} // namespace tessera::cpu
