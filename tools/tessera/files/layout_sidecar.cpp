// SPDX-License-Identifier: Apache-2.0
#include "files/layout_sidecar.hpp"

#include <charconv>
#include <cstring>

#include <fmt/ranges.h>

#include "files/npy_header.hpp"
#include "line/literal.hpp"

namespace tessera {
namespace {

Result<std::vector<int64_t>> integers(const Literal& list, std::string_view key) {
    if (list.kind != Literal::Kind::list) return invalid("\"{}\" is not a list such as [2, 3]", key);
    if (list.items.size() > size_t(max_ndims))
        return invalid("\"{}\" has {} entries; at most {} are possible", key, list.items.size(), max_ndims);
    std::vector<int64_t> values;
    for (const Literal& item : list.items) {
        if (item.kind != Literal::Kind::integer || item.integer < 0)
            return invalid("entry {} of \"{}\" is not an integer from 0 to 2^63 - 1", values.size(), key);
        values.push_back(item.integer);
    }
    return values;
}

} // namespace

std::string sidecar_path(const std::string& path) { return path + ".layout.json"; }

Result<Sidecar> parse_sidecar(std::string_view json) {
    if (json.size() > max_header_bytes)
        return invalid("{} bytes; more than {} are not read", json.size(), max_header_bytes);
    const auto literal = parse_literal(json);
    if (!literal) return Refusal(literal.error());
    if (literal->kind != Literal::Kind::dictionary) return invalid("not an object such as {{\"type\": \"bf16\"}}");
    Sidecar sidecar;
    if (const Literal* type = literal->find("type")) {
        sidecar.type = parse_data_type(type->string);
        if (!sidecar.type) return invalid("\"type\" is not the name of a data type such as \"bf16\" or \"s8\"");
    }
    if (const Literal* tag = literal->find("tag")) {
        if (tag->kind != Literal::Kind::string) return invalid("\"tag\" is not a string such as \"nchw\"");
        sidecar.tag = tag->string;
    }
    if (const Literal* dims = literal->find("dims")) {
        auto values = integers(*dims, "dims");
        if (!values) return Refusal(std::move(values.error()));
        if (auto volume = volume_of(*values, 1); !volume) return Refusal(std::move(volume.error()));
        sidecar.dims = std::move(*values);
    }
    if (const Literal* checksum = literal->find("checksum")) {
        const std::string& text = checksum->string;
        uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
        if (text.size() != 16 || error != std::errc() || end != text.data() + text.size())
            return invalid("\"checksum\" is not a string of 16 hexadecimal digits");
        sidecar.checksum = value;
    }
    const Literal* strides = literal->find("strides");
    if (strides && !(strides->items.empty() && !sidecar.tag.empty())) {
        auto values = integers(*strides, "strides");
        if (!values) return Refusal(std::move(values.error()));
        if (!sidecar.dims || sidecar.dims->size() != values->size())
            return invalid("\"strides\" has {:entry|entries}, \"dims\" {}", counted(values->size()),
                           sidecar.dims ? sidecar.dims->size() : 0);
        sidecar.strides = std::move(*values);
    }
    return sidecar;
}

std::string make_sidecar(const NpyLayout& layout, uint64_t checksum) {
    return fmt::format(
        "{{\"dims\": [{}], \"type\": \"{}\", \"tag\": {}, \"strides\": [{}], \"checksum\": \"{:016x}\"}}\n",
        fmt::join(layout.dims, ", "), name(layout.type), json_string(layout.tag), fmt::join(layout.strides, ", "),
        checksum);
}

uint64_t checksum_of(std::span<const char> data) {
    // A bijection of 64 bits, so that a word that differs alone always shows.
    const auto mixed = [](uint64_t x) { return x *= 0x9e3779b97f4a7c15, x ^ x >> 32; };
    uint64_t lanes[4] = {1, 2, 3, 4};
    const auto take = [&](const char* block) {
        for (size_t i = 0; i < 4; ++i) {
            uint64_t word;
            std::memcpy(&word, block + 8 * i, 8);
            lanes[i] = mixed(lanes[i] ^ word);
        }
    };
    size_t at = 0;
    for (; at + 32 <= data.size(); at += 32) take(data.data() + at);
    char rest[32] = {};
    if (at < data.size()) std::memcpy(rest, data.data() + at, data.size() - at);
    take(rest);
    uint64_t sum = data.size();
    for (const uint64_t lane : lanes) sum = mixed(sum ^ lane);
    return sum;
}

Result<int64_t> span_of(const NpyLayout& layout) {
    int64_t last = 0;
    bool empty = false;
    for (size_t i = 0; i < layout.dims.size(); ++i) {
        if (layout.dims[i] < 0 || layout.strides[i] < 0)
            return invalid("dims {} with strides {}: neither may be negative", layout.dims, layout.strides);
        if (layout.dims[i] == 0) {
            empty = true;
            continue;
        }
        int64_t reach;
        if (__builtin_mul_overflow(layout.dims[i] - 1, layout.strides[i], &reach) ||
            __builtin_add_overflow(last, reach, &last))
            return invalid("dims {} with strides {} span more than 2^63 - 1 elements", layout.dims, layout.strides);
    }
    if (empty) return int64_t{0};
    if (last == INT64_MAX)
        return invalid("dims {} with strides {} span more than 2^63 - 1 elements", layout.dims, layout.strides);
    return last + 1;
}

} // namespace tessera
