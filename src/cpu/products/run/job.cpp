// SPDX-License-Identifier: Apache-2.0
#include "cpu/products/run/job.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace tessera::cpu {

void SumsPass::run(const ProductViews& v, const ProductUnit& unit, int64_t row, int64_t count, int64_t column,
                   int64_t wide, const char* sums, int64_t sums_row) const {
    constexpr int64_t panel = 16;
    if (v.panels_apart && wide > panel) {
        for (int64_t j = 0; j < wide; j += panel)
            run(v, unit, row, count, column + j, std::min(panel, wide - j), sums + j * 4, sums_row);
        return;
    }
    if (const int64_t here = rows_of_run(v.run_of_c, v.rows, row, count); here < count) {
        for (int64_t i = 0, some; i < count; i += some) {
            some = rows_of_run(v.run_of_c, v.rows, row + i, count - i);
            run(v, unit, row + i, some, column, wide, sums + i * sums_row, sums_row);
        }
        return;
    }
    MapArgs args;
    args.rows = count, args.columns = wide;
    for (const DotView& view : outer) {
        args.base[view.operand] = view.at(unit.bases, unit.batch, row, column);
        args.row[view.operand] = view.bytes(view.row);
    }
    args.base[sum] = const_cast<char*>(sums), args.row[sum] = sums_row;
    args.base[sum + 1] = unit.column_sums + (column - unit.column) * 4, args.row[sum + 1] = 0;
    args.base[sum + 2] = unit.row_sums + (row - unit.block) * cache_line, args.row[sum + 2] = cache_line;
    if (!of_width || wide != width) return (*kernel)(&args);
    const bool streams = streaming && reinterpret_cast<uintptr_t>(args.base[v.c.operand]) % cache_line == 0;
    (streams ? *streaming : *of_width)(&args);
}

// Every row by one kernel, whatever the unit: kernels of one and of several rows add up in different orders. Where
// fewer are left than it has, it computes rows again, or one of them several times.
void RowSums::run(DotArgs& args, const ProductViews& v, const char* first, int64_t row, int64_t count, char* to) const {
    alignas(cache_line) float ones[16];
    std::fill_n(ones, 16, 1.f);
    if (v.integers) std::memset(ones, 1, sizeof ones);
    args.b = ones, args.b_step = args.b_panel = 0, args.accumulate = 0;
    const bool one = v.rows < at_once, few = !one && count < at_once;
    args.a_row = few ? 0 : row, args.c_row = few ? 0 : cache_line;
    for (int64_t i = 0; i < count;) {
        int64_t at = i, here = one || few ? 1 : at_once;
        if (!one && !few && count - i < here) at = count - here;
        args.a = first + at * row, args.c = to + at * cache_line;
        (*kernel[one])(&args);
        i = at + here;
    }
}

void DotGroups::add(const ProductUnit& unit, const Block& block, const char* sums, char* all, int64_t row_bytes,
                    char* unpacked) const {
    MapArgs args;
    args.rows = block.rows, args.columns = block.columns;
    for (const DotPlace& place : places) {
        const char* const at = elements_of_columns(unit, place, block.column, block.columns, block.k, unpacked);
        args.base[place.view.operand] = const_cast<char*>(at);
        args.row[place.view.operand] = 0;
    }
    args.base[sum] = const_cast<char*>(sums), args.row[sum] = row_bytes;
    args.base[sum + 2] = unit.row_sums + (block.row - unit.block) * cache_line, args.row[sum + 2] = cache_line;
    args.base[sum + 3] = all, args.row[sum + 3] = row_bytes;
    (block.k == 0 ? *first : *more)(&args);
}

// Of integers four of k are a step.
void ProductJob::sum_group(const ProductUnit& unit, const char* a, int64_t row, int64_t element, int64_t count,
                           int64_t k) const {
    const int64_t step = v.integers ? 4 : 1;
    DotArgs args;
    args.steps = std::min(groups.length, v.depth - k) / step, args.a_step = step * element;
    row_sums.run(args, v, a, row, count, unit.row_sums);
}

std::string ProductJob::text() const {
    std::string all = fmt::format("{}; {}; {} units", kernel_name, choice_text, units);
    if (groups.length) all += fmt::format("; groups of {} of k: {}", groups.length, groups.more->name());
    if (!v.direct) all += fmt::format("; {}", finish.name);
    for (const auto& [name, of] : {std::pair{"A", &a.packs}, {"B", &b}})
        if (!of->empty()) {
            std::string pack = of->all.front().run->text();
            while (!pack.empty() && pack.back() == '\n') pack.pop_back();
            all += fmt::format("; {} by {}", name, pack);
        }
    return all;
}

std::vector<const jit::Kernel*> ProductJob::kernels() const {
    std::vector<const jit::Kernel*> all;
    for (const KernelPtr& kernel : made) all.push_back(kernel.get());
    return all;
}

} // namespace tessera::cpu
