// SPDX-License-Identifier: Apache-2.0
// How steps become kernels, for devices that need not be here: launch_of() is a pure function of a device's row and a
// step.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/plan/rewrite/local_step.hpp"
#include "gpu/kernels.hpp"
#include "gpu/parts.hpp"
#include "gpu/products/split.hpp"
#include "gpu/source.hpp"
#include "line/problem_line.hpp"
#include "ops/ops.hpp"
#include "trial/experiment.hpp"

namespace tessera::gpu {

namespace {

constexpr DeviceRow
    processor = {1, 2, 1 << 20, 16},
    a_gpu = {256, 16, 32 << 10, 1},
    with_tensors = {.lanes = 256, .units = 132, .local_bytes = 48 << 10, .capability = 90, .dots = 1, .ptx = true},
    with_matrices = {.lanes = 256, .units = 64, .local_bytes = 64 << 10, .matrices = 16, .multiplies_matrices = true};

// Of each step of a problem that has a kernel of its own kind.
std::vector<Launch> launches(const DeviceRow& row, const std::string& line) {
    const auto parsed = parse_problem_line(line);
    const auto problem = problem_of(*parsed);
    const auto plan = ops::row(problem->kind).lower(*problem);
    std::vector<Launch> all;
    for (const Step& step : plan->steps) {
        const LocalStep local = local_step(*plan, step);
        all.push_back(launch_of(row, local.plan, local.plan.steps[0]));
    }
    return all;
}
std::string source(const DeviceRow& row, const std::string& line) { return launches(row, line).at(0).source; }

// What runs of a problem.
std::vector<Launch> kernels(const DeviceRow& row, const std::string& line) {
    const auto parsed = parse_problem_line(line);
    const auto problem = problem_of(*parsed);
    const KernelPlan plan = kernel_plan(row, *ops::row(problem->kind).lower(*problem));
    std::vector<Launch> all;
    for (Kernel& kernel : kernels_of(row, plan)) all.push_back(std::move(kernel.launch));
    return all;
}

} // namespace

TEST(Launches, of_other_sizes_share_a_kernel) {
    const auto same = [](const DeviceRow& row, const std::string& what, const char* a, const char* b) {
        EXPECT_EQ(source(row, what + a), source(row, what + b)) << what;
    };
    for (const DeviceRow& row : {processor, a_gpu}) {
        same(row, "reorder --sdt=f32 --ddt=f32 --stag=abcd --dtag=acdb ", "2x64x28x28", "8x96x14x17");
        same(row, "reorder --sdt=f32 --ddt=s8 --stag=abcd --dtag=abcd ", "2x64x28x28", "8x96x14x17");
        same(row, "matmul --dt=f32 ", "40x64:64x48", "24x16:16x20"); // whole vectors of a row
        same(row, "matmul --dt=f32 ", "41x7:7x51", "19x13:13x17");
    }
}

TEST(Launches, of_equal_widths_share_a_copy) {
    const std::string shape = " --stag=abcd --dtag=acdb 2x64x28x28";
    EXPECT_EQ(source(processor, "reorder --sdt=f32 --ddt=f32" + shape),
              source(processor, "reorder --sdt=s32 --ddt=s32" + shape));
}

TEST(Launches, transpose_through_local_memory_where_operands_are_dense_along_different_loops) {
    const std::string types = "reorder --sdt=f32 --ddt=f32 --stag=abcd ", shape = " 2x64x28x28";
    EXPECT_NE(source(a_gpu, types + "--dtag=acdb" + shape).find("barrier("), std::string::npos);
    EXPECT_EQ(source(a_gpu, types + "--dtag=abcd" + shape).find("barrier("), std::string::npos);
    EXPECT_NE(source(processor, types + "--dtag=acdb" + shape).find("transposed("), std::string::npos);
}

TEST(Launches, count_places_in_64_bits_where_32_do_not_suffice) {
    EXPECT_FALSE(launches(processor, "reorder --sdt=s8 --ddt=s8 --stag=ab --dtag=ab 1000x1000").at(0).wide);
    EXPECT_TRUE(launches(processor, "reorder --sdt=s8 --ddt=s8 --stag=ab --dtag=ba 100000x100000").at(0).wide);
    EXPECT_FALSE(launches(a_gpu, "matmul --stag=ab:ab --dtag=ab 4096x4096:4096x4096").at(0).wide);
    EXPECT_TRUE(launches(a_gpu, "matmul --stag=ab:ab --dtag=ab 40000x64:64x40000").at(0).wide);
}

TEST(Launches, count_places_in_64_bits_where_a_row_asks_for_it) {
    for (const char* line : {"reorder --stag=abcd --dtag=acdb 2x64x9x9", "reorder --stag=ab --dtag=aB8b 3x9",
                             "reduction --alg=sum 30x40:30x1", "softmax --alg=accurate --stag=ab --axis=1 100x40",
                             "pooling --dir=FWD_D --alg=max --kernel=3 --stride=2 --padding=1 1x3x9x10:1x3x5x5",
                             "matmul 4x8:8x2", "matmul 40x8:8x20"})
        for (const std::string facts : {"lanes=1", "lanes=64", "lanes=256,capability=80"}) {
            for (const Launch& launch : kernels(*with_facts(a_gpu, facts + ",wide=1"), line))
                EXPECT_TRUE(launch.wide) << line << " " << facts;
            for (const Launch& launch : kernels(*with_facts(a_gpu, facts), line))
                EXPECT_FALSE(launch.wide) << line << " " << facts;
        }
}

TEST(Launches, cover_every_point_once) {
    // 2 x 28 * 28 rows of 64 in tiles of 64 x 64, few of them in tiles of 32 x 32; all 100352 numbers in runs of 4096
    const auto transposed = [](const char* shape) {
        return launches(a_gpu, std::string("reorder --sdt=f32 --ddt=f32 --stag=abcd --dtag=acdb ") + shape)
            .at(0)
            .groups;
    };
    EXPECT_EQ(transposed("2x64x28x28"), 2 * 13);
    EXPECT_EQ(transposed("2x64x8x8"), 2 * 2 * 2);
    // Blocks of 16 channels: 16 columns, 4 blocks, and pixels until a work-item has 16 points.
    EXPECT_EQ(launches(a_gpu, "reorder --sdt=f32 --ddt=f32 --stag=aBcd16b --dtag=acdb 64x64x16x16").at(0).groups,
              64 * 256 / 64);
    EXPECT_EQ(launches(processor, "reorder --sdt=f32 --ddt=s8 --stag=abcd --dtag=abcd 2x64x28x28").at(0).groups, 25);
    EXPECT_EQ(launches(processor, "matmul --dt=f32 100x7:7x130").at(0).groups, 4 * 5);
    EXPECT_EQ(launches(a_gpu, "matmul --dt=f32 100x7:7x130").at(0).groups, 7 * 9); // blocks of 16 x 16
}

// Work-items and groups of a product's kernel.
std::pair<int64_t, int64_t> shape(const DeviceRow& row, const std::string& line) {
    const Launch launch = launches(row, line).at(0);
    return {launch.lanes, launch.groups};
}

TEST(Products, have_blocks_that_fill_the_device) {
    using Shape = std::pair<int64_t, int64_t>;
    EXPECT_EQ(shape(with_tensors, "matmul 4096x4096:4096x4096"), Shape(256, 32 * 32)); // 128 x 128 results a group
    EXPECT_EQ(shape(with_tensors, "matmul 1024x1024:1024x1024"), Shape(256, 16 * 8));  // 64 x 128
    EXPECT_EQ(shape(with_tensors, "matmul 20x1024:1024x65536"), Shape(128, 3 * 256));  // 8 x 256
    EXPECT_EQ(shape(with_tensors, "matmul --dt=bf16 4096x4096:4096x4096"), Shape(256, 32 * 32));
    // A row: 128 columns a group where weights are dense along columns, 32 where they are along k.
    EXPECT_EQ(shape(with_tensors, "matmul --stag=ab:ab 1x4096:4096x4096"), Shape(256, 32));
    EXPECT_EQ(shape(with_tensors, "matmul --stag=ab:ba 1x4096:4096x4096"), Shape(256, 128));
    EXPECT_EQ(shape(with_tensors, "matmul --stag=ab:ab 4096x4096:4096x3"), Shape(256, 128));
}

TEST(Products, of_few_channels_a_group_are_as_narrow) {
    const std::string groups = "convolution --stag=acdb:any --dtag=acdb --padding=1 64x256x56x56:32x8x8x3x3";
    const auto of_few = [](const Launch& launch) { return launch.source.find(" parts[") != std::string::npos; };
    // 128 pixels x 8 channels: a pixel is read once a tap.
    const Launch forward = kernels(with_tensors, groups).at(0);
    EXPECT_FALSE(of_few(forward));
    EXPECT_EQ(forward.lanes, 64);
    // Gradients of 8 x 8 weights: 2 work-items beside each other have all columns, 128 points of k each.
    const std::string weights = "convolution --dir=BWD_W" + groups.substr(groups.find(' '));
    EXPECT_NE(kernels(with_tensors, weights).at(0).source.find("lane % 2 * 4 + n"), std::string::npos);
    // Rows that are read once, and those too short for as many work-items.
    EXPECT_TRUE(of_few(kernels(with_tensors, "matmul --stag=ab:ba 8x4096:4096x4096").at(0)));
    EXPECT_FALSE(of_few(kernels(with_tensors, "matmul --stag=ab:ba 8x40:40x4096").at(0)));
}

TEST(Launches, windows_of_two_phases_fill_groups) {
    const std::string pooling = "pooling --dir=BWD_D --alg=max --kernel=2x2 --stride=2 --stag=abcd --dtag=abcd ";
    const Launch launch = kernels(a_gpu, pooling + "64x64x112x112:64x64x56x56").at(0);
    const double results = 64. * 64 * 112 * 112;
    EXPECT_GT(results / double(launch.groups * launch.lanes * 4), 0.9);
}

TEST(Products, of_the_borders_of_an_image_are_one_launch) {
    for (const DeviceRow& row : {processor, a_gpu, with_tensors})
        for (const char* line :
             {"convolution --stag=abcd:abcd --dtag=abcd --padding=1 8x16x28x28:32x16x3x3",
              "convolution --dt=bf16 --stag=acdb:cdba --dtag=acdb --padding=3 --stride=2 1x3x224x224:64x3x7x7",
              "convolution --dir=BWD_D --stag=acdb:cdba --dtag=acdb --padding=1 --stride=2 8x16x28x28:32x16x3x3"})
            EXPECT_EQ(kernels(row, line).size(), 1u) << line;
    // Places of pixels are those of an image, and no number of images is too much for a table.
    const std::string stem = "convolution --stag=acdb:cdba --dtag=acdb --padding=3 --stride=2 ";
    EXPECT_LT(kernels(with_tensors, stem + "64x3x224x224:64x3x7x7").at(0).tables.size(), 64u * 112 * 112 / 4);
    EXPECT_NE(kernels(with_tensors, stem + "256x3x224x224:64x3x7x7").at(0).source.find("row_words"), std::string::npos);
}

TEST(Launches, sources_of_a_concat_are_parts_of_one) {
    const std::vector<Launch> all = kernels(a_gpu, "concat --stag=ab:ab:ab --dtag=ab --axis=1 512x64:512x64:512x64");
    ASSERT_EQ(all.size(), 1u);
    for (const std::string_view what : {"buffer restrict b0_2", "o0 = (operands_ == 2 ? b0_2 : ", "o1 = b1 +"})
        EXPECT_NE(all[0].source.find(what), std::string::npos) << what;
    // As many as arguments may be.
    std::string tags = "ab", dims = "8x64";
    for (int i = 0; i < 99; ++i) tags += ":ab", dims += ":8x64";
    const size_t launches = kernels(a_gpu, "concat --stag=" + tags + " --dtag=ab --axis=1 " + dims).size();
    EXPECT_GT(launches, 1u);
    EXPECT_LT(launches, 5u);
}

// Sums of blocks of the nine taps, then the totals; taps at borders have other loops.
TEST(Launches, sums_of_taps_run_at_the_same_time) {
    const size_t launches =
        kernels(a_gpu, "convolution --dir=BWD_W --stag=acdb:any --dtag=acdb --padding=1 64x192x28x28:192x1x1x3x3")
            .size();
    EXPECT_LE(launches, 5u); // of 18
}

TEST(Launches, in_parts_have_the_numbers_of_all_of_them) {
    const std::vector<LaunchPart> parts = {{{1, 2}, {30}, 2}, {{3, 4}, {31, 32}, 7}};
    Launch launch;
    launch.source = "text";
    set_parts(launch, parts);
    EXPECT_EQ(launch.groups, 9);
    EXPECT_EQ(launch.nest, (std::vector<int64_t>{7, 8, 0, 0, 9, 10, 2, 0, 3, 4, 1, 2})); // the larger one first
    EXPECT_EQ(launch.tables, (std::vector<int64_t>{31, 32, 30}));
    EXPECT_NE(launch.source, "text");
    // As many as constant memory holds the numbers of.
    const LaunchPart large{std::vector<int64_t>(1500), {}, 1};
    EXPECT_TRUE(may_join(std::vector(1, large), large));
    EXPECT_FALSE(may_join(std::vector(2, large), large));
    EXPECT_FALSE(may_join(std::vector<LaunchPart>(64), LaunchPart()));
}

TEST(Products, on_processors_transpose_what_is_dense_along_rows) {
    const auto transposes = [](const std::string& line) { // each factor
        size_t count = 0;
        const std::string text = source(processor, "matmul --dt=f32 " + line + " 64x64:64x64");
        for (size_t at = 0; (at = text.find("            transposed((uint*)", at)) != text.npos; ++at) ++count;
        return count;
    };
    EXPECT_EQ(transposes("--stag=ab:ba --dtag=ab"), 0u);
    EXPECT_EQ(transposes("--stag=ab:ab --dtag=ab"), 1u);
    EXPECT_EQ(transposes("--stag=ba:ab --dtag=ab"), 2u);
}

TEST(Products, read_vectors_where_tables_lead_to_runs) {
    const auto reads_vectors = [](const std::string& line) {
        const std::string text = kernels(with_tensors, "convolution --dt=bf16 --padding=1 " + line).at(0).source;
        return std::pair(text.find("COPY16(far_a") != text.npos, text.find("COPY16(far_b") != text.npos);
    };
    EXPECT_EQ(reads_vectors("--stag=acdb:cdba --dtag=acdb 2x16x28x28:32x16x3x3"), std::pair(true, true));
    EXPECT_EQ(reads_vectors("--stag=acdb:cdba --dtag=acdb 2x12x28x28:32x12x3x3"), std::pair(false, true)); // 12 of 8
    // Lines and pixels 20 elements apart are at no multiple of 8.
    const std::string apart =
        "convolution --dt=bf16 --sstrides=16800x1x600x20:1x32x32x32 --dtag=acdb 2x16x28x28:32x16x1x1";
    EXPECT_EQ(kernels(with_tensors, apart).at(0).source.find("row_vectors"), std::string::npos);
    // Where handles may be anything, the kernel looks.
    DeviceRow any = with_tensors;
    any.aligned = false;
    const std::string looks =
        kernels(any, "convolution --dt=bf16 --padding=1 --stag=acdb:cdba --dtag=acdb 2x16x28x28:32x16x3x3")
            .at(0)
            .source;
    EXPECT_EQ(looks.find("COPY16(far"), std::string::npos);
    EXPECT_NE(looks.find("row_vectors"), std::string::npos);
    // Nor is what begins in the middle of one.
    const auto shifted = [](int operand, bool layout = false) {
        const auto problem = problem_of(*parse_problem_line("matmul --sdt=bf16 --ddt=f32 256x64:64x256"));
        LocalStep local = [&] {
            const auto plan = ops::row(problem->kind).lower(*problem);
            return local_step(*plan, plan->steps[0]);
        }();
        if (layout) {
            Step& step = local.plan.steps[0];
            Product product = *step.product;
            product.space.layouts[size_t(operand)].offset += 2;
            step.product = std::make_shared<const Product>(std::move(product));
        } else if (operand >= 0) {
            local.plan.operands[size_t(operand)].bytes = 4;
        }
        return launch_of(with_tensors, local.plan, local.plan.steps[0]).source;
    };
    const auto count = [](const std::string& text, std::string_view what) {
        size_t n = 0;
        for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++n;
        return n;
    };
    const std::string_view copy = "COPY16(far_", vector = "*(global uint4*)(o";
    EXPECT_EQ(std::pair(count(shifted(-1), copy), count(shifted(-1), vector)), std::pair(size_t(4), size_t(1)));
    EXPECT_EQ(std::pair(count(shifted(0), copy), count(shifted(0), vector)), std::pair(size_t(2), size_t(1)));
    EXPECT_EQ(std::pair(count(shifted(1), copy), count(shifted(1), vector)), std::pair(size_t(4), size_t(0)));
    EXPECT_EQ(std::pair(count(shifted(2), copy), count(shifted(2), vector)), std::pair(size_t(2), size_t(1)));
    EXPECT_EQ(count(shifted(0, true), copy), 2u);
    EXPECT_EQ(count(shifted(1, true), vector), 0u);
    // A column of 52 is no whole vector of 8.
    EXPECT_EQ(source(with_tensors, "matmul --dt=bf16 --sstrides=64x1:64x1 64x64:64x52").find("COPY16(far_b"),
              std::string::npos);
    EXPECT_EQ(reads_vectors("--sstrides=15680x1x560x20:1x32x1536x512 --dtag=acdb 2x16x28x28:32x16x3x3"),
              std::pair(false, true));
    EXPECT_EQ(reads_vectors("--stag=aBcd16b:ABcd16b16a --dtag=aBcd16b 2x32x28x28:32x32x3x3"), std::pair(true, true));
    EXPECT_EQ(reads_vectors("--stag=abcd:cdba --dtag=acdb 2x16x28x28:32x16x3x3"), std::pair(false, true));
}

TEST(Products, are_split_where_groups_do_not_fill_the_device) {
    const auto steps = [](const DeviceRow& row, const std::string& line) {
        const auto problem = problem_of(*parse_problem_line("matmul --stag=ab:ab --dtag=ab " + line));
        const Plan plan = split_sums(row, *ops::row(problem->kind).lower(*problem));
        const LocalStep first = local_step(plan, plan.steps[0]);
        return std::pair{plan.steps.size(), launch_of(row, first.plan, first.plan.steps[0]).groups};
    };
    using Steps = std::pair<size_t, int64_t>;
    EXPECT_EQ(steps(with_tensors, "1x4096:4096x4096"), Steps(2, 32 * 16)); // of 4 * 132
    EXPECT_EQ(steps(with_tensors, "1x256:256x4096"), Steps(1, 32));        // too short
    EXPECT_EQ(steps(with_tensors, "1024x1024:1024x1024"), Steps(1, 128));  // of 132
    EXPECT_EQ(steps(with_tensors, "4096x4096:4096x4096"), Steps(1, 1024));
    EXPECT_EQ(steps(processor, "1x4096:4096x4096").first, 1u);
    // Small blocks compute for less time than memory takes: up to 8 groups a unit, in parts of any number.
    EXPECT_EQ(steps(with_tensors, "16x100000:100000x16"), Steps(2, 250));
    EXPECT_EQ(steps(with_tensors, "64x2048:2048x1000"), Steps(2, 128));
    // Parts of 300 points would cut vectors of 8 in two, those of 360 do not.
    EXPECT_EQ(steps(with_tensors, "4x1800:1800x512"), Steps(2, 4 * 5));
}

TEST(Launches, rows_of_softmax_and_layer_normalization_are_points_of_one_kernel) {
    const std::string softmax = "softmax --alg=accurate --stag=ab --axis=1", rows = " 4096x2048",
                      normalization = "layer_normalization --dir=FWD_I --flags=CH --stag=ab";
    for (const std::string& what : {softmax, normalization}) {
        EXPECT_EQ(kernels(a_gpu, what + rows).size(), 1u) << what;
        EXPECT_EQ(kernels(a_gpu, what + rows).at(0).groups, 4096 / 1) << what;
        EXPECT_GT(kernels(processor, what + rows).size(), 1u) << what; // whose caches hold a part of all rows
        // Fewer rows than units: one kernel where its rows take no longer than launches.
        EXPECT_EQ(kernels(a_gpu, what + " 4x2048").size(), 1u) << what;
        EXPECT_GT(kernels(a_gpu, what + " 4x50000").size(), 1u) << what;
    }
    // Short rows share a group of work-items. Exponentials that dst does not hold are in local memory, if there is
    // room.
    EXPECT_EQ(kernels(a_gpu, softmax + " 65536x64").at(0).groups, 65536 / 32);
    EXPECT_EQ(kernels(a_gpu, "softmax --sdt=bf16 --ddt=bf16 --alg=accurate --stag=ab --axis=1 4096x2048").size(), 1u);
    EXPECT_GT(kernels(a_gpu, "softmax --sdt=bf16 --ddt=bf16 --alg=accurate --stag=ab --axis=1 4096x20480").size(), 1u);
    EXPECT_EQ(kernels(a_gpu, softmax + " 4096x1000").at(0).source, kernels(a_gpu, softmax + " 1024x1001").at(0).source);
}

TEST(Launches, channels_beside_each_other_are_summed_in_whole_lines) {
    // 1792 cells of 448 pixels, 16 of 64 channels a group: 16 work-items for each sum.
    const std::string shape = " 64x64x112x112", what = "batch_normalization --dir=FWD_D --flags=CH --stag=";
    EXPECT_EQ(kernels(a_gpu, what + "acdb --dtag=acdb" + shape).at(0).groups, 1792 * (64 / 16));
    EXPECT_EQ(kernels(a_gpu, what + "abcd --dtag=abcd" + shape).at(0).groups, 64 * 64 * 4); // cells of 3136 pixels
    // Sums of up to 64 in order: a work-item each.
    EXPECT_EQ(kernels(a_gpu, what + "acdb --dtag=acdb 64x2048x7x7").at(0).groups, 64 * 2048 / 256);
    EXPECT_EQ(kernels(a_gpu, "softmax --alg=accurate --stag=abcd --axis=1 8x21x64x64").size(), 1u);
    // Without room in local memory, a kernel for each step reads whole lines, too.
    EXPECT_EQ(kernels(a_gpu, "softmax --alg=accurate --sdt=bf16 --ddt=bf16 --stag=abcd --axis=1 8x1000x28x28").size(),
              4u);
}

TEST(Launches, few_groups_of_a_sum_read_more_points_at_once) {
    const std::vector<Launch> all = kernels(a_gpu, "reduction --alg=sum --stag=ab --dtag=ab 16384x4096:1x1");
    ASSERT_EQ(all.size(), 2u);
    EXPECT_NE(all[0].source.find("#pragma unroll 4\n"), std::string::npos);
    EXPECT_NE(all[1].source.find("#pragma unroll 16\n"), std::string::npos);
}

TEST(Products, take_tensor_cores_where_these_round_nothing) {
    const auto has = [](const DeviceRow& row, const std::string& line, std::string_view what) {
        return source(row, "matmul " + line + " 512x512:512x512").find(what) != std::string::npos;
    };
    EXPECT_TRUE(has(with_tensors, "--sdt=bf16 --ddt=f32", "m16n8k16.row.col.f32.bf16.bf16.f32"));
    EXPECT_TRUE(has(with_tensors, "--sdt=f16 --ddt=f32", "m16n8k16.row.col.f32.f16.f16.f32"));
    EXPECT_TRUE(has(with_tensors, "--sdt=f16:bf16 --ddt=f32", "m16n8k8.row.col.f32.tf32.tf32.f32"));
    EXPECT_TRUE(has(with_tensors, "--sdt=f8_e4m3:f8_e5m2 --ddt=f32", "m16n8k16.row.col.f32.f16.f16.f32"));
    EXPECT_TRUE(has(with_tensors, "--sdt=u8:s8 --ddt=s32", "m16n8k32.row.col.s32.u8.s8.s32"));
    EXPECT_FALSE(has(with_tensors, "--dt=f32", "mma.sync"));
    EXPECT_TRUE(has(with_tensors, "--dt=f32 --attr-fpmath=bf16", "m16n8k16.row.col.f32.bf16.bf16.f32"));
    EXPECT_TRUE(has(with_tensors, "--dt=f32 --attr-fpmath=f16", "m16n8k16.row.col.f32.f16.f16.f32"));
    EXPECT_TRUE(has(with_tensors, "--dt=f32 --attr-fpmath=tf32", "m16n8k8.row.col.f32.tf32.tf32.f32"));
    EXPECT_TRUE(has(with_tensors, "--sdt=u8:s8 --ddt=s32 --attr-zero-points=src:0", "m16n8k32.row.col.s32.u8.s8.s32"));
    DeviceRow older = with_tensors;
    older.capability = 75;
    EXPECT_FALSE(has(older, "--sdt=bf16 --ddt=f32", "mma.sync"));
    EXPECT_TRUE(has(older, "--sdt=u8:s8 --ddt=s32", "dp4a.u32.s32"));
    EXPECT_FALSE(has(a_gpu, "--sdt=bf16 --ddt=f32", "asm"));
    EXPECT_TRUE(
        has(with_matrices, "--sdt=bf16 --ddt=f32", "intel_sub_group_bf16_bf16_matrix_mad_k16(as_short8(vload4("));
    EXPECT_TRUE(has(with_matrices, "--sdt=u8:s8 --ddt=s32", "intel_sub_group_u8_i8_matrix_mad_k32(as_ushort8(vload4("));
    EXPECT_TRUE(has(with_matrices, "--dt=f32 --attr-fpmath=f16", "intel_sub_group_f16_f16_matrix_mad_k16("));
    EXPECT_FALSE(has(with_matrices, "--dt=f32 --attr-fpmath=tf32", "intel_sub_group_"));
    EXPECT_TRUE(has(with_matrices, "--sdt=bf16 --ddt=f32", "intel_reqd_sub_group_size(16)"));
    DeviceRow of_8 = with_matrices;
    of_8.matrices = 8;
    EXPECT_TRUE(has(of_8, "--sdt=bf16 --ddt=f32", "intel_sub_group_bf16_bf16_matrix_mad_k16(as_int8(vload8("));
}

TEST(DeviceRows, take_facts_from_a_list) {
    const auto row = with_facts(a_gpu, "lanes=64,local_bytes=65536");
    ASSERT_TRUE(row);
    EXPECT_EQ(row->lanes, 64);
    EXPECT_EQ(row->local_bytes, 65536);
    EXPECT_EQ(row->units, a_gpu.units);
    EXPECT_EQ(with_facts(a_gpu, "lanes=48").error().reason, "lanes of 48 are neither 1 nor a power of two from 32 on");
    EXPECT_EQ(with_facts(a_gpu, "lanes=many").error().reason, "lanes of 'many' is no number of 1..1024");
    EXPECT_EQ(with_facts(a_gpu, "warps=2").error().reason,
              "'warps=2' is no fact of a device; lanes=, units=, local_bytes=, vector_floats=, capability=, "
              "matrices=, dots= and wide= are");
    EXPECT_EQ(with_facts(a_gpu, "matrices=12").error().reason,
              "matrices of 12 are neither 0, 8 nor 16 work-items of a sub-group");
}

} // namespace tessera::gpu
