// SPDX-License-Identifier: Apache-2.0
// What the files of this folder share: a device in a context, and SYCL's exceptions as refusals.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include <sycl/sycl.hpp>

#include "core/status.hpp"

namespace tessera::on_sycl {

struct Device {
    sycl::device device;
    sycl::context context;
    bool on_host = false; // plans run on the CPU engine, inside of host tasks; else on OpenCL
    std::string name() const { return device.get_info<sycl::info::device::name>(); }
};

// As dnnl_sycl.hpp passes buffers of any type: seen as bytes, in one dimension.
using Bytes = sycl::buffer<uint8_t, 1>;

// Inside of a catch (...): "SYCL: <what>"; out_of_memory where the exception says that.
Refusal failed(std::string_view doing) noexcept(false);

// Runs `body`; what SYCL throws becomes a refusal. `doing`: "a queue cannot be made".
template <typename Body> auto caught(std::string_view doing, Body&& body) -> decltype(body()) {
    try {
        return std::forward<Body>(body)();
    } catch (...) { return failed(doing); }
}

} // namespace tessera::on_sycl
