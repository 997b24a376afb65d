// SPDX-License-Identifier: Apache-2.0
#include "instead.hpp"

#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "cpu/jit/emit/emit.hpp"
#include "cpu/jit/kernel.hpp"
#include "machines.hpp"
#include "vcode_interpreter.hpp"

namespace tessera {

namespace {

using cpu::jit::Code;

void interpret_code(void* args, const Code* code) { cpu::jit::interpret(*code, args); }

// Kernels come and go, and their addresses are used again: what they jump with stays, once for equal machine code.
const Code* kept(const Code& code, const std::vector<uint8_t>& bytes) {
    static std::mutex lock;
    static auto* const all = new std::map<std::vector<uint8_t>, std::unique_ptr<const Code>>;
    const std::lock_guard guard(lock);
    auto& entry = (*all)[bytes];
    if (!entry) entry = std::make_unique<const Code>(code);
    return entry.get();
}

std::optional<std::vector<uint8_t>> emit_or_interpret(const Code& code) {
    auto bytes = cpu::jit::emit(code);
    if (!bytes || cpu::jit::runs_here(code)) return bytes;
    // mov rsi, code; mov rax, interpret_code; jmp rax
    std::vector<uint8_t> jump{0x48, 0xbe, 0, 0, 0, 0, 0, 0, 0, 0, 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
    const Code* const what = kept(code, *bytes);
    void (*const how)(void*, const Code*) = interpret_code;
    std::memcpy(&jump[2], &what, 8), std::memcpy(&jump[12], &how, 8);
    return jump;
}

} // namespace

void interpret_what_cannot_run() { cpu::jit::set_emit(emit_or_interpret); }

} // namespace tessera
