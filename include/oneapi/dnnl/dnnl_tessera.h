/// Extensions of this library over the contract: reasons of refusals, strict
/// execution, layouts spelled as text, output scales.
///
/// A program that must also load with another implementation of the contract
/// defines DNNL_TESSERA_WEAK before the first inclusion of this header, and
/// tests an address before it calls:
///     #define DNNL_TESSERA_WEAK
///     #include "oneapi/dnnl/dnnl_tessera.h"
///     ...
///     if (dnnl_tessera_last_error) puts(dnnl_tessera_last_error());
/// Weak references alone do not make a linker keep the library; other calls do.
/// In a static library they find what other calls have brought along: such
/// programs link all of it (--whole-archive).
#ifndef ONEAPI_DNNL_DNNL_TESSERA_H
#define ONEAPI_DNNL_DNNL_TESSERA_H

#include "oneapi/dnnl/dnnl_types.h"

#if defined(DNNL_TESSERA_WEAK)
#define DNNL_TESSERA_API DNNL_API __attribute__((weak))
#else
#define DNNL_TESSERA_API DNNL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Text of the calling thread's last refused call: what was wrong, with the
/// values, and what would work instead. "" if there is none: no call was refused
/// yet, or the last call succeeded. It begins with the primitive ("reorder: ...")
/// or, where there is none, with the call ("dnnl_stream_wait: stream is null").
/// Never NULL. The text stays valid until the thread's next call into the library.
DNNL_TESSERA_API const char* dnnl_tessera_last_error(void);

/// `enable` not 0: from now on dnnl_primitive_execute() refuses memories whose
/// descriptors differ from those of the primitive, in all threads. 0, as in the
/// beginning unless the environment says TESSERA_STRICT=1: it takes every memory
/// with enough bytes for what the primitive reads and writes, and lets the
/// primitive's descriptor say how they lie.
DNNL_TESSERA_API dnnl_status_t dnnl_tessera_set_strict_execution(int enable);

/// As dnnl_memory_desc_create_with_tag(), with the layout as text: any spelling
/// that follows the rules of dnnl_format_tag_t, also layouts without an
/// enumerator ("aBc12b"), the aliases ("nchw"), "any" and "undef". ndims is
/// 0..DNNL_MAX_NDIMS, dims counts elements.
/// Errors: dnnl_invalid_arguments as there, and for NULL or text that is no
/// layout of ndims dimensions.
DNNL_TESSERA_API dnnl_status_t dnnl_memory_desc_create_with_string_tag(dnnl_memory_desc_t* md, int ndims,
                                                                       const dnnl_dims_t dims, dnnl_data_type_t dt,
                                                                       const char* tag);

/// Sets output scales (OSC-01..05): the result of the operation is multiplied
/// by a factor before the post-ops. `mask`: dimensions of dst along which the
/// factor varies, 0 for one factor; `count` factors, the product of the masked
/// extents, row-major; the values are copied. With count 1 and the value
/// DNNL_RUNTIME_F32_VAL the factors are given at execution, as an f32 tensor
/// DNNL_ARG_ATTR_OUTPUT_SCALES.
/// Errors: dnnl_invalid_arguments for NULL, count < 1 or a negative mask.
/// Whether a primitive has output scales shows when its descriptor is created
/// (dnnl_unimplemented); reorder has.
DNNL_TESSERA_API dnnl_status_t dnnl_primitive_attr_set_output_scales(dnnl_primitive_attr_t attr, dnnl_dim_t count,
                                                                     int mask, const float* scales);

/// Reads output scales; 1 factor of 1.0 and mask 0 if none were set. `*scales`
/// is a view that lives until the attributes change. Outputs may be NULL.
/// Errors: dnnl_invalid_arguments for NULL attributes.
DNNL_TESSERA_API dnnl_status_t dnnl_primitive_attr_get_output_scales(const_dnnl_primitive_attr_t attr,
                                                                     dnnl_dim_t* count, int* mask,
                                                                     const float** scales);

#ifdef __cplusplus
}
#endif

#endif
