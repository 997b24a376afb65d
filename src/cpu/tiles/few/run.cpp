// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/few/run.hpp"

#include <algorithm>

#include "core/division.hpp"
#include "cpu/products/pack/pack.hpp"
#include "cpu/products/pack/words.hpp"
#include "cpu/products/see/seen.hpp"
#include "cpu/tiles/few/contract.hpp"

namespace tessera::cpu {

void FewRowsJob::prepare(int64_t products_of_byte) {
    units_ = {{v.rows, v.rows, 1}, {v.columns, 16, choice.column_units}, v.batches, 1};
    units = units_.count(), bytes = bytes_of_products(v, 0, products_of_byte);
    const int64_t wide = round_up(choice.unit_columns, 16);
    if (choice.a == DotSource::packed) bytes_a_ = round_up(v.rows * a.row_bytes, cache_line);
    c_row_ = v.direct ? v.c.bytes(v.c.row) : wide * 4 + cache_line;
    if (!v.direct) bytes_c_ = v.rows * c_row_;
    if (groups.length) bytes_zeros_ = round_up(wide, cache_line), bytes_part_ = v.rows * c_row_;
    if (row_sums.any()) bytes_rows_ = v.rows * cache_line;
    if (shifts_b)
        bytes_rows_ = std::max(
            bytes_rows_, round_up(v.rows * ceil_div(v.depth, choice.depth) * int64_t(sizeof(int32_t)), cache_line));
}

void FewRowsJob::run(const Bases& bases, int64_t first, int64_t last) const {
    UnitScratch scratch(bytes_a_ + bytes_c_ + bytes_rows_ + bytes_part_ + bytes_zeros_);
    Unit unit{{bases}, scratch.take(bytes_a_), scratch.take(bytes_c_), nullptr, nullptr};
    unit.row_sums = scratch.take(bytes_rows_);
    unit.part = scratch.take(bytes_part_), unit.zeros = scratch.take(bytes_zeros_);
    for (int64_t u = first; u < last; ++u) {
        units_.set(unit, u);
        v.rows > choice.rows ? groups_of_rows(unit) : all_rows(unit);
        if (!v.direct) finish.run(v, unit, 0, v.rows, unit.column, unit.columns, unit.c, c_row_);
    }
}

void FewRowsJob::all_rows(const Unit& unit) const {
    const int64_t length = groups.length ? groups.length : v.depth;
    char* to = sums_of(unit);
    char* sums = groups.length ? unit.part : to;
    const int64_t a_row = v.a.bytes(v.a.row), a_step = v.a.bytes(v.a.column);
    // Columns of B that are dense in k lie in pages of their own: few at a time go through all groups.
    constexpr int64_t columns_at_once = 64;
    const int64_t at_once = groups.length && choice.dots ? columns_at_once : unit.columns;
    for (int64_t j = 0; j < unit.columns; j += at_once) {
        const int64_t wide = std::min(at_once, unit.columns - j);
        for (int64_t k = 0; k < v.depth; k += length) {
            const int64_t here = std::min(length, v.depth - k);
            const char* a_at = v.a.at(unit.bases, unit.batch, 0, k);
            const char* b_at = v.b.at(unit.bases, unit.batch, k, unit.column + j);
            if (choice.dots) {
                if (shifts_b) start_rows(unit, a_at, a_row, {k, k + here});
                DotsArgs args{a_at, a_row, b_at, v.b.bytes(v.b.column), sums, c_row_, wide, here, 0};
                args.start = starts_at(unit, k);
                (*kernel)(&args);
            } else {
                AxpyArgs args{a_at, a_row, a_step, b_at, v.b.bytes(v.b.row), sums, c_row_, wide, here, 0};
                (*kernel)(&args);
            }
            if (!groups.length) continue;
            if (row_sums.any()) sum_group(unit, a_at, a_row, a_step, v.rows, k);
            groups.add(unit, {0, v.rows, unit.column + j, wide, k}, sums, to + j * 4, c_row_, unit.zeros);
        }
    }
}

// More rows than a kernel of dots has: groups of them read a part of some columns of B after each other.
void FewRowsJob::groups_of_rows(const Unit& unit) const {
    char* const to = sums_of(unit);
    const bool packed = choice.a == DotSource::packed;
    const int64_t a_row = packed ? a.row_bytes : v.a.bytes(v.a.row), height = choice.rows;
    const auto a_at = [&](int64_t k) { return packed ? unit.a : v.a.at(unit.bases, unit.batch, 0, k); };
    const auto each_group = [&](int64_t j, int64_t k) {
        DotsArgs args{};
        args.a = a_at(k), args.a_row = a_row;
        args.b = v.b.at(unit.bases, unit.batch, k, unit.column + j), args.b_column = v.b.bytes(v.b.column);
        args.c = to + j * 4, args.c_row = c_row_;
        args.columns = std::min(choice.group_columns, unit.columns - j), args.k = std::min(choice.depth, v.depth - k);
        args.accumulate = k > 0, args.start = starts_at(unit, k);
        for (int64_t i = 0; i < v.rows; i += height) {
            (v.rows - i < height ? *rest : *kernel)(&args);
            args.a = static_cast<const char*>(args.a) + height * a_row, args.start += height;
            args.c = static_cast<char*>(args.c) + height * c_row_;
        }
    };
    for (int64_t k = 0; k < v.depth; k += choice.depth) {
        const int64_t here = std::min(choice.depth, v.depth - k);
        if (packed) a.packs.run(unit, {.first = 0, .extent = v.rows, .k = k, .depth = here}, unit.a, nullptr);
        if (shifts_b) start_rows(unit, a_at(k), a_row, {k, k + here});
        for (int64_t j = 0; j < unit.columns && !choice.rows_inside; j += choice.group_columns) each_group(j, k);
    }
    for (int64_t j = 0; j < unit.columns && choice.rows_inside; j += choice.group_columns)
        for (int64_t k = 0; k < v.depth; k += choice.depth) each_group(j, k);
}

int32_t* FewRowsJob::starts_at(const Unit& unit, int64_t k) const {
    return reinterpret_cast<int32_t*>(unit.row_sums) + k / choice.depth * v.rows;
}

// What takes back that B is read as b + 128: -128 times the sum of these elements of each row of A.
void FewRowsJob::start_rows(const Unit& unit, const char* a_first, int64_t a_row, KPart k) const {
    for (int64_t i = 0; i < v.rows; ++i)
        starts_at(unit, k.first)[i] = int32_t(-128u * uint32_t(sum_of_bytes(a_first + i * a_row, k.length())));
}

namespace {

// A by parts of k, rows an odd number of lines apart, so that they do not share sets of L1.
bool pack_rows(const Seen& seen, FewRowsJob& job) {
    const int64_t size = bits(seen.a_type) / 8, rows = seen.p.rows, depth = seen.p.depth;
    job.a.row_bytes = odd_lines(padded_depth(job.choice.depth, depth, seen.kind) * size);
    const int64_t width = job.a.row_bytes / size;
    for (const int64_t part : lengths_of_parts(depth, {job.choice.depth})) {
        const Layout to{0, {{{1, rows * width}}, {{rows, width}}, {{part, 1}}}};
        if (!add_pack(seen, job.a.packs, seen.p.left, {true, seen.a_type, rows, 1, part, to})) return false;
    }
    return true;
}

std::unique_ptr<Job> make_few_rows_job(Seen& seen) {
    auto job = std::make_unique<FewRowsJob>();
    const bool dots = seen.way == ProductWay::dots;
    FewChoice& choice = job->choice = choose_few(seen.shape, dots, seen.target, seen.context);
    const auto spec_of = [&](int64_t rows) { return few_rows_spec(seen, rows, dots, choice.prefetches); };
    const FewRowsSpec spec = spec_of(choice.rows);
    job->v = seen.views, job->v.a = seen.few_a, job->v.b = seen.few_b;
    job->shifts_b = spec.shifts_b;
    // Fours load and store sums so often that lines of dst at the ends of ranges would go from thread to thread.
    if (spec.fours && spec.rows > 2) job->v.direct = false;
    const int64_t rest = seen.p.rows % choice.rows;
    job->kernel = kernel_of(seen, spec, dots);
    if (rest) job->rest = kernel_of(seen, spec_of(rest), dots);
    if (!job->kernel || (rest && !job->rest) || !make_pass(seen, *job)) return nullptr;
    if (!make_groups(seen, *job, seen.type_of(seen.p.left.operand), seen.few_a.column == 1)) return nullptr;
    job->kernel_name = job->kernel->name(), job->choice_text = to_string(choice);
    if (choice.a == DotSource::packed && !pack_rows(seen, *job)) return nullptr;
    return finished(seen, std::move(job));
}

} // namespace

std::unique_ptr<Job> make_few_job(Seen& seen) {
    return seen.way == ProductWay::tall ? make_tall_job(seen) : make_few_rows_job(seen);
}

} // namespace tessera::cpu
