// SPDX-License-Identifier: Apache-2.0
// The table of disagreements that are the rival's. One row: a row id of the specification, a sentence, a predicate.
// A predicate looks at the problem and at what differs, and is as narrow as the row; the summary counts each row.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <tuple>

#include "compare.hpp"
#include "formula/pointwise.hpp"
#include "problems/pattern.hpp"

namespace differential {
namespace {

bool any_mask(const std::vector<Quantization>& all) {
    return std::any_of(all.begin(), all.end(), [](const Quantization& q) { return q.mask > 0; });
}

bool on(const std::vector<Quantization>& all, const char* argument) {
    return std::any_of(all.begin(), all.end(), [&](const Quantization& q) { return q.argument == argument; });
}

bool names_absent_dim(const Problem& p) {
    const auto outside = [&](const Quantization& q) { return q.mask >> p.src.dims.size() != 0; };
    return std::any_of(p.scales.begin(), p.scales.end(), outside) ||
           std::any_of(p.zero_points.begin(), p.zero_points.end(), outside);
}

bool narrow_scales(const Problem& p) {
    const auto narrow = [](const Quantization& q) { return q.type == "bf16" || q.type == "f16"; };
    return std::any_of(p.scales.begin(), p.scales.end(), narrow);
}

bool grouped(const std::vector<Quantization>& all, const char* argument) {
    const auto has = [&](const Quantization& q) { return q.argument == argument && !q.groups.empty(); };
    return std::any_of(all.begin(), all.end(), has);
}

bool is_blocked(const Side& side) {
    return std::any_of(side.tag.begin(), side.tag.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_sparse(const Side& side) { return !side.parent.empty() || !side.strides.empty(); } // a view, or gaps

// Of the dims that have an extent; 1 where none has.
int64_t innermost_extent(const Side& side) {
    for (size_t k = side.tag.size(); k-- > 0;) {
        const auto d = size_t(side.tag[k] - 'a');
        if (d < side.dims.size() && side.dims[d] > 1) return side.dims[d];
    }
    return 1;
}

bool gap_in_mask(const Problem& p) {
    const auto has_gap = [](const Quantization& q) {
        const int shifted = q.mask > 0 ? q.mask / (q.mask & -q.mask) : 0;
        return (shifted & (shifted + 1)) != 0;
    };
    return std::any_of(p.scales.begin(), p.scales.end(), has_gap);
}

bool has_sum(const Problem& p) { return !p.post_ops.empty() && p.post_ops.front().kind == "sum"; }
const Type& dst_type(const Case& c) { return *type(output(c.problem).type); }
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

// Beyond 2^31 some kernels convert to the indefinite integer first, and that is the lowest.
bool peer_wrapped(const Type& t, const Difference& d) {
    const uint64_t lowest = t.kind == Kind::unsigned_integer ? 0 : 1ull << (t.bits - 1);
    const uint64_t highest = t.kind == Kind::unsigned_integer ? (1ull << t.bits) - 1 : lowest - 1;
    return t.kind != Kind::floating && d.peer == lowest && decode(t, d.ours) >= decode(t, highest) * (1 - 1e-7);
}

// The formula in double as witness (pointwise.hpp): the peer alone misses it.
bool peer_wrong(const Type&, const Difference& d) { return d.has_formula && d.ours_right && !d.peer_right; }
bool peer_wrong_of_special(const Type& t, const Difference& d) {
    return peer_wrong(t, d) && (d.special || std::isnan(d.expected));
}
bool peer_skipped(const Type& t, const Difference& d) {
    return (peer_wrong(t, d) || !d.has_formula) && d.peer == old_value(t, d.index);
}
bool peer_rough(const Type& t, const Difference& d) {
    return peer_wrong(t, d) && std::fabs(decode(t, d.peer) - d.expected) < 4e-6;
}
bool peer_rough_logarithm(const Type& t, const Difference& d) {
    return peer_wrong(t, d) && std::fabs(decode(t, d.peer) - d.expected) < 1e-4;
}
bool peer_overflowed(const Type& t, const Difference& d) { return peer_wrong(t, d) && !is_finite(t, d.peer); }
bool padding_not_zero(const Type&, const Difference& d) { return !d.has_formula && d.ours == 0; }

bool wrong_kept_or_padding(const Type& t, const Difference& d) {
    const bool ours_left_alone = !d.has_formula && d.ours == old_value(t, d.index);
    return peer_wrong(t, d) || padding_not_zero(t, d) || ours_left_alone;
}

bool wrong_or_outside(const Type& t, const Difference& d) { return peer_wrong(t, d) || !d.has_formula; }

bool special_or_padding(const Type& t, const Difference& d) {
    return padding_not_zero(t, d) || peer_wrong_of_special(t, d);
}
bool skipped_or_special(const Type& t, const Difference& d) { return peer_skipped(t, d) || special_or_padding(t, d); }
bool wrong_or_padding(const Type& t, const Difference& d) { return peer_wrong(t, d) || padding_not_zero(t, d); }

bool overflowed_or_special(const Type& t, const Difference& d) {
    return peer_overflowed(t, d) || peer_wrong_of_special(t, d);
}
bool rough_or_special(const Type& t, const Difference& d) { return peer_rough(t, d) || peer_wrong_of_special(t, d); }

// The outer letters of the tag are a, b, c...
bool in_order(const std::string& tag) {
    const auto end = std::find_if(tag.begin(), tag.end(), [](char c) { return c >= '0' && c <= '9'; });
    return std::is_sorted(tag.begin(), end, [](char a, char b) { return std::tolower(a) < std::tolower(b); });
}
bool is_prelu(const Case& c) { return c.problem.primitive == "prelu"; }
bool is_matmul(const Case& c) { return c.problem.primitive == "matmul"; }
bool convolves(const Case& c) {
    return c.both_ok() && (c.problem.primitive == "convolution" || c.problem.primitive == "deconvolution");
}
bool is_inner_product(const Case& c) { return c.problem.primitive == "inner_product"; }
bool is_resampling(const Case& c) { return c.problem.primitive == "resampling"; }
bool is_softmax(const Case& c) { return c.problem.primitive == "softmax"; }
bool is_pooling(const Case& c) { return c.problem.primitive == "pooling"; }
bool is_reduction(const Case& c) { return c.problem.primitive == "reduction"; }
bool is_lrn(const Case& c) { return c.problem.primitive == "lrn"; }
bool is_normalization(const Case& c, const char* kind) {
    return c.problem.primitive == std::string(kind) + "_normalization";
}
bool is_eltwise(const Case& c) { return c.problem.primitive == "eltwise"; }
bool is_binary(const Case& c) { return c.problem.primitive == "binary"; }
bool has_post_op(const Case& c, const char* kind) {
    const auto& all = c.problem.post_ops;
    return std::any_of(all.begin(), all.end(), [&](const PostOp& op) { return op.kind == kind; });
}

bool has_binary_post_op(const Case& c) {
    const auto& all = c.problem.post_ops;
    const auto reads = [](const PostOp& op) {
        return op.kind == "select" || find_algorithm(binary_algorithms(), op.kind) != nullptr;
    };
    return std::any_of(all.begin(), all.end(), reads);
}

// abcd and acdb.
bool has_usual_order(const Side& side) {
    std::string first, last;
    for (size_t d = 0; d < side.dims.size(); ++d) first += char('a' + d);
    last = first;
    if (last.size() > 2) std::rotate(last.begin() + 1, last.begin() + 2, last.end());
    return side.tag == first || side.tag == last;
}

bool ours_zero(const Type&, const Difference& d) { return d.ours == 0; }
bool peer_kept(const Type& t, const Difference& d) { return d.ours == 0 && d.peer == old_value(t, d.index); }
bool ours_kept(const Type& t, const Difference& d) { return d.peer == 0 && d.ours == old_value(t, d.index); }
bool one_kept(const Type& t, const Difference& d) { return ours_kept(t, d) || peer_kept(t, d); }
bool through_f32(const Type& t, const Difference& d) {
    return std::abs(decode(t, d.ours) - decode(t, d.peer)) <= std::abs(decode(t, d.ours)) / (1 << 23);
}
bool through_f32_or_kept(const Type& t, const Difference& d) { return through_f32(t, d) || one_kept(t, d); }

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
        {"DEF-01", "plain to blocks of 8 with an innermost dim of whole eights: src zero points are lost",
         [](const Case& c) {
             const auto& [src, dst] = std::tie(c.problem.src, c.problem.dst);
             return c.both_ok() && on(c.problem.zero_points, "src") && !is_blocked(src) &&
                    dst.tag.find("8b") != std::string::npos && !src.dims.empty() && src.dims.back() % 8 == 0;
         }},
        {"DEF-01", "plain to plain, both innermost dims whole eights: zero points are lost",
         [](const Case& c) {
             const auto& [src, dst] = std::tie(c.problem.src, c.problem.dst);
             return c.both_ok() && !c.problem.zero_points.empty() && !is_blocked(src) && !is_blocked(dst) &&
                    innermost_extent(src) % 8 == 0 && innermost_extent(dst) % 8 == 0;
         }},
        {"REO-13", "scale masks of dims that are not neighbours: factors from wrong places",
         [](const Case& c) { return c.both_ok() && gap_in_mask(c.problem); }},
        {"DEF-02", "success, and dst untouched",
         [](const Case& c) {
             const std::string& t = c.problem.dst.type;
             return c.both_ok() && c.peer_untouched && (dst_type(c).bits == 4 || t == "e8m0" || t == "s64");
         }},
        {"DEF-06", "v3.2: zero points into a view",
         [](const Case& c) {
             return c.both_ok() && c.peer_version.rfind("3.2.", 0) == 0 && !c.problem.zero_points.empty() &&
                    !c.problem.dst.parent.empty();
         }},
        {"REO-11", "sum and dst scale on a float dst: the scale divides the source term only",
         [](const Case& c) {
             return c.both_ok() && dst_is_float(c) && has_sum(c.problem) && on(c.problem.scales, "dst");
         }},
        {"DT-08", "f4_e3m0 and boolean: no descriptor",
         [](const Case& c) {
             const bool refused = c.peer == "src:invalid_arguments" || c.peer == "dst:invalid_arguments";
             return refused && (uses(c, "f4_e3m0") || uses(c, "boolean"));
         }},
        {"REO-07", "scales on a 4-bit src are refused",
         [](const Case& c) {
             return c.peer == "pd:invalid_arguments" && type(c.problem.src.type)->bits == 4 &&
                    !c.problem.scales.empty();
         }},
        {"MEM-16", "4-bit data and views: neighbours written, offsets lost",
         [](const Case& c) {
             const Problem& p = c.problem;
             const bool narrow = type(p.src.type)->bits == 4 || dst_type(c).bits == 4;
             return c.both_ok() && narrow && !(p.src.parent.empty() && p.dst.parent.empty());
         }},
        {"DEF-02", "4-bit dst: scales and sums are lost",
         [](const Case& c) {
             return c.both_ok() && dst_type(c).bits == 4 && (!c.problem.scales.empty() || has_sum(c.problem));
         }},
        {"MEM-16", "two threads write halves of one byte when a 4-bit dst changes its layout",
         [](const Case& c) {
             return c.both_ok() && dst_type(c).bits == 4 && c.problem.src.tag != c.problem.dst.tag &&
                    c.differences.size() < 64;
         }},
        {"MEM-16", "4-bit data in a permuted layout: elements from or to wrong places",
         [](const Case& c) {
             const auto permuted = [](const Side& side) {
                 return type(side.type)->bits == 4 && !std::is_sorted(side.tag.begin(), side.tag.end());
             };
             return c.both_ok() && (permuted(c.problem.src) || permuted(c.problem.dst));
         }},
        {"MEM-16", "the half of a byte that belongs to no element is written with zero",
         [](const Case& c) { return dst_type(c).bits == 4 && all_differences(c, ours_kept); }},
        {"OBJ-09", "memories whose dims disagree at execution are accepted",
         [](const Case& c) {
             return c.ours == "execute:invalid_arguments" && c.problem.src.dims != c.problem.dst.dims;
         }},
        {"SHU-05", "backward: the hint of a type without support is refused before the dims are looked at",
         [](const Case& c) {
             return c.problem.direction == "BWD_D" && c.peer == "pd:unimplemented" && c.ours == "pd:invalid_arguments";
         }},
        {"SHU-09", "dst any of a view: a view into as large a buffer, where ours is dense",
         [](const Case& c) { return c.both_ok() && c.problem.dst.tag == "any" && !c.problem.src.parent.empty(); }},
        {"SCL-05", "scales of bf16 and f16 are read as if they were f32",
         [](const Case& c) { return c.both_ok() && narrow_scales(c.problem); }},
        {"SCL-04", "groups on dst scales are refused",
         [](const Case& c) { return c.peer == "pd:invalid_arguments" && grouped(c.problem.scales, "dst"); }},
        {"SCL-03", "a mask that names an absent dim is accepted",
         [](const Case& c) { return c.ours == "pd:invalid_arguments" && names_absent_dim(c.problem); }},
        {"REO-13", "run-time dims with a dst mask are accepted",
         [](const Case& c) {
             return c.ours == "pd:unimplemented" && c.problem.runtime_mask && any_mask(c.problem.scales) &&
                    on(c.problem.scales, "dst");
         }},
        {"REO-18", "sum keeps the old padding",
         [](const Case& c) {
             return is_blocked(c.problem.dst) && has_sum(c.problem) && all_differences(c, ours_zero);
         }},
        {"REO-18", "some padding of a blocked dst is left as it was",
         [](const Case& c) { return is_blocked(c.problem.dst) && all_differences(c, peer_kept); }},
        {"REO-19", "views with a tail: zeros written over the neighbours, or left out",
         [](const Case& c) {
             return is_blocked(c.problem.dst) && !c.problem.dst.parent.empty() && all_differences(c, one_kept);
         }},
        {"REO-19", "views with a tail in one layout: copied as if they were dense",
         [](const Case& c) {
             const Side &src = c.problem.src, &dst = c.problem.dst;
             const auto kept = [](const Type& type, const Difference& d) {
                 return d.ours == old_value(type, d.index) || d.peer == old_value(type, d.index);
             };
             return is_blocked(dst) && src.tag == dst.tag && !src.parent.empty() && !dst.parent.empty() &&
                    all_differences(c, kept);
         }},
        {"CVT-01", "s32 moves of some kernels (run-time dims, views) round to f32",
         [](const Case& c) {
             const bool view = !c.problem.dst.parent.empty();
             return c.problem.src.type == "s32" && c.problem.dst.type == "s32" &&
                    all_differences(c, view ? through_f32_or_kept : through_f32);
         }},
        {"CVT-03", "NaN to an integer depends on the kernel",
         [](const Case& c) { return c.problem.special && all_differences(c, extreme_integer); }},
        {"CVT-01", "values beyond 2^31 become the lowest integer",
         [](const Case& c) { return all_differences(c, peer_wrapped); }},
        {"ELT-33", "f16 is refused without its instructions",
         [](const Case& c) {
             return c.problem.primitive == "eltwise" && c.problem.src.type == "f16" && c.ours.rfind("ok", 0) == 0 &&
                    c.peer == "pd:unimplemented";
         }},
        {"ELT-39", "NaN, infinity and denormals: constants, or NaN for a limit",
         [](const Case& c) { return is_eltwise(c) && c.problem.special && all_differences(c, peer_wrong_of_special); }},
        {"ELT-39", "an intermediate result overflows f32: gelu, soft_relu, backward square, pow, mish",
         [](const Case& c) {
             const std::string& a = c.problem.algorithm;
             const bool known =
                 a == "gelu_erf" || a == "soft_relu" || a == "square" || a == "mish" || a == "gelu_tanh" || a == "pow";
             return is_eltwise(c) && known && all_differences(c, overflowed_or_special);
         }},
        {"ELT-33", "integers: the twins that differentiate from dst are accepted, their originals refused",
         [](const Case& c) {
             const std::string& a = c.problem.algorithm;
             const bool twin = a.size() > 4 && a.compare(a.size() - 4, 4, "_dst") == 0;
             return is_eltwise(c) && twin && dst_type(c).kind != Kind::floating && c.problem.direction != "BWD_D" &&
                    c.ours == "pd:invalid_arguments" && c.peer.rfind("ok", 0) == 0;
         }},
        {"PO-05", "eltwise of six dims with a binary post-op: operands from wrong places",
         [](const Case& c) {
             return is_eltwise(c) && c.problem.src.dims.size() == 6 && !c.problem.post_ops.empty() &&
                    all_differences(c, wrong_or_padding);
         }},
        {"ELT-42", "log near 1: 4e-6 absolute",
         [](const Case& c) { return c.problem.algorithm == "log" && all_differences(c, rough_or_special); }},
        {"ELT-38", "padding of a blocked dst holds f(0)",
         [](const Case& c) {
             return is_eltwise(c) && is_blocked(c.problem.src) && all_differences(c, padding_not_zero);
         }},
        {"POO-02", "maxima: NaN loses, and the maximum is a finite number where all elements are -infinity",
         [](const Case& c) {
             const bool extreme = (c.problem.primitive == "pooling" || c.problem.primitive == "reduction") &&
                                  (c.problem.algorithm == "max" || c.problem.algorithm == "min");
             return extreme && c.problem.special && all_differences(c, peer_wrong_of_special);
         }},
        {"SOF-09", "softmax: beside a NaN other elements are 0",
         [](const Case& c) {
             return c.problem.primitive == "softmax" && c.problem.special && all_differences(c, peer_wrong_of_special);
         }},
        {"BIN-09", "NaN is dropped by max and min and decides comparisons by the kernel",
         [](const Case& c) { return is_binary(c) && all_differences(c, peer_wrong_of_special); }},
        {"BIN-09", "a max or min post-op drops NaN, and that of a division by zero depends on the kernel",
         [](const Case& c) {
             return (has_post_op(c, "max") || has_post_op(c, "min") || has_post_op(c, "div")) &&
                    all_differences(c, special_or_padding);
         }},
        {"PO-05", "binary with an operand along other dims than the channels, or of a named layout: wrong places",
         [](const Case& c) {
             const auto unusual = [&](const PostOp& op) {
                 const int mask = int(op.first), full = (1 << c.problem.dst.dims.size()) - 1;
                 return (mask != 0 && mask != 2 && mask != full) || !op.tag.empty();
             };
             const auto& all = c.problem.post_ops;
             return is_binary(c) && std::any_of(all.begin(), all.end(), unusual) &&
                    all_differences(c, wrong_or_padding);
         }},
        {"ELT-21", "backward hardswish with alpha 0: NaN",
         [](const Case& c) {
             return c.problem.algorithm == "hardswish" && c.problem.alpha == 0 && c.problem.direction == "BWD_D" &&
                    all_differences(c, overflowed_or_special);
         }},
        {"ELT-34", "clip of u8 to a range below zero wraps",
         [](const Case& c) {
             return c.problem.algorithm == "clip" && c.problem.src.type == "u8" && c.problem.beta < 0 &&
                    all_differences(c, wrong_or_padding);
         }},
        {"BIN-06", "dst any of a blocked src0 that is broadcast: a layout of its own",
         [](const Case& c) {
             return is_binary(c) && c.both_ok() && c.problem.dst.tag == "any" && is_blocked(c.problem.src) &&
                    c.problem.src.dims != c.problem.dst.dims && !c.differences.empty() && c.differences[0].index < 0;
         }},
        {"BIN-08", "0/0 depends on the kernel, and padding of a blocked dst holds op(0, 0)",
         [](const Case& c) {
             return is_binary(c) && is_blocked(c.problem.src) && all_differences(c, special_or_padding);
         }},
        {"BIN-06", "operands or dst of other layouts: elements from wrong places, told by the formula",
         [](const Case& c) {
             const Problem& p = c.problem;
             return is_binary(c) && (p.other.tag != p.src.tag || p.dst.tag != p.src.tag) &&
                    all_differences(c, wrong_or_padding);
         }},
        {"DEF-02", "success, and part of dst untouched",
         [](const Case& c) { return has_formula(c.problem) && all_differences(c, skipped_or_special); }},
        {"PRE-09", "NaN and infinity: 0 times infinity where a positive value meets an infinite weight",
         [](const Case& c) { return is_prelu(c) && c.problem.special && all_differences(c, peer_wrong_of_special); }},
        {"PRE-07", "weights of another layout than src's, blocks, unusual orders: elements from wrong places",
         [](const Case& c) {
             const bool alike = c.problem.other.tag == c.problem.src.tag && has_usual_order(c.problem.src);
             return is_prelu(c) && !alike && all_differences(c, wrong_or_padding);
         }},
        {"RES-09", "sides of different layouts: elements from wrong places, told by the formula",
         [](const Case& c) {
             return is_resampling(c) && c.problem.src.tag != c.problem.dst.tag && all_differences(c, wrong_or_padding);
         }},
        {"PO-05", "resampling with the tensor of a binary or select post-op: elements from wrong places",
         [](const Case& c) {
             return is_resampling(c) && has_binary_post_op(c) && all_differences(c, wrong_or_padding);
         }},
        {"PO-03", "two sums in one chain of a type narrower than f32: the first is rounded",
         [](const Case& c) {
             const auto& all = c.problem.post_ops;
             const auto is_sum = [](const PostOp& op) { return op.kind == "sum"; };
             return is_binary(c) && std::count_if(all.begin(), all.end(), is_sum) > 1 && dst_type(c).bits < 32 &&
                    all_differences(c, wrong_or_padding);
         }},
        {"RES-03", "NaN and infinity: a neighbour of weight 0 is multiplied, a NaN is dropped by the kernel",
         [](const Case& c) {
             return is_resampling(c) && c.problem.special && all_differences(c, peer_wrong_of_special);
         }},
        {"CON-03", "an axis out of range is accepted where there is one source",
         [](const Case& c) {
             return c.problem.primitive == "concat" && c.problem.sources.size() == 1 &&
                    c.problem.axis >= int(c.problem.dst.dims.size()) && c.ours == "pd:invalid_arguments";
         }},
        {"STA-06", "concat: a scale mask that is not supported is answered before dims that disagree",
         [](const Case& c) {
             return c.problem.primitive == "concat" && any_mask(c.problem.scales) && c.ours == "pd:invalid_arguments" &&
                    c.peer == "pd:unimplemented";
         }},
        {"DEF-03", "views and gaps: offsets of sources and second operands are ignored, or neighbours are written",
         [](const Case& c) {
             const Problem& p = c.problem;
             const bool sparse = is_sparse(p.src) || is_sparse(p.other) || is_sparse(p.dst);
             return has_formula(p) && sparse &&
                    all_differences(c, p.in_place ? wrong_or_outside : wrong_kept_or_padding);
         }},
        {"PO-05", "select as a post-op of binary: values from wrong places, told by the formula",
         [](const Case& c) {
             return is_binary(c) && has_post_op(c, "select") && all_differences(c, wrong_or_padding);
         }},
        {"ELT-36", "six dims in place: parts are left as they were",
         [](const Case& c) {
             return is_eltwise(c) && c.problem.in_place && c.problem.src.dims.size() == 6 &&
                    all_differences(c, wrong_or_padding);
         }},
        {"BIN-06", "blocks in unusual orders: elements from wrong places, told by the formula",
         [](const Case& c) {
             const std::string& t = c.problem.src.tag;
             return is_binary(c) && is_blocked(c.problem.src) && !in_order(t) && all_differences(c, wrong_or_padding);
         }},
        {"PRE-05", "weights of another type than src: wrong values in the tail",
         [](const Case& c) {
             return is_prelu(c) && c.problem.other.type != c.problem.src.type && all_differences(c, peer_wrong);
         }},
        {"REO-01", "integers to f8 in blocks of two dims: no code can be made",
         [](const Case& c) {
             return c.problem.primitive == "reorder" && is_blocked(c.problem.dst) && uses(c, "f8_e4m3") &&
                    c.peer == "primitive:runtime_error";
         }},
        {"REO-10", "the sum into an f8 dst is lost",
         [](const Case& c) {
             return c.problem.primitive == "reorder" && c.both_ok() && has_sum(c.problem) && dst_is_float(c) &&
                    dst_type(c).bits == 8;
         }},
        {"STA-06", "a prelu post-op that is not supported is answered before its mask of an absent dim",
         [](const Case& c) {
             const auto absent = [&](const PostOp& op) {
                 return op.kind == "prelu" && int(op.first) >> c.problem.dst.dims.size();
             };
             const auto& all = c.problem.post_ops;
             return c.ours == "pd:invalid_arguments" && c.peer == "pd:unimplemented" &&
                    std::any_of(all.begin(), all.end(), absent);
         }},
        {"PO-03", "a sum type of another width than dst's: unimplemented",
         [](const Case& c) {
             const auto wide = [&](const PostOp& op) {
                 return op.kind == "sum" && !op.type.empty() && type(op.type)->bits != dst_type(c).bits;
             };
             const auto& all = c.problem.post_ops;
             return c.ours == "pd:invalid_arguments" && c.peer == "pd:unimplemented" &&
                    std::any_of(all.begin(), all.end(), wide);
         }},
        {"MAT-41", "scales of dst that vary: the first stands for all",
         [](const Case& c) {
             const auto varies = [](const Quantization& q) { return q.argument == "dst" && q.mask != 0; };
             return is_matmul(c) && std::any_of(c.problem.scales.begin(), c.problem.scales.end(), varies) &&
                    all_differences(c, peer_wrong);
         }},
        {"PO-03", "matmul of bytes, sum into f16: behind the first 32 columns the old values are not those of dst",
         [](const Case& c) {
             return is_matmul(c) && has_post_op(c, "sum") && c.problem.dst.type == "f16" &&
                    c.problem.src.type != "f16" && all_differences(c, peer_wrong);
         }},
        {"PO-05", "select as a post-op of matmul or inner product: values from wrong places, told by the formula",
         [](const Case& c) {
             return multiplies(c.problem) && has_post_op(c, "select") && all_differences(c, peer_wrong);
         }},
        {"CNV-40",
         "convolution or deconvolution of bytes in plain layouts: sums of other elements, told by the formula",
         [](const Case& c) {
             const bool bytes = c.problem.src.type == "s8" || c.problem.src.type == "u8";
             return convolves(c) && bytes && !is_blocked(c.problem.src) && all_differences(c, peer_wrong);
         }},
        {"CNV-01",
         "convolution or deconvolution of floats, windows that move far or lines of few pixels: elements from wrong "
         "places",
         [](const Case& c) {
             const bool bytes = c.problem.src.type == "s8" || c.problem.src.type == "u8";
             return convolves(c) && !bytes && all_differences(c, peer_wrong);
         }},
        {"INP-05", "inner product of bytes with weights whose output channels are innermost: sums that are off",
         [](const Case& c) {
             const bool bytes = c.problem.src.type == "s8" || c.problem.src.type == "u8"; // u8: with AMX
             return is_inner_product(c) && bytes && c.problem.other.tag.back() == 'a' && all_differences(c, peer_wrong);
         }},
        {"INP-05",
         "inner product over pixels with a layout left open, or two of bf16: other weights for src, also behind its "
         "own "
         "reorders",
         [](const Case& c) {
             const Problem& p = c.problem;
             const bool open = p.src.tag == "any" || p.other.tag == "any";
             const bool apart = p.src.type == "bf16" && p.src.tag != p.other.tag; // with AMX
             return is_inner_product(c) && (open || apart) && p.src.dims.size() > 2 && all_differences(c, peer_wrong);
         }},
        {"PO-03", "inner product of f16 into another type with a sum: the old values are not those of dst",
         [](const Case& c) {
             return is_inner_product(c) && has_post_op(c, "sum") && c.problem.src.type == "f16" &&
                    all_differences(c, peer_wrong);
         }},
        {"MAT-02", "bytes, batches of one row by the same weights: from the second product on other sums",
         [](const Case& c) {
             const Problem& p = c.problem;
             const size_t rank = p.src.dims.size();
             return is_matmul(c) && rank > 2 && p.src.dims[rank - 2] == 1 && p.other.dims[0] == 1 &&
                    p.src.dims[0] > 1 && type(p.src.type)->kind != Kind::floating && all_differences(c, peer_wrong);
         }},
        {"MAT-02", "bytes on tiles, k beyond 64 and no multiple of it: columns from 32 on, other values in each run",
         [](const Case& c) {
             const Problem& p = c.problem;
             const bool bytes = p.src.type == "s8" || p.src.type == "u8";
             return is_matmul(c) && bytes && p.src.dims.back() > 64 && p.src.dims.back() % 64 &&
                    p.dst.dims.back() > 32 && all_differences(c, peer_wrong);
         }},
        {"LNO-04", "layer normalization with rms_norm: diff_src has a term of the mean, which is none there",
         [](const Case& c) {
             return c.problem.primitive == "layer_normalization" &&
                    c.problem.algorithm.find('M') != std::string::npos && is_backward(c.problem) &&
                    c.problem.want.empty() && all_differences(c, peer_wrong);
         }},
        {"LNO-14", "layer normalization between different layouts, or of blocks: other rows' mean and variance",
         [](const Case& c) {
             const Problem& p = c.problem;
             const bool alike = p.src.tag == p.dst.tag || p.dst.tag == "any";
             return is_normalization(c, "layer") && (!alike || is_blocked(p.src) || is_blocked(p.dst)) &&
                    all_differences(c, wrong_or_padding);
         }},
        {"GNO-03", "group normalization without channels is refused",
         [](const Case& c) {
             return is_normalization(c, "group") && c.problem.src.dims.size() > 1 && c.problem.src.dims[1] == 0 &&
                    c.peer == "pd:invalid_arguments";
         }},
        {"GNO-03", "group normalization of two dims: each element as often as there are channels",
         [](const Case& c) {
             return is_normalization(c, "group") && c.problem.src.dims.size() == 2 &&
                    all_differences(c, wrong_or_padding);
         }},
        {"PO-05",
         "normalizations with a binary post-op in layouts of unusual order, or select: values from wrong places",
         [](const Case& c) {
             const bool known = is_normalization(c, "layer") || is_normalization(c, "group");
             const bool misread =
                 has_post_op(c, "select") || (has_binary_post_op(c) && !has_usual_order(c.problem.src));
             return known && misread && all_differences(c, wrong_or_padding);
         }},
        {"LRN-07", "lrn of six dims: parts untouched, elements from wrong places",
         [](const Case& c) {
             return is_lrn(c) && c.problem.src.dims.size() == 6 && all_differences(c, wrong_or_padding);
         }},
        {"LRN-01", "lrn with beta 0.75: the root of omega cubed, which overflows from 5e25 on",
         [](const Case& c) {
             const auto lost = [](const Type& t, const Difference& d) {
                 return d.special || (peer_wrong(t, d) && (decode(t, d.peer) == 0 || std::fabs(d.expected) < 1e-3));
             };
             return is_lrn(c) && c.problem.beta == 0.75 && all_differences(c, lost);
         }},
        {"LRN-01", "lrn across channels in planes: some sums are off as if they kept the rounding of large neighbours",
         [](const Case& c) {
             return is_lrn(c) && !is_backward(c.problem) && c.problem.algorithm == "across_channels" &&
                    c.problem.src.tag == "abcd" && all_differences(c, peer_wrong);
         }},
        {"LRN-03", "lrn of an even size within a channel, blocks of channels: a window that is not symmetric",
         [](const Case& c) {
             return is_lrn(c) && c.problem.group % 2 == 0 && c.problem.algorithm == "within_channel" &&
                    is_blocked(c.problem.src) && all_differences(c, wrong_or_padding);
         }},
        {"LRN-04", "gradients of lrn in 16 bits: parts of them are rounded to the type",
         [](const Case& c) {
             return is_lrn(c) && is_backward(c.problem) && dst_type(c).bits == 16 && all_differences(c, peer_wrong);
         }},
        {"POO-04", "a mean without padding is refused where a padding is as long as the kernel, or one tap dilated",
         [](const Case& c) {
             const auto wide = [](const Dims& w) { return std::max(w[3], w[4]) >= w[0] || (w[0] == 1 && w[2] > 0); };
             const auto& all = c.problem.windows;
             return c.problem.algorithm == "avg_exclude_padding" && c.peer == "pd:invalid_arguments" &&
                    std::any_of(all.begin(), all.end(), wide);
         }},
        {"POO-10", "means of s32: sums that wrap",
         [](const Case& c) {
             return is_pooling(c) && c.problem.src.type == "s32" && c.problem.algorithm != "max" &&
                    all_differences(c, wrong_or_padding);
         }},
        {"POO-05", "gradients of maxima of windows with NaN, which is none of the forward's maxima",
         [](const Case& c) {
             return is_pooling(c) && is_backward(c.problem) && c.problem.algorithm == "max" && c.problem.special &&
                    all_differences(c, peer_wrong);
         }},
        {"POO-10", "gradients of means in 16 bits: added in the type",
         [](const Case& c) {
             return is_pooling(c) && is_backward(c.problem) && dst_type(c).bits == 16 && c.problem.algorithm != "max" &&
                    all_differences(c, peer_wrong);
         }},
        {"PO-05", "select as a post-op of reductions, binary ones of pooling: values from wrong places",
         [](const Case& c) {
             const bool misread = is_pooling(c) ? has_binary_post_op(c) : is_reduction(c) && has_post_op(c, "select");
             return misread && all_differences(c, wrong_or_padding);
         }},
        {"POO-03", "means whose sum overflows in the order of some kernel",
         [](const Case& c) {
             return is_pooling(c) && c.problem.algorithm != "max" && all_differences(c, overflowed_or_special);
         }},
        {"ELT-39", "mish as a post-op: NaN for a limit",
         [](const Case& c) { return has_post_op(c, "mish") && all_differences(c, overflowed_or_special); }},
        {"SOF-10", "softmax of bytes over an axis in blocks: no code can be made",
         [](const Case& c) {
             return is_softmax(c) && is_blocked(c.problem.src) && c.peer == "primitive:runtime_error";
         }},
        {"RED-12", "min and max of nothing in 16 bits: the limit of the type, not of f32",
         [](const Case& c) {
             return is_reduction(c) && zero_volume(c) && type(c.problem.src.type)->bits == 16 &&
                    all_differences(c, peer_wrong);
         }},
        {"RED-03", "reduction of integers: sums and products are kept as s32, which wraps",
         [](const Case& c) {
             return is_reduction(c) && type(c.problem.src.type)->kind != Kind::floating &&
                    all_differences(c, peer_wrong);
         }},
        {"SOF-07", "softmax with post-ops: operands of other elements, or of select garbage",
         [](const Case& c) { return is_softmax(c) && !c.problem.post_ops.empty() && all_differences(c, peer_wrong); }},
        {"SOF-10", "softmax of blocked layouts: elements in the place of others",
         [](const Case& c) {
             const bool blocks = is_blocked(c.problem.dst) || (c.problem.dst.tag == "any" && is_blocked(c.problem.src));
             return is_softmax(c) && blocks && all_differences(c, peer_wrong);
         }},
        {"SOF-01", "the logarithm of softmax is off by up to 1e-4",
         [](const Case& c) {
             return is_softmax(c) && c.problem.algorithm == "log" && all_differences(c, peer_rough_logarithm);
         }},
        {"RNN-51", "lstm of bf16 with a projection: other values, and crashes",
         [](const Case& c) {
             const bool projects = c.problem.algorithm.find(".projection") != std::string::npos;
             return c.problem.primitive == "rnn" && projects && c.problem.src.type == "bf16" &&
                    all_differences(c, peer_wrong);
         }},
        {"CVT-04", "bf16 denormals flushed to zero", [](const Case& c) { return all_differences(c, peer_flushed); }},
    };
    return table;
}

} // namespace differential
