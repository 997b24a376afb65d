// SPDX-License-Identifier: Apache-2.0
// Windows and their readers against the definition, output by output and tap by tap.
#include "ops/windows/readers.hpp"

#include <map>
#include <set>

#include <gtest/gtest.h>

namespace tessera::ops {
namespace {

using Pairs = std::set<std::pair<int64_t, int64_t>>;

// (input, tap) that output o reads.
Pairs read_by(const Window& w, int64_t o) {
    Pairs pairs;
    for (int64_t k = 0; k < w.kernel; ++k)
        if (const int64_t i = o * w.stride + k * w.step - w.left; i >= 0 && i < w.inputs) pairs.insert({i, k});
    return pairs;
}

template <typename F> void each_window(F&& f) {
    for (const int64_t inputs : {0, 1, 2, 3, 5, 8, 13})
        for (const int64_t kernel : {1, 2, 3, 5, 13})
            for (const int64_t stride : {1, 2, 3, 7})
                for (const int64_t step : {1, 2, 3, 6})
                    for (const int64_t left : {0, 1, 2, 6, 20})
                        for (const int64_t outputs : {1, 2, 5, 9})
                            f(Window{inputs, outputs, kernel, stride, step, left});
}

std::string text(const Window& w) {
    return fmt::format("{} inputs, {} outputs, kernel {}, stride {}, step {}, left {}", w.inputs, w.outputs, w.kernel,
                       w.stride, w.step, w.left);
}

TEST(Windows, ranges_have_the_taps_of_their_outputs) {
    each_window([](const Window& w) {
        const auto ranges = ranges_of(w, 1000);
        ASSERT_TRUE(ranges) << text(w);
        EXPECT_LE(ranges->size(), size_t(2 * w.kernel + 1)) << text(w);
        int64_t next = 0;
        for (const OutputRange& r : *ranges) {
            EXPECT_EQ(r.first, next) << text(w);
            next += r.count;
            for (int64_t o = r.first; o < next; ++o) {
                const Pairs pairs = read_by(w, o);
                ASSERT_EQ(int64_t(pairs.size()), r.taps) << text(w) << ", output " << o;
                EXPECT_EQ(r.taps ? pairs.begin()->second : 0, r.tap) << text(w) << ", output " << o;
            }
        }
        EXPECT_EQ(next, w.outputs) << text(w);
    });
}

// Of one dimension, and of three alike, where many ranges become few by a copy.
TEST(Windows, views_read_what_outputs_read) {
    each_window([](const Window& w) {
        for (const size_t dims : {1, 3}) {
            const std::vector<Window> windows(dims, w);
            const auto views = views_of(windows, true);
            if (!views) {
                EXPECT_GT(w.step, w.inputs) << text(w);
                continue;
            }
            for (const WindowView& view : *views) {
                EXPECT_GE(view.extent, view.before + w.inputs) << text(w);
                int64_t next = 0;
                for (const WindowRange& r : view.ranges) {
                    EXPECT_EQ(r.first, next) << text(w);
                    next += r.count;
                    for (int64_t o = r.first; o < next; ++o) {
                        Pairs pairs;
                        for (int64_t t = 0; t < r.taps; ++t) {
                            const int64_t at = r.start + (o - r.first) * w.stride + t * w.step - view.before;
                            EXPECT_TRUE(at >= -view.before && at < view.extent - view.before) << text(w);
                            if (at >= 0 && at < w.inputs) pairs.insert({at, r.tap + t});
                        }
                        ASSERT_EQ(pairs, read_by(w, o)) << text(w) << ", output " << o;
                        const auto inside = r.inside.empty() ? double(r.taps) : double(r.inside[size_t(o - r.first)]);
                        EXPECT_EQ(inside, double(pairs.size())) << text(w) << ", output " << o;
                    }
                }
                EXPECT_EQ(next, w.outputs) << text(w);
            }
        }
    });
}

TEST(Windows, readers_read_what_outputs_read) {
    each_window([](const Window& w) {
        for (const bool merges : {true, false})
            for (const size_t dims : {1, 3}) {
                const std::vector<Window> windows(dims, w);
                const auto readers = readers_of(windows, merges);
                if (!readers) continue; // 7 residues in each of three dimensions, say
                for (const Readers& dim : *readers) {
                    std::map<int64_t, Pairs> found; // by output
                    std::set<int64_t> inputs;
                    for (const InputRange& r : dim.ranges)
                        for (int64_t b = 0; b < r.blocks; ++b)
                            for (int64_t n = 0; n < r.residues; ++n) {
                                const int64_t i = r.input + n + b * w.stride;
                                EXPECT_TRUE(inputs.insert(i).second && i >= 0 && i < w.inputs) << text(w);
                                for (int64_t t = 0; t < r.taps; ++t) {
                                    const int64_t o = r.output + b - t * dim.output_step;
                                    EXPECT_TRUE(o >= 0 && o < dim.outputs.extent) << text(w);
                                    found[o - dim.outputs.before].insert({i, r.tap + n + t * dim.tap_step});
                                }
                            }
                    EXPECT_EQ(int64_t(inputs.size()), w.inputs) << text(w);
                    for (int64_t o = 0; o < w.outputs; ++o) ASSERT_EQ(found[o], read_by(w, o)) << text(w) << " " << o;
                }
            }
    });
}

TEST(Windows, few_steps) {
    const Window small{112, 112, 3, 1, 1, 1}, large{13, 13, 13, 1, 1, 6};
    const auto count = [](const auto& views) {
        size_t steps = 1;
        for (const auto& view : views) steps *= view.ranges.size();
        return steps;
    };
    EXPECT_EQ(count(*views_of(std::vector(3, small), false)), 27u);
    EXPECT_EQ(count(*views_of(std::vector(2, large), false)), 13u) << "one dimension of two is copied";
    EXPECT_EQ(count(*readers_of(std::vector(3, small), true)), 27u);
    EXPECT_EQ(count(*readers_of(std::vector<Window>(3, {7, 1, 7, 7, 1, 0}), true)), 1u) << "a mean of all";
    const Window apart{5, 5000, 5000, 1, 7, 30000};
    EXPECT_FALSE(views_of(std::vector(2, apart), false));
}

} // namespace
} // namespace tessera::ops
