// SPDX-License-Identifier: Apache-2.0
// Windows: sums in order stay in registers, four vectors at a time, and go through the outer program to where they
// belong. Four vectors of one result where rows are long; of four results where a row is one vector, as the 16 channels
// of nChw16c are.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>

#include "core/division.hpp"
#include "cpu/tiles/reduce/points.hpp"

namespace tessera::cpu {

using namespace jit;

namespace {

class WindowsBuilder : PointCode {
public:
    WindowsBuilder(const Target& target, const ReduceSpec& spec) : PointCode(target, spec) {}

    Code build() {
        codec_.promise_short_values(keeps_bf16()); // what the point program promised is true of its values alone
        codec_.promise_normal_values(false);       // truncated, denormals stay
        outer_.emplace(c_, codec_, spec_.parts.outer, spec_.types);
        load_bases();
        for (const Op& op : spec_.parts.outer.ops)
            if (op.operand >= 0 && size_t(op.operand) < spec_.sums() &&
                std::ranges::find(used_, op.operand) == used_.end() &&
                std::ranges::find(behind_, op.operand) == behind_.end())
                behind_.push_back(op.operand);
        hold_bases(behind_);
        codec_.prepare_u32(reduce_start(spec_.parts));
        if (pairs()) codec_.prepare_u32(no_number);
        prepare_numbers();
        prepare_strides();
        prepare_stores();
        const Gpr count = c_.gload(arg(offsetof(ReduceArgs, results)));
        if (spec_.fixed) {
            several_results(count);
            return std::move(c_);
        }
        c_.loop();
        each_strip(c_.gload(arg(offsetof(ReduceArgs, columns))));
        each_operand([&](int o, Gpr b) { return c_.gadd_mem(b, b, slot(offsetof(ReduceArgs, result), o)), true; });
        c_.end_loop(count, 1);
        return std::move(c_);
    }

private:
    template <typename F> void each_operand(F move) {
        each_base(move);
        each_base(behind_, move);
    }

    void several_results(Gpr count) {
        const int vectors = (spec_.fixed + lanes_ - 1) / lanes_, rest = spec_.fixed % lanes_;
        std::optional<Tail> tail;
        if (rest && has_tails()) tail = tails(c_.gset(rest));
        const int of_vector = rest && !tail ? rest : lanes_;
        const auto block = [&](int results) {
            results_of(results, vectors, of_vector, tail ? &*tail : nullptr);
            each_operand([&](int o, Gpr b) {
                if (!spec_.row[size_t(o)]) return false;
                c_.gadd(b, b, results * spec_.row[size_t(o)]);
                return true;
            });
        };
        const int most = std::max(unroll / vectors, 1);
        if (most > 1) repeat(count, most, [&] { block(most); });
        repeat(count, 1, [&] { block(1); });
    }

    void each_strip(Gpr columns) {
        const auto strip = [&](int vectors, int count) {
            results_of(1, vectors, count, nullptr);
            each_operand([&](int o, Gpr b) { return move_along(o, b, vectors * count); });
        };
        repeat(columns, unroll * lanes_, [&] { strip(unroll, lanes_); });
        repeat(columns, 2 * lanes_, [&] { strip(2, lanes_); });
        repeat(columns, lanes_, [&] { strip(1, lanes_); });
        if (has_tails()) {
            c_.if_positive(columns);
            const Tail tail = tails(columns);
            results_of(1, 1, lanes_, &tail);
            each_operand([&](int o, Gpr b) { return move_along(o, b, columns); });
            c_.end_if();
            return;
        }
        if (!has_strides()) repeat(columns, lanes_ / 2, [&] { strip(1, lanes_ / 2); });
        repeat(columns, 1, [&] { strip(1, 1); });
    }

    // `results` results of `vectors` vectors, of `count` columns each; `tail`: of the last vector of each.
    void results_of(int results, int vectors, int count, const Tail* tail) {
        std::vector<Values> sums;
        for (int i = 0; i < results * vectors && !spec_.plain; ++i) sums.push_back(fresh());
        if (tracks_nan())
            for (Values& v : sums) track_nan(v);
        const auto last = [&](int u) { return u + 1 == vectors ? tail : nullptr; };
        const auto point = [&] {
            forget_same();
            for (int r = 0; r < results; ++r)
                for (int u = 0; u < vectors; ++u) {
                    const Values own = values(int64_t(u) * lanes_, count, last(u), r);
                    spec_.plain ? sums.push_back(own) : combine(sums[size_t(r * vectors + u)], own);
                }
        };
        prefetch_written(results, vectors);
        if (spec_.single) {
            prefetch_read(results, vectors);
            point();
        } else {
            each_point(results, vectors, point, [&] { two_points(sums, results, vectors, count, last); });
        }
        for (Values& v : sums) close_nan(v);
        finish(sums, results, vectors, count, last);
    }

    // In masks of their own for four vectors, beside those of the tail and of a comparison: six in all.
    bool tracks_nan() const {
        const bool numbered = pairs() && spec_.grows >= 0;
        if (spec_.plain || !(is_extreme(spec_.parts) || numbered)) return false;
        if (spec_.parts.type != ValueType::f32 || !may_be_nan() || has_strides() || !places_.empty()) return false;
        return std::ranges::all_of(spec_.parts.point.ops, [&](const Op& op) {
            if (op.code != OpCode::load) return op.code == OpCode::index || op.code == OpCode::store;
            const DataType type = spec_.types[size_t(op.operand)];
            return type == DataType::f32 || type == DataType::bf16 || type == DataType::f16;
        });
    }

    // A comparison finds the NaN of two points.
    template <typename F>
    void two_points(const std::vector<Values>& sums, int results, int vectors, int count, F tail) {
        constexpr int ordered = 7;
        const auto each = [&](auto take) {
            forget_same();
            for (int r = 0; r < results; ++r)
                for (int u = 0; u < vectors; ++u)
                    take(size_t(r * vectors + u), values(int64_t(u) * lanes_, count, tail(u), r).value);
            move_by(offsetof(ReduceArgs, point));
        };
        std::vector<Vec> first(sums.size());
        each([&](size_t i, Vec v) { first[i] = v; });
        each([&](size_t i, Vec second) {
            c_.fcmp_and_into(sums[i].numbers, sums[i].numbers, first[i], second, ordered);
            combine_numbers(c_, spec_.parts, sums[i].value, first[i]);
            combine_numbers(c_, spec_.parts, sums[i].value, second);
        });
    }

    template <typename F, typename G> void each_point(int results, int vectors, F point, G two_points) {
        Gpr planes;
        if (spec_.deep) {
            planes = c_.gload(arg(offsetof(ReduceArgs, planes)));
            c_.loop();
        }
        const Gpr turns = c_.gload(arg(offsetof(ReduceArgs, turns)));
        c_.loop();
        prefetch_read(results, vectors);
        const Gpr points = c_.gload(arg(offsetof(ReduceArgs, points)));
        if (tracks_nan() && !pairs()) repeat(points, 2, two_points);
        repeat(points, 1, [&] {
            point();
            move_by(offsetof(ReduceArgs, point));
        });
        move_by(offsetof(ReduceArgs, turn));
        c_.end_loop(turns, 1);
        if (spec_.deep) {
            move_by(offsetof(ReduceArgs, plane));
            c_.end_loop(planes, 1);
        }
        move_by(offsetof(ReduceArgs, strip));
    }

    // What is read some KiB further on. Rows of windows are too many short streams for the hardware: bf16 2x2 of
    // nChw16c 16x512x28x28 0.15 -> 0.3 of memcpy. What is written, too: gradients of f32 nchw take 0.7 of the time so.
    void prefetch_read(int results, int vectors) {
        for (const int o : used_)
            if (!counted(o) && spec_.column[size_t(o)] == 1) prefetch(o, results, vectors, 0);
    }
    // Long rows of windows need none.
    void prefetch_written(int results, int vectors) {
        for (const Op& op : spec_.parts.outer.ops)
            if (op.code == OpCode::store && (spec_.fixed || spec_.single || spec_.column[size_t(op.operand)] > 1))
                prefetch(op.operand, results, vectors, 1);
    }
    void prefetch(int o, int results, int vectors, int how) {
        constexpr int64_t ahead = 4096, line = 64, most = 16;
        const int64_t of_result = int64_t(vectors) * lanes_ * spec_.column[size_t(o)] * size(o);
        const int64_t row = spec_.fixed ? std::abs(spec_.row[size_t(o)]) : 0;
        const bool apart = row > line && row > of_result; // of other results, as many results ahead
        const int64_t from = apart ? round_up(ahead, results * row) : ahead;
        const int64_t span = apart ? of_result : std::max(of_result, results * row);
        int64_t left = most;
        for (int r = 0; r < (apart ? results : 1); ++r)
            for (int64_t at = 0; at < span && left > 0; at += line, --left)
                c_.prefetch({base(o), from + r * row + at}, how);
    }

    // The outer program behind all sums; what it stores goes together, for the sake of bf16.
    template <typename F> void finish(const std::vector<Values>& sums, int results, int vectors, int count, F tail) {
        forget_same();
        std::map<std::pair<int, ValueType>, std::vector<Vec>> stored;
        const auto at = [&](int o, int u, int r) {
            return Mem{base(o), int64_t(u) * lanes_ * moved(o) + side_bytes(o, r)};
        };
        const auto columns = [&](int u) { return tail(u) ? &tail(u)->columns : nullptr; };
        for (int r = 0; r < results; ++r)
            for (int u = 0; u < vectors; ++u)
                outer_->emit(
                    [&](int o, ValueType type) {
                        const Values& own = sums[size_t(r * vectors + u)];
                        if (size_t(o) >= spec_.sums()) return size_t(o) == spec_.sums() ? own.value : own.second;
                        const DataType from = spec_.types[size_t(o)];
                        if (spec_.column[size_t(o)]) return codec_.load(from, type, at(o, u, r), count, columns(u));
                        if (side_bytes(o, r)) return codec_.same(from, type, at(o, u, r));
                        const auto known = same_.find({o, type});
                        return known != same_.end() ? known->second
                                                    : same_[{o, type}] = codec_.same(from, type, at(o, u, r));
                    },
                    [&](int o, ValueType type, Vec v) {
                        stored[{o, type}].push_back(v);
                    });
        for (const auto& [to, values] : stored) {
            const auto& [o, type] = to;
            codec_.store_normal(spec_.types[size_t(o)], type, values, [&, o = o, type = type, &values = values] {
                for (int i = 0; i < results * vectors; ++i) {
                    const Mem m = at(o, i % vectors, i / vectors);
                    if (spec_.column[size_t(o)] > 1 && count > 1)
                        store_strided(o, type, m, values[size_t(i)], tail(i % vectors));
                    else
                        codec_.store(spec_.types[size_t(o)], type, m, values[size_t(i)], count, columns(i % vectors));
                }
            });
        }
    }

    // Where each vector of elements s apart goes: lane j to element s j, of which a store holds `elements`, under a
    // mask.
    //   s 2, 16 lanes of 4 bytes: elements 0 2 .. 14, then 16 18 .. 30; of 2 bytes all at once
    // Those of stride 3 and more are too many for registers: a fixed row's are constants, made where they are used.
    struct Place {
        Vec lane;   // by element
        Mask taken; // of `elements`, but where masks are made anew
        uint64_t elements;
    };
    bool makes_masks(int64_t stride) const { return spec_.fixed && stride > 2; }
    void prepare_stores() {
        for (const Op& op : spec_.parts.outer.ops) {
            const int64_t stride = op.code == OpCode::store ? spec_.column[size_t(op.operand)] : 0;
            if (stride < 2 || places_.count({stride, size(op.operand)})) continue;
            const int bytes = size(op.operand), elements = c_.width() / bytes;
            for (int64_t first = 0; first < stride * lanes_; first += elements) {
                std::vector<uint8_t> lanes(size_t(c_.width()));
                uint64_t taken = 0;
                for (int e = 0; e < elements; ++e) {
                    if ((first + e) % stride || (first + e) / stride >= lanes_) continue;
                    lanes[size_t(e * bytes)] = uint8_t((first + e) / stride); // little-endian
                    taken |= uint64_t(1) << e;
                }
                const Mask mask = makes_masks(stride) ? Mask{} : c_.mask_constant(taken);
                places_[{stride, bytes}].push_back({c_.constant(lanes), mask, taken});
            }
        }
    }
    Tail tails(Gpr count) {
        Tail tail = tail_of(count);
        for (const auto& [of, places] : places_) {
            const int64_t elements = c_.width() / of.second;
            if (makes_masks(of.first)) continue;
            for (size_t i = 0; i < places.size(); ++i)
                tail.stored[of].push_back(reached(count, of.first, int64_t(i) * elements, elements));
        }
        return tail;
    }
    static uint64_t first_elements(int64_t count) {
        return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << std::max<int64_t>(count, 0)) - 1;
    }
    void store_strided(int o, ValueType type, Mem m, Vec value, const Tail* tail) {
        const int64_t stride = spec_.column[size_t(o)];
        const int bytes = size(o);
        const Vec dense = codec_.dense(spec_.types[size_t(o)], type, value);
        const std::vector<Place>& places = places_.at({stride, bytes});
        for (size_t i = 0; i < places.size(); ++i) {
            Mask k = places[i].taken;
            if (makes_masks(stride)) {
                uint64_t taken = places[i].elements;
                if (tail) taken &= first_elements(stride * (rest() - 1) + 1 - int64_t(i) * c_.width() / bytes);
                if (!taken) continue;
                k = c_.mask_constant(taken);
            } else if (tail)
                k = c_.mask_op(VOp::mask_and, k, tail->stored.at({stride, bytes})[i]);
            c_.store_masked({m.base, m.disp + int64_t(i) * c_.width()}, c_.permute(dense, places[i].lane, bytes), k,
                            bytes);
        }
    }

    // Maxima and minima of bf16, as they are: 16 bits of each value are zero, and of a NaN it does not matter.
    bool keeps_bf16() const {
        const auto selects = [](OpCode code) { return code == OpCode::max || code == OpCode::min; };
        if (spec_.parts.combine == OpCode::reduce_add || spec_.parts.combine == OpCode::reduce_mul) return false;
        if (spec_.parts.type != ValueType::f32) return false;
        for (const Op& op : spec_.parts.point.ops)
            if (op.code != OpCode::index && op.code != OpCode::store &&
                (op.code != OpCode::load || spec_.types[size_t(op.operand)] != DataType::bf16))
                return false;
        for (const Op& op : spec_.parts.outer.ops)
            if (!(op.code == OpCode::store || selects(op.code) ||
                  (op.code == OpCode::load && size_t(op.operand) >= spec_.sums()) ||
                  (op.code == OpCode::constant && op.type == ValueType::f32 &&
                   std::bit_cast<uint32_t>(float(op.constant)) << 16 == 0)))
                return false;
        return true;
    }

    std::optional<ProgramCode> outer_;
    std::vector<int> behind_;                                      // operands of the outer program alone
    std::map<std::pair<int64_t, int>, std::vector<Place>> places_; // by stride and bytes of an element
};

} // namespace

bool can_store_columns(const Target& target, DataType type, int64_t stride) {
    return stride == 1 || (stride > 1 && stride <= most_stored_stride && target.masks && bits(type) != 8);
}

bool can_fix_columns(const Target& target, const ReduceSpec& spec, int64_t columns) {
    const int lanes = target.vector_bytes / 4;
    for (size_t o = 0; o < spec.sums(); ++o) {
        if (std::abs(spec.row[o]) > 1 << 27) return false; // an address has 32 bits of displacement
        if (spec.row[o] && is_counted(spec.parts.point, int(o))) return false;
        if (spec.column[o] > 1 && columns % lanes && !target.masks) return false;
    }
    return columns <= 4 * lanes && (target.masks || columns % lanes == 0 || columns == 1);
}

Code build_windows(const Target& target, const ReduceSpec& spec) { return WindowsBuilder(target, spec).build(); }

} // namespace tessera::cpu
