// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/reorder/reorder.hpp"
#include "random_problem.hpp"

namespace tessera::fuzz {

Result<Problem> random_reorder(Random& r) {
    const auto dims = random_dims(r);
    const auto [from, to] = random_types(r, random_type);
    MemoryDesc src = random_source(r, dims, from);
    MemoryDesc dst = random_desc(r, dims, to);
    Attr attr;
    auto quant = [&](bool scale, int arg) {
        Quant q;
        q.mask = chance(r, 40) ? 0 : int(below(r, 1 << std::min<size_t>(dims.size(), 4)));
        q.type = scale ? DataType::f32 : DataType::s32;
        if (q.mask && dims.size() >= 2 && chance(r, 30)) {
            q.mask |= 3 << (dims.size() - 2);
            const int64_t last = dims[dims.size() - 1], before = dims[dims.size() - 2];
            q.groups = {before > 0 && before % 2 == 0 && chance(r, 50) ? 2 : 1, last > 0 && last % 3 == 0 ? 3 : 1};
        }
        (void)(scale ? attr.set_scales(arg, q) : attr.set_zero_points(arg, q));
    };
    if (chance(r, 40)) {
        if (chance(r, 50)) quant(true, arg::src);
        if (chance(r, 30)) quant(true, arg::dst);
        if (chance(r, 40) && is_integer(src.type)) quant(false, arg::src);
        if (chance(r, 40) && is_integer(dst.type)) quant(false, arg::dst);
        if (chance(r, 30)) {
            PostOp sum;
            sum.kind = PostOpKind::sum;
            sum.scale = chance(r, 50) ? 1.f : 0.5f;
            (void)attr.post_ops.append(sum);
        }
        if (chance(r, 15)) {
            const int mask = int(below(r, 1 << std::min<size_t>(dims.size(), 3)));
            int64_t count = 1;
            for (size_t d = 0; d < dims.size(); ++d)
                if (mask >> d & 1) count *= dims[d];
            std::vector<float> values(size_t(std::max<int64_t>(count, 1)));
            for (size_t i = 0; i < values.size(); ++i) values[i] = 0.25f * float(1 + i % 7);
            (void)attr.set_output_scales(mask, values);
        }
    }
    for (MemoryDesc* md : {&src, &dst}) {
        if (md->type != DataType::s8 || md->offset0 != 0 || !chance(r, 25) || dims.size() < 2) continue;
        Extra extra;
        if (chance(r, 70)) extra.flags |= Extra::s8s8, extra.compensation_mask = chance(r, 50) ? 1 : 3;
        if (chance(r, 50))
            extra.flags |= Extra::asymmetric_src, extra.asymmetric_compensation_mask = chance(r, 50) ? 1 : 3;
        if (chance(r, 20)) extra.flags |= Extra::scale_adjust, extra.scale_adjust_factor = 0.5f;
        if (auto with = with_extra(*md, extra)) *md = *with;
    }
    return ops::make_reorder(src, dst, attr);
}

} // namespace tessera::fuzz
