// SPDX-License-Identifier: Apache-2.0
// Copies and conversions within a job's own memory, as plans of their own: whatever tile moves elements best runs them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/division.hpp"
#include "core/engine.hpp"
#include "core/layout/layout.hpp"

namespace tessera::cpu {

struct Place {
    DataType type;
    Layout layout; // over the dims
};

// On the calling thread, with two pointers: from, to. Null where memory is short.
std::shared_ptr<const Executable> compile_copy(const Place& from, const Place& to, std::span<const int64_t> dims,
                                               const Context& context);

// The lengths that occur where `all` is cut into parts of that length.
inline std::vector<int64_t> lengths(int64_t all, int64_t part) {
    std::vector<int64_t> both;
    if (all >= part) both.push_back(part);
    if (all % part) both.push_back(all % part);
    return both;
}
std::vector<int64_t> lengths(const EvenParts& parts); // that occur

} // namespace tessera::cpu
