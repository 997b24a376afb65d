// SPDX-License-Identifier: Apache-2.0
// What factors of f32 may be rounded to before they are multiplied.
#pragma once

namespace tessera {

enum class FpmathMode : int { strict = 0, bf16 = 1, f16 = 2, any = 3, tf32 = 4 };

// A type permits those that have at least its bits of exponent and mantissa, as tf32 has those of the other two.
constexpr bool allows(FpmathMode mode, FpmathMode type) {
    if (mode == FpmathMode::strict || mode == FpmathMode::any) return mode == FpmathMode::any;
    return mode == type || type == FpmathMode::tf32;
}

} // namespace tessera
