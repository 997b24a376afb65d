// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/matmul.hpp"

#include <algorithm>

#include "ops/epilogue.hpp"
#include "primitives/row.hpp"

namespace tessera::primitives::matmul {
namespace {

std::vector<int64_t> dims_of_dst(const ProblemLine& line) {
    std::vector<int64_t> dims = line.dims;
    const std::vector<int64_t>& weights = line.sources[0].dims;
    if (weights.size() != dims.size() || dims.empty()) return dims; // the primitive refuses it
    for (size_t d = 0; d + 2 < dims.size(); ++d) dims[d] = dims[d] == 1 ? weights[d] : dims[d];
    dims.back() = weights.back();
    return dims;
}

// Sums of n terms in any order, each a product of up to four factors, are within (n + 4) 2^-24 of the sum of
// magnitudes. Sums of integers are exact: there are the roundings of the sum, of two scales and of the bias.
Interval of_sums(const Computation& c, std::span<const int64_t> at) {
    const MemoryDesc &src = c.problem.md(arg::src), &weights = c.problem.md(arg::weights);
    const ops::Products::Sum sum = c.sums<ops::Products>().at(at);
    const size_t n = at.size() - 1, m = n - 1;
    double scale = 1, bias = 0;
    bool scaled_inside = false;
    for (const auto& [id, md, k] : {std::tuple{arg::src, &src, n}, std::tuple{arg::weights, &weights, m}}) {
        std::vector<int64_t> own(at.begin(), at.end());
        own[k] = 0;
        if (ops::varies_along_k(c.problem.attr.scales, id, *md))
            scaled_inside = true;
        else if (src.dims[n] > 0) // scales along a k without elements have none either
            scale *= ops::ref_scale(c.problem, c.before, id, own);
    }
    if (c.problem.find(arg::bias)) bias = ops::ref_load(c.problem, c.before, arg::bias, at);
    const bool exact = ops::multiplies_integers(c.problem) && !scaled_inside;
    const double error = exact ? 4 * 0x1p-24 * (std::abs(sum.value * scale) + 2 * std::abs(bias))
                               : double(src.dims[n] + 4) * 0x1p-24 * (sum.magnitude * scale + std::abs(bias)) +
                                     c.of_factors(arg::src, arg::weights) * sum.magnitude * scale;
    Interval bound;
    bound.add(sum.value * scale + bias, error);
    const Interval scaled =
        bound.through([&](Interval& image, float v) { image.add(ops::ref_output_scaled(c.problem, c.before, v, at)); });
    return c.finished(scaled, at).through([&](Interval& image, float v) {
        image.add(ops::ref_quantized(c.problem, c.before, v, arg::dst, at));
    });
}

// Bit d of the mask: the bias varies along d.
std::vector<int64_t> bias_dims(const spellings::Foreign& f) {
    std::vector<int64_t> bias(f.dims[0].size(), 1);
    for (size_t d = 0; d < bias.size() && f.dims.size() > 1 && f.dims[1].size() == bias.size(); ++d)
        if (f.bias_mask >> d & 1)
            bias[d] = d + 1 == bias.size()   ? f.dims[1][d]
                      : d + 2 == bias.size() ? f.dims[0][d]
                                             : std::max(f.dims[0][d], f.dims[1][d]);
    return bias;
}

} // namespace

constinit const Row row = {
    .kind = PrimitiveKind::matmul,
    .help = "  matmul [--sdt=TS:TW[:TB]] [--ddt=TYPE] [--stag=TAGS:TAGW[:TAGB]] [--dtag=TAG|any] [--rt=MASK]\n"
            "         [--attr-scales=src:MASK[:TYPE[:GxG]]+wei:...+dst:...] [--attr-zero-points=...] "
            "[--attr-fpmath=MODE[:true]]\n"
            "         SRC:WEIGHTS[:BIAS]\n",
    .options = "--attr-precomputed-reductions --oscale --rt",
    .sources = Sources::with_bias,
    .three_shapes = "a matmul has two or three shapes, SRC:WEIGHTS[:BIAS], like 2x3:3x4:1x4",
    .matrices = true,
    .dims_of_dst = dims_of_dst,
    .create =
        [](dnnl_primitive_desc_t* made, const Asked& a, dnnl_engine_t engine, const_dnnl_primitive_attr_t attr) {
            return dnnl_matmul_primitive_desc_create(made, engine, a.handle(0), a.handle(1), a.bias_handle(),
                                                     a.dst_handle(), attr);
        },
    .make = [](const Asked& a,
               const Attr& attr) { return ops::make_matmul(a.src(), a.srcs[1], a.bias(), a.dst, attr); },
    .adds = true,
    .multiplies = true,
    .values = summands,
    .bounds = [](const Computation& c, int, std::span<const int64_t> at) { return std::vector{of_sums(c, at)}; },
    .driver = "--matmul",
    .tag = "any",
    .keys = "--bia-dt --bia-mask --wtag --strides --runtime-dims-masks",
    .third_shape_follows = true,
    .bias_dims = bias_dims,
    .complete =
        [](spellings::Foreign& f) {
            if (f.bias && f.bias_mask == 0) f.bias_mask = 1 << (f.rank("src") - 1);
            return Result<void>();
        },
};

} // namespace tessera::primitives::matmul
