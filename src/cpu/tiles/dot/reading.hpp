// SPDX-License-Identifier: Apache-2.0
// How a product reads its factors: where they lie, or packed, and how much it packs in an execution. A unit packs what
// it reads by itself, so B is packed once for each range of rows, and A once for each range of columns.
//
//   B of 64 x 288 (k x columns), two ranges of rows:   b {whole, 36864}
#pragma once

#include <cstdint>

#include "cpu/tiles/dot/run/run.hpp"

namespace tessera::cpu {

enum class DotPacking : uint8_t { none, whole, parts }; // all of k at once, or part by part

struct DotReading {
    struct Factor {
        DotPacking packing = DotPacking::none;
        int64_t elements = 0; // packed in an execution, each as often as it is
    };
    Factor a, b; // the left and the right factor of the matrices (core/plan/steps/matrices.hpp)
};

DotReading reading_of(const DotJob& job);

} // namespace tessera::cpu
