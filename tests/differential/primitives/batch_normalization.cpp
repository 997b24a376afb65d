// SPDX-License-Identifier: Apache-2.0
#include "../problems/generate.hpp"
#include "../problems/random.hpp"
#include "normalization.hpp"
#include "row.hpp"

namespace differential {
namespace {

NormalizationPlaces places_of(const Problem& p) {
    NormalizationPlaces places{{p.src.dims[1]}, {}, {}};
    int64_t pixels = 1;
    for (size_t d = 2; d < p.src.dims.size(); ++d) pixels *= p.src.dims[d];
    for (int64_t i = 0; i < volume(p.src.dims); ++i) {
        const int64_t channel = i / pixels % p.src.dims[1];
        places.set.push_back(channel), places.scale.push_back(channel);
    }
    return places;
}

int64_t channels_of(const Problem& p) { return p.src.dims[1]; }

void generate(const Generator& make, Random& random, Problem& p) {
    const size_t rank = 2 + random.below(4);
    p.direction = random.pick(std::vector<std::string>{"FWD_D", "FWD_D", "FWD_I", "BWD", "BWD", "BWD_D"});
    p.algorithm = random_flags(random, p.direction == "FWD_I" ? "GCHR" : "GCH"); // workspaces are opaque
    p.src.type = random.pick(std::vector<std::string>{"f32", "f32", "f32", "f32", "bf16", "f16", "s8"});
    p.dst.type = random.one_in(20) ? "f32" : p.src.type;
    p.src.tag = make.pointwise_tag(random, rank);
    p.dst.tag = random.percent(60) ? p.src.tag : random.percent(90) ? "any" : make.pointwise_tag(random, rank);
    p.src.dims = make.dims(random, {p.src.tag, p.dst.tag}, rank);
    p.dst.dims = p.src.dims;
    finish_normalization(make, random, p, places_of(p), channels_of(p));
    if (!is_backward(p) && p.want.empty() && random.one_in(5)) p.post_ops.push_back({"relu", 0, 0, "", ""});
}

std::vector<Expected> formula(const Problem& p, const std::vector<Tensor>& inputs) {
    return normalization_formula(p, inputs, places_of(p), channels_of(p));
}

} // namespace

constinit const Row batch_normalization_row = {
    .name = "batch_normalization",
    .directed = true,
    .has_algorithm = true,
    .has_other = true,
    .generate = generate,
    .formula = formula,
};

} // namespace differential
