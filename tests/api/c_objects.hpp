// SPDX-License-Identifier: Apache-2.0
// Owners of C handles for tests, so that a failing expectation leaks nothing.
//
//   Desc src({2, 3}, dnnl_f32, dnnl_ab);   Memory m(src);   dnnl_memory_desc_t d = src;
#pragma once

#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_tessera.h"

namespace tessera::test {

template <typename Handle, dnnl_status_t (*Destroy)(Handle)> class Owner {
public:
    Owner() = default;
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;
    ~Owner() { Destroy(handle_); }
    operator Handle() const { return handle_; }
    Handle* out() {
        Destroy(handle_);
        handle_ = nullptr;
        return &handle_;
    }

protected:
    Handle handle_ = nullptr;
};

inline dnnl_engine_t cpu() {
    dnnl_engine_t engine = nullptr;
    dnnl_engine_create(&engine, dnnl_cpu, 0);
    return engine;
}

struct Desc : Owner<dnnl_memory_desc_t, dnnl_memory_desc_destroy> {
    Desc(std::vector<dnnl_dim_t> dims, dnnl_data_type_t type, dnnl_format_tag_t tag) {
        dims.resize(DNNL_MAX_NDIMS + dims.size()); // the call reads ndims of them
        EXPECT_EQ(dnnl_success,
                  dnnl_memory_desc_create_with_tag(&handle_, int(dims.size()) - DNNL_MAX_NDIMS, dims.data(), type, tag))
            << dnnl_tessera_last_error();
    }
    Desc(std::vector<dnnl_dim_t> dims, dnnl_data_type_t type, std::vector<dnnl_dim_t> strides) {
        const int ndims = int(dims.size());
        dims.resize(DNNL_MAX_NDIMS);
        strides.resize(DNNL_MAX_NDIMS);
        EXPECT_EQ(dnnl_success,
                  dnnl_memory_desc_create_with_strides(&handle_, ndims, dims.data(), type, strides.data()))
            << dnnl_tessera_last_error();
    }
    explicit Desc(dnnl_data_type_t host_scalar) {
        EXPECT_EQ(dnnl_success, dnnl_memory_desc_create_host_scalar(&handle_, host_scalar));
    }
};

// Memory over bytes that the test can look at; every byte starts as `fill`.
struct Memory : Owner<dnnl_memory_t, dnnl_memory_destroy> {
    explicit Memory(const_dnnl_memory_desc_t md, unsigned char fill = 0) : bytes(dnnl_memory_desc_get_size(md), fill) {
        EXPECT_EQ(dnnl_success, dnnl_memory_create(&handle_, md, cpu(), bytes.data())) << dnnl_tessera_last_error();
    }
    template <typename T> Memory(const_dnnl_memory_desc_t md, std::initializer_list<T> values) : Memory(md) {
        std::memcpy(bytes.data(), values.begin(), std::min(bytes.size(), values.size() * sizeof(T)));
    }
    template <typename T> std::vector<T> values() const {
        std::vector<T> result(bytes.size() / sizeof(T));
        if (!bytes.empty()) std::memcpy(result.data(), bytes.data(), result.size() * sizeof(T));
        return result;
    }
    std::vector<unsigned char> bytes;
};

struct HostScalar : Owner<dnnl_memory_t, dnnl_memory_destroy> {
    template <typename T> HostScalar(dnnl_data_type_t type, T value) {
        const Desc md(type);
        EXPECT_EQ(dnnl_success, dnnl_memory_create_host_scalar(&handle_, md, &value));
    }
};

struct Attr : Owner<dnnl_primitive_attr_t, dnnl_primitive_attr_destroy> {
    Attr() { EXPECT_EQ(dnnl_success, dnnl_primitive_attr_create(&handle_)); }
};

struct PostOps : Owner<dnnl_post_ops_t, dnnl_post_ops_destroy> {
    PostOps() { EXPECT_EQ(dnnl_success, dnnl_post_ops_create(&handle_)); }
};

struct Stream : Owner<dnnl_stream_t, dnnl_stream_destroy> {
    Stream() { EXPECT_EQ(dnnl_success, dnnl_stream_create(&handle_, cpu(), dnnl_stream_default_flags)); }
};

using PrimitiveDesc = Owner<dnnl_primitive_desc_t, dnnl_primitive_desc_destroy>;

struct Primitive : Owner<dnnl_primitive_t, dnnl_primitive_destroy> {
    Primitive() = default;
    explicit Primitive(const_dnnl_primitive_desc_t pd) { EXPECT_EQ(dnnl_success, dnnl_primitive_create(&handle_, pd)); }
};

inline dnnl_status_t make_reorder(PrimitiveDesc& pd, const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst,
                                  const_dnnl_primitive_attr_t attr = nullptr) {
    return dnnl_reorder_primitive_desc_create(pd.out(), src, cpu(), dst, cpu(), attr);
}

inline dnnl_status_t execute(const_dnnl_primitive_t primitive, const std::vector<dnnl_exec_arg_t>& args) {
    const Stream stream;
    return dnnl_primitive_execute(primitive, stream, int(args.size()), args.data());
}

// Execution compares descriptors to the letter while one of these lives.
struct Strict {
    Strict() { dnnl_tessera_set_strict_execution(1); }
    ~Strict() { dnnl_tessera_set_strict_execution(0); }
};

inline std::string last_error() { return dnnl_tessera_last_error(); }

} // namespace tessera::test
