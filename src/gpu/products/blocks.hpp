// SPDX-License-Identifier: Apache-2.0
// How many results of a product a group computes, chosen from a list by predicted time: facts of the device and the
// sizes of the product decide, nothing else.
#pragma once

#include "core/plan/steps/matrices.hpp"
#include "gpu/device_row.hpp"

namespace tessera::gpu {

// A group is `down` x `across` work-items, each with `rows` x `columns` results in registers.
struct RegisterBlock {
    int64_t down, across, rows, columns;
    int64_t all_rows() const { return down * rows; }
    int64_t all_columns() const { return across * columns; }
    int64_t lanes() const { return down * across; }
    bool operator==(const RegisterBlock&) const = default;
};
RegisterBlock register_block_of(const DeviceRow& row, const Matrices& m);

} // namespace tessera::gpu
