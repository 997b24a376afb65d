// SPDX-License-Identifier: Apache-2.0
#include "softmax.hpp"

#include <cmath>

#include "../formula/formula_parts.hpp"
#include "../problems/generate.hpp"
#include "../problems/random.hpp"
#include "../problems/vary.hpp"
#include "row.hpp"

namespace differential {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void generate(const Generator& make, Random& random, Problem& p) {
    static const std::vector<std::string> floats = {"f32", "f32", "bf16", "f16"},
                                          types = {"f32", "f32", "s8", "u8", "bf16", "f16"};
    p.algorithm = random.pick(softmax_algorithms()).name;
    p.direction = random.pick(std::vector<std::string>{"FWD_D", "FWD_I", "BWD_D"});
    const bool backward = p.direction == "BWD_D";
    p.src.type = random.pick(backward ? floats : types);
    const size_t rank = random.percent(50) ? 4 : 1 + random.below(6);
    p.src.tag = make.pointwise_tag(random, rank);
    p.dst.tag = random.percent(60) ? p.src.tag : make.pointwise_tag(random, rank);
    p.src.dims = p.dst.dims = make.dims(random, {p.src.tag, p.dst.tag}, rank);
    p.dst.type = random.percent(60) ? p.src.type : random.pick(backward ? floats : types);
    if (!backward && random.percent(20)) p.dst.tag = "any";
    p.axis = random.one_in(40) ? int(rank) - 2 : int(random.below(rank));
    if (random.one_in(3)) vary_layout(random, p.src, true);
    if (!backward && random.percent(30)) p.scales.push_back({"src", 0, {}, {}});
    if (!backward && random.percent(30)) p.scales.push_back({"dst", 0, {}, {}});
    if (random.percent(backward ? 2 : 20)) make.add_post_ops(random, p, false);
    p.in_place = p.dst.tag == p.src.tag && p.dst.type == p.src.type && p.src.strides.empty() && p.src.parent.empty() &&
                 random.one_in(8);
    p.user_scratchpad = random.one_in(8);
    p.special = random.one_in(12);
}

// The elements of each row, by logical index.
std::vector<std::vector<int64_t>> rows_of(const Problem& p) {
    const Dims& dims = p.dst.dims;
    int64_t inner = 1, outer = 1;
    for (size_t d = 0; d < dims.size(); ++d) (int(d) < p.axis ? outer : inner) *= int(d) == p.axis ? 1 : dims[d];
    const int64_t extent = dims[size_t(p.axis)];
    std::vector<std::vector<int64_t>> rows;
    for (int64_t row = 0; row < outer * inner; ++row) {
        std::vector<int64_t>& elements = rows.emplace_back();
        for (int64_t i = 0; i < extent; ++i) elements.push_back((row / inner * extent + i) * inner + row % inner);
    }
    return rows;
}

// Exponentials carry the rounding of their arguments, sums one rounding for each term.
void forward(const Problem& p, const std::vector<double>& src, const std::vector<int64_t>& row,
             std::vector<Expected>& out) {
    double most = -infinity, sum = 0;
    bool special = false;
    for (const int64_t i : row) {
        const double s = src[size_t(i)];
        if (s > most || std::isnan(s)) most = s; // greater than NaN is nothing
        special = special || unusual(s);
    }
    const auto above = [&](int64_t i) { return double(float(src[size_t(i)] - most)); };
    const auto exponential = [](double x) { return std::isnan(x) ? infinity : std::exp(x); };
    for (const int64_t i : row) sum += exponential(above(i));
    const double roundings = double(row.size()) + 40;
    for (const int64_t i : row) {
        const double x = above(i), ln = std::log(sum);
        Expected& e = out[size_t(i)];
        e.special = special;
        if (p.algorithm == "log") {
            e.value = x - ln;
            if (std::isfinite(e.value))
                e.slack = half_ulp * (2 * std::fabs(x) + std::fabs(e.value) + 8 * std::fabs(ln) + roundings);
        } else {
            e.value = exponential(x) / sum;
            if (e.value < smallest) e.value = 0; // as f32, which comparisons see
            if (std::isfinite(x)) e.slack = e.value * half_ulp * (2 * std::fabs(x) + roundings) + 4 * smallest;
        }
    }
}

void backward(const Problem& p, const std::vector<Tensor>& inputs, const std::vector<int64_t>& row,
              std::vector<Expected>& out) {
    const bool log = p.algorithm == "log";
    Sum sum;
    for (const int64_t i : row) {
        const double d = inputs[0].values[size_t(i)], dd = inputs[1].values[size_t(i)];
        sum.special = sum.special || unusual(d) || unusual(dd);
        sum.add(log ? dd : dd * d);
    }
    const Expected total = sum.expected();
    for (const int64_t i : row) {
        const double d = inputs[0].values[size_t(i)], dd = inputs[1].values[size_t(i)];
        const double factor = log ? std::exp(d) : d, rest = log ? total.value : dd - total.value;
        Expected& e = out[size_t(i)];
        e.value = log ? dd - factor * rest : factor * rest;
        e.special = total.special || unusual(factor);
        e.slack = std::fabs(factor) * (total.slack + half_ulp * (60 + std::fabs(d)) * std::fabs(rest)) +
                  2 * half_ulp * (std::fabs(e.value) + std::fabs(dd)) + smallest * (1 + std::fabs(rest));
        const bool leaves = std::fabs(factor * rest) > largest_f32 || (log && d > 88.3) || std::isinf(total.slack);
        if (leaves || !std::isfinite(e.value)) e.slack = infinity;
    }
}

std::vector<Expected> formula(const Problem& p, const std::vector<Tensor>& inputs) {
    std::vector<Expected> out(size_t(volume(p.dst.dims)));
    if (out.empty()) return out;
    for (const auto& row : rows_of(p))
        is_backward(p) ? backward(p, inputs, row, out) : forward(p, inputs[0].values, row, out);
    return out;
}

} // namespace

const std::vector<Algorithm>& softmax_algorithms() {
    static const std::vector<Algorithm> all = {{"accurate", 0x30000}, {"log", 0x30001}};
    return all;
}

constinit const Row softmax_row = {
    .name = "softmax",
    .directed = true,
    .has_algorithm = true,
    .has_axis = true,
    .scales_results = true,
    .generate = generate,
    .formula = formula,
};

} // namespace differential
