// SPDX-License-Identifier: Apache-2.0
// Byte images: they come back equal, and bytes from elsewhere are refused.
// covers: DER-06
#include <random>

#include "describe.hpp"

namespace tessera::testing {
namespace {

std::vector<MemoryDesc> examples() {
    return {
        MemoryDesc(),
        tagged({2, 17, 5}, "aBc8b"),
        strided({2, 3}, {10, 2}, DataType::s64),
        must(make_desc_any(List{2, 3}, DataType::s4)),
        must(submemory(tagged({4, 8}, "ab"), List{2, 3}, List{1, 2})),
        must(with_extra(tagged({20, 16}, "AB16b16a", DataType::s8), {Extra::s8s8 | Extra::scale_adjust, 1, 0, 0.5f})),
        must(make_csr_desc(List{4, 6}, DataType::f32, 3, DataType::s32, DataType::s64)),
        must(make_host_scalar_desc(DataType::f16)),
        tagged({any_extent, 3}, "ab")};
}

TEST(Blob, RoundTrip) {
    for (const MemoryDesc& md : examples()) {
        const auto blob = to_blob(md);
        ASSERT_EQ(blob.size(), blob_size());
        const MemoryDesc back = must(from_blob(blob.data()));
        EXPECT_EQ(back, md);
        EXPECT_EQ(to_blob(back), blob);
        EXPECT_EQ(to_token(back), to_token(md));
    }
}

TEST(Blob, DamageIsNoticed) {
    auto blob = to_blob(tagged({2, 17, 5}, "aBc8b"));
    for (size_t k = 0; k < blob.size(); ++k) {
        blob[k] ^= 0x10;
        expect_invalid(from_blob(blob.data()));
        blob[k] ^= 0x10;
    }
    expect_invalid(from_blob(std::vector<uint8_t>(blob_size(), 0).data()));
    expect_invalid(from_blob(std::vector<uint8_t>(blob_size(), 0xff).data()));
}

// The checksum of the format, made anew, so that damage reaches the checks behind it.
void seal(std::vector<uint8_t>& blob) {
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t k = 0; k + 8 < blob.size(); ++k) hash = (hash ^ blob[k]) * 0x100000001b3;
    for (size_t k = 0; k < 8; ++k) blob[blob.size() - 8 + k] = uint8_t(hash >> 8 * k);
}

// ndims, type and kind come first, and are narrower than the eight bytes that each has.
TEST(Blob, NumbersFitTheirFields) {
    for (const size_t field : {8, 16, 24}) {
        auto blob = to_blob(tagged({2, 17, 5}, "aBc8b"));
        blob[field + 5] = 1;
        seal(blob);
        const auto taken = from_blob(blob.data());
        ASSERT_FALSE(taken) << "bytes from " << field << " on";
        EXPECT_NE(taken.error().reason.find("out of range"), std::string::npos) << taken.error().reason;
    }
}

TEST(Blob, ForgedStridesMustNotOverlap) {
    // The one field in which the two images differ, the checksum apart, is the stride of dimension 0.
    auto blob = to_blob(strided({4, 8}, {8, 1}));
    const auto wider = to_blob(strided({4, 8}, {16, 1}));
    size_t field = 0;
    for (size_t k = 0; k + 8 < blob.size(); ++k)
        if (blob[k] != wider[k]) field = k / 8 * 8;
    ASSERT_GT(field, 0u);
    ASSERT_EQ(blob[field], 8);
    blob[field] = 1; // rows of eight, one apart
    seal(blob);
    expect_invalid(from_blob(blob.data()));
    blob[field] = 9;
    seal(blob);
    EXPECT_TRUE(from_blob(blob.data()));
}

// Images of descriptors that no function makes: each would reach memory beyond size_of(), or dimensions that are not.
TEST(Blob, LayoutsThatLeaveTheirSizeAreRefused) {
    const auto refused = [](MemoryDesc md, auto forge, std::string_view word) {
        forge(md);
        const auto taken = from_blob(to_blob(md).data());
        ASSERT_FALSE(taken) << word;
        EXPECT_EQ(taken.error().status, Status::invalid_arguments);
        EXPECT_NE(taken.error().reason.find(word), std::string::npos) << taken.error().reason;
    };
    const MemoryDesc blocked = tagged({32}, "A16a"), two = tagged({20, 5}, "aB16b"), plain = tagged({4, 8}, "ab");
    refused(
        blocked, [](MemoryDesc& md) { md.strides[0] = 1; }, "stride 1 of dimension 0 is smaller than the 16");
    refused(
        blocked, [](MemoryDesc& md) { md.strides[0] = 15; }, "smaller than the 16");
    refused(
        blocked, [](MemoryDesc& md) { md.dims[0] = md.padded_dims[0] = 20; }, "blocks of 16, so that 20");
    refused(
        blocked, [](MemoryDesc& md) { md.inner_idxs[0] = 1; }, "is of dimension 1; there are 1");
    refused(
        two, [](MemoryDesc& md) { md.inner_idxs[0] = 2; }, "is of dimension 2; there are 2");
    refused(
        two, [](MemoryDesc& md) { md.inner_idxs[0] = -1; }, "is of dimension -1");
    refused(
        two, [](MemoryDesc& md) { md.inner_blks[0] = 0; }, "sizes are positive");
    refused(
        two, [](MemoryDesc& md) { md.inner_nblks = 13; }, "13 inner blocks");
    refused(
        two, [](MemoryDesc& md) { md.strides[0] = 8; }, "stride 8 of dimension 0 is smaller than the 16");
    refused(
        plain, [](MemoryDesc& md) { md.padded_dims[0] = 3; }, "smaller than dims");
    refused(
        plain, [](MemoryDesc& md) { md.strides[0] = -8; }, "-8 is negative");
    refused(
        plain, [](MemoryDesc& md) { md.strides[0] = 7; }, "overlap");
    refused(
        plain, [](MemoryDesc& md) { md.strides[0] = int64_t(1) << 61; }, "does not fit in 64 bits");
    refused(
        plain, [](MemoryDesc& md) { md.offset0 = -1; }, "offset of the first element is negative");
    refused(
        plain, [](MemoryDesc& md) { md.dims[5] = 1; }, "beyond the 2 dimensions");
    refused(
        tagged({4, 8}, "ab", DataType::s4), [](MemoryDesc& md) { md.strides[0] = 9; }, "must be even");
}

// What is unusual, but stays in its memory.
TEST(Blob, UnusualLayoutsComeBack) {
    const auto taken = [](const MemoryDesc& md) {
        const auto back = from_blob(to_blob(md).data());
        EXPECT_TRUE(back && *back == md) << to_token(md) << " " << (back ? "" : back.error().reason);
    };
    taken(must(submemory(tagged({32, 40}, "aB16b"), List{7, 3}, List{5, 16})));  // within a block
    taken(must(submemory(tagged({32, 40}, "aB16b"), List{7, 16}, List{5, 0})));  // a block
    taken(must(submemory(tagged({32, 40}, "aB16b"), List{7, 24}, List{5, 16}))); // blocks to the end, padded
    taken(strided({5, 7}, {0, 1}));
    taken(strided({5, 7, 3}, {0, 0, 0}));
    taken(tagged({0, 17}, "aB16b"));
    MemoryDesc repeated = tagged({4, 17}, "aB16b");
    repeated.strides[0] = 0;
    taken(repeated);
}

// A field that a kind of descriptor has not is not looked at.
TEST(Blob, FieldsOfOtherKindsAreNothing) {
    MemoryDesc any = must(make_desc_any(List{2, 3}, DataType::f32)), plain = tagged({2, 3}, "ab");
    const MemoryDesc any_before = any, plain_before = plain;
    any.offset0 = any_extent, any.strides[0] = any_extent, any.extra.flags = 1, any.inner_nblks = 99, any.nnz = -1;
    plain.strides[7] = any_extent, plain.inner_blks[3] = 5, plain.inner_idxs[3] = 50, plain.nnz = -1;
    for (const auto& [forged, before] : {std::pair{any, any_before}, {plain, plain_before}}) {
        const MemoryDesc back = must(from_blob(to_blob(forged).data()));
        EXPECT_EQ(to_blob(back), to_blob(before));
    }
}

TEST(Blob, ForgedImagesDescribeSoundTensorsOrAreRefused) {
    std::mt19937_64 random(3);
    int refused = 0, taken = 0;
    const auto all = examples();
    for (int round = 0; round < 20000; ++round) {
        auto blob = to_blob(all[random() % all.size()]);
        for (size_t changes = 1 + random() % 3; changes-- > 0;) {
            const size_t field = 8 * (1 + random() % (blob.size() / 8 - 2));
            const uint64_t values[] = {
                0, 1, 2, 7, 13, 0x7fffffff, uint64_t(1) << 62, uint64_t(1) << 63, ~uint64_t(0), random()};
            const uint64_t value = values[random() % std::size(values)];
            for (size_t k = 0; k < 8; ++k) blob[field + k] = uint8_t(value >> 8 * k);
        }
        seal(blob);
        const auto md = from_blob(blob.data());
        (md ? taken : refused) += 1;
        if (!md) continue;
        // None of these may crash or overflow; the sanitizer build sees to that.
        for (int k = -1; k < 14; ++k) size_of(*md, k);
        md->nelems(true);
        to_token(*md);
        tag_of(*md);
        submemory(*md, md->dims_span(), List(size_t(md->ndims), 0));
        reshape(*md, List{md->is_zero() ? 1 : md->nelems()});
    }
    EXPECT_GT(refused, 1000);
    EXPECT_GT(taken, 1000);
}

} // namespace
} // namespace tessera::testing
