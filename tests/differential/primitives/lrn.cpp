// SPDX-License-Identifier: Apache-2.0
#include "lrn.hpp"

#include <cmath>
#include <functional>

#include "../formula/formula_parts.hpp"
#include "../problems/generate.hpp"
#include "../problems/random.hpp"
#include "../problems/vary.hpp"
#include "row.hpp"

namespace differential {
namespace {

void generate(const Generator& make, Random& random, Problem& p) {
    p.algorithm = random.one_in(3) ? "within_channel" : "across_channels";
    p.direction = random.pick(std::vector<std::string>{"FWD_D", "FWD_I", "BWD_D"});
    p.src.type = p.dst.type = random.pick(std::vector<std::string>{"f32", "f32", "f32", "bf16", "f16"});
    static constexpr double alphas[] = {1e-4, 1, .5, 0}, betas[] = {.75, .75, 1, .5, .6};
    p.alpha = random.pick(alphas), p.beta = random.pick(betas);
    p.group = random.one_in(30) ? int64_t(random.below(40)) - 1 : 1 + int64_t(random.below(7));
    const size_t rank = random.one_in(30) ? 1 + 5 * random.below(2) : 2 + random.below(4);
    p.src.tag = make.pointwise_tag(random, rank);
    p.dst.tag = random.percent(80) ? p.src.tag : random.percent(50) ? "any" : make.pointwise_tag(random, rank);
    if (is_backward(p) && p.dst.tag == "any") p.dst.tag = p.src.tag;
    p.src.dims = p.dst.dims = make.dims(random, {p.src.tag, p.dst.tag}, rank);
    if (random.one_in(40)) p.dst.dims[random.below(rank)] += 1;
    if (random.one_in(5)) vary_layout(random, p.src, !is_backward(p));
    p.user_scratchpad = random.one_in(8);
    p.special = random.one_in(20);
}

// Visits the elements of the windows around each element.
void each_pair(const Problem& p, const std::function<void(int64_t, int64_t)>& visit) {
    const Dims& dims = p.src.dims;
    const size_t rank = dims.size();
    const int64_t half = (p.group - 1) / 2, total = volume(dims);
    for (int64_t linear = 0; linear < total; ++linear) {
        int64_t index[12]{}, rest = linear;
        for (size_t d = rank; d-- > 0; rest /= dims[d]) index[d] = rest % dims[d];
        const std::function<void(size_t, int64_t)> walk = [&](size_t d, int64_t place) {
            if (d == rank) return visit(linear, place);
            const bool windowed = p.algorithm == "across_channels" ? d == 1 : d > 1;
            for (int64_t i = index[d] - (windowed ? half : 0); i <= index[d] + (windowed ? half : 0); ++i)
                if (i >= 0 && i < dims[d]) walk(d + 1, place * dims[d] + i);
        };
        walk(0, 0);
    }
}

// Where a sum of squares, or a product of it, is infinite in f32, the result may be anything.
Expected judged(double value, double slack, bool special) {
    return {value, special ? std::numeric_limits<double>::infinity() : slack, special};
}

std::vector<Expected> formula(const Problem& p, const std::vector<Tensor>& inputs) {
    const std::vector<double>& s = inputs[0].values;
    const double beta = double(float(p.beta)), alpha = double(float(p.alpha));
    const double divisor =
        std::pow(double(p.group), p.algorithm == "across_channels" ? 1 : double(p.src.dims.size()) - 2);
    std::vector<Sum> squares(s.size()), terms(s.size());
    each_pair(p, [&](int64_t at, int64_t place) { squares[size_t(at)].add(s[size_t(place)] * s[size_t(place)]); });
    std::vector<double> omega;
    for (Sum& sum : squares) {
        omega.push_back(1 + alpha / divisor * sum.value); // all of one sign
        sum.special = sum.special || sum.size > largest_f32;
    }
    const double relative = half_ulp * (40 + 2 * double(p.group) * beta) * (1 + beta);
    std::vector<Expected> out;
    if (!is_backward(p)) {
        for (size_t i = 0; i < s.size(); ++i) {
            const double d = s[i] * std::pow(omega[i], -beta);
            out.push_back(judged(d, relative * std::fabs(d) + smallest, squares[i].special));
        }
        return out;
    }
    const std::vector<double>& g = inputs[1].values;
    each_pair(p, [&](int64_t at, int64_t place) {
        const auto k = size_t(place);
        const double scaled = g[k] * s[k] * std::pow(omega[k], -beta);
        terms[size_t(at)].add(scaled / omega[k]);
        terms[size_t(at)].special |= squares[k].special || std::fabs(scaled) > largest_f32;
    });
    for (size_t i = 0; i < s.size(); ++i) {
        const double first = g[i] * std::pow(omega[i], -beta), factor = 2 * alpha * beta / divisor * s[i];
        const double error = relative * (std::fabs(first) + 4 * std::fabs(factor) * terms[i].size) +
                             (factor == 0 ? 0 : std::fabs(factor) * terms[i].expected().slack) + smallest;
        out.push_back(judged(first - factor * terms[i].value, error, squares[i].special || terms[i].special));
    }
    return out;
}

} // namespace

const std::vector<Algorithm>& lrn_algorithms() {
    static const std::vector<Algorithm> all = {{"across_channels", 0xaff}, {"within_channel", 0xbff}};
    return all;
}

constinit const Row lrn_row = {
    .name = "lrn",
    .directed = true,
    .has_algorithm = true,
    .has_group = true,
    .gradient_of_src = true,
    .generate = generate,
    .formula = formula,
};

} // namespace differential
