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
