// SPDX-License-Identifier: Apache-2.0
#include "ops/softmax/softmax.hpp"

#include "core/layout/quant.hpp"
#include "core/types/convert.hpp"
#include "ops/coordinates.hpp"
#include "ops/epilogue.hpp"
#include "primitives/row.hpp"

namespace tessera::primitives::softmax {
namespace {

// Of math::exp_or_zero: 0.9 ulp, or 0 below 2^-126.5.
constexpr double half_ulp = 0x1p-24, exp_error = 0.9 * 0x1p-23, smallest = 0x1p-126;
constexpr double infinity = std::numeric_limits<double>::infinity();

dnnl_status_t create(dnnl_primitive_desc_t* made, const Asked& a, dnnl_engine_t engine,
                     const_dnnl_primitive_attr_t attr) {
    if (a.line.backward())
        return dnnl_softmax_backward_primitive_desc_create(made, engine, a.alg(), as_handle(a.dst), as_handle(a.dst),
                                                           a.handle(0), a.line.axis, nullptr, attr);
    return dnnl_softmax_forward_primitive_desc_create(made, engine, a.prop(), a.alg(), a.handle(0), as_handle(a.dst),
                                                      a.line.axis, attr);
}

Result<Problem> make(const Asked& a, const Attr& attr) {
    if (a.line.backward()) return ops::make_softmax_backward(a.line.alg, a.dst, a.dst, a.src(), a.line.axis, attr);
    return ops::make_softmax_forward(a.line.prop, a.line.alg, a.src(), a.dst, a.line.axis, attr);
}

// What the elements of each row share.
struct Totals {
    Totals(const Problem& p, const ops::Buffers& before) : s(p), layout(layout_of_mask(-1, s.rows())) {
        const int second = s.backward && !s.log ? arg::dst : s.from; // a factor of the terms
        const Layout of_first = layout_of(p.md(s.from)), of_second = layout_of(p.md(second));
        ops::for_each_coordinate(s.rows(), [&](std::span<const int64_t> row) {
            Total& t = of_rows.emplace_back();
            std::vector<int64_t> at(row.begin(), row.end());
            const auto along = [&](auto visit) {
                for (at[s.axis] = 0; at[s.axis] < s.extent; ++at[s.axis])
                    visit(read<float>(p.md(s.from).type, before.at(s.from), of_first.at(at)));
            };
            if (!s.backward)
                along([&](float x) {
                    if (x > t.most || std::isnan(x)) t.most = x; // greater than NaN is nothing
                });
            along([&](float x) {
                double term = s.backward ? double(x) : exponential(double(x - t.most));
                if (second != s.from) term *= read<float>(p.md(second).type, before.at(second), of_second.at(at));
                t.sum += term, t.magnitude += std::abs(term);
            });
        });
    }
    static double exponential(double x) { return std::isnan(x) ? infinity : std::exp(x); }

    struct Total {
        float most = float(-infinity);
        double sum = 0, magnitude = 0;
    };
    const Total& at(std::span<const int64_t> at) const {
        std::vector<int64_t> row(at.begin(), at.end());
        row[s.axis] = 0;
        return of_rows[size_t(layout.at(row))];
    }
    // Of a sum, each in relation to the magnitudes: the order of core/program/reduction.hpp.
    double roundings() const { return double(std::min<int64_t>(s.extent - 1, 300 + s.extent / 4096)); }

    const ops::Softmax s;
    const Layout layout;
    std::vector<Total> of_rows;
};

Interval near(double exact, double error) {
    Interval bound;
    bound.add(exact, 1.001 * error);
    return bound;
}

Interval of_dst(const Computation& c, std::span<const int64_t> at) {
    const Totals& totals = c.sums<Totals>();
    const Totals::Total& t = totals.at(at);
    const MemoryDesc& src = c.problem.md(arg::src);
    const double x = double(read<float>(src.type, c.before.at(arg::src), layout_of(src).at(at)) - t.most);
    const double of_sum = exp_error + totals.roundings() * half_ulp;
    Interval bound;
    if (totals.s.log) { // ln is within an ulp
        const double exact = x - std::log(t.sum);
        bound = near(exact, of_sum + 2 * half_ulp * std::abs(std::log(t.sum)) + half_ulp * std::abs(exact));
    } else {
        const double exact = Totals::exponential(x) / t.sum;
        bound = near(exact, exact * (exp_error + of_sum + 2 * half_ulp) + smallest);
    }
    const float scale = ops::ref_scale(c.problem, c.before, arg::src, at);
    const Interval scaled = bound.through([&](Interval& image, float v) { image.add(v * scale); });
    return c.finished(scaled, at).through([&](Interval& image, float v) {
        image.add(ops::ref_quantized(c.problem, c.before, v, arg::dst, at));
    });
}

Interval of_diff_src(const Computation& c, std::span<const int64_t> at) {
    const Totals& totals = c.sums<Totals>();
    const Totals::Total& t = totals.at(at);
    const double dd = c.value(arg::diff_dst, at), d = c.value(arg::dst, at);
    const double of_sum = (totals.roundings() + 1) * half_ulp * t.magnitude;
    if (totals.s.log && d > 88) { // no logarithm of a probability: the exponential is infinite from 88.4 on
        Interval anything;
        anything.add(float(-infinity)), anything.add(float(infinity));
        anything.nan = true;
        return anything;
    }
    if (totals.s.log) {
        const double e = std::exp(d), exact = dd - e * t.sum;
        return near(exact, e * (of_sum + exp_error * (std::abs(t.sum) + of_sum)) + half_ulp * std::abs(exact) +
                               smallest * (1 + std::abs(t.sum)));
    }
    const double difference = dd - t.sum;
    return near(d * difference, std::abs(d) * (of_sum + 2 * half_ulp * (std::abs(difference) + of_sum)) + smallest);
}

} // namespace

constinit const Row row = {
    .kind = PrimitiveKind::softmax,
    .help = "  softmax --alg=accurate|log [--dir=FWD_D|FWD_I|BWD_D] [--sdt=TYPE] [--ddt=TYPE] [--stag=TAG]\n"
            "          [--dtag=TAG|any] [--axis=N] [--inplace] DIMS\n",
    .options = "--alg --axis --inplace --dir",
    .create = create,
    .make = make,
    .adds = true,
    .values =
        [](const Problem& p, DataType) {
            const ops::Softmax s(p); // of long rows special values would leave nothing else
            return s.backward || s.extent > 4 ? Values::exponents : Values::hostile;
        },
    .bounds =
        [](const Computation& c, int output, std::span<const int64_t> at) {
            return std::vector{output == arg::dst ? of_dst(c, at) : of_diff_src(c, at)};
        },
    .driver = "--softmax",
    .dtag = "any",
    .complete =
        [](spellings::Foreign& f) {
            f.alg = f.alg == "logsoftmax" || f.alg == "log" ? "log" : "accurate";
            return Result<void>();
        },
};

} // namespace tessera::primitives::softmax
