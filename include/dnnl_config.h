// SPDX-License-Identifier: Apache-2.0
/// Former place of oneapi/dnnl/dnnl_config.h.
#ifndef DNNL_CONFIG_H
#define DNNL_CONFIG_H

#include "oneapi/dnnl/dnnl_config.h" // IWYU pragma: export

#endif
