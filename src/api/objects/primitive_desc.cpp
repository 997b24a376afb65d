// SPDX-License-Identifier: Apache-2.0
// The C calls of primitive descriptors that all primitives share. Creation is in a file per primitive (reorder.cpp,
// eltwise.cpp, ...), queries in query.cpp.
#include "api/objects/primitive_desc.hpp"

#include "api/guard.hpp"
#include "core/made_once.hpp"
#include "ops/epilogue.hpp"

using namespace tessera;

namespace tessera {

namespace {

// A reorder between engines changes layout and type on the side that has less to move: the larger tensor stays where it
// is. Of equal ones, and of unknown sizes, it is the device's.
bool runs_on_dst(const Problem& problem, const dnnl_engine& src, const dnnl_engine& dst) {
    const bool devices = dst.memory || !src.impl->memory();
    if (problem.has_runtime()) return devices;
    size_t read = 0, written = 0;
    for (const Tensor& t : problem.tensors) (t.output ? written : read) += reach_of(t.md);
    return read == written ? devices : read < written;
}

} // namespace

Result<void> create_primitive_desc(dnnl_primitive_desc_t* result, dnnl_engine* engine, dnnl_engine* dst_engine,
                                   Result<Problem>&& problem) {
    if (!problem) return Refusal(std::move(problem.error()));
    if (auto ok = ops::check_accumulation(*problem); !ok) return Refusal(std::move(ok.error()));
    auto pd = std::make_unique<dnnl_primitive_desc>(dnnl_primitive_desc{engine, dst_engine, nullptr, engine});
    if (!dst_engine || dst_engine == engine) {
        auto impl = find_implementation(std::move(*problem), *engine->impl);
        if (!impl) return Refusal(std::move(impl.error()));
        pd->impl = std::move(*impl);
    } else {
        const bool on_dst = runs_on_dst(*problem, *engine, *dst_engine);
        auto impl = find_implementation(Problem(*problem), *(on_dst ? dst_engine : engine)->impl);
        pd->on = on_dst ? dst_engine : engine;
        if (!impl && impl.error().status == Status::unimplemented) { // a device without 64-bit floats, say
            pd->on = on_dst ? engine : dst_engine;
            if (auto other = find_implementation(std::move(*problem), *pd->on->impl)) impl = std::move(other);
        }
        if (!impl) return Refusal(std::move(impl.error()));
        pd->impl = std::move(*impl);
    }
    *result = pd.release();
    return {};
}

Result<std::vector<MemoryDesc>> descriptors(const const_dnnl_memory_desc_t* descs, int n) {
    constexpr int most = arg::multiple_dst - arg::multiple_src; // as many as there are argument ids
    if (n > most)
        return unimplemented("{:source}; up to {} have argument ids, join the results of several calls", counted(n),
                             most);
    std::vector<MemoryDesc> mds;
    for (int i = 0; i < n; ++i) {
        if (!descs[i]) return invalid("src_descs[{}] is null; each of the {:source} needs a descriptor", i, counted(n));
        mds.push_back(descs[i]->md);
    }
    return mds;
}

Result<void> check_hint(PrimitiveKind kind, const dnnl_primitive_desc* hint) {
    if (!hint) return {};
    const Problem& p = hint->impl->problem;
    if (p.kind != kind || p.prop == PropKind::backward_data || p.prop == PropKind::backward_weights ||
        p.prop == PropKind::backward)
        return invalid("{}: the hint is the descriptor of a {} {}; a forward {}, or null, is a hint here", name(kind),
                       name(p.prop), name(p.kind), name(kind));
    return {};
}

const Attr& attr_or_default(const dnnl_primitive_attr* attr) {
    static constinit MadeOnce<Attr> the_default;
    return attr ? attr->value : the_default.get();
}

} // namespace tessera

dnnl_status_t dnnl_primitive_desc_next_impl(dnnl_primitive_desc_t primitive_desc) {
    return guarded("dnnl_primitive_desc_next_impl", [&]() -> Result<void> {
        if (auto ok = need(primitive_desc, "primitive_desc"); !ok) return ok;
        return Refusal(Error{Status::last_impl_reached,
                             fmt::format("{} ({}) is the only implementation of this problem",
                                         name(primitive_desc->impl->problem.kind), primitive_desc->impl->name)});
    });
}

dnnl_status_t dnnl_primitive_desc_clone(dnnl_primitive_desc_t* primitive_desc,
                                        const_dnnl_primitive_desc_t existing_primitive_desc) {
    return guarded("dnnl_primitive_desc_clone", [&]() -> Result<void> {
        if (auto ok = need("primitive_desc", primitive_desc, "existing_primitive_desc", existing_primitive_desc); !ok)
            return ok;
        *primitive_desc = new dnnl_primitive_desc(*existing_primitive_desc);
        return {};
    });
}

dnnl_status_t dnnl_primitive_desc_get_attr(const_dnnl_primitive_desc_t primitive_desc,
                                           const_dnnl_primitive_attr_t* attr) {
    return guarded("dnnl_primitive_desc_get_attr", [&]() -> Result<void> {
        if (auto ok = need("primitive_desc", primitive_desc, "attr", attr); !ok) return ok;
        *attr = as_handle(primitive_desc->impl->problem.attr);
        return {};
    });
}

dnnl_status_t dnnl_primitive_desc_destroy(dnnl_primitive_desc_t primitive_desc) {
    delete primitive_desc; // null is nothing to destroy
    return dnnl_success;
}
