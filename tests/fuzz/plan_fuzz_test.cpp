// Random problems: lowered, run by the portable engine on several threads and by the plan interpreter, compared byte
// by byte with the reference; generated code for every machine likewise; bytes around views and guard zones included. A
// failure prints the seed of its problem: TESSERA_FUZZ_SEED=N TESSERA_FUZZ_COUNT=1 repeats it.
// covers: REO-01 REO-04 REO-08 REO-09 REO-10 REO-13 REO-14 REO-17 REO-18 REO-19 REO-21 REO-22 SHU-01 SHU-02 SHU-06
// covers: BIN-01 BIN-04 BIN-05 BIN-08 BIN-11 PRE-01 PRE-02 PRE-03 SUM-01 SUM-04 CON-01 CON-06 RES-01 RES-02 RES-04
// covers: MAT-01 MAT-02 MAT-03 MAT-04 MAT-27 MAT-40 MAT-41 MAT-42 MAT-43 MAT-46
// covers: INP-01 INP-02 INP-04 INP-05 INP-06
// covers: ELT-32 ELT-33 ELT-35 ELT-37 ELT-38 PO-02 PO-05 PO-08 SHU-14 OPQ-02 OPQ-03 OPQ-04 OPQ-05 FMT-06
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bounds.hpp"
#include "compare.hpp"
#include "core/plan/plan.hpp"
#include "cpu/engine.hpp"
#include "cpu/exec/generated.hpp"
#include "cpu/portable/executable.hpp"
#include "machines.hpp"
#include "ops/coordinates.hpp"
#include "ops/ops.hpp"
#include "random_matmul.hpp"
#include "random_pointwise.hpp"
#include "random_problem.hpp"

namespace tessera::fuzz {

namespace {

constexpr size_t guard = 64;

struct Arena {
    std::map<int, std::vector<unsigned char>> bytes; // argument -> guard, buffer, guard
    ops::Buffers buffers() {
        ops::Buffers b;
        for (auto& [id, v] : bytes) b[id] = v.data() + guard;
        return b;
    }
};

// Of a view, the buffer reaches from the parent's start to the view's last element.
size_t reach(const MemoryDesc& md) { return size_of(md) + size_t(bytes_of(md.type, md.offset0)) + 8; }

void fill(std::vector<unsigned char>& v, DataType type, Random& r) {
    for (size_t i = 0; i < v.size(); i += 8) {
        const uint64_t bytes = r();
        std::memcpy(&v[i], &bytes, std::min<size_t>(8, v.size() - i));
    }
    if (type != DataType::f32 && type != DataType::f64 && type != DataType::s32) return;
    // Mostly values that narrower types can hold; random bits are mostly huge.
    for (size_t i = 0; i < (v.size() - guard) / size_t(bits(type) / 8); ++i)
        if (chance(r, 80)) write<double>(type, v.data() + guard, int64_t(i), double(below(r, 4000)) / 8 - 250);
}

// Sums of many elements: values whose partial sums stay finite, wherever an element may lie.
void fill_summands(std::vector<unsigned char>& v, DataType type, Random& r) {
    for (int64_t i = 0; i < int64_t(v.size() - guard) * 8 / bits(type); ++i)
        write<double>(type, v.data() + guard, i, double(below(r, 4000)) / 8 - 250);
}

bool multiplies(const Problem& p) { return p.kind == PrimitiveKind::matmul || p.kind == PrimitiveKind::inner_product; }

Arena make_arena(const Problem& p, Random& r) {
    Arena a;
    for (const Tensor& t : p.tensors) {
        a.bytes[t.arg].resize(reach(t.md) + 2 * guard);
        fill(a.bytes[t.arg], t.md.type, r);
        const bool sums = p.kind == PrimitiveKind::prelu || (multiplies(p) && !is_integer(t.md.type));
        if (sums) fill_summands(a.bytes[t.arg], t.md.type, r);
        // The padding of an input is zero: kernels may multiply by it.
        if (multiplies(p) && !t.output) ops::zero_padding(t.md, a.bytes[t.arg].data() + guard);
    }
    for (const QuantArg& q : quant_args(p)) {
        auto& v = a.bytes[q.id];
        v.resize(size_t(bytes_of(q.quant.type, q.count)) + 2 * guard);
        for (int64_t i = 0; i < q.count; ++i)
            write<float>(q.quant.type, v.data() + guard, i,
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
            result.push_back(a.bytes.at(o.arg).data() + guard + (with_bytes ? o.bytes : 0));
    }
    return result;
}

// The first difference in words, "" if there is none. NaNs are equal: which payload survives a + b is not specified.
std::string difference(DataType type, const std::vector<unsigned char>& want, const std::vector<unsigned char>& got) {
    if (want == got) return "";
    const int64_t elements = int64_t(want.size() - guard) * 8 / bits(type);
    auto at = [](const auto& v) { return v.data() + guard; };
    for (int64_t i = 0; i < elements; ++i) {
        if (read_bits(type, at(want), i) == read_bits(type, at(got), i)) continue;
        const double x = read<double>(type, at(want), i), y = read<double>(type, at(got), i);
        if (x != x && y != y) continue;
        return fmt::format("element {}: {} expected, {} found", i, x, y);
    }
    return std::equal(want.begin(), want.begin() + long(guard), got.begin()) ? "" : "bytes before the buffer";
}

// A tensor with bounds against the reference: elements within theirs, everything else byte by byte.
Result<void> matches(const Tensor& t, const Bounds& bounds, const std::vector<unsigned char>& want,
                     const std::vector<unsigned char>& got) {
    if (!std::equal(want.begin(), want.begin() + long(guard), got.begin()))
        return runtime_error("bytes before the buffer");
    const unsigned char* base = got.data() + guard;
    return compare(t.md, base, want.data() + guard, got.size() - guard, false,
                   [&](std::span<const int64_t> at, int64_t element) { return bounds.hold(t.arg, at, base, element); });
}

// Generated code sums products in an order of its own.
bool has_one_order(const Problem& p) { return !multiplies(p); }

void check(const Problem& p, uint64_t seed, Random& r) {
    Machine machine;
    machine.threads = 2;
    auto lowered = ops::row(p.kind).lower(p, machine);
    if (!lowered && lowered.error().status == Status::unimplemented) return; // too many attributes at once
    ASSERT_TRUE(lowered) << lowered.error().reason;
    auto plan = std::make_shared<const Plan>(*lowered);
    ASSERT_TRUE(verify(*plan)) << to_string(*plan);
    Arena expected = make_arena(p, r), interpreted = expected, run = expected;
    ops::row(p.kind).ref(p, expected.buffers());
    interpret(*plan, pointers(*plan, interpreted, true));
    const Arena before = run;
    auto executable = cpu::make_portable(plan, machine);
    ASSERT_TRUE(executable) << executable.error().reason;
    ASSERT_EQ((*executable)->run(pointers(*plan, run, false), {}), Status::success);
    Arena read = before;
    const ops::Buffers inputs = read.buffers();
    const Bounds bounds(p, inputs);
    for (const Machine& generating : generating_machines(seed)) {
        Arena again = before;
        const auto generated = cpu::make_generated(plan, generating);
        if (!generated) continue;
        ASSERT_EQ(generated->run(pointers(*plan, again, false), {}), Status::success);
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

uint64_t from_environment(const char* name, uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

void fuzz(Result<Problem> (*make)(Random&)) {
    const uint64_t first = from_environment("TESSERA_FUZZ_SEED", 1),
                   count = from_environment("TESSERA_FUZZ_COUNT", 2000);
    uint64_t made = 0;
    for (uint64_t seed = first; seed < first + count && !testing::Test::HasFatalFailure(); ++seed) {
        Random r(seed);
        const auto p = make(r);
        if (!p) continue;
        ++made;
        check(*p, seed, r);
    }
    EXPECT_GT(made, count / 3) << "most random problems should be valid";
}

} // namespace

TEST(PlanFuzz, reorder) { fuzz(random_reorder); }
TEST(PlanFuzz, shuffle) { fuzz(random_shuffle); }
TEST(PlanFuzz, eltwise) { fuzz(random_eltwise); }
TEST(PlanFuzz, binary) { fuzz(random_binary); }
TEST(PlanFuzz, prelu) { fuzz(random_prelu); }
TEST(PlanFuzz, sum) { fuzz(random_sum); }
TEST(PlanFuzz, concat) { fuzz(random_concat); }
TEST(PlanFuzz, resampling) { fuzz(random_resampling); }
TEST(PlanFuzz, matmul) { fuzz(random_matmul); }
TEST(PlanFuzz, inner_product) { fuzz(random_inner_product); }

} // namespace tessera::fuzz
