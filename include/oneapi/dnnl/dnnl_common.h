// SPDX-License-Identifier: Apache-2.0
/// Calls shared by every part of the C interface: engines, streams, verbose
/// output, version.
///
/// Rules that hold for every call returning dnnl_status_t, here and in the
/// other headers; the comments of a call list what comes on top:
///   - NULL for an object or an output that is not called optional gives
///     dnnl_invalid_arguments.
///   - A call that creates something gives dnnl_out_of_memory if it cannot.
///   - Outputs are meaningful only after dnnl_success.
///   - A `*_destroy` call of NULL destroys nothing and is harmless.
///   - A refusal leaves its reason in dnnl_tessera_last_error()
///     (dnnl_tessera.h).
///   - Calls may be made from any thread. One object may be read by many
///     threads at once, but changed by one only while no other uses it.
#ifndef ONEAPI_DNNL_DNNL_COMMON_H
#define ONEAPI_DNNL_DNNL_COMMON_H

#include "oneapi/dnnl/dnnl_common_types.h"
#include "oneapi/dnnl/dnnl_config.h"
#include "oneapi/dnnl/dnnl_version.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Number of engines of a kind.
/// @param kind Kind of device.
/// @returns 1 for dnnl_cpu, 0 for dnnl_gpu and dnnl_any_engine: this version has no GPU runtime.
DNNL_API size_t dnnl_engine_get_count(dnnl_engine_kind_t kind);

/// Creates an engine. All CPU engines are interchangeable.
/// @param[out] engine The engine.
/// @param kind Kind of device: dnnl_cpu.
/// @param index Number of the device, 0 to dnnl_engine_get_count() - 1.
/// @returns dnnl_success; dnnl_invalid_arguments if `engine` is NULL, also for a kind or an index without a
///     device; dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_engine_create(dnnl_engine_t* engine, dnnl_engine_kind_t kind, size_t index);

/// Reads the kind of an engine.
/// @param engine Engine to ask.
/// @param[out] kind Its kind.
/// @returns dnnl_success; dnnl_invalid_arguments if `engine` or `kind` is NULL.
DNNL_API dnnl_status_t dnnl_engine_get_kind(dnnl_engine_t engine, dnnl_engine_kind_t* kind);

/// Destroys an engine. Everything made from it must be destroyed before.
/// @param engine Engine to destroy; NULL is allowed.
/// @returns dnnl_success.
DNNL_API dnnl_status_t dnnl_engine_destroy(dnnl_engine_t engine);

/// Creates a stream on an engine. On the CPU an execution has finished when dnnl_primitive_execute() returns,
/// except with an asynchronous thread pool; on a GPU it is queued then, and dnnl_stream_wait() waits for it.
/// @param[out] stream The stream.
/// @param engine Engine whose primitives the stream runs.
/// @param flags dnnl_stream_flags_t as bits: exactly one of in_order and out_of_order.
/// @returns dnnl_success; dnnl_invalid_arguments if `stream` or `engine` is NULL, also for unknown flags, and
///     for both orders or none, and profiling out of order; dnnl_unimplemented for profiling on CPU engines;
///     dnnl_out_of_memory.
DNNL_API dnnl_status_t dnnl_stream_create(dnnl_stream_t* stream, dnnl_engine_t engine, unsigned int flags);

/// Reads the engine of a stream.
/// @param stream Stream to ask.
/// @param[out] engine Its engine; whoever created it still owns it.
/// @returns dnnl_success; dnnl_invalid_arguments if `stream` or `engine` is NULL.
DNNL_API dnnl_status_t dnnl_stream_get_engine(const_dnnl_stream_t stream, dnnl_engine_t* engine);

/// Waits until everything submitted to the stream has finished.
/// @param stream Stream to wait for.
/// @returns dnnl_success; dnnl_invalid_arguments if `stream` is NULL; dnnl_runtime_error if an execution
///     failed on the way.
DNNL_API dnnl_status_t dnnl_stream_wait(dnnl_stream_t stream);

/// Waits for the stream, then destroys it.
/// @param stream Stream to destroy; NULL is allowed.
/// @returns dnnl_success.
DNNL_API dnnl_status_t dnnl_stream_destroy(dnnl_stream_t stream);

/// Reads the floating-point math mode that new attributes start with: dnnl_fpmath_mode_strict unless the
/// environment variable ONEDNN_DEFAULT_FPMATH_MODE (STRICT, BF16, F16, TF32, ANY) or
/// dnnl_set_default_fpmath_mode() says otherwise.
/// @param[out] mode The mode.
/// @returns dnnl_success; dnnl_invalid_arguments if `mode` is NULL.
DNNL_API dnnl_status_t dnnl_get_default_fpmath_mode(dnnl_fpmath_mode_t* mode);

/// Sets the math mode that attributes created from now on start with, in all threads; existing attributes
/// keep theirs.
/// @param mode The mode.
/// @returns dnnl_success; dnnl_invalid_arguments for a value outside the enumeration.
DNNL_API dnnl_status_t dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_t mode);

/// Sets how much the library prints to stdout; overrides the environment variable ONEDNN_VERBOSE.
/// @param level 0: nothing; 1: a line per execution; 2: a line per creation, too.
/// @returns dnnl_success; dnnl_invalid_arguments for another level.
DNNL_API dnnl_status_t dnnl_set_verbose(int level);

/// Version of the loaded library.
/// @returns Static data, never NULL.
DNNL_API const dnnl_version_t* dnnl_version(void);

#ifdef __cplusplus
}
#endif

#endif
