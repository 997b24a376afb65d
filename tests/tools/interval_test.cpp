// SPDX-License-Identifier: Apache-2.0
// Images of wide intervals hold the values of all points in them, also of functions that turn inside. covers: ELT-32
#include "bounds/interval.hpp"

#include <gtest/gtest.h>

#include "core/attr/attr.hpp"
#include "core/program/lib/eltwise.hpp"

namespace tessera {

TEST(Interval, image_holds_all_points) {
    for (const EltwiseError& e : eltwise_errors) {
        if (e.forward == 0 || (e.alg == alg::eltwise_pow && e.beta < 0)) continue; // has a pole
        for (const float low : {-60.f, -20.f, -1.5f, 0.125f})
            for (const float high : {0.25f, 3.f, 60.f}) {
                Interval x;
                x.add(low), x.add(high);
                const Interval image = function_image(x, e.alg, double(e.alpha), double(e.beta));
                for (int i = 0; i <= 1000; ++i) {
                    const double at = double(low) + (double(high) - double(low)) * i / 1000;
                    const auto value = float(eltwise_of(e.alg, float(at), double(e.alpha), double(e.beta)));
                    if (std::isnan(value)) continue;
                    EXPECT_TRUE(image.holds(value)) << e.name << " of " << at << " in " << low << " to " << high;
                }
            }
    }
}

} // namespace tessera
