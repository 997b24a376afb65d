// SPDX-License-Identifier: Apache-2.0
#include "ops/rnn/cells.hpp"

#include <fmt/format.h>

namespace tessera::ops {

Cells::Cells(const Problem& problem) : p(problem), r(problem) {
    const int a = arg::src_layer;
    s.plan.title = fmt::format("rnn {} {} {} {} {}, {}", name(p.prop), alg_name(r.cell), to_token(p.md(a)),
                               to_token(p.md(arg::weights_layer)), to_token(p.md(arg::dst_layer)), p.shape());
    s.fpmath = p.attr.fpmath;
    attention_ = plain(layer(arg::attention), {.time = r.steps, .row = r.batch});
}

Block Cells::plain(const Block& block, const Extents& extents) {
    if (!block || block.is_plain()) return block;
    const Block out = s.scratch("plain " + block.operand.name, block.operand.type, extents);
    copy(block, out, extents);
    return out;
}

void Cells::copy(const Block& from, const Block& to, const Extents& extents) {
    Program program;
    const bool same = from.operand.type == to.operand.type;
    program.store(s.view(to), program.load(s.view(from), same ? ValueType::bits : ValueType::f32));
    s.map(extents, program);
}

void Cells::set(const Block& to, double value, const Extents& extents) {
    Program program;
    program.store(s.view(to), program.constant(value, ValueType::f32));
    s.map(extents, program);
}

Result<Plan> Cells::finished() {
    if (s.too_large)
        return unimplemented("rnn: {} steps of {} rows and {} channels need more than 2^62 bytes of temporary memory; "
                             "divide the batch",
                             r.steps, r.batch, r.dhc);
    return std::move(s.plan);
}

} // namespace tessera::ops
