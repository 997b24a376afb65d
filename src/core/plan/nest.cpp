// SPDX-License-Identifier: Apache-2.0
#include "core/plan/nest.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "core/sort_few.hpp"

namespace tessera {

const Tables::All Tables::none{};

void Tables::set(size_t operand, std::vector<int64_t> offsets) {
    set(operand, std::make_shared<const std::vector<int64_t>>(std::move(offsets)));
}

void Tables::set(size_t operand, Table offsets) {
    auto changed = std::make_shared<All>(all()); // copy on write: other loops may share the tables
    changed->tables[operand] = std::move(offsets);
    changed->operands = std::max(changed->operands, operand + 1);
    all_ = std::move(changed);
}

bool Tables::operator==(const Tables& other) const {
    for (size_t o = 0; o < std::max(operands(), other.operands()); ++o) {
        const Table &a = (*this)[o], &b = other[o];
        if (bool(a) != bool(b) || (a && *a != *b)) return false;
    }
    return true;
}

int64_t Nest::points() const {
    int64_t n = 1;
    for (const Loop& l : loops) {
        if (l.extent == 0) return 0;
        n = n < most / l.extent ? n * l.extent : most;
    }
    return n;
}

Nest coalesce(const Nest& nest, int operands) {
    Nest result;
    result.base = nest.base;
    result.loops.reserve(nest.loops.size());
    for (const Loop& loop : nest.loops) {
        if (loop.extent == 1) {
            for (int o = 0; o < operands; ++o)
                if (const int64_t at = loop.offset(o, 0)) result.base[size_t(o)] += at;
            continue;
        }
        if (!result.loops.empty()) {
            const Loop& outer = result.loops.back();
            bool chains = outer.kind == loop.kind && !outer.indexed() && !loop.indexed();
            for (size_t o = 0; chains && o < size_t(operands); ++o)
                chains = outer.stride[o] == loop.extent * loop.stride[o];
            if (chains) {
                result.loops.back().extent *= loop.extent;
                result.loops.back().stride = loop.stride;
                continue;
            }
        }
        result.loops.push_back(loop);
    }
    return result;
}

namespace {

// The stride of the loop in the operand; for an indexed loop the smallest step of its table.
int64_t reach(const Loop& loop, size_t o) {
    if (!loop.table[o]) return std::abs(loop.stride[o]);
    const auto& t = *loop.table[o];
    int64_t least = std::numeric_limits<int64_t>::max();
    for (size_t i = 1; i < t.size(); ++i) least = std::min(least, std::abs(t[i] - t[i - 1]));
    return t.size() > 1 ? least : 0;
}

} // namespace

Nest order(const Nest& nest, int operands, int operand) {
    Nest result = nest;
    auto before = [&](const Loop& a, const Loop& b) {
        if ((a.kind == LoopKind::reduce) != (b.kind == LoopKind::reduce)) return b.kind == LoopKind::reduce;
        if (a.kind == LoopKind::reduce) return false;
        if (const int64_t x = reach(a, size_t(operand)), y = reach(b, size_t(operand)); x != y) return x > y;
        for (size_t o = 0; o < size_t(operands); ++o)
            if (const int64_t x = reach(a, o), y = reach(b, o); x != y) return x > y;
        return false;
    };
    sort_few(result.loops.begin(), result.loops.end(), before);
    return result;
}

std::string to_string(const Nest& nest, int operands) {
    std::string text;
    for (const Loop& loop : nest.loops) {
        if (!text.empty()) text += " . ";
        if (loop.kind == LoopKind::reduce) text += "sum ";
        text += fmt::format("{}:", loop.extent);
        for (int o = 0; o < operands; ++o) {
            text += o ? "," : "";
            text += loop.table[size_t(o)] ? "table" : fmt::format("{}", loop.stride[size_t(o)]);
        }
    }
    return text.empty() ? "once" : text;
}

} // namespace tessera
