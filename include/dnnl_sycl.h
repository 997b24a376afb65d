// SPDX-License-Identifier: Apache-2.0
/// Former place of oneapi/dnnl/dnnl_sycl.h.
#ifndef DNNL_SYCL_H
#define DNNL_SYCL_H

#include "oneapi/dnnl/dnnl_sycl.h" // IWYU pragma: export

#endif
