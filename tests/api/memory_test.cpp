// SPDX-License-Identifier: Apache-2.0
// Memory objects through the C interface: storage, handles, mapping, host scalars, sparse buffers, refusals.
// covers: OBJ-01 OBJ-02 OBJ-03 OBJ-05 OBJ-06 OBJ-07 OBJ-08 MEM-04 HSC-01 SPA-01 SPA-02 SPA-03 SPA-04 RTD-01 TAG-09
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_tessera.h"

namespace {

class MemoryApi : public ::testing::Test {
protected:
    dnnl_engine_t engine = nullptr;
    std::vector<dnnl_memory_desc_t> descs;
    std::vector<dnnl_memory_t> memories;

    void SetUp() override { ASSERT_EQ(dnnl_engine_create(&engine, dnnl_cpu, 0), dnnl_success); }
    void TearDown() override {
        for (auto memory : memories) EXPECT_EQ(dnnl_memory_destroy(memory), dnnl_success);
        for (auto desc : descs) EXPECT_EQ(dnnl_memory_desc_destroy(desc), dnnl_success);
        EXPECT_EQ(dnnl_engine_destroy(engine), dnnl_success);
    }
    dnnl_memory_desc_t keep(dnnl_status_t status, const dnnl_memory_desc_t& md) { // may be set by the first argument
        EXPECT_EQ(status, dnnl_success) << dnnl_tessera_last_error();
        if (status == dnnl_success) descs.push_back(md);
        return md;
    }
    dnnl_memory_desc_t tagged(const std::vector<dnnl_dim_t>& dims, const char* tag, dnnl_data_type_t type = dnnl_f32) {
        dnnl_memory_desc_t md = nullptr;
        const auto status = dnnl_memory_desc_create_with_string_tag(&md, int(dims.size()), dims.data(), type, tag);
        return keep(status, md);
    }
    dnnl_memory_desc_t scalar_desc(dnnl_data_type_t type = dnnl_f32) {
        dnnl_memory_desc_t md = nullptr;
        const auto status = dnnl_memory_desc_create_host_scalar(&md, type);
        return keep(status, md);
    }
    dnnl_memory_desc_t csr_desc() {
        const dnnl_dim_t dims[] = {4, 6};
        dnnl_memory_desc_t md = nullptr;
        const auto status = dnnl_memory_desc_create_with_csr_encoding(&md, 2, dims, dnnl_f32, 3, dnnl_s32, dnnl_s32);
        return keep(status, md);
    }
    dnnl_memory_t keep(dnnl_status_t status, const dnnl_memory_t& memory) {
        EXPECT_EQ(status, dnnl_success) << dnnl_tessera_last_error();
        if (status == dnnl_success) memories.push_back(memory);
        return memory;
    }
    dnnl_memory_t made(dnnl_memory_desc_t md, void* handle) {
        dnnl_memory_t memory = nullptr;
        const auto status = dnnl_memory_create(&memory, md, engine, handle);
        return keep(status, memory);
    }
    void* handle_of(dnnl_memory_t memory, int index = 0) {
        void* handle = this;
        EXPECT_EQ(dnnl_memory_get_data_handle_v2(memory, &handle, index), dnnl_success);
        return handle;
    }
    void refused(dnnl_status_t expected, dnnl_memory_desc_t md, void* handle, const char* part) {
        dnnl_memory_t memory = nullptr;
        EXPECT_EQ(dnnl_memory_create(&memory, md, engine, handle), expected);
        EXPECT_EQ(memory, nullptr);
        EXPECT_NE(std::string(dnnl_tessera_last_error()).find(part), std::string::npos) << dnnl_tessera_last_error();
    }
};

TEST_F(MemoryApi, LibraryStorageIsAlignedAndWhole) {
    for (dnnl_dim_t n : {1, 3, 100, 5000}) {
        const auto md = tagged({n, 3}, "ab", dnnl_u8);
        const auto memory = made(md, DNNL_MEMORY_ALLOCATE);
        void* handle = handle_of(memory);
        ASSERT_NE(handle, nullptr);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(handle) % 64, 0u);
        std::memset(handle, 0xaa, dnnl_memory_desc_get_size(md));
    }
}

TEST_F(MemoryApi, UserStorageAndNone) {
    float buffer[6] = {1, 2, 3, 4, 5, 6};
    const auto md = tagged({2, 3}, "ab");
    EXPECT_EQ(handle_of(made(md, buffer)), buffer);
    EXPECT_EQ(handle_of(made(md, DNNL_MEMORY_NONE)), nullptr);
    EXPECT_EQ(buffer[5], 6.f);
    EXPECT_EQ(handle_of(made(tagged({0, 3}, "ab"), DNNL_MEMORY_ALLOCATE)), nullptr);
    EXPECT_EQ(handle_of(made(tagged({0, 3}, "ab"), buffer)), buffer);
    EXPECT_EQ(handle_of(made(tagged({}, "undef"), DNNL_MEMORY_ALLOCATE)), nullptr);
    EXPECT_EQ(handle_of(made(tagged({}, "undef"), DNNL_MEMORY_NONE)), nullptr);
}

TEST_F(MemoryApi, DescriptorAndEngine) {
    const auto md = tagged({2, 17, 3}, "aBc8b");
    const auto memory = made(md, DNNL_MEMORY_NONE);
    const_dnnl_memory_desc_t view = nullptr;
    dnnl_engine_t its_engine = nullptr;
    ASSERT_EQ(dnnl_memory_get_memory_desc(memory, &view), dnnl_success);
    EXPECT_EQ(dnnl_memory_desc_equal(view, md), 1);
    ASSERT_EQ(dnnl_memory_get_engine(memory, &its_engine), dnnl_success);
    EXPECT_EQ(its_engine, engine);
}

TEST_F(MemoryApi, SettingAHandleTouchesNothing) {
    const auto md = tagged({1, 3, 2}, "aBc8b");
    const auto memory = made(md, DNNL_MEMORY_ALLOCATE);
    std::vector<float> buffer(16, 7.f);
    ASSERT_EQ(dnnl_memory_set_data_handle(memory, buffer.data()), dnnl_success);
    EXPECT_EQ(handle_of(memory), buffer.data());
    EXPECT_EQ(buffer, std::vector<float>(16, 7.f));
    ASSERT_EQ(dnnl_memory_set_data_handle_v2(memory, nullptr, 0), dnnl_success);
    EXPECT_EQ(handle_of(memory), nullptr);
    EXPECT_EQ(dnnl_memory_set_data_handle(memory, DNNL_MEMORY_ALLOCATE), dnnl_invalid_arguments);
    for (int index : {1, -1, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
        void* handle = nullptr;
        EXPECT_EQ(dnnl_memory_set_data_handle_v2(memory, buffer.data(), index), dnnl_invalid_arguments);
        EXPECT_EQ(dnnl_memory_get_data_handle_v2(memory, &handle, index), dnnl_invalid_arguments);
        EXPECT_EQ(dnnl_memory_map_data_v2(memory, &handle, index), dnnl_invalid_arguments);
        EXPECT_EQ(dnnl_memory_unmap_data_v2(memory, nullptr, index), dnnl_invalid_arguments);
    }
}

TEST_F(MemoryApi, MappingIsTheBuffer) {
    float buffer[6] = {};
    void* mapped = this;
    const auto memory = made(tagged({2, 3}, "ab"), buffer);
    ASSERT_EQ(dnnl_memory_map_data(memory, &mapped), dnnl_success);
    EXPECT_EQ(mapped, buffer);
    EXPECT_EQ(dnnl_memory_unmap_data(memory, mapped), dnnl_success);
    ASSERT_EQ(dnnl_memory_map_data(made(tagged({0, 3}, "ab"), buffer), &mapped), dnnl_success);
    EXPECT_EQ(mapped, nullptr);
    mapped = this;
    ASSERT_EQ(dnnl_memory_map_data(made(tagged({2, 3}, "ab"), DNNL_MEMORY_NONE), &mapped), dnnl_success);
    EXPECT_EQ(mapped, nullptr);
}

TEST_F(MemoryApi, NotEveryDescriptorCanBeStored) {
    for (void* handle : {static_cast<void*>(DNNL_MEMORY_NONE), DNNL_MEMORY_ALLOCATE}) {
        refused(dnnl_invalid_arguments, tagged({2, 3}, "any"), handle, "any");
        refused(dnnl_invalid_arguments, tagged({DNNL_RUNTIME_DIM_VAL, 3}, "ab"), handle, "run-time");
        refused(dnnl_invalid_arguments, scalar_desc(), handle, "dnnl_memory_create_host_scalar");
        refused(dnnl_invalid_arguments, nullptr, handle, "null");
        dnnl_memory_desc_t packed = nullptr;
        const dnnl_dim_t dims[] = {4, 6};
        const auto status = dnnl_memory_desc_create_with_packed_encoding(&packed, 2, dims, dnnl_f32, 3);
        refused(dnnl_invalid_arguments, keep(status, packed), handle, "packed");
    }
    dnnl_memory_t memory = nullptr;
    EXPECT_EQ(dnnl_memory_create(&memory, tagged({2, 3}, "ab"), nullptr, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_create(nullptr, tagged({2, 3}, "ab"), engine, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_create_v2(&memory, tagged({2, 3}, "ab"), engine, 1, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(memory, nullptr);
}

TEST_F(MemoryApi, ImpossibleSizes) {
    const auto md = tagged({(dnnl_dim_t(1) << 61) - 8}, "a");
    refused(dnnl_out_of_memory, md, DNNL_MEMORY_ALLOCATE, "bytes");
    EXPECT_EQ(handle_of(made(md, DNNL_MEMORY_NONE)), nullptr);
    refused(dnnl_out_of_memory, tagged({dnnl_dim_t(1) << 46}, "a"), DNNL_MEMORY_ALLOCATE, "bytes");
    const auto largest = tagged({std::numeric_limits<dnnl_dim_t>::max()}, "a", dnnl_u8);
    EXPECT_EQ(dnnl_memory_desc_get_size(largest), size_t(std::numeric_limits<dnnl_dim_t>::max()));
    refused(dnnl_out_of_memory, largest, DNNL_MEMORY_ALLOCATE, "9223372036854775807 bytes");
}

TEST_F(MemoryApi, HostScalar) {
    float value = 2.5f, read = 0;
    dnnl_memory_t memory = nullptr;
    const auto md = scalar_desc();
    keep(dnnl_memory_create_host_scalar(&memory, md, &value), memory);
    value = 3.f;
    ASSERT_EQ(dnnl_memory_get_host_scalar_value(memory, &read), dnnl_success);
    EXPECT_EQ(read, 2.5f);
    ASSERT_EQ(dnnl_memory_set_host_scalar_value(memory, &value), dnnl_success);
    void* mapped = nullptr;
    ASSERT_EQ(dnnl_memory_map_data(memory, &mapped), dnnl_success);
    EXPECT_EQ(*static_cast<float*>(mapped), 3.f);
    EXPECT_EQ(dnnl_memory_unmap_data(memory, mapped), dnnl_success);
    void* handle = this;
    EXPECT_EQ(dnnl_memory_get_data_handle(memory, &handle), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_set_data_handle(memory, &value), dnnl_invalid_arguments);
    EXPECT_EQ(handle, this);
    dnnl_engine_t its_engine = engine;
    ASSERT_EQ(dnnl_memory_get_engine(memory, &its_engine), dnnl_success);
    EXPECT_EQ(its_engine, nullptr);
    EXPECT_EQ(dnnl_memory_get_host_scalar_value(memory, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_set_host_scalar_value(memory, nullptr), dnnl_invalid_arguments);
    dnnl_memory_t other = nullptr;
    EXPECT_EQ(dnnl_memory_create_host_scalar(&other, md, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_create_host_scalar(&other, nullptr, &value), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_create_host_scalar(&other, tagged({1}, "a"), &value), dnnl_invalid_arguments);
    EXPECT_EQ(other, nullptr);
    const auto dense = made(tagged({1}, "a"), &value);
    EXPECT_EQ(dnnl_memory_get_host_scalar_value(dense, &read), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_set_host_scalar_value(dense, &read), dnnl_invalid_arguments);
}

TEST_F(MemoryApi, HostScalarOfEveryWidth) {
    for (auto type : {dnnl_s8, dnnl_bf16, dnnl_f32, dnnl_s64}) {
        const size_t bytes = dnnl_data_type_size(type);
        uint8_t in[9], out[9];
        std::memset(in, 0x5a, sizeof in);
        std::memset(out, 0x11, sizeof out);
        dnnl_memory_t memory = nullptr;
        const auto md = scalar_desc(type);
        keep(dnnl_memory_create_host_scalar(&memory, md, in), memory);
        ASSERT_EQ(dnnl_memory_get_host_scalar_value(memory, out), dnnl_success);
        EXPECT_EQ(std::memcmp(in, out, bytes), 0);
        EXPECT_EQ(out[bytes], 0x11);
    }
}

TEST_F(MemoryApi, SparseBuffers) {
    float values[3] = {};
    const auto md = csr_desc();
    void* handles[3] = {values, DNNL_MEMORY_NONE, DNNL_MEMORY_ALLOCATE};
    dnnl_memory_t memory = nullptr;
    keep(dnnl_memory_create_v2(&memory, md, engine, 3, handles), memory);
    EXPECT_EQ(handle_of(memory, 0), values);
    EXPECT_EQ(handle_of(memory, 1), nullptr);
    EXPECT_NE(handle_of(memory, 2), nullptr);
    int32_t indices[3] = {};
    EXPECT_EQ(dnnl_memory_set_data_handle_v2(memory, indices, 1), dnnl_success);
    EXPECT_EQ(handle_of(memory, 1), indices);
    void* mapped = nullptr;
    EXPECT_EQ(dnnl_memory_map_data_v2(memory, &mapped, 1), dnnl_success);
    EXPECT_EQ(mapped, indices);
    EXPECT_EQ(dnnl_memory_get_data_handle_v2(memory, &mapped, 3), dnnl_invalid_arguments);
    for (int k = 0; k < 3; ++k) EXPECT_NE(handle_of(made(md, DNNL_MEMORY_ALLOCATE), k), nullptr);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(handle_of(made(md, DNNL_MEMORY_NONE), k), nullptr);
    refused(dnnl_invalid_arguments, md, values, "dnnl_memory_create_v2");
    dnnl_memory_t other = nullptr;
    for (int count : {2, 4, 0, -1})
        EXPECT_EQ(dnnl_memory_create_v2(&other, md, engine, count, handles), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_create_v2(&other, tagged({2, 3}, "ab"), engine, 2, handles), dnnl_invalid_arguments);
    EXPECT_EQ(other, nullptr);
    const dnnl_dim_t dims[] = {4, 6};
    dnnl_memory_desc_t coo = nullptr;
    keep(dnnl_memory_desc_create_with_coo_encoding(&coo, 2, dims, dnnl_f32, 3, dnnl_s32), coo);
    keep(dnnl_memory_create_v2(&other, coo, engine, 3, handles), other);
    EXPECT_NE(handle_of(other, 2), nullptr);
}

TEST_F(MemoryApi, NullIsRefused) {
    void* p = nullptr;
    const auto memory = made(tagged({2, 3}, "ab"), DNNL_MEMORY_NONE);
    EXPECT_EQ(dnnl_memory_get_memory_desc(nullptr, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_get_memory_desc(memory, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_get_engine(nullptr, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_get_engine(memory, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_get_data_handle(nullptr, &p), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_get_data_handle(memory, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_set_data_handle(nullptr, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_map_data(nullptr, &p), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_map_data(memory, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_unmap_data(nullptr, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_get_host_scalar_value(nullptr, &p), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_destroy(nullptr), dnnl_success);
}

} // namespace
