// SPDX-License-Identifier: Apache-2.0
/// Extensions of this library over the contract: its own version, reasons of
/// refusals, strict execution, layouts spelled as text, output scales.
///
/// A program that must also load with another implementation of the contract
/// defines DNNL_TESSERA_WEAK before the first inclusion of this header, and
/// tests an address before it calls:
/// @code
///     #define DNNL_TESSERA_WEAK
///     #include "oneapi/dnnl/dnnl_tessera.h"
///     ...
///     if (dnnl_tessera_last_error) puts(dnnl_tessera_last_error());
/// @endcode
/// Weak references alone do not make a linker keep the library; other calls do.
/// In a static library they find what other calls have brought along: such
/// programs link all of it (--whole-archive).
#ifndef ONEAPI_DNNL_DNNL_TESSERA_H
#define ONEAPI_DNNL_DNNL_TESSERA_H

#include "oneapi/dnnl/dnnl_types.h"

/// Version of this library; dnnl_version.h has that of the interface. Before 1.0.0 a higher minor version may change
/// what is declared in this header, and never what dnnl.h declares.
#define TESSERA_VERSION_MAJOR 0
#define TESSERA_VERSION_MINOR 4 ///< Counts what was added.
#define TESSERA_VERSION_PATCH 0 ///< Counts corrections.

#if defined(DNNL_TESSERA_WEAK)
#define DNNL_TESSERA_API DNNL_API __attribute__((weak))
#else
#define DNNL_TESSERA_API DNNL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// The version of the library that the program runs on, which may be another than that of the header.
/// @returns "0.4.0" and the like; static text.
DNNL_TESSERA_API const char* dnnl_tessera_version(void);

/// Why the last call of the calling thread was refused: what was wrong, with the values, and what would work
/// instead. It begins with the primitive ("reorder: ...") or, where there is none, with the call
/// ("dnnl_stream_wait: stream is null").
/// @returns The text, never NULL; "" if no call was refused yet, or the last one succeeded. It is valid until
///     the next call of this thread into the library.
DNNL_TESSERA_API const char* dnnl_tessera_last_error(void);

/// The same reason for wrappers that name the call themselves, as those of dnnl.hpp do: without the name of the call
/// and of the primitive that it creates, and with calls and enumerators in the spelling of dnnl.hpp
/// ("memory(desc, value)" for "dnnl_memory_create_host_scalar").
/// @returns The text, never NULL; "" if no call was refused yet, or the last one succeeded. It is valid until
///     the next call of this thread into the library.
DNNL_TESSERA_API const char* dnnl_tessera_last_error_cpp(void);

/// Chooses, for all threads, whether dnnl_primitive_execute() compares descriptors.
/// @param enable 0: every memory is taken that has enough bytes for what the primitive reads and writes, and
///     the descriptor of the primitive says how they lie (the default unless the environment has
///     TESSERA_STRICT=1). Another value: memories are refused whose descriptors differ from those of the
///     primitive.
/// @returns dnnl_success.
DNNL_TESSERA_API dnnl_status_t dnnl_tessera_set_strict_execution(int enable);

/// As dnnl_memory_desc_create_with_tag(), with the layout as text: any spelling that follows the rules of
/// dnnl_format_tag_t, also layouts without an enumerator ("aBc12b").
/// @param[out] md The descriptor.
/// @param ndims Number of dimensions, 0 to DNNL_MAX_NDIMS.
/// @param dims Extents in elements, ndims values; may be NULL with ndims 0.
/// @param dt Type of the elements.
/// @param tag Layout: letters of the dimensions from outermost to innermost, then blocks; or an alias
///     ("nchw"), "any", "undef".
/// @returns dnnl_success; dnnl_invalid_arguments if `md` or `tag` is NULL, also as there, and for text that
///     is no layout of ndims dimensions; dnnl_out_of_memory.
DNNL_TESSERA_API dnnl_status_t dnnl_memory_desc_create_with_string_tag(dnnl_memory_desc_t* md, int ndims,
                                                                       const dnnl_dims_t dims, dnnl_data_type_t dt,
                                                                       const char* tag);

/// Sets output scales: the result of the operation is multiplied by a factor before the post-ops. Whether a
/// primitive has output scales shows when its descriptor is created (dnnl_unimplemented); reorder has.
/// @param attr Attributes to change.
/// @param count Number of factors: the product of the extents of the masked dimensions, 1 for mask 0.
/// @param mask Bit d: the factor varies along dimension d of dst; 0: one factor.
/// @param scales The factors, copied, row-major over the masked dimensions. One value DNNL_RUNTIME_F32_VAL:
///     they come at execution, as the f32 tensor DNNL_ARG_ATTR_OUTPUT_SCALES.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` or `scales` is NULL, also for count < 1, a
///     negative mask, or DNNL_RUNTIME_F32_VAL among several factors.
DNNL_TESSERA_API dnnl_status_t dnnl_primitive_attr_set_output_scales(dnnl_primitive_attr_t attr, dnnl_dim_t count,
                                                                     int mask, const float* scales);

/// Reads output scales; one factor of 1 with mask 0 if none were set.
/// @param attr Attributes to read.
/// @param[out] count Number of factors; may be NULL.
/// @param[out] mask Mask; may be NULL.
/// @param[out] scales The factors, a view that lives until the attributes change; may be NULL.
/// @returns dnnl_success; dnnl_invalid_arguments if `attr` is NULL.
DNNL_TESSERA_API dnnl_status_t dnnl_primitive_attr_get_output_scales(const_dnnl_primitive_attr_t attr,
                                                                     dnnl_dim_t* count, int* mask,
                                                                     const float** scales);

#ifdef __cplusplus
}
#endif

#endif
