// SPDX-License-Identifier: Apache-2.0
// Plans with any number of operands: random layouts, broadcasts, offset tables, second outputs, outputs in the place of
// an input. The portable engine and generated code for every machine against the interpreter of plans, byte by byte.
// Buffers end or begin at a page that cannot be touched. TESSERA_FUZZ_SEED=N TESSERA_FUZZ_COUNT=1 repeats a failure.
// covers: BIN-12 SUM-06 ELT-36 FMT-06
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "core/desc/memory_desc.hpp"
#include "core/desc/tags.hpp"
#include "core/layout/layout.hpp"
#include "cpu/engine.hpp"
#include "cpu/executor/generated.hpp"
#include "cpu/portable/executable.hpp"
#include "fuzzed_machines.hpp"
#include "ops/moves.hpp"
#include "seeds.hpp"
#include "trial/faults.hpp"
#include "trial/guarded_buffer.hpp"

namespace tessera {

namespace {

using Random = std::mt19937_64;
int64_t below(Random& r, int64_t n) { return int64_t(r() % uint64_t(n)); }
bool chance(Random& r, int percent) { return below(r, 100) < percent; }

struct Case {
    Plan plan;
    std::vector<size_t> bytes;  // of the buffer, by operand
    std::vector<int> buffer_of; // operand -> operand whose buffer it uses
};

struct Maker {
    Random& r;
    Case c;
    std::vector<Layout> layouts;
    std::vector<int64_t> dims;

    MemoryDesc desc(DataType type) {
        static const std::vector<std::vector<const char*>> tags{
            {"a"}, {"ab", "ba", "aB16b"}, {"abc", "acb", "aBc16b", "cab"}, {"abcd", "acdb", "aBcd16b", "dcba", "bcda"}};
        const auto& some = tags[dims.size() - 1];
        return *make_desc_with_tag(dims, type, some[size_t(below(r, chance(r, 60) ? 1 : int64_t(some.size())))]);
    }
    int add(DataType type, bool output, int like) { // like: the operand whose layout and buffer are taken
        const int o = int(layouts.size());
        Layout layout;
        size_t bytes;
        if (like >= 0) {
            layout = layouts[size_t(like)], bytes = c.bytes[size_t(like)];
        } else {
            const MemoryDesc md = desc(type);
            layout = layout_of(md), bytes = size_of(md);
            const bool broadcasts = !output && chance(r, 30);
            for (size_t d = 0; broadcasts && d < dims.size(); ++d)
                if (chance(r, 50)) layout.dims[d] = {{dims[d], 0}};
        }
        layouts.push_back(layout);
        c.bytes.push_back(bytes);
        c.buffer_of.push_back(like >= 0 ? like : o);
        c.plan.operands.push_back({"o" + std::to_string(o), type, o});
        return o;
    }

    // The last dimension as an indexed loop: loaded operands repeat and reverse it, as a resampling may.
    std::vector<Loop> table(const std::vector<bool>& stored) {
        const size_t d = dims.size() - 1;
        Loop loop;
        loop.extent = dims[d];
        for (size_t o = 0; o < layouts.size(); ++o) {
            std::vector<int64_t> offsets;
            for (int64_t i = 0; i < dims[d]; ++i)
                offsets.push_back(offset_in(layouts[o].dims[d], stored[o] ? i : (dims[d] - 1 - i) / 2));
            if (layouts[o].dims[d].size() == 1 && stored[o])
                loop.stride[o] = layouts[o].dims[d][0].stride;
            else
                loop.table.set(o, std::move(offsets));
            layouts[o].dims[d] = {{1, 0}};
        }
        dims[d] = 1;
        return {loop};
    }

    Case make() {
        const int rank = 1 + int(below(r, 4));
        for (int d = 0; d < rank; ++d) dims.push_back(chance(r, 20) ? 1 + below(r, 130) : 1 + below(r, 20));
        static const DataType types[] = {DataType::f32, DataType::f32, DataType::f32, DataType::bf16,
                                         DataType::f16, DataType::s8,  DataType::u8,  DataType::s32};
        const auto type = [&] { return types[below(r, 8)]; };
        const int64_t inputs = chance(r, 70) ? 1 + below(r, 3) : chance(r, 70) ? 4 + below(r, 14) : 20 + below(r, 30);
        Program p;
        int sum = -1;
        for (int64_t k = 0; k < inputs; ++k) {
            const int x = p.load(add(type(), false, -1), ValueType::f32);
            sum = sum < 0 ? x : p.binary(OpCode::add, sum, x);
        }
        std::vector<bool> stored(size_t(inputs), false);
        int like = -1;
        if (chance(r, 25)) {
            like = int(below(r, inputs));
            for (const Modes& modes : layouts[size_t(like)].dims)
                for (const Mode& m : modes) like = m.stride == 0 && m.extent > 1 ? -1 : like;
        }
        const bool two = like < 0 && chance(r, 15);
        const DataType to = like >= 0 ? c.plan.operands[size_t(like)].type : type();
        const int dst = add(to, true, like);
        stored.push_back(true);
        if (like < 0 && chance(r, 15)) sum = p.binary(OpCode::add, sum, p.load(dst, ValueType::f32));
        if (two) {
            stored.push_back(true);
            p.store(add(type(), true, -1), p.binary(OpCode::sub, sum, p.constant(3, ValueType::f32)));
        }
        p.store(dst, sum);
        c.plan.title = "random";
        c.plan.programs.push_back(p);
        const bool indexed = like < 0 && chance(r, 20);
        const std::vector<Loop> more = indexed ? table(stored) : std::vector<Loop>{};
        add_moves({.layouts = layouts, .dims = dims, .program = 0, .order_by = dst, .more = more}, c.plan);
        return std::move(c);
    }
};

using Buffers = std::vector<GuardedBuffer>;

std::vector<void*> pointers(const Case& c, const Buffers& buffers) {
    std::vector<void*> result;
    for (int b : c.buffer_of) result.push_back(buffers[size_t(b)].data());
    return result;
}

bool same(const GuardedBuffer& found, const GuardedBuffer& expected) { return found.intact() && found == expected; }

void check(const Case& c, Random& r, uint64_t seed, std::map<std::string, int>& seen) {
    const std::string text = to_string(c.plan) + "TESSERA_FUZZ_SEED=" + std::to_string(seed);
    ASSERT_TRUE(verify(c.plan)) << text;
    Buffers start;
    for (size_t o = 0; o < c.bytes.size(); ++o) {
        using Placement = GuardedBuffer::Placement;
        start.emplace_back(c.bytes[o], (seed + o) % 2 ? Placement::end_at_guard : Placement::start_at_guard);
        std::fill(start[o].begin(), start[o].end(), 0x5a);
        for (int64_t i = 0; i < int64_t(c.bytes[o]) * 8 / bits(c.plan.operands[o].type); ++i)
            write<float>(c.plan.operands[o].type, start[o].data(), i, float(below(r, 8)));
    }
    Buffers expected = start, portable = start;
    doing("TESSERA_FUZZ_SEED=" + std::to_string(seed) + ", interpreter and portable");
    interpret(c.plan, pointers(c, expected));
    const auto plan = std::make_shared<const Plan>(c.plan);
    Context machine;
    machine.threads = 2;
    ASSERT_EQ((*cpu::make_portable(plan, machine))->run(pointers(c, portable), {}), Status::success);
    for (size_t o = 0; o < start.size(); ++o)
        ASSERT_TRUE(same(portable[o], expected[o])) << "portable, operand " << o << "\n" << text;
    for (const Context& m : fuzz::machines_of(seed)) {
        const auto generated = cpu::make_generated(plan, m);
        if (!generated) {
            ++seen["portable"];
            continue;
        }
        const std::string how = generated->text();
        ++seen[how.substr(0, how.find(' '))];
        if (how.find("packed") != how.npos) ++seen["packed"];
        Buffers found = start;
        doing("TESSERA_FUZZ_SEED=" + std::to_string(seed) + ", " + m.name);
        ASSERT_EQ(generated->run(pointers(c, found), {}), Status::success);
        for (size_t o = 0; o < start.size(); ++o)
            ASSERT_TRUE(same(found[o], expected[o])) << m.name << ", operand " << o << "\n" << how << text;
    }
}

} // namespace

TEST(OperandsFuzz, engines_agree_with_the_interpreter) {
    std::map<std::string, int> seen;
    const uint64_t count = fuzz::each_seed(400, [&](uint64_t seed) {
        Random r(seed);
        const Case c = Maker{r, {}, {}, {}}.make();
        check(c, r, seed, seen);
    });
    if (generating_machines().empty()) GTEST_SKIP() << "no code is generated for this processor: portable alone";
    if (count < 400) GTEST_SKIP() << count << " plans are too few to count their kinds";
    EXPECT_GT(seen["map"], 50);
    EXPECT_GT(seen["packed"], 50);
}

// A concat's plan in small: 300 steps of two operands each share a kernel, and each step costs two operands.
TEST(OperandsFuzz, three_hundred_sources) {
    constexpr int sources = 300, each = 7;
    Plan plan;
    plan.operands.push_back({"dst", DataType::f32, 0});
    for (int s = 0; s < sources; ++s) {
        plan.operands.push_back({"src", DataType::f32, s + 1});
        Program p;
        p.store(0, p.load(s + 1, ValueType::bits));
        plan.programs.push_back(p);
        Step step;
        step.program = s;
        step.nest.base[0] = s * each;
        step.nest.loops.resize(1);
        step.nest.loops[0].extent = each;
        step.nest.loops[0].stride[0] = step.nest.loops[0].stride[size_t(s) + 1] = 1;
        plan.steps.push_back(step);
    }
    std::vector<float> dst(sources * each), src(sources * each);
    for (size_t i = 0; i < src.size(); ++i) src[i] = float(i);
    std::vector<void*> pointers{dst.data()};
    for (int s = 0; s < sources; ++s) pointers.push_back(src.data() + s * each);
    for (const Context& m : generating_machines()) {
        const auto generated = cpu::make_generated(std::make_shared<const Plan>(plan), m);
        ASSERT_TRUE(generated);
        const auto code = generated->code();
        for (const GeneratedCode& g : code) EXPECT_EQ(g.name, code[0].name);
        std::fill(dst.begin(), dst.end(), -1.f);
        ASSERT_EQ(generated->run(pointers, {}), Status::success);
        EXPECT_EQ(dst, src);
    }
}

} // namespace tessera
