// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>

#include "../formula/formula_parts.hpp"
#include "../problems/generate.hpp"
#include "../problems/random.hpp"
#include "../problems/vary.hpp"
#include "row.hpp"

namespace differential {
namespace {

const std::vector<std::string> types = {"f32", "f32", "bf16", "f16", "s32", "s8", "u8"};

void generate(const Generator& make, Random& random, Problem& p) {
    p.algorithm = random.one_in(2) ? "nearest" : "linear";
    p.direction = random.pick(std::vector<std::string>{"FWD_D", "FWD_I", "BWD_D"});
    const bool mixed = random.one_in(3);
    p.src.type = random.pick(types);
    p.dst.type = mixed ? random.pick(types) : p.src.type;
    const size_t rank = random.one_in(40) ? 2 + 4 * random.below(2) : 3 + random.below(3);
    p.src.tag = make.pointwise_tag(random, rank);
    p.dst.tag = random.percent(75) ? p.src.tag : make.pointwise_tag(random, rank);
    p.src.dims = p.dst.dims = make.dims(random, {p.src.tag, p.dst.tag}, rank);
    for (size_t d = 2; d < rank; ++d) {
        static constexpr double factors[] = {1, 2, 2, .5, 3, 1.5, .75, .3};
        p.factors.push_back(random.pick(factors));
        const auto product = [&](double factor) {
            return int64_t(std::floor(double(float(p.src.dims[d]) * float(factor))));
        };
        if (product(p.factors.back()) == 0) p.factors.back() = 1;
        p.dst.dims[d] = product(p.factors.back());
    }
    const bool given = random.percent(60);
    if (given)
        for (size_t d = 2; d < rank; ++d)
            if (p.dst.dims[d] > 0) p.dst.dims[d] = 1 + int64_t(random.below(rank == 3 ? 40 : 9));
    if (given || rank < 3) p.factors.clear();
    if (random.one_in(4)) {
        if (is_backward(p))
            p.src.tag = "any";
        else
            p.dst.tag = p.factors.empty() || p.dst.type != p.src.type ? "any" : "none";
    }
    if (p.dst.tag != "none" && random.one_in(40)) p.dst.dims[random.below(2)] += 1;
    if (random.one_in(3) && p.src.tag != "any") vary_layout(random, p.src, !is_backward(p));
    if (random.percent(is_backward(p) ? 2 : 25)) make.add_post_ops(random, p, false);
    p.user_scratchpad = random.one_in(8);
    p.special = random.one_in(12);
}

struct Corner {
    int64_t index;
    double weight;
};

// Where element `o` of O comes from among the I of src: the corners, and for linear their neighbours with weight 0.
std::vector<Corner> corners(const std::string& algorithm, int64_t o, int64_t O, int64_t I) {
    const double x = (double(o) + .5) * double(I) / double(O) - .5;
    const auto clamped = [&](double k) { return int64_t(std::clamp(k, 0.0, double(I - 1))); };
    if (algorithm == "nearest") return {{clamped(std::round(x)), 1}};
    const int64_t left = clamped(std::floor(x)), right = clamped(std::ceil(x));
    const double weight = std::fabs(x - double(left));
    return {{left, 1 - weight}, {right, weight}, {clamped(double(left) - 1), 0}, {clamped(double(right) + 1), 0}};
}

// Visits (index in src, index in dst, weight) of all that resampling multiplies.
void each_weight(const Problem& p, const std::function<void(int64_t, int64_t, double)>& visit) {
    const Dims &src = p.src.dims, &dst = p.dst.dims;
    const size_t rank = dst.size();
    std::vector<std::vector<std::vector<Corner>>> table(rank); // by dim and element of dst
    for (size_t d = 2; d < rank; ++d)
        for (int64_t o = 0; o < dst[d]; ++o) table[d].push_back(corners(p.algorithm, o, dst[d], src[d]));
    const int64_t total = volume(dst);
    for (int64_t linear = 0; linear < total; ++linear) {
        int64_t index[12]{}, rest = linear;
        for (size_t d = rank; d-- > 0; rest /= dst[d]) index[d] = rest % dst[d];
        const std::function<void(size_t, int64_t, double)> walk = [&](size_t d, int64_t place, double weight) {
            if (d == rank) return visit(place, linear, weight);
            for (const auto& [k, w] : table[d][size_t(index[d])]) walk(d + 1, place * src[d] + k, weight * w);
        };
        walk(2, index[0] * src[1] + index[1], 1);
    }
}

std::vector<Expected> formula(const Problem& p, const std::vector<Tensor>& inputs) {
    const Tensor& input = inputs[0];
    const bool backward = is_backward(p);
    double error = 0;
    for (size_t d = 2; d < p.src.dims.size() && p.algorithm == "linear"; ++d)
        error += 8 * half_ulp * double(p.src.dims[d]);
    std::vector<Sum> sums(size_t(volume(output(p).dims)));
    each_weight(p, [&](int64_t src, int64_t dst, double weight) {
        const double x = input.values[size_t(backward ? dst : src)];
        Sum& total = sums[size_t(backward ? src : dst)];
        if (weight != 0) total.add(weight * x);
        total.special |= unusual(x);
        if (!std::isfinite(x)) return;
        total.weight_error =
            backward ? total.weight_error + error * std::fabs(x) : std::max(total.weight_error, error * std::fabs(x));
    });
    std::vector<Expected> out;
    for (const Sum& total : sums) out.push_back(total.expected());
    return out;
}

} // namespace

constinit const Row resampling_row = {
    .name = "resampling",
    .directed = true,
    .has_algorithm = true,
    .gradient_of_src = true,
    .generate = generate,
    .formula = formula,
};

} // namespace differential
