#include "ops/ops.hpp"

#include <cstdlib>

#include "ops/reorder/reorder.hpp"
#include "ops/shuffle/shuffle.hpp"

namespace tessera::ops {

const Row& row(PrimitiveKind kind) {
    static const Row rows[] = {
        {.kind = PrimitiveKind::reorder,
         .lower = lower_reorder,
         .ref = ref_reorder,
         .resolved = [](const Problem& p) { return make_reorder(p.md(arg::src), p.md(arg::dst), p.attr); },
         .two_engines = true,
         .has_prop = false,
         .elementwise = true},
        {.kind = PrimitiveKind::shuffle,
         .lower = lower_shuffle,
         .ref = ref_shuffle,
         .resolved = nullptr,
         .two_engines = false,
         .has_prop = true,
         .elementwise = false},
    };
    for (const Row& r : rows)
        if (r.kind == kind) return r;
    std::abort(); // only make_* produce problems, and each of them has its row
}

} // namespace tessera::ops
