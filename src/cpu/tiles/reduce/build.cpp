#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>

#include <fmt/format.h>

#include "cpu/jit/program_code.hpp"
#include "cpu/tiles/reduce/contract.hpp"

namespace tessera::cpu {

using namespace jit;

namespace {

// Of 13 general registers loops, sums and scratch take up to nine. With more operands the others' addresses stay in the
// arguments.
constexpr size_t most_registers = 4;
constexpr int unroll = 4; // vectors: as many additions in flight as their latency on two pipes takes, nearly

struct Values {
    Vec value, second; // the latter of pairs alone
};

class Builder {
public:
    Builder(const Target& target, const ReduceSpec& spec)
        : spec_(spec), c_(target, key(spec)), codec_(c_), lanes_(c_.width() / 4),
          program_(c_, codec_, spec.parts.point, spec.types) {}

    Code build() {
        load_bases();
        codec_.prepare_u32(reduce_start(spec_.parts));
        if (pairs()) codec_.prepare_u32(no_number);
        for (const auto& [o, table] : first_numbers()) numbers_[o] = table;
        to_ = c_.gload(arg(offsetof(ReduceArgs, sums)));
        if (pairs()) apart_ = c_.gload(arg(offsetof(ReduceArgs, seconds)));
        if (spec_.along_sum) prepare_rows();
        prepare_strides();
        const Gpr count = c_.gload(arg(offsetof(ReduceArgs, results)));
        c_.loop();
        const Gpr row = c_.gcopy(to_);
        const Gpr columns = c_.gload(arg(offsetof(ReduceArgs, columns)));
        spec_.along_sum ? sum_row(columns) : each_strip(columns);
        c_.gcopy(to_, row);
        c_.gadd_mem(to_, to_, arg(offsetof(ReduceArgs, sums_row)));
        move_by(offsetof(ReduceArgs, result));
        c_.end_loop(count, 1);
        return std::move(c_);
    }

private:
    bool pairs() const { return spec_.parts.pairs(); }
    Mem arg(size_t at) const { return {c_.args(), int64_t(at)}; }
    Mem slot(size_t array, int o) const { return arg(array + 8 * size_t(o)); }
    int size(int o) const { return bits(spec_.types[size_t(o)]) / 8; }
    bool counted(int o) const { return numbers_.count(o) > 0 || is_counted(spec_.parts.point, o); }
    int64_t moved(int o) const { return spec_.column[size_t(o)] * (counted(o) ? 1 : size(o)); }

    void load_bases() {
        for (const Op& op : spec_.parts.point.ops)
            if (op.operand >= 0 && size_t(op.operand) < spec_.sums() &&
                std::find(used_.begin(), used_.end(), op.operand) == used_.end())
                used_.push_back(op.operand);
        for (size_t i = 0; i < std::min(used_.size(), most_registers); ++i)
            base_[used_[i]] = c_.gload(slot(offsetof(ReduceArgs, base), used_[i]));
    }
    Gpr base(int o) {
        const auto known = base_.find(o);
        return known != base_.end() ? known->second : c_.gload(slot(offsetof(ReduceArgs, base), o));
    }
    template <typename F> void each_base(F move) {
        for (const int o : used_) {
            const Gpr b = base(o);
            if (move(o, b) && !base_.count(o)) c_.gstore(slot(offsetof(ReduceArgs, base), o), b);
        }
    }
    void move_by(size_t array) {
        each_base([&](int o, Gpr b) { return c_.gadd_mem(b, b, slot(array, o)), true; });
    }
    void move_columns(int count) {
        each_base([&](int o, Gpr b) {
            if (!moved(o)) return false;
            c_.gadd(b, b, moved(o) * count);
            return true;
        });
    }

    template <typename F> Vec table(F value_of_lane) {
        std::vector<uint8_t> bytes(size_t(c_.width()));
        for (int lane = 0; lane < lanes_; ++lane) {
            const auto value = uint32_t(value_of_lane(lane));
            std::memcpy(&bytes[size_t(lane) * 4], &value, 4);
        }
        return c_.constant(bytes);
    }
    std::map<int, Vec> first_numbers() {
        std::map<int, Vec> all;
        for (const int o : used_) {
            if (!is_counted(spec_.parts.point, o)) continue;
            const int64_t stride = spec_.column[size_t(o)];
            all[o] = table([=](int lane) { return lane * stride; });
            for (int u = 1; u < unroll; ++u) codec_.prepare_u32(uint32_t(u * lanes_ * stride));
        }
        return all;
    }
    Vec broadcast_low(Gpr value) {
        c_.gstore(arg(offsetof(ReduceArgs, scratch)), value);
        return c_.broadcast(arg(offsetof(ReduceArgs, scratch)), 4);
    }

    // The program's values at columns first, first + 1, ..., of which `count` are there.
    Values values(int64_t first, int count, const Mask* tail) {
        Values out;
        program_.emit(
            [&](int o, ValueType type) {
                if (counted(o)) {
                    Vec v = broadcast_low(base(o));
                    if (!spec_.column[size_t(o)] || count == 1) return v;
                    v = c_.op2(VOp::iadd, v, numbers_.at(o));
                    return first ? c_.op2(VOp::iadd, v, codec_.u32(uint32_t(first * spec_.column[size_t(o)]))) : v;
                }
                const DataType stored = spec_.types[size_t(o)];
                if (!spec_.column[size_t(o)]) {
                    const auto known = same_.find({o, type});
                    if (known != same_.end()) return known->second;
                    return same_[{o, type}] = codec_.same(stored, type, {base(o)});
                }
                const int64_t stride = spec_.column[size_t(o)];
                const Mem m{base(o), first * stride * size(o)};
                if (count == 1) return codec_.same(stored, type, m);
                return stride > 1 ? load_strided(o, type, m) : codec_.load(stored, type, m, count, tail);
            },
            [&](int o, ValueType, Vec v) { (size_t(o) == spec_.sums() ? out.value : out.second) = v; });
        return out;
    }

    // Elements s apart come from s vectors, of which the last one ends with the last element: nothing behind is read.
    //   s 2, 8 lanes:   0 2 4 6 of elements 0..7, 1 3 5 7 (8 10 12 14) of elements 7..14
    int64_t vector_start(int64_t stride, int64_t m) const {
        return m + 1 < stride ? m * lanes_ : stride * (lanes_ - 1) - lanes_ + 1;
    }
    int64_t vector_of(int64_t stride, int64_t lane) const { return std::min(stride * lane / lanes_, stride - 1); }
    struct Picks {
        std::vector<Vec> element; // of each vector: which goes to a lane
        std::vector<Mask> from;   // the lanes that take theirs from it; not of the first vector
    };
    void prepare_strides() {
        for (const int o : used_) {
            const int64_t stride = spec_.column[size_t(o)];
            if (stride < 2 || counted(o) || picks_.count(stride)) continue;
            Picks& picks = picks_[stride];
            for (int64_t m = 0; m < stride; ++m) {
                picks.element.push_back(table([&](int lane) { return stride * lane - vector_start(stride, m); }));
                if (m == 0) continue;
                const Vec own = table([&](int lane) { return vector_of(stride, lane) == m; });
                picks.from.push_back(c_.icmp(own, codec_.u32(0), 4)); // 4: not equal
            }
        }
    }
    Vec load_strided(int o, ValueType type, Mem m) {
        const int64_t stride = spec_.column[size_t(o)];
        const Picks& picks = picks_.at(stride);
        Vec all;
        for (int64_t v = 0; v < stride; ++v) {
            const Mem at{m.base, m.disp + vector_start(stride, v) * size(o)};
            const Vec own = codec_.load(spec_.types[size_t(o)], type, at, lanes_);
            const auto n = size_t(v);
            all = v ? c_.permute_merge(all, own, picks.element[n], picks.from[n - 1], 4)
                    : c_.permute(own, picks.element[n], 4);
        }
        return all;
    }

    // into = into combined with `more`, those of later points.
    void combine(const Values& into, Values more) {
        if (spec_.parts.combine == OpCode::reduce_max_at) return take_larger(into, more);
        combine_into(c_, spec_.parts, into.value, more.value);
    }
    void take_larger(const Values& into, const Values& more) {
        constexpr int less = 1, not_less = 5, greater = 6;
        const bool floats = spec_.parts.type == ValueType::f32;
        const auto compared = [&](int how) {
            return floats ? c_.fcmp(more.value, into.value, how == greater ? 6 : how)
                          : c_.icmp(more.value, into.value, how);
        };
        // NaN count as the lowest value: more > into is "not less or equal" (6) only after they are gone.
        const Mask above = compared(greater), level = compared(not_less);
        const Mask earlier = c_.icmp(more.second, into.second, less);
        const Mask takes = c_.mask_op(VOp::mask_or, above, c_.mask_op(VOp::mask_and, level, earlier));
        c_.copy(into.value, c_.select(takes, more.value, into.value));
        c_.copy(into.second, c_.select(takes, more.second, into.second));
    }
    Values numbered(Values v) {
        if (!pairs() || spec_.parts.type != ValueType::f32) return v;
        constexpr int unordered = 3;
        v.value = c_.select(c_.fcmp(v.value, v.value, unordered), start(), v.value);
        return v;
    }
    Vec start() { return codec_.u32(reduce_start(spec_.parts)); }
    Values fresh() {
        Values v{c_.vec(), {}};
        c_.copy(v.value, start());
        if (pairs()) v.second = c_.vec(), c_.copy(v.second, codec_.u32(no_number));
        return v;
    }
    Mem sum_at(int64_t bytes) const { return {to_, bytes}; }
    Mem second_at(int64_t bytes) const { return {to_, bytes, apart_, 1}; }
    Values load_sums(int64_t at, int bytes) {
        return {c_.load(sum_at(at), bytes), pairs() ? c_.load(second_at(at), bytes) : Vec{}};
    }
    void store_sums(const Values& v, int64_t at, int bytes) {
        c_.store(sum_at(at), v.value, bytes);
        if (pairs()) c_.store(second_at(at), v.second, bytes);
    }

    // body while n >= step; n is lowered meanwhile, because loops end where their counter is not positive.
    template <typename F> void repeat(Gpr n, int step, F body) {
        if (step > 1) c_.gadd(n, n, 1 - step);
        c_.if_positive(n);
        c_.loop();
        body();
        c_.end_loop(n, step);
        c_.end_if();
        if (step > 1) c_.gadd(n, n, step - 1);
    }

    void each_strip(Gpr columns) {
        repeat(columns, unroll * lanes_, [&] { strip(unroll, lanes_, nullptr); });
        repeat(columns, 2 * lanes_, [&] { strip(2, lanes_, nullptr); });
        repeat(columns, lanes_, [&] { strip(1, lanes_, nullptr); });
        if (c_.target().masks && picks_.empty()) {
            c_.if_positive(columns);
            const Mask tail = c_.mask_first(columns);
            strip(1, lanes_, &tail);
            each_base([&](int o, Gpr b) { // to where the last column ends
                if (!moved(o)) return false;
                const Gpr behind = c_.gset(lanes_);
                c_.gsub(behind, behind, columns);
                c_.gsub(b, b, c_.gmul(behind, moved(o)));
                return true;
            });
            c_.end_if();
            return;
        }
        if (picks_.empty()) repeat(columns, lanes_ / 2, [&] { strip(1, lanes_ / 2, nullptr); });
        repeat(columns, 1, [&] { strip(1, 1, nullptr); });
    }
    void strip(int vectors, int count, const Mask* tail) {
        std::vector<Values> sums;
        const int bytes = count < lanes_ ? count * 4 : 0;
        for (int u = 0; u < vectors; ++u)
            sums.push_back(spec_.fresh ? fresh() : load_sums(int64_t(u) * c_.width(), bytes));
        const Gpr turns = c_.gload(arg(offsetof(ReduceArgs, turns)));
        c_.loop();
        const Gpr points = c_.gload(arg(offsetof(ReduceArgs, points)));
        c_.loop();
        same_.clear();
        for (int u = 0; u < vectors; ++u) combine(sums[size_t(u)], numbered(values(int64_t(u) * lanes_, count, tail)));
        move_by(offsetof(ReduceArgs, point));
        c_.end_loop(points, 1);
        move_by(offsetof(ReduceArgs, turn));
        c_.end_loop(turns, 1);
        move_by(offsetof(ReduceArgs, strip));
        for (int u = 0; u < vectors; ++u) store_sums(sums[size_t(u)], int64_t(u) * c_.width(), bytes);
        move_columns(vectors * count);
        c_.gadd(to_, to_, int64_t(vectors) * count * 4);
    }

    void prepare_rows() {
        if (!c_.target().masks) iota_ = table([](int lane) { return lane; });
        if (!spec_.joined) return;
        out_ = c_.gload(arg(offsetof(ReduceArgs, out)));
        for (int apart = lanes_ / 2; apart; apart /= 2)
            shifted_.push_back(table([=, this](int lane) { return (lane + apart) % lanes_; }));
    }
    void sum_row(Gpr columns) {
        const int vectors = reduction_sums / lanes_;
        std::vector<Values> parts;
        for (int v = 0; v < vectors; ++v)
            parts.push_back(spec_.fresh ? fresh() : load_sums(int64_t(v) * c_.width(), 0));
        same_.clear();
        for (const Op& op : spec_.parts.point.ops) // the same for the whole row: once
            if (op.code == OpCode::load && !spec_.column[size_t(op.operand)] && !same_.count({op.operand, op.type}))
                same_[{op.operand, op.type}] =
                    codec_.same(spec_.types[size_t(op.operand)], op.type, {base(op.operand)});
        const auto sixteens = [&](int count) {
            for (int i = 0; i < count; ++i)
                for (int v = 0; v < vectors; ++v)
                    combine(parts[size_t(v)], numbered(values(i * reduction_sums + v * lanes_, lanes_, nullptr)));
            move_columns(count * reduction_sums);
        };
        repeat(columns, unroll * reduction_sums, [&] { sixteens(unroll); });
        repeat(columns, reduction_sums, [&] { sixteens(1); });
        c_.if_positive(columns);
        if (c_.target().masks) {
            const Mask tail = c_.mask_first(columns);
            combine_where(parts[0], tail, numbered(values(0, lanes_, &tail)));
            each_base([&](int o, Gpr b) {
                if (!moved(o)) return false;
                c_.gadd(b, b, c_.gmul(columns, moved(o)));
                return true;
            });
        } else {
            const Gpr behind = c_.gcopy(columns);
            c_.gsub(behind, behind, lanes_ - 1);
            c_.if_positive(behind); // a whole vector and less than another one
            combine(parts[0], numbered(values(0, lanes_, nullptr)));
            move_columns(lanes_);
            c_.gsub(columns, columns, lanes_);
            c_.if_positive(columns);
            one_by_one(parts[1], columns);
            c_.end_if();
            c_.gsub(columns, columns, columns);
            c_.end_if();
            c_.if_positive(columns);
            one_by_one(parts[0], columns);
            c_.end_if();
        }
        c_.end_if();
        if (!spec_.joined) {
            for (int v = 0; v < vectors; ++v) store_sums(parts[size_t(v)], int64_t(v) * c_.width(), 0);
            return;
        }
        for (int v = 1; v < vectors; ++v) combine(parts[0], parts[size_t(v)]);
        for (const Vec& by : shifted_)
            combine(parts[0],
                    {c_.permute(parts[0].value, by, 4), pairs() ? c_.permute(parts[0].second, by, 4) : Vec{}});
        c_.store({out_}, parts[0].value, 4);
        if (pairs()) c_.store({out_, 0, apart_, 1}, parts[0].second, 4);
        c_.gadd(out_, out_, 4);
    }
    void combine_where(const Values& into, Mask k, Values more) {
        more.value = c_.select(k, more.value, start());
        if (pairs()) more.second = c_.select(k, more.second, codec_.u32(no_number));
        combine(into, more);
    }
    // `count` columns, the first one to lane 0 of `into`; each is computed in all lanes.
    void one_by_one(const Values& into, Gpr count) {
        const Vec lane = c_.vec();
        c_.copy(lane, c_.zero());
        c_.loop();
        combine_where(into, c_.icmp(iota_, lane, 0), numbered(values(0, 1, nullptr)));
        c_.op2_into(VOp::iadd, lane, lane, codec_.u32(1));
        move_columns(1);
        c_.end_loop(count, 1);
    }

    const ReduceSpec& spec_;
    Code c_;
    Codec codec_;
    const int lanes_;
    ProgramCode program_;
    std::vector<int> used_;
    std::map<int, Gpr> base_;    // by operand; others stay in the arguments
    std::map<int, Vec> numbers_; // of counted operands: those of a vector's lanes, from 0
    std::map<std::pair<int, ValueType>, Vec> same_;
    Gpr to_, apart_, out_;
    Vec iota_;
    std::vector<Vec> shifted_;
    std::map<int64_t, Picks> picks_; // by stride
};

} // namespace

void combine_into(Code& c, const ReductionParts& parts, Vec into, Vec more) {
    const bool floats = parts.type == ValueType::f32;
    switch (parts.combine) {
    case OpCode::reduce_mul:
        return c.op2_into(floats ? VOp::fmul : VOp::imul, into, into, more);
    case OpCode::reduce_max: // NaN are passed over: these give their second argument then
        return c.op2_into(floats ? VOp::fmax : VOp::imax, into, more, into);
    case OpCode::reduce_min:
        return c.op2_into(floats ? VOp::fmin : VOp::imin, into, more, into);
    default:
        return c.op2_into(floats ? VOp::fadd : VOp::iadd, into, into, more);
    }
}

uint32_t reduce_start(const ReductionParts& parts) { return of_nothing(parts.combine, parts.type).value; }

std::string key(const ReduceSpec& spec) {
    std::vector<std::string> names;
    for (size_t o = 0; o < spec.types.size(); ++o)
        names.push_back(o < spec.sums() ? fmt::format("{}:{}:{}", o, name(spec.types[o]), spec.column[o]) : "sums");
    constexpr std::string_view combinations[] = {"add", "mul", "max", "min", "max_at"};
    std::string by_16;
    if (spec.by_16)
        by_16 = fmt::format(" by 16, {}{}, still {:x}", spec.rest, spec.turned ? " a turn" : "", spec.still);
    return fmt::format("reduce {} {} {}{}{}{}", combinations[size_t(spec.parts.combine) - size_t(OpCode::reduce_add)],
                       to_string(spec.parts.point, names), spec.along_sum ? "along the sum" : "columns",
                       spec.fresh ? " fresh" : "", spec.joined ? " joined" : "", by_16);
}

bool can_build_reduce(const ReduceSpec& spec) {
    if (spec.types.size() > reduce_operands || spec.parts.combine == OpCode::reduce_moments) return false;
    for (const Op& op : spec.parts.point.ops) {
        if (op.code != OpCode::load) continue;
        const int64_t stride = spec.column[size_t(op.operand)];
        if (stride < 0 || stride > (spec.along_sum ? 1 : most_reduce_stride)) return false;
    }
    return can_emit(spec.parts.point, spec.types);
}

Code build_reduce(const Target& target, const ReduceSpec& spec) {
    return spec.by_16 ? build_by_16(target, spec) : Builder(target, spec).build();
}

} // namespace tessera::cpu
