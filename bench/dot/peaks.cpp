// SPDX-License-Identifier: Apache-2.0
// Loops of one instruction on twelve accumulators, or on four tiles: enough to hide latencies up to six cycles at two
// instructions a cycle.
#include "dot/peaks.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include <sys/syscall.h>
#include <unistd.h>
#include <xbyak/xbyak.h>

#include "copy_limit.hpp"
#include "oneapi/dnnl/dnnl.h"

namespace tessera::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double turn_seconds = 4e-4;

enum class Instruction {
    mul_add_128,
    fma_256,
    fma_512,
    dot_bf16_512,
    madd_128,
    madd_256,
    madd_512,
    dot_int8_256,
    dot_int8_512,
    tile_bf16,
    tile_f16,
    tile_int8
};

struct Row {
    Instruction instruction;
    const char* name;
    int isa;                   // bits of dnnl_cpu_isa_t that it needs
    int operations;            // of one instruction; of vpmaddwd with the addition that it needs
    std::array<bool, 4> kinds; // f32, bf16, f16, int8: it multiplies them exactly once they are widened
};
constexpr int tile_operations = 16 * 16 * 2;
constexpr Row rows[] = {
    {Instruction::mul_add_128, "mulps, addps", dnnl_cpu_isa_sse41, 8, {true, true, true, false}},
    {Instruction::fma_256, "vfmadd231ps ymm", dnnl_cpu_isa_avx2, 16, {true, true, true, false}},
    {Instruction::fma_512, "vfmadd231ps zmm", dnnl_cpu_isa_avx512_core, 32, {true, true, true, false}},
    {Instruction::dot_bf16_512, "vdpbf16ps zmm", dnnl_cpu_isa_avx512_core_bf16, 64, {false, true, false, false}},
    {Instruction::madd_128, "pmaddwd, paddd", dnnl_cpu_isa_sse41, 16, {false, false, false, true}},
    {Instruction::madd_256, "vpmaddwd, vpaddd ymm", dnnl_cpu_isa_avx2, 32, {false, false, false, true}},
    {Instruction::madd_512, "vpmaddwd, vpaddd zmm", dnnl_cpu_isa_avx512_core, 64, {false, false, false, true}},
    {Instruction::dot_int8_256, "vpdpbusd ymm", dnnl_cpu_isa_avx2_vnni, 64, {false, false, false, true}},
    {Instruction::dot_int8_512, "vpdpbusd zmm", dnnl_cpu_isa_avx512_core_vnni, 128, {false, false, false, true}},
    {Instruction::tile_bf16,
     "tdpbf16ps",
     dnnl_cpu_isa_avx512_core_amx,
     32 * tile_operations,
     {false, true, false, false}},
    {Instruction::tile_f16,
     "tdpfp16ps",
     dnnl_cpu_isa_avx512_core_amx_fp16,
     32 * tile_operations,
     {false, false, true, false}},
    {Instruction::tile_int8,
     "tdpbusd",
     dnnl_cpu_isa_avx512_core_amx,
     64 * tile_operations,
     {false, false, false, true}},
};

// dnnl_cpu_isa_t: an instruction set includes every other whose bits it contains.
bool includes(int isa, int needed) { return (isa & needed) == needed; }
bool is_tile(Instruction i) { return i >= Instruction::tile_bf16; }

// Linux lends a process the tile registers when it asks (ARCH_REQ_XCOMP_PERM for tile data).
bool tiles_permitted() {
    static const bool permitted = syscall(SYS_arch_prctl, 0x1023, 18) == 0;
    return permitted;
}

struct alignas(64) TileConfiguration {
    uint8_t palette = 1, unused[15] = {};
    uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
constexpr TileConfiguration all_tiles;

constexpr int chains = 12;

// Twice one of bf16, about one of f32, bytes of both signs: multiplicands of zero would draw less power than real ones.
constexpr uint32_t multiplicand = 0x3f803f80;
alignas(64) constexpr std::array<uint32_t, 16> multiplicands = [] {
    std::array<uint32_t, 16> row{};
    row.fill(multiplicand);
    return row;
}();

// void(int64_t turns): `chains` instructions a turn, or four of tiles.
struct PeakCode : Xbyak::CodeGenerator {
    explicit PeakCode(const Row& row) {
        const Instruction instruction = row.instruction;
        if (is_tile(instruction))
            start_tiles();
        else
            start_vectors(row.isa);
        Xbyak::Label again;
        L(again);
        if (is_tile(instruction))
            for (int t = 0; t < 4; ++t)
                product(instruction, Xbyak::Tmm(t), Xbyak::Tmm(4 + t / 2), Xbyak::Tmm(6 + t % 2));
        else
            for (int r = 0; r < chains; ++r) vector(instruction, r);
        dec(rdi);
        jnz(again, T_NEAR);
        if (is_tile(instruction))
            tilerelease();
        else if (row.isa != dnnl_cpu_isa_sse41)
            vzeroupper();
        ret();
    }

private:
    void start_tiles() {
        mov(rax, reinterpret_cast<size_t>(&all_tiles));
        ldtilecfg(ptr[rax]);
        for (int t = 0; t < 4; ++t) tilezero(Xbyak::Tmm(t));
        mov(rax, reinterpret_cast<size_t>(multiplicands.data()));
        xor_(rdx, rdx); // every row the same
        for (int t = 4; t < 8; ++t) tileloadd(Xbyak::Tmm(t), ptr[rax + rdx]);
    }
    void start_vectors(int isa) {
        for (int r = 0; r < 16; ++r) pxor(Xbyak::Xmm(r), Xbyak::Xmm(r));
        mov(rax, reinterpret_cast<size_t>(multiplicands.data()));
        for (int r = 12; r < 14; ++r)
            if (includes(isa, dnnl_cpu_isa_avx512_core))
                vmovups(Xbyak::Zmm(r), ptr[rax]);
            else if (includes(isa, dnnl_cpu_isa_avx2))
                vmovups(Xbyak::Ymm(r), ptr[rax]);
            else
                movups(Xbyak::Xmm(r), ptr[rax]);
    }
    void product(Instruction i, const Xbyak::Tmm& c, const Xbyak::Tmm& a, const Xbyak::Tmm& b) {
        i == Instruction::tile_bf16  ? tdpbf16ps(c, a, b)
        : i == Instruction::tile_f16 ? tdpfp16ps(c, a, b)
                                     : tdpbusd(c, a, b);
    }
    void vector(Instruction i, int r) {
        const Xbyak::Xmm x(r), xa(12), xt(14 + r % 2);
        const Xbyak::Ymm y(r), ya(12), yb(13);
        const Xbyak::Zmm z(r), za(12), zb(13);
        switch (i) {
        case Instruction::mul_add_128:
            movaps(xt, xa); // which takes no unit
            mulps(xt, Xbyak::Xmm(13));
            addps(x, xt);
            break;
        case Instruction::madd_128:
            movaps(xt, xa);
            pmaddwd(xt, Xbyak::Xmm(13));
            paddd(x, xt);
            break;
        case Instruction::fma_256:
            vfmadd231ps(y, ya, yb);
            break;
        case Instruction::fma_512:
            vfmadd231ps(z, za, zb);
            break;
        case Instruction::dot_bf16_512:
            vdpbf16ps(z, za, zb);
            break;
        case Instruction::madd_256:
            vpmaddwd(Xbyak::Ymm(14 + r % 2), ya, yb);
            vpaddd(y, y, Xbyak::Ymm(14 + r % 2));
            break;
        case Instruction::madd_512:
            vpmaddwd(Xbyak::Zmm(14 + r % 2), za, zb);
            vpaddd(z, z, Xbyak::Zmm(14 + r % 2));
            break;
        case Instruction::dot_int8_256:
            vpdpbusd(y, ya, yb, Xbyak::VexEncoding);
            break;
        case Instruction::dot_int8_512:
            vpdpbusd(z, za, zb);
            break;
        default:
            break;
        }
    }
};

// void(const char* from, int64_t turns): 256 bytes a turn.
constexpr int64_t read_turn = 256;
struct ReadCode : Xbyak::CodeGenerator {
    ReadCode() {
        const int isa = dnnl_get_effective_cpu_isa();
        const int width = includes(isa, dnnl_cpu_isa_avx512_core) ? 64 : includes(isa, dnnl_cpu_isa_avx2) ? 32 : 16;
        Xbyak::Label again;
        L(again);
        for (int at = 0; at < read_turn; at += width) {
            if (width == 64)
                vmovups(Xbyak::Zmm(at / width), ptr[rdi + at]);
            else if (width == 32)
                vmovups(Xbyak::Ymm(at / width), ptr[rdi + at]);
            else
                movups(Xbyak::Xmm(at / width), ptr[rdi + at]);
        }
        add(rdi, read_turn);
        dec(rsi);
        jnz(again, T_NEAR);
        if (width > 16) vzeroupper();
        ret();
    }
};

double fork_join() {
    static const double seconds = fork_join_seconds();
    return seconds;
}

} // namespace

double Rates::seconds(double amount) const {
    if (one <= 0) return 0;
    const double alone = amount / one;
    return team > one ? std::min(alone, amount / team + fork_join()) : alone;
}

struct Arithmetic::Loop {
    const Row& row;
    PeakCode code;
    explicit Loop(const Row& r) : row(r), code(r) {}
    double operations_per_turn() const { return double(row.operations) * (is_tile(row.instruction) ? 4 : chains); }
    // Operations a second of each of `threads` together.
    double rate(int threads, int64_t turns) {
        const auto run = code.getCode<void (*)(int64_t)>();
        const auto start = Clock::now();
        on_team(threads, [&](int, int) { run(turns); });
        return double(threads) * double(turns) * operations_per_turn() / seconds_since(start);
    }
    int64_t turns_of(double seconds) {
        const int64_t probe = 2000;
        rate(1, probe); // wakes the wide units
        return std::max<int64_t>(probe, int64_t(seconds * rate(1, probe) / operations_per_turn()));
    }
};

Arithmetic::Arithmetic(Kind kind) {
    const int isa = dnnl_get_effective_cpu_isa();
    for (const Row& row : rows) {
        if (!row.kinds[size_t(kind)] || !includes(isa, row.isa)) continue;
        if (is_tile(row.instruction) && !tiles_permitted()) continue;
        auto candidate = std::make_unique<Loop>(row);
        const int64_t turns = candidate->turns_of(turn_seconds);
        double best = 0;
        for (int t = 0; t < 3; ++t) best = std::max(best, candidate->rate(1, turns));
        if (best <= rates_.one) continue;
        rates_.one = best;
        loop_ = std::move(candidate);
    }
}
Arithmetic::~Arithmetic() = default;

void Arithmetic::turn() {
    if (!loop_) return; // no row for this processor: the library said less than SSE4.1
    const auto turns = int64_t(turn_seconds * rates_.one / loop_->operations_per_turn());
    rates_.one = std::max(rates_.one, loop_->rate(1, turns));
    if (const int threads = library_threads(); threads > 1)
        rates_.team = std::max(rates_.team, loop_->rate(threads, turns));
}

const char* Arithmetic::instruction() const { return loop_ ? loop_->row.name : "none"; }
bool Arithmetic::by_tiles() const { return loop_ && is_tile(loop_->row.instruction); }

Reading::Reading(int64_t bytes) : buffer_(size_t((bytes + read_turn - 1) / read_turn * read_turn), 1) {}

void Reading::turn() {
    static const ReadCode code;
    const auto run = code.getCode<void (*)(const char*, int64_t)>();
    const auto pieces = int64_t(buffer_.size()) / read_turn;
    constexpr double long_turn = 1e-3; // the first pass finds the case's data in the caches
    // A member's share, `times` over, so that the clock and the team's start cost little of a small buffer.
    const auto rate = [&](int threads, int64_t times) {
        const auto start = Clock::now();
        on_team(threads, [&](int member, int members) {
            const int64_t from = pieces * member / members, to = pieces * (member + 1) / members;
            if (from == to) return;
            for (int64_t t = 0; t < times; ++t) run(buffer_.data() + from * read_turn, to - from);
        });
        return double(buffer_.size()) * double(times) / seconds_since(start);
    };
    const int64_t times = std::max<int64_t>(1, int64_t(long_turn * rate(1, 1) / double(buffer_.size())));
    rates_.one = std::max(rates_.one, rate(1, times));
    if (const int threads = library_threads(); threads > 1) rates_.team = std::max(rates_.team, rate(threads, times));
}

} // namespace tessera::bench
