// SPDX-License-Identifier: Apache-2.0
#include "ops/eltwise/eltwise.hpp"

#include "core/program/lib/eltwise.hpp"
#include "ops/epilogue.hpp"
#include "primitives/row.hpp"

namespace tessera::primitives::eltwise {
namespace {

dnnl_status_t create(dnnl_primitive_desc_t* made, const Asked& a, dnnl_engine_t engine,
                     const_dnnl_primitive_attr_t attr) {
    const const_dnnl_memory_desc_t src = a.handle(0), dst = a.dst_handle();
    const float alpha = a.line.alpha, beta = a.line.beta;
    if (a.line.backward())
        return dnnl_eltwise_backward_primitive_desc_create(made, engine, a.alg(), dst, dst, src, alpha, beta, nullptr,
                                                           attr);
    return dnnl_eltwise_forward_primitive_desc_create(made, engine, a.prop(), a.alg(), src, dst, alpha, beta, attr);
}

Result<Problem> make(const Asked& a, const Attr& attr) {
    const ProblemLine& line = a.line;
    if (line.backward())
        return ops::make_eltwise_backward(line.alg, a.dst, a.dst, a.src(), line.alpha, line.beta, attr);
    return ops::make_eltwise_forward(line.prop, line.alg, a.src(), a.dst, line.alpha, line.beta, attr);
}

Interval of_function(const Computation& c, std::span<const int64_t> at) {
    const ops::EltwiseView view = ops::view_of_eltwise(c.problem);
    const EltwiseError e = error_of(view.alg);
    const double x = ops::ref_load(c.problem, c.before, view.data, at);
    Interval bound;
    if (!view.backward) {
        bound.add(float(x));
        return c.finished(function_image(bound, view.alg, view.alpha, view.beta), at);
    }
    const double dd = ops::ref_load(c.problem, c.before, arg::diff_dst, at);
    const double exact = eltwise_backward_of(view.alg, x, dd, view.alpha, view.beta);
    const double slope = eltwise_backward_of(view.alg, x, 1, view.alpha, view.beta);
    const double scale =
        e.gated ? std::max(std::abs(slope), std::abs(eltwise_of(view.alg, x, view.alpha, view.beta))) : std::abs(slope);
    // The slope's error, and the rounding of the product.
    const double error = ulps_at(e.backward, e.growth, x) * ulp_of(scale) + e.floor;
    bound.add(exact, std::abs(dd) * error + ulp_of(exact));
    return bound;
}

// The slope leaves the range of f32 before diff_dst brings it back, or meets an infinite one as zero.
Interval of_rounded_slope(const Computation& c, std::span<const int64_t> at) {
    const ops::EltwiseView view = ops::view_of_eltwise(c.problem);
    Interval product;
    if (!view.backward) return product;
    const EltwiseError e = error_of(view.alg);
    const double x = ops::ref_load(c.problem, c.before, view.data, at);
    const float dd = ops::ref_load(c.problem, c.before, arg::diff_dst, at);
    const double slope = eltwise_backward_of(view.alg, x, 1, view.alpha, view.beta);
    const bool in_range = slope == 0 || (std::abs(slope) >= 0x1p-126 && std::abs(slope) < 0x1p127);
    if (in_range && std::isfinite(dd)) return product;
    Interval slopes;
    slopes.add(slope, ulps_at(e.backward, e.growth, x) * ulp_of(slope) + e.floor);
    return slopes.through([&](Interval& image, float v) { image.add(v * dd); });
}

} // namespace

constinit const Row row = {
    .kind = PrimitiveKind::eltwise,
    .help = "  eltwise [--dir=...] [--dt=TYPE] [--tag=TAG] --alg=relu|tanh|...|relu_dst [--alpha=X] [--beta=X] "
            "[--inplace] DIMS\n",
    .options = "--alg --alpha --beta --inplace --dir",
    .create = create,
    .make = make,
    .bounds =
        [](const Computation& c, int, std::span<const int64_t> at) {
            return std::vector{of_function(c, at), of_rounded_slope(c, at)};
        },
    .driver = "--eltwise",
    .dtag = "abx",
};

} // namespace tessera::primitives::eltwise
