// SPDX-License-Identifier: Apache-2.0
#include "line/problem_line_words.hpp"

#include <fmt/format.h>

#include "core/nearest.hpp"
#include "line/text.hpp"
#include "primitives/row.hpp"

namespace tessera::words {

namespace {

constexpr Word algs[] = {
#define ALG(word, number) {#word, number},
#include "core/attr/alg_kinds.def"
#undef ALG
};
constexpr std::string_view from_dst = "_use_dst_for_bwd", short_from_dst = "_dst";
constexpr std::string_view of_depthwise = "attr_post_op_dw_"; // wei, dst

} // namespace

std::optional<int> alg_of(std::string_view prefix, std::string_view word) {
    std::string text = std::string(prefix) + std::string(word);
    if (text.ends_with(short_from_dst))
        text = text.substr(0, text.size() - short_from_dst.size()) + std::string(from_dst);
    return value_of(algs, text);
}

std::vector<std::string> functions_of(std::string_view prefix) {
    std::vector<std::string> functions;
    for (const Word& alg : algs)
        if (alg.text.starts_with(prefix)) functions.push_back(word_of_alg(alg.value));
    return functions;
}

std::vector<std::string> cells() {
    std::vector<std::string> all;
    for (const std::string_view prefix : {"vanilla_", "lbr_"})
        for (std::string& cell : functions_of(prefix)) all.push_back(std::move(cell));
    return all;
}

std::string primitive_like(std::string_view word) {
    std::vector<std::pair<std::string, std::string>> all; // what is written, what is meant
    for (const primitives::Row* row : primitives::rows()) {
        const std::string kind(name(row->kind));
        all.emplace_back(kind, kind);
        all.emplace_back(row->driver.substr(2), kind);
        for (const std::string& function : functions_of(kind + "_")) {
            all.emplace_back(function, kind + " --alg=" + function);
            all.emplace_back(kind + "_" + function, kind + " --alg=" + function);
        }
    }
    for (const std::string& cell : cells()) all.emplace_back(cell, "rnn --alg=" + cell);
    std::vector<std::string_view> written;
    for (const auto& [text, meant] : all) written.push_back(text);
    const std::string_view found = nearest(word, written);
    for (const auto& [text, meant] : all)
        if (text == found) return meant;
    return "";
}

Result<DataType> read_type(std::string_view what, std::string_view text) {
    if (const auto type = parse_data_type(text)) return *type;
    constexpr std::pair<std::string_view, DataType> elsewhere[] = {
        {"float", DataType::f32},     {"float32", DataType::f32},  {"fp32", DataType::f32},
        {"double", DataType::f64},    {"float64", DataType::f64},  {"fp64", DataType::f64},
        {"half", DataType::f16},      {"float16", DataType::f16},  {"fp16", DataType::f16},
        {"fp8", DataType::f8_e4m3},   {"bool", DataType::boolean}, {"int4", DataType::s4},
        {"bfloat16", DataType::bf16}, {"uint4", DataType::u4},     {"int8", DataType::s8},
        {"i8", DataType::s8},         {"uint8", DataType::u8},     {"int", DataType::s32},
        {"int32", DataType::s32},     {"i32", DataType::s32},      {"int64", DataType::s64},
        {"i64", DataType::s64}};
    std::string meant;
    for (const auto& [word, type] : elsewhere)
        if (word == text) meant = fmt::format("; did you mean {}?", name(type));
    std::vector<std::string_view> known;
    for (const DataType type : all_types) known.push_back(name(type));
    if (meant.empty()) meant = did_you_mean(text, known);
    return invalid("{}: unknown data type '{}'; known are f64 f32 f16 bf16 f8_e5m2 f8_e4m3 f4_e2m1 f4_e3m0 e8m0 s64 "
                   "s32 s8 u8 s4 u4 boolean{}",
                   what, text, meant);
}

std::string word_of_alg(int alg) {
    std::string text(word_of(algs, alg));
    if (text.starts_with("lbr_")) return text; // another cell than the one without
    text = text.substr(text.find('_') + 1);
    if (text.ends_with(from_dst)) text = text.substr(0, text.size() - from_dst.size()) + std::string(short_from_dst);
    return text;
}

std::optional<int> argument_of(std::string_view word) {
    if (word.starts_with(of_depthwise)) {
        const auto id = argument_of(word.substr(of_depthwise.size()));
        return id ? std::optional(arg::post_op_dw | *id) : std::nullopt;
    }
    if (word == "src") return arg::src;
    if (word == "src1") return arg::src_1;
    if (word == "wei") return arg::weights;
    if (word == "dst") return arg::dst;
    constexpr std::string_view many = "msrc";
    if (!word.starts_with(many)) return std::nullopt;
    const auto i = number_of<int>(word.substr(many.size()));
    if (!i || *i < 0 || *i >= arg::multiple_src) return std::nullopt;
    return arg::multiple_src + *i;
}

std::string word_of_argument(int id) {
    if (id & arg::post_op_dw) return std::string(of_depthwise) + word_of_argument(id & ~arg::post_op_dw);
    if (id == arg::src) return "src";
    if (id == arg::src_1) return "src1";
    if (id == arg::weights) return "wei";
    if (id == arg::dst) return "dst";
    return fmt::format("msrc{}", id - arg::multiple_src);
}

} // namespace tessera::words
