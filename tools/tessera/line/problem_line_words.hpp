// SPDX-License-Identifier: Apache-2.0
// The words of problem lines and their meanings; tables for reading and printing.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/attr/attr.hpp"
#include "core/engine.hpp"
#include "core/problem/problem.hpp"

namespace tessera::words {

struct Word {
    std::string_view text;
    int value;
};
inline constexpr Word kinds[] = {
#define PRIMITIVE(name, number) {#name, number},
#include "core/problem/primitives.def"
#undef PRIMITIVE
};
inline constexpr Word directions[] = {{"FWD_D", int(PropKind::forward_training)},
                                      {"FWD_I", int(PropKind::forward_inference)},
                                      {"BWD_D", int(PropKind::backward_data)},
                                      {"BWD_W", int(PropKind::backward_weights)},
                                      {"BWD_DW", int(PropKind::backward)}};
inline constexpr Word engines[] = {{"cpu", int(EngineKind::cpu)}, {"gpu", int(EngineKind::gpu)}};
inline constexpr Word statuses[] = {{"success", 0},       {"out_of_memory", 1},     {"invalid_arguments", 2},
                                    {"unimplemented", 3}, {"last_impl_reached", 4}, {"runtime_error", 5},
                                    {"not_required", 6}};
inline constexpr Word fpmath_modes[] = {{"strict", 0}, {"bf16", 1}, {"f16", 2}, {"any", 3}, {"tf32", 4}};
inline constexpr Word accumulations[] = {{"strict", 0}, {"relaxed", 1}, {"any", 2}, {"s32", 3}, {"f32", 4}, {"f16", 5}};
inline constexpr Word quant_modes[] = {{"mx", int(QuantizationMode::dynamic_mx)},
                                       {"fp", int(QuantizationMode::dynamic_fp)}}; // beside the given ones
inline constexpr Word rounded[] = {{"dst", arg::dst}, {"diff_src", arg::diff_src}, {"diff_weights", arg::diff_weights}};
inline constexpr Word truths[] = {{"false", 0}, {"true", 1}};
inline constexpr Word scratchpads[] = {{"library", 0}, {"user", 1}};

inline constexpr Word cell_directions[] = {{"left2right", 1}, {"right2left", 2}, {"concat", 3}, {"sum", 4}};

template <size_t N> std::string list_of(const Word (&list)[N]) {
    std::string known;
    for (const Word& word : list) known += std::string(known.empty() ? "" : ", ") + std::string(word.text);
    return known;
}
template <size_t N> std::vector<std::string_view> texts_of(const Word (&list)[N]) {
    std::vector<std::string_view> texts;
    for (const Word& word : list) texts.push_back(word.text);
    return texts;
}
template <size_t N> std::optional<int> value_of(const Word (&list)[N], std::string_view text) {
    for (const Word& word : list)
        if (word.text == text) return word.value;
    return std::nullopt;
}
template <size_t N> std::string_view word_of(const Word (&list)[N], int value) {
    const auto* found = std::find_if(std::begin(list), std::end(list), [&](const Word& w) { return w.value == value; });
    return found == std::end(list) ? std::string_view("?") : found->text;
}

// The algorithm that `prefix` and the word name: eltwise_ and relu_dst. Its word again, without the prefix.
std::optional<int> alg_of(std::string_view prefix, std::string_view word);
std::string word_of_alg(int alg);
std::vector<std::string> functions_of(std::string_view prefix); // relu, relu_dst, ... of eltwise_
std::vector<std::string> cells();                               // of recurrent layers: lstm, gru, ...

// "eltwise --alg=relu" for relu, rleu and eltwise_relu, "convolution" for conv and convolve; "" if nothing is like it.
std::string primitive_like(std::string_view word);

// The type that `what` (an option) is given as, or the types there are.
Result<DataType> read_type(std::string_view what, std::string_view text);

// src, src1, wei, dst, msrc3, attr_post_op_dw_wei.
std::optional<int> argument_of(std::string_view word);
std::string word_of_argument(int id);

} // namespace tessera::words
