// SPDX-License-Identifier: Apache-2.0
// Memory descriptors through the C interface: statuses, queries, sizes, blobs, text tags, and arguments that make no
// sense. The semantics themselves are tested in tests/desc.
// covers: MEM-02 MEM-03 MEM-05 MEM-15 MEM-17 QRY-02 QRY-03 DER-06 TAG-20 HSC-01 SPA-01 SPA-04
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_tessera.h"

namespace {

using Md = dnnl_memory_desc_t;
constexpr int int_max = std::numeric_limits<int>::max(), int_min = std::numeric_limits<int>::min();

// A value no enumerator has, as a careless caller may pass it.
template <typename Enum> Enum garbage(int number) {
    Enum value;
    static_assert(sizeof value == sizeof number);
    std::memcpy(&value, &number, sizeof value);
    return value;
}

class MemoryDescApi : public ::testing::Test {
protected:
    std::vector<Md> made;

    ~MemoryDescApi() override {
        for (Md md : made) EXPECT_EQ(dnnl_memory_desc_destroy(md), dnnl_success);
    }
    Md keep(dnnl_status_t status, const Md& md) { // a reference: the call in the first argument sets it
        EXPECT_EQ(status, dnnl_success) << dnnl_tessera_last_error();
        if (status == dnnl_success) made.push_back(md);
        return md;
    }
    Md tagged(const std::vector<dnnl_dim_t>& dims, const char* tag, dnnl_data_type_t type = dnnl_f32) {
        Md md = nullptr;
        const auto status = dnnl_memory_desc_create_with_string_tag(&md, int(dims.size()), dims.data(), type, tag);
        return keep(status, md);
    }
    Md csr() {
        const dnnl_dim_t dims[] = {4, 6};
        Md md = nullptr;
        const auto status = dnnl_memory_desc_create_with_csr_encoding(&md, 2, dims, dnnl_f32, 3, dnnl_s32, dnnl_s64);
        return keep(status, md);
    }
    Md scalar(dnnl_data_type_t type = dnnl_f32) {
        Md md = nullptr;
        return keep(dnnl_memory_desc_create_host_scalar(&md, type), md);
    }
};

// The call is refused with this status, leaves a reason, and does not touch the output.
#define EXPECT_REFUSED(status, call)                                                                                   \
    do {                                                                                                               \
        EXPECT_EQ(call, status);                                                                                       \
        EXPECT_GT(std::string(dnnl_tessera_last_error()).size(), 20u);                                                 \
        EXPECT_EQ(out, nullptr);                                                                                       \
    } while (false)

TEST_F(MemoryDescApi, EveryEnumeratedTag) {
    const dnnl_dim_t dims[12] = {3, 2, 5, 2, 3, 1, 2, 1, 2, 1, 2, 2};
    int made_tags = 0;
    for (int tag = 2; tag < dnnl_format_tag_last; ++tag) {
        int matching = 0;
        for (int ndims = 1; ndims <= 12; ++ndims) {
            Md md = nullptr;
            if (dnnl_memory_desc_create_with_tag(&md, ndims, dims, dnnl_f32, garbage<dnnl_format_tag_t>(tag)) !=
                dnnl_success)
                continue;
            ++matching;
            EXPECT_GE(dnnl_memory_desc_get_size(md), sizeof(float));
            dnnl_memory_desc_destroy(md);
        }
        EXPECT_EQ(matching, 1) << tag;
        made_tags += matching;
    }
    EXPECT_EQ(made_tags, 873);
}

TEST_F(MemoryDescApi, GarbageIsRefused) {
    const dnnl_dim_t dims[12] = {2, 3, 4};
    Md out = nullptr;
    for (int tag : {-1, int(dnnl_format_tag_last), 30000, int_max, int_min})
        EXPECT_REFUSED(dnnl_invalid_arguments,
                       dnnl_memory_desc_create_with_tag(&out, 2, dims, dnnl_f32, garbage<dnnl_format_tag_t>(tag)));
    for (int type : {0, -1, 17, 32767, int_max, int_min}) {
        const auto t = garbage<dnnl_data_type_t>(type);
        EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_create_with_tag(&out, 2, dims, t, dnnl_ab));
        EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_create_with_tag(&out, 2, dims, t, dnnl_format_tag_any));
        EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_create_with_strides(&out, 2, dims, t, nullptr));
        EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_create_host_scalar(&out, t));
        EXPECT_REFUSED(dnnl_invalid_arguments,
                       dnnl_memory_desc_create_with_csr_encoding(&out, 2, dims, dnnl_f32, 3, t, dnnl_s32));
        EXPECT_REFUSED(dnnl_invalid_arguments,
                       dnnl_memory_desc_create_with_coo_encoding(&out, 2, dims, t, 3, dnnl_s32));
        EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_create_with_packed_encoding(&out, 2, dims, t, 3));
        EXPECT_EQ(dnnl_data_type_size(t), 0u);
    }
    for (int ndims : {-1, 13, int_max, int_min}) {
        EXPECT_REFUSED(dnnl_invalid_arguments,
                       dnnl_memory_desc_create_with_tag(&out, ndims, dims, dnnl_f32, dnnl_format_tag_any));
        EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_create_with_strides(&out, ndims, dims, dnnl_f32, dims));
        EXPECT_REFUSED(dnnl_invalid_arguments,
                       dnnl_memory_desc_create_with_string_tag(&out, ndims, dims, dnnl_f32, "ab"));
        EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_reshape(&out, tagged({2, 3}, "ab"), ndims, dims));
    }
}

TEST_F(MemoryDescApi, NullIsRefused) {
    const dnnl_dim_t dims[12] = {2, 3};
    const int axes[12] = {0, 1};
    Md out = nullptr, md = tagged({2, 3}, "ab");
    size_t size = 0;
    EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_create_with_tag(nullptr, 2, dims, dnnl_f32, dnnl_ab));
    EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_create_with_tag(&out, 2, nullptr, dnnl_f32, dnnl_ab));
    EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_create_with_strides(&out, 2, nullptr, dnnl_f32, dims));
    EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_create_with_string_tag(&out, 2, dims, dnnl_f32, nullptr));
    EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_create_host_scalar(nullptr, dnnl_f32));
    EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_create_submemory(&out, nullptr, dims, dims));
    EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_create_submemory(&out, md, nullptr, dims));
    EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_create_submemory(&out, md, dims, nullptr));
    EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_create_submemory(nullptr, md, dims, dims));
    EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_reshape(&out, nullptr, 2, dims));
    EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_reshape(&out, md, 2, nullptr));
    EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_permute_axes(&out, nullptr, axes));
    EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_permute_axes(&out, md, nullptr));
    EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_clone(&out, nullptr));
    EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_clone(nullptr, md));
    EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_get_blob(nullptr, nullptr, md));
    EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_get_blob(nullptr, &size, nullptr));
    EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_create_with_blob(&out, nullptr));
    EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_query(md, dnnl_query_dims, nullptr));
    EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_query(nullptr, dnnl_query_dims, &size));
    EXPECT_EQ(dnnl_memory_desc_get_size(nullptr), 0u);
    EXPECT_EQ(dnnl_memory_desc_get_size_v2(nullptr, 0), 0u);
    EXPECT_EQ(dnnl_memory_desc_equal(nullptr, nullptr), 1);
    EXPECT_EQ(dnnl_memory_desc_equal(nullptr, md), 0);
    EXPECT_EQ(dnnl_memory_desc_destroy(nullptr), dnnl_success);
}

TEST_F(MemoryDescApi, ZeroDescriptor) {
    Md md = nullptr;
    keep(dnnl_memory_desc_create_with_tag(&md, 0, nullptr, dnnl_data_type_undef, dnnl_format_tag_undef), md);
    int ndims = -1;
    EXPECT_EQ(dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &ndims), dnnl_success);
    EXPECT_EQ(ndims, 0);
    for (auto tag : {dnnl_a, dnnl_format_tag_any, dnnl_format_tag_undef}) {
        Md other = nullptr;
        keep(dnnl_memory_desc_create_with_tag(&other, 0, nullptr, dnnl_f32, tag), other);
        EXPECT_EQ(dnnl_memory_desc_equal(md, other), 1);
        EXPECT_EQ(dnnl_memory_desc_get_size(other), 0u);
    }
    const dnnl_dim_t some[] = {2, 3};
    for (const dnnl_dim_t* list : {static_cast<const dnnl_dim_t*>(nullptr), some}) {
        Md by_strides = nullptr, by_words = nullptr;
        keep(dnnl_memory_desc_create_with_strides(&by_strides, 0, list, dnnl_f32, list), by_strides);
        keep(dnnl_memory_desc_create_with_string_tag(&by_words, 0, list, dnnl_f32, "ab"), by_words);
        EXPECT_EQ(dnnl_memory_desc_equal(md, by_strides) + dnnl_memory_desc_equal(md, by_words), 2);
    }
    const dnnl_dim_t dims[] = {2, 3};
    Md undef = nullptr;
    keep(dnnl_memory_desc_create_with_tag(&undef, 2, dims, dnnl_f32, dnnl_format_tag_undef), undef);
    EXPECT_EQ(dnnl_memory_desc_equal(md, undef), 1);
}

TEST_F(MemoryDescApi, NullStridesAreRowMajor) {
    const dnnl_dim_t dims[] = {2, 3};
    Md md = nullptr;
    keep(dnnl_memory_desc_create_with_strides(&md, 2, dims, dnnl_f32, nullptr), md);
    EXPECT_EQ(dnnl_memory_desc_equal(md, tagged({2, 3}, "ab")), 1);
}

template <typename T> T asked(Md md, int what, int index = 0) {
    T value{};
    EXPECT_EQ(dnnl_memory_desc_query_v2(md, garbage<dnnl_query_t>(what), index, &value), dnnl_success) << what;
    return value;
}
std::vector<dnnl_dim_t> listed(Md md, int what, size_t count) {
    const auto* values = asked<const dnnl_dim_t*>(md, what);
    return std::vector<dnnl_dim_t>(values, values + count);
}

TEST_F(MemoryDescApi, QueriesOfABlockedLayout) {
    using Dims = std::vector<dnnl_dim_t>;
    Md md = tagged({2, 17, 3}, "aBc8b", dnnl_bf16);
    EXPECT_EQ(asked<int>(md, dnnl_query_ndims_s32), 3);
    EXPECT_EQ(listed(md, dnnl_query_dims, 4), (Dims{2, 17, 3, 0}));
    EXPECT_EQ(listed(md, dnnl_query_padded_dims, 3), (Dims{2, 24, 3}));
    EXPECT_EQ(listed(md, dnnl_query_padded_offsets, 3), (Dims{0, 0, 0}));
    EXPECT_EQ(listed(md, dnnl_query_strides, 3), (Dims{72, 24, 8}));
    EXPECT_EQ(asked<int>(md, dnnl_query_inner_nblks_s32), 1);
    EXPECT_EQ(listed(md, dnnl_query_inner_blks, 2), (Dims{8, 0}));
    EXPECT_EQ(listed(md, dnnl_query_inner_idxs, 1), Dims{1});
    EXPECT_EQ(asked<int>(md, dnnl_query_data_type), int(dnnl_bf16));
    EXPECT_EQ(asked<int>(md, dnnl_query_format_kind), int(dnnl_blocked));
    EXPECT_EQ(asked<int>(md, dnnl_query_num_handles_s32), 1);
    EXPECT_EQ(asked<dnnl_dim_t>(md, dnnl_query_submemory_offset_s64), 0);
    EXPECT_EQ(listed(tagged({32, 64, 3, 3}, "ABcd16a16b"), dnnl_query_strides, 4), (Dims{9216, 2304, 768, 256}));
    const dnnl_dim_t dims[] = {2, 3}, offsets[] = {1, 2};
    Md part = nullptr;
    keep(dnnl_memory_desc_create_submemory(&part, tagged({4, 8}, "ab"), dims, offsets), part);
    EXPECT_EQ(asked<dnnl_dim_t>(part, dnnl_query_submemory_offset_s64), 10);
}

TEST_F(MemoryDescApi, QueriesThatDoNotApply) {
    uint64_t before = 0x5555, value = before;
    Md any = tagged({2, 3}, "any"), blocked = tagged({2, 3}, "ab");
    for (Md md : {any, scalar(), csr(), tagged({}, "any")})
        for (auto what : {dnnl_query_strides, dnnl_query_inner_nblks_s32, dnnl_query_inner_blks, dnnl_query_inner_idxs})
            EXPECT_EQ(dnnl_memory_desc_query(md, what, &value), dnnl_invalid_arguments);
    for (Md md : {any, blocked, scalar()})
        for (auto what : {dnnl_query_nnz_s64, dnnl_query_sparse_encoding})
            EXPECT_EQ(dnnl_memory_desc_query_v2(md, what, 0, &value), dnnl_invalid_arguments);
    for (int index : {1, -1, int_max, int_min})
        for (auto what : {dnnl_query_dims, dnnl_query_data_type, dnnl_query_strides})
            EXPECT_EQ(dnnl_memory_desc_query_v2(blocked, what, index, &value), dnnl_invalid_arguments);
    for (int what : {0, 1, 129, 269, -1, 32767, int_min})
        EXPECT_EQ(dnnl_memory_desc_query(blocked, garbage<dnnl_query_t>(what), &value), dnnl_unimplemented);
    EXPECT_EQ(value, before);
}

TEST_F(MemoryDescApi, QueriesOfSparseAndScalar) {
    Md md = csr();
    EXPECT_EQ(asked<int>(md, dnnl_query_format_kind), int(dnnl_format_kind_sparse));
    EXPECT_EQ(asked<int>(md, dnnl_query_sparse_encoding), int(dnnl_csr));
    EXPECT_EQ(asked<dnnl_dim_t>(md, dnnl_query_nnz_s64), 3);
    EXPECT_EQ(asked<int>(md, dnnl_query_num_handles_s32), 3);
    EXPECT_EQ(asked<int>(md, dnnl_query_data_type, 0), int(dnnl_f32));
    EXPECT_EQ(asked<int>(md, dnnl_query_data_type, 1), int(dnnl_s32));
    EXPECT_EQ(asked<int>(md, dnnl_query_data_type, 2), int(dnnl_s64));
    int value = 0;
    EXPECT_EQ(dnnl_memory_desc_query_v2(md, dnnl_query_data_type, 3, &value), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_memory_desc_get_size_v2(md, 0), 12u);
    EXPECT_EQ(dnnl_memory_desc_get_size_v2(md, 1), 12u);
    EXPECT_EQ(dnnl_memory_desc_get_size_v2(md, 2), 40u);
    EXPECT_EQ(dnnl_memory_desc_get_size_v2(md, 3), 0u);
    EXPECT_EQ(asked<int>(scalar(), dnnl_query_format_kind), int(dnnl_format_kind_host_scalar));
    EXPECT_EQ(asked<int>(scalar(), dnnl_query_ndims_s32), 1);
    EXPECT_EQ(dnnl_memory_desc_get_size(scalar(dnnl_s64)), 8u);
    const dnnl_dim_t dims[] = {4, 6, 2};
    Md out = nullptr;
    EXPECT_REFUSED(dnnl_unimplemented,
                   dnnl_memory_desc_create_with_csr_encoding(&out, 3, dims, dnnl_f32, 3, dnnl_s32, dnnl_s32));
    EXPECT_REFUSED(dnnl_invalid_arguments,
                   dnnl_memory_desc_create_with_csr_encoding(&out, 2, dims, dnnl_f32, -1, dnnl_s32, dnnl_s32));
}

TEST_F(MemoryDescApi, CloneAndBlob) {
    for (Md md : {tagged({2, 17, 3}, "aBc8b"), tagged({2, 3}, "any"), csr(), scalar(), tagged({}, "undef")}) {
        Md copy = nullptr, back = nullptr;
        keep(dnnl_memory_desc_clone(&copy, md), copy);
        EXPECT_EQ(dnnl_memory_desc_equal(md, copy), 1);
        size_t size = 0;
        ASSERT_EQ(dnnl_memory_desc_get_blob(nullptr, &size, md), dnnl_success);
        std::vector<uint8_t> blob(size + 1, 0xee);
        size_t less = size - 1;
        EXPECT_EQ(dnnl_memory_desc_get_blob(blob.data(), &less, md), dnnl_invalid_arguments);
        EXPECT_EQ(blob[0], 0xee);
        size_t room = size;
        ASSERT_EQ(dnnl_memory_desc_get_blob(blob.data(), &room, md), dnnl_success);
        EXPECT_EQ(blob[size], 0xee);
        keep(dnnl_memory_desc_create_with_blob(&back, blob.data()), back);
        EXPECT_EQ(dnnl_memory_desc_equal(md, back), 1);
        blob[size / 2] ^= 1;
        Md out = nullptr;
        EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_create_with_blob(&out, blob.data()));
    }
}

TEST_F(MemoryDescApi, Derived) {
    const dnnl_dim_t six[] = {6};
    const int swap[] = {1, 0};
    Md ab = tagged({2, 3}, "ab"), joined = nullptr, swapped = nullptr, out = nullptr;
    keep(dnnl_memory_desc_reshape(&joined, ab, 1, six), joined);
    EXPECT_EQ(dnnl_memory_desc_equal(joined, tagged({6}, "a")), 1);
    keep(dnnl_memory_desc_permute_axes(&swapped, ab, swap), swapped);
    EXPECT_EQ(dnnl_memory_desc_equal(swapped, tagged({3, 2}, "ba")), 1);
    EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_reshape(&out, tagged({2, 3}, "ba"), 1, six));
    const int twice[] = {0, 0};
    EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_permute_axes(&out, ab, twice));
    const dnnl_dim_t dims[] = {2, 1, 1}, offsets[] = {0, 1, 0};
    EXPECT_REFUSED(dnnl_unimplemented,
                   dnnl_memory_desc_create_submemory(&out, tagged({2, 20, 5}, "aBc8b"), dims, offsets));
    EXPECT_NE(std::string(dnnl_tessera_last_error()).find("multiple of 8"), std::string::npos);
}

TEST_F(MemoryDescApi, TextTags) {
    EXPECT_EQ(dnnl_memory_desc_equal(tagged({2, 17, 3}, "nCw12c"), tagged({2, 17, 3}, "aBc12b")), 1);
    const dnnl_dim_t dims[] = {2, 3, 4};
    Md out = nullptr;
    EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_create_with_string_tag(&out, 3, dims, dnnl_f32, "nchw"));
    EXPECT_NE(std::string(dnnl_tessera_last_error()).find("tag 'nchw' has 4 dimensions, the tensor 3"),
              std::string::npos);
    EXPECT_REFUSED(dnnl_invalid_arguments, dnnl_memory_desc_create_with_string_tag(&out, 3, dims, dnnl_f32, ""));
}

TEST(DataTypeSize, InBytes) {
    const size_t sizes[] = {0, 2, 2, 4, 4, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 1, 8};
    for (int type = 0; type < 17; ++type) EXPECT_EQ(dnnl_data_type_size(garbage<dnnl_data_type_t>(type)), sizes[type]);
}

} // namespace
