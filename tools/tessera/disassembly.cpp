// SPDX-License-Identifier: Apache-2.0
#include "disassembly.hpp"

#include <algorithm>

#include <Zydis/Zydis.h>
#include <fmt/format.h>

namespace tessera {

namespace {

std::string in_hex(std::span<const uint8_t> bytes) {
    std::string out;
    for (const uint8_t b : bytes) out += fmt::format("{}{:02x}", out.empty() ? "" : " ", b);
    return out;
}

// Zydis 4.0 does not know tdpfp16ps, which is tdpbf16ps but for a prefix.
std::string products_of_f16(const ZydisDecoder& decoder, const ZydisFormatter& formatter,
                            std::span<const uint8_t> code) {
    constexpr size_t bytes = 5;
    if (code.size() < bytes || code[0] != 0xc4 || (code[2] & 3) != 3 || code[3] != 0x5c) return {};
    uint8_t known[bytes];
    std::copy_n(code.begin(), bytes, known);
    known[2] ^= 1;
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, known, bytes, &instruction, operands))) return {};
    char text[256];
    ZydisFormatterFormatInstruction(&formatter, &instruction, operands, instruction.operand_count_visible, text,
                                    sizeof text, 0, nullptr);
    const std::string_view name = "tdpbf16ps", all = text;
    if (!all.starts_with(name)) return {};
    return fmt::format("tdpfp16ps{}", all.substr(name.size()));
}

} // namespace

Disassembly disassemble(std::span<const uint8_t> function) {
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisFormatter formatter;
    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
    ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE, 4);
    ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
    ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_IMM_SIGNEDNESS, ZYDIS_SIGNEDNESS_SIGNED);

    Disassembly out;
    size_t farthest = 0, first_table = function.size(); // target of a branch; of a load
    bool over = false;
    for (size_t at = 0; at < function.size() && !over;) {
        ZydisDecodedInstruction code;
        ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
        Instruction line{at, 1, "(bad)", 0, false};
        if (ZYAN_SUCCESS(
                ZydisDecoderDecodeFull(&decoder, function.data() + at, function.size() - at, &code, operands))) {
            char text[256];
            ZydisFormatterFormatInstruction(&formatter, &code, operands, code.operand_count_visible, text, sizeof text,
                                            at, nullptr);
            line = {at, code.length, text, 0, true};
            for (int o = 0; o < code.operand_count_visible; ++o) {
                uint64_t address = 0;
                if (!ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&code, &operands[o], at, &address))) continue;
                if (operands[o].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
                    farthest = std::max(farthest, size_t(address));
                else if (operands[o].mem.base == ZYDIS_REGISTER_RIP)
                    line.reads = size_t(address), first_table = std::min(first_table, size_t(address));
            }
            over = code.mnemonic == ZYDIS_MNEMONIC_RET && at + code.length > farthest;
        } else if (std::string text = products_of_f16(decoder, formatter, function.subspan(at)); !text.empty()) {
            line = {at, 5, std::move(text), 0, true};
        }
        at += line.bytes;
        out.instructions.push_back(std::move(line));
    }
    out.tables = first_table;
    return out;
}

std::string to_string(const Disassembly& disassembly, std::span<const uint8_t> function, bool with_bytes) {
    constexpr size_t longest = 15, row = 16; // bytes of an instruction; of a line of tables
    std::string out;
    for (const Instruction& i : disassembly.instructions) {
        const std::string bytes = with_bytes ? in_hex(function.subspan(i.at, i.bytes)) : "";
        out += with_bytes ? fmt::format("0x{:04x}  {:<{}}{}\n", i.at, bytes, longest * 3, i.text)
                          : fmt::format("0x{:04x}  {}\n", i.at, i.text);
    }
    for (size_t at = disassembly.tables; at < function.size(); at += row)
        out +=
            fmt::format("0x{:04x}  .bytes {}\n", at, in_hex(function.subspan(at, std::min(row, function.size() - at))));
    return out;
}

} // namespace tessera
