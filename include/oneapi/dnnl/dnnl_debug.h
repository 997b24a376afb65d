// SPDX-License-Identifier: Apache-2.0
/// Names of enumerators, as they appear in verbose output.
///
/// All calls return static text that is never freed and never NULL; a value
/// without a name gives a text that says so, such as "unknown status". No call
/// can fail.
///
/// Example: dnnl_dt2str(dnnl_f32) is "f32", dnnl_fmt_tag2str(dnnl_nchw) is
/// "abcd", because an alias has the number of its canonical tag.
#ifndef ONEAPI_DNNL_DNNL_DEBUG_H
#define ONEAPI_DNNL_DNNL_DEBUG_H

#include "oneapi/dnnl/dnnl_config.h"
#include "oneapi/dnnl/dnnl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Name of a status: "success", "invalid_arguments", ...
/// @param v Status.
/// @returns Static text, never NULL; for a value without a name one that says so, such as "unknown status".
DNNL_API const char* dnnl_status2str(dnnl_status_t v);
/// Name of a data type: "f32", "s8", "undef", ...
/// @param v Data type.
/// @returns Static text, never NULL; for a value without a name one that says so, such as "unknown status".
DNNL_API const char* dnnl_dt2str(dnnl_data_type_t v);
/// Name of a floating-point math mode: "strict", "bf16", ...
/// @param v Floating-point math mode.
/// @returns Static text, never NULL; for a value without a name one that says so, such as "unknown status".
DNNL_API const char* dnnl_fpmath_mode2str(dnnl_fpmath_mode_t v);
/// Name of an accumulation mode: "strict", "relaxed", ...
/// @param v Accumulation mode.
/// @returns Static text, never NULL; for a value without a name one that says so, such as "unknown status".
DNNL_API const char* dnnl_accumulation_mode2str(dnnl_accumulation_mode_t v);
/// Name of an engine kind: "cpu", "gpu", "any".
/// @param v Engine kind.
/// @returns Static text, never NULL; for a value without a name one that says so, such as "unknown status".
DNNL_API const char* dnnl_engine_kind2str(dnnl_engine_kind_t v);
/// Name of a sparse encoding: "csr", "coo", ...
/// @param v Sparse encoding.
/// @returns Static text, never NULL; for a value without a name one that says so, such as "unknown status".
DNNL_API const char* dnnl_sparse_encoding2str(dnnl_sparse_encoding_t v);
/// Canonical name of a format tag: "abcd", "aBcd16b", "undef", "any".
/// @param v Format tag.
/// @returns Static text, never NULL; for a value without a name one that says so, such as "unknown status".
DNNL_API const char* dnnl_fmt_tag2str(dnnl_format_tag_t v);
/// Name of a propagation kind: "forward_training", "backward_data", ...
/// @param v Propagation kind.
/// @returns Static text, never NULL; for a value without a name one that says so, such as "unknown status".
DNNL_API const char* dnnl_prop_kind2str(dnnl_prop_kind_t v);
/// Name of a primitive kind: "reorder", "shuffle", ...
/// @param v Primitive kind.
/// @returns Static text, never NULL; for a value without a name one that says so, such as "unknown status".
DNNL_API const char* dnnl_prim_kind2str(dnnl_primitive_kind_t v);
/// Name of an algorithm: "eltwise_relu", "pooling_max", ...
/// @param v Algorithm.
/// @returns Static text, never NULL; for a value without a name one that says so, such as "unknown status".
DNNL_API const char* dnnl_alg_kind2str(dnnl_alg_kind_t v);
/// Name of RNN flags: "undef", "rnn_flags_diff_weights_overwrite".
/// @param v RNN flags.
/// @returns Static text, never NULL; for a value without a name one that says so, such as "unknown status".
DNNL_API const char* dnnl_rnn_flags2str(dnnl_rnn_flags_t v);
/// Name of an RNN direction: "unidirectional_left2right", ...
/// @param v RNN direction.
/// @returns Static text, never NULL; for a value without a name one that says so, such as "unknown status".
DNNL_API const char* dnnl_rnn_direction2str(dnnl_rnn_direction_t v);
/// Name of a scratchpad mode: "library", "user".
/// @param v Scratchpad mode.
/// @returns Static text, never NULL; for a value without a name one that says so, such as "unknown status".
DNNL_API const char* dnnl_scratchpad_mode2str(dnnl_scratchpad_mode_t v);
/// Name of a rounding mode: "environment", "stochastic".
/// @param v Rounding mode.
/// @returns Static text, never NULL; for a value without a name one that says so, such as "unknown status".
DNNL_API const char* dnnl_rounding_mode2str(dnnl_rounding_mode_t v);
/// Name of a quantization mode: "static_sazp", "dynamic_mx", ...
/// @param v Quantization mode.
/// @returns Static text, never NULL; for a value without a name one that says so, such as "unknown status".
DNNL_API const char* dnnl_quantization_mode2str(dnnl_quantization_mode_t v);
/// Name of an instruction set: "cpu_isa_avx2", ...
/// @param v Instruction set.
/// @returns Static text, never NULL; for a value without a name one that says so, such as "unknown status".
DNNL_API const char* dnnl_cpu_isa2str(dnnl_cpu_isa_t v);
/// Name of instruction set hints: "cpu_isa_no_hints", ...
/// @param v Hints.
/// @returns Static text, never NULL; for a value without a name one that says so, such as "unknown status".
DNNL_API const char* dnnl_cpu_isa_hints2str(dnnl_cpu_isa_hints_t v);
/// Name of a runtime number DNNL_RUNTIME_*: "OpenMP", "sequential", ...
/// @param v One of DNNL_RUNTIME_*.
/// @returns Static text, never NULL; for a value without a name one that says so, such as "unknown status".
DNNL_API const char* dnnl_runtime2str(unsigned int v);
/// Name of a format kind: "blocked", "any", ...
/// @param v Format kind.
/// @returns Static text, never NULL; for a value without a name one that says so, such as "unknown status".
DNNL_API const char* dnnl_fmt_kind2str(dnnl_format_kind_t v);

#ifdef __cplusplus
}
#endif

#endif
