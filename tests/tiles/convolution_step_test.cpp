// SPDX-License-Identifier: Apache-2.0
// Convolutions as a step of the dot tile, made by hand: 3x3, strides 1 and 2, nhwc and nChw16c, floats and bytes. src
// is read where it lies, in loops over k, or packed so that tiles are full, and what comes out is what the interpreter
// of plans computes: integers, so that sums are exact in any order. Of other floats any number of threads gives the
// same bits. covers: MAT-01
#include <memory>
#include <random>

#include <gtest/gtest.h>

#include "core/desc/memory_desc.hpp"
#include "core/desc/tags.hpp"
#include "core/types/convert.hpp"
#include "cpu/executor/generated.hpp"
#include "machines.hpp"

namespace tessera {

namespace {

enum : size_t { mb, oc, oh, ow, ic, kh, kw };
enum : int { src, weights, dst, bias };

struct Case {
    const char *images, *filters; // tags
    DataType type, of_weights, to;
    int64_t stride;
    int loops;
    std::vector<int64_t> dims = {2, 32, 6, 11, 32, 3, 3}; // 2 images of 32 channels
    int64_t more_of_dst = 0;                              // pixels of a line that are left as they are
};

struct Convolution {
    Plan plan;
    std::vector<std::vector<uint8_t>> buffers;
};

// Pixels are there for every window.
Convolution make(const Case& c, bool small_integers) {
    const std::vector<int64_t>& dims = c.dims;
    Convolution result;
    Space space;
    space.dims = dims;
    std::minstd_rand random(3);
    const auto add = [&](const char* name, DataType type, const char* tag, const std::vector<int64_t>& own,
                         const std::vector<std::vector<size_t>>& places) {
        const auto md = make_desc_with_tag(own, type, tag);
        const Layout layout = layout_of(*md);
        Layout& whole = space.layouts.emplace_back();
        for (const int64_t extent : dims) whole.dims.push_back({{extent, 0}});
        for (size_t d = 0; d < own.size(); ++d)
            for (const size_t place : places[d]) {
                whole.dims[place] = layout.dims[d];
                if (places[d].size() == 1) continue;
                const int64_t times = place == oh || place == ow ? c.stride : 1;
                whole.dims[place] = {{dims[place], times * layout.dims[d][0].stride}};
            }
        result.plan.operands.push_back({name, type, int(result.plan.operands.size())});
        auto& buffer = result.buffers.emplace_back(size_of(*md));
        for (size_t i = 0; i < buffer.size() * 8 / size_t(bits(type)); ++i)
            write<float>(type, buffer.data(), int64_t(i),
                         small_integers ? float(random() % 5) - (has_sign(type) ? 2.f : 0.f)
                                        : float(random() % 2001) / 777 - 1);
    };
    const auto pixels = [&](size_t i) { return (dims[oh + i] - 1) * c.stride + dims[kh + i]; };
    add("src", c.type, c.images, {dims[mb], dims[ic], pixels(0), pixels(1)}, {{mb}, {ic}, {oh, kh}, {ow, kw}});
    add("weights", c.of_weights, c.filters, {dims[oc], dims[ic], dims[kh], dims[kw]}, {{oc}, {ic}, {kh}, {kw}});
    add("dst", c.to, c.images, {dims[mb], dims[oc], dims[oh], dims[ow] + c.more_of_dst}, {{mb}, {oc}, {oh}, {ow}});
    add("bias", DataType::f32, "a", {dims[oc]}, {{oc}});
    const ValueType type = is_integer(c.type) ? ValueType::s32 : ValueType::f32;
    Program p;
    int v = p.total(type);
    if (type == ValueType::s32) v = p.cvt(v, ValueType::f32);
    v = p.binary(OpCode::add, v, p.load(bias, ValueType::f32));
    p.store(dst, p.binary(OpCode::max, p.constant(0, ValueType::f32), v));
    space.reduce_mask = 1 << ic | 1 << kh | 1 << kw;
    Step step;
    step.kind = StepKind::product, step.program = 0;
    step.product = std::make_shared<Product>(Product{type, {src}, {weights}, arranged(space, dst, src)});
    result.plan.title = "convolution";
    result.plan.programs.push_back(p);
    result.plan.steps.push_back(step);
    return result;
}

std::vector<void*> pointers(std::vector<std::vector<uint8_t>>& buffers) {
    std::vector<void*> all;
    for (auto& b : buffers) all.push_back(b.data());
    return all;
}

// What generated code for a machine leaves in dst; nothing where none is generated.
std::vector<uint8_t> computed(const Convolution& c, const Context& machine, std::string& how) {
    const auto code = cpu::make_generated(std::make_shared<const Plan>(c.plan), machine);
    if (!code) return {};
    how = code->text();
    auto buffers = c.buffers;
    EXPECT_EQ(code->run(pointers(buffers), {}), Status::success);
    return buffers[dst];
}

// The innermost loop over k is what follows itself in a row of pixels: all of kw and channels of nhwc.
std::vector<Case> cases() {
    std::vector<Case> all;
    for (const int64_t stride : {1, 2}) {
        all.push_back({"acdb", "Acdb16a", DataType::f32, DataType::f32, DataType::f32, stride, 2});
        all.push_back({"aBcd16b", "ABcd16b16a", DataType::f32, DataType::f32, DataType::f32, stride, 3});
        all.push_back({"acdb", "cdba", DataType::bf16, DataType::bf16, DataType::bf16, stride, 2});
        all.push_back({"aBcd16b", "ABcd8b16a2b", DataType::bf16, DataType::bf16, DataType::bf16, stride, 3});
        all.push_back({"acdb", "cdba", DataType::u8, DataType::s8, DataType::u8, stride, 2});
        all.push_back({"aBcd16b", "ABcd4b16a4b", DataType::s8, DataType::s8, DataType::f32, stride, 3});
    }
    return all;
}

} // namespace

TEST(ConvolutionStep, src_in_place_on_every_machine) {
    int in_place = 0;
    for (const Case& c : cases()) {
        Convolution exact = make(c, true);
        auto expected = exact.buffers;
        interpret(exact.plan, pointers(expected));
        for (Context m : generating_machines()) {
            const bool slow = execution_of(m) == Execution::interpreted;
            m.threads = slow ? 2 : 1;
            std::string how;
            const std::vector<uint8_t> found = computed(exact, m, how);
            EXPECT_TRUE(found == expected[dst]) << m.name << "\n" << how;
            // bf16 is read in place where products of it are, and elsewhere converted; tiles take 64 bytes of k a step.
            const std::string loops = "of " + std::to_string(c.loops) + " loops, A in place";
            in_place += how.find(loops) != how.npos;
            if (c.type == DataType::f32) { EXPECT_NE(how.find(loops), how.npos) << m.name << "\n" << how; }
        }
    }
    if (generating_machines().empty()) GTEST_SKIP() << "no code is generated for this processor";
    EXPECT_GT(in_place, int(cases().size() * generating_machines().size() / 2));
}

// Lines of 7 pixels of src and of dst: tiles have rows of several, packed, whose sums go to dst line by line.
TEST(ConvolutionStep, tiles_join_short_lines) {
    int joined = 0;
    for (const DataType type : {DataType::bf16, DataType::u8})
        for (const int64_t more : {0, 2}) {
            const DataType of_weights = type == DataType::u8 ? DataType::s8 : type;
            const Convolution exact =
                make({"acdb", "cdba", type, of_weights, DataType::f32, 2, 2, {2, 192, 8, 7, 32, 3, 3}, more}, true);
            Convolution expected = exact;
            interpret(exact.plan, pointers(expected.buffers));
            for (Context m : generating_machines()) {
                std::string how;
                m.threads = 2;
                EXPECT_TRUE(computed(exact, m, how) == expected.buffers[dst]) << m.name << "\n" << how;
                joined += how.find("dot amx") != how.npos && how.find("32x32 blocks") != how.npos;
            }
        }
    if (generating_machines().empty()) GTEST_SKIP() << "no code is generated for this processor";
    EXPECT_GT(joined, 3);
}

TEST(ConvolutionStep, bits_do_not_depend_on_threads) {
    for (const Case& c : cases()) {
        const Convolution any = make(c, is_integer(c.type));
        for (Context m : generating_machines()) {
            if (execution_of(m) == Execution::interpreted) continue;
            std::vector<uint8_t> first;
            for (const int threads : {1, 2, 3, 7}) {
                m.threads = threads;
                std::string how;
                const std::vector<uint8_t> found = computed(any, m, how);
                if (threads == 1) first = found;
                EXPECT_TRUE(found == first) << m.name << ", threads " << threads << "\n" << how;
            }
        }
    }
}

} // namespace tessera
