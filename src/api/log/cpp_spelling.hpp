// SPDX-License-Identifier: Apache-2.0
// Reasons as programs in C++ read them: names of C that they speak of, in the spelling of dnnl.hpp.
//
//   "a host scalar has no buffer; dnnl_memory_create_host_scalar makes one"
//   "a host scalar has no buffer; memory(desc, value) makes one"
#pragma once

#include <span>
#include <string_view>

namespace tessera {

// Zero-terminated; what does not fit is cut off. Needs no memory, which may have run out.
void put_in_cpp(std::span<char> to, std::string_view text) noexcept;

} // namespace tessera
