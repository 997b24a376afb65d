// SPDX-License-Identifier: Apache-2.0
#include "core/desc/tags.hpp"

#include <algorithm>
#include <numeric>

#include "core/desc/checked.hpp"
#include "core/desc/verify.hpp"
#include "core/division.hpp"
#include "core/nearest.hpp"
#include "core/shown.hpp"
#include "core/sort_few.hpp"

namespace tessera {

namespace {

// Letters of each domain in logical order (TAG-02, TAG-05). No two domains have the same set of letters, and none has
// an a, so that the set of letters identifies the domain.
constexpr std::string_view families[] = {
    "x",    "nc",    "ncw",    "nchw", "ncdhw", "oi",   "oiw",   "oihw", "oidhw", "goi",
    "goiw", "goihw", "goidhw", "tn",   "tnc",   "ldnc", "ldigo", "ldio", "ldgo",
};

// Enumerators whose names break the grammar: a capital without blocks, or the layout of another tag (TAG-21).
constexpr std::pair<std::string_view, std::string_view> irregular[] = {
    {"OhwI24o", "Acdb24a"},
    {"OhwI32o", "Acdb32a"},
    {"gOhwI24o", "aBdec24b"},
    {"gOhwI32o", "aBdec32b"},
    {"gIOhw2i8o16i2o", "aBCde2c8b16c2b"},
    {"gIOdhw2i8o16i2o", "aBCdef2c8b16c2b"},
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
char small(char c) { return is_capital(c) ? char(c - 'A' + 'a') : c; }

// The caller's text, made safe and short enough to quote in a message.
std::string shown(std::string_view text) { return tessera::shown(text, 64); }

// The letters of a tag in logical order, or why they are none.
Result<std::string> logical_order(std::string_view text, const std::string& letters) {
    std::string sorted = letters;
    std::ranges::sort(sorted);
    if (auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
        return invalid("tag '{}': '{}' occurs twice before the blocks; every dimension occurs once", shown(text),
                       *twice);
    for (std::string_view family : families) {
        std::string other(family);
        std::ranges::sort(other);
        if (other == sorted) return std::string(family);
    }
    for (size_t k = 0; k < sorted.size(); ++k) {
        if (sorted[k] == char('a' + k)) continue;
        if (sorted[0] != 'a')
            return invalid("tag '{}': the letters '{}' are neither the first {} of a, b, c, ... nor those of a domain "
                           "such as nchw, oihw, goihw, tnc, ldigo",
                           shown(text), letters, letters.size());
        return invalid("tag '{}': dimension '{}' is missing; the letters of {:dimension} are a to {}", shown(text),
                       char('a' + k), counted(sorted.size()), char('a' + sorted.size() - 1));
    }
    return sorted;
}

Result<void> read_blocks(std::string_view text, size_t at, const std::string& letters, std::string_view logical,
                         Tag& tag) {
    while (at < text.size()) {
        int64_t size = 0;
        const size_t start = at;
        for (; at < text.size() && is_digit(text[at]); ++at)
            if (!checked_mul(size, 10) || !checked_add(size, text[at] - '0'))
                return invalid("tag '{}': the block size does not fit in 64 bits", shown(text));
        if (at == start || at == text.size())
            return invalid("tag '{}': after the dimensions come pairs of a size and a small letter, as in 16b",
                           shown(text));
        const char letter = text[at++];
        const size_t dim = logical.find(letter);
        if (is_capital(letter))
            return invalid("tag '{}': the letter of a block is small: {}{} instead of {}{}", shown(text), size,
                           small(letter), size, letter);
        if (!is_letter(letter) || dim == std::string_view::npos)
            return invalid("tag '{}': '{}' is not among the dimensions '{}'", shown(text),
                           shown(std::string_view(&letter, 1)), letters);
        if (size < 2) return invalid("tag '{}': a block has 2 elements or more, not {}", shown(text), size);
        if (tag.inner_nblks == max_ndims) return invalid("tag '{}': more than {} inner blocks", shown(text), max_ndims);
        tag.inner_blks[size_t(tag.inner_nblks)] = size;
        tag.inner_idxs[size_t(tag.inner_nblks)] = int64_t(dim);
        ++tag.inner_nblks;
    }
    return {};
}

bool has_block(const Tag& tag, int dim) {
    return std::find(tag.inner_idxs.begin(), tag.inner_idxs.begin() + tag.inner_nblks, dim) !=
           tag.inner_idxs.begin() + tag.inner_nblks;
}

// Fills padded dims, strides and blocks of a descriptor whose dims are set. Empty dims count as 1 in strides, so that
// {3, 0} has strides {1, 1}; what lies outside of a wildcard is one (RTD-01).
Result<void> lay_out(MemoryDesc& md, const Tag& tag, std::string_view text) {
    md.kind = FormatKind::blocked;
    md.inner_nblks = tag.inner_nblks;
    md.inner_blks = tag.inner_blks;
    md.inner_idxs = tag.inner_idxs;
    int64_t stride = 1;
    Dims block;
    block.fill(1);
    bool fits = true;
    for (int j = 0; j < tag.inner_nblks; ++j)
        fits = fits && checked_mul(stride, tag.inner_blks[size_t(j)]) &&
               checked_mul(block[size_t(tag.inner_idxs[size_t(j)])], tag.inner_blks[size_t(j)]);
    for (int k = md.ndims; fits && k-- > 0;) {
        const size_t d = size_t(tag.order[size_t(k)]);
        md.padded_dims[d] = md.dims[d];
        md.strides[d] = stride;
        if (md.dims[d] == runtime_dim) {
            stride = runtime_dim;
            continue;
        }
        const int64_t blocks = ceil_div(md.dims[d], block[d]);
        md.padded_dims[d] = blocks;
        fits = checked_mul(md.padded_dims[d], block[d]) &&
               (stride == runtime_dim || checked_mul(stride, std::max<int64_t>(blocks, 1)));
    }
    if (!fits)
        return invalid("{} in tag '{}' has more elements than 64 bits count", to_string(md.dims_span()), shown(text));
    return {};
}

// Whether `tag` gives the layout of `md`, wherever its data start.
bool is_dense(const MemoryDesc& md, const Tag& tag) {
    MemoryDesc dense;
    dense.ndims = md.ndims;
    dense.type = md.type;
    dense.dims = md.dims;
    dense.offset0 = md.offset0;
    dense.extra = md.extra;
    return lay_out(dense, tag, "") && dense == md;
}

Tag in_logical_order(const MemoryDesc& md) {
    Tag tag;
    tag.ndims = md.ndims;
    std::iota(tag.order.begin(), tag.order.begin() + md.ndims, 0);
    tag.inner_nblks = md.inner_nblks;
    tag.inner_blks = md.inner_blks;
    tag.inner_idxs = md.inner_idxs;
    return tag;
}

// One outer block, never stepped along: it fits anywhere in the order.
bool is_unit(const MemoryDesc& md, int d) {
    return md.dims[size_t(d)] != runtime_dim && md.padded_dims[size_t(d)] <= md.block_of(d);
}

// Every spelling of an enumerator, and its number.
constexpr std::pair<std::string_view, int> spellings[] = {
#define TAG(number, spelling) {#spelling, number},
#define ALIAS(number, spelling) {#spelling, number},
#include "core/desc/tags.def"
#undef TAG
#undef ALIAS
};

// The tag with an enumerator that a misspelt one may have been.
std::string meant(std::string_view text) {
    if (text.size() > 24) return ""; // longer ones have no name
    std::vector<std::string_view> known;
    for (const auto& [spelling, number] : spellings) known.push_back(spelling);
    return did_you_mean(text, known);
}

Result<Tag> read_tag(std::string_view text) {
    std::string letters, spelled;
    size_t at = 0;
    for (; at < text.size() && is_letter(text[at]); ++at) {
        if (letters.size() == size_t(max_ndims))
            return invalid("tag '{}': more than {} dimensions", shown(text), max_ndims);
        spelled += text[at];
        letters += small(text[at]);
    }
    if (letters.empty())
        return invalid("tag '{}': a tag starts with the letters of the dimensions, such as abcd or nchw", shown(text));
    const auto logical = logical_order(text, letters);
    if (!logical) return tl::unexpected(logical.error());

    Tag tag;
    tag.ndims = int(letters.size());
    for (size_t k = 0; k < letters.size(); ++k) tag.order[k] = int(logical->find(letters[k]));
    if (auto ok = read_blocks(text, at, letters, *logical, tag); !ok) return tl::unexpected(ok.error());
    for (size_t k = 0; k < letters.size(); ++k) {
        const bool blocked = has_block(tag, tag.order[k]);
        if (blocked && !is_capital(spelled[k]))
            return invalid("tag '{}': dimension '{}' has a block and is written '{}'", shown(text), letters[k],
                           char(std::toupper(letters[k])));
        if (!blocked && is_capital(spelled[k]))
            return invalid("tag '{}': '{}' says that dimension '{}' has a block, but none follows", shown(text),
                           spelled[k], letters[k]);
    }
    return tag;
}

} // namespace

Result<Tag> parse_tag(std::string_view text) {
    for (const auto& [name, canonical] : irregular)
        if (text == name) return read_tag(canonical);
    auto tag = read_tag(text);
    if (!tag) tag.error().reason += meant(text);
    return tag;
}

std::string to_string(const Tag& tag) {
    std::string text;
    for (int k = 0; k < tag.ndims; ++k) {
        const int d = tag.order[size_t(k)];
        text += char((has_block(tag, d) ? 'A' : 'a') + d);
    }
    for (int j = 0; j < tag.inner_nblks; ++j)
        text += fmt::format("{}{}", tag.inner_blks[size_t(j)], char('a' + tag.inner_idxs[size_t(j)]));
    return text;
}

Tag closest_tag(const MemoryDesc& md) {
    Tag tag = in_logical_order(md);
    // Dimensions without a usable stride sort outermost: wildcards, and stride 0 (one repeated element).
    const auto stride = [&](int d) {
        const int64_t s = md.strides[size_t(d)];
        return s == runtime_dim || (s == 0 && !is_unit(md, d)) ? std::numeric_limits<int64_t>::max() : s;
    };
    sort_few(tag.order.begin(), tag.order.begin() + md.ndims, [&](int a, int b) {
        if (stride(a) != stride(b)) return stride(a) > stride(b);
        return !is_unit(md, a) && is_unit(md, b); // equal strides: the dimension of extent 1 is the inner one
    });
    return tag;
}

std::string tag_of(const MemoryDesc& md) {
    if (!md.is_blocked()) return "";
    for (const Tag& tag : {in_logical_order(md), closest_tag(md)})
        if (is_dense(md, tag)) return to_string(tag);
    return "";
}

bool matches_tag(const MemoryDesc& md, std::string_view text) {
    const auto tag = parse_tag(text);
    return tag && tag->ndims == md.ndims && md.is_blocked() && is_dense(md, *tag);
}

Result<MemoryDesc> make_desc_with_tag(std::span<const int64_t> dims, DataType type, std::string_view text) {
    if (text == "any") return make_desc_any(dims, type);
    if (text == "undef") return make_desc_undef(dims, type);
    if (dims.size() > size_t(max_ndims)) return shape_of(dims, type); // first: a tag may be made from the dims
    const auto tag = parse_tag(text);
    if (!tag) return tl::unexpected(tag.error());
    auto md = shape_of(dims, type);
    if (!md || md->is_zero()) return md;
    if (tag->ndims != md->ndims)
        return invalid("tag '{}' has {:dimension}, the tensor {}: {}; the row-major tag of {} is {}", shown(text),
                       counted(tag->ndims), md->ndims, to_string(md->dims_span()), md->ndims,
                       std::string_view("abcdefghijkl").substr(0, size_t(md->ndims)));
    if (auto ok = lay_out(*md, *tag, text); !ok) return tl::unexpected(ok.error());
    if (auto ok = verify(*md); !ok) return tl::unexpected(ok.error());
    if (auto ok = verify_nibbles(*md); !ok) return tl::unexpected(ok.error());
    return md;
}

std::string_view spelling_of_tag(int number) {
    static constexpr std::string_view canonical[] = {
#define TAG(number, spelling) #spelling,
#define ALIAS(number, spelling)
#include "core/desc/tags.def"
#undef TAG
#undef ALIAS
    };
    return number >= 0 && size_t(number) < std::size(canonical) ? canonical[number] : std::string_view();
}

int number_of_tag(std::string_view spelling) {
    for (const auto& [name, number] : spellings)
        if (name == spelling) return number;
    return -1;
}

} // namespace tessera
