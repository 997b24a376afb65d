// SPDX-License-Identifier: Apache-2.0
// The thread pool a user hands to a library built for the THREADPOOL runtime.
//
// Contract: the order of the virtual functions is part of the binary interface; nothing may be added in
// between. The library calls parallel_for from the thread that executes a primitive.

#ifndef ONEAPI_DNNL_DNNL_THREADPOOL_IFACE_HPP
#define ONEAPI_DNNL_DNNL_THREADPOOL_IFACE_HPP

#include <cstdint>
#include <functional>

namespace dnnl {

/// Interoperability with the user's threads.
namespace threadpool_interop {

/// What the library needs of a thread pool.
struct threadpool_iface {
    /// @returns Number of threads that work at the same time, 1 or more.
    virtual int get_num_threads() const = 0;

    /// @returns Whether the calling thread is already inside parallel_for of this pool.
    virtual bool get_in_parallel() const = 0;

    /// Calls fn(i, n) for every i in [0, n), in any order and on any threads; returns when all are done,
    /// or at once if the flags have ASYNCHRONOUS.
    /// @param n Number of calls.
    /// @param fn What to call.
    virtual void parallel_for(int n, const std::function<void(int, int)>& fn) = 0;

    /// @returns 0 or ASYNCHRONOUS.
    virtual uint64_t get_flags() const = 0;

    /// Returns when everything submitted to parallel_for is done; for asynchronous pools.
    virtual void wait() = 0;

    /// Flag: parallel_for does not wait for the work it is given.
    static constexpr uint64_t ASYNCHRONOUS = 1;

    virtual ~threadpool_iface() = default;
};

} // namespace threadpool_interop

} // namespace dnnl

#endif
