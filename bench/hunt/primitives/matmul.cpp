// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "../realistic.hpp"

namespace hunt {
namespace {

struct Types {
    const char *src, *weights;
    Names dst;
    bool converts;
};

} // namespace

void matmul_habit(Random& random, Problem& p) {
    static const std::vector<Types> table = {{"f32", "f32", {"f32"}, false},
                                             {"f32", "f32", {"f32"}, false},
                                             {"f32", "f32", {"f32"}, false},
                                             {"bf16", "bf16", {"bf16", "bf16", "f32"}, false},
                                             {"bf16", "bf16", {"bf16", "f32"}, false},
                                             {"f16", "f16", {"f16", "f32"}, false},
                                             {"u8", "s8", {"f32", "u8", "s32", "bf16"}, false},
                                             {"s8", "s8", {"f32", "s8", "s32", "bf16"}, false}};
    const Types& types = random.pick(table);
    p.src.type = types.src, p.other.type = types.weights, p.dst.type = random.pick(types.dst);
    const size_t rank = random.percent(65) ? 2 : random.one_in(2) ? 3 : 4, n = rank - 1, m = n - 1;
    static constexpr int64_t batches[] = {1, 2, 4, 8, 12, 16, 32, 64};
    static constexpr int64_t rows[] = {1, 1, 1, 2, 3, 4, 5, 7, 8, 16};
    p.src.dims.resize(rank), p.other.dims.resize(rank);
    for (size_t d = 0; d < m; ++d) {
        p.src.dims[d] = p.other.dims[d] = random.pick(batches);
        if (random.one_in(8)) p.other.dims[d] = 1;
    }
    const bool heads = rank > 2 && random.one_in(2); // attention: a short inner or outer dim
    p.src.dims[m] = random.percent(35) ? random.pick(rows) : length(random);
    p.src.dims[n] = heads && random.one_in(2) ? 64 : length(random);
    p.other.dims[n] = heads && random.one_in(2) ? 64 : length(random);
    const auto operations = [&] { // of the matrices and all their batches
        double product = double(p.other.dims[n]);
        for (const int64_t d : p.src.dims) product *= double(d);
        return product;
    };
    static constexpr double bounds[] = {1e5, 1e6, 1e7, 1e8, 1e9};
    const double most = random.pick(bounds);
    while (operations() > most) {
        int64_t* largest = &p.other.dims[n];
        for (int64_t& d : p.src.dims)
            if (d > *largest) largest = &d;
        const int64_t old = *largest;
        *largest = (old + 1) / 2;
        for (size_t d = 0; d < m; ++d)
            if (&p.src.dims[d] == largest && p.other.dims[d] == old) p.other.dims[d] = *largest;
    }
    p.other.dims[m] = p.src.dims[n];
    p.dst.dims = p.src.dims;
    p.dst.dims[n] = p.other.dims[n];
    const std::string plain_tag = plain(rank);
    std::string exchanged = plain_tag;
    std::swap(exchanged[m], exchanged[n]);
    p.src.tag = random.percent(85) ? plain_tag : exchanged;
    p.other.tag = random.percent(45) ? "any" : random.one_in(2) ? plain_tag : exchanged;
    p.dst.tag = plain_tag;
    if (rank == 4 && random.one_in(4)) p.src.tag = p.dst.tag = "acbd"; // heads inside of rows
    if (random.percent(40)) {
        p.sources.push_back({{random.percent(70) ? "f32" : p.dst.type, plain_tag, p.dst.dims, {}, {}, {}}, 1});
        for (size_t d = 0; d < n; ++d) p.sources[0].side.dims[d] = 1;
    }
    if (random.one_in(4)) add_post_ops(random, p);
    for (auto& op : p.post_ops) // of the last dim in place of the second
        if (!op.type.empty() && op.first == 2) op.first = double(1 << n);
    const bool whole = p.other.type == "s8";
    if (whole && random.percent(60)) {
        p.scales.push_back({"src", 0, "", {}});
        p.scales.push_back({"wei", random.one_in(2) ? 1 << n : 0, "", {}});
        if (p.dst.type == "u8" || p.dst.type == "s8") p.scales.push_back({"dst", 0, "", {}});
    }
    if (whole && random.one_in(3)) p.zero_points.push_back({"src", 0, "", {}});
    if (p.other.tag != "any" && random.one_in(12)) add_row_gap(p.other, random.between(1, 16));
}

} // namespace hunt
