// SPDX-License-Identifier: Apache-2.0
// Stores past the caches: used from Machine::stream_bytes on and not below it, and followed by a fence before the job
// returns. Without the fence another thread may read what was there before; no test of results sees that, for the
// processor rarely lets it happen. So these tests execute jobs one instruction at a time and look at each.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <gtest/gtest.h>

#include "../ops/objects.hpp"
#include "cpu/engine.hpp"
#include "cpu/executor/generated.hpp"
#include "cpu/jit/emit/emit.hpp"
#include "cpu/jit/kernel.hpp"
#include "machines.hpp"
#include "ops/eltwise/eltwise.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/ops.hpp"
#include "ops/reorder/reorder.hpp"
#include "ops/softmax/softmax.hpp"

#if defined(__x86_64__) && defined(__linux__)
#include <csignal>

#include <ucontext.h>

namespace tessera::cpu {

namespace {

using ops::md;

// ---- instructions, counted by the handler of the processor's trap flag

struct Seen {
    int64_t instructions = 0, streams = 0, fences = 0;
    bool fenced = true; // since the last stream
};
volatile bool stepping = false;
Seen seen;

// movntps, movntpd, movntdq in their three encodings, movnti.
bool is_stream(const uint8_t* at) {
    const auto vector = [](uint8_t opcode) { return opcode == 0x2b || opcode == 0xe7; };
    if (at[0] == 0x62) return (at[1] & 7) == 1 && vector(at[4]);
    if (at[0] == 0xc4) return (at[1] & 31) == 1 && vector(at[3]);
    if (at[0] == 0xc5) return vector(at[2]);
    if (at[0] == 0x66) ++at;
    if ((at[0] & 0xf0) == 0x40) ++at;
    return at[0] == 0x0f && (vector(at[1]) || at[1] == 0xc3);
}

void step(int, siginfo_t*, void* context) {
    auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    constexpr greg_t trap = 0x100;
    if (!stepping) {
        registers[REG_EFL] &= ~trap;
        return;
    }
    registers[REG_EFL] |= trap;
    const auto* at = reinterpret_cast<const uint8_t*>(registers[REG_RIP]);
    ++seen.instructions;
    if (is_stream(at)) ++seen.streams, seen.fenced = false;
    if (at[0] == 0x0f && at[1] == 0xae && (at[2] & 0xf8) == 0xf8) ++seen.fences, seen.fenced = true;
}

template <typename Work> Seen stepped(const Work& work) {
    struct sigaction action {
    }, before{};
    action.sa_sigaction = step;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGTRAP, &action, &before);
    seen = {};
    stepping = true;
    std::raise(SIGTRAP);
    work();
    stepping = false;
    __asm__ volatile("nop"); // takes the last trap
    sigaction(SIGTRAP, &before, nullptr);
    return seen;
}

// ---- problems, executed on one thread

struct Lines {
    explicit Lines(size_t bytes)
        : data(static_cast<char*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64 + 64)), std::free) {
        std::memset(data.get(), 0, bytes);
    }
    std::unique_ptr<char, void (*)(void*)> data;
};

// This machine, and what it is with AVX2 alone.
std::vector<Context> own_machines() {
    Context whole(this_machine());
    whole.threads = 1;
    std::vector<Context> list;
    constexpr uint32_t avx2 = 0x7;
    if ((whole.isa & avx2) != avx2) return list;
    list.push_back(whole);
    whole.isa = avx2, whole.vector_bytes = 32, whole.byte_permute = false, whole.name = "avx2";
    list.push_back(whole);
    return list;
}

// Executed on the machine, a problem streams, with a fence behind the last stream, or it does not.
// `shift`: bytes by which buffers lie behind the start of a line.
void expect_streams(const Problem& p, const Context& machine, bool streams, int shift = 0) {
    const auto plan = ops::row(p.kind).lower(p);
    ASSERT_TRUE(plan) << plan.error().reason;
    const auto code = make_generated(std::make_shared<const Plan>(*plan), machine);
    ASSERT_TRUE(code) << machine.name;
    std::vector<Lines> buffers;
    std::vector<void*> pointers;
    for (const Operand& o : plan->operands)
        if (o.scratch >= 0)
            pointers.push_back(nullptr);
        else
            pointers.push_back(buffers.emplace_back(size_of(p.md(o.arg)) + size_t(shift)).data.get() + shift);
    const Seen s = stepped([&] { EXPECT_EQ(code->run(pointers, {}), Status::success); });
    if (s.instructions < 1000) GTEST_SKIP() << "the trap flag does not work here";
    const std::string where = fmt::format("{}: {}", machine.name, code->text());
    EXPECT_EQ(s.streams > 0, streams) << where;
    EXPECT_TRUE(s.fenced) << where << s.streams << " streams, " << s.fences << " fences";
}

// A move or a map streams beyond so many bytes. `vector_bytes`: of the narrowest machine that does; the lines of
// transpositions are whole ones of 64 bytes with AVX-512 alone.
void expect_streams(const Problem& p, const char* what, int vector_bytes = 32) {
    SCOPED_TRACE(what);
    for (Context machine : own_machines())
        for (const bool large : {true, false}) {
            machine.stream_bytes = large ? 512 : int64_t(1) << 40;
            machine.l2_bytes = large ? 4 << 10 : 1 << 20;
            expect_streams(p, machine, large && machine.vector_bytes >= vector_bytes);
        }
}

class Streaming : public testing::Test {
protected:
    void SetUp() override {
        if (own_machines().empty()) GTEST_SKIP() << "no code is generated for this processor";
    }
};

Problem reorder(const MemoryDesc& src, const MemoryDesc& dst) { return ops::valid(ops::make_reorder(src, dst, {})); }

} // namespace

TEST_F(Streaming, rows) {
    const MemoryDesc rows = md({2, 4096}, DataType::f32, "ab");
    expect_streams(ops::valid(ops::make_eltwise_forward(PropKind::forward_inference, 0x20, rows, rows, 0, 0, {})),
                   "relu");
    expect_streams(reorder(rows, md({2, 4096}, DataType::s8, "ab")), "f32 to s8");
    expect_streams(reorder(rows, md({2, 4096}, DataType::bf16, "ab")), "f32 to bf16");
}

// The last step of a group, by what all of its points write.
TEST_F(Streaming, rows_of_groups) {
    const MemoryDesc rows = md({16, 1024}, DataType::f32, "ab");
    expect_streams(ops::valid(ops::make_softmax_backward(0x30000, rows, rows, rows, 1, {})), "softmax backward");
}

TEST_F(Streaming, transpositions) {
    for (const DataType type : {DataType::f32, DataType::bf16, DataType::s8}) {
        const std::string what = fmt::format("ab to ba of {}", name(type));
        expect_streams(reorder(md({128, 64}, type, "ab"), md({128, 64}, type, "ba")), what.c_str(), 64);
    }
    expect_streams(reorder(md({1, 32, 12, 12}, DataType::f32, "abcd"), md({1, 32, 12, 12}, DataType::f32, "acdb")),
                   "nchw to nhwc", 64);
    expect_streams(reorder(md({1, 32, 8, 8}, DataType::f32, "abcd"), md({1, 32, 8, 8}, DataType::f32, "aBcd16b")),
                   "nchw to nChw16c", 64);
}

// Rows a power of two apart go through a buffer, and stream from there.
TEST_F(Streaming, panels) {
    expect_streams(reorder(md({64, 1024}, DataType::s8, "ab"), md({64, 1024}, DataType::s8, "ba")), "panels", 64);
}

// Rows of dst a power of two apart are put together in a buffer, and stream from half of the bytes on.
TEST_F(Streaming, combined_panels) {
    const MemoryDesc src = md({1024, 16}, DataType::f32, "ab"), dst = md({1024, 16}, DataType::f32, "ba");
    const auto bytes = int64_t(2 * size_of(src));
    for (Context machine : own_machines())
        for (const bool large : {true, false}) {
            machine.stream_bytes = large ? 2 * bytes - 1 : 2 * bytes;
            expect_streams(reorder(src, dst), machine, large);
            expect_streams(reorder(src, dst), machine, false, 16); // parts of lines
        }
}

// Results of products by tiles. A processor without tiles leaves the products out: what is stored is wrong then, and
// stored in the same way.
TEST_F(Streaming, products_of_tiles) {
    Context machine = machine_named("avx10_1_512_amx");
    if (this_machine().vector_bytes < 64) GTEST_SKIP() << "results of tiles are stored by AVX-512";
    machine.threads = 1;
    jit::set_emit([](const jit::Code& code) {
        auto bytes = jit::emit(code);
        constexpr uint8_t ret = 0xc3;
        return !bytes || jit::runs_here(code) ? bytes : std::vector{ret};
    });
    constexpr DataType bf16 = DataType::bf16, f32 = DataType::f32;
    const Problem p = ops::valid(
        ops::make_matmul(md({64, 64}, bf16, "ab"), md({64, 96}, bf16, "ab"), {}, md({64, 96}, f32, "ab"), {}));
    for (const bool large : {true, false}) {
        machine.l2_bytes = large ? 4 << 10 : 1 << 20;
        expect_streams(p, machine, large);
    }
    // Operands that no cache holds, but a result that one does: it is read again.
    machine.l2_bytes = 64 << 10;
    expect_streams(ops::valid(ops::make_matmul(md({64, 1024}, bf16, "ab"), md({1024, 96}, bf16, "ab"), {},
                                               md({64, 96}, f32, "ab"), {})),
                   machine, false);
    jit::set_emit(nullptr);
}

} // namespace tessera::cpu

#endif
