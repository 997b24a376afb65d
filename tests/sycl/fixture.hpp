// SPDX-License-Identifier: Apache-2.0
// A SYCL engine of the CPU device, and what tests compare it with: the CPU engine without SYCL. Each program runs
// twice: plain, where the engine is a CPU engine whose work runs in host tasks, and with TESSERA_OPENCL_DEVICES=all,
// where the same device makes a GPU engine that runs OpenCL kernels on the queue's native handle.
#pragma once

#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>

#define DNNL_EXPERIMENTAL_PROFILING
#define DNNL_WITH_SYCL // the members of dnnl::memory in their spelling of v2
#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_sycl.hpp"
#include "oneapi/dnnl/dnnl_tessera.h"

namespace on_sycl_tests {

using namespace dnnl;
namespace interop = dnnl::sycl_interop;
using interop::memory_kind;
using dt = memory::data_type;
using tag = memory::format_tag;
using Args = std::unordered_map<int, memory>;

inline bool kernels_of_opencl() {
    const char* asked = std::getenv("TESSERA_OPENCL_DEVICES");
    return asked && std::string_view(asked) == "all";
}

// What a call refuses with; "accepted" where it does not.
template <typename F> std::string refusal(F f) {
    try {
        f();
    } catch (const error& e) { return e.what(); }
    return "accepted";
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The first device with unified shared memory: Intel's. PoCL, which may be there as well, has none.
inline sycl::device device_with_usm() {
    for (const sycl::device& d : sycl::device::get_devices())
        if (d.is_cpu() && d.has(sycl::aspect::usm_shared_allocations)) return d;
    throw std::runtime_error("SYCL shows no CPU device with USM: OCL_ICD_FILENAMES has to name libintelocl.so");
}

class Sycl : public testing::Test {
protected:
    sycl::device device = device_with_usm();
    sycl::context context{device};
    sycl::queue out_of_order{context, device};
    sycl::queue in_order{context, device, sycl::property::queue::in_order()};
    engine on_sycl = interop::make_engine(device, context);
    stream s = interop::make_stream(on_sycl, out_of_order);
    engine cpu{engine::kind::cpu, 0};
    stream on_cpu{cpu};

    static std::vector<float> numbers(size_t count) { // small integers: sums of their products are exact
        std::vector<float> all(count);
        for (size_t i = 0; i < count; ++i) all[i] = float(int(i * 37 % 23) - 11);
        return all;
    }
    static memory::desc floats(const memory::dims& dims, tag layout) { return {dims, dt::f32, layout}; }
    // By a mapping.
    static void fill(const memory& m, const std::vector<float>& values) {
        float* const at = m.map_data<float>();
        std::copy(values.begin(), values.end(), at);
        m.unmap_data(at);
    }
    static std::vector<float> contents(const memory& m) {
        float* const at = m.map_data<float>();
        const std::vector<float> values(at, at + m.get_desc().get_size() / sizeof(float));
        m.unmap_data(at);
        return values;
    }
    memory filled(const memory::desc& md, memory_kind kind, const std::vector<float>& values) const {
        memory m = interop::make_memory(md, on_sycl, kind);
        fill(m, values);
        return m;
    }
    // The same primitive on the CPU engine, whose memories hold the values.
    std::vector<float> expected(const std::function<primitive(const engine&)>& make,
                                const std::unordered_map<int, std::pair<memory::desc, std::vector<float>>>& inputs,
                                const memory::desc& dst) const {
        Args args;
        for (const auto& [arg, input] : inputs) {
            memory m(input.first, cpu);
            fill(m, input.second);
            args.emplace(arg, m);
        }
        const memory result(dst, cpu);
        args.emplace(DNNL_ARG_DST, result);
        make(cpu).execute(on_cpu, args);
        stream(on_cpu).wait();
        return contents(result);
    }
    static std::function<primitive(const engine&)> product(const memory::desc& a, const memory::desc& b,
                                                           const memory::desc& c) {
        return [=](const engine& e) { return matmul(matmul::primitive_desc(e, a, b, c)); };
    }
    static std::function<primitive(const engine&)> reordered(const memory::desc& from, const memory::desc& to) {
        return [=](const engine& e) { return reorder(reorder::primitive_desc(e, from, e, to)); };
    }
    // x -> scale * x + shift, in place or not.
    static std::function<primitive(const engine&)> linear(const memory::desc& md, float scale, float shift) {
        return [=](const engine& e) {
            return eltwise_forward(eltwise_forward::primitive_desc(e, prop_kind::forward_inference,
                                                                   algorithm::eltwise_linear, md, md, scale, shift));
        };
    }
};

} // namespace on_sycl_tests
