// SPDX-License-Identifier: Apache-2.0
// The C calls of primitives. The checks of execution are in execute.cpp.
#include <span>

#include "api/execute.hpp"
#include "api/guard.hpp"
#include "api/interop/blob.hpp"
#include "api/log/log.hpp"
#include "api/objects/handles.hpp"
#include "core/verbose/verbose.hpp"

using namespace tessera;

namespace {

void create(dnnl_primitive_t* primitive, const dnnl_primitive_desc& primitive_desc) {
    const bool logged = verbose::on(verbose::profile_create);
    const double start = logged ? verbose::milliseconds() : 0;
    *primitive = new dnnl_primitive(primitive_desc);
    const Implementation& impl = *primitive_desc.impl;
    const bool hit = impl.used.load(std::memory_order_relaxed) || impl.used.exchange(true);
    if (logged) // the time of code generation, spent at the descriptor's creation, counts for its first primitive
        log_primitive(hit ? "create:cache_hit" : "create:cache_miss", impl, impl.problem,
                      verbose::milliseconds() - start + (hit ? 0 : impl.creation_ms));
}

} // namespace

dnnl_status_t dnnl_primitive_create(dnnl_primitive_t* primitive, const_dnnl_primitive_desc_t primitive_desc) {
    return guarded("dnnl_primitive_create", [&]() -> Result<void> {
        if (auto ok = need("primitive", primitive, "primitive_desc", primitive_desc); !ok) return ok;
        create(primitive, *primitive_desc);
        return {};
    });
}

// With a line in the log, if asked for: then it waits, so that the time is that of the execution.
Result<void> tessera::execute_logged(const dnnl_primitive& primitive, const dnnl_stream& stream, int nargs,
                                     const dnnl_exec_arg_t* args, const Events& events) {
    if (nargs < 0) return invalid("nargs {} is negative", nargs);
    if (nargs > 0 && !args) return invalid("args is null, with nargs {}", nargs);
    const std::span<const dnnl_exec_arg_t> given(args, size_t(nargs));
    if (!verbose::on(verbose::profile_exec)) return execute(primitive, stream, given, events);
    if (stream.queue)
        if (auto ok = stream.queue->wait(events.after); !ok) return ok;
    const double start = verbose::milliseconds();
    if (auto ok = execute(primitive, stream, given, events); !ok) return ok;
    if (stream.queue)
        if (auto ok = stream.queue->wait({}); !ok) return ok;
    log_primitive("exec", *executed(primitive), primitive.pd.impl->problem, verbose::milliseconds() - start);
    return {};
}

dnnl_status_t dnnl_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
                                     const dnnl_exec_arg_t* args) {
    return guarded("dnnl_primitive_execute", [&]() -> Result<void> {
        if (auto ok = need("primitive", primitive, "stream", stream); !ok) return ok;
        return execute_logged(*primitive, *stream, nargs, args);
    });
}

dnnl_status_t dnnl_primitive_get_primitive_desc(const_dnnl_primitive_t primitive,
                                                const_dnnl_primitive_desc_t* primitive_desc) {
    return guarded("dnnl_primitive_get_primitive_desc", [&]() -> Result<void> {
        if (auto ok = need("primitive", primitive, "primitive_desc", primitive_desc); !ok) return ok;
        *primitive_desc = &primitive->pd;
        return {};
    });
}

dnnl_status_t dnnl_primitive_destroy(dnnl_primitive_t primitive) {
    delete primitive; // null is nothing to destroy
    return dnnl_success;
}

// ---- cache blobs: of GPU engines (CCH-03)

dnnl_status_t dnnl_primitive_get_cache_blob(const_dnnl_primitive_t primitive, size_t* size, uint8_t* cache_blob) {
    return guarded("dnnl_primitive_get_cache_blob", [&]() -> Result<void> {
        if (auto ok = need("primitive", primitive, "size", size); !ok) return ok;
        const Implementation& impl = *primitive->pd.impl;
        if (!impl.executable)
            return unimplemented("{} with run-time dims is compiled when it is executed; it has no cache blob",
                                 name(impl.problem.kind));
        const auto blob = blob_of(*primitive->pd.on->impl, impl.executable.get(), &impl.problem);
        if (!blob) return Refusal(blob.error());
        return hand_out(*blob, size, cache_blob);
    });
}

dnnl_status_t dnnl_primitive_create_from_cache_blob(dnnl_primitive_t* primitive,
                                                    const_dnnl_primitive_desc_t primitive_desc, size_t size,
                                                    const uint8_t* cache_blob) {
    return guarded("dnnl_primitive_create_from_cache_blob", [&]() -> Result<void> {
        if (auto ok = need("primitive", primitive, "primitive_desc", primitive_desc, "cache_blob", cache_blob); !ok)
            return ok;
        if (size == 0) return invalid("a cache blob of 0 bytes; dnnl_primitive_create needs none");
        // The descriptor has compiled its kernels already, or found them on disk.
        if (auto ok = add_blob(*primitive_desc->on->impl, {cache_blob, size}, &primitive_desc->impl->problem); !ok)
            return ok;
        create(primitive, *primitive_desc);
        return {};
    });
}
