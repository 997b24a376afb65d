// SPDX-License-Identifier: Apache-2.0
/// Former place of oneapi/dnnl/dnnl_graph.h.
#ifndef DNNL_GRAPH_H
#define DNNL_GRAPH_H

#include "oneapi/dnnl/dnnl_graph.h" // IWYU pragma: export

#endif
