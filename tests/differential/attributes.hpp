// The attributes of a problem: the object for creation, and the memories of its factors for execution.
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "data.hpp"
#include "handle.hpp"

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
double scale_value(const Problem& problem, const Quantization& q); // of a common factor, as execution is given it
dnnl_status_t add_factors(const Problem& problem, dnnl_engine_t engine, Arguments& arguments);

} // namespace differential
