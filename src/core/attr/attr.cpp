// SPDX-License-Identifier: Apache-2.0
// Setters of Attr: what can be refused without knowing the primitive (ATR-05, SCL-02, SCL-05, ZPT-02, RND-01).
//
//   attr.set_scales(DNNL_ARG_BIAS, {})   "scales of bias (41) are not possible; the sources, ..."
//
// Whether a primitive supports what was set is for the primitive's desc to say (ATR-02).
#include "core/attr/attr.hpp"

#include <algorithm>
#include <bit>

#include "core/problem/problem.hpp"

namespace tessera {

namespace {

bool takes_scales(int id) {
    return (id >= arg::src && id <= arg::src + 3) || id == arg::weights || id == arg::dst ||
           (id >= arg::multiple_src && id < arg::multiple_dst) || id == (arg::post_op_dw | arg::weights) ||
           id == (arg::post_op_dw | arg::dst);
}

bool is_scale_type(DataType t) {
    return t == DataType::f32 || t == DataType::bf16 || t == DataType::f16 || t == DataType::e8m0 ||
           t == DataType::f8_e5m2 || t == DataType::f8_e4m3;
}

bool is_zero_point_type(DataType t) {
    return t == DataType::s32 || t == DataType::s8 || t == DataType::u8 || t == DataType::s4 || t == DataType::u4;
}

// What scales, zero points and reductions have in common.
Result<void> check_quant(std::string_view what, int id, const Quant& q) {
    if (q.mask < 0)
        return invalid("{} of {}: mask {} is negative; bit d of a mask stands for dimension d", what, arg_name(id),
                       q.mask);
    if (q.mask >> max_ndims)
        return invalid("{} of {}: mask {:#x} names dimensions beyond the {} a tensor can have", what, arg_name(id),
                       q.mask, max_ndims);
    if (!q.groups.empty() && q.groups.size() != 2)
        return invalid("{} of {}: {:group size} given; there are none, or two for the last two dimensions", what,
                       arg_name(id), counted(q.groups.size()));
    if (!q.groups.empty() && q.mask == 0)
        return invalid("{} of {}: groups {} with mask 0; groups need the mask bits of the last two dimensions", what,
                       arg_name(id), to_string(q.groups));
    for (const int64_t group : q.groups)
        if (group < 1) return invalid("{} of {}: groups {} must be positive", what, arg_name(id), to_string(q.groups));
    if (q.on_host && q.mask != 0)
        return invalid("{} of {}: a host scalar is one value, so its mask is 0 and not {}", what, arg_name(id), q.mask);
    if (q.mode != QuantizationMode::static_sazp && q.mode != QuantizationMode::dynamic_mx &&
        q.mode != QuantizationMode::dynamic_fp)
        return invalid("{} of {}: quantization mode {} is none of static_sazp (1), dynamic_mx (2) and dynamic_fp (3)",
                       what, arg_name(id), int(q.mode));
    return {};
}

} // namespace

Result<void> Attr::set_scales(int id, Quant q) {
    if (!takes_scales(id))
        return invalid("scales of {} ({}) are not possible; the sources, weights and dst can have them", arg_name(id),
                       id);
    if (!is_scale_type(q.type))
        return invalid("scales of {}: data type {} is not supported; f32, bf16, f16, e8m0, f8_e5m2 and f8_e4m3 are",
                       arg_name(id), named(q.type));
    if (auto ok = check_quant("scales", id, q); !ok) return ok;
    scales[id] = std::move(q);
    return {};
}

Result<void> Attr::set_zero_points(int id, Quant q) {
    if (id != arg::src && id != arg::weights && id != arg::dst)
        return invalid("zero points of {} ({}) are not possible; src (1), weights (33) and dst (17) can have them",
                       arg_name(id), id);
    if (!is_zero_point_type(q.type))
        return invalid("zero points of {}: data type {} is not supported; s32, s8, u8, s4 and u4 are", arg_name(id),
                       named(q.type));
    if (id == arg::dst && q.type != DataType::s32)
        return invalid("zero points of dst: data type {} is not supported; s32 is", named(q.type));
    if (auto ok = check_quant("zero points", id, q); !ok) return ok;
    zero_points[id] = std::move(q);
    return {};
}

Result<void> Attr::set_precomputed_reductions(int id, Quant q) {
    if (id != arg::src)
        return invalid("precomputed reductions of {} ({}) are not possible; src (1) can have them", arg_name(id), id);
    if (q.type != DataType::s32)
        return invalid("precomputed reductions of src: data type {} is not supported; s32 is", named(q.type));
    if (auto ok = check_quant("precomputed reductions", id, q); !ok) return ok;
    precomputed_reductions[id] = std::move(q);
    return {};
}

namespace {
constexpr uint32_t runtime_f32_bits = 0x7fc000d0; // DNNL_RUNTIME_F32_VAL, a NaN: compared by bits
}

Result<void> Attr::set_output_scales(int mask, std::span<const float> values) {
    if (mask < 0 || mask >> max_ndims)
        return invalid("output scales: mask {} must name dimensions 0..{} by its bits", mask, max_ndims - 1);
    if (values.empty()) return invalid("output scales: no values are given; mask 0 needs one");
    if (values.size() > 1)
        for (const float v : values)
            if (std::bit_cast<uint32_t>(v) == runtime_f32_bits)
                return invalid("output scales: the run-time value among {} values; give it alone, with the mask",
                               values.size());
    output_scales.mask = mask;
    output_scales.values.assign(values.begin(), values.end());
    if (mask == 0 && values.size() == 1 && values[0] == 1.f) output_scales = {}; // the factor 1 is no attribute
    return {};
}

Result<void> Attr::set_rounding(int id, RoundingMode mode) {
    if (mode != RoundingMode::environment && mode != RoundingMode::stochastic)
        return invalid("rounding: mode {} is neither environment (0) nor stochastic (1)", int(mode));
    if (mode != RoundingMode::environment && id != arg::diff_src && id != arg::diff_weights && id != arg::dst)
        return invalid(
            "stochastic rounding of {} ({}) is not possible; dst (17), diff_src (129) and diff_weights (161) can have "
            "it",
            arg_name(id), id);
    if (mode == RoundingMode::environment)
        rounding.erase(id); // the default is not stored, so that equal attributes compare equal
    else
        rounding[id] = mode;
    return {};
}

bool OutputScales::at_execution() const {
    return values.size() == 1 && std::bit_cast<uint32_t>(values[0]) == runtime_f32_bits;
}

bool OutputScales::operator==(const OutputScales& other) const {
    return mask == other.mask && std::ranges::equal(values, other.values, [](float a, float b) {
               return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
           });
}

bool Attr::has_default_values() const {
    return scales.empty() && zero_points.empty() && precomputed_reductions.empty() && post_ops.entries.empty() &&
           output_scales.values.empty() && fpmath == FpmathMode::strict && !fpmath_apply_to_int &&
           accumulation == AccumulationMode::strict && !deterministic && rounding.empty() && !dropout && !rnn;
}

} // namespace tessera
