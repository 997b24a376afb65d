// SPDX-License-Identifier: Apache-2.0
// The cases of the benchmark of devices, each on any engine.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

namespace tessera::bench {

// What the cases are written in.
using dnnl::memory;
using Desc = memory::desc;
using Dims = memory::dims;
using Type = memory::data_type;
using Tag = memory::format_tag;
using Engine = dnnl::engine;

struct DeviceWork {
    std::function<void()> queue, wait;
    int64_t bytes = 0;      // of all tensors
    int64_t operations = 0; // products and sums, where these are what it does
    void run() const {
        queue();
        wait();
    }
};
struct DeviceCase {
    std::string name;
    std::function<DeviceWork(const dnnl::engine&)> make;
};
std::vector<DeviceCase> small_cases(); // tens of MB, for processors
std::vector<DeviceCase> large_moves(); // hundreds of MB, for GPUs: torch_times.py has the same cases
std::vector<DeviceCase> large_sums();
std::vector<DeviceCase> large_images();
std::vector<DeviceCase> calls(); // little work: what a call costs

// Products m x k by k x n of some kinds of types and layouts.
struct ProductRun {
    DeviceWork work;
    std::function<int()> wrong; // of 200 results, after a run
};
size_t product_kinds();
std::string name_of_product(size_t kind, int64_t m, int64_t n, int64_t k);
ProductRun run_product(const dnnl::engine& engine, size_t kind, int64_t m, int64_t n, int64_t k);

// A primitive on tensors of its own, one for each argument.
using Arguments = std::vector<std::pair<int, dnnl::memory::desc>>;
DeviceWork on(const dnnl::engine& engine, const dnnl::primitive& primitive, const Arguments& arguments);

// Inference with src and dst of one descriptor and no other tensor; args: those of the primitive descriptor behind the
// kind.
template <typename Primitive, typename... Args>
DeviceWork forward(const dnnl::engine& e, const dnnl::memory::desc& data, Args... args) {
    return on(e, Primitive(typename Primitive::primitive_desc(e, dnnl::prop_kind::forward_inference, args...)),
              {{DNNL_ARG_SRC, data}, {DNNL_ARG_DST, data}});
}

} // namespace tessera::bench
