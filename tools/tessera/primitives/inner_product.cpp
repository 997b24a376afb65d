// SPDX-License-Identifier: Apache-2.0
#include "ops/inner_product/inner_product.hpp"

#include "ops/epilogue.hpp"
#include "primitives/row.hpp"

namespace tessera::primitives::inner_product {
namespace {

std::vector<int64_t> dims_of_dst(const ProblemLine& line) {
    const std::vector<int64_t>& weights = line.sources[0].dims;
    return {line.dims.empty() ? 0 : line.dims[0], weights.empty() ? 0 : weights[0]};
}

dnnl_status_t create(dnnl_primitive_desc_t* made, const Asked& a, dnnl_engine_t engine,
                     const_dnnl_primitive_attr_t attr) {
    const const_dnnl_memory_desc_t src = a.handle(0), weights = a.handle(1), bias = a.bias_handle(),
                                   dst = a.dst_handle();
    if (a.line.prop == PropKind::backward_data)
        return dnnl_inner_product_backward_data_primitive_desc_create(made, engine, src, weights, dst, nullptr, attr);
    if (a.line.prop == PropKind::backward_weights)
        return dnnl_inner_product_backward_weights_primitive_desc_create(made, engine, src, weights, bias, dst, nullptr,
                                                                         attr);
    return dnnl_inner_product_forward_primitive_desc_create(made, engine, a.prop(), src, weights, bias, dst, attr);
}

Result<Problem> make(const Asked& a, const Attr& attr) {
    const MemoryDesc &src = a.src(), &weights = a.srcs[1];
    if (a.line.prop == PropKind::backward_data) return ops::make_inner_product_backward_data(src, weights, a.dst, attr);
    if (a.line.prop == PropKind::backward_weights)
        return ops::make_inner_product_backward_weights(src, weights, a.bias(), a.dst, attr);
    return ops::make_inner_product_forward(a.line.prop, src, weights, a.bias(), a.dst, attr);
}

// As of matmul, without the factors inside the sum.
Interval of_sums(const Computation& c, int output, std::span<const int64_t> at) {
    const ops::InnerProducts::Sum sum = c.sums<ops::InnerProducts>().at(output, at);
    Interval bound;
    if (output != arg::dst) {
        const bool of_data = output == arg::diff_src;
        const double rounded =
            output == arg::diff_bias ? 0 : c.of_factors(arg::diff_dst, of_data ? arg::weights : arg::src);
        bound.add(sum.value, (double(sum.terms) * 0x1p-24 + rounded) * sum.magnitude);
        return bound;
    }
    std::vector<int64_t> row(size_t(c.problem.md(arg::weights).ndims), 0);
    row[0] = at[1];
    const double scale = double(ops::ref_scale(c.problem, c.before, arg::src, row)) *
                         double(ops::ref_scale(c.problem, c.before, arg::weights, row));
    const double bias = c.problem.find(arg::bias) ? ops::ref_load(c.problem, c.before, arg::bias, {&at[1], 1}) : 0;
    const bool exact = is_integer(c.problem.md(arg::src).type);
    const double error = exact ? 4 * 0x1p-24 * (std::abs(sum.value * scale) + 2 * std::abs(bias))
                               : double(sum.terms + 2) * 0x1p-24 * (sum.magnitude * scale + std::abs(bias)) +
                                     c.of_factors(arg::src, arg::weights) * sum.magnitude * scale;
    bound.add(sum.value * scale + bias, error);
    return c.finished(bound, at).through(
        [&](Interval& image, float v) { image.add(ops::ref_quantized(c.problem, c.before, v, arg::dst, at)); });
}

} // namespace

constinit const Row row = {
    .kind = PrimitiveKind::inner_product,
    .help = "  inner_product [--dir=FWD_D|FWD_I|BWD_D|BWD_W] [--sdt=TS:TW[:TB]] [--ddt=TYPE] "
            "[--stag=TAGS:TAGW[:TAGB]]\n"
            "         [--dtag=TAG|any] [--attr-scales=src:0+wei:MASK+dst:0] SRC:WEIGHTS[:BIAS]\n",
    .options = "--dir",
    .sources = Sources::with_bias,
    .three_shapes = "an inner product has two or three shapes, SRC:WEIGHTS[:BIAS], like 2x3:4x3:4",
    .rank_of_dst = 2,
    .dims_of_dst = dims_of_dst,
    .create = create,
    .make = make,
    .adds = true,
    .multiplies = true,
    .view_of_gradients = true,
    .values = summands,
    .bounds = [](const Computation& c, int output,
                 std::span<const int64_t> at) { return std::vector{of_sums(c, output, at)}; },
    .driver = "--ip",
    .tag = "any",
    .keys = "--bia-dt --wtag",
    .letters = " mb ic id ih iw oc ",
    .example = "mb2ic16ih5iw5oc32",
    .bias_tag = "a",
    .bias_of = [](std::string_view dir) { return dir.empty() || dir == "FWD_B" || dir == "BWD_WB"; },
};

} // namespace tessera::primitives::inner_product
