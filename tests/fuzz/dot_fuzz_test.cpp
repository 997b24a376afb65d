// SPDX-License-Identifier: Apache-2.0
// Sums of products with random extents, layouts, types, factors and epilogues: the portable engine and generated code
// for every machine against the interpreter of plans. Values are small integers, so that every order of summation gives
// the same bits. Buffers end or begin at a page that cannot be touched. TESSERA_FUZZ_SEED=N TESSERA_FUZZ_COUNT=1
// repeats a failure.
// covers: MAT-01 MAT-02 MAT-04 MAT-07
#include <map>
#include <random>
#include <utility>

#include <gtest/gtest.h>

#include "core/desc/memory_desc.hpp"
#include "core/desc/tags.hpp"
#include "core/plan/rewrite/local_step.hpp"
#include "cpu/executor/generated.hpp"
#include "cpu/executor/job.hpp"
#include "cpu/portable/executable.hpp"
#include "cpu/products/ask.hpp"
#include "cpu/products/see/seen.hpp"
#include "fuzzed_machines.hpp"
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
    std::vector<size_t> bytes; // of the buffer, by operand
};

using Places = std::vector<std::pair<size_t, int64_t>>; // dims of the space, with what the stride is multiplied by

// Dims b, m, n, k; which of them an operand has is a mask with the bits in this order.
struct Maker {
    Random& r;
    std::array<int64_t, 4> dims{};
    Case c{};
    Space space{};

    int64_t extent() {
        static constexpr int64_t some[] = {1, 2, 4, 7, 15, 16, 17, 31, 48, 64, 96, 100};
        return chance(r, 50) ? some[below(r, 12)] : 1 + below(r, chance(r, 20) ? 700 : 40);
    }
    int add(DataType type, int mask) {
        static const std::vector<std::vector<const char*>> tags{
            {"a"}, {"ab", "ba", "Ba16b", "BA16a16b2a", "BA16a16b4a", "aB16b"}, {"abc", "acb", "aCb16c", "bca"}};
        std::vector<int64_t> own;
        for (size_t d = 0; d < 4; ++d)
            if (mask >> d & 1) own.push_back(dims[d]);
        Layout layout, whole;
        size_t bytes = size_t(bits(type)) / 8;
        if (!own.empty()) {
            const auto& choices = tags[own.size() - 1];
            const char* tag = choices[size_t(below(r, chance(r, 50) ? 1 : int64_t(choices.size())))];
            auto md = make_desc_with_tag(own, type, tag);
            if (!md) type = DataType::s8, md = make_desc_with_tag(own, type, tag); // lines of 4 bits fill no bytes
            layout = layout_of(*md), bytes = size_of(*md);
        }
        for (size_t d = 0, own_d = 0; d < 4; ++d)
            whole.dims.push_back(mask >> d & 1 ? layout.dims[own_d++] : Modes{{dims[d], 0}});
        const int o = int(c.plan.operands.size());
        c.plan.operands.push_back({"o" + std::to_string(o), type, o});
        c.bytes.push_back(bytes);
        space.layouts.push_back(whole);
        return o;
    }
    // The same for groups of so many of k, which divides it.
    int add_groups(DataType type, int mask, int64_t length) {
        const int64_t k = std::exchange(dims[3], dims[3] / length);
        const int o = add(type, mask);
        dims[3] = k;
        space.layouts.back().dims[3].push_back({length, 0});
        return o;
    }
    // Of a tensor of channels and pixels; `places` are the dims of the space that its dims are, pixels of src those of
    // the results and of the window, as many apart as strides and dilations say.
    int add_image(DataType type, const char* tag, const std::vector<int64_t>& own, const std::vector<Places>& places) {
        const auto md = make_desc_with_tag(own, type, tag);
        const Layout layout = layout_of(*md);
        Layout& whole = space.layouts.emplace_back();
        for (const int64_t extent : space.dims) whole.dims.push_back({{extent, 0}});
        for (size_t d = 0; d < own.size(); ++d)
            for (const auto& [place, times] : places[d]) {
                Modes& modes = whole.dims[place] = layout.dims[d];
                if (places[d].size() > 1) modes = {{space.dims[place], times * modes[0].stride}};
            }
        c.plan.operands.push_back({"o" + std::to_string(c.plan.operands.size()), type, int(c.plan.operands.size())});
        c.bytes.push_back(size_of(*md));
        return int(c.plan.operands.size()) - 1;
    }
    // Two or three dims of pixels; forward, or the gradient of weights, whose k is images and pixels.
    Case make_convolution() {
        static constexpr int64_t channels[] = {3, 5, 16, 20, 32, 48, 64};
        static const std::vector<const char*> images[] = {{"acdb", "aBcd16b", "abcd", "aBcd8b"},
                                                          {"acdeb", "aBcde16b", "abcde", "aBcde8b"}},
                                              filters[] = {{"abcd", "cdba", "Acdb16a", "ABcd16b16a", "ABcd8b16a2b",
                                                            "ABcd4b16a4b", "AcdB16a4b"},
                                                           {"abcde", "cdeba", "Acdeb16a", "ABcde16b16a", "AcdeB16a2b",
                                                            "ABcde4b16a4b"}};
        const bool integer = chance(r, 35), gradient = !integer && chance(r, 30), deep = chance(r, 30);
        const size_t pixels = deep ? 3 : 2, mb = 0, oc = 1, o = 2, ic = o + pixels, k = ic + 1;
        static const DataType floats[] = {DataType::f32, DataType::bf16, DataType::f16},
                              bytes[] = {DataType::u8, DataType::s8};
        const DataType type = integer ? bytes[below(r, 2)] : floats[below(r, 3)];
        const ValueType sums = integer ? ValueType::s32 : ValueType::f32;
        std::vector<int64_t>& d = space.dims;
        d = {1 + below(r, 3), channels[below(r, 7)]};
        for (size_t i = 0; i < pixels; ++i) d.push_back(1 + below(r, i + 1 < pixels ? 9 : 20));
        d.push_back(channels[below(r, 7)]);
        for (size_t i = 0; i < pixels; ++i) d.push_back(1 + below(r, 4));
        const auto products = [&] {
            int64_t all = 1;
            for (size_t i = oc; i <= ic; ++i) all *= d[i];
            return all;
        };
        while (products() > 60000) {
            for (size_t i = o; i + 1 < ic; ++i) d[i] = 1;
            d[ic - 1] = 1 + below(r, 9), d[ic] /= 2;
        }
        const auto pick = [&](const std::vector<const char*>& tags, bool common) {
            return tags[size_t(below(r, common ? 2 : int64_t(tags.size())))];
        };
        const char* tag = pick(images[deep], chance(r, 80));
        std::vector<int64_t> of_src{d[mb], d[ic]}, of_weights{d[oc], d[ic]}, of_dst{d[mb], d[oc]};
        std::vector<Places> at_src{{{mb, 1}}, {{ic, 1}}}, at_weights{{{oc, 1}}, {{ic, 1}}},
            at_dst{{{mb, 1}}, {{oc, 1}}};
        for (size_t i = 0; i < pixels; ++i) {
            const int64_t stride = 1 + below(r, 2), apart = chance(r, 20) ? 2 : 1;
            of_src.push_back((d[o + i] - 1) * stride + (d[k + i] - 1) * apart + 1);
            of_weights.push_back(d[k + i]), of_dst.push_back(d[o + i]);
            at_src.push_back({{o + i, stride}, {k + i, apart}});
            at_weights.push_back({{k + i, 1}}), at_dst.push_back({{o + i, 1}});
        }
        const int src = add_image(type, tag, of_src, at_src);
        const DataType to = chance(r, 50) ? DataType::f32 : integer ? DataType::u8 : type;
        const DataType type_of_weights = integer ? DataType::s8 : gradient ? to : type;
        const int weights = add_image(type_of_weights, pick(filters[deep], false), of_weights, at_weights);
        const char* const tag_of_dst = chance(r, 80) ? tag : pick(images[deep], false);
        const int dst = add_image(gradient ? type : to, tag_of_dst, of_dst, at_dst), written = gradient ? weights : dst;
        Factor a{src}, b{gradient ? dst : weights};
        if (!gradient && chance(r, 20)) a.zero = add_image(integer ? DataType::s32 : DataType::f32, "a", {1}, {{}});
        if (!gradient && chance(r, 10))
            b.zero = add_image(integer ? DataType::s32 : DataType::f32, "a", {d[oc]}, {{{oc, 1}}});
        Program p;
        int sum = p.total(sums);
        if (integer) sum = p.cvt(sum, ValueType::f32);
        if (!gradient && chance(r, 60))
            sum =
                p.binary(OpCode::add, sum, p.load(add_image(DataType::f32, "a", {d[oc]}, {{{oc, 1}}}), ValueType::f32));
        if (chance(r, 40)) sum = p.binary(OpCode::max, p.constant(0, ValueType::f32), sum);
        if (chance(r, 20)) sum = p.binary(OpCode::add, sum, p.load(written, ValueType::f32));
        p.store(written, sum);
        for (size_t i = 0; i < d.size(); ++i) {
            const bool of_gradient = i == mb || (i >= o && i < ic), of_results = i >= ic;
            if (gradient ? of_gradient : of_results) space.reduce_mask |= 1 << i;
        }
        if (chance(r, 20)) space.fpmath = FpmathMode::bf16;
        c.plan.title = "convolution";
        c.plan.programs.push_back(p);
        Step step;
        step.kind = StepKind::product, step.program = 0;
        step.product = std::make_shared<Product>(
            Product{sums, a, b, arranged(space, size_t(written), size_t(gradient ? dst : src))});
        c.plan.steps.push_back(step);
        return std::move(c);
    }
    Case make() {
        enum { b = 1, m = 2, n = 4, k = 8 };
        for (int64_t& d : dims) d = extent();
        dims[0] = chance(r, 70) ? 1 : 1 + below(r, 5);
        while (dims[0] * dims[1] * dims[2] * dims[3] > 400000) dims[size_t(1 + below(r, 3))] = 1 + below(r, 60);
        static const DataType floats[] = {DataType::f32, DataType::f32, DataType::bf16, DataType::f16, DataType::s8};
        static const DataType bytes[] = {DataType::u8, DataType::s8};
        static const DataType stored[] = {DataType::f32, DataType::f32, DataType::bf16, DataType::s8, DataType::u8};
        const bool integer = chance(r, 35);
        const ValueType type = integer ? ValueType::s32 : ValueType::f32;
        const auto factor = [&] { return integer ? bytes[below(r, 2)] : floats[below(r, 5)]; };
        const bool same = chance(r, 60);
        const DataType type_a = factor();
        DataType type_b = same ? type_a : factor();
        if (!integer && chance(r, 15)) type_b = chance(r, 50) ? DataType::s4 : DataType::u4;
        const bool many = dims[0] > 1;
        const int a = add(type_a, (many ? b : 0) | m | k), w = add(type_b, (many && chance(r, 60) ? b : 0) | k | n);
        Program p;
        const auto value = [&](int operand, int free) {
            Factor f{operand};
            if (chance(r, 35)) { // a zero point
                f.zero = add(integer ? DataType::s32 : DataType::f32, chance(r, 50) ? 0 : chance(r, 70) ? free : k);
            }
            if (!integer && operand == w && chance(r, 40)) { // scales of groups
                int64_t length = chance(r, 60) ? 32 : 1 + below(r, 24);
                while (dims[3] % length) --length;
                f.scale = add_groups(chance(r, 50) ? DataType::f32 : DataType::s8, chance(r, 70) ? n | k : k, length);
            }
            return f;
        };
        const Factor left = value(a, m), right = value(w, n);
        const bool in_order = chance(r, 50);
        int sum = p.total(type);
        const DataType to = integer && chance(r, 30) ? DataType::s32 : stored[below(r, 5)];
        const int dst = add(to, (many ? b : 0) | m | n);
        if (integer && to != DataType::s32) sum = p.cvt(sum, ValueType::f32);
        if (to != DataType::s32 && chance(r, 40)) {
            static constexpr int masks[] = {0, n, m, m | n};
            const int bias = add(chance(r, 50) ? DataType::f32 : DataType::s8, masks[below(r, 4)]);
            sum = p.binary(OpCode::add, sum, p.load(bias, ValueType::f32));
        }
        if (to != DataType::s32 && chance(r, 20))
            sum = p.binary(OpCode::add, sum, p.load(dst, ValueType::f32)); // a sum post-op
        p.store(dst, sum);
        c.plan.title = "random";
        c.plan.programs.push_back(p);
        space.dims.assign(dims.begin(), dims.end());
        space.reduce_mask = k;
        if (chance(r, 20)) space.fpmath = FpmathMode::bf16;
        Step step;
        step.kind = StepKind::product, step.program = 0;
        step.product =
            std::make_shared<Product>(Product{type, in_order ? left : right, in_order ? right : left, space});
        c.plan.steps.push_back(step);
        return std::move(c);
    }
};

using Buffers = std::vector<GuardedBuffer>;

std::vector<void*> pointers(const Buffers& buffers) {
    std::vector<void*> result;
    for (const auto& b : buffers) result.push_back(b.data());
    return result;
}

bool same(const GuardedBuffer& found, const GuardedBuffer& expected) { return found.intact() && found == expected; }

// Small numbers where a layout has elements and zeros where it is padded, as memories have them.
Buffers random_buffers(const Case& c, uint64_t seed, Random& r) {
    Buffers all;
    const Space& space = c.plan.steps[0].product->space;
    for (size_t o = 0; o < c.bytes.size(); ++o) {
        const DataType type = c.plan.operands[o].type;
        using Placement = GuardedBuffer::Placement;
        auto& buffer =
            all.emplace_back(c.bytes[o], (seed + o) % 2 ? Placement::end_at_guard : Placement::start_at_guard);
        std::fill(buffer.begin(), buffer.end(), 0);
        const int64_t low = has_sign(type) ? -2 : 0;
        std::vector<int64_t> at(space.dims.size());
        const auto each = [&](auto&& self, size_t d) -> void {
            if (d == at.size())
                return write<float>(type, buffer.data(), space.layouts[o].at(at), float(low + below(r, 5)));
            const Modes& modes = space.layouts[o].dims[d];
            const bool varies = std::any_of(modes.begin(), modes.end(), [](const Mode& m) { return m.stride != 0; });
            for (at[d] = 0; at[d] < (varies ? space.dims[d] : 1); ++at[d]) self(self, d + 1);
            at[d] = 0;
        };
        each(each, 0);
    }
    return all;
}

void check(const Case& c, Random& r, uint64_t seed, std::map<std::string, int>& seen) {
    const std::string text = to_string(c.plan) + "TESSERA_FUZZ_SEED=" + std::to_string(seed);
    ASSERT_TRUE(verify(c.plan)) << text;
    const Buffers start = random_buffers(c, seed, r);
    Buffers expected = start, portable = start;
    const auto plan = std::make_shared<const Plan>(c.plan);
    Context machine;
    machine.threads = 2;
    doing("TESSERA_FUZZ_SEED=" + std::to_string(seed) + ", portable");
    ASSERT_EQ((*cpu::make_portable(plan, machine))->run(pointers(expected), {}), Status::success);
    if (plan->steps[0].product->space.dims[0] == 1 && chance(r, 20)) { // slow
        interpret(c.plan, pointers(portable));
        for (size_t o = 0; o < start.size(); ++o)
            ASSERT_TRUE(same(portable[o], expected[o])) << "portable, operand " << o << "\n" << text;
    }
    for (Context m : fuzz::machines_of(seed)) {
        if (chance(r, 40)) m.l2_bytes = 1 << 10;
        const auto generated = cpu::make_generated(plan, m);
        ++seen[generated ? "generated" : "portable"];
        if (!generated) continue;
        const std::string how = generated->text();
        for (const char* word : {"A packed", "B packed", "map", "past the caches", "groups of", "epilogue in registers",
                                 "of 2 loops", "of 3 loops", "of 4 loops", "A in place", "part by part"})
            if (how.find(word) != how.npos) ++seen[word];
        ++seen[how.substr(0, how.find(' '))];
        Buffers found = start;
        doing("TESSERA_FUZZ_SEED=" + std::to_string(seed) + ", " + m.name);
        ASSERT_EQ(generated->run(pointers(found), {}), Status::success);
        for (size_t o = 0; o < start.size(); ++o)
            ASSERT_TRUE(same(found[o], expected[o])) << m.name << ", operand " << o << "\n" << how << text;
    }
}

std::unique_ptr<cpu::Job> make_job(cpu::Seen& product) {
    switch (product.tile()) {
    case cpu::ProductTile::few:
        return cpu::make_few_job(product);
    case cpu::ProductTile::amx:
        return cpu::make_amx_job(product);
    default:
        return cpu::make_dot_job(product);
    }
}

// What the tile asks for is the first of all ways to split the product under which it makes a job.
void check_answer(const Case& c, uint64_t seed, std::map<std::string, int>& seen) {
    constexpr DotParts ways[] = {{false, false, true}, {true, false, false}, {false, true, false}, {true, true, false},
                                 {true, false, true},  {false, true, true},  {true, true, true}};
    const LocalStep local = local_step(c.plan, c.plan.steps[0]);
    const auto matrices = matrices_of(local.plan, local.plan.steps[0]);
    ASSERT_TRUE(matrices);
    for (const Context& m : fuzz::machines_of(seed)) {
        const auto target = cpu::jit::target_of(m);
        const auto makes = [&](const Plan& plan) {
            for (const Step& step : plan.steps) {
                if (step.kind != StepKind::product) continue;
                const LocalStep own = local_step(plan, step);
                const auto as = matrices_of(own.plan, own.plan.steps[0]);
                if (!as) return false;
                cpu::Seen product(own.plan, own.plan.steps[0], *as, target, m);
                return !product.see() && make_job(product);
            }
            return false;
        };
        const std::string text = m.name + "\n" + to_string(c.plan) + "TESSERA_FUZZ_SEED=" + std::to_string(seed);
        const auto answer = cpu::ask_dot(local.plan, local.plan.steps[0], *matrices, target, m);
        EXPECT_NE(answer.taken, !answer.why_not.empty()) << text;
        if (makes(local.plan)) {
            EXPECT_TRUE(answer.taken && !answer.parts.any()) << answer.why_not << text;
            ++seen["taken"];
            continue;
        }
        const auto way = std::find_if(std::begin(ways), std::end(ways), [&](const DotParts& parts) {
            const auto split = split_dot(local.plan, local.plan.steps[0], *matrices, parts);
            return split && makes(*split);
        });
        EXPECT_EQ(answer.taken, way != std::end(ways)) << answer.why_not << text;
        if (answer.taken && way != std::end(ways)) {
            EXPECT_EQ(answer.parts, *way) << answer.parts.left << answer.parts.right << answer.parts.epilogue << text;
        }
        ++seen[answer.taken ? "in steps" : "not taken"];
    }
}

} // namespace

TEST(DotFuzz, the_tile_says_what_it_needs) {
    if (generating_machines().empty()) GTEST_SKIP() << "no code is generated for this processor";
    std::map<std::string, int> seen;
    const uint64_t count = fuzz::each_seed(400, [&](uint64_t seed) {
        Random r(seed);
        check_answer(seed % 2 ? Maker{r}.make_convolution() : Maker{r}.make(), seed, seen);
    });
    for (const auto& [what, times] : seen) std::printf("%s: %d\n", what.c_str(), times);
    if (count < 400) GTEST_SKIP() << count << " problems are too few to count their kinds";
    EXPECT_GT(seen["taken"], 200);
    EXPECT_GT(seen["in steps"], 50);
    EXPECT_GT(seen["not taken"], 5);
}

TEST(DotFuzz, engines_agree) {
    std::map<std::string, int> seen;
    const uint64_t count = fuzz::each_seed(2000, [&](uint64_t seed) {
        Random r(seed);
        const Case c = seed % 2 ? Maker{r}.make_convolution() : Maker{r}.make();
        check(c, r, seed, seen);
    });
    for (const auto& [what, times] : seen) std::printf("%s: %d\n", what.c_str(), times);
    if (generating_machines().empty()) GTEST_SKIP() << "no code is generated for this processor: portable alone";
    if (count < 2000) GTEST_SKIP() << count << " problems are too few to count their kinds";
    EXPECT_GT(seen["generated"], 200);
    EXPECT_GT(seen["A packed"], 50);
    EXPECT_GT(seen["B packed"], 50);
    EXPECT_GT(seen["groups of"], 10);
    EXPECT_GT(seen["epilogue in registers"], 50);
    EXPECT_GT(seen["of 2 loops"], 10);
    EXPECT_GT(seen["of 3 loops"], 5);
    EXPECT_GT(seen["of 4 loops"], 2);
    EXPECT_GT(seen["part by part"], 10);
}

} // namespace tessera
