// SPDX-License-Identifier: Apache-2.0
#include "cpu/select/selection.hpp"

#include <fmt/format.h>

namespace tessera::cpu {

bool Selection::generated() const {
    for (size_t i = 0; i < choices.size(); ++i) {
        const Choice& c = choices[i];
        if (c.executable ? !c.portable : c.job && plan.steps[i].kind != StepKind::fill) return true;
    }
    return false;
}

std::string Selection::why_portable() const {
    std::string why;
    for (const Choice& c : choices)
        if (!c.why_portable.empty()) why += fmt::format("{}{}", why.empty() ? "" : "; ", c.why_portable);
    return why;
}

std::string Selection::text() const {
    std::string out;
    for (size_t i = 0; i < choices.size(); ++i)
        out += fmt::format("{} {}{}\n", i + 1, choices[i].tile,
                           choices[i].tried.empty() ? "" : fmt::format(", not {}", choices[i].tried));
    return out;
}

} // namespace tessera::cpu
