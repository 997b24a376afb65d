// SPDX-License-Identifier: Apache-2.0
// The C headers against the tables of the interface: numbers, sizes, offsets, signatures.
//
// Nearly everything is checked by compiling: a wrong enumerator, size or type fails a static assertion, a wrong
// signature is a conflicting declaration, a missing name is undeclared. What experimental switches guard must be
// absent without them: ABI_HIDDEN declares the name as something else. Running checks the two kinds of macro that
// are no constant expressions. The file is C and C++; it calls nothing, so it links without the library.
// covers: ENU-01 ENU-02 ENU-03 ENU-04 ENU-05 ENU-06 ENU-07 ENU-08 ENU-09 ENU-10 ENU-11 ENU-12 ENU-13
// covers: ARG-01 ARG-02 ARG-03 ARG-04 STA-00 MEM-05 PO-07 RTD-02
#include <stdio.h>
#include <string.h>

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_debug.h"
#include "oneapi/dnnl/dnnl_ocl.h"
#include "oneapi/dnnl/dnnl_sycl.h"
#include "oneapi/dnnl/dnnl_tessera.h"
#include "oneapi/dnnl/dnnl_threadpool.h"
#include "oneapi/dnnl/dnnl_ukernel.h"
#include "oneapi/dnnl/dnnl_ze.h"

#ifdef __cplusplus
#include <type_traits>
#define ABI_ASSERT(what, text) static_assert(what, text);
#define ABI_SAME(a, ...) std::is_same<a, __VA_ARGS__>::value
#define ABI_IS(expression, type) std::is_same<decltype(expression), type>::value
#define ABI_ENUMERATOR_IS(name, type) ABI_IS(name, type)
#define ABI_FIELD_IS(struct, field, type) ABI_IS(struct ::field, type)
#define ABI_UNSIGNED(enumeration) std::is_unsigned<std::underlying_type<enumeration>::type>::value
#else
#define ABI_ASSERT(what, text) _Static_assert(what, text);
#define ABI_SAME(a, ...) __builtin_types_compatible_p(a, __VA_ARGS__)
#define ABI_IS(expression, type) _Generic((expression), type : 1, default : 0)
#define ABI_ENUMERATOR_IS(name, type) 1 // enumerators are plain integers in C
#define ABI_FIELD_IS(struct, field, type) ABI_SAME(__typeof__(((struct*)0)->field), type)
#define ABI_UNSIGNED(enumeration) ((enumeration)-1 > (enumeration)0)
#endif

#define ABI_ENUM_TYPE(name, size) ABI_ASSERT(sizeof(name) == size && ABI_UNSIGNED(name), #name)
#define ABI_STRUCT(name, size) ABI_ASSERT(sizeof(name) == size, #name)
#define ABI_ALIAS(name, type, size) ABI_ASSERT(sizeof(name) == size && ABI_SAME(name, type), #name)
#define ABI_FIELD(struct, field, type, offset, size)                                                                   \
    ABI_ASSERT(offsetof(struct, field) == offset && sizeof(((struct*)0)->field) == size, #struct "." #field)           \
    ABI_ASSERT(ABI_FIELD_IS(struct, field, type), #struct "." #field " has another type")
#define ABI_ENUMERATOR(type, name, value)                                                                              \
    ABI_ASSERT((long long)name == value, #name) ABI_ASSERT(ABI_ENUMERATOR_IS(name, type), #name " of another type")
#define ABI_MACRO(name, type, value)                                                                                   \
    ABI_ASSERT((name) == value, #name) ABI_ASSERT(ABI_IS(name, type), #name " has another type")
// The values the build chooses.
#define ABI_CPU_RUNTIME(name)                                                                                          \
    ABI_ASSERT((name) == DNNL_RUNTIME_OMP || (name) == DNNL_RUNTIME_SEQ || (name) == DNNL_RUNTIME_THREADPOOL, #name)
#define ABI_GPU_RUNTIME(name)                                                                                          \
    ABI_ASSERT((name) == DNNL_RUNTIME_NONE || (name) == DNNL_RUNTIME_OCL || (name) == DNNL_RUNTIME_SYCL, #name)
#define ABI_SWITCH(name) ABI_ASSERT((name) == 0 || (name) == 1, #name)
#define ABI_HIDDEN(name) typedef int name;
#define ABI_FLOAT_MACRO(name, bits) ABI_ASSERT(ABI_IS(name, float), #name " is no float")
#define ABI_POINTER_MACRO(name, value)
// sizeof makes an undeclared function an error, the redeclaration makes another signature one.
#define ABI_FUNCTION(result, name, parameters) ABI_ASSERT(sizeof(&name) == sizeof(void*), #name) result name parameters;

#ifdef __cplusplus
extern "C" {
#endif

#include "functions.inc"
#include "types.inc"

ABI_FUNCTION(const char*, dnnl_tessera_last_error, (void))
ABI_FUNCTION(const char*, dnnl_tessera_last_error_cpp, (void))
ABI_FUNCTION(dnnl_status_t, dnnl_memory_desc_create_with_string_tag,
             (dnnl_memory_desc_t * md, int ndims, const dnnl_dims_t dims, dnnl_data_type_t dt, const char* tag))
ABI_FUNCTION(dnnl_status_t, dnnl_primitive_attr_set_output_scales,
             (dnnl_primitive_attr_t attr, dnnl_dim_t count, int mask, const float* scales))
ABI_FUNCTION(dnnl_status_t, dnnl_primitive_attr_get_output_scales,
             (const_dnnl_primitive_attr_t attr, dnnl_dim_t* count, int* mask, const float** scales))

#ifdef __cplusplus
}
#endif

ABI_ASSERT(DNNL_CPU_RUNTIME == DNNL_CPU_THREADING_RUNTIME, "one CPU runtime")

#undef ABI_ENUM_TYPE
#undef ABI_STRUCT
#undef ABI_ALIAS
#undef ABI_FIELD
#undef ABI_ENUMERATOR
#undef ABI_MACRO
#undef ABI_CPU_RUNTIME
#undef ABI_GPU_RUNTIME
#undef ABI_SWITCH
#undef ABI_HIDDEN
#undef ABI_FLOAT_MACRO
#undef ABI_POINTER_MACRO
#define ABI_ENUM_TYPE(name, size)
#define ABI_STRUCT(name, size)
#define ABI_ALIAS(name, type, size)
#define ABI_FIELD(struct, field, type, offset, size)
#define ABI_ENUMERATOR(type, name, value)
#define ABI_MACRO(name, type, value)
#define ABI_CPU_RUNTIME(name)
#define ABI_GPU_RUNTIME(name)
#define ABI_SWITCH(name)
#define ABI_HIDDEN(name)
#define ABI_FLOAT_MACRO(name, expected)                                                                                \
    {                                                                                                                  \
        const float value = name;                                                                                      \
        uint32_t bits;                                                                                                 \
        memcpy(&bits, &value, sizeof bits);                                                                            \
        checked++;                                                                                                     \
        if (bits != expected) failed++, printf(#name " is 0x%08x, expected " #expected "\n", (unsigned)bits);          \
    }
#define ABI_POINTER_MACRO(name, expected)                                                                              \
    {                                                                                                                  \
        void* const value = name;                                                                                      \
        checked++;                                                                                                     \
        if ((intptr_t)value != expected) failed++, printf(#name " is %p, expected " #expected "\n", value);            \
    }

int main(void) {
    int checked = 0, failed = 0;
#include "types.inc"
    if (DNNL_RUNTIME_F32_VAL_REP.u != 0x7fc000d0u || DNNL_RUNTIME_F32_VAL_REP.f == DNNL_RUNTIME_F32_VAL_REP.f)
        failed++, printf("DNNL_RUNTIME_F32_VAL_REP is 0x%08x\n", DNNL_RUNTIME_F32_VAL_REP.u);
    if (DNNL_RUNTIME_S32_VAL_REP != DNNL_RUNTIME_S32_VAL)
        failed++, printf("DNNL_RUNTIME_S32_VAL_REP is %d\n", DNNL_RUNTIME_S32_VAL_REP);
    if (checked != 3) failed++, printf("%d macros checked while running, expected 3\n", checked);
    return failed != 0;
}
