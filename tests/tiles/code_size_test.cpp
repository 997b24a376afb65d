// SPDX-License-Identifier: Apache-2.0
// Machine code is bounded whatever the shape: kernels of fixed size loop over it. Reorders between all plain and
// blocked layouts of 1 to 20 channels and small and large images, conversions, shuffles; each of their kernels, with
// its tables, on the machines with the shortest and the longest vectors.
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cpu/executor/generated.hpp"
#include "machines.hpp"
#include "plan_of_line.hpp"

namespace tessera {

namespace {

// 3 ms of creation, where code was unrolled over tensors, were 16 KiB. Offset tables that no loop repeats are longer.
constexpr size_t most_bytes = 8 << 10, most_with_tables = 24 << 10;

size_t longest_kernel(const std::string& text, const Context& machine) {
    const auto executable = cpu::make_generated(std::make_shared<const Plan>(plan_of(text)), machine);
    size_t longest = 0;
    if (executable)
        for (const GeneratedCode& code : executable->code()) longest = std::max(longest, code.bytes.size());
    return longest;
}

struct Longest {
    size_t bytes = 0;
    std::string line;
    void note(const std::string& text, const Context& machine) {
        const size_t found = longest_kernel(text, machine);
        if (found > bytes) bytes = found, line = text + " on " + machine.name;
    }
};

std::vector<Context> narrow_and_wide() {
    std::vector<Context> two;
    const std::vector<Context> all = generating_machines();
    two.push_back(all.front());
    two.push_back(machine_named("avx10_1_512"));
    return two;
}

} // namespace

TEST(CodeSize, reorders) {
    Longest longest;
    const char* const images[] = {"1x1", "2x3", "7x7", "14x14", "17x19", "64x64", "224x224"};
    for (const Context& machine : narrow_and_wide())
        for (const char* types : {"--sdt=u8 --ddt=u8", "--sdt=bf16 --ddt=bf16", "--sdt=f32 --ddt=f32",
                                  "--sdt=u8 --ddt=f32 --attr-scales=src:0", "--sdt=f32 --ddt=bf16",
                                  "--sdt=f32 --ddt=s8 --attr-scales=src:0"})
            for (const char* tags : {"--stag=abcd --dtag=acdb", "--stag=acdb --dtag=abcd", "--stag=abcd --dtag=cdba",
                                     "--stag=abcd --dtag=aBcd16b", "--stag=aBcd16b --dtag=acdb",
                                     "--stag=aBcd16b --dtag=aBcd4b", "--stag=aBcd8b --dtag=aBcd16b"})
                for (const int channels : {1, 2, 3, 4, 5, 6, 7, 12, 15, 17, 20})
                    for (const char* image : images)
                        for (const int batch : {1, 8}) {
                            if (batch > 1 && image != images[2]) continue;
                            longest.note(fmt::format("reorder {} {} {}x{}x{}", types, tags, batch, channels, image),
                                         machine);
                        }
    EXPECT_LE(longest.bytes, most_bytes) << longest.line;
}

TEST(CodeSize, matrices_and_shuffles) {
    Longest longest, tables;
    for (const Context& machine : narrow_and_wide()) {
        for (const char* type : {"u8", "bf16", "f32"}) {
            for (const char* tag : {"Ab4a", "Ab8a", "Ba8b", "Ba16b", "BA16a64b", "ba"})
                for (const char* dims : {"64x64", "100x64", "64x100", "1000x16", "33x7", "7x300", "512x512"})
                    for (const char* from : {"ab", "ba"})
                        longest.note(
                            fmt::format("reorder --sdt={0} --ddt={0} --stag={1} --dtag={2} {3}", type, from, tag, dims),
                            machine);
            for (const int channels : {6, 58, 116, 240, 464, 960})
                for (const char* image : {"1x1", "7x7", "28x28"}) {
                    for (const char* tag : {"abcd", "acdb"})
                        longest.note(fmt::format("shuffle --sdt={} --stag={} --axis=1 --group=2 2x{}x{}", type, tag,
                                                 channels, image),
                                     machine);
                    tables.note(fmt::format("shuffle --sdt={} --stag=aBcd16b --axis=1 --group=2 2x{}x{}", type,
                                            channels, image),
                                machine);
                }
        }
    }
    EXPECT_LE(longest.bytes, most_bytes) << longest.line;
    EXPECT_LE(tables.bytes, most_with_tables) << tables.line;
}

// One body for whole vectors of columns and the last ones, for all sixteens of points, for rows that are aligned and
// those that are not: 4.3 and 3.4 KiB where each had its own.
TEST(CodeSize, sums_by_16_and_streams) {
    Longest sums, streams;
    const Context machine = machine_named("avx10_1_512");
    for (const char* flags : {"", "--flags=CH"}) {
        for (const char* images : {"2x192x127", "1x24x980", "1x5x71"})
            sums.note(
                fmt::format("batch_normalization --dir=BWD_DW {} --sdt=bf16 --stag=acb --dtag=acb {}", flags, images),
                machine);
        streams.note(
            fmt::format("batch_normalization --dir=BWD_DW {} --sdt=bf16 --stag=ab --dtag=ab 65536x1044", flags),
            machine);
    }
    EXPECT_LE(sums.bytes, 2u << 10) << sums.line;
    EXPECT_LE(streams.bytes, 5u << 9) << streams.line;
}

} // namespace tessera
