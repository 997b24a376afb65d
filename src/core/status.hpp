// SPDX-License-Identifier: Apache-2.0
// Errors are values: a status (the public numbers) and a sentence for a person.
//
// A function that can refuse returns Result<T>. The sentence says what is wrong, with the values, and what would
// work instead; it ends up in dnnl::error::what(), in dnnl_tessera_last_error() and in a verbose line.
//
//   if (axis < 0 || axis >= ndims)
//       return invalid("shuffle: axis {} is outside of 0..{}", axis, ndims - 1);
#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>
#include <tl/expected.hpp>

#include "core/counted.hpp"

namespace tessera {

// Numbers of dnnl_status_t (tests/api compares them).
enum class Status : int {
    success = 0,
    out_of_memory = 1,
    invalid_arguments = 2,
    unimplemented = 3,
    last_impl_reached = 4,
    runtime_error = 5,
    not_required = 6,
};

struct Error {
    Status status;
    std::string reason;
};

template <typename T> using Result = tl::expected<T, Error>;
using Refusal = tl::unexpected<Error>;

// fmt before 10 has no get(), and 12 deprecates the conversion.
template <typename Text> fmt::string_view view_of(const Text& format_string) {
    if constexpr (requires { format_string.get(); })
        return format_string.get();
    else
        return format_string;
}

// Out of line: sentences made inside of each caller took 40 KB more. A sentence that prints a run-time dim (*) and does
// not explain it gets an explanation.
[[gnu::cold]] Refusal refused(Status status, fmt::string_view text, fmt::format_args values);

// The problem contradicts itself or the interface: no implementation could do it.
template <typename... Args> Refusal invalid(fmt::format_string<Args...> text, Args&&... args) {
    return refused(Status::invalid_arguments, view_of(text), fmt::make_format_args(args...));
}
// A consistent problem that this library does not do.
template <typename... Args> Refusal unimplemented(fmt::format_string<Args...> text, Args&&... args) {
    return refused(Status::unimplemented, view_of(text), fmt::make_format_args(args...));
}
template <typename... Args> Refusal out_of_memory(fmt::format_string<Args...> text, Args&&... args) {
    return refused(Status::out_of_memory, view_of(text), fmt::make_format_args(args...));
}
template <typename... Args> Refusal runtime_error(fmt::format_string<Args...> text, Args&&... args) {
    return refused(Status::runtime_error, view_of(text), fmt::make_format_args(args...));
}

} // namespace tessera
