// SPDX-License-Identifier: Apache-2.0
#include "team.hpp"

#include "oneapi/dnnl/dnnl_config.h"

#if DNNL_CPU_RUNTIME == DNNL_RUNTIME_OMP
#include <omp.h>
#elif DNNL_CPU_RUNTIME == DNNL_RUNTIME_TBB
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#endif

namespace tessera {

#if DNNL_CPU_RUNTIME == DNNL_RUNTIME_OMP

int library_threads() { return omp_get_max_threads(); }

void on_team(int threads, const std::function<void(int, int)>& work) {
    if (threads <= 1) return work(0, 1);
#pragma omp parallel num_threads(threads)
    work(omp_get_thread_num(), omp_get_num_threads());
}

#elif DNNL_CPU_RUNTIME == DNNL_RUNTIME_TBB

int library_threads() { return tbb::this_task_arena::max_concurrency(); }

void on_team(int threads, const std::function<void(int, int)>& work) {
    if (threads <= 1) return work(0, 1);
    tbb::parallel_for(
        0, threads, [&](int member) { work(member, threads); }, tbb::static_partitioner());
}

#else

int library_threads() { return 1; }

void on_team(int, const std::function<void(int, int)>& work) { work(0, 1); }

#endif

} // namespace tessera
