// Steps of plans as OpenCL C. Sizes, strides and tables are arguments, so that one kernel serves every problem with the
// same kinds, types and programs.
#pragma once

#include <string>
#include <string_view>

#include "core/plan/plan.hpp"

namespace tessera::gpu {

std::string_view c_name(ValueType type); // "float"
std::string_view source_of_types();      // functions of stored types, in front of every program

// Of a step alone in its plan (core/plan/rewrite/local_step.hpp): a fill, a map or a reduction.
//
//   kernel void tessera_step(ulong points, global const long* nest, global const long* tables, buffer b0, buffer b1,
//   ...)
//
// A work-item is a run of passes of the last loop, of reductions a result. `nest`: how many loops are outside of a
// reduction, how many there are, the points of a reduction or the passes of a run; the base of each operand; the loops,
// as PLACE reads them.
std::string source_of_step(const Plan& plan, const Step& step);
inline constexpr std::string_view kernel_name = "tessera_step";

// The statements of a program: `at[o]` is the element of operand o, `o0` its buffer; the operands behind those of the
// plan are variables s0, s1. `prefix` names its values.
std::string source_of_program(const Program& program, const Plan& plan, std::string_view prefix);

} // namespace tessera::gpu
