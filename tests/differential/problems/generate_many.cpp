// Primitives of several sources, and resampling.
#include <algorithm>
#include <cmath>

#include "generate.hpp"
#include "random.hpp"
#include "vary.hpp"

namespace differential {
namespace {

const std::vector<std::string> types = {"f32", "f32", "bf16", "f16", "s32", "s8", "u8"};
constexpr double scales[] = {1, 1, .5, 2, -1, .25, -3};

} // namespace

void Generator::sum(Random& random, Problem& p) const {
    p.primitive = "sum";
    const bool mixed = random.one_in(2);
    const size_t rank = random.percent(50) ? 4 : 1 + random.below(6);
    const size_t n = random.one_in(10) ? 1 + random.below(12) : 1 + random.below(4);
    const std::string common = random.pick(types), tag = pointwise_tag(random, rank);
    std::vector<std::string> tags = {tag};
    for (size_t i = 0; i < n; ++i) {
        Source source{{mixed ? random.pick(types) : common, tag, {}, {}, {}, {}}, random.pick(scales)};
        if (i > 0 && random.one_in(4)) source.side.tag = pointwise_tag(random, rank);
        tags.push_back(source.side.tag);
        p.sources.push_back(source);
    }
    p.dst.type = mixed ? random.pick(types) : common;
    p.dst.tag = random.percent(60)   ? tag
                : random.percent(60) ? "any"
                : random.one_in(3)   ? "none"
                                     : pointwise_tag(random, rank);
    if (p.dst.tag == "none") p.dst.type = common;
    if (p.dst.tag == "none")
        for (Source& source : p.sources) source.side.type = common;
    tags.push_back(p.dst.tag);
    p.src.dims = p.dst.dims = dims(random, tags, rank);
    for (Source& source : p.sources) source.side.dims = p.dst.dims;
    const bool wrong = n > 1 && random.one_in(40); // a single source decides what a dst left out is
    if (wrong) p.sources.back().side.dims[random.below(rank)] += 1;
    p.in_place = !wrong && p.dst.tag == tag && p.dst.type == p.sources[0].side.type && random.one_in(5);
    p.user_scratchpad = random.one_in(8);
    p.special = random.one_in(12);
}

void Generator::concat(Random& random, Problem& p) const {
    p.primitive = "concat";
    const size_t rank = random.percent(50) ? 4 : 1 + random.below(6);
    const size_t n = random.one_in(10) ? 1 + random.below(12) : 1 + random.below(4);
    const std::string common = random.pick(types), tag = pointwise_tag(random, rank);
    p.axis = int(random.percent(50) && rank > 1 ? 1 : random.below(rank));
    const auto axis = size_t(p.axis);
    p.dst.type = random.percent(70) ? common : random.pick(types);
    p.dst.tag = random.percent(60) ? tag : random.percent(70) ? "any" : pointwise_tag(random, rank);
    p.dst.dims = dims(random, {tag, p.dst.tag}, rank);
    for (size_t d = 0; d < rank; ++d)
        if (d != axis && n > 4) p.dst.dims[d] = std::min<int64_t>(p.dst.dims[d], 3);
    const Dims one = p.dst.dims;
    p.dst.dims[axis] = 0;
    for (size_t i = 0; i < n; ++i) {
        Side side{common, tag, one, {}, {}, {}};
        if (random.one_in(5)) side.tag = pointwise_tag(random, rank);
        if (i > 0) side.dims[axis] = random.one_in(12) ? 0 : random.one_in(3) ? 16 : 1 + int64_t(random.below(9));
        p.dst.dims[axis] += side.dims[axis];
        p.sources.push_back({side, 1});
    }
    if (random.one_in(40)) p.dst.dims[random.below(rank)] += 1;
    if (random.one_in(60)) p.sources.back().side.type = random.pick(types);
    if (random.one_in(60)) p.axis = int(rank);
    p.src.dims = p.dst.dims;
    p.src.type = common;
    for (size_t i = 0; i < n; ++i)
        if (random.one_in(12)) p.scales.push_back({"msrc" + std::to_string(i), random.one_in(30) ? 2 : 0, "", {}});
    p.user_scratchpad = random.one_in(8);
    p.special = random.one_in(20);
}

void Generator::resampling(Random& random, Problem& p) const {
    p.primitive = "resampling";
    p.algorithm = random.one_in(2) ? "nearest" : "linear";
    p.direction = random.pick(std::vector<std::string>{"FWD_D", "FWD_I", "BWD_D"});
    const bool mixed = random.one_in(3);
    p.src.type = random.pick(types);
    p.dst.type = mixed ? random.pick(types) : p.src.type;
    const size_t rank = random.one_in(40) ? 2 + 4 * random.below(2) : 3 + random.below(3);
    p.src.tag = pointwise_tag(random, rank);
    p.dst.tag = random.percent(75) ? p.src.tag : pointwise_tag(random, rank);
    p.src.dims = p.dst.dims = dims(random, {p.src.tag, p.dst.tag}, rank);
    for (size_t d = 2; d < rank; ++d) {
        static constexpr double factors[] = {1, 2, 2, .5, 3, 1.5, .75, .3};
        p.factors.push_back(random.pick(factors));
        const auto product = [&](double factor) {
            return int64_t(std::floor(double(float(p.src.dims[d]) * float(factor))));
        };
        if (product(p.factors.back()) == 0) p.factors.back() = 1;
        p.dst.dims[d] = product(p.factors.back());
    }
    const bool given = random.percent(60);
    if (given)
        for (size_t d = 2; d < rank; ++d)
            if (p.dst.dims[d] > 0) p.dst.dims[d] = 1 + int64_t(random.below(rank == 3 ? 40 : 9));
    if (given || rank < 3) p.factors.clear();
    if (random.one_in(4)) {
        if (is_backward(p))
            p.src.tag = "any";
        else
            p.dst.tag = p.factors.empty() || p.dst.type != p.src.type ? "any" : "none";
    }
    if (p.dst.tag != "none" && random.one_in(40)) p.dst.dims[random.below(2)] += 1;
    if (random.one_in(3) && p.src.tag != "any") vary_layout(random, p.src, !is_backward(p));
    if (random.percent(is_backward(p) ? 2 : 25)) add_post_ops(random, p, false);
    p.user_scratchpad = random.one_in(8);
    p.special = random.one_in(12);
}

} // namespace differential
