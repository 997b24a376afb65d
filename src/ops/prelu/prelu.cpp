#include "ops/prelu/prelu.hpp"

namespace tessera::ops {

namespace {

// Sides that agree in one.
std::vector<VerboseToken> tokens(const Problem& p) {
    const auto agree = [&](int a, int b) { return p.find(a) && p.find(b) && p.md(a) == p.md(b); };
    if (agree(arg::src, arg::dst)) return {{"data", arg::src}, {"wei", arg::weights}};
    if (!agree(arg::diff_src, arg::diff_dst)) return {};
    return {{"data", arg::src}, {"wei", arg::weights}, {"diff", arg::diff_dst}, {"diff_wei", arg::diff_weights}};
}

} // namespace

constinit const Row prelu_row = {
    .kind = PrimitiveKind::prelu,
    .lower = lower_prelu,
    .ref = ref_prelu,
    .has_prop = true,
    .elementwise = true,
    .shape = [](const Problem& p) { return p.shapes(); },
    .tokens = tokens,
};

} // namespace tessera::ops
