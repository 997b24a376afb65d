// SPDX-License-Identifier: Apache-2.0
// Shapes, types and layouts of matmul.
#include "dot/cases.hpp"

namespace tessera::bench::dot {
namespace {

constexpr Types floats{f32, f32, f32}, bfloats{bf16, bf16, bf16}, halfs{f16, f16, f16}, u8s8{u8, s8, s32},
    s8s8{s8, s8, s32};
constexpr Target none{};

} // namespace

std::vector<Case> square_cases() {
    std::vector<Case> cases;
    for (const Types& types : {floats, bfloats, halfs, u8s8, s8s8})
        for (int64_t n : {256, 512, 1024, 2048, 4096})
            for (const char* weights : {"ab", "any"}) {
                const Target target = weights == std::string("any") ? target_of_packed() : target_of_plain();
                cases.push_back(product_case("squares", "square", {types, {}, n, n, n, "ab", weights, "ab"},
                                             types.src.second == Type::f16 ? none : target));
            }
    return cases;
}

std::vector<Case> llm_cases() {
    constexpr int64_t weights[][2] = {{1024, 1024}, {4096, 4096}, {4096, 11008}, {11008, 4096}};
    constexpr Types compressed[] = {{f32, s8, f32}, {f32, s4, f32}, {bf16, s8, bf16}, {bf16, s4, bf16}};
    constexpr int64_t group = 128;
    std::vector<Case> cases;
    for (int64_t m : {1, 4, 16, 128})
        for (const auto& [k, n] : weights) {
            // Few rows read the weights once: the bandwidth is what counts.
            const Target target = m <= 4 ? Target{0.85, 0.85} : none;
            for (const Types& types : {floats, bfloats, s8s8})
                for (const char* layout : {"ab", "ba", "any"})
                    cases.push_back(product_case("llm", "rows", {types, {}, m, k, n, "ab", layout, "ab"}, target));
            if (k != 4096) continue; // the others say the same
            for (const Types& types : compressed)
                for (const char* layout : {"ab", "ba", "any"})
                    cases.push_back(
                        product_case("llm", "decompress", {types, {}, m, k, n, "ab", layout, "ab", group}, none));
        }
    return cases;
}

std::vector<Case> batch_cases() {
    std::vector<Case> cases;
    const auto add = [&](const char* what, const Product& p) { cases.push_back(product_case("batch", what, p, none)); };
    for (const Types& types : {floats, bfloats, s8s8})
        for (const Dims& batch : {Dims{16, 12}, Dims{1, 16}}) {
            const int64_t tokens = batch[0] == 1 ? 512 : 128, head = 64;
            // Heads lie between tokens and features ("acbd" of batch, heads, tokens, features), as projections leave
            // them; scores are dense. The weights of the first product are the keys, transposed.
            add("scores", {types, batch, tokens, head, tokens, "acbd", "adbc", "abcd"});
            add("context", {types, batch, tokens, tokens, head, "abcd", "acbd", "acbd"});
            add("plain", {types, batch, tokens, head, tokens, "abcd", "abcd", "abcd"});
            add("plain", {types, batch, tokens, tokens, head, "abcd", "abcd", "abcd"});
        }
    return cases;
}

std::vector<Case> skinny_cases() {
    constexpr int64_t shapes[][3] = {{65536, 32, 32},   {16384, 256, 64}, {64, 256, 16384}, {32, 65536, 32},
                                     {256, 16384, 256}, {100000, 64, 3},  {4096, 256, 256}, {1000, 1003, 1001}};
    std::vector<Case> cases;
    for (const Types& types : {floats, bfloats, u8s8})
        for (const auto& [m, k, n] : shapes)
            cases.push_back(product_case("skinny", "skinny", {types, {}, m, k, n, "ab", "ab", "ab"}, none));
    return cases;
}

std::vector<Case> tiny_cases() {
    std::vector<Case> cases;
    for (const Types& types : {floats, bfloats, u8s8})
        for (int64_t n : {4, 8, 16, 32}) {
            cases.push_back(product_case("tiny", "tiny", {types, {}, n, n, n, "ab", "ab", "ab"}, none));
            cases.push_back(product_case("tiny", "tinies", {types, {1000}, n, n, n, "abc", "abc", "abc"}, none));
        }
    return cases;
}

std::vector<Case> layout_cases() {
    std::vector<Case> cases;
    for (const Types& types : {floats, bfloats, u8s8})
        for (const char* src : {"ab", "ba"})
            for (const char* weights : {"ab", "ba"})
                for (const char* dst : {"ab", "ba"}) {
                    cases.push_back(product_case("layouts", "layouts", {types, {}, 512, 512, 512, src, weights, dst},
                                                 target_of_plain()));
                    cases.push_back(
                        product_case("layouts", "layouts", {types, {}, 192, 1000, 333, src, weights, dst}, none));
                }
    return cases;
}

} // namespace tessera::bench::dot
