// SPDX-License-Identifier: Apache-2.0
// Forwards to the header in its folder: oneapi/dnnl/dnnl.hpp.

#ifndef DNNL_HPP
#define DNNL_HPP

#include "oneapi/dnnl/dnnl.hpp"

#endif
