// SPDX-License-Identifier: Apache-2.0
// Forwards to the header in its folder: oneapi/dnnl/dnnl_ukernel.hpp.

#ifndef DNNL_UKERNEL_HPP
#define DNNL_UKERNEL_HPP

#include "oneapi/dnnl/dnnl_ukernel.hpp"

#endif
