// Random problems: lowered, run by the portable engine on several threads and by the plan interpreter, compared byte
// by byte with the reference; generated code for every machine likewise; bytes around views and guard zones included. A
// failure prints the seed of its problem: TESSERA_FUZZ_SEED=N TESSERA_FUZZ_COUNT=1 repeats it. Every buffer has exactly
// the bytes that its descriptor reaches, beside a page that cannot be touched: behind it or before it, in turn.
// covers: REO-01 REO-04 REO-08 REO-09 REO-10 REO-13 REO-14 REO-17 REO-18 REO-19 REO-21 REO-22 SHU-01 SHU-02 SHU-06
// covers: BIN-01 BIN-04 BIN-05 BIN-08 BIN-11 PRE-01 PRE-02 PRE-03 SUM-01 SUM-04 CON-01 CON-06 RES-01 RES-02 RES-04
// covers: MAT-01 MAT-02 MAT-03 MAT-04 MAT-27 MAT-40 MAT-41 MAT-42 MAT-43 MAT-46
// covers: INP-01 INP-02 INP-04 INP-05 INP-06
// covers: ELT-32 ELT-33 ELT-35 ELT-37 ELT-38 PO-02 PO-05 PO-08 SHU-14 OPQ-02 OPQ-03 OPQ-04 OPQ-05 FMT-06
#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bounds/bounds.hpp"
#include "core/plan/plan.hpp"
#include "cpu/engine.hpp"
#include "cpu/executor/generated.hpp"
#include "cpu/portable/executable.hpp"
#include "fuzzed_machines.hpp"
#include "ops/coordinates.hpp"
#include "ops/ops.hpp"
#include "primitives/row.hpp"
#include "problems/random_problem.hpp"
#include "seeds.hpp"
#include "trial/compare.hpp"
#include "trial/faults.hpp"
#include "trial/guarded_buffer.hpp"

namespace tessera::fuzz {

namespace {

using Bytes = GuardedBuffer;

struct Arena {
    std::map<int, Bytes> bytes; // by argument
    ops::Buffers buffers() {
        ops::Buffers b;
        for (auto& [id, v] : bytes) b[id] = v.data();
        return b;
    }
    bool intact() const {
        return std::all_of(bytes.begin(), bytes.end(), [](const auto& b) { return b.second.intact(); });
    }
};

void fill(Bytes& v, DataType type, Random& r) {
    for (size_t i = 0; i < v.size(); i += 8) {
        const uint64_t bytes = r();
        std::memcpy(v.data() + i, &bytes, std::min<size_t>(8, v.size() - i));
    }
    if (type != DataType::f32 && type != DataType::f64 && type != DataType::s32) return;
    // Mostly values that narrower types can hold; random bits are mostly huge.
    for (size_t i = 0; i < v.size() / size_t(bits(type) / 8); ++i)
        if (chance(r, 80)) write<double>(type, v.data(), int64_t(i), double(below(r, 4000)) / 8 - 250);
}

// Sums of many elements: values whose partial sums stay finite, wherever an element may lie.
void fill_summands(Bytes& v, DataType type, Random& r) {
    for (int64_t i = 0; i < int64_t(v.size()) * 8 / bits(type); ++i)
        write<double>(type, v.data(), i, double(below(r, 4000)) / 8 - 250);
}

Arena make_arena(const Problem& p, uint64_t seed, Random& r) {
    const primitives::Row& row = primitives::row(p.kind);
    Arena a;
    auto add = [&, at_end = seed % 2 == 0](int id, size_t bytes) mutable -> Bytes& {
        at_end = !at_end;
        using Placement = GuardedBuffer::Placement;
        return a.bytes[id] = Bytes(bytes, at_end ? Placement::end_at_guard : Placement::start_at_guard);
    };
    for (const Tensor& t : p.tensors) {
        Bytes& bytes = add(t.arg, reach_of(t.md));
        fill(bytes, t.md.type, r);
        if (row.adds && !(row.multiplies && is_integer(t.md.type))) fill_summands(bytes, t.md.type, r);
        // The padding of an input is zero: kernels may multiply by it.
        if (row.multiplies && !t.output) ops::zero_padding(t.md, bytes.data());
    }
    for (const QuantArg& q : quant_args(p)) {
        Bytes& v = add(q.id, size_t(bytes_of(q.quant.type, q.count)));
        for (int64_t i = 0; i < q.count; ++i)
            write<float>(q.quant.type, v.data(), i,
                         q.quant.type == DataType::s32 ? float(below(r, 9) - 4) : float(1 + below(r, 16)) / 4);
    }
    return a;
}

std::vector<void*> pointers(const Plan& plan, Arena& a, bool with_bytes) {
    std::vector<void*> result;
    for (const Operand& o : plan.operands) {
        if (o.constant >= 0)
            result.push_back(const_cast<float*>(plan.constants[size_t(o.constant)].data()));
        else
            result.push_back(a.bytes.at(o.arg).data() + (with_bytes ? o.bytes : 0));
    }
    return result;
}

// The first difference in words, "" if there is none. NaNs are equal: which payload survives a + b is not specified.
std::string difference(DataType type, const Bytes& want, const Bytes& got) {
    if (want == got) return "";
    const int64_t elements = int64_t(want.size()) * 8 / bits(type);
    for (int64_t i = 0; i < elements; ++i) {
        if (read_bits(type, want.data(), i) == read_bits(type, got.data(), i)) continue;
        const double x = read<double>(type, want.data(), i), y = read<double>(type, got.data(), i);
        if (x != x && y != y) continue;
        return fmt::format("element {}: {} expected, {} found", i, x, y);
    }
    return "";
}

// A tensor with bounds against the reference: elements within theirs, everything else byte by byte.
Result<void> matches(const Tensor& t, const Bounds& bounds, const Bytes& want, const Bytes& got) {
    return compare(t.md, got.data(), want.data(), got.size(), false, [&](std::span<const int64_t> at, int64_t element) {
        return bounds.hold(t.arg, at, got.data(), element);
    });
}

// Generated code sums products in an order of its own.
bool has_one_order(const Problem& p) { return !primitives::row(p.kind).multiplies; }

void check(const Problem& p, uint64_t seed, Random& r) {
    Machine machine;
    machine.threads = 2;
    auto lowered = ops::row(p.kind).lower(p);
    if (!lowered && lowered.error().status == Status::unimplemented) return; // too many attributes at once
    ASSERT_TRUE(lowered) << lowered.error().reason;
    auto plan = std::make_shared<const Plan>(*lowered);
    ASSERT_TRUE(verify(*plan)) << to_string(*plan);
    doing(fmt::format("{} {}, TESSERA_FUZZ_SEED={}, reference and interpreter", name(p.kind), p.shape(), seed));
    Arena expected = make_arena(p, seed, r), interpreted = expected, run = expected;
    ops::row(p.kind).ref(p, expected.buffers());
    interpret(*plan, pointers(*plan, interpreted, true));
    const Arena before = run;
    auto executable = cpu::make_portable(plan, machine);
    ASSERT_TRUE(executable) << executable.error().reason;
    doing(fmt::format("{} {}, TESSERA_FUZZ_SEED={}, portable", name(p.kind), p.shape(), seed));
    ASSERT_EQ((*executable)->run(pointers(*plan, run, false), {}), Status::success);
    Arena read = before;
    const ops::Buffers inputs = read.buffers();
    const Bounds bounds(p, inputs);
    for (const Machine& generating : machines_of(seed)) {
        Arena again = before;
        const auto generated = cpu::make_generated(plan, generating);
        if (!generated) continue;
        doing(fmt::format("{} {}, TESSERA_FUZZ_SEED={}, {}", name(p.kind), p.shape(), seed, generating.name));
        ASSERT_EQ(generated->run(pointers(*plan, again, false), {}), Status::success);
        ASSERT_TRUE(again.intact()) << "bytes beside a buffer: " << generating.name << ", TESSERA_FUZZ_SEED=" << seed
                                    << "\n"
                                    << describe(p) << "\n"
                                    << to_string(*plan);
        for (const Tensor& t : p.tensors) {
            std::string different;
            if (has_one_order(p) || !t.output)
                different = difference(t.md.type, run.bytes[t.arg], again.bytes[t.arg]);
            else if (const auto same = matches(t, bounds, expected.bytes[t.arg], again.bytes[t.arg]); !same)
                different = same.error().reason;
            ASSERT_EQ(different, "") << generating.name << ", TESSERA_FUZZ_SEED=" << seed << "\n"
                                     << describe(p) << "\n"
                                     << to_string(*plan);
        }
    }
    ASSERT_TRUE(expected.intact() && interpreted.intact() && run.intact())
        << "bytes beside a buffer, TESSERA_FUZZ_SEED=" << seed << "\n"
        << describe(p);
    for (const Tensor& t : p.tensors) {
        if (bounds.any() && t.output) { // engines agree in all bits; with the reference within the bounds of functions
            ASSERT_EQ(difference(t.md.type, interpreted.bytes[t.arg], run.bytes[t.arg]), "")
                << "portable and interpreter, TESSERA_FUZZ_SEED=" << seed << "\n"
                << describe(p) << "\n"
                << to_string(*plan);
            const auto same = matches(t, bounds, expected.bytes[t.arg], run.bytes[t.arg]);
            ASSERT_TRUE(same) << same.error().reason << ", TESSERA_FUZZ_SEED=" << seed << "\n"
                              << describe(p) << "\n"
                              << to_string(*plan);
            continue;
        }
        const auto& want = expected.bytes[t.arg];
        ASSERT_EQ(difference(t.md.type, want, interpreted.bytes[t.arg]), "")
            << "interpreter, TESSERA_FUZZ_SEED=" << seed << "\n"
            << describe(p) << "\n"
            << to_string(*plan);
        ASSERT_EQ(difference(t.md.type, want, run.bytes[t.arg]), "") << "portable, TESSERA_FUZZ_SEED=" << seed << "\n"
                                                                     << describe(p) << "\n"
                                                                     << to_string(*plan);
    }
}

} // namespace

#define PRIMITIVE(name, number)                                                                                        \
    TEST(PlanFuzz, name) { each_problem(2000, random_##name, check); }
#include "core/problem/primitives.def"
#undef PRIMITIVE

} // namespace tessera::fuzz
