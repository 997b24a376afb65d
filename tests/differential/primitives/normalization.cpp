// SPDX-License-Identifier: Apache-2.0
#include "normalization.hpp"

#include <algorithm>
#include <cmath>

#include "../formula/formula_parts.hpp"
#include "../problems/generate.hpp"
#include "../problems/random.hpp"
#include "../problems/vary.hpp"

namespace differential {
namespace {

// A number and how far one computed in f32 may be from it, whatever the order of operations is.
struct Near {
    double value = 0, error = 0;
};
Near operator+(const Near& a, const Near& b) {
    return {a.value + b.value, a.error + b.error + 2 * half_ulp * std::fabs(a.value + b.value)};
}
Near operator-(const Near& a, const Near& b) { return a + Near{-b.value, b.error}; }
Near operator*(const Near& a, const Near& b) {
    const double product = a.value * b.value;
    return {product, std::fabs(a.value) * b.error + a.error * std::fabs(b.value) + a.error * b.error +
                         4 * half_ulp * std::fabs(product) + smallest};
}

struct Set {
    Near mean, variance, root;
    Sum sum, squares, scaled, product;
    double count = 0, largest = 0;
    bool special = false;
};

// 1 / sqrt(v), some of it computed approximately and refined.
Near root_of(const Near& v, double epsilon) {
    const double exact = 1 / std::sqrt(v.value + epsilon);
    const double low = std::max(v.value - v.error, 0.) + epsilon, high = v.value + v.error + epsilon;
    const double off = std::max(1 / std::sqrt(low) - exact, exact - 1 / std::sqrt(high));
    return {exact, off + 8 * half_ulp * exact};
}

Near of(const Sum& sum) { return {sum.value, sum.expected().slack}; }

struct Inputs {
    const Tensor *src = nullptr, *mean = nullptr, *variance = nullptr, *scale = nullptr, *shift = nullptr,
                 *diff_dst = nullptr;
};

// In the order of the calls.
Inputs named(const Problem& p, const std::vector<Tensor>& inputs) {
    Inputs in;
    size_t next = 0;
    in.src = &inputs[next++];
    if (statistics_are_given(p)) {
        if (!has_flag(p, 'M')) in.mean = &inputs[next++];
        in.variance = &inputs[next++];
    }
    if (has_flag(p, 'C')) in.scale = &inputs[next++];
    if (has_flag(p, 'H') && !is_backward(p)) in.shift = &inputs[next++];
    if (is_backward(p)) in.diff_dst = &inputs[next++];
    return in;
}

Expected expected(const Near& x, bool special) {
    const bool wild = special || !std::isfinite(x.value) || std::fabs(x.value) > largest_f32 || !std::isfinite(x.error);
    return {x.value, wild ? std::numeric_limits<double>::infinity() : x.error, wild};
}

} // namespace

std::string random_flags(Random& random, const char* possible) {
    std::string flags;
    for (const char* flag = possible; *flag; ++flag)
        if (random.percent(*flag == 'G' || *flag == 'M' ? 25 : 60)) flags += *flag;
    return flags.empty() ? "N" : flags;
}

void finish_normalization(const Generator& make, Random& random, Problem& p, const NormalizationPlaces& places,
                          int64_t channels) {
    static constexpr double epsilons[] = {1e-5, 1e-5, 1e-3, 1};
    p.alpha = random.pick(epsilons);
    p.other.dims = {channels};
    p.other.tag = "a";
    std::vector<std::string> wants = {""};
    if (shows_statistics(p)) wants.push_back("variance");
    if (shows_statistics(p) && !has_flag(p, 'M')) wants.push_back("mean");
    if (p.direction == "BWD" && has_flag(p, 'C')) wants.push_back("diff_scale");
    if (p.direction == "BWD" && has_flag(p, 'H')) wants.push_back("diff_shift");
    if (random.one_in(2)) p.want = random.pick(wants);
    if (p.want == "mean" || p.want == "variance") p.other.dims = places.sets, p.other.type = "f32", p.other.tag = "any";
    const bool alike = p.dst.tag == p.src.tag && p.dst.type == p.src.type;
    const bool varied = random.one_in(4);
    if (varied) vary_layout(random, p.src, true);
    if (!is_backward(p) && p.want.empty() && p.primitive != "batch_normalization" && random.percent(25)) {
        make.add_post_ops(random, p, false);
        std::erase_if(p.post_ops, [](const PostOp& op) { return op.kind == "sum" || op.kind == "prelu"; });
    }
    p.in_place = !varied && alike && p.want.empty() && random.one_in(8);
    p.user_scratchpad = random.one_in(8);
}

std::vector<Expected> normalization_formula(const Problem& p, const std::vector<Tensor>& inputs,
                                            const NormalizationPlaces& places, int64_t channels) {
    const Inputs in = named(p, inputs);
    const size_t elements = in.src->values.size();
    const double epsilon = double(float(p.alpha));
    std::vector<Set> sets(size_t(volume(places.sets)));
    const auto set_of = [&](size_t i) -> Set& { return sets[size_t(places.set[i])]; };
    const auto scale_of = [&](size_t i) { return in.scale ? in.scale->values[size_t(places.scale[i])] : 1; };
    for (size_t i = 0; i < elements; ++i) {
        Set& s = set_of(i);
        const double x = in.src->values[i];
        s.sum.add(x), s.count += 1, s.largest = std::max(s.largest, std::fabs(x));
        s.special = s.special || unusual(x) || std::fabs(x) > 1e12;
    }
    const bool centred = !has_flag(p, 'M');
    for (size_t k = 0; k < sets.size(); ++k) {
        Set& s = sets[k];
        if (statistics_are_given(p)) {
            if (centred) s.mean.value = in.mean->values[k];
            s.special = s.special || unusual(s.mean.value) || std::fabs(s.mean.value) > 1e12;
        } else if (centred && s.count > 0) {
            s.mean = {s.sum.value / s.count, of(s.sum).error / s.count + 4 * half_ulp * s.largest};
        }
    }
    for (size_t i = 0; i < elements; ++i) {
        const double x = in.src->values[i] - set_of(i).mean.value;
        set_of(i).squares.add(x * x);
    }
    for (size_t k = 0; k < sets.size(); ++k) {
        Set& s = sets[k];
        if (statistics_are_given(p)) {
            s.variance.value = in.variance->values[k];
        } else if (s.count > 0) {
            const double v = s.squares.value / s.count, off = s.mean.error;
            s.variance = {v, of(s.squares).error / s.count + 8 * half_ulp * v + 8 * off * off + 4 * off * std::sqrt(v)};
        }
        s.root = root_of(s.variance, epsilon);
    }
    std::vector<Expected> out;
    if (p.want == "mean" || p.want == "variance") {
        for (const Set& s : sets) out.push_back(expected(p.want == "mean" ? s.mean : s.variance, s.special));
        return out;
    }
    const auto centred_at = [&](size_t i) { return Near{in.src->values[i], 0} - set_of(i).mean; };
    if (!is_backward(p)) {
        for (size_t i = 0; i < elements; ++i) {
            Near y = centred_at(i) * set_of(i).root * Near{scale_of(i), 0};
            const double shift = in.shift ? in.shift->values[size_t(places.scale[i])] : 0;
            // Others compute x (scale root) + (shift - mean scale root).
            const double size = std::fabs(in.src->values[i]) + std::fabs(set_of(i).mean.value);
            y.error += 4 * half_ulp * (size * std::fabs(scale_of(i)) * set_of(i).root.value + std::fabs(shift));
            y = y + Near{shift, 0};
            if (has_flag(p, 'R')) y.value = std::max(y.value, 0.);
            const bool special =
                set_of(i).special || unusual(shift) || unusual(scale_of(i)) || std::fabs(scale_of(i)) > 1e12;
            out.push_back(expected(y, special));
        }
        return out;
    }
    std::vector<Sum> slopes(size_t(channels), Sum{}), shifts = slopes;
    std::vector<bool> wild(size_t(channels), false);
    for (size_t i = 0; i < elements; ++i) {
        Set& s = set_of(i);
        const double y = in.diff_dst->values[i], x = in.src->values[i] - s.mean.value;
        const double size = (std::fabs(in.src->values[i]) + std::fabs(s.mean.value)) * 4 * half_ulp;
        const auto c = size_t(places.scale[i]);
        s.special =
            s.special || unusual(y) || std::fabs(y) > 1e12 || unusual(scale_of(i)) || std::fabs(scale_of(i)) > 1e12;
        wild[c] = wild[c] || s.special;
        s.scaled.add(scale_of(i) * y);
        s.product.add(scale_of(i) * y * x);
        s.product.weight_error += std::fabs(scale_of(i) * y) * (size + 8 * half_ulp * std::fabs(x));
        s.scaled.weight_error += 4 * half_ulp * std::fabs(scale_of(i) * y);
        slopes[c].add(y * x * s.root.value);
        slopes[c].weight_error += std::fabs(y) * (size + 16 * half_ulp * std::fabs(x)) * s.root.value;
        shifts[c].add(y);
    }
    if (!p.want.empty()) {
        for (size_t c = 0; c < size_t(channels); ++c)
            out.push_back(expected(of(p.want == "diff_scale" ? slopes[c] : shifts[c]), wild[c]));
        return out;
    }
    for (size_t i = 0; i < elements; ++i) {
        const Set& s = set_of(i);
        Near y = Near{in.diff_dst->values[i], 0} * Near{scale_of(i), 0} * s.root;
        if (!has_flag(p, 'G')) {
            const Near each{1 / s.count, half_ulp / s.count};
            const Near plain = of(s.scaled) * s.root * each;
            const Near along = of(s.product) * s.root * s.root * s.root * each * centred_at(i);
            y = y - ((has_flag(p, 'M') ? Near{} : plain) + along);
        }
        out.push_back(expected(y, s.special));
    }
    return out;
}

} // namespace differential
