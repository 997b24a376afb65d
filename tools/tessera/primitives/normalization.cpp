// SPDX-License-Identifier: Apache-2.0
#include "primitives/normalization.hpp"

#include "core/types/convert.hpp"
#include "ops/coordinates.hpp"
#include "ops/epilogue.hpp"

namespace tessera::primitives {
namespace {

using Coordinates = std::span<const int64_t>;
constexpr double unit = 0x1p-24; // the largest relative error of an operation in f32

// A number and how far the computed one may be from it.
struct Near {
    double value = 0, error = 0;
    // One more rounding, of something of this size.
    Near rounded(double times = 1) const { return {value, error + times * unit * (std::abs(value) + error)}; }
};
Near operator+(const Near& a, const Near& b) { return Near{a.value + b.value, a.error + b.error}.rounded(); }
Near operator-(const Near& a, const Near& b) { return Near{a.value - b.value, a.error + b.error}.rounded(); }
Near operator*(const Near& a, const Near& b) {
    return Near{a.value * b.value, std::abs(a.value) * b.error + a.error * std::abs(b.value) + a.error * b.error}
        .rounded();
}

// Roundings that a term of a sum meets, whether it is one sum or a sum of sums (core/program/reduction.hpp): a
// sixteenth of a block of 4096, the four levels that join 16 partial sums, and one for each block before.
// Up to 64 points may be added in order instead.
double depth(double n) { return std::min(n, std::min(n, 8192.) / 16 + n / 4096 + 12 + 128); }

// 1 / sqrt(v + epsilon): the ends of v, and three roundings; that of the first sum counts by half.
Near root(const Near& v, double epsilon) {
    const double exact = 1 / std::sqrt(v.value + epsilon);
    const double low = std::max(v.value - v.error, 0.) + epsilon, high = v.value + v.error + epsilon;
    Near r{exact, v.error == 0 ? 0 : std::max(1 / std::sqrt(low) - exact, exact - 1 / std::sqrt(high))};
    return r.rounded(3);
}

class Sums {
public:
    Sums(const Problem& p, ops::Sets sets, const ops::Buffers& before) : n(p, sets) {
        for (const Tensor& t : p.tensors)
            if (before.count(t.arg)) tensors_[t.arg] = {t.md.type, layout_of(t.md), before.at(t.arg)};
        int64_t count = 1;
        for (const int64_t extent : n.dims_of_sets()) count *= extent;
        sets_.resize(size_t(count));
        channels_.resize(size_t(n.dims()[n.channel()]));
        statistics();
        if (!n.forward()) gradients();
    }

    struct Set {
        Near mean, variance, root, plain, along;
        double size = 0, largest = 0;         // sum and maximum of |src|
        double scaled = 0, scaled_size = 0;   // of scale y'
        double product = 0, product_size = 0; // of scale y' (x - mean)
    };
    struct Channel {
        double sum = 0, size = 0, slope = 0, slope_size = 0;
    };

    double get(int id, Coordinates at) const {
        const Data& t = tensors_.at(id);
        return read<float>(t.type, t.buffer, t.layout.at(at));
    }
    double scale(Coordinates at) const {
        return n.has(ops::norm::use_scale) ? get(arg::scale, at.subspan(n.channel(), 1)) : 1;
    }
    double gradient(Coordinates at) const {
        const bool passes = !n.problem.find(arg::workspace) || get(arg::workspace, at) != 0;
        return passes ? get(arg::diff_dst, at) : 0.;
    }
    const Set& set(Coordinates at) const { return sets_[size_t(numbers_.at(at))]; }
    const Set& set_at(Coordinates own) const {
        int64_t k = 0;
        for (size_t d = 0; d < own.size(); ++d) k = k * n.dims_of_sets()[d] + own[d];
        return sets_[size_t(k)];
    }
    const Channel& channel(int64_t c) const { return channels_[size_t(c)]; }

    const ops::Normalization n;

private:
    struct Data {
        DataType type;
        Layout layout;
        const void* buffer;
    };
    Set& of(Coordinates at) { return sets_[size_t(numbers_.at(at))]; }
    void statistics();
    void gradients();

    std::map<int, Data> tensors_;
    std::vector<Set> sets_;
    std::vector<Channel> channels_;
    const Layout numbers_ = n.over_data(
        *make_desc_with_tag(n.dims_of_sets(), DataType::f32, std::string_view("abcd", n.dims_of_sets().size())));
};

template <ops::Sets sets> struct SumsOf : Sums { // as Computation makes them
    SumsOf(const Problem& p, const ops::Buffers& before) : Sums(p, sets, before) {}
};

void Sums::statistics() {
    const double count = n.count(), additions = depth(count);
    const bool centred = !n.has(ops::norm::rms);
    ops::for_each_coordinate(n.dims_of_sets(), [&, k = size_t(0)](Coordinates at) mutable {
        Set& s = sets_[k++];
        if (!n.given()) return;
        if (centred) s.mean.value = get(arg::mean, at);
        s.variance.value = get(arg::variance, at);
    });
    if (!n.given()) {
        ops::for_each_coordinate(n.dims(), [&](Coordinates at) {
            Set& s = of(at);
            const double x = get(arg::src, at);
            if (centred) s.mean.value += x / count;
            s.size += std::abs(x) / count, s.largest = std::max(s.largest, std::abs(x));
        });
        ops::for_each_coordinate(n.dims(), [&](Coordinates at) {
            const double x = get(arg::src, at) - of(at).mean.value;
            of(at).variance.value += x * x / count;
        });
        // The mean of a part may be off by as much; it enters the squares as its square, and where parts are combined
        // times the deviation.
        for (Set& s : sets_) {
            const double off = centred ? (additions + 6) * unit * (s.size + s.largest) : 0;
            s.mean.error = off;
            s.variance.error = (additions + 8) * unit * (s.variance.value + 4 * off * off) +
                               4 * off * std::sqrt(s.variance.value) + 8 * off * off;
        }
    }
    for (Set& s : sets_) s.root = root(s.variance, double(n.epsilon));
}

void Sums::gradients() {
    ops::for_each_coordinate(n.dims(), [&](Coordinates at) {
        Set& s = of(at);
        Channel& c = channels_[size_t(at[n.channel()])];
        const double y = gradient(at), x = get(arg::src, at) - s.mean.value, r = s.root.value;
        const double scaled = scale(at) * y;
        s.scaled += scaled, s.scaled_size += std::abs(scaled);
        s.product += scaled * x, s.product_size += std::abs(scaled * x);
        c.sum += y, c.size += std::abs(y), c.slope += y * x * r, c.slope_size += std::abs(y * x * r);
    });
    const double terms = depth(n.count());
    for (Set& s : sets_) {
        const Near scaled{s.scaled, (terms + 2) * unit * s.scaled_size};
        const Near product{s.product, (terms + 4) * unit * s.product_size}, n_near{1 / n.count(), 0};
        if (!n.has(ops::norm::rms)) s.plain = (scaled * s.root * n_near).rounded();
        s.along = (product * s.root * s.root * s.root * n_near).rounded();
    }
}

Interval of(const Near& x) {
    Interval bound;
    if (!std::isfinite(x.value) || !std::isfinite(x.error) || std::abs(x.value) + x.error > 1e38) {
        bound.add(-std::numeric_limits<float>::infinity());
        bound.add(std::numeric_limits<float>::infinity());
        bound.nan = true;
    } else {
        bound.add(x.value, x.error + 0x1p-140); // products may leave the range of normal numbers
    }
    return bound;
}

Near exact(double x) { return {x, 0}; }

Near normalized(const Sums& sums, Coordinates at) {
    const Sums::Set& s = sums.set(at);
    Near y = (exact(sums.get(arg::src, at)) - s.mean) * s.root * exact(sums.scale(at));
    y = y.rounded(2); // in either order, with a product in between
    if (sums.n.has(ops::norm::use_shift)) y = y + exact(sums.get(arg::shift, at.subspan(sums.n.channel(), 1)));
    return y;
}

Near diff_src(const Sums& sums, Coordinates at) {
    const Sums::Set& s = sums.set(at);
    const Near y = (exact(sums.gradient(at)) * exact(sums.scale(at)) * s.root).rounded();
    if (sums.n.has(ops::norm::use_global_stats)) return y;
    return y - (s.plain + (exact(sums.get(arg::src, at)) - s.mean) * s.along);
}

Near gradient_of_channel(const Sums& sums, int output, int64_t c) {
    double terms = 1;
    for (size_t d = 0; d < sums.n.dims().size(); ++d)
        if (d != sums.n.channel()) terms *= double(sums.n.dims()[d]);
    const Sums::Channel& own = sums.channel(c);
    if (output == arg::diff_shift) return {own.sum, (depth(terms) + 2) * unit * own.size};
    return {own.slope, (depth(terms) + 8) * unit * own.slope_size};
}

} // namespace

std::vector<Interval> bounds_of_normalization(const Computation& c, ops::Sets sets, int output,
                                              std::span<const int64_t> at) {
    const Sums& sums = sets == ops::Sets::rows       ? static_cast<const Sums&>(c.sums<SumsOf<ops::Sets::rows>>())
                       : sets == ops::Sets::channels ? static_cast<const Sums&>(c.sums<SumsOf<ops::Sets::channels>>())
                                                     : static_cast<const Sums&>(c.sums<SumsOf<ops::Sets::groups>>());
    if (output == arg::mean) return {of(sums.set_at(at).mean)};
    if (output == arg::variance) return {of(sums.set_at(at).variance)};
    if (output == arg::diff_src) return {of(diff_src(sums, at))};
    if (output == arg::diff_scale || output == arg::diff_shift) return {of(gradient_of_channel(sums, output, at[0]))};
    Interval y = of(normalized(sums, at));
    const bool fused = sums.n.has(ops::norm::fuse_relu);
    if (output == arg::workspace) return {y.through([](Interval& image, float v) { image.add(v <= 0 ? 0.f : 1.f); })};
    if (fused) y = y.through([](Interval& image, float v) { image.add(v <= 0 ? 0.f : v); });
    const float factor = ops::ref_scale(c.problem, c.before, arg::src, at);
    if (factor != 1) y = y.through([&](Interval& image, float v) { image.add(double(v) * double(factor), 0); });
    return {c.finished(y, at).through(
        [&](Interval& image, float v) { image.add(ops::ref_quantized(c.problem, c.before, v, arg::dst, at)); })};
}

Result<void> complete_normalization(spellings::Foreign& f) {
    for (const std::string& option : f.options)
        if (option.starts_with("--eps=")) return {};
    f.add("--eps", "1e-5");
    return {};
}

} // namespace tessera::primitives
