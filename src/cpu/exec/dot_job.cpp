#include "cpu/exec/dot_job.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/stack_array.hpp"
#include "cpu/exec/scratch.hpp"

namespace tessera::cpu {

namespace {

constexpr int64_t line = 64;
int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t round_up(int64_t a, int64_t b) { return ceil_div(a, b) * b; }

const char* at(const Bases& bases, const DotView& view, int64_t batch) {
    return bases[size_t(view.operand)] + (view.offset + offset_in(view.batch, batch)) * view.size;
}

} // namespace

void DotJob::prepare() {
    const DotChoice& c = choice;
    row_units_ = ceil_div(rows, c.unit_rows), column_units_ = ceil_div(columns, c.unit_columns);
    units = ceil_div(batches, c.unit_batches) * row_units_ * column_units_;
    // 8 products of f32 take as long as a byte from memory.
    bytes =
        std::max(batches * (rows * depth + depth * columns + rows * columns) * 4, batches * rows * columns * depth / 8);
    const int64_t step = step_of(c.spec.kind), padded = round_up(depth, 16 * step);
    const int64_t wide = round_up(c.unit_columns, 16);
    if (c.b == DotSource::packed) bytes_b_ = wide * padded * bits(c.spec.b) / 8;
    if (c.a == DotSource::packed) bytes_a_ = c.block_rows * packed_row;
    if (!direct) {
        c_row_ = wide * 4 + line;
        bytes_c_ = (depth > c.depth ? c.block_rows : std::min<int64_t>(c.block_rows, c.spec.rows)) * c_row_;
    }
    bytes_b_ = round_up(bytes_b_, line), bytes_a_ = round_up(bytes_a_, line);
}

void DotJob::run(const Bases& bases, int64_t first, int64_t last) const {
    constexpr int64_t on_stack = 8 << 10;
    alignas(64) char small[on_stack];
    const int64_t needed = bytes_b_ + bytes_a_ + bytes_c_;
    std::optional<Scratch> scratch;
    if (needed > on_stack) scratch.emplace(size_t(needed));
    char* room = scratch ? scratch->data() : small;
    for (int64_t u = first; u < last; ++u) {
        int64_t rest = u;
        const int64_t j = rest % column_units_ * choice.unit_columns;
        rest /= column_units_;
        const int64_t i = rest % row_units_ * choice.unit_rows;
        rest /= row_units_;
        Unit unit{bases,
                  0,
                  i,
                  std::min(choice.unit_rows, rows - i),
                  j,
                  std::min(choice.unit_columns, columns - j),
                  room,
                  room + bytes_b_,
                  room + bytes_b_ + bytes_a_};
        const int64_t from = rest * choice.unit_batches, to = std::min(from + choice.unit_batches, batches);
        for (unit.batch = from; unit.batch < to; ++unit.batch) product(unit);
    }
}

void DotJob::pack(const std::vector<DotPack>& packs, const Unit& unit, int64_t first, int64_t extent, char* to) const {
    const DotPack& p =
        *std::find_if(packs.begin(), packs.end(), [&](const DotPack& pack) { return pack.extent == extent; });
    StackArray<void*, 8> pointers(p.views.size() + 1);
    for (size_t v = 0; v < p.views.size(); ++v)
        pointers[v] = const_cast<char*>(at(unit.bases, p.views[v], unit.batch)) + first * p.views[v].row;
    pointers[p.views.size()] = to;
    p.run->run(pointers, {});
}

void DotJob::product(const Unit& unit) const {
    const DotSpec& spec = choice.spec;
    const int64_t step = step_of(spec.kind);
    DotArgs args;
    args.columns = unit.columns % 16 ? unit.columns % 16 : 16;
    const char* b_base;
    if (choice.b == DotSource::packed) {
        pack(pack_b, unit, unit.column, unit.columns, unit.b);
        b_base = unit.b;
        args.b_step = 16 * step * bits(spec.b) / 8;
        args.b_panel = args.b_step * round_up(depth, 16 * step) / step;
    } else {
        b_base = at(unit.bases, b, unit.batch) + unit.column / 16 * b.panel;
        args.b_step = b.row, args.b_panel = b.panel;
    }
    for (int64_t i = 0; i < unit.rows; i += choice.block_rows) {
        const int64_t row = unit.row + i, count = std::min(choice.block_rows, unit.rows - i);
        const char* a_base;
        if (choice.a == DotSource::packed) {
            pack(pack_a, unit, row, count, unit.a);
            a_base = unit.a;
            args.a_row = packed_row, args.a_step = step * bits(spec.a) / 8;
        } else {
            a_base = at(unit.bases, a, unit.batch) + row * a.row;
            args.a_row = a.row, args.a_step = a.column * step;
        }
        if (direct) {
            args.c = const_cast<char*>(at(unit.bases, c, unit.batch)) + row * c.row + unit.column * c.size;
            args.c_row = c.row;
        } else {
            args.c = unit.c, args.c_row = c_row_;
        }
        for (int64_t k = 0; k < depth; k += choice.depth) {
            const int64_t here = std::min(choice.depth, depth - k);
            args.a = a_base + k / step * args.a_step, args.b = b_base + k / step * args.b_step;
            args.steps = ceil_div(here, step);
            args.accumulate = k > 0;
            blocks(unit, args, row, count, unit.columns, k + here == depth);
        }
    }
}

// All register blocks of `rows` x `columns`, for one range of k.
void DotJob::blocks(const Unit& unit, const DotArgs& first, int64_t row, int64_t count, int64_t wide, bool last) const {
    const int64_t height = choice.spec.rows, width = 16 * choice.spec.panels;
    const bool keeps = depth > choice.depth; // sums stay between ranges of k
    DotArgs args = first;
    for (int64_t i = 0; i < count; i += height) {
        const int64_t h = std::min(height, count - i);
        args.a = static_cast<const char*>(first.a) + i * first.a_row;
        char* sums = static_cast<char*>(first.c) + (keeps || direct ? i * first.c_row : 0);
        args.c = sums, args.b = first.b;
        for (int64_t j = 0; j < wide; j += width) {
            const int64_t w = std::min(width, wide - j);
            (*kernel[(w < width ? 1 : 0) + (h < height ? 2 : 0)])(&args);
            args.b = static_cast<const char*>(args.b) + choice.spec.panels * first.b_panel;
            args.c = static_cast<char*>(args.c) + width * 4;
        }
        if (last && !direct) finish(unit, row + i, h, unit.column, wide, sums);
    }
}

void DotJob::finish(const Unit& unit, int64_t row, int64_t count, int64_t column, int64_t wide,
                    const char* sums) const {
    MapArgs args;
    args.rows = count, args.columns = wide;
    for (const DotView& view : outer) {
        args.base[view.operand] =
            const_cast<char*>(at(unit.bases, view, unit.batch)) + row * view.row + column * view.column;
        args.row[view.operand] = view.row;
    }
    args.base[sum] = const_cast<char*>(sums), args.row[sum] = c_row_;
    (*epilogue)(&args);
}

std::string DotJob::text() const {
    std::string all = fmt::format("{}; {}; {} units", kernels()[0]->name(), to_string(choice), units);
    if (epilogue) all += "; " + epilogue->name();
    return all;
}

std::vector<const jit::Kernel*> DotJob::kernels() const {
    std::vector<const jit::Kernel*> all;
    for (const auto& k : kernel)
        if (k) all.push_back(k.get());
    if (epilogue) all.push_back(epilogue.get());
    return all;
}

} // namespace tessera::cpu
