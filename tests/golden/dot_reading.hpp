// SPDX-License-Identifier: Apache-2.0
// How a product reads its factors: where they lie, or packed, and how much it packs in an execution. A unit packs what
// it reads by itself, so B is packed once for each range of rows, and A once for each range of columns.
//
//   B of 64 x 288 (k x columns), two ranges of rows:   b {whole, 36864}
#pragma once

#include <cstdint>
#include <optional>

#include "cpu/products/run/blocked.hpp"
#include "cpu/tiles/amx/run.hpp"
#include "cpu/tiles/few/run.hpp"

namespace tessera::cpu {

enum class DotPacking : uint8_t { none, whole, parts }; // all of k at once, or part by part

struct DotReading {
    struct Factor {
        DotPacking packing = DotPacking::none;
        int64_t elements = 0; // packed in an execution, each as often as it is
    };
    Factor a, b; // the left and the right factor of the matrices (core/plan/steps/matrices.hpp)
};

// No result for a job that is no product.
inline std::optional<DotReading> reading_of(const Job& job) {
    const auto packed = [](bool parts, const ProductViews& v, int64_t extent, int64_t times) {
        return DotReading::Factor{parts ? DotPacking::parts : DotPacking::whole, v.batches * extent * v.depth * times};
    };
    DotReading reading;
    if (const auto* blocks = dynamic_cast<const BlockedJob*>(&job)) {
        const DotChoice& c = blocks->choice;
        const ProductViews& v = blocks->v;
        if (c.a == DotSource::packed)
            reading.a = packed(blocks->a.by_depth, v, v.rows, columns_of_units(v.columns, c).parts);
        if (c.b == DotSource::packed) reading.b = packed(c.by_depth, v, v.columns, rows_of_units(v.rows, c).parts);
        return reading;
    }
    if (const auto* turned = dynamic_cast<const TurnedJob*>(&job)) { // A becomes panels there
        const ProductViews& v = turned->v;
        reading.a = packed(turned->choice.parts.length < v.depth, v, v.rows, turned->choice.column_units);
        return reading;
    }
    if (const auto* few = dynamic_cast<const FewRowsJob*>(&job)) {
        if (few->choice.a == DotSource::packed) reading.a = packed(true, few->v, few->v.rows, few->choice.column_units);
        return reading;
    }
    if (dynamic_cast<const TallJob*>(&job)) return reading;
    return std::nullopt;
}

} // namespace tessera::cpu
