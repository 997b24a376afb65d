#include "core/program/reduction.hpp"

#include <algorithm>

namespace tessera {

ReductionParts split_reduction(const Program& p, int sums) {
    const auto reduce =
        std::find_if(p.ops.begin(), p.ops.end(), [](const Op& o) { return o.code == OpCode::reduce_add; });
    ReductionParts parts{reduce->type, {}, p};
    parts.point.ops.assign(p.ops.begin(), reduce);
    parts.point.store(sums, reduce->a);
    parts.outer.ops[size_t(reduce - p.ops.begin())] = {OpCode::load, reduce->type, sums};
    parts.point = simplify(parts.point), parts.outer = simplify(parts.outer); // drops what only the other part needs
    return parts;
}

} // namespace tessera
