// SPDX-License-Identifier: Apache-2.0
// Groups of rows under the rows tile against the interpreter of plans, bit for bit, with guard pages around every
// operand and every byte between rows as it was: stored types, lengths of rows around vectors and blocks of 4096, rows
// that are no multiple of a block, values that a reduction stores and later passes read. covers: SOF-01 LNO-01
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "core/types/convert.hpp"
#include "cpu/jit/target.hpp"
#include "cpu/tiles/rows/run.hpp"
#include "machines.hpp"
#include "run_code.hpp"

namespace tessera::cpu {

namespace {

enum Argument { src, dst, most, shifted, mean, scale, shift, count };

struct Shape {
    int64_t rows, columns, src_row, dst_row, mean_row;
};

// most = max of src;  shifted = (src - most) * scale;  mean = sum of shifted * most, times shift of the row, to memory
// and back;  dst = shifted + mean - most.
struct RowsPlan {
    Plan plan;
    explicit RowsPlan(DataType from, DataType to, const Shape& s) {
        const auto add = [&](const char* name, DataType type, bool scratch) {
            plan.operands.push_back({name, type});
            if (!scratch) return;
            plan.operands.back().scratch = int(plan.scratch.size());
            plan.scratch.push_back(s.rows * s.columns * 4);
        };
        add("src", from, false), add("dst", to, false), add("most", DataType::f32, true);
        add("shifted", DataType::f32, true), add("mean", DataType::f32, false), add("scale", DataType::f32, false);
        add("shift", DataType::f32, false);
        Program maximum, map, sum, last;
        maximum.store(most, maximum.reduce(OpCode::reduce_max, maximum.load(src, ValueType::f32)));
        map.store(shifted,
                  map.binary(OpCode::mul, map.binary(OpCode::sub, load(map, src), load(map, most)), load(map, scale)));
        const int of_point = sum.binary(OpCode::mul, load(sum, shifted), load(sum, most));
        sum.store(mean, sum.binary(OpCode::mul, sum.reduce_add(of_point), load(sum, shift)));
        last.store(dst, last.binary(OpCode::sub, last.binary(OpCode::add, load(last, shifted), load(last, mean)),
                                    load(last, most)));
        plan.programs = {maximum, map, sum, last};
        Step group;
        group.kind = StepKind::group;
        group.nest.loops.push_back({s.rows});
        const int64_t of_rows[] = {s.src_row, s.dst_row, 1, s.columns, s.mean_row, 0, s.mean_row};
        for (int o = 0; o < count; ++o) group.nest.loops[0].stride.set(size_t(o), of_rows[o]);
        std::vector<Step> steps;
        for (int p = 0; p < 4; ++p) {
            Step step;
            step.kind = p % 2 ? StepKind::map : StepKind::reduce, step.program = p;
            step.nest.loops.push_back({s.columns, p % 2 ? LoopKind::map : LoopKind::reduce});
            for (const int o : {src, dst, shifted, scale}) step.nest.loops[0].stride.set(size_t(o), 1);
            steps.push_back(std::move(step));
        }
        group.group = std::make_shared<const Group>(Group{std::move(steps)});
        plan.steps.push_back(std::move(group));
    }
    static int load(Program& p, int o) { return p.load(o, ValueType::f32); }
};

class RowsTest : public testing::TestWithParam<Context> {
protected:
    void check(DataType from, DataType to, const Shape& s, int64_t stream_bytes, bool at_end) {
        const RowsPlan made(from, to, s);
        ASSERT_TRUE(verify(made.plan));
        Context machine = GetParam();
        machine.stream_bytes = stream_bytes;
        Step group = made.plan.steps[0];
        const std::vector<LocalScratch> local = make_local(group, {most, shifted});
        const auto job = make_rows_job(made.plan, group, local, jit::target_of(machine), machine);
        ASSERT_TRUE(job);
        EXPECT_EQ(job->text().find("rows packed") != std::string::npos, packs(s, machine)) << job->text();

        const int64_t bytes[] = {((s.rows - 1) * s.src_row + s.columns) * (bits(from) / 8),
                                 ((s.rows - 1) * s.dst_row + s.columns) * (bits(to) / 8),
                                 s.rows * 4,
                                 s.rows * s.columns * 4,
                                 ((s.rows - 1) * s.mean_row + 1) * 4,
                                 s.columns * 4,
                                 ((s.rows - 1) * s.mean_row + 1) * 4};
        std::vector<std::vector<unsigned char>> expected;
        std::vector<void*> pointers;
        Bases bases{};
        for (size_t o = 0; o < count; ++o) {
            const bool is_scratch = o == most || o == shifted; // memory of the job
            unsigned char* const p = pages_[o].place(size_t(is_scratch ? 0 : bytes[o]), at_end);
            if (is_scratch) {
                expected.emplace_back(size_t(bytes[o]));
                continue;
            }
            std::memset(p, 0x5a, size_t(bytes[o]));
            const DataType type = made.plan.operands[o].type;
            for (int64_t i = 0; (o == src || o >= scale) && i < bytes[o] * 8 / bits(type); ++i)
                write<float>(type, p, i, std::normal_distribution<float>(0, 5)(random_));
            expected.emplace_back(p, p + bytes[o]);
            bases[o] = reinterpret_cast<char*>(p);
        }
        for (auto& e : expected) pointers.push_back(e.data());
        interpret(made.plan, pointers);
        for (int64_t u = job->units; u-- > 0;) job->run(bases, u, u + 1);
        for (const int o : {dst, mean})
            for (size_t i = 0; i < expected[size_t(o)].size(); ++i)
                ASSERT_EQ(bases[size_t(o)][i], char(expected[size_t(o)][i]))
                    << "byte " << i << " of " << made.plan.operands[size_t(o)].name << " in " << job->text() << " of "
                    << s.rows << " rows, " << name(from) << " -> " << name(to);
    }
    static bool packs(const Shape& s, const Context& machine) {
        const int64_t lanes = jit::target_of(machine).vector_bytes / 4;
        const int64_t row = s.columns * 16 + 1;
        const int64_t fit = std::max(machine.l1_bytes / row, std::min<int64_t>(4, machine.l2_bytes / 2 / row));
        const int64_t most_rows = std::min({lanes, s.rows, fit});
        return most_rows >= 2 && s.mean_row == 1 && (jit::target_of(machine).masks || most_rows == lanes);
    }

    GuardedPages pages_[count];
    std::mt19937 random_{11};
};

} // namespace

TEST_P(RowsTest, types) {
    for (const DataType from : {DataType::f32, DataType::bf16, DataType::s8})
        for (const DataType to : {DataType::f32, DataType::bf16, DataType::f16, DataType::s8, DataType::u8})
            for (const int64_t columns : {2, 17, 64, 83}) {
                check(from, to, {19, columns, columns, columns, 1}, Nest::most, true);
                check(from, to, {5, columns, columns + 3, columns + 1, 1}, Nest::most, false);
                if (HasFatalFailure()) return;
            }
}

TEST_P(RowsTest, lengths_and_rows) {
    for (const int64_t columns : {3, 7, 8, 9, 15, 16, 31, 33, 63, 65, 127, 130, 200})
        for (const int64_t rows : {1, 2, 8, 16, 17, 33})
            for (const int64_t mean_row : {1, 2}) {
                check(DataType::f32, DataType::f32, {rows, columns, columns, columns, mean_row}, Nest::most, rows % 2);
                if (HasFatalFailure()) return;
            }
}

TEST_P(RowsTest, blocks_of_4096) {
    for (const auto& [rows, columns] : {std::pair{3, 4095}, {3, 4096}, {3, 4097}, {1, 8192}, {1, 8200}, {1, 13000}}) {
        check(DataType::f32, DataType::f32, {rows, columns, columns, columns, 1}, Nest::most, true);
        if (HasFatalFailure()) return;
    }
}

// Stores past the caches, rows at every distance from a vector's boundary.
TEST_P(RowsTest, streams) {
    for (const int64_t columns : {1029, 1040, 2060})
        for (const DataType to : {DataType::f32, DataType::bf16, DataType::u8}) {
            check(DataType::f32, to, {7, columns, columns, columns, 1}, 1, true);
            check(DataType::f32, to, {3, columns, columns, columns + 5, 1}, 1, false);
            if (HasFatalFailure()) return;
        }
}

// Other groups have no such kernel.
TEST_P(RowsTest, refusals) {
    const auto refused = [&](auto change) {
        RowsPlan made(DataType::f32, DataType::f32, {4, 20, 20, 20, 1});
        Group group = *made.plan.steps[0].group;
        change(made.plan, group);
        made.plan.steps[0].group = std::make_shared<const Group>(std::move(group));
        return !make_rows_job(made.plan, made.plan.steps[0], {}, jit::target_of(GetParam()), GetParam());
    };
    EXPECT_FALSE(refused([](Plan&, Group&) {}));
    EXPECT_TRUE(refused([](Plan&, Group& g) { g.steps[1].nest.loops[0].stride.set(src, 2); }));
    EXPECT_TRUE(refused([](Plan&, Group& g) { g.steps[1].nest.loops[0].extent = 10; }));
    EXPECT_TRUE(refused([](Plan&, Group& g) { g.steps[0].in_order = true; }));
    EXPECT_TRUE(refused([](Plan&, Group& g) { g.steps[3].nest.base.set(shifted, 1); }));
    EXPECT_TRUE(refused([](Plan& p, Group&) { p.operands[src].type = DataType::s4; }));
    EXPECT_TRUE(refused([](Plan& p, Group&) { p.operands[shift].counted = true; }));
}

INSTANTIATE_TEST_SUITE_P(Machines, RowsTest, testing::ValuesIn(generating_machines()),
                         [](const auto& t) { return test_name(t.param); });

} // namespace tessera::cpu
