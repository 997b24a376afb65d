// SPDX-License-Identifier: Apache-2.0
// Interval: the f32 values that a computation may come to, as far as the error bounds of its functions let it.
#pragma once

#include <cmath>
#include <limits>

#include "core/program/lib/eltwise_errors.hpp"
#include "core/types/types.hpp"

namespace tessera {

struct Interval {
    float low = std::numeric_limits<float>::infinity(), high = -low;
    bool nan = false; // and NaN

    void add(float x);
    void add(double exact, double error); // exact +- error, rounded outwards
    bool empty() const { return low > high; }
    bool holds(float x) const { return low <= x && x <= high; }

    // The image under a function that is monotone on both sides of zero.
    template <typename F> Interval through(F&& add_image) const {
        Interval image;
        if (nan) add_image(image, std::numeric_limits<float>::quiet_NaN());
        if (empty()) return image;
        add_image(image, low);
        if (high != low) add_image(image, high);
        if (low < 0 && high > 0) add_image(image, 0.f);
        return image;
    }
};

// The largest of the algorithm's rows; the function is that of forward_of, the derivative its own.
EltwiseError error_of(int alg);
double ulp_of(double x); // of a number in f32, its exponent taken from the bits of the double

Interval function_image(const Interval& x, int alg, double alpha, double beta);
Interval binary_image(const Interval& x, int alg, float other);

// Whether the element is one of the values after rounding to its type.
bool within(const Interval& bound, DataType type, const void* got, int64_t element);

} // namespace tessera
