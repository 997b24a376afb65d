// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "cpu/jit/program_code.hpp"
#include "cpu/tiles/reduce/along.hpp"
#include "cpu/tiles/reduce/contract.hpp"
#include "cpu/tiles/rows/contract.hpp"

namespace tessera::cpu {

using namespace jit;

namespace {

constexpr int unroll = 4;
// Of 13 general registers: index, counters and scratch take seven. Addresses of further operands stay in the arguments.
constexpr size_t most_registers = 6;
// Sums of two rows at a time: half of the latency of additions is hidden. bf16 384x1024, layer normalization.
constexpr size_t most_of_pairs = 2; // operands along the columns of a sum of two rows: a register more each

class Builder {
public:
    Builder(const Target& target, const RowsSpec& spec) : spec_(spec), c_(target), codec_(c_), lanes_(c_.width() / 4) {}

    Code build() {
        load_bases();
        codec_.prepare_u32(0);
        passes_.reserve(spec_.passes.size());
        for (const RowsPass& pass : spec_.passes) prepare(pass);
        if (spec_.packed) {
            codec_.prepare_u32(1);
            lanes_of_ = table_of_lanes(c_, [](int lane) { return lane; });
        }
        const Gpr count = c_.gload(arg(offsetof(RowsArgs, blocks)));
        c_.loop();
        for (size_t i = 0; i < passes_.size(); ++i) each_row(passes_[i], spec_.stream && i + 1 == passes_.size());
        for (const int o : used_) move_by(offsetof(RowsArgs, next), o);
        c_.end_loop(count, 1);
        if (spec_.stream) c_.fence();
        return std::move(c_);
    }

private:
    struct Pass {
        const RowsPass* pass;
        std::optional<ProgramCode> points, outer; // of columns, of rows
        std::optional<AlongSum> along;
    };

    Mem arg(size_t at) const { return {c_.args(), int64_t(at)}; }
    Mem slot(size_t array, int o) const { return arg(array + 8 * size_t(o)); }
    bool kept(int o) const { return spec_.kept >> o & 1; }
    int size(int o) const { return bits(spec_.types[size_t(o)]) / 8; }
    Gpr base(int o) {
        const auto known = base_.find(o);
        return known != base_.end() ? known->second : c_.gload(slot(offsetof(RowsArgs, base), o));
    }

    void move_by(size_t array, int o) {
        const Gpr b = base(o);
        c_.gadd_mem(b, b, slot(array, o));
        if (!base_.count(o)) c_.gstore(slot(offsetof(RowsArgs, base), o), b);
    }

    void each_row(Pass& pass, bool stream) {
        if (pass.pass->kind == RowsPass::value) return finish(pass, {});
        const bool reduces = pass.pass->kind == RowsPass::reduce;
        const auto take = [&](int rows) {
            same_.clear(), other_.clear();
            index_ = c_.gset(0);
            if (reduces)
                reduce(pass, rows);
            else
                map(pass, stream);
        };
        if (!spec_.packed) {
            take(1);
            if (reduces) finish(pass, totals_[0]);
            return;
        }
        const Program& program = pass.pass->of_columns();
        std::vector<int> moving;
        for (const int o : used_)
            if (std::ranges::any_of(program.ops, [&](const Op& op) { return op.operand == o; })) moving.push_back(o);
        const Vec lane = c_.vec(), results = c_.vec();
        c_.copy(lane, codec_.u32(0));
        if (reduces) c_.copy(results, codec_.u32(0));
        caught_.clear();
        for (const Op& op : pass.pass->of_row().ops)
            if (op.code == OpCode::load && size_t(op.operand) < spec_.types.size() && spec_.caught >> op.operand & 1 &&
                !caught_.count(op.operand))
                c_.copy(caught_[op.operand] = c_.vec(), codec_.u32(0));
        const auto body = [&](int rows) {
            lane_ = {lane};
            if (rows > 1) lane_.push_back(c_.op2(VOp::iadd, lane, codec_.u32(1)));
            take(rows);
            for (int side = 0; reduces && side < rows; ++side) {
                const Mask own = c_.icmp(lanes_of_, lane_[size_t(side)], 0);
                c_.copy(results, c_.select(own, totals_[size_t(side)], results));
                for (const auto& [o, rows_of] : caught_)
                    c_.copy(rows_of, c_.select(own, same(o, ValueType::f32, side), rows_of));
            }
            c_.op2_into(VOp::iadd, lane, lane, codec_.u32(uint32_t(rows)));
            for (int i = 0; i < rows; ++i)
                for (const int o : moving) move_by(offsetof(RowsArgs, row), o);
        };
        const Gpr rows = c_.gload(arg(offsetof(RowsArgs, rows)));
        if (in_pairs(*pass.pass)) repeat(c_, rows, 2, [&] { body(2); });
        repeat(c_, rows, 1, [&] { body(1); });
        for (const int o : moving) move_by(offsetof(RowsArgs, back), o);
        if (reduces) finish(pass, results);
    }
    bool in_pairs(const RowsPass& pass) const {
        if (pass.kind != RowsPass::reduce || !spec_.packed || spec_.blocks) return false;
        std::vector<int> along;
        for (const Op& op : pass.parts.point.ops)
            if (op.code == OpCode::load && spec_.column[size_t(op.operand)] &&
                std::ranges::find(along, op.operand) == along.end())
                along.push_back(op.operand);
        return along.size() <= most_of_pairs;
    }

    template <typename F> static void each_program(const RowsPass& pass, F f) {
        if (pass.kind != RowsPass::reduce) return f(pass.program);
        f(pass.parts.point), f(pass.parts.outer);
    }
    void load_bases() {
        const bool pairs = std::ranges::any_of(spec_.passes, [this](const RowsPass& pass) { return in_pairs(pass); });
        const size_t registers = most_registers - (pairs ? most_of_pairs : 0);
        for (const int64_t moving : {1, 0}) // registers go to operands that advance along a row
            for (const RowsPass& pass : spec_.passes)
                each_program(pass, [&](const Program& program) {
                    for (const Op& op : program.ops) {
                        const int o = op.operand;
                        if (o < 0 || size_t(o) >= spec_.types.size() || kept(o) || spec_.column[size_t(o)] != moving ||
                            std::ranges::find(used_, o) != used_.end())
                            continue;
                        used_.push_back(o);
                        if (base_.size() < registers) base_[o] = c_.gload(slot(offsetof(RowsArgs, base), o));
                    }
                });
    }

    void prepare(const RowsPass& pass) {
        Pass& made = passes_.emplace_back();
        made.pass = &pass;
        types_ = spec_.types;
        const bool reduces = pass.kind == RowsPass::reduce;
        if (reduces)
            types_.resize(types_.size() + 2, pass.parts.type == ValueType::f32 ? DataType::f32 : DataType::s32);
        const auto code_of = [this](std::optional<ProgramCode>& code, const Program& program) {
            code.emplace(c_, codec_, program, types_);
            codec_.promise_short_values(false); // what one program promises is not true of the next one's values
        };
        if (pass.kind != RowsPass::value) code_of(made.points, pass.of_columns());
        if (pass.kind != RowsPass::map) code_of(made.outer, pass.of_row());
        if (!reduces) return;
        const auto start = [this, &pass] { return SumValues{codec_.u32(reduce_start(pass.parts)), {}}; };
        codec_.prepare_u32(reduce_start(pass.parts));
        made.along.emplace(
            c_, codec_,
            [this, &pass](const SumValues& into, SumValues more) {
                combine_into(c_, pass.parts, into.value, more.value);
            },
            start, true, is_extreme(pass.parts) ? &pass.parts : nullptr);
    }

    // Operands that are the same along a row, once a pass.
    void load_same(const Program& program, int rows) {
        for (int side = 0; side < rows; ++side)
            for (const Op& op : program.ops)
                if (op.code == OpCode::load && size_t(op.operand) < spec_.types.size() &&
                    !spec_.column[size_t(op.operand)])
                    same(op.operand, op.type, side);
    }
    Vec same(int o, ValueType type, int side) {
        if (kept(o) && !spec_.packed) return kept_.at(o);
        const auto known = same_.find({o, type, side});
        if (known != same_.end()) return known->second;
        Vec& made = same_[{o, type, side}];
        if (kept(o)) return made = c_.permute(kept_.at(o), lane_[size_t(side)], 4);
        return made = codec_.same(spec_.types[size_t(o)], type, {side ? next_row(o) : base(o)});
    }
    Gpr next_row(int o) {
        const Gpr b = c_.gcopy(base(o));
        c_.gadd_mem(b, b, slot(offsetof(RowsArgs, row), o));
        return b;
    }
    Mem at(int o, int64_t element, int side = 0) {
        return {side ? other_.at(o) : base(o), element * size(o), index_, size(o)};
    }
    Vec load(int o, ValueType type, int64_t element, int count, const Mask* tail, int side = 0) {
        if (!spec_.column[size_t(o)]) return same(o, type, side);
        return codec_.load(spec_.types[size_t(o)], type, at(o, element, side), count, tail);
    }

    // A single column is computed in all lanes.
    void reduce(Pass& pass, int rows) {
        const ReductionParts& parts = pass.pass->parts;
        load_same(parts.point, rows);
        for (const Op& op : parts.point.ops)
            if (rows > 1 && op.code == OpCode::load && spec_.column[size_t(op.operand)] && !other_.count(op.operand))
                other_[op.operand] = next_row(op.operand);
        const AlongSum::Row row{[&](int64_t first, int count, const Mask* tail, int side) {
                                    SumValues out;
                                    pass.points->emit(
                                        [&](int o, ValueType type) {
                                            if (count > 1 || !spec_.column[size_t(o)])
                                                return load(o, type, first, count, tail, side);
                                            return codec_.same(spec_.types[size_t(o)], type, at(o, first, side));
                                        },
                                        [&](int, ValueType, Vec v) { out.value = v; });
                                    return out;
                                },
                                [this](int count) { c_.gadd(index_, index_, count); },
                                [this](Gpr count) { c_.gadd(index_, index_, count); }};
        std::vector<SumValues> sums;
        for (int v = 0; v < rows * pass.along->vectors(); ++v) sums.push_back({c_.vec(), {}});
        const auto block = [&](Gpr columns) {
            for (const SumValues& v : sums) c_.copy(v.value, codec_.u32(reduce_start(parts)));
            pass.along->add_up(sums, columns, row);
            for (int side = 0; side < rows; ++side) pass.along->join(sums, side);
        };
        const Gpr columns = c_.gload(arg(offsetof(RowsArgs, columns)));
        totals_.clear();
        for (int side = 0; side < rows; ++side) totals_.push_back(sums[size_t(side * pass.along->vectors())].value);
        if (!spec_.blocks) return block(columns);
        const auto next = [&] {
            const Gpr count = c_.gmin(columns, c_.gset(reduction_block));
            c_.gsub(columns, columns, count);
            block(count);
        };
        next();
        totals_ = {c_.vec()};
        c_.copy(totals_[0], sums[0].value);
        c_.if_positive(columns);
        c_.loop();
        next();
        combine_into(c_, parts, totals_[0], sums[0].value);
        c_.end_loop(columns, 0);
        c_.end_if();
    }
    // What follows the columns, for one row or for all of the block.
    void finish(Pass& pass, Vec sums) {
        index_ = c_.gset(0);
        std::optional<Mask> there;
        if (spec_.packed && spec_.beside && c_.target().masks)
            there = c_.mask_first(c_.gload(arg(offsetof(RowsArgs, rows))));
        const auto is_beside = [&](int o) { return spec_.packed && (spec_.beside >> o & 1); };
        const Mask* const some = there ? &*there : nullptr;
        pass.outer->emit(
            [&](int o, ValueType type) {
                if (size_t(o) >= spec_.types.size()) return sums;
                if (kept(o)) return kept_.at(o);
                if (const auto known = caught_.find(o); spec_.packed && known != caught_.end()) return known->second;
                const DataType stored = spec_.types[size_t(o)];
                return is_beside(o) ? codec_.load(stored, type, at(o, 0), lanes_, some)
                                    : codec_.same(stored, type, {base(o)});
            },
            [&](int o, ValueType type, Vec v) {
                const DataType stored = spec_.types[size_t(o)];
                if (is_beside(o)) return codec_.store(stored, type, at(o, 0), v, lanes_, some);
                if (!kept(o)) return codec_.store(stored, type, {base(o)}, v, 1);
                if (!kept_.count(o)) kept_[o] = c_.vec();
                c_.copy(kept_[o], v);
            });
    }

    void map(Pass& pass, bool stream) {
        load_same(pass.pass->program, 1);
        const Gpr columns = c_.gload(arg(offsetof(RowsArgs, columns)));
        if (stream) {
            const Gpr peeled = c_.gmin(to_boundary(pass.pass->program.ops.back().operand), columns);
            c_.gsub(columns, columns, peeled);
            short_run(pass, peeled);
        }
        repeat(c_, columns, unroll * lanes_, [&] { turn(pass, stream); });
        short_run(pass, columns);
    }
    void short_run(Pass& pass, Gpr columns) {
        const auto part = [&](int count) {
            repeat(c_, columns, count, [&] {
                vector(pass, count, nullptr);
                c_.gadd(index_, index_, count);
            });
        };
        part(lanes_);
        if (!c_.target().masks) return part(lanes_ / 2), part(1);
        c_.if_positive(columns);
        const Mask some = c_.mask_first(columns);
        vector(pass, lanes_, &some);
        c_.gadd(index_, index_, columns);
        c_.end_if();
    }
    // Elements up to a multiple of the vector's width.
    Gpr to_boundary(int o) {
        const Mem scratch = arg(offsetof(RowsArgs, scratch));
        c_.gstore(scratch, base(o));
        const int left = 64 - std::countr_zero(unsigned(c_.width())), shift = std::countr_zero(unsigned(size(o)));
        const Vec bytes = c_.op2(VOp::isub, codec_.u32(0), c_.broadcast(scratch, 8), 8);
        c_.store(scratch, c_.shift(VOp::shr, c_.shift(VOp::shl, bytes, left, 8), left + shift, 8), 8);
        return c_.gload(scratch);
    }

    void vector(Pass& pass, int count, const Mask* tail) {
        pass.points->emit([&](int o, ValueType type) { return load(o, type, 0, count, tail); },
                          [&](int o, ValueType type, Vec value) {
                              codec_.store(spec_.types[size_t(o)], type, at(o, 0), value, count, tail);
                          });
    }
    void turn(Pass& pass, bool stream) {
        struct Stored {
            int operand;
            ValueType type;
            Vec values[unroll];
        };
        std::vector<Stored> stored;
        for (int u = 0; u < unroll; ++u) {
            size_t next = 0;
            pass.points->emit([&](int o, ValueType type) { return load(o, type, u * lanes_, lanes_, nullptr); },
                              [&](int o, ValueType type, Vec value) {
                                  if (!u) stored.push_back({o, type, {}});
                                  stored[next++].values[u] = value;
                              });
        }
        for (const Stored& s : stored)
            codec_.store4(spec_.types[size_t(s.operand)], s.type, at(s.operand, 0), s.values, stream);
        c_.gadd(index_, index_, unroll * lanes_);
    }

    const RowsSpec& spec_;
    Code c_;
    Codec codec_;
    const int lanes_;
    std::vector<DataType> types_;
    std::vector<Pass> passes_;
    std::vector<int> used_;
    std::map<int, Gpr> base_;                             // others stay in the arguments
    Gpr index_;                                           // elements, of all operands
    std::map<int, Gpr> other_;                            // addresses of the second row of two
    std::map<std::tuple<int, ValueType, int>, Vec> same_; // by operand, type, row of two
    std::map<int, Vec> kept_, caught_;                    // packed: a lane a row of the block
    Vec lanes_of_;                                        // 0, 1, ..
    std::vector<Vec> lane_, totals_;                      // of each row of two: its number in the block; its sum
};

} // namespace

std::string key(const RowsSpec& spec) {
    std::vector<std::string> names = names_in_key(spec.types, spec.column);
    names.resize(names.size() + 2, "sum");
    std::string text =
        fmt::format("rows{}{}{} kept {:x}",
                    spec.packed ? fmt::format(" packed, beside {:x}, caught {:x}", spec.beside, spec.caught) : "",
                    spec.blocks ? " blocks" : "", spec.stream ? " stream" : "", spec.kept);
    for (const RowsPass& pass : spec.passes)
        if (pass.kind == RowsPass::reduce)
            text += fmt::format("; reduce {} {} then {}", combination(pass.parts), to_string(pass.parts.point, names),
                                to_string(pass.parts.outer, names));
        else
            text +=
                fmt::format("; {} {}", pass.kind == RowsPass::map ? "map" : "value", to_string(pass.program, names));
    return text;
}

bool can_build_rows(const RowsSpec& spec) {
    if (spec.types.size() > rows_operands) return false;
    for (const RowsPass& pass : spec.passes) {
        std::vector<DataType> types = spec.types;
        if (pass.kind == RowsPass::reduce) {
            if (pass.parts.pairs()) return false;
            types.resize(types.size() + 2, pass.parts.type == ValueType::f32 ? DataType::f32 : DataType::s32);
        }
        for (const Program* program : {&pass.of_columns(), &pass.of_row()}) {
            bool stored = false;
            for (const Op& op : program->ops) {
                if (op.code == OpCode::index ||
                    (op.code == OpCode::load && stored && size_t(op.operand) < spec.types.size()))
                    return false;
                stored = stored || op.code == OpCode::store;
            }
            if (!program->ops.empty() && !can_emit(*program, types)) return false;
        }
        if (pass.kind == RowsPass::map && is_copy(pass.program)) return false; // values of 4 bytes here
    }
    return true;
}

Code build_rows(const Target& target, const RowsSpec& spec) { return Builder(target, spec).build(); }

} // namespace tessera::cpu
