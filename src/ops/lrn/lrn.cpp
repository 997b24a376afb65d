// SPDX-License-Identifier: Apache-2.0
#include "ops/lrn/lrn.hpp"

#include <cmath>

#include <fmt/format.h>

namespace tessera::ops {

namespace {

// "mb2ic16ih5iw5ls5beta0.75"
std::string shape(const Problem& problem) {
    const Lrn l(problem);
    std::string text = fmt::format("mb{}ic{}", l.src.dims[0], l.src.dims[1]);
    if (l.src.ndims > 5) text = to_string(l.src.dims_span());
    for (int d = 2; d < l.src.ndims && l.src.ndims <= 5; ++d)
        text += fmt::format("i{}{}", "dhw"[d + 3 - l.src.ndims], l.src.dims[size_t(d)]);
    return text + fmt::format("ls{}beta{}", l.parameters.size, l.parameters.beta);
}

std::vector<VerboseToken> tokens(const Problem& p) {
    if (p.prop == PropKind::backward_data) return {{"data", arg::src}, {"diff", arg::diff_src, true}};
    return {{"data", arg::src}};
}

} // namespace

Lrn::Lrn(const Problem& p)
    : backward(p.prop == PropKind::backward_data),
      src(p.md(arg::src)), parameters{p.params.at(query::local_size), p.float_params.at(query::alpha),
                                      p.float_params.at(query::beta), p.float_params.at(query::k)},
      half((parameters.size - 1) / 2) {
    const bool across = p.params.at(query::alg_kind) == alg::lrn_across_channels;
    mask = across ? 2 : ((1 << src.ndims) - 1) & ~3;
    divisor = std::pow(double(parameters.size), across ? 1 : src.ndims - 2);
}

constinit const Row lrn_row = {
    .kind = PrimitiveKind::lrn,
    .lower = lower_lrn,
    .ref = ref_lrn,
    .has_prop = true,
    .shape = shape,
    .tokens = tokens,
};

} // namespace tessera::ops
