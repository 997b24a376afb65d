// SPDX-License-Identifier: Apache-2.0
#include "random_problem.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/format.h>

namespace tessera::fuzz {

namespace {

std::string random_tag(Random& r, int ndims) {
    std::vector<int> order(static_cast<size_t>(ndims));
    std::iota(order.begin(), order.end(), 0);
    if (chance(r, 80)) std::shuffle(order.begin(), order.end(), r);
    std::string inner;
    std::vector<bool> blocked(size_t(ndims), false);
    const int blocks = chance(r, 45) ? 0 : 1 + int(below(r, 3));
    constexpr int sizes[] = {2, 4, 8, 16, 3, 12, 5, 24};
    for (int b = 0; b < blocks; ++b) {
        const int d = int(below(r, ndims));
        blocked[size_t(d)] = true;
        inner += fmt::format("{}{}", sizes[below(r, chance(r, 70) ? 4 : 8)], char('a' + d));
    }
    std::string tag;
    for (int d : order) tag += char((blocked[size_t(d)] ? 'A' : 'a') + d);
    return tag + inner;
}

} // namespace

DataType random_type(Random& r) {
    constexpr DataType common[] = {DataType::f32, DataType::bf16, DataType::f16,
                                   DataType::s8,  DataType::u8,   DataType::s32};
    return chance(r, 60) ? common[below(r, 6)] : all_types[size_t(below(r, std::size(all_types)))];
}

std::pair<DataType, DataType> random_types(Random& r, DataType (*type)(Random&)) {
    if (!chance(r, 15)) {
        const DataType from = type(r);
        return {from, chance(r, 30) ? from : type(r)};
    }
    const bool up = chance(r, 50);
    return {up ? DataType::s8 : DataType::u8, up ? DataType::u8 : DataType::s8};
}

std::vector<int64_t> random_dims(Random& r) {
    const int ndims = chance(r, 5) ? 7 + int(below(r, 6)) : 1 + int(below(r, 6));
    std::vector<int64_t> dims;
    int64_t volume = 1;
    for (int d = 0; d < ndims; ++d) {
        int64_t extent = chance(r, 20) ? 1 : chance(r, 20) ? 8 << below(r, 4) : 1 + below(r, chance(r, 30) ? 70 : 9);
        if (chance(r, 1)) extent = 0;
        while (volume * extent > 20000) extent = (extent + 1) / 2;
        if (extent > 0) volume *= extent;
        dims.push_back(extent);
    }
    return dims;
}

namespace {

// Blocks of several dims multiply: 24 x 24 x 24 for a 3 x 3 x 3 tensor. Such descriptors test nothing but patience.
constexpr size_t largest = 2 << 20;

// From the closest dim in memory to the farthest: mostly as they are written, or channels last.
std::vector<size_t> random_order(Random& r, size_t ndims) {
    std::vector<size_t> order(ndims);
    std::iota(order.rbegin(), order.rend(), size_t(0));
    if (chance(r, 40))
        std::shuffle(order.begin(), order.end(), r);
    else if (ndims > 2 && chance(r, 30))
        std::rotate(order.begin(), order.end() - 2, order.end() - 1);
    return order;
}

// Strides with gaps behind some dims; where it `repeats`, some of them are 0.
std::optional<MemoryDesc> with_gaps(Random& r, const std::vector<int64_t>& dims, DataType type, bool repeats) {
    std::vector<int64_t> strides(dims.size());
    int64_t stride = chance(r, 90) ? 1 : 2;
    for (const size_t d : random_order(r, dims.size())) {
        if (repeats && chance(r, 50)) continue;
        strides[d] = stride;
        stride *= std::max<int64_t>(dims[d], 1);
        if (chance(r, 50)) stride += below(r, chance(r, 50) ? 4 : 20);
    }
    auto md = make_desc_with_strides(dims, type, strides);
    return md ? std::optional(*md) : std::nullopt;
}

std::optional<MemoryDesc> try_desc(Random& r, const std::vector<int64_t>& dims, DataType type) {
    if (chance(r, 20)) { // a view into something larger; blocks can be cut at their ends alone
        const int64_t unit = chance(r, 60) ? 1 : 8;
        std::vector<int64_t> parent = dims, offsets(dims.size(), 0);
        for (size_t d = 0; d < dims.size(); ++d) {
            if (!chance(r, 50)) continue;
            offsets[d] = chance(r, 50) ? 0 : unit * below(r, 3);
            parent[d] += offsets[d] + unit * below(r, 2);
        }
        auto whole = make_desc_with_tag(parent, type, random_tag(r, int(dims.size())));
        if (!whole || size_of(*whole) > largest) return std::nullopt;
        auto view = submemory(*whole, dims, offsets);
        return view ? std::optional(*view) : std::nullopt;
    }
    if (chance(r, 30)) return with_gaps(r, dims, type, false);
    auto md = make_desc_with_tag(dims, type, random_tag(r, int(dims.size())));
    return md ? std::optional(*md) : std::nullopt;
}

} // namespace

MemoryDesc random_desc(Random& r, std::vector<int64_t> dims, DataType type) {
    for (int attempt = 0; attempt < 20; ++attempt)
        if (auto md = try_desc(r, dims, type); md && size_of(*md) <= largest) return *md;
    std::string plain;
    for (size_t d = 0; d < dims.size(); ++d) plain += char('a' + d);
    if (auto md = make_desc_with_tag(dims, type, plain)) return *md;
    return *make_desc_with_tag(dims, DataType::f32, plain);
}

MemoryDesc random_source(Random& r, std::vector<int64_t> dims, DataType type) {
    if (chance(r, 12))
        if (const auto md = with_gaps(r, dims, type, true); md && size_of(*md) <= largest) return *md;
    return random_desc(r, std::move(dims), type);
}

std::string describe(const Problem& p) {
    std::string text = fmt::format("{} {}", name(p.kind), p.shape());
    for (const Tensor& t : p.tensors) {
        text += fmt::format("\n  {}:{} dims {} padded {} strides {} offset {}", arg_name(t.arg), to_token(t.md),
                            to_string(t.md.dims_span()), to_string({t.md.padded_dims.data(), size_t(t.md.ndims)}),
                            to_string({t.md.strides.data(), size_t(t.md.ndims)}), t.md.offset0);
        for (int j = 0; j < t.md.inner_nblks; ++j)
            text += fmt::format(" {}{}", t.md.inner_blks[size_t(j)], char('a' + t.md.inner_idxs[size_t(j)]));
    }
    return text + fmt::format("\n  {} {}", to_string(p.attr), p.auxiliary());
}

} // namespace tessera::fuzz
