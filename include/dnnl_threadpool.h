// SPDX-License-Identifier: Apache-2.0
/// Former place of oneapi/dnnl/dnnl_threadpool.h.
#ifndef DNNL_THREADPOOL_H
#define DNNL_THREADPOOL_H

#include "oneapi/dnnl/dnnl_threadpool.h" // IWYU pragma: export

#endif
