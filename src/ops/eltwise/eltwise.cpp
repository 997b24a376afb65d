// SPDX-License-Identifier: Apache-2.0
#include "ops/eltwise/eltwise.hpp"

namespace tessera::ops {

namespace {

// Sides that agree in one: of the function src and dst, of its derivative the gradients.
std::vector<VerboseToken> tokens(const Problem& p) {
    const bool backward = p.prop == PropKind::backward_data;
    const size_t first = backward ? 1 : 0;
    if (p.tensors[first].md != p.tensors[first + 1].md) return {};
    if (!backward) return {{"data", p.tensors[0].arg}};
    return {{"data", p.tensors[0].arg}, {"diff", p.tensors[1].arg}};
}

} // namespace

constinit const Row eltwise_row = {
    .kind = PrimitiveKind::eltwise,
    .lower = lower_eltwise,
    .ref = ref_eltwise,
    .has_prop = true,
    .elementwise = true,
    .tokens = tokens,
};

} // namespace tessera::ops
