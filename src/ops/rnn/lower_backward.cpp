// SPDX-License-Identifier: Apache-2.0
// Recurrent cells, backward -> plan. For each layer in each direction, the last layer first:
//
//   repeat    T turns, from the last step to the first
//     map       dh = diff of what the step left; D = gradients of the sums that went into its gates
//     product   dh[N, C] = D U^T, for the step before
//   product   diff of the layer's input = D W^T          all steps of time at once
//   product   dW += x^T D, dU += h^T D                   sums over T N
//   reduce    dB += D
//
// gru multiplies twice a turn: D_o U_o^T gives D_r, and then D_u and D_r the rest of dh. D has the type of the weights,
// dh and what it is added to are f32.
#include <algorithm>
#include <optional>

#include "ops/rnn/cells.hpp"

namespace tessera::ops {

namespace {

constexpr int over_time = 1 << time_axis | 1 << row_axis;
constexpr int over_gates = 1 << gate_axis | 1 << channel_axis;

class Backward : Cells {
public:
    explicit Backward(const Problem& problem) : Cells(problem) {
        const DataType of_gradients = p.md(arg::weights_layer).type;
        gradients_ = s.scratch("gradients", of_gradients, {r.steps, r.batch, r.gates, r.dhc});
        if (r.is_lbr()) of_recurrent_ = s.scratch("recurrent gradients", of_gradients, {r.steps, r.batch, 1, r.dhc});
        dh_ = s.scratch("dh", DataType::f32, rows(std::max(r.dic, r.sic)));
        if (r.is_lstm()) dc_ = s.scratch("dc", DataType::f32, rows(r.dhc));
        if (r.has_projection) {
            projected_ = s.scratch("projected dh", of_gradients, all_rows(r.dic));
            unprojected_ = s.scratch("unprojected dh", DataType::f32, rows(r.dhc));
        }
        if (r.has_attention()) of_attention_ = s.scratch("attention", DataType::f32, all_rows(r.dhc));
    }

    Result<Plan> plan() {
        add_all();
        return finished();
    }

private:
    // ---- steps

    void add_all() {
        const Block src = plain(layer(arg::src_layer), all_rows(r.slc)),
                    diff_dst = plain(layer(arg::diff_of(arg::dst_layer)), all_rows(r.dlc));
        std::vector<Memory> memories;
        int64_t bytes = 0;
        for (int64_t i = 0; i < r.directions * r.layers; ++i) memories.push_back(memory_in_workspace(r, bytes));
        for (int64_t d = 0; d < r.directions; ++d) {
            const bool half = r.direction == Direction::concat && d == 1;
            Block above = half ? diff_dst.from(channel_axis, r.dic) : diff_dst;
            for (int64_t l = r.layers; l-- > 0;) {
                // The order in which forward has used the workspace.
                const auto of = [&](int64_t number) { return memories[size_t(d * r.layers + number)]; };
                add_layer(l, d, l ? after(of(l - 1).states, d) : src, of(l), above);
                if (l) above = below_;
            }
        }
        for (const int id : {arg::src_layer, arg::src_iter, arg::src_iter_c, arg::weights_layer, arg::weights_iter,
                             arg::weights_peephole, arg::weights_projection, arg::bias, arg::attention})
            if (const Tensor* tensor = p.find(arg::diff_of(id)))
                s.add_padding_of(tensor->md, Steps::tensor(p, arg::diff_of(id), {}, {}));
    }

    void add_layer(int64_t l, int64_t d, const Block& x, const Memory& m, const Block& above) {
        l_ = l, d_ = d, above_ = above, m_ = m;
        const Extents of_w{.gate = r.gates, .channel = r.dhc, .input = l ? r.dic : r.slc},
            of_u{.gate = r.gates, .channel = r.dhc, .input = r.sic};
        const Block w = plain(weights(arg::weights_layer, l, d), of_w);
        u_ = plain(weights(arg::weights_iter, l, d), of_u);
        peephole_ = by_gate(arg::weights_peephole, l, d);
        if (r.has_projection)
            projection_ = plain(projection(arg::weights_projection, l, d), {.channel = r.dic, .input = r.dhc});
        start(iter(arg::diff_of(arg::dst_iter), l, d), dh_, rows(r.dic));
        if (r.is_lstm()) start(iter(arg::diff_of(arg::dst_iter_c), l, d), dc_, rows(r.dhc));
        s.repeat(r.steps, !r.reversed(d), [&] { add_cell(); });
        end(dh_, iter(arg::diff_of(arg::src_iter), l, d), rows(r.sic));
        if (r.is_lstm()) end(dc_, iter(arg::diff_of(arg::src_iter_c), l, d), rows(r.dhc));

        add_diff_of_input(w, of_w);
        add_diff_weights(x, gradients_, weights(arg::diff_of(arg::weights_layer), l, d), of_w);
        add_diff_of_recurrent_weights(of_u);
        add_diff_bias();
        if (peephole_) add_diff_peephole();
        if (r.has_projection)
            add_diff_weights(m.outputs, projected_, projection(arg::diff_of(arg::weights_projection), l, d),
                             {.channel = r.dic, .input = r.dhc});
        if (r.has_attention()) add_diff_attention();
    }

    void start(const Block& diff, const Block& to, const Extents& extents) {
        if (diff)
            copy(diff, to, extents);
        else
            set(to, 0, extents);
    }
    void end(const Block& from, const Block& diff, const Extents& extents) {
        if (diff) copy(from, diff, extents);
    }

    // ---- the cell, in a turn

    // dh[N][SIC] = finish(sum over gates and channels of D U^T); of one gate, or of the first ones.
    template <typename Finish>
    void multiply_back(const Block& gradients, const Block& w, int64_t gates, const Finish& finish) {
        Program program;
        finish(program, Expression{&program, program.total(ValueType::f32)});
        s.product({.row = r.batch, .gate = gates, .channel = r.dhc, .input = r.sic}, over_gates, ValueType::f32,
                  gradients, w, program);
    }
    void set_dh_of_step_before() {
        multiply_back(gradients_, u_, r.gates, [&](Program&, Expression sum) { store(dh_.swapped(), sum); });
    }
    void add_to_dh(const Block& gradients, const Block& w, int64_t gates) {
        multiply_back(gradients, w, gates, [&](Program& program, Expression sum) {
            const Expression dh = load(program, dh_.swapped());
            store(dh_.swapped(), sum + dh);
        });
    }
    Expression load_dh(Program& program) {
        const Expression left = load(program, dh_), above = load(program, above_);
        return left + above;
    }
    Expression gate(Program& program, int64_t g) { return load(program, m_.gates.at(gate_axis, g)); }
    void store_gradient(int64_t g, Expression value) { store(gradients_.at(gate_axis, g), value); }
    // The state before the step, if recurs().
    Block h() const { return r.sic == r.dic ? before(m_.states, d_) : iter(arg::src_iter, l_, d_); }

    void add_cell() {
        if (r.cell == alg::vanilla_rnn)
            add_vanilla();
        else if (r.is_lstm())
            add_lstm();
        else if (r.is_lbr())
            add_lbr_gru();
        else
            add_gru();
    }

    void add_vanilla() {
        Program program;
        const Expression dh = load_dh(program), y = load(program, after(m_.states, d_));
        const auto slope = [&] { // of the result
            if (r.activation == alg::eltwise_relu) {
                const Expression one = y.number(1), alpha = y.number(r.alpha);
                return select(less(0, y), one, alpha);
            }
            return r.activation == alg::eltwise_tanh ? 1 - y * y : y * (1 - y);
        };
        const Expression slope_of_y = slope();
        store_gradient(0, dh * slope_of_y);
        s.map(rows(r.dhc), program);
        set_dh_of_step_before();
    }

    void add_lstm() {
        if (r.has_projection) {
            Program sum;
            store(projected_, load_dh(sum));
            s.map(rows(r.dic), sum);
            Program product;
            product.store(s.view(unprojected_.swapped()), product.total(ValueType::f32));
            s.product({.row = r.batch, .channel = r.dic, .input = r.dhc}, 1 << channel_axis, ValueType::f32, projected_,
                      projection_, product);
        }
        Program program;
        const Expression dh = r.has_projection ? load(program, unprojected_) : load_dh(program);
        const Expression i = gate(program, 0), f = gate(program, 1), z = gate(program, 2), o = gate(program, 3),
                         c = load(program, before(m_.cells, d_)), next = load(program, after(m_.cells, d_)),
                         dc_left = load(program, dc_);
        const auto weight = [&](int64_t g) { return load(program, peephole_.at(gate_axis, g)); };
        const Expression bounded = tanh(next), slope_of_o = o * (1 - o), d_o = dh * bounded * slope_of_o;
        const Expression slope = 1 - bounded * bounded, through = dh * o;
        Expression dc = fma(through, slope, dc_left);
        if (peephole_) {
            const Expression p_o = weight(2);
            dc = fma(p_o, d_o, dc);
        }
        const Expression slope_of_i = i * (1 - i), slope_of_f = f * (1 - f), slope_of_z = 1 - z * z;
        const Expression d_i = dc * z * slope_of_i, d_f = dc * c * slope_of_f, d_z = dc * i * slope_of_z;
        const Expression values[] = {d_i, d_f, d_z, d_o};
        for (int64_t g = 0; g < r.gates; ++g) store_gradient(g, values[g]);
        Expression left = dc * f;
        if (peephole_) {
            const Expression p_i = weight(0), p_f = weight(1);
            left = fma(p_i, d_i, left);
            left = fma(p_f, d_f, left);
        }
        store(dc_, left);
        s.map(rows(r.dhc), program);
        set_dh_of_step_before();
    }

    // What the update gate makes of dh: gradients of the sums of u and o, and what goes straight to the step before.
    struct Updated {
        Expression of_u, of_o;
    };
    Updated add_update(Program& program) {
        const Expression dh = load_dh(program), u = gate(program, 0), o = gate(program, 2),
                         state = recurs() ? load(program, h()) : dh.number(0);
        const Expression difference = state - o, change = difference * dh;
        Expression kept = u, slope = u * (1 - u);
        if (attention_) {
            store(of_attention_, change * u);
            const Expression attention = load(program, attention_), rest = 1 - attention;
            kept = rest * u, slope = rest * slope;
        }
        const Expression of_u = change * slope, slope_of_o = 1 - o * o, new_part = 1 - kept,
                         of_o = new_part * dh * slope_of_o;
        store_gradient(0, of_u);
        store(dh_, dh * kept);
        return {of_u, of_o};
    }

    void add_gru() {
        Program program;
        const Updated updated = add_update(program);
        store_gradient(2, updated.of_o);
        s.map(rows(r.dhc), program);
        // The sum is the gradient of r h.
        multiply_back(gradients_.at(gate_axis, 2), u_.at(gate_axis, 2), 1, [&](Program& p, Expression sum) {
            const Expression reset = load(p, m_.gates.at(gate_axis, 1).swapped()), dh = load(p, dh_.swapped());
            const Expression state = recurs() ? load(p, h().swapped()) : sum.number(0), slope = reset * (1 - reset);
            store(gradients_.at(gate_axis, 1).swapped(), sum * state * slope);
            store(dh_.swapped(), fma(sum, reset, dh));
        });
        add_to_dh(gradients_, u_, 2);
    }

    void add_lbr_gru() {
        Program program;
        const Updated updated = add_update(program);
        const Expression reset = gate(program, 1), recurrent = load(program, m_.recurrent), slope = reset * (1 - reset);
        store_gradient(2, updated.of_o);
        store_gradient(1, recurrent * updated.of_o * slope);
        store(of_recurrent_, reset * updated.of_o);
        s.map(rows(r.dhc), program);
        add_to_dh(gradients_, u_, 2);
        add_to_dh(of_recurrent_, u_.at(gate_axis, 2), 1);
    }

    // ---- behind the turns

    // Of src_layer, where directions are added, or of the layer below.
    void add_diff_of_input(const Block& w, const Extents& of_w) {
        const Block diff = layer(arg::diff_of(arg::src_layer));
        Extents extents = of_w;
        extents.time = r.steps, extents.row = r.batch;
        const Extents written{.time = r.steps, .row = r.batch, .channel = of_w.input};
        const bool is_last = d_ == r.directions - 1, is_first = d_ == 0;
        Program program;
        Expression sum{&program, program.total(ValueType::f32)};
        Block to = diff;
        if (l_ > 0 || !is_last || !diff.is_plain()) {
            std::optional<Block>& block = l_ > 0 ? below_of_layers_ : of_directions_;
            if (!block) block = s.scratch("diff of input", DataType::f32, written);
            to = *block;
        }
        if (l_ == 0 && !is_first) {
            const Expression others = load(program, of_directions_->swapped());
            sum = sum + others;
        }
        store(to.swapped(), sum);
        s.product(extents, over_gates, ValueType::f32, gradients_, w, program);
        if (l_ > 0)
            below_ = to;
        else if (is_last && !diff.is_plain())
            copy(to, diff, written);
    }

    // to[input][gate][channel] (+)= sum over time and rows of x[input] gradients[gate][channel].
    void add_diff_weights(const Block& x, const Block& gradients, const Block& to, const Extents& of_w) {
        Block written = to;
        if (!to.is_plain()) written = s.scratch("plain " + to.operand.name, DataType::f32, of_w);
        Program program;
        const Expression sum{&program, program.total(ValueType::f32)};
        store(written, to.is_plain() ? added(sum, to) : sum);
        Extents extents = of_w;
        extents.time = r.steps, extents.row = r.batch;
        s.product(extents, over_time, ValueType::f32, x.swapped(), gradients, program);
        if (to.is_plain()) return;
        Program copy;
        store(to, added(load(copy, written), to));
        s.map(of_w, copy);
    }
    Expression added(Expression sum, const Block& to) {
        if (r.overwrite) return sum;
        const Expression old = load(*sum.program, to);
        return sum + old;
    }

    void add_diff_of_recurrent_weights(const Extents& of_u) {
        const Block to = weights(arg::diff_of(arg::weights_iter), l_, d_);
        if (!recurs()) {
            if (r.overwrite) set(to, 0, of_u);
            return;
        }
        const Block states = h();
        if (r.is_gru()) {
            Extents some = of_u;
            some.gate = 2;
            add_diff_weights(states, gradients_, to, some);
            some.gate = 1;
            if (r.is_lbr())
                add_diff_weights(states, of_recurrent_, to.at(gate_axis, 2), some);
            else
                add_diff_weights(m_.resets, gradients_.at(gate_axis, 2), to.at(gate_axis, 2), some);
            return;
        }
        add_diff_weights(states, gradients_, to, of_u);
    }

    // to[gate][channel] (+)= sum over time and rows of what `point` makes of them.
    template <typename Point> void accumulate(const Block& to, int64_t gates, const Point& point) {
        Program program;
        const Expression value = point(program);
        const Expression sum{&program, program.reduce_add(value.value)};
        store(to, added(sum, to));
        s.reduce({r.steps, r.batch, gates, r.dhc}, over_time, program);
    }

    void add_diff_bias() {
        const Block to = by_gate(arg::diff_of(arg::bias), l_, d_);
        accumulate(to, r.gates, [&](Program& program) { return load(program, gradients_); });
        if (r.is_lbr())
            accumulate(to.at(gate_axis, 3), 1, [&](Program& program) { return load(program, of_recurrent_); });
    }

    void add_diff_peephole() {
        const Block to = by_gate(arg::diff_of(arg::weights_peephole), l_, d_);
        for (int64_t g = 0; g < 3; ++g)
            accumulate(to.at(gate_axis, g), 1, [&](Program& program) {
                const Expression gradient = load(program, gradients_.at(gate_axis, g == 2 ? 3 : g)),
                                 c = load(program, g == 2 ? after(m_.cells, d_) : before(m_.cells, d_));
                return gradient * c;
            });
    }

    void add_diff_attention() {
        const Block to = layer(arg::diff_of(arg::attention));
        Program program;
        const Expression change = load(program, of_attention_);
        const Expression sum{&program, program.reduce_add(change.value)};
        store(to, 0 - sum);
        s.reduce(all_rows(r.dhc), 1 << channel_axis, program);
    }

    Block gradients_;    // D, [T][N][G][DHC]
    Block of_recurrent_; // of U_o h + B_u' in the lbr cells, [T][N][DHC]
    Block dh_, dc_;      // f32, from a step to the one before
    Block projected_, unprojected_;
    Block of_attention_; // f32, what is summed over channels
    std::optional<Block> below_of_layers_, of_directions_;
    // Of the layer that is being added.
    int64_t l_ = 0, d_ = 0;
    Memory m_;
    Block above_, below_, u_, peephole_, projection_;
};

} // namespace

Result<Plan> lower_rnn_backward(const Problem& problem) { return Backward(problem).plan(); }

} // namespace tessera::ops
