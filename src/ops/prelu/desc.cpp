// SPDX-License-Identifier: Apache-2.0
// Validation of prelu: rows PRE-03..08. Contradictions (invalid_arguments) are reported before missing support.
#include "ops/prelu/prelu.hpp"

#include <algorithm>

#include "ops/descriptors.hpp"
#include "ops/epilogue.hpp"

namespace tessera::ops {

namespace {

constexpr const char* primitive = "prelu";
constexpr int most_dims = 5; // PRE-06

struct Side {
    int arg;
    MemoryDesc md;
    bool output, of_weights; // of_weights: its shape is that of the weights
};

Result<void> check_shape(const Side& side, const MemoryDesc& src, const MemoryDesc& weights) {
    const MemoryDesc& expected = side.of_weights ? weights : src;
    if (std::ranges::equal(side.md.dims_span(), expected.dims_span())) return {};
    return invalid("prelu: {} is {}, {} {}; shapes must be equal", arg_name(side.arg), to_string(side.md.dims_span()),
                   side.of_weights ? "weights" : "src", to_string(expected.dims_span()));
}

Result<void> check_broadcast(const MemoryDesc& src, const MemoryDesc& weights) {
    if (src.ndims > most_dims)
        return invalid("prelu: src has {:dimension} ({}); up to {} are possible, join neighbours by a reshape",
                       counted(src.ndims), to_string(src.dims_span()), most_dims);
    if (src.ndims != weights.ndims)
        return invalid("prelu: src is {}, weights {}; both need as many dimensions, extents of 1 broadcast",
                       to_string(src.dims_span()), to_string(weights.dims_span()));
    for (size_t d = 0; d < size_t(src.ndims); ++d)
        if (weights.dims[d] != 1 && weights.dims[d] != src.dims[d])
            return invalid("prelu: dimension {} of weights is {}; it must be 1 or that of src, {}", d, weights.dims[d],
                           src.dims[d]);
    return {};
}

// The sides come in the order of the problem's tensors: src, weights, dst or diff_dst, the other gradients.
Result<Problem> make_prelu(PropKind prop, std::vector<Side> sides, const Attr& attr) {
    const MemoryDesc &src = sides[0].md, &weights = sides[1].md, &diff_dst = sides[2].md;
    Findings findings;
    for (const Side& side : sides)
        findings.add(check_layout(primitive, arg_name(side.arg).c_str(), side.md, side.arg != arg::src));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    findings.add(check_broadcast(src, weights));
    for (const Side& side : sides) {
        findings.add(check_shape(side, src, weights));
        findings.add(check_computed_type(primitive, arg_name(side.arg).c_str(), side.md));
        if (side.output) findings.add(check_written(primitive, arg_name(side.arg).c_str(), side.md));
    }
    AllowedAttributes allowed;
    if (prop == PropKind::backward) allowed.stochastic = {arg::diff_src, arg::diff_weights};
    findings.add(check_attributes(primitive, attr, src, allowed));
    for (const Side& side : sides) findings.add(check_rounding(primitive, attr, side.arg, side.md));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());

    Problem p;
    p.kind = PrimitiveKind::prelu;
    p.prop = prop;
    p.attr = attr;
    for (Side& side : sides) {
        const bool was_any = side.md.kind == FormatKind::any;
        if (was_any) { // PRE-07; diff_weights take the layout of weights, diff_src that of diff_dst: known by now
            const bool gradient = side.output && prop == PropKind::backward;
            const MemoryDesc& leader = !gradient ? src : side.of_weights ? weights : diff_dst;
            auto chosen = layout_after(leader, side.md.dims_span(), side.md.type);
            if (!chosen) return Refusal(chosen.error());
            side.md = *chosen;
        }
        p.tensors.push_back({side.arg, side.md, side.output, was_any});
    }
    return p;
}

} // namespace

Result<Problem> make_prelu_forward(PropKind prop, const MemoryDesc& src, const MemoryDesc& weights,
                                   const MemoryDesc& dst, const Attr& attr) {
    if (auto ok = check_forward(PrimitiveKind::prelu, prop); !ok) return Refusal(ok.error());
    return make_prelu(
        prop, {{arg::src, src, false, false}, {arg::weights, weights, false, true}, {arg::dst, dst, true, false}},
        attr);
}

Result<Problem> make_prelu_backward(const MemoryDesc& src, const MemoryDesc& weights, const MemoryDesc& diff_src,
                                    const MemoryDesc& diff_weights, const MemoryDesc& diff_dst, const Attr& attr) {
    return make_prelu(PropKind::backward,
                      {{arg::src, src, false, false},
                       {arg::weights, weights, false, true},
                       {arg::diff_dst, diff_dst, false, false},
                       {arg::diff_src, diff_src, true, false},
                       {arg::diff_weights, diff_weights, true, true}},
                      attr);
}

} // namespace tessera::ops
