// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "../problems/generate.hpp"
#include "../problems/random.hpp"
#include "normalization.hpp"
#include "row.hpp"

namespace differential {
namespace {

NormalizationPlaces places_of(const Problem& p) {
    const int64_t channels = p.src.dims[1], each = std::max<int64_t>(channels / std::max<int64_t>(p.group, 1), 1);
    NormalizationPlaces places{{p.src.dims[0], p.group}, {}, {}};
    int64_t pixels = 1;
    for (size_t d = 2; d < p.src.dims.size(); ++d) pixels *= p.src.dims[d];
    for (int64_t i = 0; i < volume(p.src.dims); ++i) {
        const int64_t channel = i / pixels % channels, image = i / pixels / channels;
        places.set.push_back(image * p.group + channel / each), places.scale.push_back(channel);
    }
    return places;
}

int64_t channels_of(const Problem& p) { return p.src.dims[1]; }

void generate(const Generator& make, Random& random, Problem& p) {
    const size_t rank = 2 + random.below(4);
    p.direction = random.pick(std::vector<std::string>{"FWD_D", "FWD_D", "FWD_I", "BWD", "BWD", "BWD_D"});
    p.algorithm = random_flags(random, "GCH");
    const std::vector<std::string> floats = {"f32", "f32", "f32", "bf16", "f16"},
                                   all = {"f32", "f32", "f32", "bf16", "f16", "s8", "u8"};
    p.src.type = random.pick(is_backward(p) ? floats : all);
    p.dst.type = random.one_in(2) ? p.src.type : random.pick(is_backward(p) ? floats : all);
    p.src.tag = make.pointwise_tag(random, rank);
    p.dst.tag = random.percent(60) ? p.src.tag : random.percent(50) ? "any" : make.pointwise_tag(random, rank);
    p.src.dims = make.dims(random, {p.src.tag, p.dst.tag}, rank);
    std::vector<int64_t> divisors;
    for (int64_t g = 1; g <= p.src.dims[1]; ++g)
        if (p.src.dims[1] % g == 0) divisors.push_back(g);
    p.group = divisors.empty() ? 1 : random.pick(divisors);
    p.dst.dims = p.src.dims;
    finish_normalization(make, random, p, places_of(p), channels_of(p));
    if (random.one_in(40)) p.group = p.src.dims[1] + 1, p.want.clear();
    if (!is_backward(p) && p.want.empty() && random.one_in(3))
        for (const char* side : {"src", "dst"})
            if (random.one_in(2)) p.scales.push_back({side, 0, "", {}});
}

std::vector<Expected> formula(const Problem& p, const std::vector<Tensor>& inputs) {
    return normalization_formula(p, inputs, places_of(p), channels_of(p));
}

} // namespace

constinit const Row group_normalization_row = {
    .name = "group_normalization",
    .directed = true,
    .has_algorithm = true,
    .has_other = true,
    .has_group = true,
    .scales_results = true,
    .generate = generate,
    .formula = formula,
};

} // namespace differential
