// SPDX-License-Identifier: Apache-2.0
// From the words of a problem to memory descriptors, and from a descriptor to the place of every element.
// The address function is written from the specification (strides of the outer blocks, then the inner blocks from
// the innermost outwards), so it checks what the library's queries say as well.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "../handle.hpp"
#include "../problems/problem.hpp"

namespace differential {

std::vector<std::string> tag_names(); // every canonical tag the linked library can name

// The descriptor, or a status; `skip` is set when the words name nothing the C API can express.
struct Described {
    Descriptor whole, view; // `view` is empty unless the side is a view into `whole`
    dnnl_status_t status = dnnl_success;
    std::string skip;
    const_dnnl_memory_desc_t md() const { return view.value ? view.value : whole.value; }
};
Described describe(const Side& side, int runtime_mask);

Dims dims_of(const_dnnl_memory_desc_t md);

// Calls `visit(linear index, element offset)` for each index tuple of `md`; over the padded dims if `padded`.
void each_element(const_dnnl_memory_desc_t md, bool padded, const std::function<void(int64_t, int64_t)>& visit);

} // namespace differential
