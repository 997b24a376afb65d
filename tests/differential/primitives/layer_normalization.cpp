// SPDX-License-Identifier: Apache-2.0
#include "../problems/generate.hpp"
#include "../problems/random.hpp"
#include "normalization.hpp"
#include "row.hpp"

namespace differential {
namespace {

NormalizationPlaces places_of(const Problem& p) {
    NormalizationPlaces places{{p.src.dims.begin(), p.src.dims.end() - 1}, {}, {}};
    const int64_t channels = p.src.dims.back();
    for (int64_t i = 0; i < volume(p.src.dims); ++i)
        places.set.push_back(i / channels), places.scale.push_back(i % channels);
    return places;
}

int64_t channels_of(const Problem& p) { return p.src.dims.back(); }

void generate(const Generator& make, Random& random, Problem& p) {
    const size_t rank = random.one_in(40) ? 1 + 5 * random.below(2) : 2 + random.below(4);
    p.direction = random.pick(std::vector<std::string>{"FWD_D", "FWD_D", "FWD_I", "BWD", "BWD", "BWD_D"});
    p.algorithm = random_flags(random, "GCHM");
    const std::vector<std::string> floats = {"f32", "f32", "f32", "bf16", "f16"},
                                   all = {"f32", "f32", "f32", "bf16", "f16", "s8", "u8"};
    p.src.type = random.pick(is_backward(p) ? floats : all);
    p.dst.type = random.one_in(2) ? p.src.type : random.pick(is_backward(p) ? floats : all);
    if (random.one_in(5)) p.other.type = random.pick(std::vector<std::string>{"f32", "bf16", "f16"});
    p.src.tag = make.pointwise_tag(random, rank);
    p.dst.tag = random.percent(60) ? p.src.tag : random.percent(50) ? "any" : make.pointwise_tag(random, rank);
    p.src.dims = make.dims(random, {p.src.tag, p.dst.tag}, rank);
    p.dst.dims = p.src.dims;
    finish_normalization(make, random, p, places_of(p), channels_of(p));
    if (!is_backward(p) && p.want.empty() && random.one_in(3))
        for (const char* side : {"src", "dst"})
            if (random.one_in(2)) p.scales.push_back({side, 0, "", {}});
}

std::vector<Expected> formula(const Problem& p, const std::vector<Tensor>& inputs) {
    return normalization_formula(p, inputs, places_of(p), channels_of(p));
}

} // namespace

constinit const Row layer_normalization_row = {
    .name = "layer_normalization",
    .directed = true,
    .has_algorithm = true,
    .has_other = true,
    .scales_results = true,
    .generate = generate,
    .formula = formula,
};

} // namespace differential
