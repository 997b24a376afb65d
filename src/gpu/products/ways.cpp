// SPDX-License-Identifier: Apache-2.0
#include "gpu/products/ways.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tessera::gpu {

namespace {

Way way_of(const std::vector<int64_t>& table) {
    const auto apart = [&](size_t i) { return table[i] - table[i - 1]; };
    Way way{.moves = true, .table = true};
    size_t near = 0;
    for (size_t i = 1; i < table.size(); ++i) {
        while (apart(i) != 1 && i % size_t(way.run) != 0) way.run /= 2;
        near += apart(i) >= 1 && apart(i) <= 4;
    }
    for (size_t i = 0; i < table.size(); i += size_t(way.run))
        while (table[i] % way.multiple != 0) way.multiple /= 2;
    way.near = 2 * near > table.size();
    return way;
}

} // namespace

Way way_of(const Loop& loop, size_t operand) {
    if (loop.table[operand]) return way_of(*loop.table[operand]);
    const int64_t stride = loop.stride[operand];
    if (loop.extent == 1) return {};
    return {.moves = stride != 0, .run = stride == 1 ? Way::all : 1, .near = stride >= 1 && stride <= 4};
}

Ways ways_of(const Loop& loop, size_t operands) {
    Ways ways(operands);
    for (size_t o = 0; o < operands; ++o) ways[o] = way_of(loop, o);
    return ways;
}

Ways joined(const Ways& a, const Ways& b) {
    Ways ways = a;
    for (size_t o = 0; o < a.size(); ++o) {
        ways[o].moves |= b[o].moves, ways[o].table |= b[o].table, ways[o].near |= b[o].near;
        ways[o].run = std::min(a[o].run, b[o].run), ways[o].multiple = std::min(a[o].multiple, b[o].multiple);
    }
    return ways;
}

std::string along(const Ways& ways, std::string_view name, std::string_view number, size_t o) {
    if (ways[o].table) return fmt::format(" + ALONG(stride_{0}{1}, table_{0}{1}, {2})", name, o, number);
    if (!ways[o].moves) return "";
    if (ways[o].run == Way::all) return fmt::format(" + {}", number);
    return fmt::format(" + {} * stride_{}{}", number, name, o);
}

} // namespace tessera::gpu
