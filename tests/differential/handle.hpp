// SPDX-License-Identifier: Apache-2.0
// Owning handles of the C API: destroyed when they leave their scope, also on the early return of a refusal.
// Example: Descriptor md; dnnl_memory_desc_create_with_tag(&md.value, ...); use(md.value);
#pragma once
#include "oneapi/dnnl/dnnl.h"

namespace differential {

template <typename Value, dnnl_status_t (*destroy)(Value)> struct Handle {
    Value value = nullptr;

    Handle() = default;
    Handle(Handle&& other) noexcept : value(other.value) { other.value = nullptr; }
    Handle& operator=(Handle&& other) noexcept {
        Value mine = value;
        value = other.value;
        other.value = mine;
        return *this;
    }
    ~Handle() {
        if (value) destroy(value);
    }
};

using Descriptor = Handle<dnnl_memory_desc_t, dnnl_memory_desc_destroy>;
using Memory = Handle<dnnl_memory_t, dnnl_memory_destroy>;
using Attributes = Handle<dnnl_primitive_attr_t, dnnl_primitive_attr_destroy>;
using PostOps = Handle<dnnl_post_ops_t, dnnl_post_ops_destroy>;
using PrimitiveDescriptor = Handle<dnnl_primitive_desc_t, dnnl_primitive_desc_destroy>;
using Primitive = Handle<dnnl_primitive_t, dnnl_primitive_destroy>;

} // namespace differential
