// SPDX-License-Identifier: Apache-2.0
// Kernels are shared by those who ask for the same key on the same target, and by nobody else.
#include "cpu/jit/kernel.hpp"

#include <gtest/gtest.h>

#include "cpu/jit/code/code_memory.hpp"

namespace tessera::cpu::jit {

namespace {

// One that stores zeros; `built` counts how often it was.
std::shared_ptr<const Kernel> zeros(const Target& target, const std::string& key, int& built) {
    return kernel(target, key, [&] {
        ++built;
        Code code(target, "zeros");
        code.store({code.args()}, code.zero());
        return code;
    });
}

bool generates() {
    int built = 0;
    return zeros(Target(), "whether there is code at all", built) != nullptr;
}

} // namespace

TEST(Kernels, one_for_each_key_and_feature_of_the_target) {
    if (!generates()) GTEST_SKIP() << "no code is generated on this machine";
    [[maybe_unused]] const auto& [vector_bytes, vectors, masks, byte_permute, bf16, vnni, amx, amx_f16] = Target();
    const Target base{64, 32, true, false, false, false, false};
    std::vector<Target> targets{base, {32, 16, false, false, false, false, false}};
    for (bool Target::*feature :
         {&Target::byte_permute, &Target::bf16, &Target::vnni, &Target::amx, &Target::amx_f16}) {
        targets.push_back(base);
        targets.back().*feature = true;
    }
    int built = 0;
    std::vector<std::shared_ptr<const Kernel>> all;
    for (const Target& target : targets)
        for (const char* key : {"one", "two"}) {
            all.push_back(zeros(target, key, built));
            ASSERT_TRUE(all.back());
            EXPECT_EQ(built, int(all.size())) << "another target's kernel, or another key's";
            EXPECT_EQ(zeros(target, key, built), all.back());
            EXPECT_EQ(built, int(all.size())) << "built twice";
        }
}

TEST(Kernels, code_goes_with_the_last_user) {
    if (!generates()) GTEST_SKIP() << "no code is generated on this machine";
    const size_t before = code_bytes();
    int built = 0;
    auto first = zeros(Target(), "freed", built);
    auto second = first;
    EXPECT_GT(code_bytes(), before);
    first.reset();
    EXPECT_GT(code_bytes(), before);
    second.reset();
    EXPECT_EQ(code_bytes(), before);
    first = zeros(Target(), "freed", built);
    EXPECT_EQ(built, 2);
}

// Pieces of all sizes, placed and released in turns: none lies in another one, and each keeps its bytes.
TEST(Kernels, pieces_of_code_do_not_overlap) {
    if (!generates()) GTEST_SKIP() << "no code is generated on this machine";
    struct Piece {
        const uint8_t* at;
        std::vector<uint8_t> bytes;
    };
    std::vector<Piece> pieces;
    const auto intact = [&] {
        for (const Piece& p : pieces)
            if (!std::equal(p.bytes.begin(), p.bytes.end(), p.at)) return false;
        return true;
    };
    uint32_t random = 1;
    for (int i = 0; i < 600; ++i) {
        random = random * 1664525 + 1013904223;
        const size_t size = (random >> 8) % 700 + 1;
        if (pieces.size() > 40) { // a hole of another size each time
            const size_t gone = (random >> 20) % pieces.size();
            release(pieces[gone].at);
            pieces.erase(pieces.begin() + long(gone));
        }
        std::vector<uint8_t> bytes(size, uint8_t(i));
        const void* at = place(bytes);
        ASSERT_TRUE(at);
        pieces.push_back({static_cast<const uint8_t*>(at), std::move(bytes)});
        ASSERT_TRUE(intact()) << "piece " << i << " of " << size << " bytes";
    }
    for (const Piece& p : pieces) release(p.at);
}

} // namespace tessera::cpu::jit
