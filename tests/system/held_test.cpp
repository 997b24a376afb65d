// SPDX-License-Identifier: Apache-2.0
// What the program holds does not grow: blocks of the heap (scratch memory's too), mapped memory and open files (of
// generated code) are counted around loops of creations, executions and refusals of every primitive, and around
// creations that run out of memory, whichever allocation fails. Of devices tests/gpu/faults_test.cpp counts the
// objects.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cpu/runtime/scratch.hpp"
#include "failing_allocations.hpp"
#include "line/line_objects.hpp"
#include "line/problem_line.hpp"
#include "lines_of_all.hpp"
#include "oneapi/dnnl/dnnl_tessera.h"
#include "this_runtime.hpp"
#include "trial.hpp"

namespace tessera::test {
namespace {

const char* mode_of(bool from_then_on) { return from_then_on ? ", and all that follow" : ""; }

// The first rounds fill what is kept for good: kernels, scratch memory, the cache, the text of the last refusal.
template <typename Round> void expect_same_held(const std::string& what, Round&& round) {
    for (int i = 0; i < 3; ++i) round();
    const Held before = held();
    for (int i = 0; i < 10; ++i) round();
    EXPECT_EQ(held(), before) << what << ": " << to_string(before) << " became " << to_string(held());
}

class HeldBy : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        dnnl_set_verbose(0);
        // How many chunks run at once, each with scratch memory of its own, depends on the moment.
        if (!threads_can_be_set()) GTEST_SKIP() << "needs a run time whose threads can be set";
        set_threads(1);
    }
    void TearDown() override { dnnl_set_primitive_cache_capacity(1024); }
};

TEST_P(HeldBy, CreationsAndExecutions) {
    Trial trial(GetParam());
    for (const int capacity : {0, 1, 1024}) { // nothing is kept; each is kept until the next; all are
        ASSERT_EQ(dnnl_set_primitive_cache_capacity(capacity), dnnl_success);
        expect_same_held("cache of " + std::to_string(capacity), [&] {
            ASSERT_EQ(trial.create(), dnnl_success) << dnnl_tessera_last_error();
            ASSERT_EQ(trial.execute(), dnnl_success) << dnnl_tessera_last_error();
            ASSERT_EQ(trial.execute(), dnnl_success) << dnnl_tessera_last_error();
            trial.forget();
        });
    }
    expect_same_held("a cache that is emptied", [&] {
        ASSERT_EQ(trial.create(), dnnl_success) << dnnl_tessera_last_error();
        ASSERT_EQ(trial.execute(), dnnl_success) << dnnl_tessera_last_error();
        trial.forget();
        empty_cache();
    });
}

// An argument is missing, has another memory's descriptor and no bytes, or no buffer; the last ones are found after
// others have been looked at.
TEST_P(HeldBy, RefusedExecutions) {
    Trial trial(GetParam());
    ASSERT_EQ(trial.create(), dnnl_success) << dnnl_tessera_last_error();
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    uint8_t byte = 0;
    const dnnl::memory small({{1}, dnnl::memory::data_type::u8, dnnl::memory::format_tag::a}, engine, &byte);
    const dnnl::memory::desc sparse = dnnl::memory::desc::csr(
        {3, 5}, dnnl::memory::data_type::f32, 4, dnnl::memory::data_type::s32, dnnl::memory::data_type::s32);
    const dnnl::memory other(sparse, engine, std::vector<void*>{&byte, &byte, &byte});
    int refused = 0;
    expect_same_held("refused executions", [&] {
        for (size_t i = 0; i < trial.args().size(); ++i) {
            auto args = trial.args();
            args.erase(args.begin() + long(i));
            refused += trial.execute(args) != dnnl_success;
            for (const dnnl::memory* wrong : {&small, &other}) {
                args = trial.args();
                args[i].memory = wrong->get();
                refused += trial.execute(args) != dnnl_success;
            }
        }
        refused += trial.execute({}) != dnnl_success;
    });
    EXPECT_GT(refused, 13);
}

// Each allocation of a creation fails, once and from then on; of an execution, too. The second time that the same one
// does, as much is held as after the first: what is kept for good, such as the place of a kernel, is there by then.
TEST_P(HeldBy, WhatRunsOutOfMemory) {
    Trial trial(GetParam());
    ASSERT_EQ(trial.create(), dnnl_success) << dnnl_tessera_last_error();
    ASSERT_EQ(trial.execute(), dnnl_success) << dnnl_tessera_last_error();
    const auto nothing = [&] {
        trial.forget();
        empty_cache();
    };
    const std::vector<int64_t> places = (nothing(), places_of([&] { (void)trial.create(); }));
    for (size_t i = 0; i < places.size(); ++i) {
        const bool from_then_on = i % 2;
        std::optional<Held> before;
        for (int time = 0; time < 2; ++time) {
            nothing();
            run({places[i], from_then_on}, [&] { (void)trial.create(); });
            nothing();
            if (!before) before = held();
        }
        ASSERT_EQ(held(), *before) << "creation, allocation " << places[i] << mode_of(from_then_on) << ": "
                                   << to_string(*before) << " became " << to_string(held());
    }
    for (const bool from_then_on : {false, true}) {
        int64_t all = 1;
        for (int64_t k = 0; k < all; ++k) {
            std::optional<Held> before;
            for (int time = 0; time < 2; ++time) {
                ASSERT_EQ(trial.create(), dnnl_success) << dnnl_tessera_last_error();
                all = std::max(all, run({k, from_then_on}, [&] { (void)trial.execute(); }));
                nothing();
                if (!before) before = held();
            }
            ASSERT_EQ(held(), *before) << "execution, allocation " << k << mode_of(from_then_on) << ": "
                                       << to_string(*before) << " became " << to_string(held());
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Problems, HeldBy, testing::ValuesIn(lines_of_all("out_of_memory")));

// Scratch memory that is too small for the next job is given back for a larger one.
TEST(HeldByScratch, ThatGrows) {
    { const cpu::Scratch first(4096); }
    const Held before = held();
    for (size_t bytes = 8192; bytes < (1 << 20); bytes *= 2) { const cpu::Scratch larger(bytes); }
    EXPECT_EQ(held(), before) << to_string(before) << " became " << to_string(held());
}

// Every problem line that says it is refused.
TEST(HeldByRefusals, OfCreations) {
    dnnl_set_verbose(0);
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    int lines = 0;
    for (const auto& file : std::filesystem::directory_iterator(INPUTS_FOLDER)) {
        if (file.path().extension() != ".txt" || file.path().filename() == "CMakeLists.txt") continue;
        const auto all = read_problem_file(file.path().string());
        ASSERT_TRUE(all) << all.error().reason;
        for (const NumberedLine& numbered : *all) {
            if (numbered.text.find("--expect=") == std::string::npos) continue;
            const auto line = parse_problem_line(numbered.text);
            ASSERT_TRUE(line) << line.error().reason;
            ++lines;
            expect_same_held(numbered.text, [&] {
                (void)outcome([&] {
                    const std::vector<float> scales(size_t(output_scale_count(*line)), 0.5f);
                    const auto tensors = make_tensors(*line, RuntimeDims::open);
                    const auto attr = make_attr(*line, scales);
                    if (!tensors || !attr) return;
                    const auto pd = make_primitive_desc(*line, *tensors, engine, *attr);
                    const dnnl::primitive primitive(pd.get());
                });
            });
        }
    }
    EXPECT_GT(lines, 200);
}

} // namespace
} // namespace tessera::test
