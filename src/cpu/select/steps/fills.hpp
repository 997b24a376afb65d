// SPDX-License-Identifier: Apache-2.0
// Fills: which fills of a plan write zeros right behind the rows of a map or an interpolation, so that a tile may write
// both in one pass (core/plan/rewrite/padding.hpp). Such a fill is selected right behind that step; between the two are
// only steps that write the same operand, which may run in any order.
#pragma once

#include <vector>

#include "core/plan/plan.hpp"

namespace tessera::cpu {

class Fills {
public:
    explicit Fills(const Plan& plan);

    // Whether that step is a fill that comes right behind the step whose rows it follows.
    bool moves(size_t step) const { return moves_[step]; }
    struct Behind {
        size_t fill = 0;   // number of the step
        int64_t zeros = 0; // behind each row; 0: there is no such fill
    };
    Behind behind(size_t step) const { return behind_[step]; }

private:
    std::vector<bool> moves_;    // by step
    std::vector<Behind> behind_; // by step
};

} // namespace tessera::cpu
