#include "cpu/jit/emit/emit.hpp"

#include <new>

#include "cpu/jit/emit/frame.hpp"

namespace tessera::cpu::jit {

std::optional<std::vector<uint8_t>> emit(const Code& code) {
    const std::optional<Allocation> allocation = allocate(code);
    if (!allocation) return std::nullopt;
    try {
        return code.target().vector_bytes == 64 ? emit_avx512(code, *allocation) : emit_avx2(code, *allocation);
    } catch (const Xbyak::Error& e) { // an operand cannot be encoded, or there is no memory
        if (int(e) == Xbyak::ERR_CANT_ALLOC) throw std::bad_alloc();
        return std::nullopt;
    }
}

} // namespace tessera::cpu::jit
