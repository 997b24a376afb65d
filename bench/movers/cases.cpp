// SPDX-License-Identifier: Apache-2.0
// Shapes, types, layouts and targets of the cases.
#include "cases.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera::bench {
namespace {

constexpr Named<Type> f32 = {"f32", Type::f32}, bf16 = {"bf16", Type::bf16}, f16 = {"f16", Type::f16},
                      s8 = {"s8", Type::s8}, u8 = {"u8", Type::u8}, s32 = {"s32", Type::s32};
constexpr Named<Type> types[] = {f32, bf16, f16, s8, u8, s32};
constexpr Named<Tag> image_tags[] = {{"abcd", Tag::abcd}, {"acdb", Tag::acdb}, {"aBcd16b", Tag::aBcd16b}};
constexpr int64_t line = 64; // bytes of a cache line

int64_t bytes_of(Named<Type> type) { return int64_t(memory::data_type_size(type.second)); }

// A layout by its tag or, where no tag spells it, as the full reversal.
struct Layout {
    const char* name;
    Tag tag;
    memory::desc of(const Dims& dims, Type type) const {
        if (tag != Tag::undef) return memory::desc(dims, type, tag);
        Dims strides(dims.size());
        memory::dim next = 1;
        for (size_t d = 0; d < dims.size(); next *= dims[d++]) strides[d] = next;
        return memory::desc(dims, type, strides);
    }
};

Case reorder_case(const char* set, double target, Named<Type> from_type, Named<Type> to_type, Layout from, Layout to,
                  const Dims& dims) {
    const bool one_type = from_type.second == to_type.second && std::string_view(set) == "transpose";
    const std::string pair = one_type ? from_type.first : fmt::format("{}->{}", from_type.first, to_type.first);
    return {set, fmt::format("{} {}->{} {}", pair, from.name, to.name, shape(dims)), target,
            [=] { return move_between(from.of(dims, from_type.second), to.of(dims, to_type.second)); }};
}

// 2-D transposes, reversals and weights; `row` is the shortest contiguous run in elements.
double transpose_target(Named<Type> type, int64_t row) {
    return bytes_of(type) == 1 || row * bytes_of(type) < line ? 0.4 : 0.5;
}

std::vector<Case> pairs_of_image_layouts(const char* set, double target, const Dims& dims, bool mixed_types) {
    std::vector<Case> cases;
    for (auto from_type : types)
        for (auto to_type : types)
            for (auto [from_tag, from] : image_tags)
                for (auto [to_tag, to] : image_tags)
                    if (mixed_types || from_type == to_type)
                        cases.push_back(
                            reorder_case(set, target, from_type, to_type, {from_tag, from}, {to_tag, to}, dims));
    return cases;
}

} // namespace

std::string shape(const Dims& dims) { return fmt::format("{}", fmt::join(dims, "x")); }

std::vector<Case> reorder_cases() { return pairs_of_image_layouts("reorder", 0.65, {8, 64, 56, 56}, true); }

std::vector<Case> dram_cases() { return pairs_of_image_layouts("dram", 0.8, {32, 256, 56, 56}, false); }

std::vector<Case> shuffle_cases() {
    constexpr Named<Tag> tags[] = {{"nchw", Tag::nchw}, {"nhwc", Tag::nhwc}, {"nChw16c", Tag::nChw16c}};
    // Channels, height = width and groups of ShuffleNet's stages.
    constexpr int layers[][3] = {{240, 28, 3}, {480, 14, 3}, {960, 7, 3},  {272, 28, 4}, {480, 14, 4},
                                 {384, 28, 8}, {480, 14, 8}, {116, 28, 2}, {232, 14, 2}, {464, 7, 2}};
    std::vector<Case> cases;
    for (auto type : types)
        for (auto [tag_name, tag] : tags)
            for (const auto& [channels, side, groups] : layers) {
                const Dims dims = {8, channels, side, side};
                // A plane of nchw moves as one row.
                const bool short_row = tag == Tag::nchw && side * side * bytes_of(type) < line;
                cases.push_back({"shuffle", fmt::format("{} {} {} g{}", type.first, tag_name, shape(dims), groups),
                                 short_row ? 0.5 : 0.65, [dims, type, tag = tag, groups = groups] {
                                     return shuffle_channels(memory::desc(dims, type.second, tag), groups);
                                 }});
            }
    for (const int groups : {4, 8}) // planes of 49 bytes, more of them than one core's cache holds
        cases.push_back({"shuffle", fmt::format("u8 nchw 32x512x7x7 g{}", groups), 0.5, [groups] {
                             return shuffle_channels(memory::desc({32, 512, 7, 7}, Type::u8, Tag::nchw), groups);
                         }});
    return cases;
}

std::vector<Case> transpose_cases() {
    std::vector<Case> cases;
    auto add = [&](const Dims& dims, Named<Type> type, Layout from, Layout to, double target) {
        cases.push_back(reorder_case("transpose", target, type, type, from, to, dims));
    };
    constexpr Layout oihw = {"oihw", Tag::oihw}, nchw = {"nchw", Tag::nchw}, blocked = {"nChw16c", Tag::nChw16c};
    for (auto type : {f32, bf16, s8})
        for (const Dims& dims : {Dims{1024, 1024}, Dims{4096, 4096}, Dims{1000, 1003}, Dims{17, 100000}})
            add(dims, type, {"ab", Tag::ab}, {"ba", Tag::ba}, transpose_target(type, std::min(dims[0], dims[1])));
    for (auto type : {f32, bf16, s8}) {
        add({32, 48, 40, 56}, type, {"abcd", Tag::abcd}, {"dcba", Tag::undef}, transpose_target(type, 32));
        add({16, 17, 18, 19, 20}, type, {"abcde", Tag::abcde}, {"edcba", Tag::undef}, transpose_target(type, 16));
    }
    for (const Dims& dims :
         {Dims{64, 64, 3, 3}, Dims{256, 256, 3, 3}, Dims{512, 512, 3, 3}}) { // nine taps stay together
        add(dims, f32, oihw, {"OIhw16i16o", Tag::OIhw16i16o}, transpose_target(f32, 9));
        add(dims, bf16, oihw, {"OIhw16i16o", Tag::OIhw16i16o}, transpose_target(bf16, 9));
        add(dims, s8, oihw, {"OIhw4i16o4i", Tag::OIhw4i16o4i}, transpose_target(s8, 9));
    }
    for (const Dims& dims : {Dims{1024, 1024}, Dims{4096, 4096}})
        add(dims, s8, {"ab", Tag::ab}, {"BA16a64b4a", Tag::BA16a64b4a}, transpose_target(s8, dims[0]));
    for (const Dims& dims : {Dims{32, 64, 56, 56}, Dims{32, 256, 14, 14}, Dims{32, 512, 7, 7}})
        add(dims, s8, {"nhwc", Tag::nhwc}, nchw, transpose_target(s8, dims[2] * dims[3]));
    for (auto type : {f32, bf16, s8}) { // 60 channels: the last block of 16 is padded
        add({8, 60, 56, 56}, type, nchw, blocked, transpose_target(type, 3136));
        add({8, 60, 56, 56}, type, blocked, nchw, transpose_target(type, 3136));
    }
    return cases;
}

std::vector<Case> shapes_cases() {
    constexpr Layout of_3[] = {{"abc", Tag::abc}, {"acb", Tag::acb}, {"aBc16b", Tag::aBc16b}};
    constexpr Layout of_4[] = {{"abcd", Tag::abcd}, {"acdb", Tag::acdb}, {"aBcd16b", Tag::aBcd16b}};
    constexpr Layout of_5[] = {{"abcde", Tag::abcde}, {"acdeb", Tag::acdeb}, {"aBcde16b", Tag::aBcde16b}};
    const Dims shapes[] = {{8, 60, 56, 56}, {8, 67, 28, 28}, {1, 64, 56, 56},   {1, 512, 7, 7},
                           {32, 256, 7, 7}, {8, 64, 3136},   {2, 32, 8, 28, 28}};
    const std::pair<Named<Type>, Named<Type>> pairs[] = {{f32, f32}, {bf16, bf16}, {s8, s8},
                                                         {f32, s8},  {s8, f32},    {bf16, f32}};
    std::vector<Case> cases;
    for (const Dims& dims : shapes) {
        const Layout* layouts = dims.size() == 3 ? of_3 : dims.size() == 4 ? of_4 : of_5;
        const int64_t plane = volume(dims) / dims[0] / dims[1];
        for (auto [from_type, to_type] : pairs)
            for (int from = 0; from < 3; ++from)
                for (int to = 0; to < 3; ++to) {
                    if (from == to) continue;
                    const bool padded = dims[1] % 16 != 0 && (from == 2 || to == 2);
                    const bool short_row = plane * std::min(bytes_of(from_type), bytes_of(to_type)) < line;
                    cases.push_back(reorder_case("shapes",
                                                 short_row ? 0.4
                                                 : padded  ? 0.5
                                                           : 0.65,
                                                 from_type, to_type, layouts[from], layouts[to], dims));
                }
    }
    return cases;
}

} // namespace tessera::bench
