// SPDX-License-Identifier: Apache-2.0
/// Former place of oneapi/dnnl/dnnl_version.h.
#ifndef DNNL_VERSION_H
#define DNNL_VERSION_H

#include "oneapi/dnnl/dnnl_version.h" // IWYU pragma: export

#endif
