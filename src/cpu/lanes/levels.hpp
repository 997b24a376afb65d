// SPDX-License-Identifier: Apache-2.0
// TESSERA_LEVELS: function multiversioning. A function is compiled for the baseline and for wider vectors, and an ifunc
// resolver picks one version when the library is loaded. The source stays plain C++; no other file of the portable path
// knows that levels exist.
//
// For functions whose loops are inlined into them (`flatten`, TESSERA_INLINE). f32 -> f16 of 1.6 million elements takes
// 2.1 ms of one thread with SSE2 and 1.2 ms with AVX-512. A whole file compiled with -mavx2 would be a trap: the linker
// may then choose its copy of an inline function for everybody. Builds with a sanitizer have one version
// (TESSERA_ONE_LEVEL): they would instrument the resolver, which runs before their own initialisation.
#pragma once

#if defined(__x86_64__) && defined(__linux__) && !defined(TESSERA_ONE_LEVEL) && defined(__clang__)
#define TESSERA_LEVELS __attribute__((target_clones("default", "avx2", "arch=skylake-avx512")))
#elif defined(__x86_64__) && defined(__linux__) && !defined(TESSERA_ONE_LEVEL)
#define TESSERA_LEVELS __attribute__((flatten, target_clones("default", "avx2", "arch=skylake-avx512")))
#else
#define TESSERA_LEVELS
#endif

// For functions around std::fma, which stays a library call at level "avx2": FMA is a CPUID bit of its own.
#if defined(__x86_64__) && defined(__linux__) && !defined(TESSERA_ONE_LEVEL)
#define TESSERA_FMA_LEVELS __attribute__((target_clones("default", "fma", "avx512f")))
#else
#define TESSERA_FMA_LEVELS
#endif

// Called from the functions above, and worth nothing outside of them.
#define TESSERA_INLINE inline __attribute__((always_inline))
