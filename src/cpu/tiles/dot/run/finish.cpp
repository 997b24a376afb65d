// SPDX-License-Identifier: Apache-2.0
// What becomes of sums: the epilogue, by the kernels of products or by a pass of its own; and what a job says of
// itself.
#include "cpu/tiles/dot/run/run.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tessera::cpu {

// The epilogue's operands at a block, for kernels that apply it.
void DotJob::place(const Unit& unit, int64_t row, int64_t column, DotOperand* operands) const {
    for (const int number : in_registers) {
        DotOperand& o = *operands++;
        if (number == sum + 1) {
            o = {unit.column_sums + (column - unit.column) * 4, 0, line};
        } else if (number == sum + 2) {
            o = {unit.row_sums + (row - unit.block) * line, line, 0};
        } else {
            const DotView& view =
                *std::find_if(outer.begin(), outer.end(), [&](const DotView& v) { return v.operand == number; });
            o = {view.at(unit.bases, unit.batch, row, column), view.bytes(view.row), view.bytes(view.panel)};
        }
    }
}

void DotJob::finish(const Unit& unit, int64_t row, int64_t count, int64_t column, int64_t wide,
                    const char* sums) const {
    constexpr int64_t panel = 16;
    if (panels_apart && wide > panel) {
        for (int64_t j = 0; j < wide; j += panel)
            finish(unit, row, count, column + j, std::min(panel, wide - j), sums + j * 4);
        return;
    }
    if (const int64_t here = rows_of_run(run_of_c, row, count); here < count) {
        for (int64_t i = 0, some; i < count; i += some) {
            some = rows_of_run(run_of_c, row + i, count - i);
            finish(unit, row + i, some, column, wide, sums + i * c_row_);
        }
        return;
    }
    MapArgs args;
    args.rows = count, args.columns = wide;
    for (const DotView& view : outer) {
        args.base[view.operand] = view.at(unit.bases, unit.batch, row, column);
        args.row[view.operand] = view.bytes(view.row);
    }
    args.base[sum] = const_cast<char*>(sums), args.row[sum] = c_row_;
    args.base[sum + 1] = unit.column_sums + (column - unit.column) * 4, args.row[sum + 1] = 0;
    args.base[sum + 2] = unit.row_sums + (row - unit.block) * line, args.row[sum + 2] = line;
    if (!short_epilogue || wide != width_of_epilogue) return (*epilogue)(&args);
    const bool streams = streaming_epilogue && reinterpret_cast<uintptr_t>(args.base[c.operand]) % line == 0;
    (streams ? *streaming_epilogue : *short_epilogue)(&args);
}

std::string DotJob::text() const {
    std::string all = fmt::format("{}; {}; {} units", few ? few->name() : blocks_name, to_string(choice), units);
    if (groups.length) all += fmt::format("; groups of {} of k: {}", groups.length, groups.more->name());
    if (!direct) all += "; " + epilogue_name;
    if (pads_rows) all += "; A by rows of 4 bytes";
    for (const auto& [name, packs] : {std::pair{"A", &pack_a}, std::pair{"B", &pack_b}})
        if (!packs->empty()) {
            std::string text = packs->front().run->text();
            while (!text.empty() && text.back() == '\n') text.pop_back();
            all += fmt::format("; {} by {}", name, text);
        }
    return all;
}

std::vector<const jit::Kernel*> DotJob::kernels() const {
    std::vector<const jit::Kernel*> all;
    for (const auto& k : {few, few_rest})
        if (k) all.push_back(k.get());
    for (const auto& k : kernel)
        if (k) all.push_back(k.get());
    for (const auto& k : streaming)
        if (k) all.push_back(k.get());
    for (const auto& k : finishing)
        if (k) all.push_back(k.get());
    if (epilogue) all.push_back(epilogue.get());
    for (const auto& k : {short_epilogue, streaming_epilogue})
        if (k) all.push_back(k.get());
    return all;
}

} // namespace tessera::cpu
