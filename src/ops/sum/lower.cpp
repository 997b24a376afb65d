// SPDX-License-Identifier: Apache-2.0
// sum -> plan: one program with a load for each source.
//
//   p0: v0=load src 0:f32  v1=load src 1:f32  v2=2  v3=mul v1 v2  v4=add v0 v3  store dst:f32 v4
#include "ops/sum/sum.hpp"

#include <bit>
#include <map>

#include "ops/moves.hpp"

namespace tessera::ops {

namespace {

constexpr int dst_operand = 1;
int operand_of(int source) { return source == 0 ? 0 : source + 1; }

Program weighted_sum(const Problem& p) {
    Program program;
    std::map<uint32_t, int> constants; // by bits of the scale
    int sum = -1;
    for (int i = 0; i < source_count(p); ++i) {
        int term = program.load(operand_of(i), ValueType::f32);
        if (const float scale = scale_of(p, i); scale != 1.f) {
            const auto [known, is_new] = constants.insert({std::bit_cast<uint32_t>(scale), 0});
            if (is_new) known->second = program.constant(scale, ValueType::f32);
            term = program.binary(OpCode::mul, term, known->second);
        }
        sum = i ? program.binary(OpCode::add, sum, term) : term;
    }
    program.store(dst_operand, sum);
    return program;
}

} // namespace

Result<Plan> lower_sum(const Problem& p) {
    const MemoryDesc& dst = p.md(arg::dst);
    Plan plan;
    plan.title = fmt::format("sum of {} -> {}, {}", source_count(p), to_token(dst), p.shape());
    std::vector<Layout> layouts;
    const auto add = [&](const Tensor& t) {
        plan.operands.push_back({arg_name(t.arg), t.md.type, t.arg});
        layouts.push_back(layout_of(t.md));
    };
    for (int i = 0; i < source_count(p); ++i) {
        add(p.tensors[size_t(i)]);
        if (i == 0) add(p.tensors.back());
    }
    if (dst.has_zero_dim()) return plan;
    plan.programs.push_back(weighted_sum(p));
    add_padding(dst, dst_operand, plan);
    add_moves({.layouts = layouts, .dims = dst.dims_span(), .program = 0}, plan);
    return plan;
}

} // namespace tessera::ops
