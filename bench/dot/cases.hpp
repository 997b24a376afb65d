// SPDX-License-Identifier: Apache-2.0
// The cases of the dot benchmark: matmul, inner product and gemm calls.
//
//   for (const Set& set : sets)
//       for (const Case& c : set.cases()) { Work work = c.make(); ... }
//
// A case is named "what types layouts shape": "square u8:s8:s32 ab:any:ab 512x512x512" multiplies 512x512 by 512x512.
// make() throws dnnl::error where the library refuses. The limit is the slower of the arithmetic at the peak of its
// kind and of reading as many bytes as src, weights and dst have. The target is the least fraction of the limit; one
// for vectors and one for tiles, 0: measured and printed, never missed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dot/peaks.hpp"
#include "work.hpp"

namespace tessera::bench::dot {

using dnnl::memory;
using Dims = memory::dims;
using Type = memory::data_type;
using Tag = memory::format_tag;
using Desc = memory::desc;
template <typename T> using Named = std::pair<const char*, T>;

inline constexpr Named<Type> f32{"f32", Type::f32}, bf16{"bf16", Type::bf16}, f16{"f16", Type::f16}, s8{"s8", Type::s8},
    u8{"u8", Type::u8}, s32{"s32", Type::s32}, s4{"s4", Type::s4}, u4{"u4", Type::u4};

struct Target {
    double vectors = 0, tiles = 0;
};

// A case that BLAS can say: dst = src x weights in f32 and nothing else. Where the library may choose a layout, a plain
// one.
struct PlainProduct {
    Desc src, weights, dst;
    std::function<void(const float* src, const float* weights, float* dst)> call; // none: a matmul
};

struct Case {
    std::string set, name;
    Kind kind;
    double operations;
    Target target;
    std::function<Work()> make;
    std::optional<PlainProduct> plain = {};
};

struct Set {
    const char *name, *meaning;
    std::vector<Case> (*cases)();
};

std::vector<Case> square_cases();
std::vector<Case> llm_cases();
std::vector<Case> batch_cases();
std::vector<Case> skinny_cases();
std::vector<Case> tiny_cases();
std::vector<Case> layout_cases();
std::vector<Case> inner_product_cases();
std::vector<Case> gemm_cases();
std::vector<Case> sparse_cases();

inline constexpr Set sets[] = {
    {"squares", "f32, bf16, f16 and int8 of 256 to 4096, weights plain and packed", square_cases},
    {"llm", "1, 4, 16 and 128 rows by the weights of language models, decompressed ones too", llm_cases},
    {"batch", "batches of matrices of transformers, plain and permuted", batch_cases},
    {"skinny", "one side or the sum much longer than the others", skinny_cases},
    {"tiny", "4 to 32, alone and in batches", tiny_cases},
    {"layouts", "every layout of src, weights and dst", layout_cases},
    {"inner_product", "forward, backward by data and by weights", inner_product_cases},
    {"gemm", "sgemm, gemm_u8s8s32 and gemm_s8s8s32", gemm_cases},
    {"sparse", "src or weights as CSR and COO", sparse_cases},
};

// One matrix product of a batch (empty: none): layouts are tags or, for batches, the order of the dims from the
// outermost to the innermost ("acbd"); "any" leaves the weights' to the library.
struct Types {
    Named<Type> src, weights, dst;
};
struct Product {
    Types types;
    Dims batch; // of src, weights and dst alike
    int64_t m, k, n;
    std::string src, weights, dst; // layouts
    int64_t group = 0;             // of decompressed weights: so many along k share a scale; 0: none
};
Case product_case(const char* set, const char* what, const Product& p, Target target);

Kind kind_of(const Types& types); // that of the multiplications
Target target_of_packed(), target_of_plain();

} // namespace tessera::bench::dot
