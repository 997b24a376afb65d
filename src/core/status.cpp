// SPDX-License-Identifier: Apache-2.0
#include "core/status.hpp"

namespace tessera {

Refusal refused(Status status, fmt::string_view text, fmt::format_args values) {
    return Refusal(Error{status, fmt::vformat(text, values)});
}

} // namespace tessera
