// SPDX-License-Identifier: Apache-2.0
#include "gpu/header.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

#include <fmt/format.h>

namespace tessera::gpu {

Header::Header(const Plan& plan) : text_("    FIND_PART\n") {
    for (size_t o = 0; o < plan.operands.size(); ++o) {
        if (plan.operands[o].counted) continue;
        text_ += fmt::format("    const buffer o{0} = b{0} + nest[{1}];\n", o, numbers.size());
        numbers.push_back(plan.operands[o].bytes);
    }
}

void Header::add(std::string_view name, int64_t value) {
    text_ += fmt::format("    const place {} = nest[{}];\n", name, numbers.size());
    numbers.push_back(value);
}

int64_t Header::add_table(const Table& table) {
    if (!table) return -1;
    const auto start = int64_t(tables.size());
    tables.insert(tables.end(), table->begin(), table->end());
    return start;
}

void Header::add_loop(std::string_view name, const Loop& loop, size_t operands) {
    for (size_t o = 0; o < operands; ++o) {
        add(fmt::format("stride_{}{}", name, o), loop.stride[o]);
        add(fmt::format("table_{}{}", name, o), add_table(loop.table[o]));
    }
}

namespace {

// A number and what quotient() divides by it with; of 0, which an empty loop has, anything.
std::array<int64_t, 3> divisor(int64_t by) {
    const auto divided_by = uint64_t(std::max<int64_t>(by, 1));
    const int shift = std::bit_width(divided_by - 1); // 2^shift >= by
    const uint64_t magic = by >> 31 ? 0 : (((uint64_t(1) << shift) - divided_by) << 32) / divided_by + 1;
    return {by, int64_t(int32_t(uint32_t(magic))), shift};
}

} // namespace

void Header::add_divisor(const std::string& name, int64_t by) {
    const auto [itself, magic, shift] = divisor(by);
    add(name, itself), add(name + "_magic", magic), add(name + "_shift", shift);
}

std::string divided(std::string_view n, std::string_view name, bool wide) {
    if (wide) return fmt::format("({}) / {}", n, name);
    return fmt::format("(place)quotient((uint)({0}), (uint){1}_magic, (uint){1}_shift)", n, name);
}

void Header::add_loops(std::span<const Loop> loops, size_t operands) {
    text_ += fmt::format("    global const place* const loops = nest + {};\n", numbers.size());
    for (const Loop& loop : loops) {
        for (const int64_t number : divisor(loop.extent)) numbers.push_back(number);
        for (size_t o = 0; o < operands; ++o) {
            numbers.push_back(loop.stride[o]);
            numbers.push_back(add_table(loop.table[o]));
        }
    }
}

std::string source_of_arguments(const Plan& plan, std::string_view space) {
    std::string text = fmt::format("{} const place* restrict nest, global const place* restrict tables", space);
    for (size_t o = 0; o < plan.operands.size(); ++o)
        if (!plan.operands[o].counted) text += fmt::format(", buffer restrict b{}", o);
    return text;
}

std::string along(const Loop& loop, std::string_view name, std::string_view number, size_t o) {
    if (loop.table[o]) return fmt::format(" + ALONG(stride_{0}{1}, table_{0}{1}, {2})", name, o, number);
    if (loop.extent == 1 || loop.stride[o] == 0) return "";
    if (loop.stride[o] == 1) return fmt::format(" + {}", number);
    return fmt::format(" + {} * stride_{}{}", number, name, o);
}

std::string unrolled_as(const DeviceRow& row, std::string source) {
    constexpr std::string_view hint = "#pragma unroll\n";
    if (row.unrolls) return source;
    for (size_t at = 0; (at = source.find(hint, at)) != std::string::npos;) source.erase(at, hint.size());
    return source;
}

std::string source_in_front(bool wide, bool converts_f16) {
    // PLACE() divides by loops: by multiplication where numbers have 32 bits.
    return fmt::format("typedef {} place;\n#define QUOTIENT(n, by, magic, shift) {}\n{}{}", wide ? "long" : "int",
                       wide ? "((n) / (by))" : "((place)quotient((uint)(n), (uint)(magic), (uint)(shift)))",
                       converts_f16 ? "#define CONVERTS_F16\n" : "", source_of_types());
}

namespace {

constexpr int64_t most = int64_t(1) << 30; // a run beyond the end of a loop fits, too

} // namespace

bool needs_wide_places(const DeviceRow& row, const Plan& plan, const Nest& nest) {
    return nest.points() > most || needs_wide_elements(row, plan, nest);
}

bool needs_wide_elements(const DeviceRow& row, const Plan& plan, const Nest& nest) {
    if (row.wide) return true;
    for (size_t o = 0; o < plan.operands.size(); ++o) {
        int64_t reach = std::max(plan.operands[o].bytes, std::abs(nest.base[o]));
        for (const Loop& loop : nest.loops) {
            int64_t furthest = std::abs(loop.stride[o]);
            if (furthest > most) return true;
            furthest *= loop.extent;
            if (const Table& table = loop.table[o])
                for (const int64_t at : *table) furthest = std::max(furthest, std::abs(at));
            reach += furthest;
            if (reach > most) return true;
        }
    }
    return false;
}

} // namespace tessera::gpu
