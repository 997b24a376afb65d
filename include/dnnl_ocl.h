// SPDX-License-Identifier: Apache-2.0
/// Former place of oneapi/dnnl/dnnl_ocl.h.
#ifndef DNNL_OCL_H
#define DNNL_OCL_H

#include "oneapi/dnnl/dnnl_ocl.h" // IWYU pragma: export

#endif
