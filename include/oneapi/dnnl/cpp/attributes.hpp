// SPDX-License-Identifier: Apache-2.0
// dnnl::primitive_attr: everything about a computation that is not its shape: scales, zero points,
// post-ops, numeric modes, scratchpad, dropout.
//
// Setters check only what they can see; a combination that no implementation offers fails when the
// primitive descriptor is created. Values of scales and zero points are execution arguments
// (DNNL_ARG_ATTR_SCALES | arg). Mask bit d: one value per index of logical dimension d.
//
//     primitive_attr attr;
//     attr.set_scales_mask(DNNL_ARG_WEIGHTS, 1 << 0);  // a factor per output channel

#ifndef ONEAPI_DNNL_CPP_ATTRIBUTES_HPP
#define ONEAPI_DNNL_CPP_ATTRIBUTES_HPP

#include <cstring>

#include "oneapi/dnnl/cpp/post_ops.hpp"

#if defined(__GNUC__) || defined(__clang__)
extern "C" {
extern __attribute__((weak)) decltype(dnnl_primitive_attr_set_output_scales) dnnl_primitive_attr_set_output_scales;
extern __attribute__((weak)) decltype(dnnl_primitive_attr_get_output_scales) dnnl_primitive_attr_get_output_scales;
}
#endif

namespace dnnl {

template <> struct handle_traits<dnnl_primitive_attr_t> {
    static dnnl_status_t destructor(dnnl_primitive_attr_t p) { return dnnl_primitive_attr_destroy(p); }
};

/// Attributes of a primitive. Copied into the primitive descriptor; later changes have no effect on it.
struct primitive_attr : public handle<dnnl_primitive_attr_t> {
    using handle<dnnl_primitive_attr_t>::handle;

    /// Default attributes: none. The floating-point mode is the present default mode.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_create() if that refuses.
    primitive_attr() {
        dnnl_primitive_attr_t result = nullptr;
        error::wrap_c_api(dnnl_primitive_attr_create(&result), "could not create primitive attributes");
        reset(result);
    }

    /// Takes over C attributes.
    /// @param attr C attributes; the new object destroys them.
    primitive_attr(dnnl_primitive_attr_t attr) : handle<dnnl_primitive_attr_t>(attr) {}

    /// Reads the descriptor of the dropout mask; empty without dropout.
    /// @param mask_desc Gets the descriptor of the mask; empty without one.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_get_dropout() if that refuses.
    void get_dropout(memory::desc& mask_desc) const {
        const_dnnl_memory_desc_t c_desc = nullptr;
        error::wrap_c_api(dnnl_primitive_attr_get_dropout(get(), &c_desc), "could not get the dropout attribute");
        mask_desc = detail::copy_of(c_desc);
    }
    /// Reads all of the dropout attribute.
    /// @param mask_desc Gets the descriptor of the mask; empty without one.
    /// @param seed_dt Gets the type of the seed.
    /// @param use_offset Gets whether execution takes an offset.
    /// @param use_host_scalars Gets whether the scalars are host scalars.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_get_dropout_v2() if that refuses.
    void get_dropout(memory::desc& mask_desc, memory::data_type& seed_dt, bool& use_offset,
                     bool& use_host_scalars) const {
        const_dnnl_memory_desc_t c_desc = nullptr;
        dnnl_data_type_t c_type = dnnl_data_type_undef;
        int c_offset = 0;
        int c_scalars = 0;
        error::wrap_c_api(dnnl_primitive_attr_get_dropout_v2(get(), &c_desc, &c_type, &c_offset, &c_scalars),
                          "could not get the dropout attribute");
        mask_desc = detail::copy_of(c_desc);
        seed_dt = static_cast<memory::data_type>(c_type);
        use_offset = c_offset != 0;
        use_host_scalars = c_scalars != 0;
    }
    /// Zeroes each result with a given probability and divides the others by 1 - probability. Which ones
    /// survived is written to a u8 tensor of `mask_desc` (1 = kept); an empty one writes nothing.
    /// @param mask_desc Descriptor of the mask, u8 in the shape of dst.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_set_dropout() if that refuses.
    void set_dropout(const memory::desc& mask_desc) {
        error::wrap_c_api(dnnl_primitive_attr_set_dropout(get(), mask_desc.get()),
                          "could not set the dropout attribute");
    }
    /// As above; the seed is s32 or s64, an offset into the random sequence may be given, and the scalars
    /// may come from host memory.
    /// @param mask_desc Descriptor of the mask, u8 in the shape of dst.
    /// @param seed_dt Type of the seed: s32 or s64.
    /// @param use_offset Whether execution takes an offset into the random sequence (s64).
    /// @param use_host_scalars Whether probability, seed and offset are host scalars.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_set_dropout_v2() if that refuses.
    void set_dropout(const memory::desc& mask_desc, memory::data_type seed_dt, bool use_offset, bool use_host_scalars) {
        error::wrap_c_api(dnnl_primitive_attr_set_dropout_v2(get(), mask_desc.get(), memory::convert_to_c(seed_dt),
                                                             use_offset, use_host_scalars),
                          "could not set the dropout attribute");
    }

    /// @returns Which down-conversions inside the computation are allowed.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_get_fpmath_mode() if that refuses.
    dnnl::fpmath_mode get_fpmath_mode() const {
        dnnl_fpmath_mode_t mode = dnnl_fpmath_mode_strict;
        error::wrap_c_api(dnnl_primitive_attr_get_fpmath_mode(get(), &mode),
                          "could not get the floating-point math mode");
        return static_cast<dnnl::fpmath_mode>(mode);
    }
    /// As above, and whether integer weights are up-converted instead of computing in integers.
    /// @param mode Gets the mode.
    /// @param apply_to_int Gets whether it applies to integer weights.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_get_fpmath_mode_v2() if that refuses.
    void get_fpmath_mode(fpmath_mode& mode, bool& apply_to_int) const {
        dnnl_fpmath_mode_t c_mode = dnnl_fpmath_mode_strict;
        int c_apply = 0;
        error::wrap_c_api(dnnl_primitive_attr_get_fpmath_mode_v2(get(), &c_mode, &c_apply),
                          "could not get the floating-point math mode");
        mode = static_cast<fpmath_mode>(c_mode);
        apply_to_int = c_apply != 0;
    }
    /// Sets the floating-point math mode.
    /// @param mode Down-conversions of f32 that are allowed.
    /// @param apply_to_int Whether integer weights are converted to floating point.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_set_fpmath_mode_v2() if that refuses.
    void set_fpmath_mode(fpmath_mode mode, bool apply_to_int = false) {
        error::wrap_c_api(dnnl_primitive_attr_set_fpmath_mode_v2(get(), dnnl::convert_to_c(mode), apply_to_int),
                          "could not set the floating-point math mode");
    }

    /// @returns The type in which sums are kept.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_get_accumulation_mode() if that refuses.
    dnnl::accumulation_mode get_accumulation_mode() const {
        dnnl_accumulation_mode_t mode = dnnl_accumulation_mode_strict;
        error::wrap_c_api(dnnl_primitive_attr_get_accumulation_mode(get(), &mode),
                          "could not get the accumulation mode");
        return static_cast<dnnl::accumulation_mode>(mode);
    }
    /// Sets the type in which sums may be kept.
    /// @param mode Types in which sums may be kept.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_set_accumulation_mode() if that refuses.
    void set_accumulation_mode(accumulation_mode mode) {
        error::wrap_c_api(dnnl_primitive_attr_set_accumulation_mode(get(), dnnl::convert_to_c(mode)),
                          "could not set the accumulation mode");
    }

    /// @returns Whether results must repeat bit by bit from run to run.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_get_deterministic() if that refuses.
    bool get_deterministic() const {
        int value = 0;
        error::wrap_c_api(dnnl_primitive_attr_get_deterministic(get(), &value),
                          "could not get the deterministic attribute");
        return value != 0;
    }
    /// Demands results that repeat bit by bit.
    /// @param value Whether results must repeat bit by bit.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_set_deterministic() if that refuses.
    void set_deterministic(bool value) {
        error::wrap_c_api(dnnl_primitive_attr_set_deterministic(get(), value),
                          "could not set the deterministic attribute");
    }

    /// @param arg A DNNL_ARG_* number.
    /// @returns How results for argument `arg` are rounded.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_get_rounding() if that refuses.
    dnnl::rounding_mode get_rounding_mode(int arg) const {
        dnnl_rounding_mode_t mode = dnnl_rounding_mode_environment;
        error::wrap_c_api(dnnl_primitive_attr_get_rounding(get(), arg, &mode), "could not get the rounding mode");
        return static_cast<dnnl::rounding_mode>(mode);
    }
    /// Sets how results for an argument are rounded; stochastic rounding needs DNNL_ARG_ATTR_ROUNDING_SEED at
    /// execution.
    /// @param arg DNNL_ARG_DST, DNNL_ARG_DIFF_SRC or DNNL_ARG_DIFF_WEIGHTS.
    /// @param mode The mode.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_set_rounding() if that refuses.
    void set_rounding_mode(int arg, rounding_mode mode) {
        error::wrap_c_api(dnnl_primitive_attr_set_rounding(get(), arg, dnnl::convert_to_c(mode)),
                          "could not set the rounding mode");
    }

    /// @returns Who provides scratch memory.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_get_scratchpad_mode() if that refuses.
    dnnl::scratchpad_mode get_scratchpad_mode() const {
        dnnl_scratchpad_mode_t mode = dnnl_scratchpad_mode_library;
        error::wrap_c_api(dnnl_primitive_attr_get_scratchpad_mode(get(), &mode), "could not get the scratchpad mode");
        return static_cast<dnnl::scratchpad_mode>(mode);
    }
    /// Sets who provides scratch memory.
    /// @param mode Who provides it.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_set_scratchpad_mode() if that refuses.
    void set_scratchpad_mode(scratchpad_mode mode) {
        error::wrap_c_api(dnnl_primitive_attr_set_scratchpad_mode(get(), dnnl::convert_to_c(mode)),
                          "could not set the scratchpad mode");
    }

    /// Argument `arg` gets f32 scales: inputs are multiplied by them, dst is divided.
    /// @param arg DNNL_ARG_* number of the argument.
    /// @param mask Bit d: values vary along dimension d of the argument; 0: one value for all.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_set_scales_mask() if that refuses.
    void set_scales_mask(int arg, int mask) {
        error::wrap_c_api(dnnl_primitive_attr_set_scales_mask(get(), arg, mask),
                          "could not set the scales of an argument");
    }
    /// As above with any type, from host memory, or computed (qmode). `groups` is empty or {g0, g1}: one
    /// scale per g0 x g1 block of the last two dimensions, whose bits must then be in the mask.
    /// @param arg DNNL_ARG_* number of the argument.
    /// @param mask Bit d: values vary along dimension d of the argument; 0: one value for all.
    /// @param groups Extents {g0, g1} of a group along the last two dimensions, in elements; empty: no groups.
    /// @param data_type Type of the values.
    /// @param is_on_host true: one host scalar instead of a tensor; mask 0, no groups.
    /// @param qmode Where scales come from; the dynamic modes compute those of dst.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_set_scales_v3() if that refuses.
    void set_scales(int arg, int mask, const memory::dims& groups, memory::data_type data_type = memory::data_type::f32,
                    bool is_on_host = false, quantization_mode qmode = quantization_mode::static_sazp) {
        error::wrap_c_api(dnnl_primitive_attr_set_scales_v3(get(), arg, mask, static_cast<int>(groups.size()),
                                                            groups.data(), memory::convert_to_c(data_type), is_on_host,
                                                            dnnl::convert_to_c(qmode)),
                          "could not set the scales of an argument");
    }
    /// One scale for the whole argument, a host scalar.
    /// @param arg DNNL_ARG_* number of the argument.
    /// @param data_type Type of the values.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_set_scales_v3() if that refuses.
    void set_host_scale(int arg, memory::data_type data_type = memory::data_type::f32) {
        set_scales(arg, 0, memory::dims(), data_type, true);
    }

    /// Argument `arg` gets s32 zero points: subtracted from inputs, added to dst.
    /// @param arg DNNL_ARG_* number of the argument.
    /// @param mask Bit d: values vary along dimension d of the argument; 0: one value for all.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_set_zero_points_mask() if that refuses.
    void set_zero_points_mask(int arg, int mask) {
        error::wrap_c_api(dnnl_primitive_attr_set_zero_points_mask(get(), arg, mask),
                          "could not set the zero points of an argument");
    }
    /// As above with any type, grouped as scales are, or from host memory.
    /// @param arg DNNL_ARG_* number of the argument.
    /// @param mask Bit d: values vary along dimension d of the argument; 0: one value for all.
    /// @param groups Extents {g0, g1} of a group along the last two dimensions, in elements; empty: no groups.
    /// @param data_type Type of the values.
    /// @param is_on_host true: one host scalar instead of a tensor; mask 0, no groups.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_set_zero_points_v2() if that refuses.
    void set_zero_points(int arg, int mask, const memory::dims& groups,
                         memory::data_type data_type = memory::data_type::s32, bool is_on_host = false) {
        error::wrap_c_api(dnnl_primitive_attr_set_zero_points_v2(get(), arg, mask, static_cast<int>(groups.size()),
                                                                 groups.data(), memory::convert_to_c(data_type),
                                                                 is_on_host),
                          "could not set the zero points of an argument");
    }
    /// One zero point for the whole argument, a host scalar.
    /// @param arg DNNL_ARG_* number of the argument.
    /// @param data_type Type of the values.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_set_zero_points_v2() if that refuses.
    void set_host_zero_point(int arg, memory::data_type data_type = memory::data_type::s32) {
        set_zero_points(arg, 0, memory::dims(), data_type, true);
    }
    /// Sums over groups of argument `arg` are given at execution, so that they need not be computed.
    /// @param arg DNNL_ARG_* number of the argument.
    /// @param mask Bit d: values vary along dimension d of the argument; 0: one value for all.
    /// @param groups Extents {g0, g1} of a group along the last two dimensions, in elements; empty: no groups.
    /// @param data_type Type of the values.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_set_precomputed_reductions() if that refuses.
    void set_precomputed_reductions(int arg, int mask, const memory::dims& groups,
                                    memory::data_type data_type = memory::data_type::s32) {
        error::wrap_c_api(dnnl_primitive_attr_set_precomputed_reductions(get(), arg, mask,
                                                                         static_cast<int>(groups.size()), groups.data(),
                                                                         memory::convert_to_c(data_type)),
                          "could not set the precomputed reductions of an argument");
    }

    /// @returns A copy of the post-ops.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_get_post_ops() if that refuses.
    dnnl::post_ops get_post_ops() const {
        const_dnnl_post_ops_t c_post_ops = nullptr;
        error::wrap_c_api(dnnl_primitive_attr_get_post_ops(get(), &c_post_ops), "could not get the post-ops");
        dnnl_post_ops_t copy = nullptr;
        error::wrap_c_api(dnnl_post_ops_clone(&copy, c_post_ops), "could not copy post-ops");
        return dnnl::post_ops(copy);
    }
    /// Replaces the post-ops by a copy of `ops`.
    /// @param ops Post-ops to copy.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_set_post_ops() if that refuses.
    void set_post_ops(const post_ops& ops) {
        error::wrap_c_api(dnnl_primitive_attr_set_post_ops(get(), ops.get()), "could not set the post-ops");
    }

    /// RNN: quantized data = round(scale * f32 + shift), as u8 or s8.
    /// @param scale Factor.
    /// @param shift Summand, in units of the quantized data.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_set_rnn_data_qparams() if that refuses.
    void set_rnn_data_qparams(float scale, float shift) {
        error::wrap_c_api(dnnl_primitive_attr_set_rnn_data_qparams(get(), scale, shift),
                          "could not set the quantization of RNN data");
    }
    /// Reads the quantization of RNN data.
    /// @param scale Gets the factor.
    /// @param shift Gets the summand.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_get_rnn_data_qparams() if that refuses.
    void get_rnn_data_qparams(float& scale, float& shift) {
        error::wrap_c_api(dnnl_primitive_attr_get_rnn_data_qparams(get(), &scale, &shift),
                          "could not get the quantization of RNN data");
    }
    /// RNN: scales of the s8 weights; mask 0 (one) or bits 3 and 4 (one per gate and output channel).
    /// @param mask 0: one scale; bits 3 and 4: one per gate and output channel.
    /// @param scales The scales: 1 for mask 0.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_set_rnn_weights_qparams() if that refuses.
    void set_rnn_weights_qparams(int mask, const std::vector<float>& scales) {
        error::wrap_c_api(dnnl_primitive_attr_set_rnn_weights_qparams(get(), static_cast<dnnl_dim_t>(scales.size()),
                                                                      mask, scales.data()),
                          "could not set the quantization of RNN weights");
    }
    /// Reads the scales of the weights.
    /// @param mask Gets the mask.
    /// @param scales Gets the scales.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_get_rnn_weights_qparams() if that refuses.
    void get_rnn_weights_qparams(int& mask, std::vector<float>& scales) {
        read_scales(&dnnl_primitive_attr_get_rnn_weights_qparams, mask, scales,
                    "could not get the quantization of RNN weights");
    }
    /// LSTM: scales of the s8 projection weights; mask 0 or bit 3 (one per output channel).
    /// @param mask 0: one scale; bit 3: one per output channel.
    /// @param scales The scales: 1 for mask 0.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_set_rnn_weights_projection_qparams() if that refuses.
    void set_rnn_weights_projection_qparams(int mask, const std::vector<float>& scales) {
        error::wrap_c_api(dnnl_primitive_attr_set_rnn_weights_projection_qparams(
                              get(), static_cast<dnnl_dim_t>(scales.size()), mask, scales.data()),
                          "could not set the quantization of LSTM projection weights");
    }
    /// Reads the scales of the projection weights.
    /// @param mask Gets the mask.
    /// @param scales Gets the scales.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_get_rnn_weights_projection_qparams() if that refuses.
    void get_rnn_weights_projection_qparams(int& mask, std::vector<float>& scales) {
        read_scales(&dnnl_primitive_attr_get_rnn_weights_projection_qparams, mask, scales,
                    "could not get the quantization of LSTM projection weights");
    }

    /// v2: multiplies the result by factors before the post-ops; mask bits refer to dst's dimensions.
    /// {DNNL_RUNTIME_F32_VAL} leaves the value to the execution argument DNNL_ARG_ATTR_OUTPUT_SCALES.
    /// An extension of the C ABI; without it: unimplemented.
    /// @param mask Bit d: factors vary along dimension d of dst; 0: one factor.
    /// @param scales The factors, row-major over the masked dimensions.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_set_output_scales() if that refuses.
    void set_output_scales(int mask, const std::vector<float>& scales) {
#if defined(__GNUC__) || defined(__clang__)
        if (!dnnl_primitive_attr_set_output_scales) refuse_output_scales();
#endif
        error::wrap_c_api(
            dnnl_primitive_attr_set_output_scales(get(), static_cast<dnnl_dim_t>(scales.size()), mask, scales.data()),
            "could not set the output scales");
    }
    /// Reads the output scales.
    /// @param mask Gets the mask.
    /// @param scales Gets the factors.
    /// @throws dnnl::error with the status of dnnl_primitive_attr_get_output_scales() if that refuses.
    void get_output_scales(int& mask, std::vector<float>& scales) const {
#if defined(__GNUC__) || defined(__clang__)
        if (!dnnl_primitive_attr_get_output_scales) refuse_output_scales();
#endif
        read_scales(&dnnl_primitive_attr_get_output_scales, mask, scales, "could not get the output scales");
    }

    /// v2 spelling with values. Scales are execution arguments now, so only {DNNL_RUNTIME_F32_VAL} (they
    /// will come: the same as set_scales_mask) and all ones (nothing to do) can be kept; anything else is
    /// refused with unimplemented. A template so that a braced list still means the groups above.
    /// @param arg DNNL_ARG_* number of the argument.
    /// @param mask Bit d: values vary along dimension d of the argument; 0: one value for all.
    /// @param scales {DNNL_RUNTIME_F32_VAL}, or all 1.
    /// @throws dnnl::error with dnnl_unimplemented for other values.
    template <typename T, typename std::enable_if<std::is_same<T, float>::value, int>::type = 0>
    void set_scales(int arg, int mask, const std::vector<T>& scales) {
        const float runtime = DNNL_RUNTIME_F32_VAL;
        if (scales.size() == 1 && std::memcmp(&scales[0], &runtime, sizeof(runtime)) == 0) {
            set_scales_mask(arg, mask);
            return;
        }
        for (float scale : scales)
            if (scale != 1.f)
                DNNL_THROW_ERROR(
                    dnnl_unimplemented,
                    "attributes do not hold values of scales; use set_scales_mask(arg, mask) and pass them at "
                    "execution as DNNL_ARG_ATTR_SCALES | arg");
    }

    /// v2 spelling with values: only {DNNL_RUNTIME_S32_VAL} (the same as set_zero_points_mask) and all
    /// zeros (nothing to do); anything else is refused with unimplemented.
    /// @param arg DNNL_ARG_* number of the argument.
    /// @param mask Bit d: values vary along dimension d of the argument; 0: one value for all.
    /// @param zero_points {DNNL_RUNTIME_S32_VAL}, or all 0.
    /// @throws dnnl::error with dnnl_unimplemented for other values.
    template <typename T, typename std::enable_if<std::is_same<T, int32_t>::value, int>::type = 0>
    void set_zero_points(int arg, int mask, const std::vector<T>& zero_points) {
        if (zero_points.size() == 1 && zero_points[0] == DNNL_RUNTIME_S32_VAL) {
            set_zero_points_mask(arg, mask);
            return;
        }
        for (int32_t zero_point : zero_points)
            if (zero_point != 0)
                DNNL_THROW_ERROR(
                    dnnl_unimplemented,
                    "attributes do not hold values of zero points; use set_zero_points_mask(arg, mask) and pass "
                    "them at execution as DNNL_ARG_ATTR_ZERO_POINTS | arg");
    }

private:
    template <typename Read>
    void read_scales(Read read, int& mask, std::vector<float>& scales, const char* message) const {
        dnnl_dim_t count = 0;
        int c_mask = 0;
        const float* values = nullptr;
        error::wrap_c_api(read(get(), &count, &c_mask, &values), message);
        mask = c_mask;
        scales.assign(values, values + (values ? count : 0));
    }

    static void refuse_output_scales() {
        DNNL_THROW_ERROR(dnnl_unimplemented,
                         "the loaded library has no output scales; use set_scales_mask() on the source and weights");
    }
};

} // namespace dnnl

#endif
