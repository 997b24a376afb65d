// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/reduce/run.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/unit.hpp"
#include "cpu/tiles/map/contract.hpp"

namespace tessera::cpu {

namespace {

constexpr int64_t value_bytes = 4, lanes_of_buffer = 16; // rows of the buffer start at vectors

// The buffer: partial results (in order: results), totals of blocks, and the second values of both.
constexpr int64_t totals_at = reduce_sums * value_bytes, seconds_at = totals_at + reduce_totals * value_bytes;
constexpr int64_t buffer_bytes = 2 * seconds_at;

} // namespace

struct ReduceJob::Unit {
    const Bases& bases;
    char* buffer;
    int64_t lanes = 1, rows = 1;             // of this unit
    std::array<int64_t, reduce_operands> at; // elements, by operand
    char* sums = nullptr;                    // the results: `lanes` of them in each of `rows` rows
    int64_t sums_row = 0;                    // bytes
};

void ReduceJob::run(const Bases& bases, int64_t first, int64_t last) const {
    if (windows) return run_windows(bases, first, last);
    alignas(64) char buffer[buffer_bytes];
    for (int64_t u = first; u < last; ++u) one(bases, u, buffer);
}

std::vector<const jit::Kernel*> ReduceJob::kernels() const {
    std::vector<const jit::Kernel*> all;
    for (const auto& kernel : {whole, more, last, finish})
        if (kernel) all.push_back(kernel.get());
    return all;
}

std::string ReduceJob::text() const {
    std::string sum;
    for (const Loop& loop : sums) sum += fmt::format("{} x ", loop.extent);
    if (planes.extent > 1) sum += fmt::format("{} x ", planes.extent);
    return fmt::format("{}; {}{} results x {} a unit, {}{} x {} points {}, {} units", (whole ? whole : more)->name(),
                       finish ? finish->name() + "; " : "", block_rows, along_sum ? 1 : block_lanes, sum, turns.extent,
                       points.extent,
                       in_order       ? "in order"
                       : beside       ? "in rows of 16"
                       : along_sum    ? "along the sum"
                       : in_registers ? "by 16 in registers"
                                      : "by 16",
                       units);
}

void ReduceJob::count() {
    units =
        iterations(outer) * ceil_div(rows.extent, block_rows) * (along_sum ? 1 : ceil_div(lanes.extent, block_lanes));
}

void ReduceJob::one(const Bases& bases, int64_t u, char* buffer) const {
    Unit unit{.bases = bases, .buffer = buffer, .at = {}};
    UnitIndex index(u);
    int64_t j = 0;
    if (!along_sum) {
        j = index.next(ceil_div(lanes.extent, block_lanes)) * block_lanes;
        unit.lanes = std::min(block_lanes, lanes.extent - j);
    }
    const std::span<int64_t> at{unit.at.data(), size.size()};
    for (size_t o = 0; o < at.size(); ++o) at[o] = base[o] + (along_sum ? 0 : j * lanes.stride[o]);
    const std::span<const Loop> loops = outer;
    index.add_offsets(loops.last(inside), at);
    const int64_t i = index.next(ceil_div(rows.extent, block_rows)) * block_rows;
    unit.rows = std::min(block_rows, rows.extent - i);
    for (size_t o = 0; i && o < at.size(); ++o) at[o] += i * rows.stride[o];
    index.add_offsets(loops.first(loops.size() - inside), at);
    unit.sums = buffer;
    in_order       ? sum_in_order(unit)
    : beside       ? sum_beside(unit)
    : along_sum    ? sum_along(unit)
    : in_registers ? sum_in_registers(unit)
                   : sum_partials(unit);
    run_outer(unit);
}

// `at` moved to iteration `turn` of the loops outside of the kernels.
static void move_to(std::span<const Loop> loops, int64_t turn, std::span<const int64_t> from, std::span<int64_t> at) {
    std::ranges::copy(from, at.begin());
    UnitIndex(turn).add_offsets(loops, at);
}

void ReduceJob::sum_in_order(Unit& unit) const {
    unit.sums_row = round_up(unit.lanes, lanes_of_buffer) * value_bytes;
    sum_columns(unit, unit.rows, unit.lanes);
}

// 16 points of each result lie in front of those of the next one: they are columns, whose sums are partial results.
void ReduceJob::sum_beside(Unit& unit) const {
    unit.sums_row = value_bytes;
    sum_columns(unit, 1, unit.rows * reduction_sums);
    unit.sums = unit.buffer + totals_at;
    ReduceArgs args;
    args.results = unit.rows, args.columns = reduction_sums, args.out = unit.sums;
    args.set(0, unit.buffer, 0, 0, reduction_sums * value_bytes, value_bytes);
    (*last)(&args);
}

void ReduceJob::sum_columns(const Unit& unit, int64_t results, int64_t columns) const {
    ReduceArgs args;
    args.results = results, args.columns = columns, args.turns = turns.extent;
    args.sums = unit.buffer, args.sums_row = unit.sums_row, args.seconds = seconds_at;
    const int64_t calls = iterations(sums), step = run_points ? run_points : points.extent;
    std::array<int64_t, reduce_operands> at;
    bool first = true;
    for (int64_t call = 0; call < calls; ++call) {
        move_to(sums, call, {unit.at.data(), size.size()}, at);
        for (int64_t done = 0; done < points.extent; done += step) {
            args.points = std::min(step, points.extent - done);
            for (const int o : of_point) {
                const auto p = size_t(o);
                args.set(p, unit.bases[p] + (at[p] + done * points.stride[p]) * size[p], points.stride[p] * size[p],
                         turns.stride[p] * size[p], rows.stride[p] * size[p], lanes.stride[p] * size[p]);
            }
            (*(std::exchange(first, false) ? whole : more))(&args);
        }
    }
}

void ReduceJob::sum_in_registers(Unit& unit) const {
    unit.sums_row = round_up(unit.lanes, lanes_of_buffer) * value_bytes;
    ReduceArgs args;
    args.results = unit.rows, args.columns = unit.lanes, args.turns = turns.extent, args.points = points.extent;
    args.sums = unit.buffer, args.sums_row = unit.sums_row;
    for (const int o : of_point) {
        const auto p = size_t(o);
        args.set(p, unit.bases[p] + unit.at[p] * size[p], points.stride[p] * size[p], turns.stride[p] * size[p],
                 rows.stride[p] * size[p], lanes.stride[p] * size[p]);
    }
    args.points = points.extent / reduction_sums;
    (*whole)(&args);
}

// `count` points from number `position` on, consecutive in the last reduce loop, each 16th to the same row.
void ReduceJob::sum_segments(const Unit& unit, std::span<const int64_t> at, int64_t position, int64_t count,
                             const jit::Kernel& kernel) const {
    const int64_t first = position % reduction_sums, full = count / reduction_sums, rest = count % reduction_sums;
    const int64_t end = std::min<int64_t>(count, reduction_sums);
    for (int64_t k = 0; k < end;) {
        int64_t next = end;
        for (const int64_t cut : {reduction_sums - first, rest})
            if (cut > k) next = std::min(next, cut);
        ReduceArgs args;
        args.results = next - k, args.columns = unit.lanes, args.points = full + (k < rest);
        args.sums_row = unit.sums_row, args.seconds = seconds_at;
        args.sums = unit.buffer + (first + k) % reduction_sums * unit.sums_row;
        for (const int o : of_point) {
            const auto p = size_t(o);
            const int64_t step = points.stride[p] * size[p];
            args.set(p, unit.bases[p] + at[p] * size[p] + k * step, reduction_sums * step, 0, step,
                     lanes.stride[p] * size[p]);
        }
        kernel(&args);
        k = next;
    }
}

void ReduceJob::sum_partials(Unit& unit) const {
    const int64_t calls = iterations(sums), padded = round_up(unit.lanes, lanes_of_buffer);
    unit.sums_row = padded * value_bytes;
    const bool at_once = calls == 1 && points.extent >= reduction_sums && points.extent <= reduction_block &&
                         (!run_points || points.extent <= run_points);
    if (at_once) {
        sum_segments(unit, {unit.at.data(), size.size()}, 0, points.extent, *whole);
        return join(unit.buffer, unit.buffer + seconds_at, padded);
    }
    char* const total = unit.buffer + totals_at;
    char* const seconds = total + seconds_at;
    std::array<int64_t, reduce_operands> at;
    int64_t position = 0;
    const int64_t all = calls * points.extent;
    for (int64_t call = 0; call < calls; ++call) {
        move_to(sums, call, {unit.at.data(), size.size()}, at);
        for (int64_t done = 0; done < points.extent;) {
            if (position % reduction_block == 0) start(unit.buffer, unit.buffer + seconds_at, reduction_sums * padded);
            int64_t count = std::min(points.extent - done, reduction_block - position % reduction_block);
            if (run_points) count = std::min(count, run_points);
            sum_segments(unit, {at.data(), size.size()}, position, count, *more);
            for (const int o : of_point) at[size_t(o)] += count * points.stride[size_t(o)];
            done += count, position += count;
            if (position % reduction_block && position != all) continue;
            join(unit.buffer, unit.buffer + seconds_at, padded);
            if (all <= reduction_block) return;
            if (position <= reduction_block) {
                std::memcpy(total, unit.buffer, size_t(unit.sums_row));
                std::memcpy(seconds, unit.buffer + seconds_at, size_t(parts.pairs() ? unit.sums_row : 0));
            } else {
                add(total, seconds, unit.buffer, unit.buffer + seconds_at, padded);
            }
        }
    }
    unit.sums = total;
}

void ReduceJob::sum_along(Unit& unit) const {
    unit.sums_row = value_bytes;
    unit.sums = unit.buffer + totals_at;
    if (!sums.empty()) return sum_runs(unit);
    ReduceArgs args;
    const auto set = [&](int64_t row, int64_t done, const Loop& results, int64_t step) {
        for (const int o : of_point) {
            const auto p = size_t(o);
            args.set(p, unit.bases[p] + (unit.at[p] + row * rows.stride[p] + done * points.stride[p]) * size[p], 0, 0,
                     results.stride[p] * step * size[p], points.stride[p] * size[p]);
        }
    };
    if (points.extent <= reduction_block) {
        args.results = unit.rows, args.columns = points.extent;
        args.out = unit.sums, args.seconds = seconds_at;
        set(0, 0, rows, 1);
        return (*whole)(&args);
    }
    const int64_t blocks = points.extent / reduction_block, rest = points.extent % reduction_block;
    for (int64_t i = 0; i < unit.rows; ++i) { // a block is a result, as many as the buffer holds
        char* const total = unit.sums + i * value_bytes;
        char* const second = total + seconds_at;
        for (int64_t b = 0; b < blocks || (b == blocks && rest);) {
            args.results = b == blocks ? 1 : std::min(reduce_sums, blocks - b);
            args.columns = b == blocks ? rest : reduction_block;
            args.out = unit.buffer, args.seconds = seconds_at;
            set(i, b * reduction_block, points, reduction_block);
            (*whole)(&args);
            for (int64_t r = 0; r < args.results; ++r) {
                const char* value = unit.buffer + r * value_bytes;
                if (b + r) {
                    add(total, second, value, value + seconds_at, 1);
                } else {
                    std::memcpy(total, value, value_bytes);
                    if (parts.pairs()) std::memcpy(second, value + seconds_at, value_bytes);
                }
            }
            b += args.results;
        }
    }
}

// Runs of points that are no whole loop: partial result k of a row is in lane (k - turned) mod 16 of its partial
// results, so that a run always starts at lane 0.
void ReduceJob::sum_runs(Unit& unit) const {
    const int64_t row_bytes = reduction_sums * value_bytes, calls = iterations(sums), all = calls * points.extent;
    char *const values = unit.buffer, *const seconds = unit.buffer + seconds_at;
    const auto turn = [&](int64_t by) { // lanes move down by so many
        for (int64_t i = 0; by && i < unit.rows; ++i)
            for (char* all_of : {values, seconds}) {
                auto* row = reinterpret_cast<uint32_t*>(all_of + i * row_bytes);
                std::rotate(row, row + by, row + reduction_sums);
                if (!parts.pairs()) break;
            }
    };
    std::array<int64_t, reduce_operands> at;
    int64_t position = 0, turned = 0;
    for (int64_t call = 0; call < calls; ++call) {
        move_to(sums, call, {unit.at.data(), size.size()}, at);
        for (int64_t done = 0; done < points.extent;) {
            if (position % reduction_block == 0) start(values, seconds, unit.rows * reduction_sums), turned = 0;
            ReduceArgs args;
            args.results = unit.rows;
            args.columns = std::min(points.extent - done, reduction_block - position % reduction_block);
            args.sums = values, args.sums_row = row_bytes, args.seconds = seconds_at;
            for (const int o : of_point) {
                const auto p = size_t(o);
                args.set(p, unit.bases[p] + (at[p] + done * points.stride[p]) * size[p], 0, 0, rows.stride[p] * size[p],
                         points.stride[p] * size[p]);
            }
            done += args.columns, position += args.columns;
            const int64_t by = args.columns % reduction_sums;
            turned = (turned + by) % reduction_sums;
            const bool ends = position % reduction_block == 0 || position == all;
            if (ends && turned == 0) { // lane k has partial result k
                const bool first_block = position <= reduction_block;
                args.out = first_block ? unit.sums : values;
                (*last)(&args);
                if (!first_block) add(unit.sums, unit.sums + seconds_at, values, seconds, unit.rows);
                continue;
            }
            (*more)(&args);
            turn(ends ? (by + reduction_sums - turned) % reduction_sums : by); // in the end back to where they started
            for (int64_t i = 0; ends && i < unit.rows; ++i) {
                char *value = values + i * row_bytes, *second = seconds + i * row_bytes;
                join(value, second, 1);
                char* const total = unit.sums + i * value_bytes;
                if (position > reduction_block) {
                    add(total, total + seconds_at, value, second, 1);
                } else {
                    std::memcpy(total, value, value_bytes);
                    std::memcpy(total + seconds_at, second, size_t(parts.pairs() ? value_bytes : 0));
                }
            }
        }
    }
}

void ReduceJob::start(char* values, char* seconds, int64_t count) const {
    std::fill_n(reinterpret_cast<uint32_t*>(values), count, reduce_start(parts));
    if (parts.pairs()) std::fill_n(reinterpret_cast<uint32_t*>(seconds), count, no_number);
}

void ReduceJob::add(char* values, char* seconds, const char* from, const char* from_seconds, int64_t columns) const {
    if (!parts.pairs()) return combine_loops(parts.combine, parts.type).row(values, from, columns);
    auto *value = reinterpret_cast<uint32_t*>(values), *second = reinterpret_cast<uint32_t*>(seconds);
    const auto *other = reinterpret_cast<const uint32_t*>(from),
               *other_second = reinterpret_cast<const uint32_t*>(from_seconds);
    for (int64_t j = 0; j < columns; ++j) {
        const Partial both =
            combined(parts.combine, parts.type, {value[j], second[j], 1}, {other[j], other_second[j], 1});
        value[j] = both.value, second[j] = both.second;
    }
}

void ReduceJob::join(char* values, char* seconds, int64_t columns) const {
    if (!parts.pairs()) return combine_loops(parts.combine, parts.type).join(values, reduction_sums, columns);
    const int64_t row = columns * value_bytes;
    for (int64_t apart = reduction_sums / 2; apart; apart /= 2)
        for (int64_t k = 0; k < apart; ++k)
            add(values + k * row, seconds + k * row, values + (k + apart) * row, seconds + (k + apart) * row, columns);
}

void ReduceJob::run_outer(const Unit& unit) const {
    const size_t sums_operand = size.size();
    MapArgs args;
    std::array<int64_t, reduce_operands> at = unit.at; // at the first point of the reduce loops
    for (const Loop& loop : sums)
        for (const int o : of_outer) at[size_t(o)] += loop.offset(o, 0);
    const Loop& along = along_sum ? rows : lanes; // of what lies side by side in the buffer
    const int64_t side_by_side = along_sum ? unit.rows : unit.lanes, lines = along_sum ? 1 : unit.rows;
    const auto call = [&](int64_t line, const Loop& next, int64_t count) {
        for (const int o : of_outer) {
            const auto p = size_t(o);
            args.base[p] = unit.bases[p] + (at[p] + line * rows.stride[p]) * size[p];
            args.row[p] = next.stride[p] * size[p];
        }
        args.rows = count;
        for (const size_t second : {size_t(0), size_t(1)}) {
            args.base[sums_operand + second] = unit.sums + line * unit.sums_row + (second ? seconds_at : 0);
            args.row[sums_operand + second] = finish_lanes || side_by_side == 1 ? unit.sums_row : value_bytes;
        }
        (*finish)(&args);
    };
    if (finish_lanes) {
        args.columns = side_by_side;
        call(0, along_sum ? Loop{} : rows, lines);
        return;
    }
    args.columns = 1;
    if (side_by_side == 1) return call(0, rows, lines); // lines of one result
    for (int64_t line = 0; line < lines; ++line) call(line, along, side_by_side);
}

} // namespace tessera::cpu
