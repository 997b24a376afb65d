// SPDX-License-Identifier: Apache-2.0
// Forward pooling -> plan: a reduce step for each combination of ranges of outputs whose windows hold the same taps
// (ops/windows/ranges.hpp); those with a single tap are maps of src, those without one maps of constants.
//
//   3x3, stride 2, padding 1 over 112x112: outputs {0, 1..55} x {0, 1..55}: 2x2, 2x3, 3x2, 3x3 taps
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/layout/coalesce.hpp"
#include "core/program/reduction.hpp"
#include "ops/moves.hpp"
#include "ops/pooling/pooling.hpp"
#include "ops/windows/bordered_copy.hpp"
#include "ops/windows/loops.hpp"

namespace tessera::ops {

namespace {

constexpr int dst_operand = 1;

class Forward {
public:
    explicit Forward(const Problem& problem) : problem_(problem), p_(problem), operands_{plan_, layouts_} {
        plan_.title = fmt::format("pooling {} {} -> {}, {}", alg_name(p_.alg).substr(8), to_token(p_.src),
                                  to_token(p_.dst), row(PrimitiveKind::pooling).shape(problem));
        source_ = operands_.add("src", p_.src.type, arg::src, layout_of(p_.src));
        operands_.add("dst", p_.dst.type, arg::dst, layout_of(p_.dst));
        if (p_.workspace)
            workspace_ = operands_.add("workspace", p_.workspace->type, arg::workspace, layout_of(*p_.workspace));
    }

    Result<Plan> plan() {
        if (p_.dst.has_zero_dim()) return std::move(plan_);
        auto views = views_of(p_.windows, p_.excludes());
        if (!views) return Refusal(views.error());
        views_ = std::move(*views);
        const int spatial = spatial_dims(p_.src);
        std::vector<Border> borders{{0, p_.src.dims[0]}, {0, p_.src.dims[1]}};
        bool copied = has_blocks(p_.src, spatial);
        for (const WindowView& view : views_) {
            borders.push_back({view.before, view.extent});
            copied = copied || view.copied;
        }
        if (copied && !p_.src.has_zero_dim()) {
            const auto copy = add_bordered_copy(source_, p_.src, type_of_copy(), border(), borders, spatial, operands_);
            if (!copy) return Refusal(copy.error());
            source_ = *copy;
        }
        if (workspace_ >= 0) add_taps();
        each_combination(views_, &WindowView::ranges, [&](const Choice& choice) { add_step(choice); });
        add_output_padding(dst_operand, problem_, operands_);
        if (workspace_ >= 0) add_padding(*p_.workspace, workspace_, plan_);
        return std::move(plan_);
    }

private:
    using Choice = std::vector<const WindowRange*>;

    // Of a copy, whose border must lose against everything in a maximum.
    DataType type_of_copy() const {
        if (p_.is_max() && p_.src.type == DataType::f8_e4m3) return DataType::f32; // it has no infinity
        if (!p_.is_max() || !is_integer(p_.src.type)) return p_.src.type;
        return p_.value_type() == ValueType::s32 ? DataType::s32 : DataType::f32;
    }
    double border() const {
        if (!p_.is_max()) return 0;
        return p_.value_type() == ValueType::s32 ? double(std::numeric_limits<int32_t>::lowest())
                                                 : -std::numeric_limits<double>::infinity();
    }

    // The numbers of the taps, as an operand without memory.
    void add_taps() {
        taps_ = operands_.add("tap", DataType::u8, 0, Layout{});
        plan_.operands[size_t(taps_)].counted = true;
        int64_t weight = 1;
        for (size_t k = p_.windows.size(); k-- > 0; weight *= p_.windows[k].kernel)
            tap_weights_.insert(tap_weights_.begin(), weight);
    }

    // How many taps lie inside, where that differs among the outputs of a range.
    int counts_of(size_t k, const WindowRange& range) { return table_of("taps inside", k, range, range.inside); }
    // A number for each output of a range.
    int table_of(std::string_view what, size_t k, const WindowRange& range, std::vector<float> values) {
        const std::string name = fmt::format("{} of {} from {}", what, "dhw"[3 - p_.windows.size() + k], range.first);
        const size_t known = plan_.operands.size();
        Layout layout{0, std::vector<Modes>(size_t(p_.dst.ndims), Modes{{1, 0}})};
        layout.dims[k + 2] = {{range.count, 1}};
        const int operand = operands_.add(name, DataType::f32, 0, layout);
        if (size_t(operand) == known) {
            plan_.operands.back().constant = int(plan_.constants.size());
            plan_.constants.push_back(std::move(values));
            tables_.push_back({operand, k});
        }
        return operand;
    }

    int divided(Program& program, int sum, const Choice& choice) {
        double divisor = p_.excludes() ? 1 : p_.volume;
        int value = -1;
        for (size_t k = 0; p_.excludes() && k < choice.size(); ++k) {
            if (choice[k]->inside.empty()) {
                divisor *= double(choice[k]->taps);
                continue;
            }
            const int count = program.load(counts_of(k, *choice[k]), ValueType::f32);
            value = value < 0 ? count : program.binary(OpCode::mul, value, count);
        }
        if (value < 0 && divisor == 1) return sum;
        const int constant = program.constant(float(divisor), ValueType::f32);
        value = value < 0 ? constant : program.binary(OpCode::mul, constant, value);
        return program.binary(OpCode::div, sum, value);
    }

    // The number of the first tap inside. In a copy the border has it as well, and wins where all inside is as low.
    int first_inside(Program& program, const Choice& choice) {
        int64_t number = 0;
        int value = -1;
        for (size_t k = 0; k < choice.size(); ++k) {
            if (!views_[k].copied) {
                number += choice[k]->tap * tap_weights_[k];
                continue;
            }
            std::vector<float> firsts;
            for (int64_t o = choice[k]->first; o < choice[k]->first + choice[k]->count; ++o)
                firsts.push_back(float(p_.windows[k].first_tap(o)));
            const int table = table_of("first tap inside", k, *choice[k], std::move(firsts));
            const int weight = program.constant(double(tap_weights_[k]), ValueType::s32);
            const int of_dim = program.binary(OpCode::mul, program.load(table, ValueType::s32), weight);
            value = value < 0 ? of_dim : program.binary(OpCode::add, value, of_dim);
        }
        return program.binary(OpCode::add, value, program.constant(double(number), ValueType::s32));
    }
    bool has_copies() const { return std::ranges::any_of(views_, &WindowView::copied); }

    // The maximum, with the store of its tap.
    int largest(Program& program, int64_t taps, const Choice& choice) {
        const ValueType type = p_.value_type();
        if (taps == 0) {
            if (workspace_ >= 0) program.store(workspace_, program.constant(0, ValueType::s32));
            return program.constant(range(p_.dst.type).lowest, type);
        }
        int value = program.load(source_, type), tap = -1;
        if (workspace_ >= 0) tap = program.index(taps_);
        if (taps > 1 && workspace_ >= 0) {
            value = program.reduce(OpCode::reduce_max_at, value, tap);
            tap = program.second(value);
        } else if (taps > 1) {
            value = program.reduce(OpCode::reduce_max, value);
        }
        if (workspace_ >= 0 && has_copies()) {
            const int lowest = program.binary(OpCode::eq, value, program.constant(border(), type));
            tap = program.ternary(OpCode::select, lowest, first_inside(program, choice), tap);
        }
        if (workspace_ >= 0) program.store(workspace_, tap);
        return value;
    }

    int mean(Program& program, int64_t taps, const Choice& choice) {
        if (taps == 0) return program.constant(0, ValueType::f32);
        int sum = program.load(source_, p_.value_type());
        if (taps > 1) sum = program.reduce_add(sum);
        if (p_.value_type() == ValueType::s32) sum = program.cvt(sum, ValueType::f32);
        return divided(program, sum, choice);
    }

    int program_of(const Choice& choice, int64_t taps) {
        Program program;
        int value = p_.is_max() ? largest(program, taps, choice) : mean(program, taps, choice);
        finish_pooling(program, p_, value, dst_operand, problem_, operands_);
        return add_program(simplify(program), plan_);
    }

    // Maxima of large windows. Partial results of those with numbers and of several loops are in memory; others are
    // registers, which read one line of each point where columns in order read four.
    bool runs_in_order() const {
        constexpr int64_t lines = 64;
        const Modes channels = coalesce(layouts_[size_t(source_)].dims[1]);
        const bool wide = channels.size() == 1 && channels[0].stride == 1 && channels[0].extent >= lines;
        const bool one_loop = std::ranges::all_of(p_.windows, [](const Window& w) { return w.outputs == 1; });
        return wide || p_.workspace || !one_loop;
    }

    void add_step(const Choice& choice) {
        int64_t taps = 1;
        for (const WindowRange* r : choice) taps *= r->taps;
        LoopedMoves moves;
        moves.program = program_of(choice, taps);
        moves.operands = operands_of(plan_.programs[size_t(moves.program)]);
        if (p_.is_max() && runs_in_order()) moves.most_in_order = reduction_block;
        moves.order_by = int(std::ranges::find(moves.operands, dst_operand) - moves.operands.begin());
        moves.dims.assign(p_.dst.dims.begin(), p_.dst.dims.begin() + p_.dst.ndims);
        moves.mask = ((1 << p_.dst.ndims) - 1) & ~3;
        for (const int o : moves.operands)
            moves.layouts.push_back(o == taps_ ? Layout{0, std::vector<Modes>(moves.dims.size(), Modes{{1, 0}})}
                                               : layouts_[size_t(o)]);
        std::vector<CoordinateLoop> taps_loops;
        for (size_t k = 0; k < choice.size(); ++k) {
            const WindowRange& r = *choice[k];
            const Window& w = p_.windows[k];
            CoordinateLoop outputs(r.count, LoopKind::map);
            CoordinateLoop inside(r.taps, taps > 1 ? LoopKind::reduce : LoopKind::map);
            for (size_t v = 0; v < moves.operands.size(); ++v) {
                const int o = moves.operands[v];
                const auto table = std::ranges::find(tables_, o, &std::pair<int, size_t>::first);
                if (o == source_) {
                    outputs.set(v, layouts_[size_t(o)].dims[k + 2], r.start, w.stride);
                    inside.set(v, layouts_[size_t(o)].dims[k + 2], 0, w.step);
                } else if (o == taps_) {
                    inside.set(v, {{w.kernel, tap_weights_[k]}}, r.tap, 1);
                } else if (table != tables_.end()) {
                    if (table->second == k) outputs.set(v, {{r.count, 1}}, 0, 1);
                } else {
                    outputs.set(v, layouts_[size_t(o)].dims[k + 2], r.first, 1);
                }
            }
            moves.loops.push_back(std::move(outputs));
            if (taps > 0) taps_loops.push_back(std::move(inside));
        }
        moves.loops.insert(moves.loops.end(), taps_loops.begin(), taps_loops.end());
        add_looped(moves, plan_);
    }

    const Problem& problem_;
    const Pooling p_;
    Plan plan_;
    std::vector<Layout> layouts_;
    Operands operands_;
    std::vector<WindowView> views_;
    int source_, workspace_ = -1, taps_ = -1;    // operands; source: src or its copy
    std::vector<int64_t> tap_weights_;           // by spatial dimension: what a tap counts in the workspace
    std::vector<std::pair<int, size_t>> tables_; // operands of counts and their dimensions
};

} // namespace

void finish_pooling(Program& program, const Pooling& p, int value, int dst, const Problem& problem,
                    Operands& operands) {
    if (program.ops[size_t(value)].type == ValueType::s32) value = program.cvt(value, ValueType::f32);
    finish(program, value, dst, problem, operands);
    if (p.is_max()) store_sum_exactly(program, p.dst.type);
}

Result<Plan> lower_pooling(const Problem& p) {
    if (auto passes = lower_in_passes(p)) return std::move(*passes);
    if (p.prop == PropKind::backward_data) return lower_pooling_backward(p);
    return Forward(p).plan();
}

} // namespace tessera::ops
