// SPDX-License-Identifier: Apache-2.0
// Rows as text: what is taken, what is refused, and that schedules follow.
#include "cpu/machine_row.hpp"

#include <cstdio>

#include <gtest/gtest.h>

#include "../ops/objects.hpp"
#include "cpu/executor/generated.hpp"
#include "machines.hpp"
#include "ops/ops.hpp"
#include "ops/reorder/reorder.hpp"

namespace tessera::cpu {
namespace {

using ops::md;

Machine some() { return machine_named("avx512_core"); }

TEST(MachineRow, takes_keys_in_any_order_and_spelling_of_lists) {
    for (const char* text : {"l1_bytes=48K l1_ways=12 stream_bytes=0", "stream_bytes=0,l1_ways=12,l1_bytes=49152",
                             "# of a laptop\n\tl1_bytes=48K # first level\r\nl1_ways=12,,\nstream_bytes=0\n"}) {
        const auto m = with_row(some(), text);
        ASSERT_TRUE(m) << m.error().reason;
        EXPECT_EQ(m->l1_bytes, 48 << 10) << text;
        EXPECT_EQ(m->l1_ways, 12) << text;
        EXPECT_EQ(m->stream_bytes, 0) << text;
        EXPECT_EQ(m->l2_bytes, some().l2_bytes) << text;
        EXPECT_EQ(m->name, some().name) << text;
    }
    EXPECT_TRUE(with_row(some(), ""));
    EXPECT_TRUE(with_row(some(), " # nothing"));
}

TEST(MachineRow, writes_what_it_reads) {
    Machine m = machine_named("avx512_core_bf16 with fast bf16");
    m.l1_bytes = 12345, m.l1_ways = 3, m.l2_bytes = 777777, m.l3_bytes = 1 << 25, m.stream_bytes = 5;
    m.parallel_bytes = 1 << 20;
    Machine other = m;
    other.l1_bytes = 32 << 10, other.l1_ways = 8, other.parallel_bytes = 0,
    other.fast_bf16_products = other.two_shuffles = other.spare_vector_pipes = other.follows_rows = false;
    const auto read = with_row(other, row_of(m));
    ASSERT_TRUE(read) << read.error().reason;
    EXPECT_EQ(row_of(*read), row_of(m));
    EXPECT_TRUE(read->fast_bf16_products);
    EXPECT_TRUE(read->two_shuffles);
    EXPECT_TRUE(read->spare_vector_pipes);
    EXPECT_TRUE(read->follows_rows);
}

TEST(MachineRow, refuses) {
    const std::pair<const char*, const char*> wrong[] = {
        {"l1_bytes", "'l1_bytes' is not of the form key=value"},
        {"=", "'' is no key"},
        {"L1_BYTES=32K", "'L1_BYTES' is no key; known are l1_bytes l1_ways l2_bytes l3_bytes stream_bytes"},
        {"isa=7", "'isa' is no key"},
        {"l1_bytes=", "l1_bytes: '' is no number from 4096 to 1048576"},
        {"l1_bytes=-1", "l1_bytes: '-1' is no number"},
        {"l1_bytes=32k", "l1_bytes: '32k' is no number"},
        {"l1_bytes=0x8000", "l1_bytes: '0x8000' is no number"},
        {"l1_bytes=4095", "l1_bytes: '4095' is no number from 4096"},
        {"l1_bytes=2M", "l1_bytes: '2M' is no number from 4096 to 1048576"},
        {"l1_ways=0", "l1_ways: '0' is no number from 1 to 64"},
        {"l1_ways=8.5", "l1_ways: '8.5' is no number"},
        {"stream_bytes=99999999999999999999", "stream_bytes: '99999999999999999999' is no number"},
        {"stream_bytes=9999999999G", "stream_bytes: '9999999999G' is no number"},
        {"stream_bytes=17179869185G", "stream_bytes: '17179869185G' is no number"}, // 2^64 + 2^30
        {"parallel_bytes=1K parallel_bytes=1K", "parallel_bytes is given twice"},
        {"l2_bytes=64M", "l1_bytes 32768, l2_bytes 67108864 and l3_bytes 16777216 shrink"},
        {"fast_bf16_products=2", "fast_bf16_products: '2' is no number from 0 to 1"},
        {"fast_bf16_products=1", "fast_bf16_products: the instructions of avx512_core have none of bf16"},
        {"two_shuffles=2", "two_shuffles: '2' is no number from 0 to 1"},
        {"spare_vector_pipes=2", "spare_vector_pipes: '2' is no number from 0 to 1"},
        {"follows_rows=x", "follows_rows: 'x' is no number from 0 to 1"},
        {"l1_ways=12 l2_bytes=x", "l2_bytes: 'x' is no number"},
    };
    for (const auto& [text, reason] : wrong) {
        const auto m = with_row(some(), text);
        ASSERT_FALSE(m) << text;
        EXPECT_EQ(m.error().reason.substr(0, std::string_view(reason).size()), reason);
    }
}

TEST(MachineRow, refuses_noise) {
    std::string noise = "l1_ways=x";
    for (uint32_t x = 1, i = 0; i < 20000; ++i) {
        x = x * 1664525 + 1013904223;
        noise += char(x >> 24);
        if (i % 97 == 0) { EXPECT_FALSE(with_row(some(), noise)) << i; }
    }
}

TEST(MachineRow, files) {
    const std::string path = testing::TempDir() + "row_of_a_machine";
    std::FILE* f = std::fopen(path.c_str(), "w");
    ASSERT_NE(f, nullptr);
    std::fputs("# measured\nl1_ways=12\n", f);
    std::fclose(f);
    const auto text = read_row_file(path.c_str());
    ASSERT_TRUE(text) << text.error().reason;
    EXPECT_EQ(with_row(some(), *text)->l1_ways, 12);
    std::remove(path.c_str());
    EXPECT_FALSE(read_row_file(path.c_str()));
    EXPECT_FALSE(read_row_file("/"));
}

std::string schedule(const Machine& machine, const char* row) {
    const MemoryDesc src = md({1024, 64}, DataType::f32, "ab"), dst = md({1024, 64}, DataType::f32, "ba");
    const Problem p = ops::valid(ops::make_reorder(src, dst, {}));
    const auto m = with_row(machine, row);
    EXPECT_TRUE(m) << m.error().reason;
    return make_generated(std::make_shared<const Plan>(*ops::row(p.kind).lower(p)), Context(*m, 2))->text();
}

TEST(MachineRow, schedules_follow) {
    const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
    EXPECT_TRUE(has(schedule(some(), "l1_ways=8"), "copied to dst")); // 64 rows of dst a page apart
    EXPECT_FALSE(has(schedule(some(), "l1_ways=64"), "copied to dst"));
    EXPECT_TRUE(has(schedule(some(), "l1_bytes=48K"), "64 rows of 512 bytes"));
    EXPECT_TRUE(has(schedule(some(), "l1_bytes=32K"), "32 rows of 512 bytes"));
    EXPECT_TRUE(has(schedule(some(), "stream_bytes=600K"), "streamed to dst")); // 512 KiB in all
    EXPECT_TRUE(has(schedule(some(), "parallel_bytes=1024K"), "one thread"));
    EXPECT_TRUE(has(schedule(some(), "parallel_bytes=1000K"), "in quick succession"));
    EXPECT_TRUE(has(schedule(some(), "parallel_bytes=512K"), "in quick succession"));
    EXPECT_FALSE(has(schedule(some(), "parallel_bytes=500K"), "in quick succession"));
}

} // namespace
} // namespace tessera::cpu
