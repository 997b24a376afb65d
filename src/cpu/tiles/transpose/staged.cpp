// SPDX-License-Identifier: Apache-2.0
// Through a buffer in L1, so that the narrower type is the one that is transposed:
//
//   f32 -> s8 with scales a channel   src -> map -> buffer -> transpose -> dst
//   s8 -> f32, sums into dst          src -> transpose -> buffer -> map -> dst
//   nchw + nhwc -> nchw               src1 -> transpose -> buffer -> map, with src0 -> dst
//   relu, nchw -> nhwc                src -> transpose -> buffer -> map -> dst
#include <algorithm>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/unit.hpp"
#include "cpu/tiles/map/make.hpp"
#include "cpu/tiles/transpose/run.hpp"

namespace tessera::cpu {

namespace {

constexpr int64_t pitch_padding = 64; // rows of a power of two would share a set of the cache

constexpr int64_t staged_run_bytes = 1 << 10; // see long_runs

int64_t next_pitch(int64_t bytes) { return round_up(bytes, 64) + pitch_padding; }

class StagedJob final : public Job {
public:
    std::unique_ptr<TransposeJob> job; // places the blocks; its kernel moves between the buffer and one side
    std::shared_ptr<const jit::Kernel> map;
    bool convert_first = false;
    size_t operands = 2;
    int64_t element = 4;          // bytes in the buffer
    std::vector<int64_t> strides; // bytes: loop * operands + operand
    std::vector<int64_t> base;    // bytes
    std::vector<int> size;
    std::vector<size_t> order; // loops of the block from the buffer's innermost one
    size_t chained = 1;        // how many of them are contiguous in the buffer
    size_t merged = 1;         // and how many of these, in every operand, too: the columns of the map tile

    void run(const Bases& bases, int64_t first, int64_t last) const override {
        alignas(64) char buffer[buffer_bytes];
        for (int64_t u = first; u < last; ++u) one(bases, u, buffer);
    }
    std::string text() const override {
        return fmt::format("{} {}{}; {}", convert_first ? "convert, then" : "convert after", map->name(),
                           merged > 1 ? fmt::format(" in runs of {} loops", merged) : "", job->text());
    }
    std::vector<const jit::Kernel*> kernels() const override {
        std::vector<const jit::Kernel*> list = job->kernels();
        list.insert(convert_first ? list.begin() : list.end(), map.get());
        return list;
    }

    int64_t stride(size_t loop, size_t o) const { return strides[loop * operands + o]; }

private:
    struct Block {
        Mover::Block tiles;
        std::array<int64_t, most_loops> extent{};
        LoopStrides pitch{}; // of the buffer
        Bases from;          // operands at the first point
    };

    void one(const Bases& bases, int64_t u, char* buffer) const {
        Block b;
        int64_t s, d;
        job->place(u, b.tiles, s, d);
        const auto& loops = job->mover.choice.loops;
        for (size_t o = 0; o < operands; ++o) b.from[o] = bases[o] + base[o];
        for (size_t k = 0; k < loops.size(); ++k) {
            const TiledLoop& t = loops[k];
            const int64_t i = Mover::start(t, b.tiles.begin[k]);
            b.extent[k] = Mover::points(t, b.tiles.begin[k], b.tiles.count[k]);
            for (size_t o = 0; o < operands; ++o)
                b.from[o] += t.loop.indexed() ? t.loop.offset(int(o), i) * size[o] : i * stride(k, o);
        }
        // The buffer's strides: contiguous along the chain, then a padded pitch.
        int64_t next = element;
        for (size_t x = 0; x < order.size(); ++x) {
            if (x == chained) next = next_pitch(next);
            b.pitch[order[x]] = next;
            next *= b.extent[order[x]];
        }
        if (convert_first) {
            convert(b, buffer);
            job->mover.run(buffer, bases[1] + d, b.tiles, b.pitch, job->dst_stride);
        } else {
            job->mover.run(bases[0] + s, buffer, b.tiles, job->src_stride, b.pitch);
            skip_repeated(b, buffer);
            convert(b, buffer);
        }
    }

    // The last tile, shifted back, repeats points of the one before: programs that read dst must not run on them twice.
    void skip_repeated(Block& b, char*& buffer) const {
        const auto& loops = job->mover.choice.loops;
        for (size_t k : order) {
            const int64_t again = b.tiles.begin[k] * loops[k].tile - Mover::start(loops[k], b.tiles.begin[k]);
            for (size_t o = 0; o < operands; ++o) b.from[o] += again * stride(k, o);
            buffer += again * b.pitch[k];
            b.extent[k] -= again;
        }
    }

    // The map tile over the block, the buffer in place of the operand that it stands for.
    void convert(const Block& b, char* buffer) const {
        const size_t there = convert_first ? 1 : 0;
        Bases from = b.from;
        from[there] = buffer;
        auto step = [&](size_t k, size_t o) { return o == there ? b.pitch[k] : stride(k, o); };
        // The longest loop beside the columns has the rows.
        const bool has_rows = order.size() > merged;
        size_t rows = order[has_rows ? merged : 0];
        for (size_t x = merged; x < order.size(); ++x)
            if (b.extent[order[x]] > b.extent[rows]) rows = order[x];
        std::array<size_t, 4> outer{};
        size_t outers = 0;
        int64_t turns = 1, columns = 1;
        for (size_t x = 0; x < merged; ++x) columns *= b.extent[order[x]];
        for (size_t x = merged; x < order.size(); ++x)
            if (order[x] != rows) outer[outers++] = order[x], turns *= b.extent[order[x]];
        MapArgs args;
        for (int64_t t = 0; t < turns; ++t) {
            Bases now = from;
            UnitIndex index(t);
            for (size_t x = 0; x < outers; ++x) {
                const int64_t i = index.next(b.extent[outer[x]]);
                for (size_t o = 0; o < operands; ++o) now[o] += i * step(outer[x], o);
            }
            for (size_t o = 0; o < operands; ++o) args.base[o] = now[o], args.row[o] = step(rows, o);
            args.rows = has_rows ? b.extent[rows] : 1;
            args.columns = columns;
            (*map)(&args);
        }
    }
};

int64_t points_of_block(const TiledLoop& t) { return std::min(t.block * t.tile, t.loop.extent); }

// The loops of a block, those of small strides on `side` first: the order in which the buffer holds them.
std::vector<size_t> loops_of_block(const TransposeChoice& choice, size_t side) {
    std::vector<size_t> order;
    for (size_t k = 0; k < choice.loops.size(); ++k)
        if (!choice.loops[k].loop.indexed() && points_of_block(choice.loops[k]) > 1) order.push_back(k);
    std::stable_sort(order.begin(), order.end(), [&](size_t x, size_t y) {
        return choice.loops[x].loop.stride[side] < choice.loops[y].loop.stride[side];
    });
    return order;
}

std::vector<int> chain_of(const std::vector<TileBit>& bits) {
    std::vector<int> chain;
    for (TileBit t : bits)
        if (chain.empty() || chain.back() != t.loop) chain.push_back(t.loop);
    return chain;
}

int64_t buffered_bytes(const TransposeChoice& choice, size_t side, size_t chained, int64_t element) {
    int64_t bytes = element;
    size_t x = 0;
    for (size_t k : loops_of_block(choice, side)) {
        if (x++ == chained) bytes = next_pitch(bytes);
        bytes *= points_of_block(choice.loops[k]);
    }
    return bytes;
}

// Halves the longest blocks until the buffer holds one.
bool fit_buffer(TransposeChoice& choice, size_t side, size_t chained, int64_t element, int64_t bytes) {
    while (buffered_bytes(choice, side, chained, element) > bytes) {
        auto longest = std::max_element(choice.loops.begin(), choice.loops.end(),
                                        [](const TiledLoop& x, const TiledLoop& y) { return x.block < y.block; });
        if (longest->block == 1) return false;
        longest->block = ceil_div(longest->block, 2);
    }
    choice.units = 1;
    for (const TiledLoop& t : choice.loops) choice.units *= t.blocks();
    return true;
}

// Blocks of long runs on the map's side, where most tensors lie, and of few rows: as many pages are visited at a time
// as the prefetcher follows. Of memcpy, two threads, f32 and bf16: nchw + nhwc -> nchw 0.32 -> 0.54 and 0.44 -> 0.56,
// nchw + nchw -> nhwc 0.52 -> 0.69 and the same, nchw + nhwc -> nhwc 0.65 -> 0.88 and 0.51 -> 0.69.
void long_runs(TransposeChoice& choice, size_t side, int element, int64_t bytes) {
    int64_t left = bytes / element;
    const auto take = [&](TiledLoop& t, int64_t most) {
        t.block = std::clamp<int64_t>(std::min(most, left) / t.tile, 1, t.level < 0 ? 1 : t.tiles);
        left = std::max<int64_t>(1, left / std::min(t.block * t.tile, t.loop.extent));
    };
    for (TiledLoop& t : choice.loops)
        if (t.index >= 0 && t.loop.stride[side] == 1) take(t, staged_run_bytes / element);
    for (TiledLoop& t : choice.loops)
        if (t.index >= 0 && t.loop.stride[side] != 1) take(t, left);
    for (TiledLoop& t : choice.loops)
        if (t.index < 0) take(t, left);
}

// Which operands advance along the columns of the map tile; false when one of them strides there.
bool set_columns(MapSpec& spec, const Loop& columns, size_t buffered) {
    for (size_t o = 0; o < spec.types.size(); ++o) {
        const int64_t stride = o == buffered ? 1 : columns.stride[o];
        bool used = false;
        for (const Op& op : spec.program.ops) used |= op.operand == int(o);
        if (used && !set_column(spec, o, stride)) return false;
    }
    return true;
}

// How many loops of the chain are one run of columns: blocks hold all of them but the last, and an operand that does
// not lie in the buffer is as contiguous as the buffer. nchw -> nChw8c with a sum is rows of 8 pixels by 8 channels as
// one, where rows of 8 leave half of a vector empty.
size_t merged_loops(const StagedJob& job, size_t buffered) {
    const auto& loops = job.job->mover.choice.loops;
    int64_t run = 1;
    size_t merged = 1;
    for (; merged < job.chained; ++merged) {
        const TiledLoop& last = loops[job.order[merged - 1]];
        if (points_of_block(last) < last.loop.extent) break;
        run *= last.loop.extent;
        bool contiguous = true;
        for (size_t o = 0; o < job.operands; ++o)
            contiguous &= o == buffered || job.stride(job.order[merged], o) == run * job.stride(job.order[0], o);
        if (!contiguous) break;
    }
    return merged;
}

std::unique_ptr<Job> staged_job(const Move& move, bool first) {
    auto staged = std::make_unique<StagedJob>();
    staged->convert_first = first;
    const size_t side = first ? 0 : 1; // the buffer lies as the side that the map works on, chain first
    TransposeSpec base;
    base.element = base.source = first ? move.element : move.source;
    auto choice = choose_transpose(move.step.nest, base, move.target, move.context);
    if (!choice) return nullptr;
    const TransposeBuffers buffers = transpose_buffers(move.context);
    if (move.source == move.element && base.element > 1) long_runs(*choice, side, base.element, buffers.staged_rows);
    const auto chain = chain_of(first ? choice->spec.piece : choice->spec.line);
    if (!fit_buffer(*choice, side, chain.size(), base.element, buffers.staged)) return nullptr;
    staged->job = std::make_unique<TransposeJob>(move, *std::move(choice));
    Mover& mover = staged->job->mover;
    if (!mover.make_kernels(move.target, first && move.streams(), true)) return nullptr;

    staged->element = base.element;
    staged->operands = move.plan.operands.size();
    const auto& loops = mover.choice.loops;
    MapSpec spec = map_spec(move.program, move.plan.operands);
    for (size_t o = 0; o < staged->operands; ++o) {
        const DataType type = move.plan.operands[o].type;
        if (is_sub_byte(type)) return nullptr;
        staged->size.push_back(bits(type) / 8);
        staged->base.push_back(move.at(o));
    }
    for (const TiledLoop& t : loops)
        for (size_t o = 0; o < staged->operands; ++o) staged->strides.push_back(t.loop.stride[o] * staged->size[o]);
    for (const TiledLoop& t : loops) // blocks of indexed loops hold one point
        if (t.loop.indexed() && (t.block > 1 || t.tile > 1)) return nullptr;
    staged->order = loops_of_block(mover.choice, side);
    staged->chained = std::max<size_t>(1, chain.size());
    if (staged->order.empty() || staged->order.size() > 5) return nullptr;
    // The chain must be the first loops of the order, complete but for the last.
    for (size_t x = 0; x < chain.size(); ++x)
        if (x >= staged->order.size() || loops[staged->order[x]].index != chain[x]) return nullptr;
    const Loop& columns = loops[staged->order[0]].loop;
    if (columns.stride[side] != 1 || !set_columns(spec, columns, 1 - side)) return nullptr;
    staged->merged = merged_loops(*staged, 1 - side);
    staged->map = map_kernel(move.target, spec);
    if (!staged->map) return nullptr;
    staged->bytes = staged->job->bytes;
    staged->units = staged->job->units;
    return staged;
}

} // namespace

std::unique_ptr<Job> make_staged_job(const Move& move) {
    const bool first = !move.reads_dst && move.element < move.source;
    if (auto job = staged_job(move, first)) return job;
    // Other operands may fit one order alone: those laid out as src convert first, those laid out as dst convert after.
    return first || !move.reads_dst ? staged_job(move, !first) : nullptr;
}

} // namespace tessera::cpu
