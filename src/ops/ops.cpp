#include "ops/ops.hpp"

#include <cstdlib>

#include "ops/reorder/reorder.hpp"
#include "ops/shuffle/shuffle.hpp"

namespace tessera::ops {

const Row& row(PrimitiveKind kind) {
    static const Row rows[] = {
        {PrimitiveKind::reorder, lower_reorder, ref_reorder},
        {PrimitiveKind::shuffle, lower_shuffle, ref_shuffle},
    };
    for (const Row& r : rows)
        if (r.kind == kind) return r;
    std::abort(); // only make_* produce problems, and each of them has its row
}

} // namespace tessera::ops
