// SPDX-License-Identifier: Apache-2.0
// From a step to a LerpJob: which loop is what, the program of the second pass, blocks of pixels and their tables.
#include <algorithm>
#include <climits>
#include <cstring>
#include <limits>

#include "core/division.hpp"
#include "core/plan/cut.hpp"
#include "core/plan/unit.hpp"
#include "cpu/tiles/lerp/contract.hpp"
#include "cpu/tiles/lerp/run.hpp"
#include "cpu/tiles/map/make.hpp"

namespace tessera::cpu {

namespace {

// Measured on Zen 5, one thread, x2 of f32 and bf16.
constexpr int64_t most_rows = 64;  // of a call; bf16 8x128x14x14: 8 rows 208 us, 16 161, 32 138, 64 130
constexpr int64_t least_lines = 4; // rows of dst in a unit, of which the first reuses nothing: 1 and 16 are as fast
constexpr int64_t widest = 8;      // span of the elements read, by those written: more would be converted for nothing
constexpr int64_t turn = 64;       // elements of an iteration of the map tile
// Cycles, of places whose sources lie far apart: of a pixel by itself, of a vector of lanes, of an element that is
// packed.
constexpr int64_t pixel_cycles = 8, place_cycles = 6, packed_cycles = 3;

// Makes a job of a step, or finds that it cannot.
class Maker {
public:
    Maker(const Plan& plan, const Step& step, const jit::Target& target, const Context& context, int64_t zeros)
        : plan_(plan), step_(step), target_(target), context_(context), zeros_(zeros),
          job_(std::make_unique<LerpJob>()), operands_(plan.operands.size()) {}

    std::unique_ptr<Job> make() {
        job_->pattern = lerp_pattern(plan_, step_);
        if (pattern().members.size() > most_lerp_members || step_.nest.loops.empty()) return nullptr;
        job_->lanes = target_.vector_bytes / 4;
        for (const Operand& o : plan_.operands) {
            if (is_sub_byte(o.type)) return nullptr;
            job_->size.push_back(bits(o.type) / 8);
        }
        if (!order_loops() || shares_nothing() || !same_neighbours() || !make_finish() || !make_blocks())
            return nullptr;
        set_overrun();
        make_units();
        return std::move(job_);
    }

private:
    const LerpPattern& pattern() const { return job_->pattern; }
    DataType src_type() const { return plan_.operands[size_t(pattern().members[0].left)].type; }
    bool is_member(size_t o) const {
        return std::ranges::any_of(pattern().members, [&](const auto& m) { return m.left == int(o); });
    }
    bool is_complement(size_t o) const {
        return std::ranges::any_of(pattern().complements, [&](const auto& c) { return c.operand == int(o); });
    }
    bool moves(const Loop& l, int operand) const { return l.table[size_t(operand)] || l.stride[size_t(operand)] != 0; }

    // Columns: the last loop if all operands are contiguous there. Pixels: the loop along which weights vary. Lines:
    // the closest loop in which src has a table, so that rows of src are read again. Planes: the longest loop without a
    // table.
    bool order_loops() {
        std::vector<Loop> rest = step_.nest.loops, ordered;
        const auto take = [&](size_t k) {
            ordered.insert(ordered.begin(), k < rest.size() ? rest[k] : Loop{});
            if (k < rest.size()) rest.erase(rest.begin() + long(k));
        };
        const auto dst = size_t(plan_.programs[size_t(step_.program)].ops.back().operand);
        const int weight = pattern().weight;
        const auto dense = [&](const Loop& l) {
            bool all = !l.indexed() && l.stride[dst] == 1 && (weight < 0 || !moves(l, weight));
            for (const auto& m : pattern().members)
                all &= l.stride[size_t(m.left)] == 1 && l.stride[size_t(m.right)] == 1;
            return all;
        };
        take(dense(rest.back()) ? rest.size() - 1 : rest.size());
        if (rest.empty()) return false;
        size_t pixels = rest.size() - 1;
        for (size_t k = 0; weight >= 0 && k < rest.size(); ++k)
            if (moves(rest[k], weight)) pixels = k;
        take(pixels);
        size_t lines = rest.size();
        for (size_t k = 0; k < rest.size(); ++k)
            if (rest[k].indexed()) lines = k;
        take(lines);
        size_t planes = rest.size();
        for (size_t k = 0; k < rest.size(); ++k)
            if (!rest[k].indexed() && (planes == rest.size() || rest[k].extent > rest[planes].extent)) planes = k;
        take(planes);
        job_->nest = {step_.nest.base, std::move(rest)};
        job_->nest.loops.insert(job_->nest.loops.end(), ordered.begin(), ordered.end());
        return true;
    }

    // Rows of channels that are read once each (half the size) and would have to be converted first: the map tile is
    // faster, which reads all corners at once (64 channels of bf16 nhwc: 95 us for 154; with f32 two passes are,
    // nChw16c 230 us for 300).
    bool shares_nothing() const {
        return pattern().members.size() > 1 && !job_->lines().indexed() && job_->columns().extent >= job_->lanes &&
               src_type() != DataType::f32;
    }

    // Offsets of the neighbours of each pixel from the start of a row: they must be the same for all members and rows.
    bool same_neighbours() {
        const Loop& pixels = job_->pixels();
        for (const auto& m : pattern().members) {
            int64_t apart = job_->nest.base[size_t(m.right)] - job_->nest.base[size_t(m.left)];
            for (const Loop& l : job_->nest.loops) {
                if (&l == &pixels) continue;
                const int64_t difference = l.offset(m.right, 0) - l.offset(m.left, 0);
                for (int64_t i = 1; i < l.extent && l.indexed(); ++i)
                    if (l.offset(m.right, i) - l.offset(m.left, i) != difference) return false;
                if (!l.table[size_t(m.left)] && l.stride[size_t(m.left)] != l.stride[size_t(m.right)]) return false;
                apart += difference;
                if (pattern().weight >= 0 && moves(l, pattern().weight)) return false;
            }
            std::vector<int64_t> left, right;
            for (int64_t i = 0; i < pixels.extent; ++i) {
                left.push_back(pixels.offset(m.left, i));
                right.push_back(pixels.offset(m.right, i) + apart);
            }
            if (left_.empty()) left_ = left, right_ = right;
            if (left != left_ || right != right_) return false;
            const Loop &planes = job_->planes(), &columns = job_->columns();
            const auto first = size_t(pattern().members[0].left);
            if (planes.stride[size_t(m.left)] != planes.stride[first] || planes.stride[first] < 0) return false;
            if (columns.extent > 1 && columns.stride[size_t(m.left)] != 1) return false;
        }
        return true;
    }

    // The second pass: what it reads besides members must be constant or contiguous along its rows.
    bool make_finish() {
        const Loop &pixels = job_->pixels(), &columns = job_->columns();
        MapSpec spec = map_spec(pattern().rest, plan_.operands);
        job_->used.assign(operands_, false);
        for (const Op& op : pattern().rest.ops)
            if (op.operand >= 0 && !is_member(size_t(op.operand)) && !is_complement(size_t(op.operand)))
                job_->used[size_t(op.operand)] = true;
        for (size_t o = 0; o < operands_; ++o) {
            if (is_member(o) || is_complement(o)) spec.types[o] = DataType::f32;
            spec.column[o] = is_member(o);
            if (!job_->used[o]) continue;
            if (pixels.table[o] || job_->planes().table[o]) return false;
            if (columns.extent > 1 && pixels.stride[o] != columns.stride[o] * columns.extent) job_->flat = false;
        }
        for (size_t o = 0; o < operands_; ++o) {
            if (!job_->used[o]) continue;
            const int64_t step = columns.extent > 1 || !job_->flat ? columns.stride[o] : pixels.stride[o];
            if (!set_column(spec, o, step)) return false;
        }
        const auto dst = size_t(pattern().rest.ops.back().operand);
        if (spec.column[dst] != 1) return false;
        if (!job_->flat) { // rows of a pixel each
            spec.fixed = int(std::min<int64_t>(columns.extent + zeros_, INT_MAX));
            if (zeros_) spec.period = spec.fixed, spec.live = int(columns.extent);
            if (!can_build_short_rows(target_, spec)) spec.fixed = 0;
        }
        if (zeros_ && !spec.fixed) return false;
        for (const auto& c : pattern().complements) {
            std::vector<float> values;
            const Operand& weight = plan_.operands[size_t(c.weight)];
            for (float w : plan_.constants[size_t(weight.constant)]) values.push_back(1.f - w);
            for (const Loop* l : {&job_->planes(), &pixels, &columns})
                if (moves(*l, c.weight)) return false;
            job_->complements.push_back(std::move(values));
        }
        job_->finish = map_kernel(target_, spec);
        return job_->finish != nullptr;
    }

    float right_weight(int64_t pixel) const {
        if (pattern().weight < 0) return pattern().right_same;
        const auto w = size_t(pattern().weight);
        int64_t at = job_->nest.base[w] + job_->pixels().offset(int(w), pixel);
        return plan_.constants[size_t(plan_.operands[w].constant)][size_t(at)];
    }
    float left_weight(int64_t pixel) const {
        return pattern().weight < 0 ? pattern().left_same : 1.f - right_weight(pixel);
    }

    LerpBlock block(int64_t begin, int64_t end) const {
        LerpBlock b;
        b.begin = begin, b.count = end - begin;
        const auto [l, h] = std::minmax_element(left_.begin() + begin, left_.begin() + end);
        const auto [l2, h2] = std::minmax_element(right_.begin() + begin, right_.begin() + end);
        b.low = std::min(*l, *l2);
        b.span = std::max(*h, *h2) - b.low + job_->columns().extent;
        return b;
    }

    // Blocks of pixels such that the buffer holds the rows of a line.
    bool make_blocks() {
        const int64_t pixels = job_->pixels().extent, columns = job_->columns().extent, lanes = job_->lanes;
        const auto members = int64_t(pattern().members.size());
        if (pixels > int64_t(1) << 20) return false;
        int64_t apart = 0; // left and right neighbours, in any column
        for (size_t i = 0; i < left_.size(); ++i) apart = std::max(apart, std::abs(right_[i] - left_[i]));
        for (int64_t parts = 1; parts <= pixels; parts = parts < 8 ? parts + 1 : parts * 2) {
            std::vector<LerpBlock> blocks;
            int64_t most = 0, span = 0, least = INT64_MAX;
            for (int64_t i = 0; i < parts; ++i) {
                blocks.push_back(block(pixels * i / parts, pixels * (i + 1) / parts));
                most = std::max(most, blocks.back().count * columns);
                span = std::max(span, blocks.back().span), least = std::min(least, blocks.back().span);
            }
            bool channels = columns >= lanes, together = false, two = false, wide = false;
            // Of LerpBlock::left and right, and of places.
            if (!channels && span > std::numeric_limits<int32_t>::max()) return false;
            places_.clear();
            if (!channels) {
                const int64_t widest = widest_reach(blocks);
                wide = widest > 2 * lanes;
                channels = wide && columns * packed_cycles > pixel_cycles;
                two = wide || widest > lanes;
            }
            if (!channels) {
                int64_t places = 0, elements = 0;
                for (const LerpBlock& b : blocks) {
                    places += int64_t(places_.emplace_back(places_of(b, (two ? 2 : 1) * lanes)).size());
                    elements += b.count * columns;
                }
                // No window has both neighbours of an element where whole lines lie between them.
                together = places * place_cycles > elements * packed_cycles || apart >= (two ? 2 : 1) * lanes;
            }
            const int64_t beyond = wide && !channels && !together ? lanes : 0; // that the last place writes
            const int64_t row = (round_up(most, turn) + beyond) * 4;
            const int64_t window = together || channels ? 0 : (two ? 2 : 1) * lanes;
            LerpSpec spec{channels ? columns : 0, two || together};
            const DataType f32 = DataType::f32;
            // Pixels that are far apart: most of what lies between them is not read.
            if (channels ? span > 2 * most : !together && least >= window) spec.type = src_type();
            if (!can_build_lerp(spec)) spec.type = f32;
            const bool converts = (src_type() != f32 && spec.type == f32) || least < window;
            element_ = bits(spec.type) / 8;
            if (converts && span > widest * most + 2 * window) return false;
            job_->pitch = row;
            job_->converted_pitch = converts ? round_up(std::max(span, window), lanes) * 4 : 0;
            plane_bytes_ = members * row + job_->converted_pitch;
            fixed_bytes_ = together ? 2 * row : 0;
            if (plane_bytes_ + fixed_bytes_ > lerp_buffer_bytes) continue;
            for (size_t i = 0; i < blocks.size(); ++i)
                fill(blocks[i], channels ? std::vector<int64_t>{} : places_[i], together, two, converts);
            job_->blocks = std::move(blocks);
            job_->stretch = jit::kernel(target_, key(spec), [=, this] { return build_lerp(target_, spec); });
            return job_->stretch && (!converts || make_convert());
        }
        return false;
    }
    bool make_convert() {
        MapSpec spec{{}, {src_type(), DataType::f32}, {1, 1}, false};
        spec.program.store(1, spec.program.load(0, ValueType::f32));
        job_->convert = map_kernel(target_, spec);
        return job_->convert != nullptr;
    }

    // Element j of a block's row: its neighbours from low on.
    int64_t left_of(const LerpBlock& b, int64_t j) const { return neighbour(b, left_, j); }
    int64_t right_of(const LerpBlock& b, int64_t j) const { return neighbour(b, right_, j); }
    int64_t neighbour(const LerpBlock& b, const std::vector<int64_t>& index, int64_t j) const {
        const int64_t columns = job_->columns().extent, last = std::min(j, b.count * columns - 1);
        return index[size_t(b.begin + last / columns)] + last % columns - b.low;
    }
    struct Reach {
        int64_t low = INT64_MAX, high = 0;
    };
    Reach reach(const LerpBlock& b, int64_t j, int64_t end) const { // of the elements from j on
        Reach r;
        for (; j < end; ++j)
            for (int64_t x : {left_of(b, j), right_of(b, j)}) r.low = std::min(r.low, x), r.high = std::max(r.high, x);
        return r;
    }
    // Where the vectors of a block's row begin: as many elements in each as have their sources in a window.
    std::vector<int64_t> places_of(const LerpBlock& b, int64_t window) const {
        std::vector<int64_t> begins;
        for (int64_t j = 0, next = 0; j < b.count * job_->columns().extent; j = next) {
            begins.push_back(j);
            Reach all;
            for (next = j; next < j + job_->lanes; ++next) {
                const Reach r = reach(b, next, next + 1);
                all = {std::min(all.low, r.low), std::max(all.high, r.high)};
                if (all.high - all.low >= window && next > j) break;
            }
        }
        return begins;
    }
    int64_t widest_reach(const std::vector<LerpBlock>& blocks) const {
        int64_t most = 0;
        for (const LerpBlock& b : blocks)
            for (int64_t j = 0; j < b.count * job_->columns().extent; j += job_->lanes) {
                const Reach r = reach(b, j, j + job_->lanes);
                most = std::max(most, r.high - r.low + 1);
            }
        return most;
    }

    template <typename T> static void put(std::vector<char>& table, size_t at, T value) {
        std::memcpy(table.data() + at, &value, sizeof value);
    }
    // `places`: none of channels.
    void fill(LerpBlock& b, std::vector<int64_t> places, bool together, bool two, bool converts) const {
        const int64_t columns = job_->columns().extent, lanes = job_->lanes;
        if (places.empty()) {
            b.places = b.count;
            b.table.resize(size_t(b.count) * sizeof(LerpPixel));
            for (int64_t i = 0; i < b.count; ++i) {
                const int64_t p = b.begin + i;
                put(b.table, size_t(i) * sizeof(LerpPixel),
                    LerpPixel{(left_[size_t(p)] - b.low) * element_, (right_[size_t(p)] - b.low) * element_,
                              left_weight(p), right_weight(p)});
            }
            return;
        }
        const int64_t elements = b.count * columns;
        if (together)
            for (places.clear(); int64_t(places.size()) * lanes < elements;)
                places.push_back(int64_t(places.size()) * lanes);
        b.places = int64_t(places.size());
        const auto entry = size_t(lerp_entry_bytes(target_.vector_bytes)), part = size_t(target_.vector_bytes);
        b.table.resize(size_t(b.places) * entry);
        const int64_t window = (two ? 2 : 1) * lanes;
        for (int64_t v = 0; v < b.places; ++v) {
            const size_t at = size_t(v) * entry;
            const int64_t first = places[size_t(v)];
            const int64_t end = v + 1 < b.places ? places[size_t(v) + 1] : std::min(first + lanes, elements);
            int64_t start = together ? 2 * first : reach(b, first, end).low;
            if (!together && !converts) start = std::min(start, b.span - window);
            for (int64_t l = 0; l < lanes; ++l) {
                const int64_t j = std::min(first + l, end - 1), pixel = b.begin + j / columns;
                const int64_t left = left_of(b, j), right = right_of(b, j);
                if (together) b.left.push_back(int32_t(left)), b.right.push_back(int32_t(right));
                const size_t lane = at + size_t(l) * 4;
                put(b.table, lane, int32_t(together ? l : left - start));
                put(b.table, lane + part, int32_t(together ? lanes + l : right - start));
                put(b.table, lane + 2 * part, left_weight(pixel));
                put(b.table, lane + 3 * part, right_weight(pixel));
            }
            put(b.table, at + 4 * part, start * element_);
            put(b.table, at + 4 * part + 8, (end - first) * 4);
        }
    }

    // Rows without a tail: where the next line follows in dst and the program reads nothing behind the row, the last
    // vector may run into that line, which is written later (f32 nchw rows of 56: one iteration for three vectors and a
    // tail).
    void set_overrun() {
        const auto dst = size_t(pattern().rest.ops.back().operand);
        const int64_t row = job_->pixels().extent * job_->columns().extent;
        if (!job_->flat || job_->blocks.size() != 1 || job_->lines().table[dst] || job_->lines().stride[dst] != row)
            return;
        for (const Op& op : pattern().rest.ops) {
            if (op.code != OpCode::load || is_member(size_t(op.operand)) || is_complement(size_t(op.operand))) continue;
            if (moves(job_->pixels(), op.operand) || moves(job_->columns(), op.operand)) return;
        }
        // bf16 is stored much faster by whole iterations than by single vectors.
        const bool turns = job_->size[dst] == 2 && row % turn > turn / 2;
        const int64_t whole = turns ? round_up(row, turn) : round_up(row, job_->lanes);
        if (whole - row <= row) job_->overrun = whole - row;
    }

    void make_units() {
        const int64_t outer = int64_t(job_->blocks.size()) * iterations(job_->outer());
        const int64_t planes = job_->planes().extent, lines = job_->lines().extent;
        const int64_t wanted = context_.threads > 1 ? context_.threads * chunks_per_thread : 1;
        int64_t together = std::min({(lerp_buffer_bytes - fixed_bytes_) / plane_bytes_, planes, most_rows});
        together = std::clamp<int64_t>(planes * outer / wanted, 1, together);
        job_->block_planes = together;
        const int64_t units = outer * ceil_div(planes, together);
        const int64_t line_blocks =
            std::clamp<int64_t>(ceil_div(wanted, units), 1, std::max<int64_t>(1, lines / least_lines));
        job_->block_lines = ceil_div(lines, line_blocks);
        const auto dst = size_t(pattern().rest.ops.back().operand);
        job_->bytes = step_.nest.points() * (job_->size[dst] + 4 * int64_t(pattern().members.size()));
        job_->count();
    }

    const Plan& plan_;
    const Step& step_;
    const jit::Target& target_;
    const Context& context_;
    const int64_t zeros_; // behind the columns of each pixel
    std::unique_ptr<LerpJob> job_;
    const size_t operands_;
    std::vector<int64_t> left_, right_;                       // elements from where a row of src begins, by pixel
    std::vector<std::vector<int64_t>> places_;                // of lanes, by block
    int64_t plane_bytes_ = 0, fixed_bytes_ = 0, element_ = 4; // element_: bytes, of what the first pass reads
};

} // namespace

std::unique_ptr<Job> make_lerp_job(const Plan& plan, const Step& step, const jit::Target& target,
                                   const Context& context, int64_t zeros) {
    if (step.kind != StepKind::interpolate) return nullptr;
    return Maker(plan, step, target, context, zeros).make();
}

} // namespace tessera::cpu
