#include "formula.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace differential {
namespace {

constexpr double half_ulp = 5.9604645e-8, smallest = 1.1754944e-38, infinity = std::numeric_limits<double>::infinity();
constexpr double largest_f32 = 3.4028234663852886e38;

bool unusual(double x) { return !std::isfinite(x) || (x != 0 && std::fabs(x) < smallest); }

struct Sum { // of terms that are rounded, and added in any order
    double value = 0, size = 0, weight_error = 0;
    int64_t terms = 0;
    bool special = false;

    void add(double term) {
        value += term;
        size += std::fabs(term);
        special = special || unusual(term);
        ++terms;
    }
    Expected expected() const {
        if (!std::isfinite(size)) return {value, 0, special};
        if (size > largest_f32) return {value, infinity, special}; // some order of addition overflows
        return {value, double(terms + 2) * (half_ulp * size + smallest) + weight_error, special};
    }
};

std::vector<Expected> sum(const Problem& p, const std::vector<Tensor>& inputs) {
    std::vector<Expected> out;
    for (size_t i = 0; i < inputs.front().values.size(); ++i) {
        Sum total;
        for (size_t k = 0; k < inputs.size(); ++k) total.add(double(float(p.sources[k].scale)) * inputs[k].values[i]);
        out.push_back(total.expected());
    }
    return out;
}

Expected prelu(double s, double w) { return s > 0 ? Expected{s, 0, unusual(s) || unusual(w)} : binary("mul", s, w); }

std::vector<Expected> prelu(const Problem& p, const std::vector<Tensor>& inputs) {
    const Tensor &src = inputs[0], &weights = inputs[1];
    std::vector<Expected> out;
    const auto n = int64_t(src.values.size());
    if (p.want != "diff_weights") {
        for (int64_t i = 0; i < n; ++i) {
            const double s = src.values[size_t(i)], w = weights.at(i, src.dims);
            if (!is_backward(p)) {
                out.push_back(prelu(s, w));
                continue;
            }
            const double dd = inputs[2].values[size_t(i)];
            out.push_back(s > 0 ? Expected{dd, 0, unusual(dd) || unusual(s) || unusual(w)} : binary("mul", dd, w));
            out.back().special |= unusual(s);
        }
        return out;
    }
    std::vector<Sum> sums(weights.values.size());
    Tensor places = weights; // each weight's own index
    for (size_t k = 0; k < places.values.size(); ++k) places.values[k] = double(k);
    for (int64_t i = 0; i < n; ++i) {
        const double s = src.values[size_t(i)], dd = inputs[2].values[size_t(i)];
        Sum& total = sums[size_t(places.at(i, src.dims))];
        total.add((std::isnan(s) ? s : std::min(s, 0.0)) * dd);
        total.special |= unusual(s) || unusual(dd);
    }
    for (const Sum& total : sums) out.push_back(total.expected());
    return out;
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

std::vector<Expected> resampling(const Problem& p, const Tensor& input) {
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

// The value and slack of f(x): f is monotone between the ends, or bends so little there that they bound it.
void apply(const std::function<Expected(double)>& f, Expected& x) {
    const Expected middle = f(x.value);
    const auto in_f32 = [](double v) { return std::fabs(v) > largest_f32 ? std::copysign(infinity, v) : v; };
    Expected next{in_f32(middle.value), middle.slack, x.special || middle.special};
    for (const double at : {x.value - x.slack, x.value + x.slack}) {
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
    if (p.primitive == "matmul") return expected_matmul(p, inputs);
    if (p.primitive == "inner_product") return expected_inner_product(p, inputs);
    if (p.primitive == "sum") return sum(p, inputs);
    if (p.primitive == "prelu") return prelu(p, inputs);
    if (p.primitive == "resampling") return resampling(p, inputs[0]);
    const auto alpha = double(float(p.alpha)), beta = double(float(p.beta));
    std::vector<Expected> out;
    for (int64_t i = 0; i < volume(p.dst.dims); ++i) {
        const double left = inputs[0].at(i, p.dst.dims), right = inputs.size() > 1 ? inputs[1].at(i, p.dst.dims) : 0;
        if (p.primitive == "binary" && p.algorithm == "select") {
            const double chosen = inputs[2].at(i, p.dst.dims) != 0 ? left : right;
            out.push_back({chosen, 0, unusual(chosen)});
        } else {
            out.push_back(p.primitive == "binary" ? binary(p.algorithm, left, right)
                          : is_backward(p)        ? eltwise_backward(p.algorithm, alpha, beta, left, right)
                                                  : eltwise_forward(p.algorithm, alpha, beta, left));
        }
    }
    return out;
}

std::vector<Expected> expected_matmul(const Problem& p, const std::vector<Tensor>& inputs) {
    const Tensor &src = inputs[0], &weights = inputs[1];
    const size_t n = p.dst.dims.size() - 1, m = n - 1;
    const int64_t depth = p.src.dims[n], rows = p.src.dims[m], columns = p.dst.dims[n];
    const auto whole = [](const Side& side) { return type(side.type)->kind != Kind::floating; };
    const auto inside = [](const Quantization& q) { return q.argument != "dst" && q.mask != 0; };
    const bool exact = whole(p.src) && whole(p.other) && std::none_of(p.scales.begin(), p.scales.end(), inside);
    Dims batch = p.dst.dims; // of matrices
    batch[m] = batch[n] = 1;
    Tensor src_places{p.src.dims, {}}, weights_places{p.other.dims, {}};
    for (Tensor* places : {&src_places, &weights_places}) {
        places->dims[m] = places->dims[n] = 1;
        for (int64_t i = 0; i < volume(places->dims); ++i) places->values.push_back(double(i));
    }
    std::vector<Expected> out;
    for (int64_t i = 0; i < volume(p.dst.dims); ++i) {
        const int64_t matrix = i / (rows * columns), row = i / columns % rows, column = i % columns;
        const auto s = size_t((int64_t(src_places.at(matrix, batch)) * rows + row) * depth);
        const auto w = size_t(int64_t(weights_places.at(matrix, batch)) * depth * columns + column);
        double value = 0, size = 0;
        for (int64_t k = 0; k < depth; ++k) {
            const double term = src.values[s + size_t(k)] * weights.values[w + size_t(k * columns)];
            value += term;
            size += std::fabs(term);
        }
        const double bias = inputs.size() > 2 ? inputs[2].at(i, p.dst.dims) : 0;
        const double slack = exact ? 4 * half_ulp * (std::fabs(value) + 2 * std::fabs(bias))
                                   : double(depth + 4) * half_ulp * (size + std::fabs(bias));
        out.push_back({value + bias, slack + smallest, false});
    }
    return out;
}

namespace {

// The sum of `terms` products and what any order of additions may be off.
template <typename Term> Expected sum_of(int64_t terms, const Term& term) {
    double value = 0, size = 0;
    for (int64_t k = 0; k < terms; ++k) {
        value += term(k);
        size += std::fabs(term(k));
    }
    return {value, double(terms + 4) * half_ulp * size + smallest, false};
}

} // namespace

std::vector<Expected> expected_inner_product(const Problem& p, const std::vector<Tensor>& inputs) {
    const int64_t batch = p.dst.dims[0], outputs = p.dst.dims[1], terms = volume(p.other.dims) / outputs;
    const auto &a = inputs[0].values, &b = inputs[1].values;
    std::vector<Expected> out;
    const auto add = [&](int64_t n, const auto& term) { out.push_back(sum_of(n, term)); };
    if (p.direction == "BWD_D") { // of diff_dst and weights
        for (int64_t i = 0; i < batch * terms; ++i)
            add(outputs,
                [&](int64_t o) { return a[size_t(i / terms * outputs + o)] * b[size_t(o * terms + i % terms)]; });
    } else if (p.direction == "BWD_W") { // of src and diff_dst
        const bool of_bias = p.want == "diff_bias";
        for (int64_t i = 0; i < outputs * (of_bias ? 1 : terms); ++i)
            add(batch, [&](int64_t n) {
                const int64_t o = of_bias ? i : i / terms;
                return b[size_t(n * outputs + o)] * (of_bias ? 1 : a[size_t(n * terms + i % terms)]);
            });
    } else {
        for (int64_t i = 0; i < batch * outputs; ++i) {
            add(terms,
                [&](int64_t k) { return a[size_t(i / outputs * terms + k)] * b[size_t(i % outputs * terms + k)]; });
            if (inputs.size() <= 2) continue;
            const double bias = inputs[2].values[size_t(i % outputs)];
            out.back().value += bias;
            out.back().slack += 4 * half_ulp * std::fabs(bias);
        }
    }
    return out;
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
        apply([&](double v) { return prelu(v, in.operand); }, x);
    } else if (find_algorithm(binary_algorithms(), op.kind)) {
        apply([&](double v) { return binary(op.kind, v, in.operand); }, x);
    } else {
        apply([&](double v) { return eltwise_forward(op.kind, first, second, v); }, x);
    }
}

} // namespace differential
