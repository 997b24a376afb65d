// SPDX-License-Identifier: Apache-2.0
// When the machine is said to be too noisy.
#include <gtest/gtest.h>

#include "noise.hpp"

namespace tessera {
namespace {

TEST(Noise, from_a_quarter_of_the_probes_on) {
    Noise noise;
    EXPECT_FALSE(noise.too_much());
    for (int i = 0; i < 30; ++i) noise.add(1e-3 * (i % 2 ? 1 : 1.19)); // clocks that change
    EXPECT_EQ(noise.disturbed(), 0);
    for (int i = 0; i < 9; ++i) noise.add(2e-3);
    EXPECT_EQ(noise.disturbed(), 9);
    EXPECT_FALSE(noise.too_much());
    noise.add(11e-3);
    EXPECT_TRUE(noise.too_much());
    EXPECT_EQ(noise.text(), "10 of 40 probes took more than 1.2 times the best, 1.55 on average");
}

TEST(Noise, one_best_probe_makes_the_others_slow) {
    Noise noise;
    for (int i = 0; i < 31; ++i) noise.add(4e-3);
    EXPECT_FALSE(noise.too_much());
    noise.add(1e-3);
    EXPECT_TRUE(noise.too_much());
}

TEST(Noise, probes_take_some_milliseconds) {
    Noise noise;
    noise.probe();
    EXPECT_GE(noise.average(), 1);
    EXPECT_LT(noise.disturbed(), 16); // the best is none
}

} // namespace
} // namespace tessera
