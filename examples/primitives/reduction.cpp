// SPDX-License-Identifier: Apache-2.0
// Reduction: sums, means, maxima, products and norms along any dims.
//
// A table of sales by shop and day, with the sum of each row, of each column and of all, as a spreadsheet has them: the
// dims of dst that are 1 are those that are reduced. Then eight functions of one row, and a norm with a post-op behind
// it, which makes it the root mean square.
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

constexpr int shops = 3, days = 5;
bool right = true;

void check(double got, double wanted, const char* what) {
    if (std::fabs(got - wanted) <= 1e-5 * (1 + std::fabs(wanted))) return;
    std::printf("WRONG: %s is %g, a plain loop says %g\n", what, got, wanted);
    right = false;
}

std::vector<float> reduce(const engine& cpu, stream& s, algorithm alg, std::vector<float>& x, const memory::dims& from,
                          const memory::dims& to, float p = 0, float eps = 0, const primitive_attr& attr = {}) {
    const memory::desc src(from, dt::f32, tag::ab), dst(to, dt::f32, tag::ab);
    std::vector<float> y(dst.get_size() / sizeof(float));
    const reduction::primitive_desc pd(cpu, alg, src, dst, p, eps, attr);
    reduction(pd).execute(s, {{DNNL_ARG_SRC, memory(src, cpu, x.data())}, {DNNL_ARG_DST, memory(dst, cpu, y.data())}});
    s.wait();
    return y;
}

} // namespace

int main() try {
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    std::vector<float> sales = {12, 7, 9, 14, 20, 3, 5, 4, 8, 11, 30, 25, 28, 31, 40};
    const auto by_shop = reduce(cpu, s, algorithm::reduction_sum, sales, {shops, days}, {shops, 1});
    const auto by_day = reduce(cpu, s, algorithm::reduction_sum, sales, {shops, days}, {1, days});
    const auto all = reduce(cpu, s, algorithm::reduction_sum, sales, {shops, days}, {1, 1});

    std::printf("        Mon  Tue  Wed  Thu  Fri |  sum\n");
    double total = 0;
    for (int shop = 0; shop < shops; ++shop) {
        double sum = 0;
        std::printf("shop %d:", shop);
        for (int day = 0; day < days; ++day) {
            std::printf("%5.0f", sales[shop * days + day]);
            sum += sales[shop * days + day];
        }
        std::printf(" |%5.0f\n", by_shop[shop]);
        check(by_shop[shop], sum, "the sum of a row");
        total += sum;
    }
    std::printf("   sum:");
    for (int day = 0; day < days; ++day) {
        double sum = 0;
        for (int shop = 0; shop < shops; ++shop) sum += sales[shop * days + day];
        std::printf("%5.0f", by_day[day]);
        check(by_day[day], sum, "the sum of a column");
    }
    std::printf(" |%5.0f\n", all[0]);
    check(all[0], total, "the sum of all");

    std::vector<float> row = {1, -2, 3, -4};
    double squares = 0, cubes = 0;
    for (float x : row) {
        squares += x * x;
        cubes += std::pow(std::fabs(x), 3);
    }
    const struct {
        const char* name;
        algorithm alg;
        float p;
        double wanted;
    } functions[] = {
        {"sum", algorithm::reduction_sum, 0, -2},
        {"mean", algorithm::reduction_mean, 0, -0.5},
        {"max", algorithm::reduction_max, 0, 3},
        {"min", algorithm::reduction_min, 0, -4},
        {"mul", algorithm::reduction_mul, 0, 24},
        {"L2 norm", algorithm::reduction_norm_lp_sum, 2, std::sqrt(squares)},
        {"L3 norm", algorithm::reduction_norm_lp_sum, 3, std::cbrt(cubes)},
        {"squares", algorithm::reduction_norm_lp_power_p_sum, 2, squares},
    };
    std::printf("\nof 1 -2 3 -4\n");
    for (const auto& f : functions) {
        const float result = reduce(cpu, s, f.alg, row, {1, 4}, {1, 1}, f.p)[0];
        std::printf("%8s %8.3f\n", f.name, result);
        check(result, f.wanted, f.name);
    }

    // The root mean square is the L2 norm divided by the root of how many there are; the division is a post-op.
    post_ops divide;
    divide.append_eltwise(algorithm::eltwise_linear, 1 / std::sqrt(4.f), 0);
    primitive_attr attr;
    attr.set_post_ops(divide);
    const float rms = reduce(cpu, s, algorithm::reduction_norm_lp_sum, row, {1, 4}, {1, 1}, 2, 0, attr)[0];
    std::printf("     rms %8.3f\n", rms);
    check(rms, std::sqrt(squares / 4), "rms");
    return right ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "reduction: %s\n", e.what());
    return 1;
}
