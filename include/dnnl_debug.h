// SPDX-License-Identifier: Apache-2.0
/// Former place of oneapi/dnnl/dnnl_debug.h.
#ifndef DNNL_DEBUG_H
#define DNNL_DEBUG_H

#include "oneapi/dnnl/dnnl_debug.h" // IWYU pragma: export

#endif
