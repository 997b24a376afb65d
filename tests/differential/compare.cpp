// SPDX-License-Identifier: Apache-2.0
#include "compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>

#include "formula/pointwise.hpp"

namespace differential {
namespace {

std::vector<uint8_t> bytes_of(const std::string& answer) {
    std::istringstream in(answer);
    std::string word, hash, before, hex;
    in >> word >> hash >> before >> hex;
    std::vector<uint8_t> bytes;
    for (size_t i = 0; i + 1 < hex.size(); i += 2) bytes.push_back(uint8_t(std::stoi(hex.substr(i, 2), nullptr, 16)));
    return bytes;
}

std::map<int64_t, Expected> expected_of(const std::string& answer) {
    std::istringstream in(answer);
    std::string word, list;
    in >> word >> word >> word >> word >> list;
    std::map<int64_t, Expected> expected;
    const char* at = list.c_str();
    while (*at) {
        char* end;
        const int64_t index = std::strtoll(at, &end, 10);
        Expected e;
        e.value = std::strtod(end + 1, &end);
        e.slack = std::strtod(end + 1, &end);
        e.special = std::strtol(end + 1, &end, 10) != 0;
        expected[index] = e;
        at = end + 1; // behind the comma
    }
    return expected;
}

bool rounds_through_f16(const Problem& p) {
    const Type *src = type(p.src.type), *dst = type(output(p).type);
    const bool f8 = dst->kind == Kind::floating && dst->bits == 8;
    const bool computes_in_f32 = !p.scales.empty() || !p.post_ops.empty() || !p.zero_points.empty();
    return f8 && (computes_in_f32 || src->exponent_bits > 5 || src->bits > 16);
}

double tolerance(const Problem& p, const Type& dst, uint64_t peer) {
    if (rounds_through_f16(p)) return 1;
    if (!has_rough_scales(p)) return 0;
    return dst.bits == 32 && dst.kind == Kind::signed_integer ? std::max(1.0, std::fabs(decode(dst, peer)) / (1 << 23))
                                                              : 1;
}

} // namespace

std::vector<Difference> differences(const Problem& p, const std::string& ours, const std::string& peer) {
    const std::vector<uint8_t> left = bytes_of(ours), right = bytes_of(peer);
    const Type& t = *type(output(p).type);
    std::vector<Difference> found;
    if (left.size() != right.size()) {
        found.push_back({-1, left.size(), right.size()});
        return found;
    }
    const auto expected = expected_of(ours);
    const auto elements = int64_t(left.size() * 8) / t.bits;
    for (int64_t i = 0; i < elements && found.size() < 64; ++i) {
        const uint64_t a = load(left.data(), t, i), b = load(right.data(), t, i);
        if (const auto it = expected.find(i); it != expected.end() && a != b) {
            const Expected& e = it->second;
            const bool ours_right = accepts(t, e, a), peer_right = accepts(t, e, b);
            if (!(ours_right && peer_right) && steps_apart(t, a, b) > 0)
                found.push_back({i, a, b, true, e.special, ours_right, peer_right, e.value});
            continue;
        }
        const bool neighbours = rounds_through_f16(p) && (a == b + 1 || b == a + 1); // the largest and NaN as well
        if (a != b && !neighbours && steps_apart(t, a, b) > tolerance(p, t, b)) found.push_back({i, a, b});
    }
    return found;
}

std::string describe_difference(const Type& t, const Difference& d) {
    char text[240];
    if (d.index < 0)
        std::snprintf(text, sizeof text, "dst has %llu bytes, the peer's has %llu", (unsigned long long)d.ours,
                      (unsigned long long)d.peer);
    else
        std::snprintf(text, sizeof text, "element %lld: ours %g (0x%llx), peer %g (0x%llx)", (long long)d.index,
                      decode(t, d.ours), (unsigned long long)d.ours, decode(t, d.peer), (unsigned long long)d.peer);
    if (!d.has_formula) return text;
    char formula[80];
    std::snprintf(formula, sizeof formula, ", expected %.9g: %s", d.expected,
                  d.ours_right   ? "ours is right"
                  : d.peer_right ? "OURS IS WRONG"
                                 : "both are wrong");
    return std::string(text) + formula;
}

const Quirk* find_quirk(const Case& both) {
    const auto& all = quirks();
    const auto it = std::find_if(all.begin(), all.end(), [&](const Quirk& q) { return q.applies(both); });
    return it == all.end() ? nullptr : &*it;
}

} // namespace differential
