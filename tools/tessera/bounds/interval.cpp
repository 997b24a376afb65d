// SPDX-License-Identifier: Apache-2.0
#include "bounds/interval.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "core/program/binary.hpp"
#include "core/program/lib/eltwise.hpp"
#include "core/program/lib/eltwise_parts.hpp"
#include "core/types/convert.hpp"

namespace tessera {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// Where a function turns besides zero, or bends. It is flat where it turns: an approximate place has the exact value.
std::array<double, 3> turns_of(int alg, double alpha, double beta) {
    switch (alg) {
    case alg::eltwise_gelu_tanh:
        return {-0.7524614066};
    case alg::eltwise_gelu_erf:
        return {-0.7517915260};
    case alg::eltwise_swish:
        return {-1.2784645427 / alpha};
    case alg::eltwise_mish:
        return {-1.1924312170};
    case alg::eltwise_hardswish:
        return {-beta / (2 * alpha), -beta / alpha, (1 - beta) / alpha};
    default:
        return {};
    }
}

} // namespace

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

double ulp_of(double x) {
    const auto exponent = int64_t(std::bit_cast<uint64_t>(x) >> 52 & 0x7ff);
    return std::bit_cast<double>(uint64_t(std::max<int64_t>(exponent - 23, 1023 - 149)) << 52);
}

void Interval::add(float x) {
    if (std::isnan(x)) {
        nan = true;
        return;
    }
    low = std::min(low, x);
    high = std::max(high, x);
}

void Interval::add(double exact, double error) {
    if (std::isnan(exact)) return add(float(exact));
    if (std::isinf(exact)) return add(float(exact));
    const double below = exact - error, above = exact + error;
    const auto down = float(below), up = float(above);
    add(double(down) > below ? std::nextafter(down, -infinity) : down);
    add(double(up) < above ? std::nextafter(up, infinity) : up);
}

Interval function_image(const Interval& x, int alg, double alpha, double beta) {
    const EltwiseError e = error_of(alg);
    const auto add_image = [&](Interval& image, float v) {
        const double exact = eltwise_of(alg, v, alpha, beta);
        image.add(exact, ulps_at(e.forward, e.growth, v) * ulp_of(exact) + e.floor);
    };
    Interval image = x.through(add_image);
    for (const double turn : turns_of(alg, alpha, beta))
        if (double(x.low) < turn && turn < double(x.high)) add_image(image, float(turn));
    return image;
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

bool within(const Interval& bound, DataType type, const void* got, int64_t element) {
    const auto rounded = [&](float x) {
        uint64_t bits = 0;
        write<float>(type, &bits, 0, x);
        return read<double>(type, &bits, 0);
    };
    const auto value = read<double>(type, got, element);
    const double of_nan = rounded(std::numeric_limits<float>::quiet_NaN());
    if (bound.nan && (value == of_nan || (std::isnan(value) && std::isnan(of_nan)))) return true;
    if (bound.empty()) return false;
    const double low = rounded(bound.low), high = rounded(bound.high);
    const bool to_nan = std::isnan(low) || std::isnan(high); // an infinity, of a type that has none
    if (std::isnan(value)) return to_nan;
    return (std::isnan(low) || low <= value) && (std::isnan(high) || value <= high);
}

} // namespace tessera
