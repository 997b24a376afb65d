// SPDX-License-Identifier: Apache-2.0
// Steps of plans as OpenCL C. Sizes, strides and tables are arguments, so that one kernel serves every problem with the
// same kinds, types and programs.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/plan.hpp"
#include "gpu/device_row.hpp"

namespace tessera::gpu {

// What a kernel reads besides operands, stored as `place`s, and how many groups of work-items run it.
struct LaunchPart {
    std::vector<int64_t> nest, tables;
    int64_t groups = 0;
    int64_t operands = 0; // number of the set of operands that it has (parts.hpp)
};
//   kernel void tessera_step(global const place* nest, global const place* tables, buffer b0, buffer b1, ...)
struct Launch : LaunchPart {
    std::string source;
    bool wide = false; // places have 64 bits
    int64_t lanes = 1; // work-items of a group
    int registers = 0; // of a work-item at most, where a compiler takes such a limit; 0: as many as it likes
};
inline constexpr std::string_view kernel_name = "tessera_step";

// Of a step alone in its plan (core/plan/rewrite/local_step.hpp): a fill, a map, a reduction, a product. A pure
// function of the row and the step.
Launch launch_of(const DeviceRow& row, const Plan& plan, const Step& step);
// Not: huge, empty; a reduction does the same (core/plan/rewrite/in_nests.hpp).
bool has_product_kernel(const DeviceRow& row, const Plan& plan, const Step& product);

std::string_view c_name(ValueType type);   // "float"
std::string_view c_name_of_bits(int bits); // "ushort"
std::string_view source_of_types();        // functions of stored types, in front of every program
std::string_view source_of_codes();        // behind those: code_s8_f32(x) of all types, for stores that are `packed`

// How the statements of a program reach operands. Element e0 of buffer o0 is that of operand 0, unless it is `staged`:
// then `code` is what was stored. Those of `local`, of f32 or s32, are arrays of uint in local memory. Where a stored
// operand is `paired`, its elements of 4 bits go to `codes`, the one whose `half_of_byte` is 0 first, and not to
// memory; the code of a `packed` one goes where the pattern `pack` puts it. The operands behind those of the plan are
// variables s0, s1.
struct Access {
    int staged = -1, paired = -1, packed = -1;
    std::string_view code = "tile[in_tile]";
    std::string pack = {};
    std::vector<std::string> loaded = {}; // by operand: what was stored, of those that were read before the program
    std::vector<int> local = {};
    bool is_loaded(int operand) const { return size_t(operand) < loaded.size() && !loaded[size_t(operand)].empty(); }
    bool is_local(int operand) const { return std::ranges::find(local, operand) != local.end(); }
};
std::string source_of_code(int operand, DataType type); // what is stored, as an integer
// `prefix` names the program's values.
std::string source_of_program(const Program& program, const Plan& plan, std::string_view prefix,
                              const Access& access = {});

} // namespace tessera::gpu
