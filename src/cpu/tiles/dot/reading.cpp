// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/dot/reading.hpp"

namespace tessera::cpu {

DotReading reading_of(const DotJob& job) {
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
