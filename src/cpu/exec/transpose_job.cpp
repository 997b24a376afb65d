// Steps whose rows are contiguous on one side only, or short: under the transpose tile. Programs that compute pass
// through a buffer in L1, so that the narrower type is the one that is transposed.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "cpu/exec/job.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/tiles/map/contract.hpp"
#include "cpu/tiles/transpose/choose.hpp"

namespace tessera::cpu {

namespace {

constexpr int64_t buffer_bytes = 24 << 10; // and what the tile writes beside it: within 32 KiB of L1
constexpr int64_t pitch_padding = 64;      // rows of a power of two would share a set of the cache

int64_t next_pitch(int64_t bytes) { return (bytes + 63) / 64 * 64 + pitch_padding; }

// One transposition between operands `from` and `to` of a nest, block by block.
struct Mover {
    TransposeChoice choice;
    std::shared_ptr<const jit::Kernel> kernel, streaming; // the latter for aligned destinations, or null
    std::array<int64_t, max_operands> broadcast_at{};     // bytes

    // Tiles of each loop in the block; begin counts tiles.
    struct Block {
        std::array<int64_t, 12> begin, count;
    };

    int64_t start(const TiledLoop& t, int64_t begin) const { // first point: the last tile ends with the loop
        return std::min(begin * t.tile, t.loop.extent - t.tile);
    }
    int64_t points(const TiledLoop& t, int64_t begin, int64_t count) const {
        return std::min((begin + count) * t.tile, t.loop.extent) - start(t, begin);
    }

    // Strides in bytes by loop of the choice.
    void run(const char* src, char* dst, const Block& b, const int64_t* src_stride, const int64_t* dst_stride,
             const Bases* bases = nullptr) const {
        TransposeArgs args;
        for (size_t o = 2; o < choice.spec.types.size(); ++o) args.broadcast[o] = (*bases)[o] + broadcast_at[o];
        args.src = src;
        args.dst = dst;
        for (size_t k = 0; k < choice.loops.size(); ++k) {
            const TiledLoop& t = choice.loops[k];
            if (t.index >= 0) args.src_stride[t.index] = src_stride[k], args.dst_stride[t.index] = dst_stride[k];
            if (t.level < 0) continue;
            auto& loop = args.loop[t.level];
            loop.count = b.count[k];
            loop.src_step = t.tile * src_stride[k];
            loop.dst_step = t.tile * dst_stride[k];
            const int64_t over = loop.count * t.tile - points(t, b.begin[k], b.count[k]);
            if (loop.count > 1) loop.src_fix = -over * src_stride[k], loop.dst_fix = -over * dst_stride[k];
        }
        const bool aligned = reinterpret_cast<uintptr_t>(dst) % 64 == 0;
        (streaming && aligned ? *streaming : *kernel)(&args);
    }
};

class TransposeJob final : public Job {
public:
    Mover mover;
    std::array<int64_t, 12> src_stride{}, dst_stride{}; // bytes, of the operands
    int64_t src_base = 0, dst_base = 0;
    int src = 0, dst = 1;

    void run(const Bases& bases, int64_t first, int64_t last) const override {
        for (int64_t u = first; u < last; ++u) {
            Mover::Block b;
            int64_t s, d;
            place(u, b, s, d);
            mover.run(bases[size_t(src)] + s, bases[size_t(dst)] + d, b, src_stride.data(), dst_stride.data(), &bases);
        }
    }
    void place(int64_t u, Mover::Block& b, int64_t& s, int64_t& d) const {
        s = src_base, d = dst_base;
        for (size_t k = mover.choice.loops.size(); k-- > 0;) {
            const TiledLoop& t = mover.choice.loops[k];
            const int64_t blocks = t.blocks(), i = blocks == 1 ? 0 : u % blocks;
            if (blocks > 1) u /= blocks;
            b.begin[k] = i * t.block;
            b.count[k] = std::min(t.block, t.tiles - b.begin[k]);
            const int64_t at = mover.start(t, b.begin[k]);
            if (t.loop.indexed()) {
                s += t.loop.offset(src, at) * source, d += t.loop.offset(dst, at) * element;
            } else {
                s += at * src_stride[k], d += at * dst_stride[k];
            }
        }
    }
    std::string text() const override { return to_string(mover.choice); }
    std::vector<const jit::Kernel*> kernels() const override {
        std::vector<const jit::Kernel*> list{mover.kernel.get()};
        if (mover.streaming) list.push_back(mover.streaming.get());
        return list;
    }
    int element = 4, source = 4;
};

// Through a buffer. Converted first when dst is the narrower type: src -> map -> buffer -> transpose -> dst;
// else src -> transpose -> buffer -> map -> dst, which also serves programs that read dst.
class StagedJob final : public Job {
public:
    std::unique_ptr<TransposeJob> job; // places the blocks; its kernel moves between the buffer and one side
    std::shared_ptr<const jit::Kernel> map;
    bool convert_first = false;
    size_t operands = 2, written = 1, read = 0;
    int64_t element = 4;                                        // bytes in the buffer
    std::array<std::array<int64_t, max_operands>, 12> stride{}; // bytes: loop, operand
    std::array<int64_t, max_operands> base{};
    std::array<int, max_operands> size{};
    std::vector<size_t> order; // loops of the block from the buffer's innermost one
    size_t chained = 1;        // how many of them lie without padding between
    std::array<uint8_t, max_operands> column{};

    void run(const Bases& bases, int64_t first, int64_t last) const override {
        alignas(64) char buffer[buffer_bytes];
        for (int64_t u = first; u < last; ++u) one(bases, u, buffer);
    }
    std::string text() const override {
        return fmt::format("{} {}; {}", convert_first ? "convert, then" : "convert after", map->name(), job->text());
    }
    std::vector<const jit::Kernel*> kernels() const override {
        std::vector<const jit::Kernel*> list = job->kernels();
        list.insert(convert_first ? list.begin() : list.end(), map.get());
        return list;
    }

private:
    void one(const Bases& bases, int64_t u, char* buffer) const {
        Mover::Block b;
        int64_t s, d;
        job->place(u, b, s, d);
        const auto& loops = job->mover.choice.loops;
        std::array<int64_t, max_operands> at{};
        std::array<int64_t, 12> extent{};
        for (size_t k = 0; k < loops.size(); ++k) {
            const TiledLoop& t = loops[k];
            const int64_t i = job->mover.start(t, b.begin[k]);
            extent[k] = job->mover.points(t, b.begin[k], b.count[k]);
            for (size_t o = 0; o < operands; ++o)
                at[o] += t.loop.indexed() ? t.loop.offset(int(o), i) * size[o] : i * stride[k][o];
        }
        // The buffer's strides: contiguous along the chain, then a padded pitch.
        std::array<int64_t, 12> pitch{};
        int64_t next = element;
        for (size_t x = 0; x < order.size(); ++x) {
            if (x == chained) next = next_pitch(next);
            pitch[order[x]] = next;
            next *= extent[order[x]];
        }
        auto converted = [&](bool to_buffer) {
            MapArgs args;
            std::array<std::array<int64_t, max_operands>, 12> step = stride;
            std::array<char*, max_operands> from{};
            for (size_t o = 0; o < operands; ++o) from[o] = bases[o] + base[o] * size[o] + at[o];
            const size_t there = to_buffer ? written : read;
            from[there] = buffer;
            for (size_t k : order) step[k][there] = pitch[k];
            if (!to_buffer) // a tile shifted back repeats points: programs that read dst must not
                for (size_t k : order) {
                    const int64_t again = b.begin[k] * loops[k].tile - job->mover.start(loops[k], b.begin[k]);
                    for (size_t o = 0; o < operands; ++o) from[o] += again * step[k][o];
                    extent[k] -= again;
                }
            // order[0] are the columns; the longest other loop the rows.
            size_t rows = order.size() > 1 ? order[1] : order[0];
            for (size_t x = 2; x < order.size(); ++x)
                if (extent[order[x]] > extent[rows]) rows = order[x];
            std::array<size_t, 4> outer{};
            size_t outers = 0;
            int64_t turns = 1;
            for (size_t x = 1; x < order.size(); ++x)
                if (order[x] != rows) outer[outers++] = order[x], turns *= extent[order[x]];
            for (int64_t t = 0; t < turns; ++t) {
                std::array<char*, max_operands> now = from;
                int64_t rest = t;
                for (size_t x = 0; x < outers; ++x) {
                    const int64_t i = rest % extent[outer[x]];
                    rest /= extent[outer[x]];
                    for (size_t o = 0; o < operands; ++o) now[o] += i * step[outer[x]][o];
                }
                for (size_t o = 0; o < operands; ++o) args.base[o] = now[o], args.row[o] = step[rows][o];
                args.rows = order.size() > 1 ? extent[rows] : 1;
                args.columns = extent[order[0]];
                (*map)(&args);
            }
        };
        if (convert_first) {
            converted(true);
            job->mover.run(buffer, bases[written] + d, b, pitch.data(), job->dst_stride.data());
        } else {
            job->mover.run(bases[read] + s, buffer, b, job->src_stride.data(), pitch.data());
            converted(false);
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

// Operands beside src and dst hold one element for the whole nest.
bool broadcasts(const Nest& nest, const Program& program) {
    for (const Op& op : program.ops) {
        if (op.code != OpCode::load || op.operand == 0) continue;
        if (op.operand == 1) return false;
        for (const Loop& loop : nest.loops)
            if (loop.table[size_t(op.operand)] || (loop.extent > 1 && loop.stride[size_t(op.operand)] != 0))
                return false;
    }
    return true;
}

// Every line that the tile writes is one whole line of 64 bytes when the first one is.
bool whole_lines(const TransposeChoice& choice, int element) {
    for (const TiledLoop& t : choice.loops) {
        if (t.loop.extent == 1) continue;
        if (t.loop.indexed() || t.loop.extent % t.tile) return false;
        bool in_line = false;
        for (TileBit b : choice.spec.line) in_line |= b.loop == t.index;
        const int64_t step = t.loop.stride[1] * element * (in_line ? t.tile : 1);
        if (step % 64) return false;
    }
    return true;
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

} // namespace

std::unique_ptr<Job> make_transpose_job(const Plan& plan, const Step& step, const jit::Target& target,
                                        const Machine& machine) {
    if (step.kind != StepKind::run || step.tile == Tile::reduce || step.nest.loops.size() > 12) return nullptr;
    const Program& program = plan.programs[size_t(step.program)];
    const auto written = size_t(program.ops.back().operand);
    if (program.ops[0].code != OpCode::load || written != 1) return nullptr;
    const auto read = size_t(program.ops[0].operand);
    const DataType from = plan.operands[read].type, to = plan.operands[written].type;
    if (read != 0 || is_sub_byte(from) || is_sub_byte(to)) return nullptr;
    const bool copy = is_copy(program);
    bool reads_dst = false;
    for (const Op& op : program.ops)
        reads_dst |= op.code == OpCode::load && size_t(op.operand) != read &&
                     plan.operands[size_t(op.operand)].arg == plan.operands[written].arg;
    const bool convert_first = !copy && !reads_dst && bits(to) < bits(from);
    const int element = bits(convert_first ? to : from) / 8;

    auto job = std::make_unique<TransposeJob>();
    const bool stream = step.nest.points() * (bits(from) + bits(to)) / 8 > machine.stream_bytes;
    TransposeSpec base;
    base.stream = stream && copy;
    base.element = base.source = element;
    const int source = bits(from) / 8;
    std::optional<TransposeChoice> choice;
    bool direct = copy;
    if (!copy && !reads_dst && broadcasts(step.nest, program)) {
        TransposeSpec fused;
        fused.stream = stream;
        fused.element = bits(to) / 8, fused.source = source, fused.program = program;
        for (const Operand& o : plan.operands) fused.types.push_back(o.type);
        choice = choose_transpose(step.nest, fused, target, machine);
        direct = choice.has_value();
    }
    if (!choice) choice = choose_transpose(step.nest, base, target, machine);
    if (!choice) return nullptr;
    job->element = bits(to) / 8;
    job->source = source;
    job->bytes = step.nest.points() * (bits(from) + bits(to)) / 8;
    if (direct) {
        for (size_t k = 0; k < choice->loops.size(); ++k) {
            job->src_stride[k] = choice->loops[k].loop.stride[read] * job->source;
            job->dst_stride[k] = choice->loops[k].loop.stride[written] * job->element;
        }
        job->src_base = step.nest.base[read] * job->source, job->dst_base = step.nest.base[written] * job->element;
        for (size_t o = 2; o < plan.operands.size(); ++o)
            job->mover.broadcast_at[o] = step.nest.base[o] * (bits(plan.operands[o].type) / 8);
    } else {
        const size_t side = convert_first ? read : written;
        const size_t chained = chain_of(convert_first ? choice->spec.piece : choice->spec.line).size();
        while (buffered_bytes(*choice, side, chained, element) > buffer_bytes) { // halve the longest block
            auto longest = std::max_element(choice->loops.begin(), choice->loops.end(),
                                            [](const TiledLoop& x, const TiledLoop& y) { return x.block < y.block; });
            if (longest->block == 1) return nullptr;
            longest->block = (longest->block + 1) / 2;
        }
        choice->units = 1;
        for (const TiledLoop& t : choice->loops) choice->units *= t.blocks();
    }
    job->mover.choice = *choice;
    job->units = choice->units;
    TransposeSpec tile = choice->spec;
    tile.stream = tile.prefetch_read = false;
    job->mover.kernel = jit::kernel(target, key(tile), [=] { return build_transpose(target, tile); });
    if (!job->mover.kernel) return nullptr;
    if ((direct || convert_first) && stream && whole_lines(*choice, job->element)) {
        tile.stream = tile.prefetch_read = true;
        job->mover.streaming = jit::kernel(target, key(tile), [=] { return build_transpose(target, tile); });
    }
    if (direct) return job;

    auto staged = std::make_unique<StagedJob>();
    staged->convert_first = convert_first;
    staged->element = element;
    staged->operands = plan.operands.size();
    staged->written = written, staged->read = read;
    staged->base = step.nest.base;
    const auto& loops = job->mover.choice.loops;
    MapSpec spec{program, {}, {}, false};
    for (size_t o = 0; o < plan.operands.size(); ++o) {
        if (is_sub_byte(plan.operands[o].type)) return nullptr;
        staged->size[o] = bits(plan.operands[o].type) / 8;
        spec.types.push_back(plan.operands[o].type);
        for (size_t k = 0; k < loops.size(); ++k) staged->stride[k][o] = loops[k].loop.stride[o] * staged->size[o];
    }
    for (size_t k = 0; k < loops.size(); ++k) {
        job->src_stride[k] = staged->stride[k][read];
        job->dst_stride[k] = staged->stride[k][written];
        // Blocks of indexed loops hold one point.
        if (loops[k].loop.indexed() && (loops[k].block > 1 || loops[k].tile > 1)) return nullptr;
    }
    job->src_base = step.nest.base[read] * staged->size[read];
    job->dst_base = step.nest.base[written] * staged->size[written];
    // The buffer lies as the side that the map works on, chain first.
    const size_t side = convert_first ? read : written;
    staged->order = loops_of_block(job->mover.choice, side);
    if (staged->order.empty()) return nullptr;
    const auto chain = chain_of(convert_first ? job->mover.choice.spec.piece : job->mover.choice.spec.line);
    staged->chained = std::max<size_t>(1, chain.size());
    // The chain must be the first loops of the order, complete but for the last.
    for (size_t x = 0; x < chain.size(); ++x)
        if (x >= staged->order.size() || loops[staged->order[x]].index != chain[x]) return nullptr;
    if (loops[staged->order[0]].loop.stride[side] != 1 || staged->order.size() > 5) return nullptr;
    for (size_t o = 0; o < plan.operands.size(); ++o) {
        const bool buffered = o == (convert_first ? written : read);
        const int64_t stride = buffered ? 1 : loops[staged->order[0]].loop.stride[o];
        bool used = false;
        for (const Op& op : program.ops) used |= op.operand == int(o);
        if (used && stride != 0 && stride != 1) return nullptr;
        spec.column[o] = uint8_t(used ? stride : 0);
    }
    if (!can_build_map(spec)) return nullptr;
    staged->map = jit::kernel(target, key(spec), [=] { return build_map(target, spec); });
    if (!staged->map) return nullptr;
    staged->bytes = job->bytes;
    staged->units = job->units;
    staged->job = std::move(job);
    return staged;
}

} // namespace tessera::cpu
