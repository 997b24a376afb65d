// SPDX-License-Identifier: Apache-2.0
// Rows along which operands stride or follow an offset table: a block of each such operand is gathered into a buffer in
// L1, the map tile runs over the block, and results of such operands are scattered from their buffer.
//
//   f32 + f32 -> f32, nchw + nhwc -> nchwc...   src1 -> buffer, map(src0, buffer) -> dst
//   nearest resampling along the rows           src by a table -> buffer, map(buffer) -> dst
//
// Gathering moves single elements (1 to 2 ns each), squares where the operand is dense along the rows of the block
// (transpose_block), or whole lines under the gather tile where a table or a stride stays close (gradient of linear
// resampling x2 of f32 nchw rows of 28, 16 operands of stride 2: 5.4 ms with single elements, 1.3 with lines). What is
// the same for all rows is gathered once. The program runs at full speed, which that of the portable path does not.
#include <algorithm>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/unit.hpp"
#include "cpu/executor/job.hpp"
#include "cpu/lanes/lanes.hpp"
#include "cpu/lanes/transpose.hpp"
#include "cpu/tiles/gather/contract.hpp"
#include "cpu/tiles/map/make.hpp"

namespace tessera::cpu {

namespace {

// Measured on Zen 5 (48 KiB of L1), one thread: the gradient of linear resampling x2, f32 nchw 4x64x28x28, in which 10
// to 16 operands are packed, and sums of nhwc and nhcw into nchw, bf16 4x64x56x56.
constexpr int64_t buffer_bytes = 24 << 10; // of the smallest L1, 32 KiB: 8 KiB 0.58 of the speed, 12 0.68, 36 the same
constexpr int64_t square = 64;             // edge of blocks that are transposed: 32 0.92 of the speed, 128 the same
constexpr int64_t pieces_of_a_unit = 64 << 10; // bytes: 16 KiB 0.85 of the speed, 256 KiB the same
constexpr int64_t few_packed_rows = 8; // a call of the kernel costs as much as some rows: 2 0.84 of the speed, 32 0.97
constexpr int64_t longest_row = 4096;  // elements, where nothing is packed: 1024 and 16384 are as fast
constexpr int64_t longest_gather = 4096; // bytes of a row: 64 stores of a vector each
constexpr int64_t widest_gather = 4;     // span of a table by its entries: a vector comes from four lines
constexpr int64_t row_end = 1024;        // cost of the end of a row, in 64ths of a byte that is packed

class PackedJob final : public Job {
public:
    struct Use {
        DataType type;
        int64_t size;         // bytes of an element
        int64_t buffer = 0;   // offset in the buffer
        bool counted = false; // an iota: the kernel makes it for any stride
        bool packed = false, loaded = false, stored = false;
        std::shared_ptr<const jit::Kernel> gather = nullptr, scatter = nullptr; // of a whole row by its table
    };
    std::shared_ptr<const jit::Kernel> kernel;
    Nest nest; // outer loops, rows, columns
    std::vector<Use> uses;
    int64_t block_rows = 1, block_columns = 1;

    void run(const Bases& bases, int64_t first, int64_t last) const override {
        alignas(64) char buffer[buffer_bytes];
        for (int64_t u = first; u < last; ++u) one(bases, u, buffer);
    }
    void count() {
        const size_t n = nest.loops.size();
        units = iterations({nest.loops.data(), n - 2}) * ceil_div(nest.loops[n - 2].extent, block_rows) *
                ceil_div(nest.loops[n - 1].extent, block_columns);
    }
    std::string text() const override {
        int packed = 0;
        for (const Use& use : uses) packed += use.packed;
        const auto gathered = std::ranges::count_if(uses, [](const Use& use) { return use.gather || use.scatter; });
        return fmt::format("{} operands packed, {} of them in lines; {}; {} x {} a unit of loops({}), {} units", packed,
                           gathered, kernel->name(), block_rows, block_columns, to_string(nest, int(uses.size())),
                           units);
    }
    std::vector<const jit::Kernel*> kernels() const override {
        std::vector<const jit::Kernel*> all{kernel.get()};
        for (const Use& use : uses)
            for (const auto& mover : {use.gather, use.scatter})
                if (mover) all.push_back(mover.get());
        return all;
    }

private:
    void one(const Bases& bases, int64_t u, char* buffer) const {
        const size_t n = nest.loops.size();
        const Loop &rows = nest.loops[n - 2], &columns = nest.loops[n - 1];
        UnitIndex index(u);
        const int64_t j = index.next(ceil_div(columns.extent, block_columns)) * block_columns;
        const int64_t i = index.next(ceil_div(rows.extent, block_rows)) * block_rows;
        std::array<int64_t, job_operands> at;
        for (size_t o = 0; o < uses.size(); ++o) at[o] = nest.base[o] + i * rows.stride[o];
        index.add_offsets({nest.loops.data(), n - 2}, {at.data(), uses.size()});
        MapArgs args;
        args.rows = std::min(block_rows, rows.extent - i), args.columns = std::min(block_columns, columns.extent - j);
        Access places[job_operands];
        for (size_t o = 0; o < uses.size(); ++o) {
            Access& a = places[o];
            a = {bases[o], at[o], rows.stride[o], columns.stride[o], nullptr};
            if (columns.table[o])
                a.table = columns.table[o]->data() + j;
            else
                a.first += j * a.column;
        }
        for (size_t o = 0; o < uses.size(); ++o) {
            const Use& use = uses[o];
            args.base[o] = use.packed ? buffer + use.buffer : bases[o] + places[o].first * use.size;
            const bool same = use.packed && !use.stored && places[o].row == 0; // for all rows: gathered once
            args.row[o] = (same ? 0 : use.packed ? args.columns : places[o].row) * use.size;
            if (use.packed && use.loaded)
                gather_block(use, places[o], args.base[o], same ? 1 : args.rows, args.columns);
        }
        (*kernel)(&args);
        for (size_t o = 0; o < uses.size(); ++o)
            if (uses[o].packed && uses[o].stored)
                scatter_block(uses[o], buffer + uses[o].buffer, places[o], args.rows, args.columns);
    }

    static bool transposes(const Access& a, int64_t m) { return !a.table && a.row == 1 && m > 1 && m <= square; }

    static void move(const jit::Kernel& mover, const char* src, int64_t src_step, void* dst, int64_t dst_step,
                     int64_t m) {
        GatherArgs args{src, dst, m, src_step, dst_step, (m - 1) * src_step, (m - 1) * dst_step};
        mover(&args);
    }
    static void gather_block(const Use& use, const Access& from, void* to, int64_t m, int64_t n) {
        const char* src = static_cast<const char*>(from.base) + from.first * use.size;
        if (use.gather) return move(*use.gather, src, from.row * use.size, to, n * use.size, m);
        if (!transposes(from, m)) return copy_lanes(use.type, from, {to, 0, n, 1, nullptr}, m, n);
        for (int64_t j = 0; j < n; j += square)
            transpose_block(int(use.size), src + j * from.column * use.size, from.column,
                            static_cast<char*>(to) + j * use.size, n, std::min(square, n - j), m);
    }
    static void scatter_block(const Use& use, void* from, const Access& to, int64_t m, int64_t n) {
        char* dst = static_cast<char*>(to.base) + to.first * use.size;
        if (use.scatter)
            return move(*use.scatter, static_cast<const char*>(from), n * use.size, dst, to.row * use.size, m);
        if (!transposes(to, m)) return copy_lanes(use.type, {from, 0, n, 1, nullptr}, to, m, n);
        for (int64_t j = 0; j < n; j += square)
            transpose_block(int(use.size), static_cast<const char*>(from) + j * use.size, n,
                            dst + j * to.column * use.size, to.column, m, std::min(square, n - j));
    }
};

bool lies_in_rows(const Loop& columns, size_t o, const PackedJob::Use& use) {
    if (columns.table[o]) return false;
    return columns.stride[o] == 1 || (columns.stride[o] == 0 && !use.stored) || use.counted;
}

// Makes the columns of the loop along which the fewest bytes must be packed; of such loops the last, the closest in
// dst.
void choose_columns(std::vector<Loop>& loops, const std::vector<PackedJob::Use>& uses) {
    size_t best = loops.size();
    int64_t least = 0;
    for (size_t k = loops.size(); k-- > 0;) {
        int64_t bytes = 0;
        for (size_t o = 0; o < uses.size(); ++o)
            if (!lies_in_rows(loops[k], o, uses[o])) bytes += uses[o].size * (uses[o].stored ? 2 : 1);
        bytes = bytes * 64 + (loops[k].extent < 16 ? row_end / loops[k].extent : 0);
        if (best == loops.size() || bytes < least) best = k, least = bytes;
    }
    std::rotate(loops.begin() + long(best), loops.begin() + long(best) + 1, loops.end());
}

// Makes the rows of the loop along which packed operands are dense, or else of the closest one in dst.
bool choose_rows(std::vector<Loop>& loops, const std::vector<PackedJob::Use>& uses) {
    const size_t last = loops.size() - 1;
    size_t best = last;
    int most = -1;
    for (size_t k = last; k-- > 0;) {
        if (loops[k].indexed()) continue;
        int dense = 0;
        for (size_t o = 0; o < uses.size(); ++o) dense += uses[o].packed && loops[k].stride[o] == 1;
        const bool longer = best < last && dense == most && loops[best].extent < few_packed_rows &&
                            loops[k].extent > loops[best].extent;
        if (dense > most || longer) best = k, most = dense;
    }
    if (best == last) {
        loops.insert(loops.end() - 1, Loop{});
        return false;
    }
    std::rotate(loops.begin() + long(best), loops.begin() + long(best) + 1, loops.end() - 1);
    return most > 0;
}

// A gather kernel that moves a row in each iteration, by its table or stride. Null where elements lie far apart: a
// vector would be gathered from too many lines.
std::shared_ptr<const jit::Kernel> gather_of(const jit::Target& target, const Loop& columns, size_t o, int64_t size,
                                             bool out) {
    if (columns.extent * size > longest_gather) return nullptr;
    const auto place = [&](int64_t j) { return columns.offset(int(o), j); };
    int64_t low = place(0), high = low;
    for (int64_t j = 0; j < columns.extent; ++j) {
        low = std::min(low, place(j)), high = std::max(high, place(j));
        if (high - low >= widest_gather * columns.extent) return nullptr;
    }
    GatherSpec spec;
    spec.element = int(size);
    spec.elements.reserve(size_t(columns.extent));
    for (int64_t j = 0; j < columns.extent; ++j) {
        const int64_t there = place(j) * size, here = j * size;
        if (out && j > 0 && place(j) <= place(j - 1)) return nullptr; // stores go upwards
        spec.elements.push_back(out ? GatherElement{here, there} : GatherElement{there, here});
    }
    if (columns.extent < 2 || !can_build_gather(target, spec)) return nullptr;
    return jit::kernel(target, key(spec), [&] { return build_gather(target, spec); });
}

} // namespace

std::unique_ptr<Job> make_packed_job(const Plan& plan, const Step& step, const jit::Target& target) {
    const Program& program = plan.programs[size_t(step.program)];
    if (is_copy(program) || step.nest.loops.empty()) return nullptr; // copies are as fast in the portable loops
    auto job = std::make_unique<PackedJob>();
    MapSpec spec = map_spec(program, plan.operands);
    for (const Operand& o : plan.operands) {
        if (is_sub_byte(o.type)) return nullptr;
        job->uses.push_back({o.type, bits(o.type) / 8, 0, o.counted});
    }
    for (const Op& op : program.ops) {
        if (op.code == OpCode::load) job->uses[size_t(op.operand)].loaded = true;
        if (op.code == OpCode::store) job->uses[size_t(op.operand)].stored = true;
    }
    job->nest = step.nest;
    auto& loops = job->nest.loops;
    choose_columns(loops, job->uses);
    int64_t packed = 0, width = 0; // bytes a point
    for (size_t o = 0; o < job->uses.size(); ++o) {
        PackedJob::Use& use = job->uses[o];
        use.packed = !lies_in_rows(loops.back(), o, use);
        if (use.packed && use.counted) return nullptr; // a table
        if (!set_column(spec, o, use.packed ? 1 : loops.back().stride[o])) return nullptr;
        if (use.packed) packed += use.size;
        width += use.size;
    }
    job->kernel = map_kernel(target, spec);
    if (!job->kernel) return nullptr;
    const bool transposes = choose_rows(loops, job->uses);
    const int64_t points = packed ? (buffer_bytes - 64 * int64_t(job->uses.size())) / packed : longest_row;
    const Loop &rows = loops[loops.size() - 2], &columns = loops.back();
    const int64_t longest = transposes ? std::min(square, points / 16) : std::min(points, longest_row);
    job->block_columns = std::min(columns.extent, longest);
    job->block_rows = std::clamp<int64_t>(std::min(points, pieces_of_a_unit / width) / job->block_columns, 1,
                                          transposes ? std::min(square, rows.extent) : rows.extent);
    if (!transposes)
        job->block_rows = ceil_div(rows.extent, ceil_div(rows.extent, job->block_rows)); // of nearly equal height
    if (job->block_columns == columns.extent)
        for (size_t o = 0; o < job->uses.size(); ++o)
            if (PackedJob::Use& use = job->uses[o]; use.packed && rows.stride[o] >= 0) {
                if (use.loaded) use.gather = gather_of(target, columns, o, use.size, false);
                if (use.stored) use.scatter = gather_of(target, columns, o, use.size, true);
            }
    int64_t at = 0;
    for (PackedJob::Use& use : job->uses)
        if (use.packed) use.buffer = at, at += round_up(job->block_rows * job->block_columns * use.size, 64);
    job->bytes = step.nest.points() * width;
    job->count();
    return job;
}

} // namespace tessera::cpu
