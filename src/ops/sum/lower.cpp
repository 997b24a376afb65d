// sum -> plan: one program with a load for each source.
//
//   p0: v0=load src 0  v1=load src 1  v2=2  v3=mul v1 v2  v4=add v0 v3  store dst v4
#include "ops/sum/sum.hpp"

#include <bit>
#include <map>

#include "ops/moves.hpp"

namespace tessera::ops {

namespace {

// The source that lies otherwise than dst where dst is contiguous. It is loaded first, as the one that a transposing
// tile turns, however late it is added.
int turned_source(std::span<const Layout> sources, const Layout& dst) {
    const auto dense = [](const Layout& layout) {
        size_t at = layout.dims.size();
        for (size_t d = 0; d < layout.dims.size(); ++d) {
            const Mode& innermost = layout.dims[d].back();
            if (innermost.stride == 1 && innermost.extent > 1) at = d;
        }
        return at;
    };
    const size_t of_dst = dense(dst);
    for (size_t i = 0; i < sources.size(); ++i)
        if (dense(sources[i]) != of_dst) return int(i);
    return 0;
}

Program weighted_sum(const Problem& p, int first) {
    const int sources = source_count(p);
    Program program;
    std::map<uint32_t, int> constants;
    const auto term = [&](int source, int value) {
        const float scale = scale_of(p, source);
        if (scale == 1.f) return value;
        const auto [known, is_new] = constants.insert({std::bit_cast<uint32_t>(scale), 0});
        if (is_new) known->second = program.constant(scale, ValueType::f32);
        return program.binary(OpCode::mul, value, known->second);
    };
    // Operands: 0 is the source that is loaded first, 1 dst, then the others in their order.
    const int loaded_first = program.load(0, ValueType::f32);
    int sum = -1, next = 2;
    for (int i = 0; i < sources; ++i) {
        const int x = term(i, i == first ? loaded_first : program.load(next++, ValueType::f32));
        sum = i ? program.binary(OpCode::add, sum, x) : x;
    }
    program.store(1, sum);
    return program;
}

} // namespace

Result<Plan> lower_sum(const Problem& p, const Machine&) {
    const MemoryDesc& dst = p.md(arg::dst);
    const int sources = source_count(p);
    Plan plan;
    plan.title = fmt::format("sum of {} -> {}, {}", sources, to_token(dst), p.shape());
    std::vector<Layout> from;
    for (int i = 0; i < sources; ++i) from.push_back(layout_of(p.tensors[size_t(i)].md));
    const Layout to = layout_of(dst);
    const int first = turned_source(from, to);
    std::vector<Layout> layouts;
    const auto add_source = [&](int i) {
        const Tensor& src = p.tensors[size_t(i)];
        plan.operands.push_back({arg_name(src.arg), src.md.type, src.arg});
        layouts.push_back(from[size_t(i)]);
    };
    add_source(first);
    plan.operands.push_back({arg_name(arg::dst), dst.type, arg::dst});
    layouts.push_back(to);
    for (int i = 0; i < sources; ++i)
        if (i != first) add_source(i);
    if (dst.has_zero_dim()) return plan;
    plan.programs.push_back(weighted_sum(p, first));
    add_padding(dst, 1, plan);
    add_moves({.layouts = layouts, .dims = dst.dims_span(), .program = 0}, plan);
    return plan;
}

} // namespace tessera::ops
