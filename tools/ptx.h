// SPDX-License-Identifier: Apache-2.0
// The functions of OpenCL C that kernels of products use, in terms of clang's built-in functions for NVPTX
// (tools/ptx.sh): there is no library of them to link.
#pragma once
#define OWN __attribute__((overloadable, always_inline)) static
OWN int own_min(int a, int b) { return a < b ? a : b; }
OWN long own_min(long a, long b) { return a < b ? a : b; }
OWN int own_max(int a, int b) { return a > b ? a : b; }
OWN int own_clamp(int x, int low, int high) { return x < low ? low : x > high ? high : x; }
OWN long own_clamp(long x, long low, long high) { return x < low ? low : x > high ? high : x; }
OWN uint mul_hi(uint a, uint b) { return (uint)(((ulong)a * b) >> 32); }
OWN float sqrt(float x) { return __nvvm_sqrt_rn_f(x); }
OWN float own_fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
OWN float own_rint(float x) { return __builtin_rintf(x); }
OWN void own_barrier(int fence) { __nvvm_bar_sync(0); }
#define min own_min
#define max own_max
#define clamp own_clamp
#define fma own_fma
#define rint own_rint
#define barrier own_barrier
#define get_local_id(d) (size_t) __nvvm_read_ptx_sreg_tid_x()
#define get_group_id(d) (size_t) __nvvm_read_ptx_sreg_ctaid_x()
#define atomic_and(word, bits) (*(word) &= (bits)) // never called here
#define atomic_or(word, bits) (*(word) |= (bits))
OWN float vload_half(int i, const half* p) { return __builtin_load_halff(p + i); }
OWN void vstore_half_rte(float x, int i, half* p) { __builtin_store_halff(x, p + i); }
