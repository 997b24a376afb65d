// SPDX-License-Identifier: Apache-2.0
#include "pooling.hpp"

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
    p.algorithm = random.pick(pooling_algorithms()).name;
    p.direction = random.pick(std::vector<std::string>{"FWD_D", "FWD_I", "FWD_I", "BWD_D"});
    p.src.type = random.pick(types);
    if (is_backward(p)) p.src.type = random.pick(std::vector<std::string>{"f32", "bf16", "f16"});
    p.dst.type = random.one_in(4) && p.direction == "FWD_I" ? random.pick(types) : p.src.type;
    const size_t rank = random.one_in(40) ? 2 + 4 * random.below(2) : 3 + random.below(3);
    p.src.tag = make.pointwise_tag(random, rank);
    p.dst.tag = random.percent(75) ? p.src.tag : make.pointwise_tag(random, rank);
    p.src.dims = make.dims(random, {p.src.tag, p.dst.tag}, rank);
    p.dst.dims = p.src.dims;
    for (size_t d = 2; d < rank; ++d) {
        const auto pick = [&](int64_t most) { return int64_t(random.below(uint64_t(most))); };
        const int64_t kernel = 1 + pick(4), stride = 1 + pick(3), dilation = random.one_in(4) ? pick(3) : 0;
        const int64_t reach = (kernel - 1) * (dilation + 1) + 1;
        const int64_t before = random.one_in(2) ? 0 : pick(random.one_in(10) ? 9 : reach);
        int64_t behind = random.one_in(2) ? before : pick(reach);
        behind = std::max(behind, reach - p.src.dims[d] - before);
        p.windows.push_back({kernel, stride, dilation, before, behind});
        p.dst.dims[d] = (p.src.dims[d] - reach + before + behind) / stride + 1;
    }
    if (random.one_in(4)) (is_backward(p) ? p.src : p.dst).tag = "any";
    if (random.one_in(40)) p.dst.dims[random.below(rank)] += 1;
    if (random.one_in(4) && p.src.tag != "any") vary_layout(random, p.src, !is_backward(p));
    if (random.percent(is_backward(p) ? 2 : 25)) make.add_post_ops(random, p, false);
    p.user_scratchpad = random.one_in(8);
    p.special = random.one_in(12);
}

// Visits (index in src, index in dst) of all taps inside.
void each_tap(const Problem& p, const std::function<void(int64_t, int64_t)>& visit) {
    const Dims &src = p.src.dims, &dst = p.dst.dims;
    const size_t rank = dst.size();
    const int64_t total = volume(dst);
    for (int64_t linear = 0; linear < total; ++linear) {
        int64_t index[12]{}, rest = linear;
        for (size_t d = rank; d-- > 0; rest /= dst[d]) index[d] = rest % dst[d];
        const std::function<void(size_t, int64_t)> walk = [&](size_t d, int64_t place) {
            if (d == rank) return visit(place, linear);
            const Dims& w = p.windows[d - 2];
            for (int64_t k = 0; k < w[0]; ++k)
                if (const int64_t i = index[d] * w[1] + k * (w[2] + 1) - w[3]; i >= 0 && i < src[d])
                    walk(d + 1, place * src[d] + i);
        };
        walk(2, index[0] * src[1] + index[1]);
    }
}

double lowest(const std::string& name) {
    if (name == "bf16") return -0x1.fep127;
    if (name == "f16") return -65504;
    return name == "s32" ? -2147483648. : name == "s8" ? -128 : name == "u8" ? 0 : -largest_f32;
}

std::vector<Expected> formula(const Problem& p, const std::vector<Tensor>& inputs) {
    const Tensor& input = inputs[0];
    const auto outputs = size_t(volume(p.dst.dims));
    double kernel = 1;
    for (const Dims& w : p.windows) kernel *= double(w[0]);
    std::vector<double> divisors(outputs, kernel);
    std::vector<Expected> most(outputs, {lowest(p.dst.type), 0, false});
    std::vector<int64_t> best(outputs, -1);
    if (p.algorithm == "avg_exclude_padding") {
        std::fill(divisors.begin(), divisors.end(), 0);
        each_tap(p, [&](int64_t, int64_t dst) { divisors[size_t(dst)] += 1; });
    }
    const bool max = p.algorithm == "max";
    if (max) // of the gradient it is src of the forward computation, whose maxima the workspace keeps
        each_tap(p, [&](int64_t src, int64_t dst) {
            const double x = (is_backward(p) ? inputs[1] : input).values[size_t(src)];
            Expected& e = most[size_t(dst)];
            const bool first = best[size_t(dst)] < 0, later_nan = std::isnan(x) && !std::isnan(e.value);
            if (first || x > e.value || later_nan) e.value = x, best[size_t(dst)] = src;
            e.special |= unusual(x);
        });
    if (max && !is_backward(p)) return most;
    std::vector<Sum> sums(size_t(volume(output(p).dims)));
    each_tap(p, [&](int64_t src, int64_t dst) {
        if (max && best[size_t(dst)] != src) return;
        const double x = input.values[size_t(is_backward(p) ? dst : src)], divisor = divisors[size_t(dst)];
        Sum& total = sums[size_t(is_backward(p) ? src : dst)];
        total.add(max ? x : x / divisor);
        total.weight_error += max ? 0 : 2 * half_ulp * std::fabs(x / divisor);
        total.special |= unusual(x);
    });
    std::vector<Expected> out;
    for (const Sum& total : sums) out.push_back(total.expected());
    return out;
}

} // namespace

const std::vector<Algorithm>& pooling_algorithms() {
    static const std::vector<Algorithm> all = {
        {"max", 0x1ff}, {"avg_include_padding", 0x2ff}, {"avg_exclude_padding", 0x3ff}};
    return all;
}

constinit const Row pooling_row = {
    .name = "pooling",
    .directed = true,
    .has_algorithm = true,
    .gradient_of_src = true,
    .windowed = true,
    .generate = generate,
    .formula = formula,
};

} // namespace differential
