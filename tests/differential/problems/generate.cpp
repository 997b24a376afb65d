#include "generate.hpp"

#include <algorithm>
#include <cctype>
#include <set>

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

Generator::Generator(const std::vector<std::string>& tags) {
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
    switch (random.below(p.primitive == "shuffle" ? 4 : 9)) {
    case 0:
        p.dst.dims[random.below(rank)] += 1;
        break;
    case 1: {
        Side& side = random.one_in(2) ? p.src : p.dst;
        const Side any{side.type, "any", side.dims, {}, {}, {}};
        if (p.primitive == "shuffle") p.src = p.dst = any;
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

void Generator::reorder(Random& random, Problem& p) const {
    static const std::vector<std::string> common = {"f32", "bf16", "f16", "s32", "s8", "u8"};
    static const std::vector<std::string> all = {"f32",     "bf16",    "f16", "s32",     "s8",   "u8",
                                                 "f8_e5m2", "f8_e4m3", "s4",  "u4",      "e8m0", "f4_e2m1",
                                                 "f4_e3m0", "f64",     "s64", "boolean", "undef"};
    const size_t rank = random.percent(90) ? 1 + random.below(6) : 7 + random.below(6);
    p.src.type = random.pick(random.percent(78) ? common : all);
    p.dst.type = random.pick(random.percent(78) ? common : all);
    p.src.tag = tag(random, rank);
    p.dst.tag = random.percent(15) ? p.src.tag : tag(random, rank);
    p.src.dims = p.dst.dims = dims(random, {p.src.tag, p.dst.tag}, rank);
    if (random.percent(30)) add_attributes(random, p);
    if (random.percent(4)) {
        p.runtime_mask = 1 + int(random.below((1u << rank) - 1));
        return;
    }
    vary_layout(random, p.src, true);
    vary_layout(random, p.dst, false);
    const bool arithmetic = !p.scales.empty() || !p.zero_points.empty() || !p.post_ops.empty();
    p.special = !arithmetic && random.one_in(20);
}

void Generator::shuffle(Random& random, Problem& p) const {
    static const std::vector<std::string> types = {"f32", "bf16", "s32", "s8", "u8", "f16", "e8m0", "f8_e4m3"};
    static const std::vector<std::string> directions = {"FWD_D", "FWD_I", "BWD_D"};
    const size_t rank = 1 + random.below(6);
    p.primitive = "shuffle";
    p.direction = random.pick(directions);
    p.src.type = random.pick(types);
    p.src.tag = tag(random, rank);
    p.src.dims = dims(random, {p.src.tag}, rank);
    p.axis = int(random.below(rank + (random.one_in(40) ? 1 : 0)));
    const int64_t size = size_t(p.axis) < rank ? p.src.dims[size_t(p.axis)] : 4;
    std::vector<int64_t> divisors;
    for (int64_t g = 1; g <= size; ++g)
        if (size % g == 0) divisors.push_back(g);
    p.group = divisors.empty() || random.one_in(25) ? random.between(-1, 5) : random.pick(divisors);
    vary_layout(random, p.src, false);
    const Dims dims = p.src.dims;
    p.dst = p.src;
    p.dst.dims = dims;
    if (random.percent(25)) {
        p.dst = Side{};
        p.dst.type = p.src.type;
        p.dst.tag = "any";
        p.dst.dims = dims;
    }
}

Problem Generator::problem(uint64_t seed, uint64_t number) {
    Random random{std::mt19937_64(seed * 0x9e3779b97f4a7c15 + number)};
    Problem p;
    p.seed = random.below(1000);
    if (random.percent(70)) {
        using Maker = void (Generator::*)(Random&, Problem&) const;
        static constexpr Maker makers[] = {&Generator::eltwise, &Generator::binary,       &Generator::prelu,
                                           &Generator::sum,     &Generator::concat,       &Generator::resampling,
                                           &Generator::matmul,  &Generator::inner_product};
        (this->*random.pick(makers))(random, p);
        return p;
    }
    if (random.percent(18))
        shuffle(random, p);
    else
        reorder(random, p);
    if (random.percent(4)) add_error(random, p);
    return p;
}

} // namespace differential
