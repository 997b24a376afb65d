// SPDX-License-Identifier: Apache-2.0
// B, packed as rows that are dense in k, is the few rows of dots, and A's rows are its columns.
#include <algorithm>
#include <cstring>

#include "core/division.hpp"
#include "cpu/products/see/seen.hpp"
#include "cpu/tiles/few/contract.hpp"
#include "cpu/tiles/few/run.hpp"

namespace tessera::cpu {

void TallJob::prepare(int64_t products_of_byte) {
    units_ = {{v.rows, choice.unit_rows, ceil_div(v.rows, choice.unit_rows)}, {v.columns, v.columns, 1}, v.batches, 1};
    units = units_.count(), bytes = bytes_of_products(v, choice.work, products_of_byte);
    c_row_ = v.direct ? v.c.bytes(v.c.row) : round_up(v.columns, 16) * 4 + cache_line;
    b_column_ = round_up(v.depth * v.b.bits / 8, cache_line);
    bytes_b_ = v.columns * b_column_, bytes_part_ = v.columns * choice.block_rows * 4;
    if (!v.direct) bytes_c_ = choice.block_rows * c_row_;
}

void TallJob::run(const Bases& bases, int64_t first, int64_t last) const {
    UnitScratch scratch(bytes_b_ + bytes_c_ + bytes_part_);
    char *const b = scratch.take(bytes_b_), *const c = scratch.take(bytes_c_), *const part = scratch.take(bytes_part_);
    ProductUnit unit{bases};
    for (int64_t u = first; u < last; ++u) {
        units_.set(unit, u);
        product(unit, b, c, part);
    }
}

void TallJob::product(const ProductUnit& unit, char* b, char* c, char* part) const {
    // Members would be read again behind each copy of bytes, which might have changed them.
    const int64_t size = v.b.bits / 8, columns = v.columns, row = c_row_;
    for (int64_t j = 0; j < columns; ++j)
        for (int64_t k = 0; k < v.depth; ++k)
            std::memcpy(b + j * b_column_ + k * size, v.b.at(unit.bases, unit.batch, k, j), size_t(size));
    for (int64_t i = unit.row, count; i < unit.row + unit.rows; i += count) {
        count = std::min(choice.block_rows, unit.row + unit.rows - i);
        const int64_t column = choice.block_rows * 4;
        DotsArgs args{b,       b_column_, v.a.at(unit.bases, unit.batch, i, 0), v.a.bytes(v.a.row), part, column, count,
                      v.depth, 0};
        (*kernel)(&args);
        char* const to = v.direct ? v.c.at(unit.bases, unit.batch, i, 0) : c;
        for (int64_t r = 0; r < count; ++r)
            for (int64_t j = 0; j < columns; ++j) std::memcpy(to + r * row + j * 4, part + j * column + r * 4, 4);
        if (!v.direct) finish.run(v, unit, i, count, 0, v.columns, to, c_row_);
    }
}

std::unique_ptr<Job> make_tall_job(Seen& seen) {
    auto job = std::make_unique<TallJob>();
    job->choice = choose_tall(seen.shape, seen.kind, seen.target, seen.context);
    job->v = seen.views, job->v.a = seen.few_a, job->v.b = seen.few_b;
    job->kernel = kernel_of(seen, tall_spec(seen), true);
    if (!job->kernel || !make_pass(seen, *job)) return nullptr;
    job->kernel_name = job->kernel->name(), job->choice_text = to_string(job->choice, job->v.columns);
    return finished(seen, std::move(job));
}

} // namespace tessera::cpu
