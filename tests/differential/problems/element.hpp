// SPDX-License-Identifier: Apache-2.0
// The bits of one element of every data type, for writing test data and judging differences.
// One row per type: name, value in dnnl_data_type_t, bits, and for small floats the exponent and mantissa widths.
// `encode` truncates towards zero: it makes inputs, it is no model of what a library should do.
// Example: encode(type("bf16"), 1.5) == 0x3fc0; decode(type("s4"), 0xf) == -1.
#pragma once
#include <cstdint>
#include <string>

namespace differential {

enum class Kind { floating, signed_integer, unsigned_integer, exponent };

struct Type {
    const char* name;
    int id; // dnnl_data_type_t
    int bits;
    Kind kind;
    int exponent_bits = 0, mantissa_bits = 0;
    bool has_inf = false; // the top exponent holds inf and NaN
    int nan_code = -1;    // else the one magnitude that means NaN
};

const Type* type(const std::string& name); // nullptr when unknown
const Type* type_at(int index);            // 0, 1, ... in table order; nullptr past the end

uint64_t encode(const Type& type, double value);
double decode(const Type& type, uint64_t code);
bool is_nan(const Type& type, uint64_t code);
bool is_finite(const Type& type, uint64_t code);

uint64_t load(const uint8_t* buffer, const Type& type, int64_t index); // `index` counts elements, low nibble first
void store(uint8_t* buffer, const Type& type, int64_t index, uint64_t code);

// Steps between two values on the type's own grid: 0 for equal values (and +0, -0), 1 for neighbours.
// NaN and a number are infinitely far apart; two NaNs are equal.
double steps_apart(const Type& type, uint64_t left, uint64_t right);

} // namespace differential
