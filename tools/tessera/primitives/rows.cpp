// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "primitives/row.hpp"

namespace tessera::primitives {
namespace {

bool lists(std::string_view words, std::string_view word) {
    for (size_t at = 0; (at = words.find(word, at)) != words.npos; at += word.size()) {
        const size_t end = at + word.size();
        if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return true;
    }
    return false;
}

} // namespace

bool Row::has(std::string_view option) const { return lists(options, option) || lists(keys, option); }

std::span<const Row* const> rows() {
    static constexpr const Row* all[] = {
#define PRIMITIVE(name, number) &name::row,
#include "core/problem/primitives.def"
#undef PRIMITIVE
    };
    return all;
}

const Row& row(PrimitiveKind kind) {
    for (const Row* r : rows())
        if (r->kind == kind) return *r;
    std::abort(); // every kind has its row: both come of one table
}

Values summands(const Problem& p, DataType type) {
    const bool any = p.find(arg::dst) && is_integer(type) && bits(p.md(arg::dst).type) == 32;
    return any ? Values::hostile : Values::ordinary;
}

std::vector<float> rnn_scales(int mask, int64_t count) {
    std::vector<float> all;
    for (int64_t i = 0; i < (mask ? count : 1); ++i) all.push_back(float(200 + i % 7 * 60));
    return all;
}

std::string owners(std::string_view option, bool drivers) {
    std::string text;
    for (const Row* r : rows())
        if (r->has(option)) text += (text.empty() ? "" : " ") + std::string(drivers ? r->driver : name(r->kind));
    return text;
}

} // namespace tessera::primitives
