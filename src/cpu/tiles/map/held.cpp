// SPDX-License-Identifier: Apache-2.0
// Rows beside operands that are the same in all of them: mean, scale and shift of channels next to nhwc and nChw16c. A
// kernel keeps those in registers and goes along the rows. Rows that follow each other are merged to longer ones:
//
//   16 channels of nChw16c, 49 pixels     7 rows of 112 columns
//   16 channels of nChw16c, 53 pixels     13 rows of 64 columns, then one of 16
//    3 channels of nChw16c, 53 pixels     13 rows of 64 columns with zeros in 52 of them, then a part of one
//
// Zeros that belong behind the rows of dst (core/plan/rewrite/padding.hpp) make longer rows of few channels, where all
// operands have rows as far apart: their padding is read with them and not used. Behind the last row of a buffer there
// may be none: it is copied, and the kernel runs on the copy. relu of s8 nChw8c, 6 channels: 0.38 -> 1.4 of oneDNN 3.2.
//
// Longer rows are left to the other jobs: pieces of them, so long as registers suffice for, took up to four times as
// long where memory is slow.
#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/cut.hpp"
#include "core/plan/rewrite/operands.hpp"
#include "core/plan/unit.hpp"
#include "cpu/executor/job.hpp"
#include "cpu/tiles/map/make.hpp"
#include "cpu/tiles/map/walk.hpp"

namespace tessera::cpu {

namespace {

constexpr int64_t most_held_vectors = 8;           // of a row of the kernel, as it can build
constexpr int64_t merged_vectors = 4;              // of rows that follow each other
constexpr int64_t fewest_rows = 8;                 // of a call
constexpr int64_t held_of_32 = 24, held_of_16 = 8; // registers for held operands, of all
constexpr size_t most_copied = 8;                  // operands
constexpr int64_t longest_copy = 1024;             // bytes of the longest row of a kernel, of 8 bytes an element

class HeldJob final : public Job {
public:
    std::shared_ptr<const jit::Kernel> kernel, rest; // rest: of merged rows that are left
    std::shared_ptr<const jit::Kernel> streaming;
    Nest nest;                // outer loops, rows, columns
    int64_t zeros = 0;        // behind each row; then the last one of a buffer, and rows that are left, are copied
    std::vector<int> size;    // bytes of an element, by operand
    std::vector<size_t> used; // operands
    std::vector<size_t> read; // of them: what advances along the rows and is loaded
    int written = 0;
    int64_t merged = 1, block_rows = 1; // rows of a kernel's row; of a unit

    void finish() {
        const size_t n = nest.loops.size();
        const Loop& rows = nest.loops[n - 2];
        walk_ = Walk(nest.base, {nest.loops.data(), n - 2}, size);
        for (size_t o = 0; o < size.size(); ++o) row_.push_back(rows.stride[o] * size[o]);
        for (const size_t o : read) // whether the last row of an iteration lies before another one
            for (const Loop& loop : std::span(nest.loops.data(), n - 2))
                every_last_ |= loop.indexed() || loop.stride[o] < zeros;
        row_blocks_ = ceil_div(rows.extent, block_rows);
        units = walk_.iterations() * row_blocks_;
    }
    void run(const Bases& bases, int64_t first, int64_t last) const override {
        const int64_t rows = nest.loops[nest.loops.size() - 2].extent;
        MapArgs args;
        Walk::Place place;
        UnitIndex index(first);
        int64_t block = index.next(row_blocks_);
        walk_.find(index.outermost(), place);
        bool streamed = false;
        for (int64_t u = first; u < last; ++u) {
            const int64_t i = block * block_rows, count = std::min(block_rows, rows - i);
            const bool ends = zeros && i + count == rows && (every_last_ || u + 1 == units);
            const int64_t whole = (count - ends) / merged;
            const auto prepare = [&](int64_t from, int64_t number, int64_t each) {
                for (const size_t o : used) {
                    args.base[o] = bases[o] + place.at[o] + from * row_[o];
                    args.row[o] = each * row_[o];
                }
                args.rows = number;
            };
            const auto call = [&](const jit::Kernel& k, int64_t from, int64_t number, int64_t each) {
                prepare(from, number, each);
                k(&args);
            };
            if (whole) {
                const bool streams = streaming && aligned(bases, place, i);
                streamed |= streams;
                call(streams ? *streaming : *kernel, i, whole, merged);
            }
            const int64_t from = i + whole * merged, left = count - whole * merged;
            if (left && zeros) {
                prepare(from, 1, merged);
                run_copies(args, left);
            } else if (left) {
                call(*rest, from, left, 1);
            }
            if (++block < row_blocks_ || u + 1 == last) continue;
            block = 0;
            walk_.next(place);
        }
        if (streamed) _mm_sfence();
    }
    std::string text() const override {
        return fmt::format("{}; {} merged, {} a unit of loops({}), {} units", kernel->name(), merged, block_rows,
                           to_string(nest, int(size.size())), units);
    }
    std::vector<const jit::Kernel*> kernels() const override {
        std::vector<const jit::Kernel*> all;
        for (const auto& k : {kernel, rest, streaming})
            if (k) all.push_back(k.get());
        return all;
    }

private:
    bool aligned(const Bases& bases, const Walk::Place& place, int64_t from) const {
        const auto o = size_t(written);
        const char* at = bases[o] + place.at[o] + from * row_[o];
        return ((reinterpret_cast<uintptr_t>(at) | uintptr_t(merged * row_[o])) & 63) == 0;
    }

    // At most as many rows as the kernel merges.
    void run_copies(MapArgs& args, int64_t rows) const {
        alignas(64) char copies[most_copied][longest_copy];
        const auto to = size_t(written);
        char* const dst = static_cast<char*>(args.base[to]);
        args.base[to] = copies[0];
        for (size_t r = 0; r < read.size(); ++r) {
            const size_t o = read[r];
            char* const copy = o == to ? copies[0] : copies[r + 1];
            const auto bytes = size_t(rows * row_[o] - zeros * size[o]);
            std::memcpy(copy, o == to ? dst : args.base[o], bytes);
            std::memset(copy + bytes, 0, size_t(merged * row_[o]) - bytes);
            args.base[o] = copy;
        }
        (*kernel)(&args);
        std::memcpy(dst, copies[0], size_t(rows * row_[to]));
    }

    Walk walk_;
    std::vector<int64_t> row_; // bytes, by operand
    int64_t row_blocks_ = 1;
    bool every_last_ = false;
};

struct Rows {
    size_t loop = 0; // number of loops: none
    bool follow = false;
};

// The innermost loop along which operands with columns do not move; better one whose rows follow each other, each with
// so many zeros behind it.
Rows rows_of(const Nest& nest, const std::vector<size_t>& used, int64_t zeros) {
    Rows best{nest.loops.size()};
    const Loop& columns = nest.loops.back();
    for (size_t k = nest.loops.size() - 1; k-- > 0;) {
        const Loop& loop = nest.loops[k];
        if (loop.indexed() || loop.extent < fewest_rows) continue;
        bool any = zeros > 0, follow = true;
        for (const size_t o : used) {
            const bool held = columns.stride[o] == 1 && loop.stride[o] == 0;
            any |= held;
            follow &= held || loop.stride[o] == columns.stride[o] * (columns.extent + zeros);
        }
        if (any && follow) return {k, true};
        if (any && best.loop == nest.loops.size()) best.loop = k;
    }
    return best;
}

// A divisor of their number, if there is one, so that no rest is a call of its own; unless there is but one.
int64_t merged_rows(int64_t rows, int64_t row, int64_t lanes, bool once) {
    const int64_t least = std::clamp<int64_t>(merged_vectors * lanes / row, 1, rows);
    for (int64_t each = least; !once && each * row <= most_held_vectors * lanes; ++each)
        if (rows % each == 0 && (each * row % lanes == 0 || each == rows)) return each;
    return least;
}

// Of rows that are one element the columns are a loop of its own.
void add_columns(Nest& nest, const std::vector<size_t>& used, size_t written, int64_t zeros) {
    if (dense_loop(nest, written) < nest.loops.size()) return;
    const auto rows = std::ranges::find_if(nest.loops, [&](const Loop& l) { return l.stride[written] == 1 + zeros; });
    if (rows == nest.loops.end()) return;
    Loop columns;
    for (const size_t o : used) columns.stride.set(o, rows->stride[o] == 1 + zeros);
    nest.loops.push_back(columns);
}

} // namespace

std::unique_ptr<Job> make_held_job(const Plan& plan, const Step& step, const jit::Target& target,
                                   const Context& context, int64_t zeros) {
    const Program& program = plan.programs[size_t(step.program)];
    auto job = std::make_unique<HeldJob>();
    job->nest = step.nest;
    auto& loops = job->nest.loops;
    if ((is_copy(program) && !zeros) || loops.empty()) return nullptr;

    MapSpec spec = map_spec(program, plan.operands);
    std::vector<size_t> stored;
    for (const Op& op : program.ops) {
        if (op.operand < 0) continue;
        const auto o = size_t(op.operand);
        if (std::ranges::find(job->used, o) == job->used.end()) job->used.push_back(o);
        if (op.code == OpCode::store) stored.push_back(o);
    }
    job->written = program.ops.back().operand;
    if (zeros) add_columns(job->nest, job->used, size_t(job->written), zeros);
    if (loops.size() < 2 || loops.back().indexed()) return nullptr;
    const int64_t lanes = target.vector_bytes / 4, row = loops.back().extent + zeros;
    int64_t width = 0;
    for (size_t o = 0; o < plan.operands.size(); ++o) {
        if (is_sub_byte(plan.operands[o].type)) return nullptr;
        job->size.push_back(bits(plan.operands[o].type) / 8);
    }
    for (const size_t o : job->used) {
        if (plan.operands[o].counted || !set_column(spec, o, loops.back().stride[o])) return nullptr;
    }
    const Rows rows = rows_of(job->nest, job->used, zeros);
    if (rows.loop == loops.size() || (zeros && !rows.follow)) return nullptr;
    if (row % lanes && (!rows.follow || lanes % row)) return nullptr;
    for (const size_t o : job->used) {
        const bool held = spec.column[o] == 1 && loops[rows.loop].stride[o] == 0;
        if (held && std::ranges::find(stored, o) != stored.end()) return nullptr;
        if (held) spec.held.push_back(int(o));
        if (!held && spec.column[o]) width += job->size[o];
        const auto loads = [&](const Op& op) { return op.code == OpCode::load && op.operand == int(o); };
        if (!held && spec.column[o] && std::ranges::any_of(program.ops, loads)) job->read.push_back(o);
        if (zeros && job->size[o] * most_held_vectors * lanes > longest_copy) return nullptr;
    }
    if (zeros && job->read.size() >= most_copied) return nullptr;
    std::rotate(loops.begin() + long(rows.loop), loops.begin() + long(rows.loop) + 1, loops.end() - 1);

    const int64_t vectors = ceil_div(row, lanes), room = target.vectors == 32 ? held_of_32 : held_of_16;
    if (vectors > most_held_vectors || vectors * int64_t(spec.held.size()) > room) return nullptr;
    const int64_t rows_extent = loops[loops.size() - 2].extent;
    job->zeros = zeros;
    if (rows.follow) job->merged = merged_rows(rows_extent, row, lanes, zeros && loops.size() == 2);
    spec.period = int(row), spec.fixed = int(job->merged * row);
    if (zeros) spec.live = int(row - zeros);
    if (!can_build_short_rows(target, spec)) return nullptr;
    job->bytes = job->nest.points() / loops.back().extent * row * width;
    job->kernel = map_kernel(target, spec);
    if (!job->kernel) return nullptr;
    const int64_t unit_bytes = bytes_of_unit(job->bytes, context);
    job->block_rows =
        std::clamp<int64_t>(unit_bytes / width / row / job->merged * job->merged, job->merged, rows_extent);
    MapSpec other = spec;
    other.stream = true;
    if (context.streams(job->bytes) && stored.size() == 1 && can_build_short_rows(target, other))
        job->streaming = map_kernel(target, other);
    other = spec, other.fixed = spec.period;
    if (job->merged > 1 && !zeros && rows_extent % job->merged && !(job->rest = map_kernel(target, other)))
        return nullptr;
    job->finish();
    return job;
}

} // namespace tessera::cpu
