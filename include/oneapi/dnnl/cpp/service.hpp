// SPDX-License-Identifier: Apache-2.0
// Functions that concern the library as a whole: its version, its log, caches, instruction sets, code
// inspection and profiling; and the three BLAS-like matrix products.
// Contract: setters return a status, or throw where they return nothing.
//
//     const dnnl::version_t *v = dnnl::version();
//     dnnl::set_max_cpu_isa(dnnl::cpu_isa::avx2);  // before anything else

#ifndef ONEAPI_DNNL_CPP_SERVICE_HPP
#define ONEAPI_DNNL_CPP_SERVICE_HPP

#include "oneapi/dnnl/cpp/primitive.hpp"

namespace dnnl {

/// major, minor, patch, hash, cpu_runtime, gpu_runtime.
using version_t = dnnl_version_t;

/// Outcome of a call.
enum class status : int {
    // enumerators: status
    success = dnnl_success,                     ///< It worked.
    out_of_memory = dnnl_out_of_memory,         ///< Memory could not be allocated.
    invalid_arguments = dnnl_invalid_arguments, ///< The request makes no sense.
    unimplemented = dnnl_unimplemented,         ///< The request makes sense, but nothing implements it.
    last_impl_reached = dnnl_last_impl_reached, ///< There is no further implementation.
    runtime_error = dnnl_runtime_error,         ///< A device or the system failed.
    not_required = dnnl_not_required,           ///< The answer to a query does not apply.
    // end of enumerators
    iterator_ends = dnnl_last_impl_reached, ///< v2 name of last_impl_reached.
};

/// What the log shows: 0 nothing, 1 executions, 2 creations as well.
/// @param level 0, 1 or 2.
/// @returns The status of dnnl_set_verbose().
inline status set_verbose(int level) { return static_cast<status>(dnnl_set_verbose(level)); }

/// @returns The version of the loaded library.
inline const version_t* version() { return dnnl_version(); }

/// @returns The floating-point mode that new attributes start with.
/// @throws dnnl::error with the status of dnnl_get_default_fpmath_mode() if that refuses.
inline fpmath_mode get_default_fpmath_mode() {
    dnnl_fpmath_mode_t mode = dnnl_fpmath_mode_strict;
    error::wrap_c_api(dnnl_get_default_fpmath_mode(&mode), "could not get the default floating-point math mode");
    return static_cast<fpmath_mode>(mode);
}

/// Sets the floating-point mode that new attributes start with.
/// @param mode The mode.
/// @returns The status of dnnl_set_default_fpmath_mode().
inline status set_default_fpmath_mode(fpmath_mode mode) {
    return static_cast<status>(dnnl_set_default_fpmath_mode(convert_to_c(mode)));
}

/// Sets whether generated code is written to files in the working directory.
/// @param enable Not 0: code is written.
/// @returns The status of dnnl_set_jit_dump().
inline status set_jit_dump(int enable) { return static_cast<status>(dnnl_set_jit_dump(enable)); }

/// Sets which profilers learn about generated code.
/// @param flags DNNL_JIT_PROFILE_* as bits.
/// @returns The status of dnnl_set_jit_profiling_flags().
inline status set_jit_profiling_flags(unsigned flags) {
    return static_cast<status>(dnnl_set_jit_profiling_flags(flags));
}

/// Sets the directory of jitdump files.
/// @param dir Path of a directory.
/// @returns The status of dnnl_set_jit_profiling_jitdumpdir().
inline status set_jit_profiling_jitdumpdir(const std::string& dir) {
    return static_cast<status>(dnnl_set_jit_profiling_jitdumpdir(dir.c_str()));
}

/// Instruction sets, as sets of bits.
enum class cpu_isa : int {
    // enumerators: cpu_isa
    isa_default = dnnl_cpu_isa_default,
    sse41 = dnnl_cpu_isa_sse41,
    avx = dnnl_cpu_isa_avx,
    avx2 = dnnl_cpu_isa_avx2,
    avx2_vnni = dnnl_cpu_isa_avx2_vnni,
    avx2_vnni_2 = dnnl_cpu_isa_avx2_vnni_2,
    avx512_core = dnnl_cpu_isa_avx512_core,
    avx512_core_vnni = dnnl_cpu_isa_avx512_core_vnni,
    avx512_core_bf16 = dnnl_cpu_isa_avx512_core_bf16,
    avx10_1_512 = dnnl_cpu_isa_avx10_1_512,
    avx512_core_fp16 = dnnl_cpu_isa_avx512_core_fp16,
    avx10_1_512_amx = dnnl_cpu_isa_avx10_1_512_amx,
    avx512_core_amx = dnnl_cpu_isa_avx512_core_amx,
    avx10_1_512_amx_fp16 = dnnl_cpu_isa_avx10_1_512_amx_fp16,
    avx512_core_amx_fp16 = dnnl_cpu_isa_avx512_core_amx_fp16,
    avx10_2 = dnnl_cpu_isa_avx10_2,
    avx10_2_512 = dnnl_cpu_isa_avx10_2_512,
    avx10_2_amx_2 = dnnl_cpu_isa_avx10_2_amx_2,
    avx10_2_512_amx_2 = dnnl_cpu_isa_avx10_2_512_amx_2,
    // end of enumerators
    all = dnnl_cpu_isa_default, ///< v2 name of isa_default.
};

/// Caps the instruction sets the library may use. Only once, before any other use of the library.
/// @param isa The largest instruction set to use.
/// @returns The status of dnnl_set_max_cpu_isa().
inline status set_max_cpu_isa(cpu_isa isa) {
    return static_cast<status>(dnnl_set_max_cpu_isa(static_cast<dnnl_cpu_isa_t>(isa)));
}

/// @returns The instruction set the library uses: the machine's, under the cap.
inline cpu_isa get_effective_cpu_isa() { return static_cast<cpu_isa>(dnnl_get_effective_cpu_isa()); }

/// Hints on how to use an instruction set.
enum class cpu_isa_hints : int {
    // enumerators: cpu_isa_hints
    no_hints = dnnl_cpu_isa_no_hints,     ///< None.
    prefer_ymm = dnnl_cpu_isa_prefer_ymm, ///< Prefer 256-bit vectors where 512 bits are possible.
    // end of enumerators
};

/// Sets the hints. Only once, before any other use of the library.
/// @param isa_hints The hints.
/// @returns The status of dnnl_set_cpu_isa_hints().
inline status set_cpu_isa_hints(cpu_isa_hints isa_hints) {
    return static_cast<status>(dnnl_set_cpu_isa_hints(static_cast<dnnl_cpu_isa_hints_t>(isa_hints)));
}

/// @returns The hints in force.
inline cpu_isa_hints get_cpu_isa_hints() { return static_cast<cpu_isa_hints>(dnnl_get_cpu_isa_hints()); }

#ifdef DNNL_EXPERIMENTAL_PROFILING
/// What a profiling stream records per execution.
enum class profiling_data_kind : int {
    undef = dnnl_profiling_data_kind_undef, ///< Nothing.
    time = dnnl_profiling_data_kind_time,   ///< Nanoseconds on the device.
};

/// Forgets what a stream has recorded.
/// @param stream Stream made with flags::profiling.
/// @throws dnnl::error with the status of dnnl_reset_profiling() if that refuses.
inline void reset_profiling(stream& stream) {
    error::wrap_c_api(dnnl_reset_profiling(stream.get()), "could not reset the profiling of a stream");
}

/// @param stream Stream made with flags::profiling.
/// @param data_kind What to read.
/// @returns One value per execution since the last reset.
/// @throws dnnl::error with the status of dnnl_query_profiling_data() if that refuses.
inline std::vector<uint64_t> get_profiling_data(stream& stream, profiling_data_kind data_kind) {
    const dnnl_profiling_data_kind_t kind = static_cast<dnnl_profiling_data_kind_t>(data_kind);
    int count = 0;
    error::wrap_c_api(dnnl_query_profiling_data(stream.get(), kind, &count, nullptr),
                      "could not get the number of profiling entries");
    std::vector<uint64_t> data(count > 0 ? static_cast<size_t>(count) : 0);
    if (!data.empty())
        error::wrap_c_api(dnnl_query_profiling_data(stream.get(), kind, &count, data.data()),
                          "could not get profiling data");
    return data;
}
#endif

/// @returns How many primitives the library keeps for later requests; 0 is no cache.
/// @throws dnnl::error with the status of dnnl_get_primitive_cache_capacity() if that refuses.
inline int get_primitive_cache_capacity() {
    int capacity = 0;
    error::wrap_c_api(dnnl_get_primitive_cache_capacity(&capacity), "could not get the primitive cache capacity");
    return capacity;
}

/// Sets how many problems the library keeps with their code; what was used least recently goes first.
/// @param capacity Number of problems; 0 turns the cache off.
/// @throws dnnl::error with the status of dnnl_set_primitive_cache_capacity() if that refuses.
inline void set_primitive_cache_capacity(int capacity) {
    error::wrap_c_api(dnnl_set_primitive_cache_capacity(capacity), "could not set the primitive cache capacity");
}

/// C = alpha op(A) op(B) + beta C, row-major f32: op(A) M x K, op(B) K x N, C M x N. op(X) is X for
/// 'N' or 'n', its transpose for 'T' or 't'. lda, ldb and ldc are elements between rows as stored.
/// @param transa 'N' or 'n': A is stored as M x K; 'T' or 't': as K x M.
/// @param transb 'N' or 'n': B is stored as K x N; 'T' or 't': as N x K.
/// @param M Rows of C, >= 0.
/// @param N Columns of C, >= 0.
/// @param K Terms of each sum, >= 0.
/// @param alpha Factor of the product.
/// @param A Elements of A.
/// @param lda Elements from one stored row of A to the next.
/// @param B Elements of B.
/// @param ldb Elements from one stored row of B to the next.
/// @param beta Factor of the old C; with 0 it is not read.
/// @param C Elements of C, M x N.
/// @param ldc Elements from one row of C to the next, >= N.
/// @returns The status of dnnl_sgemm().
inline status sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K, float alpha, const float* A,
                    dnnl_dim_t lda, const float* B, dnnl_dim_t ldb, float beta, float* C, dnnl_dim_t ldc) {
    return static_cast<status>(dnnl_sgemm(transa, transb, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc));
}

/// C = alpha (op(A) - ao) (op(B) - bo) + beta C + co, row-major, in s32. `offsetc` says what co holds:
/// 'F' one value, 'R' one per column (N), 'C' one per row (M).
/// @param transa 'N' or 'n': A is stored as M x K; 'T' or 't': as K x M.
/// @param transb 'N' or 'n': B is stored as K x N; 'T' or 't': as N x K.
/// @param offsetc 'F' or 'f': co[0] for all of C; 'C' or 'c': co[m], one per row; 'R' or 'r': co[n], one per column.
/// @param M Rows of C, >= 0.
/// @param N Columns of C, >= 0.
/// @param K Terms of each sum, >= 0.
/// @param alpha Factor of the product.
/// @param A Elements of A.
/// @param lda Elements from one stored row of A to the next.
/// @param ao Subtracted from every element of A.
/// @param B Elements of B.
/// @param ldb Elements from one stored row of B to the next.
/// @param bo Subtracted from every element of B.
/// @param beta Factor of the old C; with 0 it is not read.
/// @param C Elements of C, M x N.
/// @param ldc Elements from one row of C to the next, >= N.
/// @param co Offsets added to C: 1, M or N values, as offsetc says.
/// @returns The status of dnnl_gemm_u8s8s32().
inline status gemm_u8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K,
                           float alpha, const uint8_t* A, dnnl_dim_t lda, uint8_t ao, const int8_t* B, dnnl_dim_t ldb,
                           int8_t bo, float beta, int32_t* C, dnnl_dim_t ldc, const int32_t* co) {
    return static_cast<status>(
        dnnl_gemm_u8s8s32(transa, transb, offsetc, M, N, K, alpha, A, lda, ao, B, ldb, bo, beta, C, ldc, co));
}

/// As gemm_u8s8s32 with a signed A.
/// @param transa 'N' or 'n': A is stored as M x K; 'T' or 't': as K x M.
/// @param transb 'N' or 'n': B is stored as K x N; 'T' or 't': as N x K.
/// @param offsetc 'F' or 'f': co[0] for all of C; 'C' or 'c': co[m], one per row; 'R' or 'r': co[n], one per column.
/// @param M Rows of C, >= 0.
/// @param N Columns of C, >= 0.
/// @param K Terms of each sum, >= 0.
/// @param alpha Factor of the product.
/// @param A Elements of A.
/// @param lda Elements from one stored row of A to the next.
/// @param ao Subtracted from every element of A.
/// @param B Elements of B.
/// @param ldb Elements from one stored row of B to the next.
/// @param bo Subtracted from every element of B.
/// @param beta Factor of the old C; with 0 it is not read.
/// @param C Elements of C, M x N.
/// @param ldc Elements from one row of C to the next, >= N.
/// @param co Offsets added to C: 1, M or N values, as offsetc says.
/// @returns The status of dnnl_gemm_s8s8s32().
inline status gemm_s8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K,
                           float alpha, const int8_t* A, dnnl_dim_t lda, int8_t ao, const int8_t* B, dnnl_dim_t ldb,
                           int8_t bo, float beta, int32_t* C, dnnl_dim_t ldc, const int32_t* co) {
    return static_cast<status>(
        dnnl_gemm_s8s8s32(transa, transb, offsetc, M, N, K, alpha, A, lda, ao, B, ldb, bo, beta, C, ldc, co));
}

} // namespace dnnl

#endif
