// SPDX-License-Identifier: Apache-2.0
#include "layout.hpp"

#include <algorithm>
#include <cctype>
#include <map>

#include "../problems/element.hpp"
#include "oneapi/dnnl/dnnl_debug.h"

namespace differential {
namespace {

const std::map<std::string, int>& tags() {
    static const auto table = [] {
        std::map<std::string, int> names;
        for (int value = dnnl_format_tag_any + 1; value < dnnl_format_tag_last; ++value) {
            const std::string name = dnnl_fmt_tag2str(dnnl_format_tag_t(value));
            if (name.find("unknown") == std::string::npos) names.emplace(name, value);
        }
        return names;
    }();
    return table;
}

// nChw16c -> aBcd16b: the letters of an alias stand for a, b, c... in the logical order of its family. Six are
// irregular (the last two letters of their inner list exchanged).
std::string canonical(const std::string& alias) {
    static const std::map<std::string, std::string> irregular = {{"OhwI24o", "Acdb24a"},
                                                                 {"OhwI32o", "Acdb32a"},
                                                                 {"gOhwI24o", "aBdec24b"},
                                                                 {"gOhwI32o", "aBdec32b"},
                                                                 {"gIOhw2i8o16i2o", "aBCde2c8b16c2b"},
                                                                 {"gIOdhw2i8o16i2o", "aBCdef2c8b16c2b"}};
    if (const auto it = irregular.find(alias); it != irregular.end()) return it->second;
    std::string lower;
    for (const char c : alias) lower += char(std::tolower(c));
    const auto has = [&](char c) { return lower.find(c) != std::string::npos; };
    if (has('a') || has('b')) return alias;
    const std::string family = has('x')               ? "x"
                               : has('l') && has('n') ? "ldnc"
                               : has('l')             ? "ldigo"
                               : has('o')             ? "goidhw"
                               : has('t')             ? "tnc"
                                                      : "ncdhw";
    std::map<char, char> letter;
    for (const char c : family)
        if (has(c)) letter.emplace(c, char('a' + letter.size()));
    std::string name;
    for (size_t i = 0; i < alias.size(); ++i) {
        if (std::isdigit(alias[i]))
            name += alias[i];
        else if (!letter.count(lower[i]))
            return alias;
        else
            name += std::isupper(alias[i]) ? char(std::toupper(letter[lower[i]])) : letter[lower[i]];
    }
    return name;
}

// A tag that is a permutation of a, b, c... and has no enumerator still has strides.
bool dense_strides(const std::string& tag, const Dims& dims, dnnl_dims_t strides) {
    std::string sorted = tag;
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < sorted.size(); ++i)
        if (sorted[i] != char('a' + i)) return false;
    int64_t next = 1;
    for (size_t i = tag.size(); i-- > 0;) {
        const auto d = size_t(tag[i] - 'a');
        if (d >= dims.size()) return false;
        strides[d] = next;
        next *= std::max<int64_t>(1, dims[d]);
    }
    return tag.size() == dims.size();
}

void copy(const Dims& from, dnnl_dims_t to) { std::copy(from.begin(), from.end(), to); }

void describe_whole(const Side& side, int runtime_mask, Described& out) {
    const Type* t = type(side.type);
    if (!t) return void(out.skip = "type-" + side.type);
    const Dims& logical = side.parent.empty() ? side.dims : side.parent;
    const int ndims = int(logical.size());
    dnnl_dims_t dims{}, strides{};
    copy(logical, dims);
    for (int d = 0; d < ndims; ++d)
        if (runtime_mask >> d & 1) dims[d] = DNNL_RUNTIME_DIM_VAL;
    const auto dt = dnnl_data_type_t(t->id);
    if (!side.strides.empty()) {
        copy(side.strides, strides);
        out.status = dnnl_memory_desc_create_with_strides(&out.whole.value, ndims, dims, dt, strides);
        return;
    }
    const std::string tag = canonical(side.tag);
    const auto known = tags().find(tag);
    if (tag == "any" || known != tags().end()) {
        const auto value = tag == "any" ? dnnl_format_tag_any : dnnl_format_tag_t(known->second);
        out.status = dnnl_memory_desc_create_with_tag(&out.whole.value, ndims, dims, dt, value);
    } else if (!runtime_mask && dense_strides(tag, logical, strides)) {
        out.status = dnnl_memory_desc_create_with_strides(&out.whole.value, ndims, dims, dt, strides);
    } else {
        out.skip = "tag-" + side.tag;
    }
}

const int64_t* dims_query(const_dnnl_memory_desc_t md, dnnl_query_t what) {
    const dnnl_dims_t* dims = nullptr;
    return dnnl_memory_desc_query(md, what, &dims) == dnnl_success ? *dims : nullptr;
}

int int_query(const_dnnl_memory_desc_t md, dnnl_query_t what) {
    int value = 0;
    dnnl_memory_desc_query(md, what, &value);
    return value;
}

} // namespace

std::vector<std::string> tag_names() {
    std::vector<std::string> names;
    for (const auto& [name, value] : tags())
        if (canonical(name) == name && std::isalpha(name[0]) && std::tolower(name[0]) <= 'l') names.push_back(name);
    return names;
}

Described describe(const Side& side, int runtime_mask) {
    Described out;
    describe_whole(side, runtime_mask, out);
    if (out.status != dnnl_success || !out.skip.empty() || side.parent.empty()) return out;
    if (side.offsets.size() != side.parent.size() || side.dims.size() != side.parent.size()) {
        out.skip = "view-ranks";
        return out;
    }
    dnnl_dims_t dims{}, offsets{};
    copy(side.dims, dims);
    copy(side.offsets, offsets);
    out.status = dnnl_memory_desc_create_submemory(&out.view.value, out.whole.value, dims, offsets);
    return out;
}

Dims dims_of(const_dnnl_memory_desc_t md) {
    const int64_t* dims = dims_query(md, dnnl_query_dims);
    return dims ? Dims(dims, dims + int_query(md, dnnl_query_ndims_s32)) : Dims{};
}

void each_element(const_dnnl_memory_desc_t md, bool padded, const std::function<void(int64_t, int64_t)>& visit) {
    const int ndims = int_query(md, dnnl_query_ndims_s32), blocks = int_query(md, dnnl_query_inner_nblks_s32);
    const int64_t* dims = dims_query(md, padded ? dnnl_query_padded_dims : dnnl_query_dims);
    const int64_t* strides = dims_query(md, dnnl_query_strides);
    const int64_t* sizes = dims_query(md, dnnl_query_inner_blks);
    const int64_t* axes = dims_query(md, dnnl_query_inner_idxs);
    int64_t start = 0, total = 1;
    dnnl_memory_desc_query(md, dnnl_query_submemory_offset_s64, &start);
    if (!dims || !strides) return;
    for (int d = 0; d < ndims; ++d) total *= dims[d];
    for (int64_t linear = 0; linear < total; ++linear) {
        int64_t index[DNNL_MAX_NDIMS]{}, rest = linear, offset = start, step = 1;
        for (int d = ndims; d-- > 0; rest /= dims[d]) index[d] = rest % dims[d];
        for (int b = blocks; b-- > 0; step *= sizes[b]) {
            offset += index[axes[b]] % sizes[b] * step;
            index[axes[b]] /= sizes[b];
        }
        for (int d = 0; d < ndims; ++d) offset += index[d] * strides[d];
        visit(linear, offset);
    }
}

} // namespace differential
