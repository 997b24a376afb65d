// SPDX-License-Identifier: Apache-2.0
// What the opaque handles of the C API point to.
//
// Handles of values (memory descriptors, post-ops, attributes) hold nothing but the value, so that a member of another
// object can be handed out as a handle without a copy: as_handle(problem.attr) is valid as long as `problem` lives.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "api/implementation.hpp"
#include "core/attr/attr.hpp"
#include "core/desc/memory_desc.hpp"
#include "core/device.hpp"
#include "core/engine.hpp"
#include "oneapi/dnnl/dnnl.h"

// All CPU engines are interchangeable (ENG-01), so there is a single one. It and those of the devices are never
// destroyed; an engine over a context of the caller goes with the last object that has it.
struct dnnl_engine {
    explicit dnnl_engine(std::shared_ptr<tessera::Engine> i, size_t k = 0, bool g = false)
        : impl(std::move(i)), memory(impl->memory()), index(k), goes(g) {}
    const std::shared_ptr<tessera::Engine> impl;
    tessera::DeviceMemory* const memory; // impl->memory(), which each execution asks for
    const size_t index;
    const bool goes;
    std::atomic<size_t> users{1};
};

namespace tessera {

void release(dnnl_engine* engine); // engine.cpp; once for each of its users

// An engine that the object has.
class EngineRef {
public:
    EngineRef(dnnl_engine* engine = nullptr) : engine_(engine) {
        if (engine_ && engine_->goes) ++engine_->users;
    }
    EngineRef(const EngineRef& other) : EngineRef(other.engine_) {}
    EngineRef(EngineRef&& other) noexcept : engine_(std::exchange(other.engine_, nullptr)) {}
    EngineRef& operator=(EngineRef other) noexcept {
        std::swap(engine_, other.engine_);
        return *this;
    }
    ~EngineRef() {
        if (engine_ && engine_->goes) release(engine_);
    }
    operator dnnl_engine*() const { return engine_; }
    dnnl_engine* operator->() const { return engine_; }

private:
    dnnl_engine* engine_;
};

} // namespace tessera

struct dnnl_stream {
    tessera::EngineRef engine;
    unsigned flags;
    void* pool = nullptr;                             // the caller's threads
    std::shared_ptr<tessera::DeviceQueue> queue = {}; // of a device
};

struct dnnl_memory_desc {
    tessera::MemoryDesc md;
};

struct dnnl_memory {
    dnnl_memory_desc desc;                               // stable address: dnnl_memory_get_memory_desc points here
    tessera::EngineRef engine;                           // null for host scalars
    tessera::MemoryKind kind = tessera::MemoryKind::usm; // of the handles; addresses on the host
    std::vector<void*> handles;                          // one per buffer
    std::vector<std::shared_ptr<void>> owned; // storage of the handles the library allocated, or keeps (devices)
    struct Mapping {                          // of a device's buffer
        int index;
        std::shared_ptr<void> contents; // a copy on the host
        size_t bytes;                   // that it has of the buffer
    };
    mutable std::vector<Mapping> mapped;
    uint64_t scalar = 0; // host scalar: the value's bytes
};

struct dnnl_post_ops {
    tessera::PostOps value;
};

struct dnnl_primitive_attr {
    tessera::Attr value;
};

struct dnnl_primitive_desc {
    tessera::EngineRef engine;
    tessera::EngineRef dst_engine; // reorder: engine of the destination
    std::shared_ptr<const tessera::Implementation> impl;
    tessera::EngineRef on; // the one that it runs on: of a reorder between engines the one with less to move
    // Resampling: the answer to dnnl_query_factors, by spatial dimension; not part of the problem. Negative: no
    // factors.
    std::array<float, 3> factors{-1.f};
};

struct dnnl_primitive {
    explicit dnnl_primitive(const dnnl_primitive_desc& desc) : pd(desc) {}
    dnnl_primitive_desc pd;
    // Run-time dims: the implementation for the dims of the last execution, under the lock of execute.cpp.
    mutable std::shared_ptr<const tessera::Implementation> last;
};

namespace tessera {

// The handles above begin with their value and have nothing else, so that a value's address is a handle's.
inline const dnnl_memory_desc* as_handle(const MemoryDesc& md) {
    static_assert(sizeof(dnnl_memory_desc) == sizeof(MemoryDesc));
    return reinterpret_cast<const dnnl_memory_desc*>(&md);
}
inline const dnnl_post_ops* as_handle(const PostOps& post_ops) {
    static_assert(sizeof(dnnl_post_ops) == sizeof(PostOps));
    return reinterpret_cast<const dnnl_post_ops*>(&post_ops);
}
inline const dnnl_primitive_attr* as_handle(const Attr& attr) {
    static_assert(sizeof(dnnl_primitive_attr) == sizeof(Attr));
    return reinterpret_cast<const dnnl_primitive_attr*>(&attr);
}

// engine.cpp
dnnl_engine* cpu_engine();
// An engine over a device and a context of the caller, for dnnl_engine_destroy(); `make` makes it at its first use.
Result<dnnl_engine*> given_engine(const void* device, const void* context,
                                  const std::function<Result<std::shared_ptr<Engine>>()>& make);

} // namespace tessera
