// SPDX-License-Identifier: Apache-2.0
#include "generate.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "../primitives/row.hpp"
#include "element.hpp"
#include "random.hpp"
#include "vary.hpp"

namespace differential {

namespace {

constexpr int64_t max_elements = 8192; // with padding: a problem stays in the microseconds

size_t rank_of(const std::string& tag) {
    size_t rank = 0;
    for (const char c : tag)
        if (std::isalpha(c)) rank = std::max(rank, size_t(std::tolower(c) - 'a') + 1);
    return rank;
}

int64_t padded_volume(const Dims& dims, const std::string& tag) {
    int64_t product = 1;
    for (size_t d = 0; d < dims.size(); ++d) {
        const int64_t block = block_of(tag, d);
        product *= (std::max<int64_t>(1, dims[d]) + block - 1) / block * block;
    }
    return product;
}

} // namespace

Generator::Generator(const std::vector<std::string>& tags, const Row* only) : only_(only) {
    for (const auto& tag : tags) by_rank_[rank_of(tag)].push_back(tag);
}

std::string Generator::tag(Random& random, size_t rank) const {
    const auto named = by_rank_.find(rank);
    if (named != by_rank_.end() && rank <= 6 && random.percent(65)) return random.pick(named->second);
    std::string letters;
    for (size_t d = 0; d < rank; ++d) letters += char('a' + d);
    if (random.percent(40)) return letters;
    for (size_t d = rank; d > 1; --d) std::swap(letters[d - 1], letters[random.below(d)]);
    return letters;
}

Dims Generator::dims(Random& random, const std::vector<std::string>& tags, size_t rank) const {
    Dims dims(rank);
    for (size_t d = 0; d < rank; ++d) {
        int64_t block = 1;
        for (const auto& t : tags) block = std::max(block, block_of(t, d));
        static constexpr int64_t rows[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 64, 65};
        const int64_t small = random.between(1, rank > 6 ? 3 : 8);
        dims[d] = block > 1 && random.percent(60) ? random.between(1, 2 * block)
                  : random.percent(35)            ? random.pick(rows)
                                                  : small;
    }
    const auto too_large = [&](const std::string& t) { return padded_volume(dims, t) > max_elements; };
    while (std::any_of(tags.begin(), tags.end(), too_large)) {
        auto largest = std::max_element(dims.begin(), dims.end());
        if (*largest == 1) break; // the blocks alone are that large
        *largest = (*largest + 1) / 2;
    }
    if (random.percent(2)) dims[random.below(rank)] = 0;
    return dims;
}

std::string Generator::pointwise_tag(Random& random, size_t rank) const {
    if (rank == 4 && random.percent(60))
        return random.pick(std::vector<std::string>{"abcd", "acdb", "aBcd16b", "aBcd8b"});
    return tag(random, rank);
}

void Generator::add_attributes(Random& random, Problem& p) const {
    const auto rank = p.src.dims.size();
    const auto mask = [&] { return random.percent(50) ? 0 : int(random.below(1u << std::min<size_t>(rank, 6))); };
    const auto integral = [](const std::string& t) {
        return type(t)->kind == Kind::signed_integer || type(t)->kind == Kind::unsigned_integer;
    };
    if (random.percent(60)) {
        const int shared = mask();
        if (random.percent(60)) p.scales.push_back({"src", shared, "", {}});
        if (random.percent(50)) p.scales.push_back({"dst", random.percent(70) ? shared : mask(), "", {}});
        if (!p.scales.empty() && rank >= 2 && random.one_in(8)) {
            const int64_t rows = p.src.dims[rank - 2], columns = p.src.dims[rank - 1];
            p.scales[0].mask |= 3 << (rank - 2);
            p.scales[0].groups = {random.one_in(2) && rows % 2 == 0 ? 2 : 1, columns % 2 == 0 ? 2 : 1};
            p.scales[0].type = "f32";
        } else if (!p.scales.empty() && random.one_in(10)) {
            p.scales[0].type = random.one_in(2) ? "bf16" : "f16";
        }
    }
    if (random.percent(35)) {
        const bool wrong = random.one_in(20);
        if (wrong || (integral(p.src.type) && random.percent(60)))
            p.zero_points.push_back({"src", random.one_in(4) ? mask() : 0, "", {}});
        if (integral(p.dst.type) && random.percent(60))
            p.zero_points.push_back({"dst", random.one_in(4) ? mask() : 0, "", {}});
    }
    if (random.percent(35)) {
        static constexpr double scales[] = {1, 1, 2, .5, -1, .25};
        p.post_ops.push_back({"sum", random.pick(scales), 0, "", ""});
        if (type(p.dst.type)->kind == Kind::floating || p.dst.type == "s32")
            p.seed &= ~uint64_t(1); // cancellation has no ulps
    }
    p.user_scratchpad = random.one_in(8);
}

void Generator::add_error(Random& random, Problem& p) const {
    const auto rank = p.src.dims.size();
    switch (random.below(row_of(p).dst_follows ? 4 : 9)) {
    case 0:
        p.dst.dims[random.below(rank)] += 1;
        break;
    case 1: {
        Side& side = random.one_in(2) ? p.src : p.dst;
        const Side any{side.type, "any", side.dims, {}, {}, {}};
        if (row_of(p).dst_follows) p.src = p.dst = any;
        side = any;
        break;
    }
    case 2:
        p.post_ops = {{"sum", 1, 0, "", ""}, {"sum", 1, 0, "", ""}};
        break;
    case 3:
        p.scales = {{"src", 0, "", {}}};
        p.post_ops = {{"relu", 0, 0, "", ""}};
        break;
    case 4:
        p.scales = {{"src", 1, "", {}}, {"dst", 2, "", {}}};
        break;
    case 5:
        p.scales = {{"src", -1, "", {}}};
        break;
    case 6:
        p.zero_points = {{random.one_in(2) ? "src" : "dst", 0, "", {}}};
        break;
    case 7:
        p.scales = {{"dst", 0, random.pick(std::vector<std::string>{"s8", "s4", "f64", "s32"}), {}}};
        break;
    default:
        if (rank < 12) p.dst.dims.push_back(1);
    }
}

Problem Generator::problem(uint64_t seed, uint64_t number) {
    Random random{std::mt19937_64(seed * 0x9e3779b97f4a7c15 + number)};
    Problem p;
    p.seed = random.below(1000);
    // Seven of ten compute, the others copy: the last of those in 18 of 100, else the first.
    std::vector<const Row*> computing, copying;
    for (const Row* row : rows()) (row->copies ? copying : computing).push_back(row);
    const bool computes = random.percent(70);
    const Row* drawn = computes ? random.pick(computing) : random.percent(18) ? copying.back() : copying.front();
    const Row& row = only_ ? *only_ : *drawn;
    p.primitive = row.name;
    row.generate(*this, random, p);
    if (!row.copies) return p;
    if (random.percent(4)) add_error(random, p);
    return p;
}

} // namespace differential
