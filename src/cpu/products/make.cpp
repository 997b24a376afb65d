// SPDX-License-Identifier: Apache-2.0
// The kernels that all jobs of products make alike.
#include "cpu/tiles/map/make.hpp"
#include "cpu/lanes/nibbles.hpp"
#include "cpu/products/see/seen.hpp"

namespace tessera::cpu {

namespace {

// all = [all +] (sum - sum of a * zero) * scale, as a kernel of the map tile.
KernelPtr add_kernel(Seen& x, bool first) {
    const ValueType type = x.p.type;
    const DataType sums = x.sum_type();
    MapSpec spec = map_spec({}, x.plan.operands, {sums, sums, sums, sums});
    if (spec.types.size() > map_operands) return nullptr;
    Program& p = spec.program;
    const auto load = [&](int operand) { return p.load(operand, type); };
    int v = load(x.p.sum);
    if (x.zero >= 0) {
        int of_a = load(x.p.sum + 2);
        if (x.views.integers && x.p.left.zero >= 0)
            of_a = p.binary(OpCode::sub, of_a,
                            p.binary(OpCode::mul, load(x.p.left.zero), p.constant(double(x.groups.length), type)));
        v = p.binary(OpCode::sub, v, p.binary(OpCode::mul, of_a, load(x.zero)));
    }
    if (x.scale >= 0) v = p.binary(OpCode::mul, v, load(x.scale));
    // Sums begin with 0, so -0 is none.
    v = p.binary(OpCode::add, first ? p.constant(0, type) : load(x.p.sum + 3), v);
    p.store(x.p.sum + 3, v);
    spec.column[size_t(x.p.sum)] = spec.column[size_t(x.p.sum) + 3] = 1;
    for (const DotPlace& place : x.groups.places) {
        spec.types[size_t(place.view.operand)] = unpacked_type(x.type_of(place.view.operand));
        spec.column[size_t(place.view.operand)] = place.view.column;
    }
    return x.keep(map_kernel(x.target, spec));
}

} // namespace

KernelPtr kernel_of(Seen& seen, const DotSpec& spec) {
    if (!can_build_dot(seen.target, spec)) return nullptr;
    return seen.keep(jit::kernel(seen.target, key(spec), [=, t = seen.target] { return build_dot(t, spec); }));
}

KernelPtr kernel_of(Seen& seen, const FewRowsSpec& spec, bool dots) {
    const auto build = [=, t = seen.target] { return dots ? build_dots(t, spec) : build_axpy(t, spec); };
    return seen.keep(jit::kernel(seen.target, dots ? dots_key(spec) : axpy_key(spec), build));
}

bool make_pass(Seen& seen, ProductJob& job, bool runs) {
    SumsPass& pass = job.finish;
    if (job.v.direct) return true;
    pass.sum = seen.p.sum, pass.outer = seen.outer, pass.name = key(seen.epilogue);
    return !runs || (pass.kernel = seen.keep(map_kernel(seen.target, seen.epilogue)));
}

bool make_row_sums(Seen& x, ProductJob& job, DataType a, bool a_dense, int loops) {
    job.row_sums.at_once = 8 * x.target.vector_bytes / 64;
    for (size_t i = 0; i < 2; ++i) {
        DotSpec ones{DotKind::f32, i ? 1 : int(job.row_sums.at_once), 1, a, DataType::f32, a_dense};
        if (x.views.integers) ones.kind = DotKind::s8_exact, ones.b = DataType::s8;
        ones.loops = loops;
        if (!(job.row_sums.kernel[i] = kernel_of(x, ones))) return false;
    }
    return true;
}

bool make_groups(Seen& x, ProductJob& job, DataType a, bool a_dense) {
    DotGroups& groups = job.groups = x.groups;
    if (!groups.length) return true;
    if (!(groups.first = add_kernel(x, true)) || !(groups.more = add_kernel(x, false))) return false;
    return x.zero < 0 || make_row_sums(x, job, a, a_dense);
}

std::unique_ptr<Job> finished(Seen& seen, std::unique_ptr<ProductJob> job) {
    job->prepare(products_of_byte(seen.target, seen.kind));
    job->made = std::move(seen.made);
    return job;
}

} // namespace tessera::cpu
