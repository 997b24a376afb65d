// SPDX-License-Identifier: Apache-2.0
// The attributes of a problem: the object for creation, and the memories of its factors for execution.
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "../handle.hpp"
#include "data.hpp"

namespace differential {

struct Arguments { // what execution is called with; owns all it points to
    std::deque<Buffer> buffers;
    std::deque<Memory> memories;
    std::vector<dnnl_exec_arg_t> list;

    dnnl_status_t add(int argument, const_dnnl_memory_desc_t md, dnnl_engine_t engine, void* handle);
};

// The status of the first setter that refused; `skip` is set when the linked library lacks a setter.
dnnl_status_t set_attributes(const Problem& problem, dnnl_primitive_attr_t attr, std::string& skip);

int argument_of(const Quantization& q);
// All values of the scales or zero points of one argument, 1 or 0 without; and which one belongs to an element.
struct Factors {
    std::vector<double> values;
    int mask = 0;
    Dims groups;
    double at(int64_t linear, const Dims& dims) const; // of the argument
};
Factors scales_of(const Problem& problem, const std::string& argument);
Factors zero_points_of(const Problem& problem, const std::string& argument);

double scale_value(const Problem& problem, const Quantization& q); // of a common factor, as execution is given it
dnnl_status_t add_factors(const Problem& problem, dnnl_engine_t engine, Arguments& arguments);

} // namespace differential
