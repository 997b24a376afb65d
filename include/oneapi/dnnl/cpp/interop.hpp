// SPDX-License-Identifier: Apache-2.0
// What the headers of the device runtimes share.
//
//     std::vector<dnnl_exec_arg_t> c_args = detail::exec_args(args);

#ifndef ONEAPI_DNNL_CPP_INTEROP_HPP
#define ONEAPI_DNNL_CPP_INTEROP_HPP

#include "oneapi/dnnl/dnnl.hpp"

namespace dnnl {

namespace detail {

/// Execution arguments as the C calls take them.
inline std::vector<dnnl_exec_arg_t> exec_args(const std::unordered_map<int, memory>& args) {
    std::vector<dnnl_exec_arg_t> c_args;
    c_args.reserve(args.size());
    for (const auto& arg : args) c_args.push_back({arg.first, arg.second.get(true)});
    return c_args;
}

/// One special value per buffer of `md`: the library allocates them all.
inline std::vector<void*> allocate_all(const memory::desc& md) {
    const int count = md.get_num_handles();
    return std::vector<void*>(static_cast<size_t>(count > 0 ? count : 1), DNNL_MEMORY_ALLOCATE);
}

} // namespace detail

} // namespace dnnl

#endif
