// SPDX-License-Identifier: Apache-2.0
// Finds the SYCL headers, and gives their namespace the name sycl where it is still called cl::sycl.

#ifndef ONEAPI_DNNL_CPP_SYCL_INCLUDE_HPP
#define ONEAPI_DNNL_CPP_SYCL_INCLUDE_HPP

#if defined(__has_include)
#if __has_include(<sycl/sycl.hpp>)
#include <sycl/sycl.hpp>
#elif __has_include(<CL/sycl.hpp>)
#include <CL/sycl.hpp>
#else
#error "the SYCL headers were not found: neither sycl/sycl.hpp nor CL/sycl.hpp is on the include path"
#endif
#else
#include <sycl/sycl.hpp>
#endif

#endif
