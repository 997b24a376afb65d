// The C calls of primitive descriptors that all primitives share. Creation is in a file per primitive (reorder.cpp,
// eltwise.cpp, ...), queries in query.cpp.
#include "api/objects/primitive_desc.hpp"

#include "api/guard.hpp"
#include "core/made_once.hpp"

using namespace tessera;

namespace tessera {

Result<void> create_primitive_desc(dnnl_primitive_desc_t* result, dnnl_engine* engine, dnnl_engine* dst_engine,
                                   Result<Problem>&& problem) {
    if (!problem) return Refusal(std::move(problem.error()));
    if (dst_engine && dst_engine != engine && dst_engine->impl->memory() && engine->impl->memory())
        return unimplemented(
            "{} between two devices (GPU engines {} and {}); by way of the CPU engine it is two of them",
            name(problem->kind), engine->index, dst_engine->index);
    auto result_desc = std::make_unique<dnnl_primitive_desc>(dnnl_primitive_desc{engine, dst_engine, nullptr});
    auto impl = find_implementation(std::move(*problem), *runs_on(*result_desc)->impl);
    if (!impl) return Refusal(std::move(impl.error()));
    result_desc->impl = std::move(*impl);
    *result = result_desc.release();
    return {};
}

Result<std::vector<MemoryDesc>> descriptors(const const_dnnl_memory_desc_t* descs, int n) {
    constexpr int most = arg::multiple_dst - arg::multiple_src; // as many as there are argument ids
    if (n > most)
        return unimplemented("{} sources; up to {} have argument ids, join the results of several calls", n, most);
    std::vector<MemoryDesc> mds;
    for (int i = 0; i < n; ++i) {
        if (!descs[i]) return invalid("src_descs[{}] is null; all {} sources need a descriptor", i, n);
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
