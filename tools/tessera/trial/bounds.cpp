#include "trial/bounds.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "core/layout/layout.hpp"
#include "core/program/binary.hpp"
#include "core/program/lib/eltwise.hpp"
#include "core/program/lib/eltwise_errors.hpp"
#include "core/program/lib/eltwise_parts.hpp"
#include "core/types/convert.hpp"
#include "ops/eltwise/eltwise.hpp"
#include "ops/epilogue.hpp"
#include "ops/inner_product/inner_product.hpp"
#include "ops/matmul/matmul.hpp"
#include "trial/experiment_data.hpp"

namespace tessera {
namespace {

// The largest of the algorithm's rows; the function is that of forward_of, the derivative its own.
EltwiseError error_of(int alg) {
    EltwiseError most{alg, "", 0, 0, 0.5, 0.5};
    for (const EltwiseError& e : eltwise_errors) {
        if (e.alg == parts::forward_of(alg)) most.forward = std::max(most.forward, e.forward);
        if (e.alg != alg) continue;
        most.backward = std::max(most.backward, e.backward);
        most.floor = std::max(most.floor, e.floor);
        most.growth = std::max(most.growth, e.growth);
        most.gated = most.gated || e.gated;
    }
    return most;
}

// Of a number in f32, its exponent taken from the bits of the double.
double ulp_of(double x) {
    const auto exponent = int64_t(std::bit_cast<uint64_t>(x) >> 52 & 0x7ff);
    return std::bit_cast<double>(uint64_t(std::max<int64_t>(exponent - 23, 1023 - 149)) << 52);
}

constexpr float infinity = std::numeric_limits<float>::infinity();

// An interval of possible f32 values; `nan`: NaN is possible, too.
struct Interval {
    float low = infinity, high = -infinity;
    bool nan = false;

    void add(float x) {
        if (std::isnan(x)) {
            nan = true;
            return;
        }
        low = std::min(low, x);
        high = std::max(high, x);
    }
    // exact +- error, rounded outwards.
    void add(double exact, double error) {
        if (std::isnan(exact)) return add(float(exact));
        if (std::isinf(exact)) return add(float(exact));
        const double below = exact - error, above = exact + error;
        const auto down = float(below), up = float(above);
        add(double(down) > below ? std::nextafter(down, -infinity) : down);
        add(double(up) < above ? std::nextafter(up, infinity) : up);
    }
    bool empty() const { return low > high; }
    bool holds(float x) const { return low <= x && x <= high; }

    // The image under a function that is monotone on both sides of zero, over an interval of neighbours.
    template <typename F> Interval through(F&& add_image) const {
        Interval image;
        if (nan) add_image(image, std::numeric_limits<float>::quiet_NaN());
        if (empty()) return image;
        add_image(image, low);
        if (high != low) add_image(image, high);
        if (low < 0 && high > 0) add_image(image, 0.f);
        return image;
    }
};

Interval function_image(const Interval& x, int alg, double alpha, double beta) {
    const EltwiseError e = error_of(alg);
    return x.through([&](Interval& image, float v) {
        const double exact = eltwise_of(alg, v, alpha, beta);
        image.add(exact, ulps_at(e.forward, e.growth, v) * ulp_of(exact) + e.floor);
    });
}

Interval binary_image(const Interval& x, int alg, float other) {
    if ((alg == binary::eq || alg == binary::ne) && x.low < x.high && x.holds(other)) {
        Interval both;
        both.add(0.f);
        both.add(1.f);
        return both;
    }
    return x.through([&](Interval& image, float v) { image.add(binary_of(alg, v, other)); });
}

// Whether the element is one of the values after rounding to its type.
bool within(const Interval& bound, DataType type, const void* got, int64_t element) {
    const auto rounded = [&](float x) {
        uint64_t bits = 0;
        write<float>(type, &bits, 0, x);
        return read<double>(type, &bits, 0);
    };
    const auto value = read<double>(type, got, element);
    const double of_nan = rounded(std::numeric_limits<float>::quiet_NaN());
    if (bound.nan && (value == of_nan || (std::isnan(value) && std::isnan(of_nan)))) return true;
    return !bound.empty() && rounded(bound.low) <= value && value <= rounded(bound.high);
}

bool computes_function(const PostOp& p) { return p.kind == PostOpKind::eltwise; }

} // namespace

struct Bounds::Parts {
    const Problem& problem;
    const ops::Buffers& before;
    // What attributes start from, as f32: the problem without them into a plain tensor. Of eltwise it is not needed.
    mutable std::vector<float> starts;
    mutable Layout starts_layout;
    mutable std::optional<ops::Products> products;
    mutable std::optional<ops::InnerProducts> inner_products;

    float start(std::span<const int64_t> at) const {
        if (starts.empty()) {
            const MemoryDesc& dst = problem.md(arg::dst);
            const std::string_view letters("abcdefghijkl", size_t(dst.ndims));
            const auto plain = make_desc_with_tag(dst.dims_span(), DataType::f32, letters);
            Problem bare = problem;
            bare.attr.post_ops.entries.clear();
            bare.attr.dropout.reset();
            std::erase_if(bare.tensors, [](const Tensor& t) { return t.arg == arg::dropout_mask; });
            bare.attr.scales.erase(arg::dst);
            bare.attr.zero_points.erase(arg::dst);
            for (Tensor& t : bare.tensors)
                if (t.arg == arg::dst) t.md = *plain;
            starts.resize(size_t(plain->nelems(false)));
            starts_layout = layout_of(*plain);
            ops::Buffers buffers = before;
            buffers[arg::dst] = starts.data();
            ops::row(problem.kind).ref(bare, buffers);
        }
        return starts[size_t(starts_layout.at(at))];
    }

    float value(int id, std::span<const int64_t> at) const {
        Problem bare;
        bare.tensors = {*problem.find(id)};
        return ops::ref_load(bare, before, id, at);
    }

    Interval post_op(size_t i, Interval x, std::span<const int64_t> at) const;
    Interval finished(Interval x, std::span<const int64_t> at) const;
    Interval of_eltwise(std::span<const int64_t> at) const;
    Interval of_rounded_slope(std::span<const int64_t> at) const;
    Interval of_weights(std::span<const int64_t> at) const;
    Interval of_matmul(std::span<const int64_t> at) const;
    double of_factors(int a, int b) const;
    Interval of_inner_product(int output, std::span<const int64_t> at) const;
};

Interval Bounds::Parts::post_op(size_t i, Interval x, std::span<const int64_t> at) const {
    const PostOp& op = problem.attr.post_ops.entries[i];
    const int base = arg::post_op(int(i));
    switch (op.kind) {
    case PostOpKind::sum: {
        if (op.scale == 0.f) return x;
        Problem bare;
        bare.tensors = {*problem.find(arg::dst)};
        if (op.type != DataType::undef) bare.tensors[0].md.type = op.type;
        const float term = op.scale * (ops::ref_load(bare, before, arg::dst, at) - float(op.zero_point));
        return x.through([&](Interval& image, float v) { image.add(v + term); });
    }
    case PostOpKind::eltwise: {
        const Interval image = function_image(x, op.alg, op.alpha, op.beta);
        return image.through([&](Interval& scaled, float v) { scaled.add(v * op.scale); });
    }
    case PostOpKind::binary: {
        const float other = value(base | arg::src_1, at);
        if (op.alg != binary::select) return binary_image(x, op.alg, other);
        if (value(base | arg::src_2, at) != 0) return x;
        Interval exact;
        exact.add(other);
        return exact;
    }
    default: {
        const float weight = value(base | arg::weights, at);
        return x.through([&](Interval& image, float v) { image.add(v > 0 ? v : v * weight); });
    }
    }
}

Interval Bounds::Parts::finished(Interval x, std::span<const int64_t> at) const {
    if (problem.attr.dropout)
        x = x.through(
            [&](Interval& image, float v) { image.add(ops::ref_drop_out(problem, before, v, arg::dst, at)); });
    for (size_t i = 0; i < problem.attr.post_ops.entries.size(); ++i) x = post_op(i, x, at);
    return x;
}

Interval Bounds::Parts::of_eltwise(std::span<const int64_t> at) const {
    const ops::EltwiseView view = ops::view_of_eltwise(problem);
    const EltwiseError e = error_of(view.alg);
    const double x = ops::ref_load(problem, before, view.data, at);
    Interval bound;
    if (!view.backward) {
        bound.add(float(x));
        return finished(function_image(bound, view.alg, view.alpha, view.beta), at);
    }
    const double dd = ops::ref_load(problem, before, arg::diff_dst, at);
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
Interval Bounds::Parts::of_rounded_slope(std::span<const int64_t> at) const {
    const ops::EltwiseView view = ops::view_of_eltwise(problem);
    Interval product;
    if (!view.backward) return product;
    const EltwiseError e = error_of(view.alg);
    const double x = ops::ref_load(problem, before, view.data, at);
    const float dd = ops::ref_load(problem, before, arg::diff_dst, at);
    const double slope = eltwise_backward_of(view.alg, x, 1, view.alpha, view.beta);
    const bool in_range = slope == 0 || (std::abs(slope) >= 0x1p-126 && std::abs(slope) < 0x1p127);
    if (in_range && std::isfinite(dd)) return product;
    Interval slopes;
    slopes.add(slope, ulps_at(e.backward, e.growth, x) * ulp_of(slope) + e.floor);
    return slopes.through([&](Interval& image, float v) { image.add(v * dd); });
}

// diff_weights: sums in any order of n terms are within (n - 1) 2^-24 of the sum of magnitudes.
Interval Bounds::Parts::of_weights(std::span<const int64_t> at) const {
    const MemoryDesc &src = problem.md(arg::src), &weights = problem.md(arg::diff_weights);
    double sum = 0, magnitudes = 0;
    int64_t terms = 0;
    for_each_element(src, [&](std::span<const int64_t> from) {
        for (size_t d = 0; d < from.size(); ++d)
            if (weights.dims[d] != 1 && from[d] != at[d]) return;
        const float s = value(arg::src, from), term = (s > 0 ? 0.f : s) * value(arg::diff_dst, from);
        sum += term;
        magnitudes += std::abs(term);
        ++terms;
    });
    Interval bound;
    bound.add(sum, double(std::max<int64_t>(terms - 1, 0)) * 0x1p-24 * magnitudes);
    return bound;
}

// Sums of n terms in any order, each a product of up to four factors, are within (n + 4) 2^-24 of the sum of
// magnitudes. Sums of integers are exact: there are the roundings of the sum, of two scales and of the bias.
Interval Bounds::Parts::of_matmul(std::span<const int64_t> at) const {
    const MemoryDesc &src = problem.md(arg::src), &weights = problem.md(arg::weights);
    if (!products) products.emplace(problem, before);
    const ops::Products::Sum sum = products->at(at);
    const size_t n = at.size() - 1, m = n - 1;
    double scale = 1, bias = 0;
    bool scaled_inside = false;
    for (const auto& [id, md, k] : {std::tuple{arg::src, &src, n}, std::tuple{arg::weights, &weights, m}}) {
        std::vector<int64_t> own(at.begin(), at.end());
        own[k] = 0;
        if (ops::varies_along_k(problem.attr.scales, id, *md))
            scaled_inside = true;
        else if (src.dims[n] > 0) // with K = 0 scales that vary along k have no values
            scale *= ops::ref_scale(problem, before, id, own);
    }
    if (problem.find(arg::bias)) bias = ops::ref_load(problem, before, arg::bias, at);
    const bool exact = ops::multiplies_integers(problem) && !scaled_inside;
    const double error = exact ? 4 * 0x1p-24 * (std::abs(sum.value * scale) + 2 * std::abs(bias))
                               : double(src.dims[n] + 4) * 0x1p-24 * (sum.magnitude * scale + std::abs(bias)) +
                                     of_factors(arg::src, arg::weights) * sum.magnitude * scale;
    Interval bound;
    bound.add(sum.value * scale + bias, error);
    const Interval scaled =
        bound.through([&](Interval& image, float v) { image.add(ops::ref_output_scaled(problem, before, v, at)); });
    return finished(scaled, at).through([&](Interval& image, float v) {
        image.add(ops::ref_quantized(problem, before, v, arg::dst, at));
    });
}

// Each factor of f32 is within 2^-8 of itself where the fpmath mode lets it be rounded to bf16 (FPM-01), which has 8
// significant bits: 1 + 2^-8 lies half way between two neighbours. Both roundings of a product together come to 2^-7 +
// 2^-16. In every other mode factors are exact. The library has a function that says when; a tolerance that asked it
// would follow its mistakes.
double Bounds::Parts::of_factors(int a, int b) const {
    const FpmathMode mode = problem.attr.fpmath;
    if (mode != FpmathMode::bf16 && mode != FpmathMode::any) return 0;
    int rounded = 0;
    for (const int id : {a, b}) rounded += problem.md(id).type == DataType::f32;
    return rounded * 0x1.01p-8;
}

// As of matmul, without the factors inside the sum.
Interval Bounds::Parts::of_inner_product(int output, std::span<const int64_t> at) const {
    if (!inner_products) inner_products.emplace(problem, before);
    const ops::InnerProducts::Sum sum = inner_products->at(output, at);
    Interval bound;
    if (output != arg::dst) {
        const bool of_data = output == arg::diff_src;
        const double rounded =
            output == arg::diff_bias ? 0 : of_factors(arg::diff_dst, of_data ? arg::weights : arg::src);
        bound.add(sum.value, (double(sum.terms) * 0x1p-24 + rounded) * sum.magnitude);
        return bound;
    }
    std::vector<int64_t> row(size_t(problem.md(arg::weights).ndims), 0);
    row[0] = at[1];
    const double scale = double(ops::ref_scale(problem, before, arg::src, row)) *
                         double(ops::ref_scale(problem, before, arg::weights, row));
    const double bias = problem.find(arg::bias) ? ops::ref_load(problem, before, arg::bias, {&at[1], 1}) : 0;
    const bool exact = is_integer(problem.md(arg::src).type);
    const double error = exact ? 4 * 0x1p-24 * (std::abs(sum.value * scale) + 2 * std::abs(bias))
                               : double(sum.terms + 2) * 0x1p-24 * (sum.magnitude * scale + std::abs(bias)) +
                                     of_factors(arg::src, arg::weights) * sum.magnitude * scale;
    bound.add(sum.value * scale + bias, error);
    return finished(bound, at).through(
        [&](Interval& image, float v) { image.add(ops::ref_quantized(problem, before, v, arg::dst, at)); });
}

Bounds::Bounds(const Problem& problem, const ops::Buffers& before)
    : parts_(new Parts{problem, before, {}, {}, {}, {}}) {}
Bounds::~Bounds() = default;

bool Bounds::any() const {
    const Problem& p = parts_->problem;
    if (p.kind == PrimitiveKind::inner_product) return true;
    if (p.kind == PrimitiveKind::matmul || p.kind == PrimitiveKind::eltwise ||
        (p.kind == PrimitiveKind::prelu && p.prop == PropKind::backward))
        return true;
    return std::ranges::any_of(p.attr.post_ops.entries, computes_function);
}

bool Bounds::hold(int output, std::span<const int64_t> at, const void* got, int64_t element) const {
    const Problem& p = parts_->problem;
    if (output == arg::dropout_mask) return false; // exact
    const auto rounded = [&](const Interval& x) {
        return x.through(
            [&](Interval& image, float v) { image.add(ops::ref_round(p, parts_->before, v, output, at)); });
    };
    Interval bound;
    if (p.kind == PrimitiveKind::eltwise)
        bound = parts_->of_eltwise(at);
    else if (p.kind == PrimitiveKind::prelu) {
        if (output != arg::diff_weights) return false; // exact
        bound = parts_->of_weights(at);
    } else if (p.kind == PrimitiveKind::matmul) {
        bound = parts_->of_matmul(at);
    } else if (p.kind == PrimitiveKind::inner_product) {
        bound = parts_->of_inner_product(output, at);
    } else {
        Interval start;
        start.add(parts_->start(at));
        bound = parts_->finished(start, at);
    }
    const DataType type = p.md(output).type;
    if (within(rounded(bound), type, got, element)) return true;
    return p.kind == PrimitiveKind::eltwise && within(rounded(parts_->of_rounded_slope(at)), type, got, element);
}

} // namespace tessera
