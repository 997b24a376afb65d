// The row of this machine: ISA bits from CPUID, cache sizes from the C library, threads from the run time.
#include "cpu/engine.hpp"

#include <unistd.h>

#include "cpu/exec/threads.hpp"
#include "cpu/isa.hpp"
#include "cpu/isa_limit.hpp"

namespace tessera::cpu {

namespace {

int64_t cache(int name, int64_t otherwise) {
    const long size = sysconf(name);
    return size > 0 ? size : otherwise;
}

Machine read_machine() {
    Machine m;
    m.isa = detect_isa() & isa_limit();
    m.name = std::string(isa_name(m.isa));
    m.vector_bytes = m.isa >= 0x27 ? 64 : m.isa >= 0x7 ? 32 : 16;
    m.byte_permute = m.vector_bytes == 64 && detect_byte_permute();
    m.threads = max_threads();
    m.l1_bytes = cache(_SC_LEVEL1_DCACHE_SIZE, m.l1_bytes);
    m.l2_bytes = cache(_SC_LEVEL2_CACHE_SIZE, m.l2_bytes);
    m.l3_bytes = cache(_SC_LEVEL3_CACHE_SIZE, m.l3_bytes);
    // Beyond the last cache. A cache of hundreds of megabytes belongs to many virtual machines at once and was measured
    // to run at the speed of memory: there streams win from the second level on.
    m.stream_bytes = m.l3_bytes > (128 << 20) ? 2 * m.l2_bytes : m.l3_bytes;
    return m;
}

} // namespace

const Machine& this_machine() {
    static const Machine machine = read_machine();
    return machine;
}

} // namespace tessera::cpu
