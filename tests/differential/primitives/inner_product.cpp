// SPDX-License-Identifier: Apache-2.0
// Inner products and their gradients: no to three dims of pixels, layouts in any order and open ones, the types that
// both sides know.
#include <algorithm>
#include <cmath>

#include "../formula/formula_parts.hpp"
#include "../problems/generate.hpp"
#include "../problems/random.hpp"
#include "row.hpp"

namespace differential {
namespace {

using Names = std::vector<std::string>;

struct Types {
    const char *src, *weights;
    Names dst, bias;
};

bool whole(const std::string& t) { return type(t)->kind != Kind::floating; }

std::string plain(size_t rank) { return std::string("abcde").substr(0, rank); }

std::string channels_last(size_t rank) { return "a" + plain(rank).substr(2) + "b"; }

void generate(const Generator& make, Random& random, Problem& p) {
    static const Names all = {"u8", "s8", "s32", "f32", "bf16"};
    static const std::vector<Types> forward = {{"f32", "f32", {"f32"}, {"f32"}},
                                               {"bf16", "bf16", {"bf16", "f32"}, {"bf16", "f32"}},
                                               {"f16", "f16", {"f16", "f32"}, {"f16", "f32"}},
                                               {"u8", "s8", all, all},
                                               {"s8", "s8", all, all}};
    static const std::vector<Types> backward(forward.begin(), forward.begin() + 3);
    p.direction = random.pick(Names{"FWD_D", "FWD_I", "BWD_D", "BWD_W"});
    const bool of_data = p.direction == "BWD_D", of_weights = p.direction == "BWD_W", back = of_data || of_weights;
    const Types& types = random.pick(back ? backward : forward);
    const std::string result = random.pick(types.dst);
    p.src.type = of_data ? result : types.src;
    p.other.type = of_weights ? result : types.weights;
    p.dst.type = back ? types.src : result;

    static constexpr int64_t usual[] = {1, 3, 8, 15, 16, 17, 32, 33, 48, 64, 65, 100};
    const auto extent = [&] { return random.percent(60) ? random.pick(usual) : random.between(1, 40); };
    const size_t rank = random.percent(50) ? 2 : 3 + random.below(3);
    p.src.dims = {random.one_in(60) ? 0 : extent(), extent()};
    for (size_t d = 2; d < rank; ++d) p.src.dims.push_back(random.between(1, rank == 5 ? 3 : 5));
    p.other.dims = p.src.dims;
    p.other.dims[0] = extent();
    p.dst.dims = {p.src.dims[0], p.other.dims[0]};
    if (random.one_in(40)) p.other.dims[1 + random.below(rank - 1)] += 1;

    const bool last = random.one_in(2);
    p.src.tag = random.percent(20) ? "any" : last && rank > 2 ? channels_last(rank) : plain(rank);
    // What the rival adds behind open integer weights only its own reorder knows.
    const bool open = !whole(p.other.type) && random.percent(40);
    p.other.tag = open ? "any" : last && rank > 2 ? channels_last(rank) : plain(rank);
    if (!open && random.one_in(3)) p.other.tag = p.other.tag.substr(1) + "a"; // io, hwio
    if (!open && random.one_in(6)) p.other.tag = plain(rank);
    p.dst.tag = random.percent(30) ? "any" : random.one_in(12) ? "ba" : "ab";
    if (!of_data && random.one_in(2)) {
        p.sources.push_back(
            {{random.pick(of_weights ? types.dst : types.bias), "a", {p.other.dims[0]}, {}, {}, {}}, 1});
        if (random.one_in(30)) p.sources[0].side.dims[0] += 1;
    }
    if (of_weights) p.want = !p.sources.empty() && random.one_in(2) ? "diff_bias" : "diff_weights";
    if (whole(p.src.type) && random.percent(50)) {
        if (random.percent(70)) p.scales.push_back({"src", random.one_in(40) ? 1 : 0, "", {}});
        if (random.percent(70)) p.scales.push_back({"wei", random.one_in(2) ? 1 : 0, "", {}});
        if (random.percent(50)) p.scales.push_back({"dst", 0, "", {}});
    }
    if (random.one_in(50)) p.zero_points.push_back({"src", 0, "", {}});
    if (random.percent(back ? 2 : 35)) make.add_post_ops(random, p, false);
    std::erase_if(p.post_ops, [](const PostOp& op) { return op.kind == "sum" && !op.type.empty(); });
    if (!p.post_ops.empty()) p.seed &= ~uint64_t(1);
    p.user_scratchpad = random.one_in(8);
}

// The sum of `terms` products and what any order of additions may be off.
template <typename Term> Expected sum_of(int64_t terms, const Term& term) {
    double value = 0, size = 0;
    for (int64_t k = 0; k < terms; ++k) {
        value += term(k);
        size += std::fabs(term(k));
    }
    return {value, double(terms + 4) * half_ulp * size + smallest, false};
}

std::vector<Expected> formula(const Problem& p, const std::vector<Tensor>& inputs) {
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

} // namespace

constinit const Row inner_product_row = {
    .name = "inner_product",
    .directed = true,
    .has_other = true,
    .multiplies = true,
    .gradient_of_src = true,
    .generate = generate,
    .formula = formula,
};

} // namespace differential
