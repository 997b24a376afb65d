#include "line/problem_line_words.hpp"

#include <fmt/format.h>

#include "line/text.hpp"

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
