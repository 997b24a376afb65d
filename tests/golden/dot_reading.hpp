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

inline DotReading reading_of(const DotJob& job) {
    const DotChoice& c = job.choice;
    const int64_t row_units = rows_of_units(job.rows, c).parts, column_units = columns_of_units(job.columns, c).parts;
    const auto packing = [](bool parts) { return parts ? DotPacking::parts : DotPacking::whole; };
    DotReading reading;
    const bool turned = c.way == DotWay::turned; // A becomes panels there
    if (turned || c.a == DotSource::packed)
        reading.a = {packing(turned ? c.depth < job.depth : job.a_by_depth),
                     job.batches * job.rows * job.depth * column_units};
    if (c.b == DotSource::packed) reading.b = {packing(c.by_depth), job.batches * job.depth * job.columns * row_units};
    return reading;
}

} // namespace tessera::cpu
