// SPDX-License-Identifier: Apache-2.0
#include "ops/prelu/prelu.hpp"

#include "primitives/row.hpp"

namespace tessera::primitives::prelu {
namespace {

dnnl_status_t create(dnnl_primitive_desc_t* made, const Asked& a, dnnl_engine_t engine,
                     const_dnnl_primitive_attr_t attr) {
    const const_dnnl_memory_desc_t src = a.handle(0), weights = a.handle(1), dst = a.dst_handle();
    if (a.line.backward())
        return dnnl_prelu_backward_primitive_desc_create(made, engine, src, weights, src, weights, dst, nullptr, attr);
    return dnnl_prelu_forward_primitive_desc_create(made, engine, a.prop(), src, weights, dst, attr);
}

Result<Problem> make(const Asked& a, const Attr& attr) {
    const MemoryDesc &src = a.src(), &weights = a.srcs[1];
    if (a.line.backward()) return ops::make_prelu_backward(src, weights, src, weights, a.dst, attr);
    return ops::make_prelu_forward(a.line.prop, src, weights, a.dst, attr);
}

// diff_weights: sums in any order of n terms are within (n - 1) 2^-24 of the sum of magnitudes.
Interval of_weights(const Computation& c, std::span<const int64_t> at) {
    const MemoryDesc &src = c.problem.md(arg::src), &weights = c.problem.md(arg::diff_weights);
    double sum = 0, magnitudes = 0;
    int64_t terms = 0;
    for_each_element(src, [&](std::span<const int64_t> from) {
        for (size_t d = 0; d < from.size(); ++d)
            if (weights.dims[d] != 1 && from[d] != at[d]) return;
        const float s = c.value(arg::src, from), term = (s > 0 ? 0.f : s) * c.value(arg::diff_dst, from);
        sum += term;
        magnitudes += std::abs(term);
        ++terms;
    });
    Interval bound;
    bound.add(sum, double(std::max<int64_t>(terms - 1, 0)) * 0x1p-24 * magnitudes);
    return bound;
}

} // namespace

constinit const Row row = {
    .kind = PrimitiveKind::prelu,
    .help = "  prelu [--dir=FWD_D|FWD_I|BWD_DW] [--sdt=T0:T1] [--stag=TAG0:TAG1] DIMS:WEIGHTS\n",
    .options = "--dir",
    .sources = Sources::two,
    .dst_layout = Open::always,
    .create = create,
    .make = make,
    .adds = true,
    .values = [](const Problem& p,
                 DataType) { return p.prop == PropKind::backward ? Values::ordinary : Values::hostile; },
    .bounds =
        [](const Computation& c, int output, std::span<const int64_t> at) {
            return output == arg::diff_weights ? std::vector{of_weights(c, at)} : std::vector<Interval>();
        },
    .inexact = [](const Problem& p) { return p.prop == PropKind::backward; },
    .driver = "--prelu",
};

} // namespace tessera::primitives::prelu
