// SPDX-License-Identifier: Apache-2.0
/// Former place of oneapi/dnnl/dnnl_sycl_types.h.
#ifndef DNNL_SYCL_TYPES_H
#define DNNL_SYCL_TYPES_H

#include "oneapi/dnnl/dnnl_sycl_types.h" // IWYU pragma: export

#endif
