// SPDX-License-Identifier: Apache-2.0
// The C calls of engines, and the table of them: one CPU engine, and an engine for each device of OpenCL, through SYCL
// where that is built in.
#include "cpu/engine.hpp"

#include <functional>
#include <map>
#include <mutex>

#include "api/guard.hpp"
#include "api/log/named.hpp"
#include "api/objects/handles.hpp"
#include "core/made_once.hpp"
#include "oneapi/dnnl/dnnl_debug.h"
#if defined(TESSERA_SYCL)
#include "on_sycl/engine.hpp"
#elif defined(TESSERA_OPENCL)
#include "gpu/engine.hpp"
#endif

using namespace tessera;

namespace tessera {

dnnl_engine* cpu_engine() {
    static constinit MadeOnce<dnnl_engine> engine;
    return &engine.get([] { return dnnl_engine(cpu::make_engine()); });
}

// The engines over contexts of callers: one for each device of a context, however often it is made, so that memory and
// primitives of each of them fit together.
struct GivenEngines {
    std::mutex lock;
    std::map<std::pair<const void*, const void*>, dnnl_engine*> made;
};
static GivenEngines& given_engines() {
    static constinit MadeOnce<GivenEngines> once;
    return once.get();
}

Result<dnnl_engine*> given_engine(const void* device, const void* context,
                                  const std::function<Result<std::shared_ptr<Engine>>()>& make) {
    GivenEngines& engines = given_engines();
    const std::lock_guard guard(engines.lock);
    if (const auto at = engines.made.find({device, context}); at != engines.made.end()) {
        ++at->second->users;
        return at->second;
    }
    auto impl = make();
    if (!impl) return Refusal(impl.error());
    auto engine = std::make_unique<dnnl_engine>(std::move(*impl), engines.made.size(), true);
    engines.made.emplace(std::pair(device, context), engine.get());
    return engine.release();
}

void release(dnnl_engine* engine) {
    std::unique_ptr<dnnl_engine> gone; // after the lock
    {
        GivenEngines& engines = given_engines();
        const std::lock_guard guard(engines.lock);
        if (--engine->users > 0) return;
        std::erase_if(engines.made, [&](const auto& entry) { return entry.second == engine; });
        gone.reset(engine);
    }
    forget_implementations(*gone->impl);
}

} // namespace tessera

namespace {

#if defined(TESSERA_SYCL)
size_t device_count() { return on_sycl::device_count(); }
Result<dnnl_engine*> device_engine(size_t index) {
    const DeviceHandles at = on_sycl::device_at(index), key = on_sycl::key_of(at.device, at.context);
    return given_engine(key.device, key.context, [&] { return on_sycl::make_engine(at.device, at.context); });
}
std::string why_no_device() { return on_sycl::why_no_device(); }
#elif defined(TESSERA_OPENCL)
size_t device_count() { return gpu::device_count(); }

// Made once for each device, and never destroyed, like the CPU engine.
Result<dnnl_engine*> device_engine(size_t index) {
    struct Engines {
        std::mutex lock;
        std::map<size_t, std::unique_ptr<dnnl_engine>> made;
    };
    static constinit MadeOnce<Engines> once;
    Engines& engines = once.get([] { return Engines(); });
    const std::lock_guard guard(engines.lock);
    auto& engine = engines.made[index];
    if (!engine) {
        auto impl = gpu::make_engine(index);
        if (!impl) return Refusal(impl.error());
        engine = std::make_unique<dnnl_engine>(std::move(*impl), index);
    }
    return engine.get();
}
std::string why_no_device() { return gpu::why_no_device(); }
#else
size_t device_count() { return 0; }
Result<dnnl_engine*> device_engine(size_t) { return nullptr; }
std::string why_no_device() { return "this build has none; headers of OpenCL (opencl-c-headers) were missing"; }
#endif

} // namespace

size_t dnnl_engine_get_count(dnnl_engine_kind_t kind) {
    if (kind == dnnl_cpu) return 1;
    size_t count = 0;
    if (kind == dnnl_gpu)
        (void)guarded("dnnl_engine_get_count", [&]() -> Result<void> {
            count = device_count();
            return {};
        });
    return count;
}

dnnl_status_t dnnl_engine_create(dnnl_engine_t* engine, dnnl_engine_kind_t kind, size_t index) {
    return guarded("dnnl_engine_create", [&]() -> Result<void> {
        if (auto ok = need(engine, "engine"); !ok) return ok;
        if (kind == dnnl_gpu) {
            const size_t count = device_count();
            if (index >= count)
                return invalid("there is no GPU engine {}: {}; dnnl_cpu with index 0 is there", index,
                               count == 0
                                   ? why_no_device()
                                   : fmt::format("the index is outside of 0..{}, the devices there are", count - 1));
            auto made = device_engine(index);
            if (!made) return Refusal(made.error());
            *engine = *made;
            return {};
        }
        if (kind != dnnl_cpu)
            return invalid("there is no engine of kind {}; dnnl_cpu with index 0 is there",
                           named(dnnl_engine_kind2str(kind), int(kind)));
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

// Those over a context of the caller go with their last user; the others are never destroyed.
dnnl_status_t dnnl_engine_destroy(dnnl_engine_t engine) {
    if (engine && engine->goes) release(engine);
    return dnnl_success;
}
