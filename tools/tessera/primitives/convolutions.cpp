#include "primitives/convolutions.hpp"

#include <algorithm>

#include "ops/epilogue.hpp"

namespace tessera::primitives::convolutions {

namespace {

// As of matmul, without the factors inside the sum.
Interval of_sums(const Computation& c, int output, std::span<const int64_t> at) {
    const ops::ConvolutionSums::Sum sum = c.sums<ops::ConvolutionSums>().at(output, at);
    Interval bound;
    if (output != arg::dst) {
        const bool of_data = output == arg::diff_src;
        const double rounded =
            output == arg::diff_bias ? 0 : c.of_factors(arg::diff_dst, of_data ? arg::weights : arg::src);
        bound.add(sum.value, (double(sum.terms) * 0x1p-24 + rounded) * sum.magnitude);
        return bound;
    }
    const ops::Convolution convolution(c.problem);
    const MemoryDesc& weights = c.problem.md(arg::weights);
    std::vector<int64_t> row(size_t(weights.ndims), 0);
    const size_t first = convolution.first_tap - 2;
    row[first] = at[1] % weights.dims[first];
    if (first) row[0] = at[1] / weights.dims[first];
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

ops::ConvolutionWindows windows_of(const ProblemLine& line) {
    const LineWindows full = windows_in_full(line);
    ops::ConvolutionWindows w;
    std::ranges::copy(full.stride, w.strides.begin()), std::ranges::copy(full.dilation, w.dilation.begin());
    std::ranges::copy(full.padding, w.padding_l.begin()), std::ranges::copy(full.padding_r, w.padding_r.begin());
    return w;
}

std::vector<int64_t> dims_of_dst(const ProblemLine& line) {
    const std::vector<int64_t>& weights = line.sources[0].dims;
    const size_t rank = line.dims.size(), first = weights.size() > rank ? 1 : 0;
    std::vector<int64_t> dims = line.dims;
    if (weights.size() != rank + first || rank < 3 || rank > 5) return dims; // then the primitive says what is wrong
    dims[1] = weights[first] * (first ? weights[0] : 1);
    const ops::ConvolutionWindows w = windows_of(line);
    for (size_t k = 0; k + 2 < rank; ++k) {
        const int64_t reach = (weights[first + 2 + k] - 1) * (w.dilation[k] + 1) + 1;
        const int64_t ends = w.padding_l[k] + w.padding_r[k], stride = std::max<int64_t>(w.strides[k], 1);
        int64_t& extent = dims[k + 2];
        extent = line.kind == PrimitiveKind::deconvolution ? (extent - 1) * stride + reach - ends
                                                           : (extent - reach + ends) / stride + 1;
        extent = std::max<int64_t>(extent, 0);
    }
    return dims;
}

Result<Problem> make(const Asked& a, const Attr& attr) {
    return ops::make_convolution({a.line.kind, a.line.prop, a.src(), a.srcs[1],
                                  a.line.prop == PropKind::backward_data ? MemoryDesc() : a.bias(), a.dst},
                                 a.line.alg, windows_of(a.line), attr);
}

std::vector<Interval> bounds(const Computation& c, int output, std::span<const int64_t> at) {
    return {of_sums(c, output, at)};
}

std::vector<int64_t> bias_dims(const spellings::Foreign& f) {
    const std::vector<int64_t>& weights = f.dims.back();
    return {weights.size() > f.dims[0].size() ? weights[0] * weights[1] : weights[0]};
}

} // namespace tessera::primitives::convolutions
