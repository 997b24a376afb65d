// SPDX-License-Identifier: Apache-2.0
#include "this_runtime.hpp"

#include "oneapi/dnnl/dnnl_config.h"

#if DNNL_CPU_RUNTIME == DNNL_RUNTIME_OMP
#include <omp.h>
#endif

namespace tessera::test {

unsigned built_for() { return DNNL_CPU_RUNTIME; }

#if DNNL_CPU_RUNTIME == DNNL_RUNTIME_OMP
void set_threads(int threads) { omp_set_num_threads(threads); }
bool threads_can_be_set() { return true; }
void make_team(int threads) {
    set_threads(threads);
#pragma omp parallel
    {}
}
#else
void set_threads(int) {}
bool threads_can_be_set() { return false; }
void make_team(int) {}
#endif

} // namespace tessera::test
