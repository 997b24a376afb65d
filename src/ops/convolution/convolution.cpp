// SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/fused.hpp"

#include <fmt/format.h>

namespace tessera::ops {

Convolution::Convolution(const Problem& p)
    : prop(p.prop), args(side_args(p.prop)), transposed(p.kind == PrimitiveKind::deconvolution),
      inputs(transposed ? args.dst : args.src), outputs(transposed ? args.src : args.dst),
      weights(&p.md(args.weights)) {
    const MemoryDesc &in = p.md(inputs), &out = p.md(outputs);
    const auto first = size_t(weights->ndims - in.ndims);
    if (first) groups = weights->dims[0];
    output_dim = first + transposed, input_dim = first + !transposed, first_tap = first + 2;
    for (size_t d = 2; d < size_t(in.ndims); ++d) {
        const auto of = [&](int list) { return p.list_params.at(list)[d - 2]; };
        windows.push_back({in.dims[d], out.dims[d], weights->dims[first_tap + d - 2], of(query::strides),
                           of(query::dilations) + 1, of(query::padding_l)});
    }
}

// "g4mb2_ic16oc8_ih5oh3kh3sh2dh0ph1_iw5ow3kw3sw2dw0pw1": i of src, o of dst
std::string shape_of_convolution(const Problem& problem) {
    if (has_depthwise(problem.attr)) return shape_of_fused_convolution(problem);
    const Convolution c(problem);
    const MemoryDesc &src = problem.md(c.args.src), &dst = problem.md(c.args.dst);
    std::string text;
    if (c.weights->ndims > src.ndims) text += fmt::format("g{}", c.groups);
    text += fmt::format("mb{}_ic{}oc{}", src.dims[0], src.dims[1], dst.dims[1]);
    for (size_t k = 0; k < c.spatial(); ++k) {
        const char axis = "dhw"[k + 3 - c.spatial()];
        const Window& w = c.windows[k];
        text += fmt::format("_i{0}{1}o{0}{2}k{0}{3}s{0}{4}d{0}{5}p{0}{6}", axis, src.dims[k + 2], dst.dims[k + 2],
                            w.kernel, w.stride, w.step - 1, w.left);
    }
    return text;
}

constinit const Row convolution_row = {
    .kind = PrimitiveKind::convolution,
    .lower = lower_convolution,
    .ref = ref_convolution,
    .has_prop = true,
    .reads_post_ops_last = true,
    .shape = shape_of_convolution,
    .tokens = tokens_of_convolution,
};

} // namespace tessera::ops
