// SPDX-License-Identifier: Apache-2.0
#include "core/status.hpp"

namespace tessera {

namespace {

// "4x*", "(*x6)", "is *, ...": an extent or stride as to_string() of dims prints it, not a letter of a caller's text.
bool prints_open_dim(std::string_view text) {
    const auto ends = [](char c) { return std::string_view(" ,;()").find(c) != std::string_view::npos; };
    for (size_t at = text.find('*'); at != text.npos; at = text.find('*', at + 1)) {
        const char before = at ? text[at - 1] : ' ', after = at + 1 < text.size() ? text[at + 1] : ' ';
        if ((before == 'x' || ends(before)) && (after == 'x' || ends(after))) return true;
    }
    return false;
}

} // namespace

Refusal refused(Status status, fmt::string_view text, fmt::format_args values) {
    Error error{status, fmt::vformat(text, values)};
    const bool explained =
        error.reason.find("run-time") != error.reason.npos || error.reason.find("DNNL_RUNTIME_") != error.reason.npos;
    if (!explained && prints_open_dim(error.reason))
        error.reason +=
            "; * is a run-time dim (DNNL_RUNTIME_DIM_VAL): give its number or, where extents must be equal, "
            "* on both sides";
    return Refusal(std::move(error));
}

} // namespace tessera
