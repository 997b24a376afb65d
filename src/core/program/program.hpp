// SPDX-License-Identifier: Apache-2.0
// Program: straight-line SSA code for one point. Value i is the result of operation i; types f32, s32, f64, s64, bits.
//
// The list of operations is closed (ops.def). A load converts the operand's stored type to the value's type, a store
// converts back by the rules of core/types/convert.hpp; nothing else converts but `cvt`. Operations after `reduce_*`
// run once per outer point of the nest, on the reduced value.
//
//   f32 -> s8 with a scale:   v0=load src:f32  v1=load scale:f32  v2=mul v0 v1  store dst v2
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/status.hpp"
#include "core/types/convert.hpp"
#include "core/types/types.hpp"

namespace tessera {

enum class OpCode : uint8_t {
#define OP(name, values, types, meaning) name,
#include "core/program/ops.def"
#undef OP
};

struct Op {
    OpCode code;
    ValueType type;             // of the result; of the stored value for store
    int operand = -1;           // load, store, index: number among the plan's operands
    int a = -1, b = -1, c = -1; // values
    double constant = 0;
    bool operator==(const Op&) const = default;
};

struct Program {
    std::vector<Op> ops;

    int load(int operand, ValueType type);
    int index(int operand);
    int constant(double value, ValueType type);
    int unary(OpCode code, int a);                 // type of a; `as`: the other one
    int binary(OpCode code, int a, int b);         // type of a; comparisons: s32
    int ternary(OpCode code, int a, int b, int c); // type of b
    int total(ValueType type);
    int lerp(int value);
    int reduce_add(int a) { return reduce(OpCode::reduce_add, a); }
    int reduce(OpCode code, int a, int b = -1);
    int second(int reduction);
    int cvt(int a, ValueType type);
    void store(int operand, int a);
    bool operator==(const Program&) const = default;
};

// A load in `bits` and a store of it: no arithmetic, no conversion.
bool is_copy(const Program& p);
// One load and one store, the store's value being the load: a conversion (copies included).
bool is_conversion(const Program& p);
// Whether the program uses the operand as iota (element numbers) instead of loading it.
bool is_counted(const Program& p, int operand);
// Removes x * 1, x - 0 and unused values. Law: eval() gives the same bits.
Program simplify(const Program& p);
// Values are defined before use, types agree, exactly the operands given exist.
Result<void> verify(const Program& p, int operand_count);

bool is_reduction(OpCode code);
// The number of value arguments of an operation, from ops.def.
int arguments_of(OpCode code);

// Runs the program at one point; `pointers` and `elements` give each operand's buffer and element. It defines what
// every operation means: interpreters and generated code are compared with it. Not for programs that reduce.
void eval(const Program& p, std::span<const DataType> types, std::span<void* const> pointers,
          std::span<const int64_t> elements);

std::string to_string(const Program& p, std::span<const std::string> operand_names);

} // namespace tessera
