// SPDX-License-Identifier: Apache-2.0
// Products of lists on every machine and for several numbers of threads, against the interpreter of plans: both
// encodings and sides, every order of the dense matrices, rows without elements and rows with nearly all, lists out of
// order. All buffers end at a page that cannot be touched, or begin behind one.
// covers: MAT-60 MAT-61
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "../ops/objects.hpp"
#include "core/types/convert.hpp"
#include "cpu/lanes/lists.hpp"
#include "cpu/select/compile.hpp"
#include "machines.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/ops.hpp"
#include "trial/guarded_buffer.hpp"

namespace tessera::ops {

namespace {

enum class Rows { alike, one_has_all, skewed, backwards, halves_exchanged, none };

struct Case {
    bool is_src, csr;
    DataType type;
    int64_t m, k, n;
    std::array<int64_t, 2> dense, dst; // strides; 0: those of ab
    Rows rows = Rows::alike;
    double density = 0.2;
};

// The elements of a list in the order in which they are stored.
struct List {
    std::vector<int32_t> rows, columns, starts{0};
};

List list_of(const Case& c, std::mt19937& random) {
    const int64_t rows = c.is_src ? c.m : c.k, columns = c.is_src ? c.k : c.n;
    List list;
    for (int64_t r = 0; r < rows; ++r) {
        double density = r % 5 == 3 ? 0 : c.density;
        if (c.rows == Rows::one_has_all) density = r == rows / 2 ? 1 : 0;
        if (c.rows == Rows::skewed) density = r < 2 ? 1 : c.density / 10;
        if (c.rows == Rows::none) density = 0;
        for (int64_t j = 0; j < columns; ++j)
            if (std::uniform_real_distribution<>()(random) < density)
                list.rows.push_back(int32_t(r)), list.columns.push_back(int32_t(j));
        list.starts.push_back(int32_t(list.columns.size()));
    }
    for (std::vector<int32_t>* numbers : {&list.rows, &list.columns}) {
        if (c.rows == Rows::backwards) std::ranges::reverse(*numbers);
        if (c.rows != Rows::halves_exchanged) continue;
        if (numbers->size() % 2) numbers->pop_back();
        std::rotate(numbers->begin(), numbers->begin() + long(numbers->size() / 2), numbers->end());
    }
    return list;
}

class Trial {
public:
    // Small integers have exact sums; others show in which order they were added.
    Trial(const Case& c, bool exact, GuardedBuffer::Placement placement, uint32_t seed) : placement_(placement) {
        std::mt19937 random(seed);
        const List list = list_of(c, random);
        const auto nnz = int64_t(list.columns.size());
        const std::vector<int64_t> of_list{c.is_src ? c.m : c.k, c.is_src ? c.k : c.n},
            of_dense{c.is_src ? c.k : c.m, c.is_src ? c.n : c.k};
        const MemoryDesc sparse = valid(c.csr ? make_csr_desc(of_list, c.type, nnz, DataType::s32, DataType::s32)
                                              : make_coo_desc(of_list, c.type, nnz, DataType::s32));
        const MemoryDesc dense = with(of_dense, c.type, c.dense), dst = with({c.m, c.n}, c.type, c.dst);
        const Problem p =
            valid(make_matmul(c.is_src ? sparse : dense, c.is_src ? dense : sparse, MemoryDesc{}, dst, Attr{}));
        plan_ = std::make_shared<const Plan>(valid(lower_matmul(p)));
        const auto numbers = [&](int64_t count) {
            GuardedBuffer b = buffer(count * bits(c.type) / 8);
            for (int64_t i = 0; i < count; ++i)
                write<float>(c.type, b.data(), i,
                             exact ? float(int(random() % 5) - 2) : std::normal_distribution<float>()(random));
            return b;
        };
        values_ = numbers(nnz), dense_ = numbers(int64_t(size_of(dense)) * 8 / bits(c.type));
        columns_ = copied(list.columns), rows_ = copied(c.csr ? list.starts : list.rows);
        dst_ = buffer(int64_t(size_of(dst)));
    }
    const Plan& plan() const { return *plan_; }

    GuardedBuffer on(const Context& machine) {
        const auto run = cpu::compile(plan_, machine);
        EXPECT_TRUE(run);
        std::memset(dst_.data(), 0x55, dst_.size());
        EXPECT_EQ((*run)->run(pointers(), {}), Status::success);
        EXPECT_TRUE(dst_.intact());
        text_ = (*run)->text();
        return dst_;
    }
    GuardedBuffer interpreted() {
        std::memset(dst_.data(), 0x55, dst_.size());
        interpret(*plan_, pointers());
        return dst_;
    }
    const std::string& text() const { return text_; } // of the last machine

private:
    static MemoryDesc with(const std::vector<int64_t>& dims, DataType type, const std::array<int64_t, 2>& strides) {
        return strides[0] ? strided(dims, type, {strides[0], strides[1]}) : md(dims, type, "ab");
    }
    GuardedBuffer buffer(int64_t bytes) const { return {size_t(bytes), placement_}; }
    GuardedBuffer copied(const std::vector<int32_t>& from) const {
        GuardedBuffer b = buffer(int64_t(from.size()) * 4);
        std::copy(from.begin(), from.end(), reinterpret_cast<int32_t*>(b.data()));
        return b;
    }
    std::vector<void*> pointers() {
        const SparseProduct& s = *plan_->steps[0].sparse;
        std::vector<void*> all(plan_->operands.size());
        all[size_t(s.values)] = values_.data(), all[size_t(s.dense)] = dense_.data(), all[size_t(s.dst)] = dst_.data();
        all[size_t(s.row_numbers)] = rows_.data(), all[size_t(s.column_numbers)] = columns_.data();
        return all;
    }

    GuardedBuffer::Placement placement_;
    std::shared_ptr<const Plan> plan_;
    GuardedBuffer values_, columns_, rows_, dense_, dst_;
    std::string text_;
};

std::vector<Case> cases() {
    std::vector<Case> all;
    using Strides = std::array<int64_t, 2>;
    for (const bool is_src : {true, false})
        for (const bool csr : {true, false})
            for (const DataType type : {DataType::f32, DataType::f16}) {
                const auto add = [&](int64_t m, int64_t k, int64_t n, Strides dense = {}, Strides dst = {},
                                     Rows rows = Rows::alike, double density = 0.2) {
                    all.push_back({is_src, csr, type, m, k, n, dense, dst, rows, density});
                };
                const auto ba = [](int64_t rows) { return Strides{1, rows}; };
                // The other side's columns, which are those of registers.
                for (int64_t columns = 1; columns <= 33; ++columns) {
                    const int64_t m = is_src ? 7 : columns, n = is_src ? columns : 7;
                    add(m, 11, n);
                    add(m, 11, n, ba(is_src ? 11 : m), ba(m), Rows::alike, 0.9);
                }
                for (const int64_t columns : {64, 65, 100, 150}) {
                    const int64_t m = is_src ? 70 : columns, n = is_src ? columns : 70;
                    add(m, 30, n), add(m, 30, n, ba(is_src ? 30 : m), ba(m));
                    add(m, 30, n, {}, ba(m)), add(m, 30, n, ba(is_src ? 30 : m), {});
                    add(m, 30, n, {2 * 200, 2}, {3 * 200, 3}); // no side is dense
                    add(m, 600, n, {}, {}, Rows::skewed), add(m, 30, n, {}, {}, Rows::one_has_all);
                }
                for (const int64_t columns : {1, 5, 70}) {
                    const int64_t m = is_src ? 40 : columns, n = is_src ? columns : 40;
                    add(m, 30, n, {}, {}, Rows::none), add(m, 30, n, {}, {}, Rows::one_has_all);
                    if (!csr) add(m, 30, n, {}, {}, Rows::backwards);
                    add(m, 300, n); // in parts, where sums are scattered
                }
            }
    return all;
}

std::string words(const Case& c) {
    return fmt::format("{} {} {} {}x{}x{} dense {}:{} dst {}:{} rows {}", c.is_src ? "src" : "weights",
                       c.csr ? "csr" : "coo", name(c.type), c.m, c.k, c.n, c.dense[0], c.dense[1], c.dst[0], c.dst[1],
                       int(c.rows));
}

class SparseProducts : public testing::TestWithParam<Context> {};

} // namespace

TEST_P(SparseProducts, are_what_the_plan_means) {
    const Context& machine = GetParam();
    // What is interpreted takes part in every eighth.
    const size_t step = execution_of(machine) == Execution::interpreted ? 8 : 1;
    const std::vector<Case> all = cases();
    for (size_t i = step / 2; i < all.size(); i += step) {
        const auto placement =
            i % 2 ? GuardedBuffer::Placement::end_at_guard : GuardedBuffer::Placement::start_at_guard;
        Trial run(all[i], true, placement, uint32_t(i));
        const GuardedBuffer want = run.interpreted();
        ASSERT_TRUE(run.on(machine) == want) << words(all[i]) << "\n" << run.text();
    }
}

// A block that stays in a small second level, so that there are several and they are packed.
TEST_P(SparseProducts, in_blocks_of_columns) {
    Context machine = GetParam();
    machine.l2_bytes = 32 << 10;
    const bool slow = execution_of(GetParam()) == Execution::interpreted;
    for (const bool is_src : {true, false})
        for (const bool turned : {false, true})
            for (const int64_t columns : {100, 131}) {
                if (slow && columns == 131) continue;
                const int64_t m = is_src ? 50 : columns, n = is_src ? columns : 50, k = is_src ? 140 : 137;
                Case c{is_src, true, DataType::f32, m, k, n, {}, {}, Rows::alike, 0.6};
                if (turned) c.dense = {1, is_src ? k : m}, c.dst = {1, m};
                Trial run(c, true, GuardedBuffer::Placement::end_at_guard, 3);
                const GuardedBuffer want = run.interpreted();
                ASSERT_TRUE(run.on(machine) == want) << words(c) << "\n" << run.text();
                EXPECT_EQ(run.text().find("packed") != std::string::npos, cpu::jit::has_target(machine)) << run.text();
            }
}

TEST_P(SparseProducts, have_the_same_bits_for_any_number_of_threads) {
    if (execution_of(GetParam()) == Execution::interpreted)
        GTEST_SKIP() << "interpreted: a million elements, by kernels that the other tests interpret";
    using Strides = std::array<int64_t, 2>;
    for (const bool is_src : {true, false})
        for (const bool csr : {true, false})
            for (const Rows rows : {Rows::alike, Rows::skewed, Rows::backwards, Rows::halves_exchanged})
                for (const int64_t columns : {1, 33, 200}) {
                    if (csr && rows != Rows::alike && rows != Rows::skewed) continue;
                    const int64_t m = is_src ? 700 : columns, n = is_src ? columns : 700, k = 900;
                    const Strides dst = columns == 200 ? Strides{1, m} : Strides{};
                    const Case c{is_src, csr, DataType::f32, m, k, n, {}, dst, rows, 0.3};
                    Trial run(c, false, GuardedBuffer::Placement::end_at_guard, 11);
                    Context machine = GetParam();
                    machine.threads = 1;
                    const GuardedBuffer want = run.on(machine);
                    for (const int threads : {2, 3, 7}) {
                        machine.threads = threads;
                        ASSERT_TRUE(run.on(machine) == want) << words(c) << ", " << threads << " threads";
                    }
                }
}

INSTANTIATE_TEST_SUITE_P(, SparseProducts, testing::ValuesIn(machines()),
                         [](const auto& m) { return test_name(m.param); });

// A row with nearly all elements is one part, those around it others.
TEST(SparseParts, have_equally_many_elements) {
    const std::vector<int32_t> starts{0, 0, 1, 2, 1002, 1003, 1004, 1004, 1005};
    cpu::GroupedList list;
    list.starts = starts.data(), list.groups = int64_t(starts.size()) - 1;
    EXPECT_EQ(list.begin(0, 4), 0);
    EXPECT_EQ(list.begin(1, 4), 4); // the first row behind the large one
    EXPECT_EQ(list.begin(3, 4), 4);
    EXPECT_EQ(list.begin(4, 4), 8);
    const std::vector<int32_t> even{5, 15, 25, 35, 45};
    list.starts = even.data(), list.groups = 4;
    for (int64_t part = 0; part <= 4; ++part) EXPECT_EQ(list.begin(part, 4), part);
}

} // namespace tessera::ops
