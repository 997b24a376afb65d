// SPDX-License-Identifier: Apache-2.0
#include "api/log/fields.hpp"

#include <fmt/format.h>

#include "ops/ops.hpp"

namespace tessera {

namespace {

// Sources are not numbered.
std::string word_of(int id) {
    if (id >= arg::multiple_src && id < arg::multiple_dst) return "src";
    switch (id) {
    case arg::src_1:
    case arg::src_2:
        return "src";
    case arg::weights:
        return "wei";
    case arg::bias:
        return "bia";
    case arg::diff_weights:
        return "diff_wei";
    case arg::diff_bias:
        return "diff_bia";
    default:
        return arg_name(id);
    }
}

} // namespace

// As in the logs people know. Tensors of attributes stand among the attributes.
std::string tensors_of(const Problem& p) {
    const auto known = ops::row(p.kind).tokens;
    std::vector<ops::VerboseToken> tokens = known ? known(p) : std::vector<ops::VerboseToken>();
    std::vector<std::string> words; // of the arguments
    if (tokens.empty())
        for (const Tensor& t : p.tensors)
            if (!t.attribute) words.push_back(word_of(t.arg)), tokens.push_back({"", t.arg, true});
    std::string text;
    for (size_t i = 0; i < tokens.size(); ++i) {
        const Tensor& t = *p.find_described(tokens[i].arg);
        text += fmt::format("{}{}:{}", text.empty() ? "" : " ", words.empty() ? tokens[i].word : words[i],
                            to_token(t.md, tokens[i].as_asked && t.was_any));
        if (t.arg != arg::bias || t.md.ndims <= 1) continue;
        unsigned mask = 0; // which dims it has
        for (int d = 0; d < t.md.ndims; ++d) mask |= unsigned(t.md.dims[size_t(d)] != 1) << d;
        text += fmt::format("_mask{}", mask);
    }
    return text;
}

std::string shape_of(const Problem& p) {
    const auto shape = ops::row(p.kind).shape;
    return shape ? shape(p) : p.shape();
}

} // namespace tessera
