// SPDX-License-Identifier: Apache-2.0
// Forwards to the header in its folder: oneapi/dnnl/dnnl_threadpool.hpp.

#ifndef DNNL_THREADPOOL_HPP
#define DNNL_THREADPOOL_HPP

#include "oneapi/dnnl/dnnl_threadpool.hpp"

#endif
