// What the opaque handles of the C API point to.
//
// Handles of values (memory descriptors, post-ops, attributes) hold nothing but the value, so that a member of another
// object can be handed out as a handle without a copy: as_handle(problem.attr) is valid as long as `problem` lives.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "api/implementation.hpp"
#include "core/attr/attr.hpp"
#include "core/desc/memory_desc.hpp"
#include "core/engine.hpp"
#include "oneapi/dnnl/dnnl.h"

// All CPU engines are interchangeable (ENG-01), so there is a single one. It is never destroyed, so that nothing made
// from it can outlive it.
struct dnnl_engine {
    std::shared_ptr<tessera::Engine> impl;
    size_t index = 0;
};

struct dnnl_stream {
    dnnl_engine* engine;
    unsigned flags;
    tessera::Threads threads;
    std::shared_ptr<void> queue = {}; // of a device
};

struct dnnl_memory_desc {
    tessera::MemoryDesc md;
};

struct dnnl_memory {
    dnnl_memory_desc desc;                    // stable address: dnnl_memory_get_memory_desc points here
    dnnl_engine* engine = nullptr;            // null for host scalars
    std::vector<void*> handles;               // one per buffer
    std::vector<std::shared_ptr<void>> owned; // storage of the handles the library allocated, or keeps (devices)
    mutable std::vector<std::shared_ptr<void>> mapped; // of a device: copies on the host while they are mapped
    uint64_t scalar = 0;                               // host scalar: the value's bytes
};

struct dnnl_post_ops {
    tessera::PostOps value;
};

struct dnnl_primitive_attr {
    tessera::Attr value;
};

struct dnnl_primitive_desc {
    dnnl_engine* engine;
    dnnl_engine* dst_engine; // reorder: engine of the destination
    std::shared_ptr<const tessera::Implementation> impl;
    // Resampling: the answer to dnnl_query_factors, by spatial dimension; not part of the problem. Negative: no
    // factors.
    std::array<float, 3> factors{-1.f};
};

// The engine that a primitive runs on: of a reorder between engines the one with memory of its own.
inline dnnl_engine* runs_on(const dnnl_primitive_desc& pd) {
    return pd.dst_engine && pd.dst_engine->impl->memory() ? pd.dst_engine : pd.engine;
}

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

dnnl_engine* cpu_engine(); // engine.cpp

} // namespace tessera
