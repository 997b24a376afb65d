// SPDX-License-Identifier: Apache-2.0
#include "ops/softmax/softmax.hpp"

#include "core/program/lib/eltwise.hpp"
#include "ops/descriptors.hpp"

namespace tessera::ops {

Softmax::Softmax(const Problem& p)
    : log(p.params.at(query::alg_kind) == alg::softmax_log), backward(p.prop == PropKind::backward_data),
      axis(size_t(p.params.at(query::axis))), from(backward ? arg::diff_dst : arg::src),
      to(backward ? arg::diff_src : arg::dst), dims(p.md(to).dims_span()), extent(dims[axis]) {}

std::vector<int64_t> Softmax::rows() const {
    std::vector<int64_t> all(dims.begin(), dims.end());
    all[axis] = 1;
    return all;
}

namespace {

// src, dst of backward and diff_dst are read for the last time where the output is written, element by element, and
// rows do not overlap. Tensors of post-ops are read after dst had the exponentials.
bool lies_in_place(const Problem& p, const Tensor& input) {
    return !input.attribute && have_one_place(input.md, p.md(Softmax(p).to));
}

} // namespace

constinit const Row softmax_row = {
    .kind = PrimitiveKind::softmax,
    .lower = lower_softmax,
    .ref = ref_softmax,
    .has_prop = true,
    .lies_in_place = lies_in_place,
};

} // namespace tessera::ops
