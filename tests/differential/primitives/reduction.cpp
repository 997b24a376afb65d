// SPDX-License-Identifier: Apache-2.0
#include "reduction.hpp"

#include <algorithm>
#include <cmath>

#include "../formula/formula_parts.hpp"
#include "../problems/generate.hpp"
#include "../problems/random.hpp"
#include "../problems/vary.hpp"
#include "row.hpp"

namespace differential {
namespace {

const std::vector<std::string> types = {"f32", "f32", "bf16", "f16", "s32", "s8", "u8"};

bool is_norm(const Problem& p) { return p.algorithm.rfind("norm_lp", 0) == 0; }

void generate(const Generator& make, Random& random, Problem& p) {
    p.algorithm = random.pick(reduction_algorithms()).name;
    static constexpr double orders[] = {1, 2, 2, 3, 1.5, 2.7, 8}, addends[] = {0, 0, .001, 100};
    if (is_norm(p)) p.alpha = random.one_in(30) ? .5 : random.pick(orders), p.beta = random.pick(addends);
    const bool mixed = random.one_in(3);
    p.src.type = random.pick(types);
    if (is_norm(p) && !random.one_in(20)) p.src.type = random.pick(std::vector<std::string>{"f32", "bf16", "f16"});
    p.dst.type = mixed ? random.pick(types) : p.src.type;
    const size_t rank = random.percent(50) ? 4 : 1 + random.below(6);
    p.src.tag = make.pointwise_tag(random, rank);
    p.dst.tag = random.percent(60) ? p.src.tag : random.percent(50) ? "any" : make.pointwise_tag(random, rank);
    p.src.dims = p.dst.dims = make.dims(random, {p.src.tag, p.dst.tag}, rank);
    const uint64_t mask = random.one_in(40) ? 0 : 1 + random.below((1u << rank) - 1);
    for (size_t d = 0; d < rank; ++d)
        if (mask >> d & 1) p.dst.dims[d] = 1;
    if (random.one_in(40)) p.dst.dims[random.below(rank)] += 1;
    if (random.one_in(3)) vary_layout(random, p.src, true);
    if (random.percent(25)) make.add_post_ops(random, p, false);
    p.user_scratchpad = random.one_in(8);
    p.special = random.one_in(12);
}

struct Product { // the factors above 1, and those below, without the others: some order has them first
    double value = 1, above = 0, below = 0;
    int64_t factors = 0;
    bool special = false;

    void multiply(double x) {
        value *= x;
        const double size = std::log2(std::fabs(x));
        if (x != 0) (size > 0 ? above : below) += std::fabs(size);
        special = special || unusual(x);
        ++factors;
    }
    Expected expected() const {
        if (std::max(above, below) >= 126) return {value, std::numeric_limits<double>::infinity(), special};
        return {value, double(factors + 2) * half_ulp * std::fabs(value), special};
    }
};

// |x|^p with the errors of a power of few ulp, and of underflow.
void add_power(double x, double p, Sum& total) {
    const double term = p == 1 ? std::fabs(x) : std::pow(std::fabs(x), p);
    total.add(term > largest_f32 ? std::numeric_limits<double>::infinity() : term);
    total.special |= unusual(x);
    if (p != 1 && std::isfinite(total.size)) total.weight_error += 16 * half_ulp * term + smallest;
}

// The norm of a sum: eps, then the root by an exponent that is rounded to f32, whose error is log(x) times its own.
Expected norm(const Problem& p, Expected sum) {
    const double order = double(float(p.alpha)), eps = double(float(p.beta));
    const bool least = p.algorithm.find("max") != std::string::npos,
               root = p.algorithm.find("power") == std::string::npos;
    const auto of = [&](double v) {
        const double bounded = least ? (eps > v ? eps : v) : v + eps;
        return root ? std::pow(bounded, 1 / order) : bounded;
    };
    Expected result{of(sum.value), 0, sum.special};
    if (!std::isfinite(result.value)) return {result.value, sum.slack, sum.special};
    for (const double end : {std::max(sum.value - sum.slack, 0.), sum.value + sum.slack})
        result.slack = std::max(result.slack, std::fabs(of(end) - result.value));
    result.slack += (root ? 120 : 2) * half_ulp * std::fabs(result.value); // log(largest_f32) < 89
    return result;
}

std::vector<Expected> formula(const Problem& p, const std::vector<Tensor>& inputs) {
    const Tensor& src = inputs[0];
    const bool max = p.algorithm == "max";
    const auto outputs = size_t(volume(p.dst.dims));
    std::vector<Sum> sums(outputs);
    std::vector<Product> products(outputs);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double highest = src.values.empty() ? largest_f32 : infinity;
    std::vector<Expected> extremes(outputs, {max ? -highest : highest, 0, false});
    Tensor places{p.dst.dims, std::vector<double>(outputs)}; // each output's own index
    for (size_t k = 0; k < outputs; ++k) places.values[k] = double(k);
    for (size_t i = 0; i < src.values.size(); ++i) {
        const double x = src.values[i];
        const auto k = size_t(places.at(int64_t(i), p.src.dims));
        if (is_norm(p))
            add_power(x, double(float(p.alpha)), sums[k]);
        else
            sums[k].add(x);
        products[k].multiply(x);
        Expected& most = extremes[k];
        if (std::isnan(x) || (max ? x > most.value : x < most.value)) most.value = x;
        most.special |= unusual(x);
    }
    const double each = double(volume(p.src.dims)) / double(std::max<size_t>(outputs, 1));
    std::vector<Expected> out;
    for (size_t k = 0; k < outputs; ++k) {
        Expected e = p.algorithm == "mul" ? products[k].expected() : sums[k].expected();
        if (p.algorithm == "mean")
            e = {e.value / each, e.slack / each + half_ulp * std::fabs(e.value / each), e.special};
        if (is_norm(p)) e = norm(p, e);
        out.push_back(max || p.algorithm == "min" ? extremes[k] : e);
    }
    return out;
}

} // namespace

const std::vector<Algorithm>& reduction_algorithms() {
    static const std::vector<Algorithm> all = {{"max", 0x2fff2},
                                               {"min", 0x2fff3},
                                               {"sum", 0x2fff4},
                                               {"mul", 0x2fff5},
                                               {"mean", 0x2fff6},
                                               {"norm_lp_max", 0x2fff7},
                                               {"norm_lp_sum", 0x2fff8},
                                               {"norm_lp_power_p_max", 0x2fff9},
                                               {"norm_lp_power_p_sum", 0x2fffa}};
    return all;
}

constinit const Row reduction_row = {
    .name = "reduction",
    .has_algorithm = true,
    .generate = generate,
    .formula = formula,
};

} // namespace differential
