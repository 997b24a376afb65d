// SPDX-License-Identifier: Apache-2.0
// The machine code of the golden problems, disassembled: nothing is undecodable, code ends in ret and reads no table
// but its own, and the older machine gets none of the newer one's instructions.
#include "disassembly.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cpu/executor/generated.hpp"
#include "cpu/jit/code/inspection.hpp"
#include "cpu/jit/kernel.hpp"
#include "golden_machines.hpp"
#include "line/problem_line.hpp"
#include "ops/ops.hpp"
#include "trial/experiment.hpp"

namespace tessera {

namespace {

std::shared_ptr<const Executable> generated(const std::string& text, const Context& machine) {
    cpu::jit::keep_vcode(true);
    const auto line = parse_problem_line(text);
    const auto problem = line ? problem_of(*line) : Refusal(line.error());
    const auto plan = problem ? ops::row(problem->kind).lower(*problem) : Refusal(problem.error());
    return plan ? cpu::make_generated(std::make_shared<const Plan>(*plan), machine) : nullptr;
}

// The number of kernels.
int expect_sound(const std::string& text, const Context& machine) {
    constexpr uint8_t evex = 0x62;
    const auto executable = generated(text, machine);
    const std::vector<GeneratedCode> kernels = executable ? executable->code() : std::vector<GeneratedCode>{};
    for (const GeneratedCode& kernel : kernels) {
        SCOPED_TRACE(fmt::format("{} on {}: {}", text, machine.name, kernel.name));
        const Disassembly code = disassemble(kernel.bytes);
        const Instruction& last = code.instructions.back();
        EXPECT_EQ(last.text, "ret");
        EXPECT_GE(code.tables, last.at + last.bytes);
        EXPECT_LT(code.tables - last.at - last.bytes, 64u) << "bytes that are neither code nor table";
        EXPECT_NE(kernel.vcode.find(kernel.name), std::string::npos);
        for (const Instruction& i : code.instructions) {
            EXPECT_TRUE(i.known) << fmt::format("byte {:02x} at {:#x}", kernel.bytes[i.at], i.at);
            EXPECT_LT(i.reads, kernel.bytes.size()) << i.text;
            EXPECT_TRUE(machine.vector_bytes == 64 || kernel.bytes[i.at] != evex) << i.text;
        }
    }
    return int(kernels.size());
}

// What would be interpreted here is emitted as well: nobody runs it.
std::vector<Context> emitted_machines() {
    std::vector<Context> all = golden_machines();
    cpu::jit::set_emit(nullptr);
    return all;
}

} // namespace

TEST(Disassembly, Golden) {
    const std::vector<Context> all = emitted_machines();
    if (all.empty()) GTEST_SKIP() << "no code is generated for this processor";
    const auto lines = read_problem_file(GOLDEN_FOLDER "/problems.txt");
    ASSERT_TRUE(lines);
    for (const Context& machine : all) {
        int kernels = 0;
        for (const NumberedLine& line : *lines) kernels += expect_sound(line.text, machine);
        EXPECT_GE(kernels, 20) << machine.name;
    }
}

TEST(Disassembly, KnownReorder) {
    const std::vector<Context> all = emitted_machines();
    if (all.empty()) GTEST_SKIP() << "no code is generated for this processor";
    for (const Context& machine : all) {
        const auto executable = generated("reorder --sdt=f32 --stag=nchw --dtag=nhwc 2x64x28x28", machine);
        ASSERT_TRUE(executable);
        const auto kernels = executable->code();
        ASSERT_EQ(kernels.size(), 1u);
        const std::span<const uint8_t> bytes = kernels[0].bytes;
        const std::string text = to_string(disassemble(bytes), bytes, false);
        EXPECT_TRUE(text.starts_with("0x0000  ")) << text;
        EXPECT_NE(text.find("vmovups"), std::string::npos) << text;
        EXPECT_EQ(text.find("zmm") != std::string::npos, machine.vector_bytes == 64) << text;
    }
}

TEST(Disassembly, Text) {
    // jmp +1; ret, which is jumped over; a byte that is no instruction; a load of the table behind; ret; the table.
    const std::vector<uint8_t> function = {0xeb, 0x01, 0xc3, 0x06, 0xc5, 0xfc, 0x10, 0x05,
                                           0x01, 0x00, 0x00, 0x00, 0xc3, 0x01, 0x02, 0x03};
    const Disassembly code = disassemble(function);
    EXPECT_EQ(to_string(code, function, false), "0x0000  jmp 0x0003\n"
                                                "0x0002  ret\n"
                                                "0x0003  (bad)\n"
                                                "0x0004  vmovups ymm0, [0x000d]\n"
                                                "0x000c  ret\n"
                                                "0x000d  .bytes 01 02 03\n");
    EXPECT_FALSE(code.instructions[2].known);
    EXPECT_EQ(code.instructions[3].reads, 13u);
    EXPECT_NE(to_string(code, function, true).find("0x0000  eb 01  "), std::string::npos);
    EXPECT_TRUE(disassemble({}).instructions.empty());
    const std::vector<uint8_t> tiles = {0xc4, 0xe2, 0x53, 0x5c, 0xc6, 0xc3}, torn(tiles.begin(), tiles.begin() + 4);
    EXPECT_EQ(to_string(disassemble(tiles), tiles, false), "0x0000  tdpfp16ps tmm0, tmm6, tmm5\n0x0005  ret\n");
    EXPECT_FALSE(disassemble(torn).instructions[0].known);
}

} // namespace tessera
