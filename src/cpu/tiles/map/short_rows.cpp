// SPDX-License-Identifier: Apache-2.0
// Rows of a number of columns known when the kernel is built: nothing but their loads, the program and their stores,
// each with its offset in the instruction. A row is cut into parts of one, two or four vectors, whose results fill a
// register:
//
//   53 columns of bf16, 64-byte vectors   0..31, 32..52 under a mask
//   53 columns of f32, 32-byte vectors    0..7, .. 40..47, 45..52
//
// Rows of several periods whose ends are no elements (padding) are whole vectors, too, with zeros in place of these
// lanes. Without masks the last part overlaps the one before it. Both are loaded and computed before either is stored,
// so that dst may be a source; the overlap is stored twice. With masks that would cost more: f32, 53 columns, relu 0.71
// for 0.80 of memcpy, sum of two 0.73 for 0.90.
#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>

#include "cpu/jit/program_code.hpp"
#include "cpu/tiles/map/contract.hpp"

namespace tessera::cpu {

using namespace jit;

namespace {

constexpr size_t most_of_short_rows = 10; // of 13: the arguments and the count are the others
constexpr int vectors_at_once = 8;        // 4 and 16 are as fast (Zen 5, rows of 100 f32), 1 0.7 of the speed (28 bf16)

struct Part {
    int first, vectors, count; // elements, in copies bytes: where it starts, how many
};

class ShortRows {
public:
    ShortRows(const Target& target, const MapSpec& spec)
        : spec_(spec), clamp_(clamps_bytes(spec)), copy_(clamp_ || is_copy(spec.program)), c_(target), codec_(c_),
          lanes_(copy_ ? c_.width() : c_.width() / 4) {
        for (const Op& op : spec.program.ops)
            if (op.code == OpCode::store) dst_ = op.operand;
        columns_ = spec.fixed * (copy_ ? bytes(dst_) : 1);
    }

    Code build() {
        for (const Op& op : spec_.program.ops)
            if (op.operand >= 0 && base_[op.operand].id < 0 && !is_held(op.operand))
                base_[op.operand] = base(op.operand);
        for (const int o : spec_.stepped) steps_[o] = row(o);
        if (clamp_) prepare_clamp(codec_, spec_.types[size_t(dst_)]);
        if (!copy_) program_.emplace(c_, codec_, spec_.program, spec_.types);
        codec_.promise_normal_values(spec_.normal);
        codec_.prepare_u32(0); // for vectors behind the last column
        prepare_live();
        hold();
        const std::vector<Part> all = parts();
        const auto overlaps = [&](const Part& before) { return all.back().first < before.first + before.count; };
        const size_t together = all.size() > 1 && overlaps(all[all.size() - 2]) ? 2 : 1;
        const Gpr count = c_.gload({c_.args(), offsetof(MapArgs, rows)});
        c_.loop();
        for (size_t p = 0; p + together < all.size(); ++p) run({&all[p], 1});
        run({&all[all.size() - together], together});
        for (int o = 0; o < int(spec_.types.size()); ++o) {
            if (base_[o].id < 0) continue;
            c_.gadd_mem(base_[o], base_[o], steps_[o].id < 0 ? at_row(o) : Mem{steps_[o]});
            if (steps_[o].id >= 0) c_.gadd(steps_[o], steps_[o], 8);
        }
        c_.end_loop(count, 1);
        return std::move(c_);
    }

private:
    Gpr base(int operand) { return c_.gload({c_.args(), int64_t(offsetof(MapArgs, base)) + 8 * operand}); }
    Mem at_row(int operand) const { return {c_.args(), int64_t(offsetof(MapArgs, row)) + 8 * operand}; }
    Gpr row(int operand) { return c_.gload(at_row(operand)); }
    bool is_held(int operand) const { return std::ranges::find(spec_.held, operand) != spec_.held.end(); }
    void hold() {
        for (const Op& op : spec_.program.ops) {
            if (op.code != OpCode::load || !is_held(op.operand) || held_.count({op.operand, op.type})) continue;
            std::vector<Vec>& values = held_[{op.operand, op.type}];
            const Gpr from = base(op.operand);
            const int count = spec_.live ? spec_.live : spec_.period;
            for (int j = 0; j < spec_.period; j += lanes_) {
                const Mem m{from, int64_t(j) * bytes(op.operand)};
                const int left = std::min(count - j, lanes_);
                values.push_back(left > 0 ? codec_.load(spec_.types[size_t(op.operand)], op.type, m, left)
                                          : codec_.u32(0));
            }
            if (spec_.period < lanes_) values[0] = c_.permute(values[0], lanes_of_period(), 4);
        }
        if (!is_same_in_all_rows()) return;
        for (int j = 0; j < spec_.period; j += lanes_)
            program_->emit(
                [&](int operand, ValueType type) {
                    return held_.at({operand, type})[size_t(j / lanes_)];
                },
                [&](int, ValueType, Vec value) { results_.push_back(with_zeros(value, j)); });
    }
    Vec lanes_of_period() {
        std::vector<uint8_t> table(size_t(c_.width()), 0);
        for (int lane = 0; lane < lanes_; ++lane) table[size_t(lane) * 4] = uint8_t(lane % spec_.period);
        return c_.constant(table);
    }

    // Which lanes are elements, of the vectors of a period; in copies bytes.
    int period() const { return spec_.period * (copy_ ? bytes(dst_) : 1); }
    bool is_live(int column) const { return column % period() < spec_.live * (copy_ ? bytes(dst_) : 1); }
    void prepare_live() {
        for (int j = 0; spec_.live && j < period(); j += lanes_) {
            std::vector<uint8_t> kept(size_t(c_.width()), 0);
            const size_t size = kept.size() / size_t(lanes_);
            for (int lane = 0; lane < lanes_; ++lane)
                if (is_live(j + lane)) std::fill_n(&kept[size_t(lane) * size], size, uint8_t(0xff));
            live_.push_back(c_.constant(kept));
        }
    }
    Vec with_zeros(Vec value, int column) {
        return spec_.live ? c_.op2(VOp::iand, value, live_[size_t(column % period() / lanes_)]) : value;
    }
    // Of `count` columns from there on, as many as are read: all, but in a row of one period, which may be the last.
    int read(int column, int count) const {
        if (!spec_.live || columns_ > period()) return count;
        int live = 0;
        while (live < count && is_live(column + live)) ++live;
        return live;
    }
    // Nothing but held operands is read: gradients of global means. Their division is done once, not for every row.
    bool is_same_in_all_rows() const {
        int stores = 0;
        for (const Op& op : spec_.program.ops) {
            stores += op.code == OpCode::store;
            if (op.code == OpCode::load && !is_held(op.operand)) return false;
        }
        return !copy_ && stores == 1 && !spec_.held.empty();
    }
    int bytes(int operand) const { return bits(spec_.types[size_t(operand)]) / 8; }
    int size(int operand) const { return copy_ ? 1 : bytes(operand); }
    Mem at(int operand, int element) { return {base_[operand], int64_t(element) * size(operand)}; }
    std::vector<Part> parts() const {
        std::vector<Part> all;
        const int joined = copy_ ? 1 : 4 / bytes(dst_); // vectors whose results fill a register
        const int full = joined * lanes_;
        int done = 0;
        for (; columns_ - done >= full; done += full) all.push_back({done, joined, full});
        const int left = columns_ - done;
        const auto part = [&](int vectors) { // of what is left; without masks the last elements, if there are so many
            const int most = vectors * lanes_;
            if (!c_.target().masks && columns_ > most) return Part{columns_ - most, vectors, most};
            return Part{done, vectors, columns_ - done};
        };
        if (left > (done ? lanes_ : full / 2)) { // more than a vector, or most of a register
            all.push_back(part(joined));
            return all;
        }
        for (; columns_ - done >= lanes_; done += lanes_) all.push_back({done, 1, lanes_});
        if (done < columns_) all.push_back(part(1));
        return all;
    }

    void run(std::span<const Part> together) {
        if (copy_) return copy(together);
        struct Stored {
            int operand;
            ValueType type;
            std::vector<Vec> values; // of all parts
        };
        std::vector<Stored> stored;
        for (const Part& part : together)
            for (int u = 0; u < part.vectors; ++u) {
                size_t next = 0;
                const int column = part.first + std::min(u * lanes_, part.count - 1);
                const bool is_zero = spec_.live && !is_live(column); // elements come first in a period
                if (!results_.empty() || is_zero) {
                    if (stored.empty()) stored.push_back({dst_, spec_.program.ops.back().type, {}});
                    stored[0].values.push_back(is_zero ? codec_.u32(0)
                                                       : results_[size_t(column % spec_.period / lanes_)]);
                    continue;
                }
                program_->emit([&](int operand, ValueType type) { return load(operand, type, part, u); },
                               [&](int operand, ValueType type, Vec value) {
                                   if (next == stored.size()) stored.push_back({operand, type, {}});
                                   stored[next++].values.push_back(with_zeros(value, column));
                               });
            }
        for (const Stored& s : stored) {
            const DataType to = spec_.types[size_t(s.operand)];
            codec_.store_normal(to, s.type, s.values, [&] {
                size_t v = 0;
                for (const Part& part : together) {
                    const std::span values(&s.values[v], size_t(part.vectors));
                    store(s.operand, s.type, part, values);
                    v += values.size();
                }
            });
        }
    }

    Vec load(int operand, ValueType type, const Part& part, int u) {
        const DataType from = spec_.types[size_t(operand)];
        if (!spec_.column[size_t(operand)]) return codec_.same(from, type, at(operand, 0));
        const int before = u * lanes_, left = read(part.first + before, std::min(part.count - before, lanes_));
        if (left <= 0) return codec_.u32(0);
        if (const auto held = held_.find({operand, type}); held != held_.end())
            return held->second[size_t((part.first + before) % spec_.period / lanes_)];
        return codec_.load(from, type, at(operand, part.first + before), left);
    }

    void store(int operand, ValueType type, const Part& part, std::span<const Vec> values) {
        const DataType to = spec_.types[size_t(operand)];
        // Parts of several vectors fill a register of dst; of another stored operand, wider or narrower, they do not.
        if (part.vectors == 1 || part.vectors * bytes(operand) != 4) {
            for (int u = 0; u < part.vectors && u * lanes_ < part.count; ++u)
                codec_.store(to, type, at(operand, part.first + u * lanes_), values[size_t(u)],
                             std::min(part.count - u * lanes_, lanes_), nullptr, spec_.stream);
            return;
        }
        const Vec all = part.vectors == 2 ? codec_.pair(to, type, values[0], values[1])
                                          : codec_.quad(to, type, {values[0], values[1], values[2], values[3]});
        const Mem m = at(operand, part.first);
        spec_.stream ? c_.stream(m, all) : c_.store(m, all, part.count * bytes(operand));
    }

    void copy(std::span<const Part> together) {
        const int src = spec_.program.ops[0].operand;
        std::vector<Vec> v;
        for (const Part& part : together) {
            const int count = read(part.first, part.count);
            v.push_back(count > 0 ? c_.load(at(src, part.first), count) : c_.zero());
            if (clamp_) v.back() = clamp_bytes(codec_, c_, spec_.types[size_t(dst_)], v.back());
            v.back() = with_zeros(v.back(), part.first);
        }
        for (size_t p = 0; p < together.size(); ++p) {
            const Mem to = at(dst_, together[p].first);
            spec_.stream ? c_.stream(to, v[p]) : c_.store(to, v[p], together[p].count);
        }
    }

    const MapSpec& spec_;
    const bool clamp_, copy_;
    Code c_;
    Codec codec_;
    const int lanes_; // elements (bytes in copies) of a vector
    int columns_ = 0; // the same
    std::optional<ProgramCode> program_;
    Gpr base_[map_operands], steps_[map_operands];
    std::map<std::pair<int, ValueType>, std::vector<Vec>> held_;
    std::vector<Vec> results_; // of a period, where all rows have the same
    std::vector<Vec> live_;    // of a period: ones in the lanes that are elements
    int dst_ = 0;
};

} // namespace

bool can_build_short_rows(const Target& target, const MapSpec& spec) {
    const int lanes = target.vector_bytes / 4;
    const int64_t most = int64_t(vectors_at_once) * lanes;
    if (spec.fixed < 1 || spec.fixed > most || !can_build_map(spec)) return false;
    if (is_copy(spec.program) && !spec.held.empty()) return false; // copies have no values that could stay
    const auto in_vectors = [&](int64_t period, int64_t vector) {
        return period % vector == 0 || vector % period == 0;
    };
    if (spec.period && (!in_vectors(spec.period, lanes) || spec.fixed % spec.period)) return false;
    std::vector<int> used;
    for (const Op& op : spec.program.ops) {
        if (op.code == OpCode::index) return false; // iotas are left to build_map
        if (op.code == OpCode::store && spec.live) {
            const DataType to = spec.types[size_t(op.operand)];
            const bool moves_bytes = is_copy(spec.program) || clamps_bytes(spec);
            if (to == DataType::e8m0) return false; // 0 is no zero bits
            if (moves_bytes && !in_vectors(spec.period * bits(to) / 8, target.vector_bytes)) return false;
        }
        if (op.code == OpCode::store && spec.stream &&
            spec.fixed * bits(spec.types[size_t(op.operand)]) / 8 % target.vector_bytes)
            return false;
        if (op.operand >= 0 && std::ranges::find(spec.held, op.operand) == spec.held.end()) used.push_back(op.operand);
    }
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    return used.size() + spec.stepped.size() <= most_of_short_rows && !is_table(spec.program, spec.types, target);
}

Code build_short_rows(const Target& target, const MapSpec& spec) { return ShortRows(target, spec).build(); }

} // namespace tessera::cpu
