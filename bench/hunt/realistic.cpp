// SPDX-License-Identifier: Apache-2.0
#include "realistic.hpp"

#include <algorithm>
#include <cmath>

namespace hunt {

using namespace differential;

Habit find_habit(const std::string& primitive) {
    struct Named {
        const char* name;
        Habit habit;
    };
    static constexpr Named all[] = {
#define PRIMITIVE(name, number) {#name, name##_habit},
#include "core/problem/primitives.def"
#undef PRIMITIVE
    };
    const auto* found =
        std::find_if(std::begin(all), std::end(all), [&](const Named& n) { return primitive == n.name; });
    return found == std::end(all) ? nullptr : found->habit;
}

std::string plain(size_t rank) { return std::string("abcdefghijkl").substr(0, rank); }
std::string channels_last(size_t rank) { return rank < 3 ? plain(rank) : "a" + plain(rank).substr(2) + "b"; }

int64_t channels(Random& random) {
    static constexpr int64_t usual[] = {8,   12,  16,  20,  24,  32,  40,  48,  64,  64,  80,  96,
                                        128, 128, 144, 192, 256, 256, 320, 384, 512, 768, 960, 1024};
    if (random.percent(30)) return random.between(1, 7);
    return random.percent(75) ? random.pick(usual) : random.between(1, 300);
}

int64_t length(Random& random) {
    static constexpr int64_t usual[] = {16,   32,   49,   50,   64,   77,   80,   100,  128,  128,  192,  196,
                                        197,  200,  256,  384,  400,  512,  512,  576,  640,  768,  768,  1000,
                                        1024, 1024, 1280, 1500, 1536, 2048, 3072, 4096, 5120, 8192, 11008};
    if (random.percent(15)) return random.between(1, 8);
    return random.percent(75) ? random.pick(usual) : random.between(1, 1100);
}

void bound(Random& random, Dims& dims, double most) {
    static constexpr double bounds[] = {4e3, 3e4, 2e5, 2e5, 1e6, 1e6, 4e6, 16e6};
    const double limit = std::min(most, random.pick(bounds));
    while (double(volume(dims)) > limit) {
        auto largest = std::max_element(dims.begin(), dims.end());
        *largest = (*largest + 1) / 2;
    }
}

Dims image(Random& random, size_t rank) {
    static constexpr int64_t sizes[] = {1,   4,   5,   7,   7,   8,   9,   13,  14,  14,  15,  16,  17,  19,  20,  27,
                                        28,  28,  31,  32,  33,  35,  38,  40,  55,  56,  56,  64,  65,  71,  80,  100,
                                        112, 112, 127, 128, 147, 160, 224, 224, 256, 299, 300, 320, 416, 480, 512, 640};
    static constexpr int64_t batches[] = {1, 1, 1, 1, 2, 3, 4, 8, 16, 32, 64};
    Dims dims{random.pick(batches), channels(random)};
    const int64_t size = random.pick(sizes);
    for (size_t d = 2; d < rank; ++d)
        dims.push_back(random.percent(70) ? size : random.percent(60) ? random.pick(sizes) : random.between(1, 100));
    bound(random, dims);
    return dims;
}

Dims sequence(Random& random, size_t rank) {
    static constexpr int64_t outer[] = {1, 1, 2, 4, 6, 8, 12, 16, 32};
    Dims dims(rank);
    for (size_t d = 0; d < rank; ++d) dims[d] = d + 2 < rank ? random.pick(outer) : length(random);
    bound(random, dims);
    return dims;
}

Dims tensor(Random& random, size_t rank) {
    return rank > 2 && random.percent(65) ? image(random, rank) : sequence(random, rank);
}

size_t usual_rank(Random& random, size_t least, size_t most) {
    static constexpr size_t ranks[] = {4, 4, 4, 4, 4, 2, 2, 3, 3, 5, 1};
    return std::clamp(random.pick(ranks), least, most);
}

std::string layout(Random& random, size_t rank) {
    if (rank < 3 || random.percent(40)) return plain(rank);
    if (random.percent(60)) return channels_last(rank);
    static const Names blocks = {"16b", "16b", "8b", "4b"};
    return "aB" + plain(rank).substr(2) + random.pick(blocks);
}

std::string any_type(Random& random) {
    static const Names all = {"f32", "f32", "f32", "f32", "bf16", "f16", "s8", "u8", "s8", "bf16"};
    return random.percent(2) ? "s32" : random.pick(all);
}
std::string float_type(Random& random) {
    static const Names all = {"f32", "f32", "f32", "bf16", "bf16", "f16"};
    return random.pick(all);
}

void add_row_gap(Side& side, int64_t gap) {
    side.strides.assign(side.dims.size(), 0);
    int64_t next = 1;
    for (size_t i = side.tag.size(); i-- > 0;) {
        const auto d = size_t(side.tag[i] - 'a');
        side.strides[d] = next;
        next = next * side.dims[d] + (i + 1 == side.tag.size() ? gap : 0);
    }
    side.tag.clear();
}

void add_post_ops(Random& random, Problem& p, int most) {
    static const std::vector<PostOp> eltwise = {
        {"relu", 0, 0, "", ""},     {"relu", 0, 0, "", ""},           {"relu", .1, 0, "", ""},
        {"gelu_erf", 0, 0, "", ""}, {"gelu_tanh", 0, 0, "", ""},      {"swish", 1, 0, "", ""},
        {"logistic", 0, 0, "", ""}, {"tanh", 0, 0, "", ""},           {"clip", 0, 6, "", ""},
        {"linear", .5, 1, "", ""},  {"hardswish", 1. / 6, .5, "", ""}};
    const int full = (1 << p.dst.dims.size()) - 1;
    for (int n = int(random.below(uint64_t(most))) + 1; n > 0; --n) {
        if (random.percent(50))
            p.post_ops.push_back(random.pick(eltwise));
        else if (random.percent(25))
            p.post_ops.push_back({"sum", 1, 0, "", ""});
        else
            p.post_ops.push_back(
                {random.one_in(2) ? "add" : "mul", double(random.percent(70) ? 2 & full : full), 0, "f32", ""});
        if (p.post_ops.back().kind != "sum" && int(p.post_ops.back().first) == full && p.post_ops.back().type == "f32")
            p.post_ops.back().tag = p.dst.tag;
    }
}

std::string direction(Random& random, const Names& backward) {
    return random.percent(30) ? random.pick(backward) : random.one_in(2) ? "FWD_I" : "FWD_D";
}

} // namespace hunt
