// SPDX-License-Identifier: Apache-2.0
#include "ops/prelu/prelu.hpp"

#include "ops/descriptors.hpp"

namespace tessera::ops {

namespace {

// Sides that agree in one.
std::vector<VerboseToken> tokens(const Problem& p) {
    const auto agree = [&](int a, int b) { return p.find(a) && p.find(b) && p.md(a) == p.md(b); };
    if (agree(arg::src, arg::dst)) return {{"data", arg::src}, {"wei", arg::weights}};
    if (!agree(arg::diff_src, arg::diff_dst)) return {};
    return {{"data", arg::src}, {"wei", arg::weights}, {"diff", arg::diff_dst}, {"diff_wei", arg::diff_weights}};
}

// Backward; diff_weights, which both inputs are needed for, are computed first.
bool lies_in_place(const Problem& p, const Tensor& input) {
    const Tensor* result = p.find(arg::diff_src);
    return result && (input.arg == arg::diff_dst || input.arg == arg::src) && have_one_place(input.md, result->md);
}

} // namespace

constinit const Row prelu_row = {
    .kind = PrimitiveKind::prelu,
    .lower = lower_prelu,
    .ref = ref_prelu,
    .has_prop = true,
    .elementwise = true,
    .lies_in_place = lies_in_place,
    .shape = [](const Problem& p) { return p.shapes(); },
    .tokens = tokens,
};

} // namespace tessera::ops
