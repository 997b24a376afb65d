// SPDX-License-Identifier: Apache-2.0
#include "pointwise.hpp"

#include <algorithm>
#include <cmath>

namespace differential {
namespace {

constexpr double relative = 4e-6, of_terms = 1e-6, flushed = 4.7019774e-38;
constexpr double root_2_over_pi = 0.79788456080286536, pi = 3.14159265358979324;

struct Term { // a value, and the largest term it is the sum of
    double value, largest = 0;
};

double sigma(double s) { return 1 / (1 + std::exp(-s)); }
double softplus(double s) { return s > 0 ? s + std::log1p(std::exp(-s)) : std::log1p(std::exp(s)); }
double clamp01(double x) { return std::isnan(x) ? x : std::min(1.0, std::max(0.0, x)); }

// s * f where f falls to 0 faster than s grows: the limit at -inf is -0.
double fading(double s, double f) { return f == 0 && std::isinf(s) ? -0.0 : s * f; }

Term forward(const std::string& a, double al, double be, double s) {
    if (std::isnan(s) && !(a == "pow" && be == 0)) return {s};
    const double line = (al == 0 ? 0 : al * s) + be, terms = std::fabs(al * s) + std::fabs(be);
    if (a == "relu") return {s > 0 ? s : al == 0 ? 0 : al * s}; // not 0 times infinity
    if (a == "tanh") return {std::tanh(s)};
    if (a == "elu") return {s > 0 ? s : al * std::expm1(s), s > 0 ? 0 : std::fabs(al)};
    if (a == "square") return {s * s};
    if (a == "abs") return {std::fabs(s)};
    if (a == "sqrt") return {std::sqrt(s)};
    if (a == "linear") return {line, terms};
    if (a == "soft_relu") return {softplus(al * s) / al, std::max(std::fabs(s), 1 / std::fabs(al))};
    if (a == "hardsigmoid") return {clamp01(line), std::min(terms, 1e6)};
    if (a == "logistic") return {sigma(s)};
    if (a == "exp") return {std::exp(s)};
    if (a == "gelu_tanh") {
        const double g = root_2_over_pi * (s + .044715 * s * s * s);
        return {fading(s, sigma(2 * g)), std::fabs(s)};
    }
    if (a == "swish") return {fading(s, sigma(al == 0 ? 0 : al * s)), std::fabs(s)};
    if (a == "log") return {std::log(s), 1};
    if (a == "clip") return {s > be ? be : s > al ? s : al};
    if (a == "clip_v2") return {s >= be ? be : s > al ? s : al};
    if (a == "pow") {
        const double value = al * std::pow(s, be); // ELT-40
        return {value, be == 0 ? 0 : std::fabs(value * be * std::log2(std::fabs(s)))};
    }
    if (a == "gelu_erf") return {fading(s, .5 * std::erfc(-s / std::sqrt(2.0))), std::fabs(s)};
    if (a == "round") return {std::nearbyint(s)};
    if (a == "mish") return {fading(s, std::tanh(softplus(s))), std::fabs(s)};
    return {fading(s, clamp01(line)), std::fabs(s) * std::min(terms, 1e6)}; // hardswish
}

// Gradients that are chosen, not computed: a NaN fails the comparisons, and where 0 is chosen nothing is multiplied.
bool selects(const std::string& a) {
    static const char* const all[] = {"abs",     "relu",        "relu_dst",    "clip",
                                      "clip_v2", "clip_v2_dst", "hardsigmoid", "hardswish"};
    return std::find(std::begin(all), std::end(all), a) != std::end(all);
}

// The derivative at s; `largest` is that of its terms.
Term slope(const std::string& a, double al, double be, double s) {
    if (std::isnan(s) && !selects(a) && !(a == "pow" && (be == 0 || be == 1))) return {s};
    const double line = (al == 0 && !std::isnan(s) ? 0 : al * s) + be; // a NaN fails every comparison
    if (a == "relu") return {s > 0 ? 1 : al};
    if (a == "tanh") return {4 * sigma(2 * s) * sigma(-2 * s), 1}; // 1 - tanh^2, above 0 for large s too
    if (a == "elu") return {s > 0 ? 1 : al * std::exp(s)};
    if (a == "square") return {2 * s};
    if (a == "abs") return {s > 0 ? 1.0 : s < 0 ? -1.0 : 0.0};
    if (a == "sqrt") return {1 / (2 * std::sqrt(s))};
    if (a == "linear") return {al};
    if (a == "soft_relu") return {sigma(al * s)};
    if (a == "hardsigmoid") return {line > 0 && line < 1 ? al : 0};
    if (a == "logistic") return {sigma(s) * sigma(-s), 1};
    if (a == "exp") return {std::exp(s)};
    if (a == "gelu_tanh") {
        const double g = root_2_over_pi * (s + .044715 * s * s * s);
        const double dg = root_2_over_pi * (s + .134145 * s * s * s), t = sigma(2 * g);
        const double second = 2 * t * sigma(-2 * g);
        return {t + (second == 0 ? 0 : dg * second), 1 + std::fabs(s)};
    }
    if (a == "swish") {
        const double x = al == 0 ? 0 : al * s, rest = sigma(x) * sigma(-x);
        return {sigma(x) + (rest == 0 ? 0 : x * rest), 1 + std::min(std::fabs(x), 100.0)};
    }
    if (a == "log") return {1 / s};
    if (a == "clip") return {s > al && s <= be ? 1.0 : 0.0};
    if (a == "clip_v2") return {s > al && s < be ? 1.0 : 0.0};
    if (a == "pow") {
        const double value = be == 0 ? 0 : al * be * std::pow(s, be - 1);
        return {value, value == 0 ? 0 : std::fabs(value * be * std::log2(std::fabs(s)))};
    }
    if (a == "gelu_erf") {
        const double bell = std::exp(-s * s / 2);
        return {.5 * std::erfc(-s / std::sqrt(2.0)) + (bell == 0 ? 0 : s * bell / std::sqrt(2 * pi)), 1 + std::fabs(s)};
    }
    if (a == "mish") {
        const double t = std::tanh(softplus(s)), rest = (1 - t * t) * sigma(s);
        return {t + (rest == 0 ? 0 : s * rest), 1 + std::min(std::fabs(s), 100.0)};
    }
    return {line >= 1 ? 1 : line > 0 ? 2 * (line - be) + be : 0, std::min(2 * std::fabs(al * s) + std::fabs(be), 1e6)};
}

Term slope_from_dst(const std::string& a, double al, double be, double d) {
    if (std::isnan(d) && !selects(a)) return {d};
    if (a == "relu_dst") return {d > 0 ? 1 : al};
    if (a == "tanh_dst") return {1 - d * d, 1 + d * d};
    if (a == "elu_dst") return {d > 0 ? 1 : d + al, d > 0 ? 0 : std::fabs(d) + std::fabs(al)};
    if (a == "sqrt_dst") return {1 / (2 * d)};
    if (a == "logistic_dst") return {d * (1 - d), std::fabs(d) + d * d};
    if (a == "exp_dst") return {d};
    return {d > al && d < be ? 1.0 : 0.0}; // clip_v2_dst
}

bool ends_with_dst(const std::string& a) { return a.size() > 4 && a.compare(a.size() - 4, 4, "_dst") == 0; }

// Not a number, infinite, or denormal in f32.
bool unusual(double x) { return !std::isfinite(x) || (x != 0 && std::fabs(x) < 1.1754944e-38); }

double finite_or_0(double x) { return std::isfinite(x) ? x : 0; }

Expected expect(double value, double largest, bool special) {
    return {value, relative * std::fabs(finite_or_0(value)) + of_terms * finite_or_0(largest) + flushed, special};
}

} // namespace

const std::vector<Algorithm>& eltwise_algorithms() {
    static const std::vector<Algorithm> all = {
        {"relu", 0x20},          {"tanh", 0x21},      {"elu", 0x22},         {"square", 0x23},      {"abs", 0x24},
        {"sqrt", 0x25},          {"linear", 0x26},    {"soft_relu", 0x27},   {"hardsigmoid", 0x28}, {"logistic", 0x29},
        {"exp", 0x2a},           {"gelu_tanh", 0x2b}, {"swish", 0x2c},       {"log", 0x2d},         {"clip", 0x2e},
        {"clip_v2", 0x2f},       {"pow", 0x30},       {"gelu_erf", 0x31},    {"round", 0x32},       {"mish", 0x33},
        {"hardswish", 0x34},     {"relu_dst", 0x100}, {"tanh_dst", 0x101},   {"elu_dst", 0x102},    {"sqrt_dst", 0x103},
        {"logistic_dst", 0x104}, {"exp_dst", 0x105},  {"clip_v2_dst", 0x106}};
    return all;
}

const std::vector<Algorithm>& binary_algorithms() {
    static const std::vector<Algorithm> all = {{"add", 0x1fff0}, {"mul", 0x1fff1}, {"max", 0x1fff2}, {"min", 0x1fff3},
                                               {"div", 0x1fff4}, {"sub", 0x1fff5}, {"ge", 0x1fff6},  {"gt", 0x1fff7},
                                               {"le", 0x1fff8},  {"lt", 0x1fff9},  {"eq", 0x1fffa},  {"ne", 0x1fffb}};
    return all;
}

const Algorithm* find_algorithm(const std::vector<Algorithm>& all, const std::string& name) {
    const auto it = std::find_if(all.begin(), all.end(), [&](const Algorithm& a) { return name == a.name; });
    return it == all.end() ? nullptr : &*it;
}

Expected eltwise_forward(const std::string& a, double alpha, double beta, double s) {
    const Term t = forward(ends_with_dst(a) ? a.substr(0, a.size() - 4) : a, alpha, beta, s);
    return expect(t.value, t.largest, unusual(s));
}

Expected eltwise_backward(const std::string& a, double alpha, double beta, double data, double dd) {
    const Term t = ends_with_dst(a) ? slope_from_dst(a, alpha, beta, data) : slope(a, alpha, beta, data);
    if (t.value == 0 && selects(a)) return expect(0, 0, unusual(data) || unusual(dd));
    Expected e = expect(t.value * dd, t.largest * std::fabs(dd), unusual(data) || unusual(dd));
    e.slack += flushed * finite_or_0(std::fabs(dd)); // a slope that is denormal has few bits
    return e;
}

Expected binary(const std::string& a, double l, double r) {
    const bool special = unusual(l) || unusual(r), nan = std::isnan(l) || std::isnan(r);
    const auto truth = [&](bool holds) { return Expected{holds ? 1.0 : 0.0, 0, special}; };
    if (a == "ge") return truth(l >= r);
    if (a == "gt") return truth(l > r);
    if (a == "le") return truth(l <= r);
    if (a == "lt") return truth(l < r);
    if (a == "eq") return truth(l == r);
    if (a == "ne") return truth(l != r);
    if (a == "max" || a == "min")
        return {nan ? std::nan("") : a == "max" ? std::max(l, r) : std::min(l, r), 0, special};
    const double largest = a == "add" || a == "sub" ? std::max(std::fabs(l), std::fabs(r)) : 0;
    return expect(a == "add" ? l + r : a == "sub" ? l - r : a == "mul" ? l * r : l / r, largest, special);
}

bool accepts(const Type& t, const Expected& e, uint64_t code) {
    const double value = decode(t, code);
    if (std::isinf(e.slack)) return true; // an order of additions, or a rounding, decides between finite and not
    if (t.kind != Kind::floating) {
        const double top = std::ldexp(1.0, t.kind == Kind::signed_integer ? t.bits - 1 : t.bits) - 1;
        const double bottom = t.kind == Kind::signed_integer ? -top - 1 : 0;
        if (std::isnan(e.value)) return value == bottom; // ours (004); what others make of it is for a quirk row
        const auto end = [&](double x) { return std::nearbyint(std::clamp(x, bottom, top)); };
        const double f32_top = t.bits == 32 ? 127 : 0; // saturated in f32: the largest below 2^31 is 2147483520
        return value >= end(e.value - e.slack) - f32_top * (e.value > 1e9) && value <= end(e.value + e.slack);
    }
    if (std::isnan(e.value) || std::isnan(value)) return std::isnan(e.value) && std::isnan(value);
    if (value == e.value) return true;
    if (std::isinf(e.value)) return false;
    const uint64_t largest_code = (((uint64_t(1) << t.exponent_bits) - 1) << t.mantissa_bits) - 1;
    const double largest = decode(t, largest_code), ulp_of_largest = std::ldexp(largest, -t.mantissa_bits);
    if (std::isinf(value)) return (value > 0 ? e.value : -e.value) + e.slack >= largest - ulp_of_largest;
    const double lowest_step = std::ldexp(1.0, 2 - (1 << (t.exponent_bits - 1)) - t.mantissa_bits);
    const double step =
        std::max(std::ldexp(1.0, std::ilogb(std::max(std::fabs(value), 1e-300)) - t.mantissa_bits), lowest_step);
    return std::fabs(value - e.value) <= e.slack + step;
}

} // namespace differential
