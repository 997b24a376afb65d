// SPDX-License-Identifier: Apache-2.0
#include "cpu/jit/emit/emit.hpp"

#include <array>
#include <new>

#include "cpu/jit/emit/frame.hpp"

namespace tessera::cpu::jit {

namespace {

constexpr size_t usual_bytes_of_an_op = 16; // a mean that few codes reach: most have 8

std::optional<std::vector<uint8_t>> emit_to(std::span<uint8_t> room, const Code& code, const Allocation& allocation) {
    return code.target().vector_bytes == 64 ? emit_avx512(code, allocation, room) : emit_avx2(code, allocation, room);
}

std::optional<std::vector<uint8_t>> emit_with(const Code& code, const Allocation& allocation) {
    // Of the stack: a piece of the heap for the longest instructions is a mapping of its own, or new pages.
    alignas(64) std::array<uint8_t, 24 << 10> room;
    if (code.insts().size() * usual_bytes_of_an_op > room.size()) return emit_to({}, code, allocation);
    try {
        return emit_to(room, code, allocation);
    } catch (const Xbyak::Error& e) {
        if (int(e) != Xbyak::ERR_CODE_IS_TOO_BIG && int(e) != Xbyak::ERR_OFFSET_IS_TOO_BIG) throw;
        return emit_to({}, code, allocation);
    }
}

} // namespace

std::optional<std::vector<uint8_t>> emit(const Code& code) {
    const std::optional<Allocation> allocation = allocate(code);
    if (!allocation) return std::nullopt;
    try {
        return emit_with(code, *allocation);
    } catch (const Xbyak::Error& e) { // an operand cannot be encoded, or there is no memory
        if (int(e) == Xbyak::ERR_CANT_ALLOC) throw std::bad_alloc();
        return std::nullopt;
    }
}

} // namespace tessera::cpu::jit
