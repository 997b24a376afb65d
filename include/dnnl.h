// SPDX-License-Identifier: Apache-2.0
/// Former place of oneapi/dnnl/dnnl.h.
#ifndef DNNL_H
#define DNNL_H

#include "oneapi/dnnl/dnnl.h" // IWYU pragma: export

#endif
