// SPDX-License-Identifier: Apache-2.0
#include "primitives/convolutions.hpp"

#include <algorithm>

#include "bounds/sums.hpp"
#include "core/types/convert.hpp"
#include "ops/convolution/fused.hpp"
#include "ops/epilogue.hpp"

namespace tessera::primitives::convolutions {

namespace {

// As of matmul, without the factors inside the sum. `of_terms`: how far they may be off together, before scales.
Interval of_sums(const Computation& c, int output, std::span<const int64_t> at, double of_terms = 0) {
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
    bound.add(sum.value * scale + bias, error + of_terms * scale);
    return c.finished(bound, at).through(
        [&](Interval& image, float v) { image.add(ops::ref_quantized(c.problem, c.before, v, arg::dst, at)); });
}

// How far an element may be off that is stored as `type`; NaN: it may be one, or not.
double error_of_stored(const Interval& bound, DataType type, float value) {
    double error = bound.nan && !std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : 0;
    if (bound.empty()) return error;
    for (const float end : {bound.low, bound.high}) {
        uint64_t bits = 0;
        write<float>(type, &bits, 0, end);
        const auto stored = read<float>(type, &bits, 0);
        if (stored != value) error = std::max(error, double(std::abs(stored - value)));
    }
    return error;
}

// A depthwise convolution of what the oracle has between both, with the error of that. The sum of |weight| * error is
// the magnitude of a convolution of the errors.
class FusedSums {
public:
    FusedSums(const Problem& p, const ops::Buffers& before)
        : parts_(ops::parts_of_fused(p)), of_errors_(parts_.depthwise),
          between_(size_t(size_of(parts_.pointwise.md(arg::dst))) + 1),
          second_buffers_(ops::buffers_of_depthwise(p, parts_.depthwise, before, between_.data())),
          second_(parts_.depthwise, second_buffers_) {
        ops::Buffers first_buffers = before;
        first_buffers[arg::dst] = between_.data();
        ops::ref_convolution(parts_.pointwise, first_buffers);
        const Computation first(parts_.pointwise, first_buffers);
        const MemoryDesc& md = parts_.pointwise.md(arg::dst);
        const Layout layout = layout_of(md);
        for_each_element(md, [&](std::span<const int64_t> at) {
            const Interval bound = of_sums(first, arg::dst, at);
            errors_.push_back(
                float(error_of_stored(bound, md.type, read<float>(md.type, between_.data(), layout.at(at)))));
        });
        Tensor& src = *std::ranges::find(of_errors_.tensors, arg::src, &Tensor::arg);
        src.md = *make_desc_with_tag(md.dims_span(), DataType::f32, "abcd");
        ops::Buffers buffers = second_buffers_;
        buffers[arg::src] = errors_.data();
        error_sums_.emplace(of_errors_, buffers);
    }
    FusedSums(const FusedSums&) = delete;
    FusedSums& operator=(const FusedSums&) = delete;

    Interval at(std::span<const int64_t> at) const {
        const double of_terms = error_sums_->at(arg::dst, at).magnitude;
        return std::isnan(of_terms) ? anything() : of_sums(second_, arg::dst, at, of_terms);
    }

private:
    ops::FusedParts parts_;
    Problem of_errors_; // the depthwise one, of errors
    std::vector<std::byte> between_;
    ops::Buffers second_buffers_;
    Computation second_;
    std::vector<float> errors_;
    std::optional<ops::ConvolutionSums> error_sums_;
};

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
    if (ops::has_depthwise(c.problem.attr)) return {c.sums<FusedSums>().at(at)};
    return {of_sums(c, output, at)};
}

std::vector<int64_t> bias_dims(const spellings::Foreign& f) {
    const std::vector<int64_t>& weights = f.dims.back();
    return {weights.size() > f.dims[0].size() ? weights[0] * weights[1] : weights[0]};
}

} // namespace tessera::primitives::convolutions
