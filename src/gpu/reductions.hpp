// SPDX-License-Identifier: Apache-2.0
// What the kernels of reductions share: the nest in its two kinds of loops, and partial results as text.
#pragma once

#include <string>
#include <string_view>

#include "core/plan/unit.hpp"
#include "core/program/reduction.hpp"
#include "gpu/header.hpp"

namespace tessera::gpu {

struct Reduction {
    const Plan& plan;
    ReductionParts parts;
    Nest nest;
    std::vector<Loop> results, sums; // outer loops and those that are summed over
    size_t operands;
    int partials; // of a block of 4096

    int64_t count() const { return iterations(sums); }
    bool simple() const { return !parts.pairs(); } // a partial result is a value alone
    std::string nothing() const {
        const uint32_t value = of_nothing(parts.combine, parts.type).value;
        return parts.type == ValueType::f32 ? fmt::format("as_float(0x{:08x}u)", value)
                                            : fmt::format("(int)0x{:08x}u", value);
    }
    std::string point() const { return source_of_program(parts.point, plan, "v"); }
    std::string outer() const { return source_of_program(parts.outer, plan, "w"); }
};

// `partial`, combined(a, b) and nothing(), of pairs or of any values.
std::string source_of_partial(const Reduction& r);
// `value` and COMBINED(a, b), of values alone.
std::string source_of_values(const Reduction& r);
// The two kinds behind one name: `partial`, combined(a, b), NOTHING and VALUE_OF(sum).
std::string source_of_sums(const Reduction& r);
// The variables that the program of a point stores, and the partial result that they are.
std::string point_variables(const Reduction& r);
std::string point_as_partial(const Reduction& r);

// A line for each operand; "base0, base1".
std::string each_operand(const Reduction& r, std::string_view pattern);
std::string bases(const Reduction& r);
// The elements e0, .. at `number` along a loop, from places {from}0, ..
std::string elements(const Reduction& r, std::string_view from, const Loop& loop, std::string_view name,
                     std::string_view number);

void reduce_on_processor(const Reduction& r, Header& h, Launch& launch);
// On a GPU, of a step in order with up to a block of points.
void reduce_windows(const DeviceRow& row, const Reduction& r, Header& h, Launch& launch);

} // namespace tessera::gpu
