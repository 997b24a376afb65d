// The grammar of problem lines, the data and the comparison of experiments: what the other rings stand on.
#include <cstring>
#include <numeric>

#include <gtest/gtest.h>

#include "compare.hpp"
#include "experiment.hpp"
#include "experiment_data.hpp"
#include "guarded_buffer.hpp"
#include "problem_line.hpp"

namespace tessera {
namespace {

// Law: printing and parsing again gives the same problem, and the same text.
TEST(ProblemLine, survives_its_own_text) {
    for (const char* text :
         {"reorder 2x17x5x5", "reorder --sdt=f32 --ddt=s8 --stag=abcd --dtag=aBcd16b 2x17x5x5",
          "reorder --stag=abc --dtag=abc --ssub=0x1x0@2x20x5 --dsub=1x0x3@4x17x8 2x17x5",
          "reorder --sstrides=10x1 --dstrides=-1x7 4x6",
          "reorder --attr-scales=src:2:bf16+dst:3:f32:4x1 --attr-zero-points=src:host+dst:0:u8 8x6",
          "reorder --attr-post-ops=sum:0.5:3:s8+relu+sum --attr-scratchpad=user --attr-fpmath=tf32 3",
          "eltwise --alg=relu --attr-dropout=0.5:-7 2x3",
          "eltwise --alg=relu --attr-dropout=0.25:7:-3+s64+host+nomask 2x3",
          "eltwise --dir=BWD_D --alg=relu --dt=bf16 --attr-rounding=diff_src+diff_weights:-9 2x3",
          "reorder --oscale=3:rt --rt=1 --seed=7 2x2", "reorder --flags=s8s8:1+asymm:3+adjust:0.5 4x4",
          "shuffle --dir=BWD_D --sdt=bf16 --dtag=axb --axis=-1 --group=0 --expect=invalid_arguments 2x4x3x3",
          "matmul --sdt=u8:s8:f32 --ddt=s8 --stag=ab:any:ab --attr-scales=wei:3:bf16:2x1+dst:0 "
          "--attr-precomputed-reductions=src:3:s32:1x2 --attr-acc-mode=s32 --rt=5 2x4:4x3:1x3",
          "matmul --sdt=bf16:s4 --attr-fpmath=bf16:true --attr-zero-points=wei:0:s8 2x4:4x6",
          "matmul --ddt=f8_e4m3 --attr-scales=dst:3:e8m0:1x32:mx+wei:2 2x4:4x64",
          "shuffle --dir=FWD_I --stag=aBx16b --axis=1 --group=4 2x16x5x5"}) {
        const auto line = parse_problem_line(text);
        ASSERT_TRUE(line) << text << ": " << line.error().reason;
        const auto again = parse_problem_line(to_string(*line));
        ASSERT_TRUE(again) << to_string(*line);
        EXPECT_EQ(*line, *again) << text;
        EXPECT_EQ(to_string(*line), to_string(*again));
        EXPECT_EQ(seed_of(*line), seed_of(*again));
    }
}

TEST(ProblemLine, says_what_is_wrong) {
    const std::pair<const char*, const char*> cases[] = {
        {"", "empty"},
        {"convolution 2x3", "'convolution' is no primitive"},
        {"reorder", "no dims"},
        {"reorder 2x3 4x5", "given already"},
        {"reorder 2xx3", "2xx3"},
        {"reorder 99999999999999999999", "99999999999999999999"},
        {"reorder --sdt=f31 2", "unknown data type 'f31'"},
        {"reorder --what=1 2", "unknown option '--what'"},
        {"reorder --sdt 2", "--sdt needs a value"},
        {"reorder --axis=1 2", "belongs to shuffle"},
        {"reorder --sdt=f32 --sdt=s8 2", "--sdt was given already"},
        {"reorder --stag=a --dtag=a --stag=a 2", "--stag was given already"},
        {"reorder --ssub=1x1 2x2", "OFFSETS@PARENT"},
        {"reorder --attr-scales=weights:1 2", "weights:1"},
        {"matmul 2x3", "two or three shapes"},
        {"matmul --sdt=u8:s8 2x3:3x4:1x4", "--sdt has 2 entries for 3 sources"},
        {"matmul --attr-fpmath=half:true 2x3:3x4", "'half' is none of"},
        {"reorder --attr-post-ops=cosine 2", "cosine"},
        {"reorder --stag=a --sstrides=1 2", "both a tag"},
        {"shuffle --dir=SIDEWAYS 2", "FWD_D, FWD_I, BWD_D"},
        {"shuffle --expect=sorry 2", "sorry"},
    };
    for (const auto& [text, part] : cases) {
        const auto line = parse_problem_line(text);
        ASSERT_FALSE(line) << text;
        EXPECT_NE(line.error().reason.find(part), std::string::npos) << text << ": " << line.error().reason;
    }
}

TEST(ProblemLine, expands_tags) {
    // covers: TAG-10
    EXPECT_EQ(expand_tag("abx", 1), "a");
    EXPECT_EQ(expand_tag("abx", 5), "abcde");
    EXPECT_EQ(expand_tag("axb", 4), "acdb");
    EXPECT_EQ(expand_tag("aBx16b", 5), "aBcde16b");
    EXPECT_EQ(expand_tag("x", 1), "x");
    EXPECT_EQ(expand_tag("nChw16c", 4), "nChw16c");
}

// A buffer notices a write on either side of it.
TEST(GuardedBuffer, notices_neighbours) {
    using Placement = GuardedBuffer::Placement;
    for (const Placement placement : {Placement::end_at_guard, Placement::start_at_guard, Placement::aligned})
        for (const size_t size : {size_t(0), size_t(1), size_t(100), size_t(4096), size_t(5) << 20}) {
            const auto check = [&](const char* how) {
                SCOPED_TRACE(testing::Message() << how << ", " << size << " bytes, placement " << int(placement));
                GuardedBuffer buffer(size, placement);
                std::fill(buffer.begin(), buffer.end(), uint8_t(7));
                EXPECT_TRUE(buffer.intact());
                const GuardedBuffer copy = buffer;
                EXPECT_TRUE(copy == buffer);
                const auto notices = [&](uint8_t* at) {
                    *at ^= 1;
                    EXPECT_FALSE(buffer.intact());
                    *at ^= 1;
                    EXPECT_TRUE(buffer.intact());
                };
                const bool start = placement == Placement::start_at_guard, end = placement == Placement::end_at_guard;
                if (!start) notices(buffer.begin() - 1);
                if (!end) notices(buffer.end());
                const bool aligned = reinterpret_cast<uintptr_t>(buffer.begin()) % 64 == 0;
                EXPECT_TRUE(aligned || placement != Placement::aligned);
                uint8_t* const beyond = start ? buffer.begin() - 1 : buffer.end();
                if (start || end) {
                    EXPECT_DEATH(*beyond = 1, "");
                    EXPECT_DEATH(*const_cast<volatile uint8_t*>(beyond), "");
                }
            };
            check("new pages");
            check("used pages");
        }
}

// The comparison finds one wrong element, one wrong byte of padding, and tells NaN from NaN only when asked.
TEST(Compare, finds_every_kind_of_difference) {
    const int64_t dims[] = {2, 3};
    const auto md = make_desc_with_tag(dims, DataType::f32, "aB4b");
    ASSERT_TRUE(md);
    std::vector<float> a(8, 1.f), b(8, 1.f);
    const auto compared = [&](bool exact_nan) {
        return compare(*md, reinterpret_cast<uint8_t*>(a.data()), reinterpret_cast<uint8_t*>(b.data()), 32, exact_nan);
    };
    EXPECT_TRUE(compared(true));
    a[5] = 2.f; // element (1,1)
    ASSERT_FALSE(compared(false));
    EXPECT_NE(compared(false).error().reason.find("element (1,1)"), std::string::npos);
    a[5] = 1.f;
    a[7] = 0.f; // padding
    ASSERT_FALSE(compared(false));
    EXPECT_NE(compared(false).error().reason.find("outside of the elements"), std::string::npos);
    a[7] = 1.f;
    const uint32_t nan_bits[] = {0x7fc00000, 0xffc00001};
    std::memcpy(&a[0], &nan_bits[0], 4);
    std::memcpy(&b[0], &nan_bits[1], 4);
    EXPECT_TRUE(compared(false));
    EXPECT_FALSE(compared(true));
    b[0] = 1.f;
    EXPECT_FALSE(compared(false));
}

// A refusal that was not asked for is no pass, and one that does not come neither: see tests/tools/cli_test.sh. Here:
// the reason of the library arrives whole.
TEST(Experiment, carries_reasons) {
    const auto line = parse_problem_line("reorder --stag=ab --dtag=any 3x4");
    ASSERT_TRUE(line);
    const auto experiment = Experiment::make(*line, Experiment::Data::hostile);
    ASSERT_FALSE(experiment);
    EXPECT_EQ(experiment.error().status, Status::invalid_arguments);
    EXPECT_NE(experiment.error().reason.find("any"), std::string::npos);
}

TEST(Experiment, counts_bytes) {
    const auto line = parse_problem_line("reorder --sdt=f32 --ddt=s8 --stag=abcd --dtag=aBcd16b 2x17x5x5");
    auto experiment = Experiment::make(*line, Experiment::Data::friendly);
    ASSERT_TRUE(experiment) << experiment.error().reason;
    EXPECT_EQ(experiment->bytes(), 2 * 17 * 25 * 4 + 2 * 32 * 25); // read; written with padding
    EXPECT_TRUE(experiment->check());
}

} // namespace
} // namespace tessera
