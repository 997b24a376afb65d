// SPDX-License-Identifier: Apache-2.0
#include "on_sycl/device.hpp"

#include <new>

namespace tessera::on_sycl {

Refusal failed(std::string_view doing) noexcept(false) {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return out_of_memory("SYCL: {}: out of memory", doing);
    } catch (const sycl::exception& e) {
        if (e.code() == sycl::errc::memory_allocation) return out_of_memory("SYCL: {}: {}", doing, e.what());
        return runtime_error("SYCL: {}: {}", doing, e.what());
    } catch (const std::exception& e) { return runtime_error("SYCL: {}: {}", doing, e.what()); } catch (...) {
        return runtime_error("SYCL: {}: an exception of an unknown type", doing);
    }
}

} // namespace tessera::on_sycl
