#include "cpu/jit/target.hpp"

namespace tessera::cpu::jit {

bool has_target(const Machine& machine) {
#if defined(__x86_64__)
    return (machine.isa & 0x7) == 0x7;
#else
    (void)machine; // no emitter for other processors
    return false;
#endif
}

Target target_of(const Machine& machine) {
    if ((machine.isa & 0x27) == 0x27) return {64, 32, true, machine.byte_permute, (machine.isa & 0xe7) == 0xe7};
    return {32, 16, false, false, false};
}

} // namespace tessera::cpu::jit
