// SPDX-License-Identifier: Apache-2.0
// Random problems: lowered, run by the portable engine on several threads and by the plan interpreter, compared byte
// by byte with the reference; generated code for every machine likewise; bytes around views and guard zones included. A
// failure prints the seed of its problem: TESSERA_FUZZ_SEED=N TESSERA_FUZZ_COUNT=1 repeats it. With
// TESSERA_FUZZ_ENGINE=gpu the first device runs the plans instead, against the interpreter, bit for bit.
// covers: REO-01 REO-04 REO-08 REO-09 REO-10 REO-13 REO-14 REO-17 REO-18 REO-19 REO-21 REO-22 SHU-01 SHU-02 SHU-06
// covers: BIN-01 BIN-04 BIN-05 BIN-08 BIN-11 PRE-01 PRE-02 PRE-03 SUM-01 SUM-04 CON-01 CON-06 RES-01 RES-02 RES-04
// covers: MAT-01 MAT-02 MAT-03 MAT-04 MAT-27 MAT-40 MAT-41 MAT-42 MAT-43 MAT-46
// covers: INP-01 INP-02 INP-04 INP-05 INP-06
// covers: ELT-32 ELT-33 ELT-35 ELT-37 ELT-38 PO-02 PO-05 PO-08 SHU-14 OPQ-02 OPQ-03 OPQ-04 OPQ-05 FMT-06

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "arena.hpp"
#include "bounds/bounds.hpp"
#include "cpu/engine.hpp"
#include "cpu/executor/generated.hpp"
#include "cpu/portable/executable.hpp"
#include "fuzzed_machines.hpp"
#include "ops/ops.hpp"
#include "primitives/row.hpp"
#include "seeds.hpp"
#include "trial/compare.hpp"
#include "trial/faults.hpp"
#ifdef TESSERA_OPENCL
#include "../gpu/on_device.hpp"
#endif

namespace tessera::fuzz {

namespace {

// A tensor with bounds against the reference: elements within theirs, everything else byte by byte.
Result<void> matches(const Tensor& t, const Bounds& bounds, const Bytes& want, const Bytes& got) {
    return compare(t.md, got.data(), want.data(), got.size(), false, [&](std::span<const int64_t> at, int64_t element) {
        return bounds.hold(t.arg, at, got.data(), element);
    });
}

// What forward leaves for a backward that reads a workspace.
void run_forward(const Problem& p, Arena& arena) {
    const auto forward_of = ops::row(p.kind).forward_of;
    if (!forward_of || p.prop != PropKind::backward) return;
    const auto plan = ops::row(p.kind).lower(forward_of(p));
    ASSERT_TRUE(plan) << plan.error().reason;
    interpret(*plan, pointers(*plan, arena, true).all);
}

// Generated code sums products in an order of its own.
bool has_one_order(const Problem& p) { return !primitives::row(p.kind).multiplies; }

void check(const Problem& p, uint64_t seed, Random& r) {
    Context machine;
    machine.threads = 2;
    auto lowered = ops::row(p.kind).lower(p);
    if (!lowered && lowered.error().status == Status::unimplemented) return; // too many attributes at once
    ASSERT_TRUE(lowered) << lowered.error().reason;
    auto plan = std::make_shared<const Plan>(*lowered);
    ASSERT_TRUE(verify(*plan)) << to_string(*plan);
    doing(fmt::format("{} {}, TESSERA_FUZZ_SEED={}, reference and interpreter", name(p.kind), p.shape(), seed));
    Arena expected = make_arena(p, seed, r);
    run_forward(p, expected);
    Arena interpreted = expected, run = expected;
    ops::row(p.kind).ref(p, expected.buffers());
    interpret(*plan, pointers(*plan, interpreted, true).all);
    const Arena before = run;
    auto executable = cpu::make_portable(plan, machine);
    ASSERT_TRUE(executable) << executable.error().reason;
    doing(fmt::format("{} {}, TESSERA_FUZZ_SEED={}, portable", name(p.kind), p.shape(), seed));
    ASSERT_EQ((*executable)->run(pointers(*plan, run, false).all, {}), Status::success);
    Arena read = before;
    const ops::Buffers inputs = read.buffers();
    const Bounds bounds(p, inputs);
    for (const Context& generating : machines_of(seed)) {
        Arena again = before;
        const auto generated = cpu::make_generated(plan, generating);
        if (!generated) continue;
        doing(fmt::format("{} {}, TESSERA_FUZZ_SEED={}, {}", name(p.kind), p.shape(), seed, generating.name));
        ASSERT_EQ(generated->run(pointers(*plan, again, false).all, {}), Status::success);
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

#ifdef TESSERA_OPENCL
void check_on_device(const Problem& p, uint64_t seed, Random& r) {
    const auto plan = ops::row(p.kind).lower(p);
    if (!plan && plan.error().status == Status::unimplemented) return;
    ASSERT_TRUE(plan) << plan.error().reason;
    doing(fmt::format("{} {}, TESSERA_FUZZ_SEED={}, on a device", name(p.kind), p.shape(), seed));
    ASSERT_EQ(test::differs_on_device(p, *plan, seed, r), "")
        << "TESSERA_FUZZ_ENGINE=gpu TESSERA_FUZZ_SEED=" << seed << "\n"
        << describe(p) << "\n"
        << to_string(*plan);
}
#endif

void each(Result<Problem> (*make)(Random&)) {
    const char* const engine = std::getenv("TESSERA_FUZZ_ENGINE");
    if (!engine || std::string_view(engine) == "cpu") {
        each_problem(1000, make, check);
        return;
    }
    ASSERT_EQ(std::string_view(engine), "gpu") << "TESSERA_FUZZ_ENGINE is cpu or gpu";
#ifdef TESSERA_OPENCL
    if (test::device()) {
        each_problem(100, make, check_on_device);
        return;
    }
#endif
    GTEST_SKIP() << "no device of OpenCL";
}

} // namespace

#define PRIMITIVE(name, number)                                                                                        \
    TEST(PlanFuzz, name) { each(random_##name); }
#include "core/problem/primitives.def"
#undef PRIMITIVE

} // namespace tessera::fuzz
