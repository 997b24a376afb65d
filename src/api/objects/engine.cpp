// The C calls of engines. There is one CPU engine and no other device.
#include "cpu/engine.hpp"
#include "api/guard.hpp"
#include "api/objects/handles.hpp"
#include "core/made_once.hpp"

using namespace tessera;

namespace tessera {

dnnl_engine* cpu_engine() {
    static constinit MadeOnce<dnnl_engine> engine;
    return &engine.get([] { return dnnl_engine{cpu::make_engine(), 0}; });
}

} // namespace tessera

size_t dnnl_engine_get_count(dnnl_engine_kind_t kind) { return kind == dnnl_cpu ? 1 : 0; }

dnnl_status_t dnnl_engine_create(dnnl_engine_t* engine, dnnl_engine_kind_t kind, size_t index) {
    return guarded("dnnl_engine_create", [&]() -> Result<void> {
        if (auto ok = need(engine, "engine"); !ok) return ok;
        if (kind != dnnl_cpu)
            return invalid("there is no {} engine in this build; dnnl_cpu (1) with index 0 is there",
                           kind == dnnl_gpu ? "GPU" : fmt::format("kind {}", int(kind)));
        if (index != 0) return invalid("index {} is outside of 0..0: one CPU engine stands for all cores", index);
        *engine = cpu_engine();
        return {};
    });
}

dnnl_status_t dnnl_engine_get_kind(dnnl_engine_t engine, dnnl_engine_kind_t* kind) {
    return guarded("dnnl_engine_get_kind", [&]() -> Result<void> {
        if (auto ok = need("engine", engine, "kind", kind); !ok) return ok;
        *kind = static_cast<dnnl_engine_kind_t>(engine->impl->kind());
        return {};
    });
}

// Does nothing: all handles are the one static engine.
dnnl_status_t dnnl_engine_destroy(dnnl_engine_t) { return dnnl_success; }
