// SPDX-License-Identifier: Apache-2.0
#include "cpu/machine_row.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>

#include <fmt/format.h>

#include "core/nearest.hpp"
#include "cpu/engine.hpp"

namespace tessera::cpu {

namespace {

struct Field {
    const char* key;
    int64_t Machine::*number; // or
    bool Machine::*flag;
    int64_t least, most;
};

// 16 TiB from which on stores stream: never.
constexpr Field fields[] = {
    {"l1_bytes", &Machine::l1_bytes, nullptr, 4 << 10, 1 << 20},
    {"l1_ways", &Machine::l1_ways, nullptr, 1, 64},
    {"l2_bytes", &Machine::l2_bytes, nullptr, 64 << 10, 1 << 30},
    {"l3_bytes", &Machine::l3_bytes, nullptr, 64 << 10, int64_t(1) << 34},
    {"stream_bytes", &Machine::stream_bytes, nullptr, 0, int64_t(1) << 44},
    {"parallel_bytes", &Machine::parallel_bytes, nullptr, 0, int64_t(1) << 44},
    {"fast_bf16_products", nullptr, &Machine::fast_bf16_products, 0, 1},
    {"two_shuffles", nullptr, &Machine::two_shuffles, 0, 1},
    {"spare_vector_pipes", nullptr, &Machine::spare_vector_pipes, 0, 1},
    {"follows_rows", nullptr, &Machine::follows_rows, 0, 1},
};
constexpr size_t longest_file = 64 << 10;
constexpr std::string_view between = " \t\r\n,";

// A decimal number, perhaps with K, M or G behind; -1 where it is none.
int64_t number(std::string_view text) {
    int64_t value = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (wrong != std::errc() || value < 0) return -1;
    const std::string_view unit = text.substr(size_t(end - text.data()));
    const int shift = unit.empty() ? 0 : unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : -1;
    if (shift < 0 || value > INT64_MAX >> shift) return -1;
    return value << shift;
}

std::string known_keys() {
    std::string keys;
    for (const Field& f : fields) keys += fmt::format("{}{}", keys.empty() ? "" : " ", f.key);
    return keys;
}

// Which of the fields `item` has set.
Result<size_t> set(Machine& m, std::string_view item) {
    const size_t equals = item.find('=');
    if (equals == std::string_view::npos) return invalid("'{}' is not of the form key=value", item);
    const std::string_view key = item.substr(0, equals), text = item.substr(equals + 1);
    for (const Field& f : fields) {
        if (f.key != key) continue;
        const int64_t value = number(text);
        if (value < f.least || value > f.most)
            return invalid("{}: '{}' is no number from {} to {}", key, text, f.least, f.most);
        if (f.number)
            m.*f.number = value;
        else
            m.*f.flag = value != 0;
        return size_t(&f - fields);
    }
    std::vector<std::string_view> keys;
    for (const Field& f : fields) keys.push_back(f.key);
    const std::string_view meant = nearest(key, keys);
    return invalid("'{}' is no key; known are {}{}", key, known_keys(),
                   meant.empty() ? "" : fmt::format(" (did you mean {}?)", meant));
}

} // namespace

Result<Machine> with_row(const Machine& machine, std::string_view row) {
    Machine m = machine;
    bool given[std::size(fields)] = {};
    while (!row.empty()) {
        if (row[0] == '#') {
            row.remove_prefix(std::min(row.find('\n'), row.size()));
        } else if (between.find(row[0]) != std::string_view::npos) {
            row.remove_prefix(1);
        } else {
            const std::string_view item = row.substr(0, row.find_first_of(" \t\r\n,#"));
            row.remove_prefix(item.size());
            const auto field = set(m, item);
            if (!field) return Refusal(field.error());
            if (given[*field]) return invalid("{} is given twice", fields[*field].key);
            given[*field] = true;
        }
    }
    if (m.l1_bytes > m.l2_bytes || m.l2_bytes > m.l3_bytes)
        return invalid("l1_bytes {}, l2_bytes {} and l3_bytes {} shrink; each level has at least as many as the one "
                       "before",
                       m.l1_bytes, m.l2_bytes, m.l3_bytes);
    if (m.fast_bf16_products && !machine_of(m.isa, m.byte_permute, true).fast_bf16_products)
        return invalid("fast_bf16_products: the instructions of {} have none of bf16", m.name);
    for (const auto& [key, given] :
         {std::pair{"two_shuffles", m.two_shuffles}, {"spare_vector_pipes", m.spare_vector_pipes}})
        if (given && m.vector_bytes != 64)
            return invalid("{}: the vectors of {} have {} bytes, not 64", key, m.name, m.vector_bytes);
    return m;
}

Result<std::string> read_row_file(const char* path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path, "r"), std::fclose);
    if (!file)
        return invalid("'{}' is no list of key=value and no file that can be read: {}", path, std::strerror(errno));
    std::string text(longest_file + 1, 0);
    text.resize(std::fread(text.data(), 1, text.size(), file.get()));
    if (std::ferror(file.get())) return invalid("'{}' cannot be read: {}", path, std::strerror(errno));
    if (text.size() > longest_file) return invalid("'{}' is longer than {} bytes", path, longest_file);
    return text;
}

std::string row_of(const Machine& m) {
    std::string row;
    for (const Field& f : fields)
        row += fmt::format("{}{}={}", row.empty() ? "" : " ", f.key, f.number ? m.*f.number : int64_t(m.*f.flag));
    return row;
}

} // namespace tessera::cpu
