// SPDX-License-Identifier: Apache-2.0
// A and B where they lie, if kernels can read them there: their views, k as loops of both, and parts of k that packs
// may cover. Fills Seen.
#pragma once

#include "cpu/products/see/see.hpp"

namespace tessera::cpu {

class FactorsInPlace {
public:
    explicit FactorsInPlace(Seen& seen);

    bool see_a(); // whether kernels can read it; before see_b()
    bool see_b();
    void see_cuts() const;

private:
    void see_step();
    bool see_loops_of_b(const Flat& f, DataType type);
    bool fits_loops(const Modes& k) const;
    bool can_interleave() const;
    bool ends_panel(const Flat& f) const;

    Seen& x;
    const Matrices& p;
    DotShape& shape;
    int64_t step_; // of k: elements in a step of the kernel
};

} // namespace tessera::cpu
