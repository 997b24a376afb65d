// SPDX-License-Identifier: Apache-2.0
// The few SYCL names dnnl_sycl.hpp uses, without behaviour, so that it compiles where no SYCL is installed.
#pragma once

#include <cstddef>

namespace sycl {

struct device {};
struct context {};
struct queue {};
struct event {};

template <int ndims = 1> struct range {
    explicit range(std::size_t) {}
};

template <typename T, int ndims = 1> struct buffer {
    std::size_t size() const { return 0; }
    template <typename U, int other_ndims> buffer<U, other_ndims> reinterpret(range<other_ndims>) const { return {}; }
};

} // namespace sycl
