// SPDX-License-Identifier: Apache-2.0
#include "../formula/formula_parts.hpp"
#include "../problems/generate.hpp"
#include "../problems/random.hpp"
#include "row.hpp"

namespace differential {
namespace {

const std::vector<std::string> types = {"f32", "f32", "bf16", "f16", "s32", "s8", "u8"};

constexpr double scales[] = {1, 1, .5, 2, -1, .25, -3};

void generate(const Generator& make, Random& random, Problem& p) {
    const bool mixed = random.one_in(2);
    const size_t rank = random.percent(50) ? 4 : 1 + random.below(6);
    const size_t n = random.one_in(10) ? 1 + random.below(12) : 1 + random.below(4);
    const std::string common = random.pick(types), tag = make.pointwise_tag(random, rank);
    std::vector<std::string> tags = {tag};
    for (size_t i = 0; i < n; ++i) {
        Source source{{mixed ? random.pick(types) : common, tag, {}, {}, {}, {}}, random.pick(scales)};
        if (i > 0 && random.one_in(4)) source.side.tag = make.pointwise_tag(random, rank);
        tags.push_back(source.side.tag);
        p.sources.push_back(source);
    }
    p.dst.type = mixed ? random.pick(types) : common;
    p.dst.tag = random.percent(60)   ? tag
                : random.percent(60) ? "any"
                : random.one_in(3)   ? "none"
                                     : make.pointwise_tag(random, rank);
    if (p.dst.tag == "none") p.dst.type = common;
    if (p.dst.tag == "none")
        for (Source& source : p.sources) source.side.type = common;
    tags.push_back(p.dst.tag);
    p.src.dims = p.dst.dims = make.dims(random, tags, rank);
    for (Source& source : p.sources) source.side.dims = p.dst.dims;
    const bool wrong = n > 1 && random.one_in(40); // a single source decides what a dst left out is
    if (wrong) p.sources.back().side.dims[random.below(rank)] += 1;
    p.in_place = !wrong && p.dst.tag == tag && p.dst.type == p.sources[0].side.type && random.one_in(5);
    p.user_scratchpad = random.one_in(8);
    p.special = random.one_in(12);
}

std::vector<Expected> formula(const Problem& p, const std::vector<Tensor>& inputs) {
    std::vector<Expected> out;
    for (size_t i = 0; i < inputs.front().values.size(); ++i) {
        Sum total;
        for (size_t k = 0; k < inputs.size(); ++k) total.add(double(float(p.sources[k].scale)) * inputs[k].values[i]);
        out.push_back(total.expected());
    }
    return out;
}

} // namespace

constinit const Row sum_row = {
    .name = "sum",
    .has_sources = true,
    .generate = generate,
    .formula = formula,
};

} // namespace differential
