// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "../realistic.hpp"

namespace hunt {
namespace {

struct Types {
    const char *src, *weights;
    Names dst;
};

} // namespace

void inner_product_habit(Random& random, Problem& p) {
    static const std::vector<Types> table = {{"f32", "f32", {"f32"}},           {"f32", "f32", {"f32"}},
                                             {"bf16", "bf16", {"bf16", "f32"}}, {"f16", "f16", {"f16", "f32"}},
                                             {"u8", "s8", {"f32", "u8"}},       {"s8", "s8", {"f32", "s8"}}};
    p.direction = direction(random, {"BWD_D", "BWD_W"});
    const bool of_data = p.direction == "BWD_D", of_weights = p.direction == "BWD_W", back = of_data || of_weights;
    const Types& types = table[random.below(back ? 4 : table.size())];
    const std::string result = random.pick(types.dst);
    p.src.type = of_data ? result : types.src;
    p.other.type = of_weights ? result : types.weights;
    p.dst.type = back ? types.src : result;
    static constexpr int64_t rows[] = {1, 1, 2, 3, 4, 7, 8, 16, 32, 64, 128, 256};
    const size_t rank = random.percent(75) ? 2 : 4;
    p.src.dims = {random.pick(rows), rank == 2 ? length(random) : channels(random)};
    if (rank == 4) p.src.dims.insert(p.src.dims.end(), 2, random.one_in(2) ? 7 : random.between(1, 6));
    int64_t outputs = length(random);
    static constexpr double bounds[] = {1e5, 1e6, 1e7, 1e8, 1e9};
    const double most = random.pick(bounds);
    while (double(differential::volume(p.src.dims)) * double(outputs) > most) {
        auto& largest = std::max(*std::max_element(p.src.dims.begin(), p.src.dims.begin() + 2), outputs) == outputs
                            ? outputs
                            : *std::max_element(p.src.dims.begin(), p.src.dims.begin() + 2);
        if (largest == 1) break;
        largest = (largest + 1) / 2;
    }
    p.other.dims = p.src.dims;
    p.other.dims[0] = outputs;
    p.dst.dims = {p.src.dims[0], outputs};
    p.src.tag = random.one_in(4) ? "any" : rank == 4 && random.one_in(2) ? channels_last(rank) : plain(rank);
    p.other.tag = random.percent(60) ? "any" : plain(rank);
    p.dst.tag = "ab";
    if (!of_data && random.percent(60)) p.sources.push_back({{"f32", "a", {outputs}, {}, {}, {}}, 1});
    if (!back && random.one_in(4)) add_post_ops(random, p, 1);
    if (!back && types.weights == std::string("s8") && random.percent(60))
        p.scales = {{"src", 0, "", {}}, {"wei", random.one_in(2) ? 1 : 0, "", {}}};
}

} // namespace hunt
