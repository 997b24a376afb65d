// SPDX-License-Identifier: Apache-2.0
#include "../realistic.hpp"

namespace hunt {
namespace {

bool whole(const std::string& type) { return type == "s8" || type == "u8"; }

// Between the layouts of activations; of weights into the blocks that products like; dims exchanged.
void layouts(Random& random, Problem& p) {
    static const std::vector<Names> of_weights = {
        {"BA16a64b", "BA16a32b", "BA16a48b", "BA16a16b2a", "BA16a64b4a", "AB16b64a", "AB16b32a4b"},
        {"Abc16a", "ABc16b16a", "aBc16b"},
        {"ABcd16b16a", "ABcd8b8a", "Acdb16a", "Abcd16a", "Acdb64a", "ABcd4b16a4b", "cdba", "cdab"}};
    const uint64_t kind = random.below(10);
    const size_t rank = kind == 0 ? 2 + random.below(3) : usual_rank(random, 2, 5);
    if (kind == 0) { // weights
        p.src.dims = {length(random), length(random)};
        for (size_t d = 2; d < rank; ++d) p.src.dims.push_back(random.one_in(2) ? 3 : 1);
        bound(random, p.src.dims);
        p.src.tag = plain(rank), p.dst.tag = random.pick(of_weights[rank - 2]);
    } else if (kind < 4) { // dims exchanged
        p.src.dims = sequence(random, rank);
        p.src.tag = p.dst.tag = plain(rank);
        const size_t d = random.below(rank - 1);
        std::swap(p.dst.tag[d], p.dst.tag[random.one_in(2) ? d + 1 : rank - 1]);
    } else {
        p.src.dims = image(random, rank);
        p.src.tag = layout(random, rank), p.dst.tag = layout(random, rank);
    }
    if (random.one_in(6)) std::swap(p.src.tag, p.dst.tag);
}

} // namespace

void reorder_habit(Random& random, Problem& p) {
    layouts(random, p);
    p.dst.dims = p.src.dims;
    p.src.type = any_type(random);
    p.dst.type = random.one_in(2) ? p.src.type : any_type(random);
    if (whole(p.dst.type) && p.src.type == "f32" && random.percent(70))
        p.scales.push_back({"dst", random.one_in(3) ? 2 : 0, "", {}});
    if (whole(p.src.type) && p.dst.type == "f32" && random.percent(70))
        p.scales.push_back({"src", random.one_in(3) ? 2 : 0, "", {}});
    if (!p.scales.empty() && random.one_in(4)) p.zero_points.push_back({p.scales[0].argument, 0, "", {}});
    for (Side* side : {&p.src, &p.dst})
        if (side->tag.find_first_of("0123456789") == std::string::npos && random.one_in(12))
            add_row_gap(*side, random.between(1, 32));
    if (random.one_in(25)) p.post_ops.push_back({"sum", 1, 0, "", ""});
}

} // namespace hunt
