// SPDX-License-Identifier: Apache-2.0
// The C calls of attributes. They check pointers and enumerations; the other checks are in core/attr/attr.cpp.
#include <span>

#include "api/guard.hpp"
#include "api/objects/handles.hpp"
#include "api/settings.hpp"
#include "oneapi/dnnl/dnnl_debug.h"
#include "oneapi/dnnl/dnnl_tessera.h"

using namespace tessera;

dnnl_status_t dnnl_primitive_attr_create(dnnl_primitive_attr_t* attr) {
    return guarded("dnnl_primitive_attr_create", [&]() -> Result<void> {
        if (auto ok = need(attr, "attr"); !ok) return ok;
        auto created = std::make_unique<dnnl_primitive_attr>();
        created->value.fpmath = default_fpmath_mode();
        *attr = created.release();
        return {};
    });
}

dnnl_status_t dnnl_primitive_attr_clone(dnnl_primitive_attr_t* attr, const_dnnl_primitive_attr_t existing_attr) {
    return guarded("dnnl_primitive_attr_clone", [&]() -> Result<void> {
        if (auto ok = need("attr", attr, "existing_attr", existing_attr); !ok) return ok;
        *attr = new dnnl_primitive_attr(*existing_attr);
        return {};
    });
}

dnnl_status_t dnnl_primitive_attr_destroy(dnnl_primitive_attr_t attr) {
    delete attr; // null is nothing to destroy
    return dnnl_success;
}

// ---- modes

namespace {

// Modes go through one setter: `word` of dnnl_debug.h knows the numbers from 0 to `last`.
template <typename Mode, typename Given> dnnl_status_t set_mode(const char* function, dnnl_primitive_attr_t attr,
                                                                Mode Attr::*member, int value, int last,
                                                                const char* (*word)(Given)) {
    return guarded(function, [&]() -> Result<void> {
        if (auto ok = need(attr, "attr"); !ok) return ok;
        if (value < 0 || value > last) {
            std::string words;
            for (int i = 0; i <= last; ++i) words += fmt::format("{}{} ({})", i ? ", " : "", word(Given(i)), i);
            return invalid("mode {} is none of {}", value, words);
        }
        attr->value.*member = Mode(value);
        return {};
    });
}

template <typename Mode, typename Out>
dnnl_status_t get_mode(const char* function, const_dnnl_primitive_attr_t attr, Mode Attr::*member, Out* out) {
    return guarded(function, [&]() -> Result<void> {
        if (auto ok = need("attr", attr, "output", out); !ok) return ok;
        *out = static_cast<Out>(int(attr->value.*member));
        return {};
    });
}

} // namespace

dnnl_status_t dnnl_primitive_attr_get_fpmath_mode(const_dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t* mode) {
    return get_mode("dnnl_primitive_attr_get_fpmath_mode", attr, &Attr::fpmath, mode);
}
// Also resets apply_to_int to 0.
dnnl_status_t dnnl_primitive_attr_set_fpmath_mode(dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode) {
    return guarded("dnnl_primitive_attr_set_fpmath_mode", [&]() -> Result<void> {
        if (auto ok = need(attr, "attr"); !ok) return ok;
        if (auto ok = check_fpmath_mode(int(mode)); !ok) return ok;
        attr->value.fpmath = FpmathMode(mode);
        attr->value.fpmath_apply_to_int = false;
        return {};
    });
}
dnnl_status_t dnnl_primitive_attr_get_fpmath_mode_v2(const_dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t* mode,
                                                     int* apply_to_int) {
    return guarded("dnnl_primitive_attr_get_fpmath_mode_v2", [&]() -> Result<void> {
        if (auto ok = need(attr, "attr"); !ok) return ok;
        if (mode) *mode = static_cast<dnnl_fpmath_mode_t>(attr->value.fpmath);
        if (apply_to_int) *apply_to_int = attr->value.fpmath_apply_to_int;
        return {};
    });
}
dnnl_status_t dnnl_primitive_attr_set_fpmath_mode_v2(dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode,
                                                     int apply_to_int) {
    return guarded("dnnl_primitive_attr_set_fpmath_mode_v2", [&]() -> Result<void> {
        if (auto ok = need(attr, "attr"); !ok) return ok;
        if (auto ok = check_fpmath_mode(int(mode)); !ok) return ok;
        attr->value.fpmath = FpmathMode(mode);
        attr->value.fpmath_apply_to_int = apply_to_int != 0;
        return {};
    });
}

dnnl_status_t dnnl_primitive_attr_get_deterministic(const_dnnl_primitive_attr_t attr, int* value) {
    return get_mode("dnnl_primitive_attr_get_deterministic", attr, &Attr::deterministic, value);
}
dnnl_status_t dnnl_primitive_attr_set_deterministic(dnnl_primitive_attr_t attr, int value) {
    return guarded("dnnl_primitive_attr_set_deterministic", [&]() -> Result<void> {
        if (auto ok = need(attr, "attr"); !ok) return ok;
        attr->value.deterministic = value != 0;
        return {};
    });
}

dnnl_status_t dnnl_primitive_attr_get_accumulation_mode(const_dnnl_primitive_attr_t attr,
                                                        dnnl_accumulation_mode_t* mode) {
    return get_mode("dnnl_primitive_attr_get_accumulation_mode", attr, &Attr::accumulation, mode);
}
dnnl_status_t dnnl_primitive_attr_set_accumulation_mode(dnnl_primitive_attr_t attr, dnnl_accumulation_mode_t mode) {
    return set_mode("dnnl_primitive_attr_set_accumulation_mode", attr, &Attr::accumulation, int(mode),
                    int(AccumulationMode::f16), dnnl_accumulation_mode2str);
}

dnnl_status_t dnnl_primitive_attr_get_scratchpad_mode(const_dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t* mode) {
    return get_mode("dnnl_primitive_attr_get_scratchpad_mode", attr, &Attr::scratchpad, mode);
}
dnnl_status_t dnnl_primitive_attr_set_scratchpad_mode(dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t mode) {
    return set_mode("dnnl_primitive_attr_set_scratchpad_mode", attr, &Attr::scratchpad, int(mode),
                    int(ScratchpadMode::user), dnnl_scratchpad_mode2str);
}

dnnl_status_t dnnl_primitive_attr_set_rounding(dnnl_primitive_attr_t attr, int arg, dnnl_rounding_mode_t mode) {
    return guarded("dnnl_primitive_attr_set_rounding", [&]() -> Result<void> {
        if (auto ok = need(attr, "attr"); !ok) return ok;
        return attr->value.set_rounding(arg, RoundingMode(int(mode)));
    });
}
dnnl_status_t dnnl_primitive_attr_get_rounding(dnnl_primitive_attr_t attr, int arg, dnnl_rounding_mode_t* mode) {
    return guarded("dnnl_primitive_attr_get_rounding", [&]() -> Result<void> {
        if (auto ok = need("attr", attr, "mode", mode); !ok) return ok;
        const auto at = attr->value.rounding.find(arg);
        *mode = static_cast<dnnl_rounding_mode_t>(at == attr->value.rounding.end() ? RoundingMode::environment
                                                                                   : at->second);
        return {};
    });
}

// ---- scales, zero points, precomputed reductions

namespace {

using QuantSetter = Result<void> (Attr::*)(int, Quant);

struct QuantParameters {
    int arg, mask, group_ndims;
    const dnnl_dim_t* group_dims;
    dnnl_data_type_t type;
    int on_host = 0;
    dnnl_quantization_mode_t mode = dnnl_quantization_mode_static_sazp;
};

dnnl_status_t set_quant(const char* function, dnnl_primitive_attr_t attr, QuantSetter setter,
                        const QuantParameters& p) {
    return guarded(function, [&]() -> Result<void> {
        if (auto ok = need(attr, "attr"); !ok) return ok;
        if (p.group_ndims != 0 && p.group_ndims != 2)
            return invalid("group_ndims {} is neither 0 nor 2; groups are of the last two dimensions", p.group_ndims);
        if (p.group_ndims != 0)
            if (auto ok = need(p.group_dims, "group_dims"); !ok) return ok;
        Quant q;
        q.mask = p.mask;
        q.groups.assign(p.group_dims, p.group_dims + p.group_ndims);
        q.type = DataType(int(p.type));
        q.on_host = p.on_host != 0;
        q.mode = QuantizationMode(int(p.mode));
        return (attr->value.*setter)(p.arg, std::move(q));
    });
}

} // namespace

dnnl_status_t dnnl_primitive_attr_set_scales_mask(dnnl_primitive_attr_t attr, int arg, int mask) {
    return set_quant("dnnl_primitive_attr_set_scales_mask", attr, &Attr::set_scales, {arg, mask, 0, nullptr, dnnl_f32});
}
dnnl_status_t dnnl_primitive_attr_set_scales(dnnl_primitive_attr_t attr, int arg, int mask, int group_ndims,
                                             const dnnl_dims_t group_dims, dnnl_data_type_t data_type) {
    return set_quant("dnnl_primitive_attr_set_scales", attr, &Attr::set_scales,
                     {arg, mask, group_ndims, group_dims, data_type});
}
dnnl_status_t dnnl_primitive_attr_set_scales_v2(dnnl_primitive_attr_t attr, int arg, int mask, int ndims,
                                                const dnnl_dims_t group_dims, dnnl_data_type_t data_type,
                                                int is_on_host) {
    return set_quant("dnnl_primitive_attr_set_scales_v2", attr, &Attr::set_scales,
                     {arg, mask, ndims, group_dims, data_type, is_on_host});
}
dnnl_status_t dnnl_primitive_attr_set_scales_v3(dnnl_primitive_attr_t attr, int arg, int mask, int ndims,
                                                const dnnl_dims_t group_dims, dnnl_data_type_t data_type,
                                                int is_on_host, dnnl_quantization_mode_t qmode) {
    return set_quant("dnnl_primitive_attr_set_scales_v3", attr, &Attr::set_scales,
                     {arg, mask, ndims, group_dims, data_type, is_on_host, qmode});
}

dnnl_status_t dnnl_primitive_attr_set_zero_points_mask(dnnl_primitive_attr_t attr, int arg, int mask) {
    return set_quant("dnnl_primitive_attr_set_zero_points_mask", attr, &Attr::set_zero_points,
                     {arg, mask, 0, nullptr, dnnl_s32});
}
dnnl_status_t dnnl_primitive_attr_set_zero_points(dnnl_primitive_attr_t attr, int arg, int mask, int group_ndims,
                                                  const dnnl_dims_t group_dims, dnnl_data_type_t data_type) {
    return set_quant("dnnl_primitive_attr_set_zero_points", attr, &Attr::set_zero_points,
                     {arg, mask, group_ndims, group_dims, data_type});
}
dnnl_status_t dnnl_primitive_attr_set_zero_points_v2(dnnl_primitive_attr_t attr, int arg, int mask, int ndims,
                                                     const dnnl_dims_t group_dims, dnnl_data_type_t data_type,
                                                     int is_on_host) {
    return set_quant("dnnl_primitive_attr_set_zero_points_v2", attr, &Attr::set_zero_points,
                     {arg, mask, ndims, group_dims, data_type, is_on_host});
}
dnnl_status_t dnnl_primitive_attr_set_precomputed_reductions(dnnl_primitive_attr_t attr, int arg, int mask,
                                                             int group_ndims, const dnnl_dims_t group_dims,
                                                             dnnl_data_type_t data_type) {
    return set_quant("dnnl_primitive_attr_set_precomputed_reductions", attr, &Attr::set_precomputed_reductions,
                     {arg, mask, group_ndims, group_dims, data_type});
}

// ---- v2 output scales

dnnl_status_t dnnl_primitive_attr_set_output_scales(dnnl_primitive_attr_t attr, dnnl_dim_t count, int mask,
                                                    const float* scales) {
    return guarded("dnnl_primitive_attr_set_output_scales", [&]() -> Result<void> {
        if (auto ok = need("attr", attr, "scales", scales); !ok) return ok;
        if (count < 1 || count > max_factors) return invalid("count {} is outside of 1..{}", count, max_factors);
        return attr->value.set_output_scales(mask, {scales, size_t(count)});
    });
}

dnnl_status_t dnnl_primitive_attr_get_output_scales(const_dnnl_primitive_attr_t attr, dnnl_dim_t* count, int* mask,
                                                    const float** scales) {
    return guarded("dnnl_primitive_attr_get_output_scales", [&]() -> Result<void> {
        if (auto ok = need(attr, "attr"); !ok) return ok;
        static constexpr float one = 1.f;
        const OutputScales& s = attr->value.output_scales;
        if (count) *count = s.values.empty() ? 1 : dnnl_dim_t(s.values.size());
        if (mask) *mask = s.mask;
        if (scales) *scales = s.values.empty() ? &one : s.values.data();
        return {};
    });
}

// ---- post-ops

dnnl_status_t dnnl_primitive_attr_get_post_ops(const_dnnl_primitive_attr_t attr, const_dnnl_post_ops_t* post_ops) {
    return guarded("dnnl_primitive_attr_get_post_ops", [&]() -> Result<void> {
        if (auto ok = need("attr", attr, "post_ops", post_ops); !ok) return ok;
        *post_ops = as_handle(attr->value.post_ops);
        return {};
    });
}

dnnl_status_t dnnl_primitive_attr_set_post_ops(dnnl_primitive_attr_t attr, const_dnnl_post_ops_t post_ops) {
    return guarded("dnnl_primitive_attr_set_post_ops", [&]() -> Result<void> {
        if (auto ok = need("attr", attr, "post_ops", post_ops); !ok) return ok;
        PostOps copy = post_ops->value; // a copy first: post_ops may be a view of this attr
        attr->value.post_ops = std::move(copy);
        return {};
    });
}

// ---- dropout (DRP-01)

namespace {

const MemoryDesc no_mask;

Result<void> set_dropout(dnnl_primitive_attr* attr, const dnnl_memory_desc* mask, int seed_type, int use_offset,
                         int use_host_scalars) {
    if (auto ok = need(attr, "attr"); !ok) return ok;
    if (seed_type != int(DataType::s32) && seed_type != int(DataType::s64))
        return invalid("dropout: the data type {} of the seed is neither s32 nor s64", named(DataType(seed_type)));
    Dropout d;
    if (mask) d.mask = mask->md;
    if (!d.mask.is_zero() && d.mask.type != DataType::u8)
        return invalid("dropout: the mask is {}; it must be u8", name(d.mask.type));
    d.seed_type = DataType(seed_type);
    d.use_offset = use_offset != 0;
    d.use_host_scalars = use_host_scalars != 0;
    attr->value.dropout = d;
    return {};
}

} // namespace

dnnl_status_t dnnl_primitive_attr_set_dropout(dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t mask_desc) {
    return guarded("dnnl_primitive_attr_set_dropout", [&]() -> Result<void> {
        if (auto ok = need("attr", attr, "mask_desc", mask_desc); !ok) return ok;
        if (!mask_desc->md.is_zero()) return set_dropout(attr, mask_desc, int(DataType::s32), 0, 0);
        attr->value.dropout.reset();
        return {};
    });
}
dnnl_status_t dnnl_primitive_attr_get_dropout(const_dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t* mask_desc) {
    return guarded("dnnl_primitive_attr_get_dropout", [&]() -> Result<void> {
        if (auto ok = need("attr", attr, "mask_desc", mask_desc); !ok) return ok;
        *mask_desc = as_handle(attr->value.dropout ? attr->value.dropout->mask : no_mask);
        return {};
    });
}
dnnl_status_t dnnl_primitive_attr_set_dropout_v2(dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t mask_desc,
                                                 dnnl_data_type_t seed_dt, int use_offset, int use_host_scalars) {
    return guarded("dnnl_primitive_attr_set_dropout_v2",
                   [&] { return set_dropout(attr, mask_desc, int(seed_dt), use_offset, use_host_scalars); });
}
dnnl_status_t dnnl_primitive_attr_get_dropout_v2(const_dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t* mask_desc,
                                                 dnnl_data_type_t* seed_dt, int* use_offset, int* use_host_scalars) {
    return guarded("dnnl_primitive_attr_get_dropout_v2", [&]() -> Result<void> {
        if (auto ok = need(attr, "attr"); !ok) return ok;
        static const Dropout off;
        const Dropout& d = attr->value.dropout ? *attr->value.dropout : off;
        if (mask_desc) *mask_desc = as_handle(d.mask);
        if (seed_dt) *seed_dt = static_cast<dnnl_data_type_t>(d.seed_type);
        if (use_offset) *use_offset = d.use_offset;
        if (use_host_scalars) *use_host_scalars = d.use_host_scalars;
        return {};
    });
}

// ---- RNN quantization (RQP-01)

namespace {

const RnnQparams default_rnn;

const RnnQparams& rnn_of(const dnnl_primitive_attr* attr) { return attr->value.rnn ? *attr->value.rnn : default_rnn; }

Result<void> set_rnn_weights(dnnl_primitive_attr* attr, int RnnQparams::*mask_member,
                             std::vector<float> RnnQparams::*scales_member, dnnl_dim_t count, int mask,
                             const float* scales) {
    if (auto ok = need("attr", attr, "scales", scales); !ok) return ok;
    if (count < 1 || count > max_factors) return invalid("count {} is outside of 1..{}", count, max_factors);
    if (mask < 0) return invalid("mask {} is negative; its bits name dimensions of the weights", mask);
    if (mask == 0 && count != 1) return invalid("count {} with mask 0, which is for one scale", count);
    std::vector<float> copy(scales, scales + count);
    RnnQparams changed = rnn_of(attr);
    changed.*mask_member = mask;
    changed.*scales_member = std::move(copy);
    attr->value.rnn = std::move(changed);
    return {};
}

Result<void> get_rnn_weights(const dnnl_primitive_attr* attr, int RnnQparams::*mask_member,
                             std::vector<float> RnnQparams::*scales_member, dnnl_dim_t* count, int* mask,
                             const float** scales) {
    if (auto ok = need(attr, "attr"); !ok) return ok;
    const RnnQparams& q = rnn_of(attr);
    if (count) *count = dnnl_dim_t((q.*scales_member).size());
    if (mask) *mask = q.*mask_member;
    if (scales) *scales = (q.*scales_member).data();
    return {};
}

} // namespace

dnnl_status_t dnnl_primitive_attr_set_rnn_data_qparams(dnnl_primitive_attr_t attr, const float scale,
                                                       const float shift) {
    return guarded("dnnl_primitive_attr_set_rnn_data_qparams", [&]() -> Result<void> {
        if (auto ok = need(attr, "attr"); !ok) return ok;
        RnnQparams changed = rnn_of(attr);
        changed.scale = scale;
        changed.shift = shift;
        attr->value.rnn = std::move(changed);
        return {};
    });
}
dnnl_status_t dnnl_primitive_attr_get_rnn_data_qparams(const_dnnl_primitive_attr_t attr, float* scale, float* shift) {
    return guarded("dnnl_primitive_attr_get_rnn_data_qparams", [&]() -> Result<void> {
        if (auto ok = need(attr, "attr"); !ok) return ok;
        if (scale) *scale = rnn_of(attr).scale;
        if (shift) *shift = rnn_of(attr).shift;
        return {};
    });
}
dnnl_status_t dnnl_primitive_attr_set_rnn_weights_qparams(dnnl_primitive_attr_t attr, dnnl_dim_t count, int mask,
                                                          const float* scales) {
    return guarded("dnnl_primitive_attr_set_rnn_weights_qparams", [&] {
        return set_rnn_weights(attr, &RnnQparams::weights_mask, &RnnQparams::weights_scales, count, mask, scales);
    });
}
dnnl_status_t dnnl_primitive_attr_get_rnn_weights_qparams(const_dnnl_primitive_attr_t attr, dnnl_dim_t* count,
                                                          int* mask, const float** scales) {
    return guarded("dnnl_primitive_attr_get_rnn_weights_qparams", [&] {
        return get_rnn_weights(attr, &RnnQparams::weights_mask, &RnnQparams::weights_scales, count, mask, scales);
    });
}
dnnl_status_t dnnl_primitive_attr_set_rnn_weights_projection_qparams(dnnl_primitive_attr_t attr, dnnl_dim_t count,
                                                                     int mask, const float* scales) {
    return guarded("dnnl_primitive_attr_set_rnn_weights_projection_qparams", [&] {
        return set_rnn_weights(attr, &RnnQparams::projection_mask, &RnnQparams::projection_scales, count, mask, scales);
    });
}
dnnl_status_t dnnl_primitive_attr_get_rnn_weights_projection_qparams(const_dnnl_primitive_attr_t attr,
                                                                     dnnl_dim_t* count, int* mask,
                                                                     const float** scales) {
    return guarded("dnnl_primitive_attr_get_rnn_weights_projection_qparams", [&] {
        return get_rnn_weights(attr, &RnnQparams::projection_mask, &RnnQparams::projection_scales, count, mask, scales);
    });
}
