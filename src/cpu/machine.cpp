// SPDX-License-Identifier: Apache-2.0
// The row of this machine: ISA bits from CPUID, cache sizes from the C library.
#include "cpu/engine.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "core/made_once.hpp"
#include "core/verbose/verbose.hpp"
#include "cpu/isa.hpp"
#include "cpu/isa_limit.hpp"
#include "cpu/machine_row.hpp"

namespace tessera::cpu {

namespace {

std::atomic<const Context*> other{nullptr};

int64_t cache(int name, int64_t otherwise) {
    const long size = sysconf(name);
    return size > 0 ? size : otherwise;
}

// The third level as the kernel sees it from processor 0: the C library adds up what all parts of a socket have (320
// MiB where a core reaches 32).
int64_t shared_cache(int64_t otherwise) {
    int64_t kib = 0;
    if (std::FILE* f = std::fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "r")) {
        long value = 0;
        char unit = 0;
        if (std::fscanf(f, "%ld%c", &value, &unit) == 2) kib = unit == 'M' ? value << 10 : unit == 'K' ? value : 0;
        std::fclose(f);
    }
    return kib > 0 ? kib << 10 : otherwise;
}

// What TESSERA_MACHINE says of this machine: keys and values, or the file that holds them.
Machine measured(const Machine& machine) {
    const char* text = std::getenv("TESSERA_MACHINE");
    if (!text) return machine;
    Result<std::string> row = std::string(text);
    if (row->find('=') == std::string::npos) row = read_row_file(text);
    const Result<Machine> with = row ? with_row(machine, *row) : Refusal(row.error());
    if (with) return *with;
    verbose::setting("TESSERA_MACHINE", with.error().reason + "; all of it is ignored");
    return machine;
}

Machine read_machine() {
    uint32_t isa = detect_isa() & isa_limit();
    constexpr uint32_t amx = 0x3e00;
    if (isa & amx && !amx_permitted()) isa &= ~amx;
    Machine m = machine_of(isa, detect_byte_permute(), detect_fast_bf16_products());
    m.two_shuffles = m.spare_vector_pipes = m.follows_rows = m.vector_bytes == 64 && detect_paths_of_64_bytes();
    m.l1_bytes = cache(_SC_LEVEL1_DCACHE_SIZE, m.l1_bytes);
    m.l1_ways = std::max<int64_t>(m.l1_bytes / 4096, 1); // a way of L1 is a page on every x86
    m.l2_bytes = cache(_SC_LEVEL2_CACHE_SIZE, m.l2_bytes);
    m.l3_bytes = shared_cache(cache(_SC_LEVEL3_CACHE_SIZE, m.l3_bytes));
    // Beyond the last cache. A cache of hundreds of megabytes belongs to many virtual machines at once and was measured
    // to run at the speed of memory: there streams win from the second level on.
    m.stream_bytes = m.l3_bytes > (128 << 20) ? 2 * m.l2_bytes : m.l3_bytes;
    m = measured(m);
    m.stream_bytes = verbose::environment_number("STREAM_BYTES", m.stream_bytes, 0);
    return m;
}

constinit MadeOnce<Machine> machine;

} // namespace

Machine machine_of(uint32_t isa, bool byte_permute, bool fast_bf16_products) {
    Machine m;
    m.isa = isa;
    m.name = std::string(isa_name(isa));
    m.vector_bytes = isa >= 0x27 ? 64 : isa >= 0x7 ? 32 : 16;
    m.byte_permute = m.vector_bytes == 64 && byte_permute;
    m.fast_bf16_products = (isa & 0xe7) == 0xe7 && fast_bf16_products;
    return m;
}

const Machine& this_machine() {
    if (const Context* instead = stand_in()) return *instead;
    return machine.get(read_machine);
}

void set_stand_in(const Context* context) { other = context; }
const Context* stand_in() { return other; }

} // namespace tessera::cpu
