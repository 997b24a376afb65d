#include "ops/ops.hpp"

#include <cstdlib>

#include "ops/binary/binary.hpp"
#include "ops/concat/concat.hpp"
#include "ops/eltwise/eltwise.hpp"
#include "ops/inner_product/inner_product.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/prelu/prelu.hpp"
#include "ops/reorder/reorder.hpp"
#include "ops/resampling/resampling.hpp"
#include "ops/shuffle/shuffle.hpp"
#include "ops/sum/sum.hpp"

namespace tessera::ops {

std::span<const Row> rows() {
    static const Row all[] = {
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
        {.kind = PrimitiveKind::binary,
         .lower = lower_binary,
         .ref = ref_binary,
         .resolved = nullptr,
         .two_engines = false,
         .has_prop = false,
         .elementwise = true},
        {.kind = PrimitiveKind::prelu,
         .lower = lower_prelu,
         .ref = ref_prelu,
         .resolved = nullptr,
         .two_engines = false,
         .has_prop = true,
         .elementwise = true},
        {.kind = PrimitiveKind::sum,
         .lower = lower_sum,
         .ref = ref_sum,
         .resolved = nullptr,
         .two_engines = false,
         .has_prop = false,
         .elementwise = true},
        {.kind = PrimitiveKind::concat,
         .lower = lower_concat,
         .ref = ref_concat,
         .resolved = nullptr,
         .two_engines = false,
         .has_prop = false,
         .elementwise = false,
         .lies_in_place = lies_in_place},
        {.kind = PrimitiveKind::eltwise,
         .lower = lower_eltwise,
         .ref = ref_eltwise,
         .resolved = nullptr,
         .two_engines = false,
         .has_prop = true,
         .elementwise = true},
        {.kind = PrimitiveKind::inner_product,
         .lower = lower_inner_product,
         .ref = ref_inner_product,
         .resolved = nullptr,
         .two_engines = false,
         .has_prop = true,
         .elementwise = false},
        {.kind = PrimitiveKind::matmul,
         .lower = lower_matmul,
         .ref = ref_matmul,
         .resolved = resolved_matmul,
         .two_engines = false,
         .has_prop = false,
         .elementwise = false},
        {.kind = PrimitiveKind::resampling,
         .lower = lower_resampling,
         .ref = ref_resampling,
         .resolved = nullptr,
         .two_engines = false,
         .has_prop = true,
         .elementwise = false},
    };
    return all;
}

const Row& row(PrimitiveKind kind) {
    for (const Row& r : rows())
        if (r.kind == kind) return r;
    std::abort(); // only make_* produce problems, and each of them has its row
}

} // namespace tessera::ops
