// The table of disagreements that are the rival's. One row: a row id of the specification, a sentence, a predicate.
// A predicate looks at the problem and at what differs, and is as narrow as the row; the summary counts each row.
#include <algorithm>

#include "compare.hpp"

namespace differential {
namespace {

bool any_mask(const std::vector<Quantization>& all) {
    return std::any_of(all.begin(), all.end(), [](const Quantization& q) { return q.mask > 0; });
}

bool on(const std::vector<Quantization>& all, const char* argument) {
    return std::any_of(all.begin(), all.end(), [&](const Quantization& q) { return q.argument == argument; });
}

bool gap_in_dst_mask(const Problem& p) {
    const auto has_gap = [](const Quantization& q) {
        const int shifted = q.mask > 0 ? q.mask / (q.mask & -q.mask) : 0;
        return q.argument == "dst" && (shifted & (shifted + 1)) != 0;
    };
    return std::any_of(p.scales.begin(), p.scales.end(), has_gap);
}

bool has_sum(const Problem& p) { return !p.post_ops.empty() && p.post_ops.front().kind == "sum"; }
const Type& dst_type(const Case& c) { return *type(c.problem.dst.type); }
bool dst_is_float(const Case& c) { return dst_type(c).kind == Kind::floating; }
bool uses(const Case& c, const char* t) { return c.problem.src.type == t || c.problem.dst.type == t; }
bool peer_died(const Case& c) { return c.peer.rfind("crash", 0) == 0 || c.peer == "hang"; }
bool zero_volume(const Case& c) { return volume(c.problem.src.dims) == 0; }

bool all_differences(const Case& c, bool (*holds)(const Type&, const Difference&)) {
    const auto one = [&](const Difference& d) { return holds(dst_type(c), d); };
    return c.both_ok() && !c.differences.empty() && std::all_of(c.differences.begin(), c.differences.end(), one);
}

// What some kernel makes of NaN: zero, or the first or last code of the integer type.
bool extreme_integer(const Type& t, const Difference& d) {
    const uint64_t top = t.kind == Kind::unsigned_integer ? (1ull << t.bits) - 1 : 1ull << (t.bits - 1);
    const auto is_extreme = [&](uint64_t code) { return code == 0 || code == top; };
    return t.kind != Kind::floating && is_extreme(d.ours) && is_extreme(d.peer);
}

bool peer_flushed(const Type& t, const Difference& d) {
    return decode(t, d.peer) == 0 && std::abs(decode(t, d.ours)) < 1.1754944e-38;
}

} // namespace

const std::vector<Quirk>& quirks() {
    static const std::vector<Quirk> table = {
        {"DEF-05", "zero volume: dies", [](const Case& c) { return peer_died(c) && zero_volume(c); }},
        {"STA-07", "dies on degenerate input", peer_died},
        {"DEF-03", "writes outside of the buffer", [](const Case& c) { return c.peer.rfind("overrun", 0) == 0; }},
        {"DEF-01", "zero points with mask > 0: element 0 for all",
         [](const Case& c) { return c.both_ok() && any_mask(c.problem.zero_points); }},
        {"REO-13", "dst scales with a mask of dims that are not neighbours: only the first factors are inverted",
         [](const Case& c) { return c.both_ok() && gap_in_dst_mask(c.problem); }},
        {"DEF-02", "success, and dst untouched",
         [](const Case& c) {
             const std::string& t = c.problem.dst.type;
             return c.both_ok() && c.peer_untouched && (dst_type(c).bits == 4 || t == "e8m0" || t == "s64");
         }},
        {"DEF-06", "v3.2: zero points into a view",
         [](const Case& c) {
             return c.both_ok() && c.peer_version.rfind("3.2.", 0) == 0 && !c.problem.zero_points.empty()
                    && !c.problem.dst.parent.empty();
         }},
        {"REO-11", "sum and dst scale on a float dst: the scale divides the source term only",
         [](const Case& c) { return c.both_ok() && dst_is_float(c) && has_sum(c.problem) && on(c.problem.scales, "dst"); }},
        {"DT-08", "f4_e3m0: no descriptor",
         [](const Case& c) { return uses(c, "f4_e3m0") && (c.peer == "src:invalid_arguments" || c.peer == "dst:invalid_arguments"); }},
        {"CVT-03", "NaN to an integer depends on the kernel",
         [](const Case& c) { return c.problem.special && all_differences(c, extreme_integer); }},
        {"CVT-04", "bf16 denormals flushed to zero", [](const Case& c) { return all_differences(c, peer_flushed); }},
    };
    return table;
}

} // namespace differential
