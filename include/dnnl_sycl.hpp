// SPDX-License-Identifier: Apache-2.0
// Forwards to the header in its folder: oneapi/dnnl/dnnl_sycl.hpp.

#ifndef DNNL_SYCL_HPP
#define DNNL_SYCL_HPP

#include "oneapi/dnnl/dnnl_sycl.hpp"

#endif
