// SPDX-License-Identifier: Apache-2.0
/// Former place of oneapi/dnnl/dnnl_graph_types.h.
#ifndef DNNL_GRAPH_TYPES_H
#define DNNL_GRAPH_TYPES_H

#include "oneapi/dnnl/dnnl_graph_types.h" // IWYU pragma: export

#endif
