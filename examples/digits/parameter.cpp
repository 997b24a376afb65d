// SPDX-License-Identifier: Apache-2.0
#include "parameter.hpp"

#include <algorithm>

namespace digits {
namespace {

constexpr float kept = 0.9f; // of the momentum, each step

// dst = sum of scales times sources; dst may be the first source.
dnnl::sum weighted_sum(const std::vector<float>& scales, const memory::desc& desc) {
    return dnnl::sum(dnnl::sum::primitive_desc(cpu(), desc, scales, std::vector<memory::desc>(scales.size(), desc)));
}

} // namespace

Parameter::Parameter(const memory::dims& dims, float rate)
    : value(tensor(dims, Type::f32)), gradient(tensor(dims, Type::f32)), momentum(tensor(dims, Type::f32)),
      accelerate_(weighted_sum({kept, 1}, value.get_desc())), move_(weighted_sum({1, -rate}, value.get_desc())) {
    for (const memory& m : {value, gradient, momentum}) std::ranges::fill(floats(m), 0.0f);
}

void Parameter::step() {
    accelerate_.execute(
        stream(), {{DNNL_ARG_MULTIPLE_SRC, momentum}, {DNNL_ARG_MULTIPLE_SRC + 1, gradient}, {DNNL_ARG_DST, momentum}});
    move_.execute(stream(),
                  {{DNNL_ARG_MULTIPLE_SRC, value}, {DNNL_ARG_MULTIPLE_SRC + 1, momentum}, {DNNL_ARG_DST, value}});
}

} // namespace digits
