// SPDX-License-Identifier: Apache-2.0
// Convolutions, deconvolutions and their gradients -> plan: a product for each combination of sweeps (sweeps.hpp), over
// the tensors as they lie.
//
//   dims of a step     n, g, q, p, points of each spatial dimension, terms of each
//   forward            sums over p and terms     written: outputs[n, g, q, points]
//   backward data      sums over q and terms              inputs[n, g, p, points]
//   backward weights   sums over n and terms              weights[g, q, p, points]
//
// Groups of a single channel (depthwise) have no matrices to speak of: reduce steps with vectors along the groups. What
// has no stride along pixels, or blocks of channels that groups cut apart, is copied first, or written last.
#include <algorithm>

#include <fmt/format.h>

#include "core/layout/coalesce.hpp"
#include "core/layout/quant.hpp"
#include "core/plan/rewrite/two_levels.hpp"
#include "ops/convolution/flat.hpp"
#include "ops/convolution/fused.hpp"
#include "ops/epilogue.hpp"
#include "ops/moves.hpp"
#include "ops/products/space.hpp"
#include "ops/windows/bordered_copy.hpp"
#include "ops/windows/loops.hpp"

namespace tessera::ops {

namespace {

enum class Part { inputs, outputs, weights }; // over whose dims an operand's layout is

class Lowering {
public:
    explicit Lowering(const Problem& problem) : p_(problem), c_(problem), operands_{plan_, layouts_} {
        const SideArgs& a = c_.args;
        plan_.title = fmt::format("{} {} {} {} {}, {}", name(p_.kind), name(p_.prop), to_token(p_.md(a.src)),
                                  to_token(p_.md(a.weights)), to_token(p_.md(a.dst)), shape_of_convolution(p_));
        written_ = p_.prop == PropKind::backward_data      ? a.src
                   : p_.prop == PropKind::backward_weights ? a.weights
                                                           : a.dst;
        for (const int id : {a.src, a.weights, a.dst}) add(id);
    }
    Lowering(const Lowering&) = delete;

    Result<Plan> plan() {
        if (const MemoryDesc& md = p_.md(written_); !md.has_zero_dim())
            if (auto ok = write(); !ok) return Refusal(ok.error());
        if (p_.find(arg::diff_bias)) add_diff_bias();
        return std::move(plan_);
    }

private:
    Part part_of(int id) const {
        return id == c_.args.weights ? Part::weights : id == c_.inputs ? Part::inputs : Part::outputs;
    }
    SweepOver points() const {
        switch (part_of(written_)) {
        case Part::weights:
            return SweepOver::taps;
        case Part::inputs:
            return SweepOver::inputs;
        default:
            return SweepOver::outputs;
        }
    }

    // ---- operands

    int add(int id) {
        const MemoryDesc& md = p_.md(id);
        const int o = operands_.add(arg_name(id), md.type, id, layout_of(md));
        set(id, o);
        return o;
    }
    int operand(int id) const { return of_arg_.at(id); }
    void set(int id, int o) { of_arg_[id] = o, parts_[o] = part_of(id); }
    // Operands of the epilogue lie over the dims of what is written.
    Part part(int o) const {
        const auto at = parts_.find(o);
        return at == parts_.end() ? part_of(written_) : at->second;
    }

    // A value a channel of `id`, dense or one for all, over the dims of `id`.
    Layout by_channel(int id, bool each) const {
        const auto dims = p_.md(id).dims_span();
        return spread({0, {{{dims[1], each ? 1 : 0}}}}, {1}, dims);
    }

    // ---- layouts of steps

    int64_t channels(Part part) const { return part == Part::inputs ? c_.input_channels() : c_.output_channels(); }

    // Whether a layout can be seen over the dims of a step.
    bool is_regular(const Layout& own, Part part) const {
        const size_t first = part == Part::weights ? c_.first_tap : 2;
        for (size_t k = 0; k < c_.spatial(); ++k)
            if (coalesce(own.dims[first + k]).size() > 1) return false;
        return part == Part::weights || c_.groups == 1 || halves_of(own.dims[1], channels(part)).has_value();
    }

    enum Dim : size_t { batch, group, output, input, point }; // then points, then terms
    size_t term() const { return point + c_.spatial(); }

    static Modes some(Modes modes, int64_t extent) { return modes.empty() ? Modes{{extent, 0}} : std::move(modes); }

    using Choice = std::vector<const Sweep*>;
    Layout over_step(int o, const Choice& choice, const std::vector<int64_t>& dims) const {
        const Layout& own = layouts_[size_t(o)];
        const Part part = this->part(o);
        Places places{batch};
        if (part == Part::weights) {
            places.assign(c_.first_tap, group); // which is the first of three
            places[c_.output_dim] = output, places[c_.input_dim] = input;
        }
        Layout layout = spread(own, places, dims);
        if (part != Part::weights) {
            const size_t channel = part == Part::inputs ? input : output;
            const auto halves = c_.groups == 1 ? Halves{{}, own.dims[1]} : *halves_of(own.dims[1], channels(part));
            layout.dims[group] = some(halves.outer, dims[group]),
            layout.dims[channel] = some(halves.inner, dims[channel]);
        }
        for (size_t k = 0; k < c_.spatial(); ++k) {
            const Modes modes = coalesce(own.dims[(part == Part::weights ? c_.first_tap : 2) + k]);
            if (modes.empty()) continue;
            const int64_t stride = modes[0].stride;
            const Affine& at = affine(*choice[k], part);
            layout.offset += at.first * stride;
            layout.dims[point + k] = {{dims[point + k], at.point * stride}};
            layout.dims[term() + k] = {{dims[term() + k], at.term * stride}};
        }
        return layout;
    }
    static const Affine& affine(const Sweep& sweep, Part part) {
        return part == Part::weights ? sweep.weights : part == Part::inputs ? sweep.inputs : sweep.outputs;
    }

    bool sums(size_t d) const {
        const Part part = part_of(written_);
        return d >= term() || (d == batch && part == Part::weights) || (d == input && part == Part::outputs) ||
               (d == output && part == Part::inputs);
    }

    // ---- programs

    bool integers() const { return is_integer(p_.md(c_.args.src).type) && p_.prop != PropKind::backward_weights; }
    ValueType sum_type() const { return integers() ? ValueType::s32 : ValueType::f32; }

    // From the sum to what is stored to operand `to`.
    void add_epilogue(Program& program, int value, int to) {
        if (program.ops[size_t(value)].type == ValueType::s32) value = program.cvt(value, ValueType::f32);
        const MemoryDesc& md = p_.md(written_);
        if (written_ != arg::dst) {
            program.store(to, round_stochastically(program, value, written_, md.dims_span(), p_, operands_));
            return;
        }
        for (const int id : {arg::src, arg::weights})
            if (const Quant* q = find_quant(p_.attr, QuantKind::scales, id))
                value =
                    times(program, value, operands_.add(QuantKind::scales, id, *q, by_channel(written_, q->mask != 0)));
        if (const Tensor* bias = p_.find(arg::bias)) {
            const int o = operands_.add(arg_name(arg::bias), bias->md.type, arg::bias,
                                        spread(layout_of(bias->md), {1}, md.dims_span()));
            value = program.binary(OpCode::add, value, program.load(o, ValueType::f32));
        }
        finish(program, value, to, p_, operands_);
        store_sum_exactly(program, md.type);
    }

    // ---- steps

    Result<void> write() {
        const int to = operand(written_);
        for (const int id : {c_.args.src, c_.args.weights, c_.args.dst})
            if (id != written_ && p_.md(id).has_zero_dim()) return write_nothing(to);
        const bool copies = !p_.attr.zero_points.contains(c_.args.src);
        auto sweeps = sweeps_of(c_.windows, points(), copies);
        if (!sweeps) return Refusal(sweeps.error());
        if (points() == SweepOver::taps && !is_depthwise())
            if (auto once = taps_at_once(c_.windows, *sweeps, costs())) sweeps = std::move(*once);
        if (copies && !is_depthwise())
            if (auto flat = flat_sweeps(c_.windows, points(), *sweeps, costs())) {
                sweeps = std::move(*flat);
                for (const Sweeps& s : *sweeps) lines_.push_back(s.border.extent);
                lines_[0] = sweeps->front().all[0].points; // no image behind it is read
            }
        if (auto ok = copy_factors(*sweeps); !ok) return ok;
        if (const Quant* q = find_quant(p_.attr, QuantKind::zero_points, c_.args.src)) {
            zero_ = operands_.add(QuantKind::zero_points, c_.args.src, *q, by_channel(c_.args.src, q->mask != 0));
            parts_[zero_] = part_of(c_.args.src);
        }

        const int total = program_of_total_.total(sum_type()), nothing = program_of_nothing_.constant(0, sum_type());
        Program finish_sums;
        add_epilogue(program_of_total_, total, to);
        if (lines_.empty() && written_regularly()) {
            add_epilogue(program_of_nothing_, nothing, to);
        } else {
            sums_ = add_sums();
            add_epilogue(finish_sums, finish_sums.load(sums_, sum_type()), to);
            program_of_total_ = {}, program_of_nothing_ = {};
            program_of_total_.store(sums_, program_of_total_.total(sum_type()));
            program_of_nothing_.store(sums_, program_of_nothing_.constant(0, sum_type()));
            set(written_, sums_);
        }
        each_combination(*sweeps, &Sweeps::all, [&](const Choice& choice) { add_step(choice); });
        if (sums_ >= 0) add_moves_of(finish_sums, to);
        add_output_padding_of(to);
        return {};
    }

    // No element of a factor exists: sums over no terms.
    Result<void> write_nothing(int to) {
        Program program;
        add_epilogue(program, program.constant(0, sum_type()), to);
        add_moves_of(program, to);
        add_output_padding_of(to);
        return {};
    }

    void add_output_padding_of(int to) {
        if (written_ == arg::dst)
            add_output_padding(to, p_, operands_);
        else
            add_padding(p_.md(written_), to, plan_);
    }

    // A map over all that is written.
    void add_moves_of(const Program& program, int to) {
        Moves moves;
        moves.program = add_program(simplify(program), plan_);
        moves.operands = operands_of(plan_.programs[size_t(moves.program)]);
        std::vector<Layout> layouts;
        for (const int o : moves.operands) layouts.push_back(layouts_[size_t(o)]);
        moves.layouts = layouts, moves.dims = p_.md(written_).dims_span();
        moves.order_by = int(std::ranges::find(moves.operands, to) - moves.operands.begin());
        add_moves(moves, plan_);
    }

    bool written_regularly() const {
        for (size_t o = 0; o < layouts_.size(); ++o)
            if (part(int(o)) == part_of(written_) && !is_regular(layouts_[o], part(int(o)))) return false;
        return true;
    }

    // Temporary memory for sums, in the order of channels-last pixels or of plain weights.
    int add_sums() {
        const MemoryDesc& md = p_.md(written_);
        Layout layout{0, std::vector<Modes>(size_t(md.ndims))};
        std::vector<size_t> order;
        for (size_t d = 0; d < size_t(md.ndims); ++d)
            if (d != 1 || written_ == c_.args.weights) order.push_back(d);
        if (order.size() < size_t(md.ndims)) order.push_back(1);
        int64_t stride = 1;
        for (size_t i = order.size(); i-- > 0;) {
            const size_t d = order[i];
            const int64_t extent = lines_.empty() || d < 2 ? md.dims[d] : lines_[d - 2];
            layout.dims[d] = {{extent, stride}};
            stride *= extent;
        }
        return operands_.add_scratch("sums", integers() ? DataType::s32 : DataType::f32, stride, std::move(layout));
    }

    // What is read but has no strides, or needs a border.
    Result<void> copy_factors(const std::vector<Sweeps>& sweeps) {
        for (const int id : {c_.args.src, c_.args.weights, c_.args.dst}) {
            if (id == written_) continue;
            const MemoryDesc& md = p_.md(id);
            const Part part = part_of(id);
            const auto first = size_t(part == Part::weights ? c_.first_tap : 2);
            std::vector<Border> borders;
            for (int d = 0; d < md.ndims; ++d) borders.push_back({0, md.dims[size_t(d)]});
            bool copies = !is_regular(layouts_[size_t(operand(id))], part);
            // Windows move over inputs; backward, outputs are read beyond their ends.
            const bool bordered = part == (part_of(written_) == Part::inputs ? Part::outputs : Part::inputs);
            std::vector<int64_t> beyond;
            if (bordered && !lines_.empty()) copies = true, beyond.assign(size_t(md.ndims), 0);
            for (size_t k = 0; bordered && k < sweeps.size(); ++k) {
                if (sweeps[k].copied) borders[first + k] = sweeps[k].border, copies = true;
                // Sums that begin beyond the end of a line read as far behind the image as windows reach.
                if (!beyond.empty()) beyond[first + k] = lines_[k] - sweeps[k].all[0].points;
            }
            if (!copies) continue;
            int mask = ((1 << md.ndims) - 1) & ~((1 << first) - 1);
            if (part != Part::weights && c_.groups > 1) mask |= 2;
            const auto copy = add_bordered_copy(operand(id), md, md.type, 0, borders, mask, operands_, beyond);
            if (!copy) return Refusal(copy.error());
            set(id, *copy);
        }
        return {};
    }

    FlatCosts costs() const {
        const bool back = part_of(written_) == Part::inputs;
        const int64_t in = c_.input_channels(), out = c_.output_channels();
        const MemoryDesc& read = p_.md(back ? c_.outputs : c_.inputs);
        return {read.dims[0], back ? out : in, back ? in : out, (bits(read.type) + 7) / 8};
    }

    bool is_depthwise() const { return c_.groups > 1 && c_.input_channels() == 1 && c_.output_channels() <= c_.groups; }

    Product product() {
        Product product;
        product.type = sum_type();
        const auto factor = [&](int id) { return Factor{operand(id), id == c_.args.src && zero_ >= 0 ? zero_ : -1}; };
        const SideArgs& a = c_.args;
        product.a = factor(written_ == a.src ? a.dst : a.src);
        product.b = factor(written_ == a.weights ? a.dst : a.weights);
        return product;
    }

    void add_step(const Choice& choice) {
        const MemoryDesc& in = p_.md(c_.inputs);
        std::vector<int64_t> dims{in.dims[0], c_.groups, c_.output_channels(), c_.input_channels()};
        bool nothing = false;
        for (const Sweep* s : choice) dims.push_back(s->points), nothing = nothing || s->terms == 0;
        if (!lines_.empty()) std::ranges::copy(lines_, dims.begin() + point);
        for (const Sweep* s : choice) dims.push_back(nothing ? 1 : s->terms);
        if (nothing)
            for (size_t d = 0; d < dims.size(); ++d)
                if (sums(d)) dims[d] = 1;
        Product step = product();
        const int to = operand(written_);
        if (nothing || is_depthwise()) {
            const Program program = nothing ? program_of_nothing_ : with_sum(step, program_of_total_);
            return add_loops(simplify(program), choice, dims, to);
        }
        Space space;
        space.dims = dims;
        for (size_t d = 0; d < dims.size(); ++d) space.reduce_mask |= int(sums(d)) << d;
        space.layouts.resize(plan_.operands.size());
        const Program with_factors = with_sum(step, program_of_total_);
        for (const int o : operands_of(with_factors)) space.layouts[size_t(o)] = over_step(o, choice, dims);
        for (Layout& layout : space.layouts)
            if (layout.dims.empty()) layout.dims.assign(dims.size(), {{1, 0}});
        space.fpmath = p_.attr.fpmath;
        step.space = arranged(std::move(space), size_t(to), size_t(step.a.operand));
        add_product(std::move(step), add_program(simplify(program_of_total_), plan_), plan_);
    }

    // The same as loops: maps, and sums along loops of their own.
    void add_loops(const Program& program, const Choice& choice, const std::vector<int64_t>& dims, int to) {
        Moves moves;
        moves.program = add_program(program, plan_);
        moves.operands = operands_of(program);
        moves.order_by = int(std::ranges::find(moves.operands, to) - moves.operands.begin());
        std::vector<Layout> layouts;
        for (const int o : moves.operands) layouts.push_back(over_step(o, choice, dims));
        const bool reduces = std::ranges::any_of(program.ops, [](const Op& op) { return is_reduction(op.code); });
        for (size_t d = 0; reduces && d < dims.size(); ++d) moves.reduce_mask |= int(sums(d)) << d;
        moves.layouts = layouts, moves.dims = dims;
        const size_t before = plan_.steps.size();
        add_moves(moves, plan_);
        if (written_ == c_.args.weights && reduces) in_two_levels(plan_.steps.size() - before, plan_);
    }

    void add_diff_bias() {
        const int from_id = c_.args.dst;
        const MemoryDesc &from = p_.md(from_id), &bias = p_.md(arg::diff_bias);
        const int to = operands_.add(arg_name(arg::diff_bias), bias.type, arg::diff_bias, {});
        if (from.has_zero_dim()) return add_zeros(bias, to, plan_);
        const int read = operands_.add(arg_name(from_id), from.type, from_id, layout_of(from)); // itself, not a copy
        const std::vector<Layout> layouts{spread(layout_of(bias), {1}, from.dims_span()), layouts_[size_t(read)]};
        Program program;
        program.store(to, program.reduce_add(program.load(read, ValueType::f32)));
        plan_.programs.push_back(program);
        add_padding(bias, to, plan_);
        const size_t before = plan_.steps.size();
        add_moves({.layouts = layouts,
                   .dims = from.dims_span(),
                   .program = int(plan_.programs.size()) - 1,
                   .reduce_mask = ((1 << from.ndims) - 1) & ~2,
                   .order_by = 1,
                   .operands = {to, read}},
                  plan_);
        in_two_levels(plan_.steps.size() - before, plan_);
    }

    const Problem& p_;
    const Convolution c_;
    Plan plan_;
    std::vector<Layout> layouts_;
    Operands operands_;
    std::map<int, int> of_arg_; // operands: of a factor perhaps a copy
    std::map<int, Part> parts_;
    int written_;                // argument
    int zero_ = -1, sums_ = -1;  // operands
    std::vector<int64_t> lines_; // extents of the points of a flat image (flat.hpp), or none
    Program program_of_total_, program_of_nothing_;
};

} // namespace

Result<Plan> lower_convolution(const Problem& p) {
    return has_depthwise(p.attr) ? lower_fused_convolution(p) : Lowering(p).plan();
}

} // namespace tessera::ops
