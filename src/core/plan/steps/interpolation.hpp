// SPDX-License-Identifier: Apache-2.0
// Interpolation: what a step of linear resampling does before its program. Along one dimension, elements of dst lie
// between two of src; value i of the step is
//
//   w * right_i + (1 - w) * left_i        rounded as fma(w, right_i, (1 - w) * left_i)
//
// for the same w everywhere but along that dimension. There is one value for every corner of the other dimensions; the
// step's program, in which they are `lerp i`, interpolates between them and stores.
//
//   interpolate  (src, src_w), (src_h, src_hw) by weight of w  loops(..)  p0
//   p0: v0=lerp 0  v1=lerp 1  v2=load weight of h  ...  store dst
//
// A row of values is read again by every row of dst that lies between the same rows of src, so an engine may keep it.
#pragma once

#include <vector>

#include "core/program/program.hpp"

namespace tessera {

struct Interpolation {
    struct Neighbours {
        int left, right; // operands with the same argument and type, each with its own offsets
        bool operator==(const Neighbours&) const = default;
    };
    std::vector<Neighbours> values; // by number
    int weight = -1;                // the operand of w, a constant of the plan; -1: everywhere this one
    float same = 0;
    bool operator==(const Interpolation&) const = default;
};

// The program with every value computed in place: what a map step runs.
Program with_values(const Interpolation& interpolation, const Program& p);

} // namespace tessera
