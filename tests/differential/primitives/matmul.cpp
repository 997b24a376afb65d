// SPDX-License-Identifier: Apache-2.0
// Matmuls: batches with broadcasts, matrices in any order of rows and columns, the types that both sides know, scales
// and zero points by row, column and group.
#include <algorithm>
#include <cmath>

#include "../formula/formula_parts.hpp"
#include "../problems/generate.hpp"
#include "../problems/random.hpp"
#include "row.hpp"

namespace differential {
namespace {

struct Types {
    const char *src, *weights;
    std::vector<std::string> dst, bias;
    bool converts = false;
};

bool whole(const std::string& t) { return type(t)->kind != Kind::floating; }

int64_t extent(Random& random) {
    static constexpr int64_t usual[] = {1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 100};
    return random.percent(60) ? random.pick(usual) : random.between(1, 40);
}

std::string matrix_tag(Random& random, size_t rank) {
    std::string tag = std::string("abcdefghijkl").substr(0, rank);
    if (random.percent(30)) std::swap(tag[rank - 2], tag[rank - 1]);
    if (rank > 2 && random.one_in(10)) std::swap(tag[0], tag[1]);
    return tag;
}

// One value, one for each row or column of the matrix, or one for each group of k (bit `k` of the mask).
Quantization factors(Random& random, const char* argument, const Dims& dims, size_t outer, size_t k) {
    Quantization q{argument, 0, "", {}};
    if (random.percent(40)) return q;
    q.mask = 1 << outer;
    if (std::string(argument) == "dst" || !random.one_in(3)) return q;
    static constexpr int64_t sizes[] = {2, 4, 8, 16, 32};
    const int64_t group = random.pick(sizes);
    if (dims[k] % group) return q;
    q.mask |= 1 << k;
    q.groups = k > outer ? Dims{1, group} : Dims{group, 1};
    return q;
}

void generate(const Generator& make, Random& random, Problem& p) {
    static const std::vector<std::string> all = {"u8", "s8", "s32", "f32", "bf16", "f16"};
    static const std::vector<Types> table = {{"f32", "f32", {"f32"}, {"f32", "bf16"}, false},
                                             {"bf16", "bf16", {"bf16", "f32"}, {"bf16", "f32"}, false},
                                             {"f16", "f16", {"f16", "f32"}, {"f16", "f32"}, false},
                                             {"u8", "s8", all, all, false},
                                             {"s8", "s8", all, all, false},
                                             {"u8", "u8", all, all, false},
                                             {"f32", "s8", {"f32"}, {"f32"}, true},
                                             {"bf16", "s8", {"bf16", "f32"}, {"f32"}, true},
                                             {"f32", "u8", {"f32"}, {"f32"}, true},
                                             {"bf16", "s4", {"bf16", "f32"}, {"f32"}, true},
                                             {"bf16", "u4", {"bf16", "f32"}, {"f32"}, true}};
    const Types& types = random.pick(table);
    p.src.type = types.src, p.other.type = types.weights, p.dst.type = random.pick(types.dst);
    p.converts_integers = types.converts && !random.one_in(20);
    const size_t rank = random.percent(60) ? 2 : 3 + random.below(3), n = rank - 1, m = n - 1;
    p.src.dims.resize(rank), p.other.dims.resize(rank);
    for (size_t d = 0; d < m; ++d) {
        p.src.dims[d] = p.other.dims[d] = random.between(1, 3);
        if (random.one_in(4)) (random.one_in(2) ? p.src : p.other).dims[d] = 1;
    }
    p.src.dims[m] = extent(random);
    p.src.dims[n] = p.other.dims[m] = extent(random);
    p.other.dims[n] = extent(random);
    if (type(p.other.type)->bits == 4) // lines of 4 bits fill bytes
        p.other.dims[n] += p.other.dims[n] % 2, p.src.dims[n] = p.other.dims[m] += p.other.dims[m] % 2;
    if (random.one_in(60)) p.src.dims[m] = 0;
    p.dst.dims = p.src.dims;
    for (size_t d = 0; d < m; ++d) p.dst.dims[d] = std::max(p.src.dims[d], p.other.dims[d]);
    p.dst.dims[n] = p.other.dims[n];
    p.src.tag = matrix_tag(random, rank);
    // What the rival adds behind open integer weights only its own reorder knows.
    const bool open = !whole(p.other.type) && random.percent(40);
    p.other.tag = open ? "any" : matrix_tag(random, rank);
    p.dst.tag = random.percent(25) ? "any"
                : random.one_in(8) ? matrix_tag(random, rank)
                                   : std::string("abcdefghijkl").substr(0, rank);
    if (random.one_in(30)) p.other.dims[random.below(rank)] += 1;
    if (random.percent(35)) {
        Source bias{{random.pick(types.bias), std::string("abcdefghijkl").substr(0, rank), p.dst.dims, {}, {}, {}}, 1};
        for (size_t d = 0; d < n; ++d)
            if (!random.one_in(6)) bias.side.dims[d] = 1;
        p.sources.push_back(bias);
    }
    if (random.percent(45)) {
        if (random.percent(60)) p.scales.push_back(factors(random, "src", p.src.dims, m, n));
        if (random.percent(60)) p.scales.push_back(factors(random, "wei", p.other.dims, n, m));
        if (random.percent(40)) p.scales.push_back(factors(random, "dst", p.dst.dims, n, n));
    }
    if (random.percent(35)) {
        if (whole(p.src.type) && random.percent(60)) p.zero_points.push_back({"src", 0, "", {}});
        if (whole(p.other.type) && random.percent(50))
            p.zero_points.push_back(factors(random, "wei", p.other.dims, n, m));
        if ((whole(p.dst.type) || random.one_in(4)) && random.percent(50)) p.zero_points.push_back({"dst", 0, "", {}});
    }
    if (random.percent(35)) make.add_post_ops(random, p, false);
    std::erase_if(p.post_ops, [](const PostOp& op) { return op.kind == "sum" && !op.type.empty(); });
    if (p.converts_integers || !p.post_ops.empty()) p.seed &= ~uint64_t(1);
    p.user_scratchpad = random.one_in(8);
}

std::vector<Expected> formula(const Problem& p, const std::vector<Tensor>& inputs) {
    const Tensor &src = inputs[0], &weights = inputs[1];
    const size_t n = p.dst.dims.size() - 1, m = n - 1;
    const int64_t depth = p.src.dims[n], rows = p.src.dims[m], columns = p.dst.dims[n];
    const auto inside = [](const Quantization& q) { return q.argument != "dst" && q.mask != 0; };
    const bool exact =
        whole(p.src.type) && whole(p.other.type) && std::none_of(p.scales.begin(), p.scales.end(), inside);
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

} // namespace

constinit const Row matmul_row = {
    .name = "matmul",
    .has_other = true,
    .multiplies = true,
    .generate = generate,
    .formula = formula,
};

} // namespace differential
