#include "ops/softmax/softmax.hpp"

#include "core/program/lib/eltwise.hpp"

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

// The input is read for the last time where the output is written, element by element, and rows do not overlap.
constinit const Row softmax_row = {
    .kind = PrimitiveKind::softmax,
    .lower = lower_softmax,
    .ref = ref_softmax,
    .has_prop = true,
    .elementwise = true,
};

} // namespace tessera::ops
