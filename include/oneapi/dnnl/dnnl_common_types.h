// SPDX-License-Identifier: Apache-2.0
/// Types shared by every part of the C interface: status codes, data types,
/// engines, streams.
///
/// Handles (`*_t` that point to an incomplete struct) are owned by whoever
/// created them and are given back with the matching `*_destroy` call. A
/// `const_*` handle is a view: it is never destroyed by its receiver and lives
/// as long as the object it was taken from.
///
/// Example:
///     dnnl_engine_t engine;
///     if (dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success) return 1;
#ifndef ONEAPI_DNNL_DNNL_COMMON_TYPES_H
#define ONEAPI_DNNL_DNNL_COMMON_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "oneapi/dnnl/dnnl_config.h"

/// Marks what the shared library exports. The library itself is compiled with
/// hidden symbols and DNNL_DLL_EXPORTS defined.
#ifndef DNNL_API
#if defined(_WIN32)
#if defined(DNNL_DLL_EXPORTS)
#define DNNL_API __declspec(dllexport)
#elif defined(DNNL_DLL)
#define DNNL_API __declspec(dllimport)
#else
#define DNNL_API
#endif
#elif defined(DNNL_DLL_EXPORTS) && defined(__GNUC__)
#define DNNL_API __attribute__((visibility("default")))
#else
#define DNNL_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Result of a call.
typedef enum {
    /// Done.
    dnnl_success = 0,
    /// An allocation failed, or a fixed capacity is used up (a 33rd post-op).
    dnnl_out_of_memory = 1,
    /// An argument is wrong whatever the library could do: NULL where an
    /// object is needed, contradicting shapes, a value outside its range.
    dnnl_invalid_arguments = 2,
    /// The request makes sense, but there is no implementation of it.
    dnnl_unimplemented = 3,
    /// There is no further implementation to switch to; not a failure.
    dnnl_last_impl_reached = 4,
    /// A device, a driver or generated code failed; or a once-only setting
    /// came too late.
    dnnl_runtime_error = 5,
    /// The object has no such property.
    dnnl_not_required = 6,
    /// Graph interface: the graph as a whole is malformed.
    dnnl_invalid_graph = 7,
    /// Graph interface: an operation breaks its schema.
    dnnl_invalid_graph_op = 8,
    /// Graph interface: shapes cannot be derived or contradict each other.
    dnnl_invalid_shape = 9,
    /// Graph interface: a data type is not allowed here.
    dnnl_invalid_data_type = 10,
} dnnl_status_t;

/// Type of one element. dnnl_data_type_size() gives the bytes.
typedef enum {
    /// No type: an absent tensor, or "take it from elsewhere" where a call
    /// says so.
    dnnl_data_type_undef = 0,
    /// IEEE half precision, 2 bytes.
    dnnl_f16 = 1,
    /// Upper half of an f32 (8 exponent, 7 mantissa bits), 2 bytes.
    dnnl_bf16 = 2,
    /// IEEE single precision, 4 bytes.
    dnnl_f32 = 3,
    /// Signed integer, 4 bytes.
    dnnl_s32 = 4,
    /// Signed integer, 1 byte, -128..127.
    dnnl_s8 = 5,
    /// Unsigned integer, 1 byte, 0..255.
    dnnl_u8 = 6,
    /// IEEE double precision, 8 bytes.
    dnnl_f64 = 7,
    /// Truth value, 1 byte; graph interface only.
    dnnl_boolean = 8,
    /// 8-bit float, 5 exponent and 2 mantissa bits, IEEE-like with infinities
    /// and NaN; largest finite value 57344.
    dnnl_f8_e5m2 = 9,
    /// 8-bit float, 4 exponent and 3 mantissa bits, no infinity, NaN is 0x7f
    /// and 0xff; largest value 448.
    dnnl_f8_e4m3 = 10,
    /// Signed integer of half a byte, -8..7. Two values share a byte; the one
    /// with the even index is the low half. The same holds for all 4-bit types.
    dnnl_s4 = 11,
    /// Unsigned integer of half a byte, 0..15.
    dnnl_u4 = 12,
    /// Power of two 2^(b - 127) in 1 byte, 0xff is NaN; no sign, no zero. For
    /// scales.
    dnnl_e8m0 = 13,
    /// 4-bit float: 0, .5, 1, 1.5, 2, 3, 4, 6 and their negatives.
    dnnl_f4_e2m1 = 14,
    /// 4-bit float: sign and 3 exponent bits. Deprecated.
    dnnl_f4_e3m0 = 15,
    /// Signed integer, 8 bytes.
    dnnl_s64 = 16,
    /// Not a type: keeps room in the enumeration.
    dnnl_data_type_max = 0x7fff,
} dnnl_data_type_t;

/// Largest number of dimensions of a tensor.
#define DNNL_MAX_NDIMS 12

/// Extent of a dimension, stride or count, in elements.
typedef int64_t dnnl_dim_t;

/// One value per dimension; only the first ndims are read or written.
typedef dnnl_dim_t dnnl_dims_t[DNNL_MAX_NDIMS];

/// Permission to compute f32 problems in a narrower type. Stored
/// values stay f32. A type permits every type that is at least as precise.
typedef enum {
    /// No down-conversion.
    dnnl_fpmath_mode_strict = 0,
    /// bf16 or better.
    dnnl_fpmath_mode_bf16 = 1,
    /// f16 or better.
    dnnl_fpmath_mode_f16 = 2,
    /// Whatever is fastest.
    dnnl_fpmath_mode_any = 3,
    /// tf32 (8 exponent, 10 mantissa bits) or better.
    dnnl_fpmath_mode_tf32 = 4,
} dnnl_fpmath_mode_t;

/// Type in which sums of products are accumulated.
typedef enum {
    /// f32 (f64 for f64 data), or s32 for integer data.
    dnnl_accumulation_mode_strict = 0,
    /// Partial sums may be rounded to the type of src or dst.
    dnnl_accumulation_mode_relaxed = 1,
    /// Whatever is fastest.
    dnnl_accumulation_mode_any = 2,
    /// s32.
    dnnl_accumulation_mode_s32 = 3,
    /// f32.
    dnnl_accumulation_mode_f32 = 4,
    /// f16.
    dnnl_accumulation_mode_f16 = 5,
} dnnl_accumulation_mode_t;

/// Kind of device.
typedef enum {
    /// No particular device; only meaningful in queries and tests.
    dnnl_any_engine = 0,
    /// The host processor. There is one such engine, index 0.
    dnnl_cpu = 1,
    /// A graphics processor.
    dnnl_gpu = 2,
} dnnl_engine_kind_t;

/// Opaque device: where memory lives and primitives run.
struct dnnl_engine;
/// Engine handle.
typedef struct dnnl_engine* dnnl_engine_t;

/// Behaviour of a stream, as bits.
typedef enum {
    /// Primitives start in the order of submission, each after the former.
    dnnl_stream_in_order = 0x1,
    /// Order only where the user states dependencies.
    dnnl_stream_out_of_order = 0x2,
    /// What a stream gets unless told otherwise.
    dnnl_stream_default_flags = dnnl_stream_in_order,
#ifdef DNNL_EXPERIMENTAL_PROFILING
    /// Keep the time of every execution for dnnl_query_profiling_data().
    dnnl_stream_profiling = 0x4,
#endif
    /// Not a flag: keeps room in the enumeration.
    dnnl_stream_flags_max = 0x7fff,
} dnnl_stream_flags_t;

/// Opaque queue of executions on one engine.
struct dnnl_stream;
/// Stream handle.
typedef struct dnnl_stream* dnnl_stream_t;
/// View of a stream.
typedef const struct dnnl_stream* const_dnnl_stream_t;

/// Version and build of the loaded library, from dnnl_version().
typedef struct {
    int major;            ///< Interface changes that break programs.
    int minor;            ///< Additions.
    int patch;            ///< Corrections.
    const char* hash;     ///< Identifies the source revision; static text.
    unsigned cpu_runtime; ///< One of DNNL_RUNTIME_*.
    unsigned gpu_runtime; ///< One of DNNL_RUNTIME_*.
} dnnl_version_t;

/// Data handle that means: no storage. The memory object carries a descriptor
/// only, until dnnl_memory_set_data_handle() gives it a buffer.
#define DNNL_MEMORY_NONE (NULL)
/// Data handle that means: the library allocates dnnl_memory_desc_get_size()
/// bytes and frees them together with the memory object.
#define DNNL_MEMORY_ALLOCATE ((void*)(size_t)-1)

#ifdef __cplusplus
}
#endif

#endif
