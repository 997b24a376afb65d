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

/// Number of engines of a kind (ENG-01): 1 for dnnl_cpu, the number of usable
/// devices for dnnl_gpu, 0 for a kind the library was built without.
DNNL_API size_t dnnl_engine_get_count(dnnl_engine_kind_t kind);

/// Creates an engine for device number `index`, 0..count-1. All CPU engines
/// are interchangeable.
/// Errors: dnnl_invalid_arguments for an index or kind without a device.
DNNL_API dnnl_status_t dnnl_engine_create(dnnl_engine_t* engine, dnnl_engine_kind_t kind, size_t index);

/// Writes the kind of an engine to `*kind`.
DNNL_API dnnl_status_t dnnl_engine_get_kind(dnnl_engine_t engine, dnnl_engine_kind_t* kind);

/// Destroys an engine. Everything made from it must be destroyed before.
DNNL_API dnnl_status_t dnnl_engine_destroy(dnnl_engine_t engine);

/// Creates a stream on an engine (STR-01..03). `flags` is a combination of
/// dnnl_stream_flags_t. On the CPU an execution has finished when
/// dnnl_primitive_execute() returns, except with an asynchronous thread pool.
/// Errors: dnnl_invalid_arguments for contradicting or unknown flags;
/// dnnl_unimplemented for profiling on an engine that cannot measure.
DNNL_API dnnl_status_t dnnl_stream_create(dnnl_stream_t* stream, dnnl_engine_t engine, unsigned int flags);

/// Writes the engine of a stream to `*engine`. The handle stays owned by
/// whoever created the engine.
DNNL_API dnnl_status_t dnnl_stream_get_engine(const_dnnl_stream_t stream, dnnl_engine_t* engine);

/// Waits until everything submitted to the stream has finished (STR-02).
/// Errors: dnnl_runtime_error if an execution failed on the way.
DNNL_API dnnl_status_t dnnl_stream_wait(dnnl_stream_t stream);

/// Waits for the stream, then destroys it.
DNNL_API dnnl_status_t dnnl_stream_destroy(dnnl_stream_t stream);

/// Writes to `*mode` the floating-point math mode that new attributes start
/// with (FPM-03). It is dnnl_fpmath_mode_strict unless the environment
/// variable ONEDNN_DEFAULT_FPMATH_MODE (STRICT, BF16, F16, TF32, ANY) or
/// dnnl_set_default_fpmath_mode() says otherwise.
DNNL_API dnnl_status_t dnnl_get_default_fpmath_mode(dnnl_fpmath_mode_t* mode);

/// Sets the math mode that attributes created from now on start with; existing
/// attributes keep theirs (FPM-03).
/// Errors: dnnl_invalid_arguments for a value outside the enumeration.
DNNL_API dnnl_status_t dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_t mode);

/// Sets how much the library prints to stdout (VRB-01): 0 nothing, 1 one line
/// per execution, 2 also one line per creation. Overrides the environment
/// variable ONEDNN_VERBOSE.
/// Errors: dnnl_invalid_arguments for another level.
DNNL_API dnnl_status_t dnnl_set_verbose(int level);

/// Version of the loaded library (RUN-10). The result is static, never NULL.
DNNL_API const dnnl_version_t* dnnl_version(void);

#ifdef __cplusplus
}
#endif

#endif
