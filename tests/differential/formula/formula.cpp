// SPDX-License-Identifier: Apache-2.0
#include "formula.hpp"

#include <algorithm>
#include <functional>

#include "../primitives/row.hpp"
#include "formula_parts.hpp"

namespace differential {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The value and slack of f(x): f is monotone between the ends, or bends so little there that they bound it; but for
// `jump`, where it may be anything.
void apply(const std::function<Expected(double)>& f, Expected& x, double jump = NAN) {
    const Expected middle = f(x.value);
    const auto in_f32 = [](double v) { return std::fabs(v) > largest_f32 ? std::copysign(infinity, v) : v; };
    Expected next{in_f32(middle.value), std::isinf(x.slack) ? infinity : middle.slack, x.special || middle.special};
    const bool jumps = std::fabs(jump - x.value) <= x.slack;
    for (const double at : {x.value - x.slack, x.value + x.slack, jumps ? jump : x.value + x.slack}) {
        if (x.slack == 0) break;
        const Expected end = f(at);
        const double away = in_f32(end.value) == next.value ? 0 : std::fabs(end.value - next.value);
        const bool known = std::isnan(next.value) ? std::isnan(end.value) : !std::isnan(away);
        next.slack = known ? std::max(next.slack, middle.slack + (std::isnan(away) ? 0 : away)) : infinity;
    }
    x = next;
}

} // namespace

double Tensor::at(int64_t linear, const Dims& outer) const {
    int64_t place = 0, step = 1;
    for (size_t d = outer.size(); d-- > 0; linear /= outer[d]) {
        if (dims[d] != 1) place += linear % outer[d] * step;
        step *= dims[d];
    }
    return values[size_t(place)];
}

std::vector<Expected> expected_output(const Problem& p, const std::vector<Tensor>& inputs) {
    return row_of(p).formula(p, inputs);
}

void quantize(double scale, double zero_point, Expected& x) {
    x.value = x.value / scale + zero_point;
    x.slack = x.slack / scale + 2 * half_ulp * (std::fabs(x.value) + std::fabs(zero_point));
}

void apply_post_op(const PostOp& op, const PostOpInputs& in, Expected& x) {
    const auto first = double(float(op.first)), second = double(float(op.second));
    if (op.kind == "sum") {
        const double term = first * (in.old - second);
        const double size = std::fabs(x.value) + std::fabs(term);
        x.value += term;
        if (std::isfinite(size)) x.slack += 2 * half_ulp * size;
    } else if (op.kind == "select") {
        if (!in.condition) x = {in.operand, 0, unusual(in.operand)};
    } else if (op.kind == "prelu") {
        apply([&](double v) { return prelu_value(v, in.operand); }, x);
    } else if (find_algorithm(binary_algorithms(), op.kind)) {
        apply([&](double v) { return binary(op.kind, v, in.operand); }, x, in.operand);
    } else {
        apply([&](double v) { return eltwise_forward(op.kind, first, second, v); }, x);
    }
}

} // namespace differential
