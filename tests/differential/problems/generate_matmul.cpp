// Matmuls: batches with broadcasts, matrices in any order of rows and columns, the types that both sides know, scales
// and zero points by row, column and group.
#include <algorithm>

#include "element.hpp"
#include "generate.hpp"
#include "random.hpp"
#include "vary.hpp"

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

} // namespace

void Generator::matmul(Random& random, Problem& p) const {
    static const std::vector<std::string> all = {"u8", "s8", "s32", "f32", "bf16", "f16"};
    static const std::vector<Types> table = {{"f32", "f32", {"f32"}, {"f32", "bf16"}, false},
                                             {"bf16", "bf16", {"bf16", "f32"}, {"bf16", "f32"}, false},
                                             {"f16", "f16", {"f16", "f32"}, {"f16", "f32"}, false},
                                             {"u8", "s8", all, all, false},
                                             {"s8", "s8", all, all, false},
                                             {"u8", "u8", all, all, false},
                                             {"f32", "s8", {"f32"}, {"f32"}, true},
                                             {"bf16", "s8", {"bf16", "f32"}, {"f32"}, true},
                                             {"f32", "u8", {"f32"}, {"f32"}, true}};
    p.primitive = "matmul";
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
    if (random.percent(35)) add_post_ops(random, p, false);
    std::erase_if(p.post_ops, [](const PostOp& op) { return op.kind == "sum" && !op.type.empty(); });
    if (p.converts_integers || !p.post_ops.empty()) p.seed &= ~uint64_t(1);
    p.user_scratchpad = random.one_in(8);
}

} // namespace differential
