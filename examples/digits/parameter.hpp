// SPDX-License-Identifier: Apache-2.0
// What is learned: a tensor that goes against its gradient, with momentum.
#pragma once

#include "tensors.hpp"

namespace digits {

struct Parameter {
    memory value, gradient, momentum; // f32, row-major; zeros at first
    Parameter(const memory::dims& dims, float rate);
    void step();

private:
    dnnl::sum accelerate_, move_;
};

} // namespace digits
