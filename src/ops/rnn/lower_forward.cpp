// SPDX-License-Identifier: Apache-2.0
// Recurrent cells, forward -> plan. For each layer in each direction:
//
//   product   gates[T N, G C] = x W + B                  all steps of time at once
//   repeat    T turns
//     product   gates[N, G C] += h U
//     map       the cell: the next state, and in training what became of the gates
//
// gru multiplies twice a turn: u and r first, then r h for o.
#include <algorithm>
#include <optional>

#include "ops/rnn/cells.hpp"

namespace tessera::ops {

namespace {

// Weights of a layer in a direction. Of s8, also the sums of their columns and what their products are multiplied with.
struct Weights {
    Block values, sums, factors;
    Weights at_gate(int64_t gate) const {
        Weights out = *this;
        for (Block* block : {&out.values, &out.sums, &out.factors})
            if (*block) *block = block->at(gate_axis, gate);
        return out;
    }
};

class Forward : Cells {
public:
    explicit Forward(const Problem& problem) : Cells(problem) {
        if (p.attr.rnn && integers()) q_ = *p.attr.rnn;
    }

    Result<Plan> plan() {
        if (r.batch > 0) add_all();
        return finished();
    }

private:
    bool integers() const { return is_integer(r.type); }
    ValueType sum_type() const { return integers() ? ValueType::s32 : ValueType::f32; }

    // ---- quantized states: q = sat(scale x + shift)

    Expression number_of(Expression q) const { return integers() ? (q - q_.shift) / q_.scale : q; }
    Expression load_state(Program& program, const Block& block) { return number_of(load(program, block)); }
    void store_state(const Block& block, Expression x) { store(block, integers() ? fma(x, q_.scale, q_.shift) : x); }
    // Between a tensor of the caller and states, one of which may be quantized.
    void copy_states(const Block& from, const Block& to, const Extents& extents) {
        if (is_integer(from.operand.type) == is_integer(to.operand.type)) return copy(from, to, extents);
        Program program;
        const Expression x = load(program, from);
        if (is_integer(from.operand.type))
            store(to, number_of(x));
        else
            store_state(to, x);
        s.map(extents, program);
    }

    Weights quantized(const Block& block, const Extents& extents, std::span<const float> scales) {
        Weights w{plain(block, extents), {}, {}};
        w.sums.exists = integers() && q_.shift != 0, w.factors.exists = integers();
        if (w.sums) {
            w.sums = s.scratch("sums of " + block.operand.name, DataType::s32,
                               {.gate = extents.gate, .channel = extents.channel});
            Program program;
            program.store(s.view(w.sums), program.reduce_add(program.load(s.view(w.values), ValueType::s32)));
            s.reduce(extents, 1 << input_axis, program);
        }
        if (w.factors) {
            std::vector<float> factors;
            for (const float scale : scales) factors.push_back(1 / (scale * q_.scale));
            w.factors = s.constants("1 / scales of " + block.operand.name, std::move(factors), extents);
        }
        return w;
    }

    // The sum of a product as a number. Quantized states: less their shift times the sums of the weights' columns.
    Expression total(Program& program, const Weights& w) {
        Expression x{&program, program.total(sum_type())};
        if (!integers()) return x;
        x = float_of_integer(x);
        if (w.sums) {
            const Expression columns = load(program, w.sums);
            x = x - columns * double(q_.shift);
        }
        return x * load(program, w.factors);
    }
    void multiply(const Block& states, const Weights& w, const Extents& extents, const Program& program) {
        s.product(extents, 1 << input_axis, sum_type(), states.swapped(), w.values, program);
    }

    // ---- memory

    // Of a layer in a direction; in inference, the states of layers take turns in two buffers.
    Memory memory_of(int64_t l, int64_t d) {
        Memory m;
        if (r.training) m = memory_in_workspace(r, workspace_);
        if (!r.training || !m.gates) m.gates = temporary("gates", DataType::f32, {r.steps, r.batch, r.gates, r.dhc});
        if (r.training) return m;
        m.states = temporary(fmt::format("states {}", d * 2 + l % 2), r.type, {r.steps + 1, r.batch, 1, r.dic});
        if (r.is_lstm()) m.cells = temporary("cells", DataType::f32, rows(r.dhc));
        if (r.has_projection) m.outputs = temporary("outputs", r.type, rows(r.dhc));
        if (r.is_gru() && !r.is_lbr()) m.resets = temporary("resets", r.type, rows(r.dhc));
        return m;
    }
    // The same memory for all layers.
    Block temporary(const std::string& name, DataType of, const Extents& extents) {
        const auto known = std::ranges::find(temporaries_, name, [](const Block& b) { return b.operand.name; });
        if (known != temporaries_.end()) return *known;
        return temporaries_.emplace_back(s.scratch(name, of, extents));
    }

    // ---- steps

    void add_all() {
        const Block src = plain(layer(arg::src_layer), all_rows(r.slc));
        std::vector<Block> results; // by direction
        for (int64_t d = 0; d < r.directions; ++d) {
            Block x = src;
            for (int64_t l = 0; l < r.layers; ++l) {
                const Memory m = memory_of(l, d);
                add_layer(l, d, x, m);
                x = after(m.states, d);
            }
            results.push_back(x);
        }
        const Block dst = layer(arg::dst_layer);
        if (r.direction == Direction::sum)
            add_directions(results, dst);
        else
            add_side_by_side(results, dst);
        s.add_padding_of(p.md(arg::dst_layer), dst);
        for (const int id : {arg::dst_iter, arg::dst_iter_c})
            if (p.find(id)) s.add_padding_of(p.md(id), iter(id, 0, 0));
    }

    void add_side_by_side(const std::vector<Block>& results, const Block& dst) {
        const bool direct = dst.is_plain() || results.size() == 1;
        const Block to = direct ? dst : s.scratch("results", dst.operand.type, all_rows(r.dlc));
        for (size_t d = 0; d < results.size(); ++d)
            copy_states(results[d], to.from(channel_axis, int64_t(d) * r.dic), all_rows(r.dic));
        if (!direct) copy(to, dst, all_rows(r.dlc));
    }

    void add_directions(const std::vector<Block>& results, const Block& dst) {
        Program program;
        Expression x = load(program, results[0]);
        const Expression y = load(program, results[1]);
        x = x + y;
        if (integers() && !is_integer(dst.operand.type)) x = (x - 2 * double(q_.shift)) / q_.scale;
        store(dst, x);
        s.map(all_rows(r.dic), program);
    }

    void add_layer(int64_t l, int64_t d, const Block& x, const Memory& m) {
        start(l, d, m);
        Extents extents{.gate = r.gates, .channel = r.dhc, .input = r.sic};
        u_ = quantized(weights(arg::weights_iter, l, d), extents, q_.weights_scales);
        extents.input = l ? r.dic : r.slc;
        const Weights w = quantized(weights(arg::weights_layer, l, d), extents, q_.weights_scales);
        bias_ = by_gate(arg::bias, l, d), peephole_ = by_gate(arg::weights_peephole, l, d);
        if (r.has_projection)
            projection_ = quantized(projection(arg::weights_projection, l, d), {.channel = r.dic, .input = r.dhc},
                                    q_.projection_scales);

        Program program;
        Expression v = total(program, w);
        if (bias_) {
            const Expression bias = load(program, bias_);
            v = v + bias;
        }
        store(m.gates, v);
        extents.time = r.steps, extents.row = r.batch;
        multiply(x, w, extents, program);

        s.repeat(r.steps, r.reversed(d), [&] { add_cell(d, m); });
        const Block dst_iter = iter(arg::dst_iter, l, d), dst_iter_c = iter(arg::dst_iter_c, l, d);
        if (dst_iter) copy_states(last(m.states, d), dst_iter, rows(r.dic));
        if (dst_iter_c) copy(last(m.cells, d), dst_iter_c, rows(r.dhc));
    }

    // States before the first step: those of src_iter, or zeros. Only a single step may have states of other width.
    void start(int64_t l, int64_t d, const Memory& m) {
        const Block src_iter = iter(arg::src_iter, l, d), src_iter_c = iter(arg::src_iter_c, l, d);
        const bool fits = r.sic == r.dic;
        of_first_step_ = fits || !src_iter ? first(m.states, d) : temporary("state", r.type, rows(r.sic));
        if (src_iter) copy_states(src_iter, of_first_step_, rows(r.sic));
        if (!src_iter || (!fits && r.steps == 0)) set(first(m.states, d), integers() ? q_.shift : 0, rows(r.dic));
        if (!r.is_lstm()) return;
        if (src_iter_c)
            copy(src_iter_c, first(m.cells, d), rows(r.dhc));
        else
            set(first(m.cells, d), 0, rows(r.dhc));
    }

    Block h(const Memory& m, int64_t d) const { return r.sic == r.dic ? before(m.states, d) : of_first_step_; }

    // What products of states add to sums of the layer; if nothing is multiplied, a map does the rest.
    template <typename Finish> void add_recurrence(const Block& states, const Weights& w, const Block& gates,
                                                   int64_t count, const Finish& finish) {
        Program program;
        Expression v = load(program, gates);
        if (recurs()) {
            const Expression sum = total(program, w);
            v = v + sum;
        }
        finish(program, v);
        Extents extents{.row = r.batch, .gate = count, .channel = r.dhc};
        if (!recurs()) return s.map(extents, program);
        extents.input = r.sic;
        multiply(states, w, extents, program);
    }

    void add_cell(int64_t d, const Memory& m) {
        if (r.cell == alg::vanilla_rnn)
            add_vanilla(d, m);
        else if (r.is_lstm())
            add_lstm(d, m);
        else if (r.is_lbr())
            add_lbr_gru(d, m);
        else
            add_gru(d, m);
    }

    void add_vanilla(int64_t d, const Memory& m) {
        add_recurrence(h(m, d), u_, m.gates, 1, [&](Program& program, Expression v) {
            store_state(after(m.states, d), {&program, eltwise(program, r.activation, v.value, r.alpha, 0)});
        });
    }

    void add_lstm(int64_t d, const Memory& m) {
        if (recurs()) add_recurrence(h(m, d), u_, m.gates, r.gates, [&](Program&, Expression v) { store(m.gates, v); });
        Program program;
        const auto gate = [&](int64_t g) { return load(program, m.gates.at(gate_axis, g)); };
        const auto add_peephole = [&](Expression v, int64_t g, Expression c) {
            if (!peephole_) return v;
            const Expression weight = load(program, peephole_.at(gate_axis, g));
            return fma(weight, c, v);
        };
        const Expression c = load(program, before(m.cells, d));
        const Expression a_i = gate(0), a_f = gate(1), a_z = gate(2), a_o = gate(3);
        const Expression i = logistic(add_peephole(a_i, 0, c)), f = logistic(add_peephole(a_f, 1, c)), z = tanh(a_z);
        const Expression added = i * z, next = fma(f, c, added);
        const Expression o = logistic(add_peephole(a_o, 2, next)), bounded = tanh(next);
        if (r.training) {
            const Expression values[] = {i, f, z, o};
            for (int64_t g = 0; g < r.gates; ++g) store(m.gates.at(gate_axis, g), values[g]);
        }
        store(after(m.cells, d), next);
        store_state(r.has_projection ? m.outputs : after(m.states, d), o * bounded);
        s.map(rows(r.dhc), program);
        if (!r.has_projection) return;
        Program projected;
        store_state(after(m.states, d), total(projected, projection_));
        multiply(m.outputs, projection_, {.row = r.batch, .channel = r.dic, .input = r.dhc}, projected);
    }

    // The state that follows, of the gates u and o.
    Expression next_state(Expression u, Expression o, Expression h) {
        if (attention_) {
            const Expression attention = load(*u.program, attention_);
            u = (1 - attention) * u;
        }
        const Expression rest = (1 - u) * o;
        return fma(u, h, rest);
    }

    void add_gru(int64_t d, const Memory& m) {
        const Block u = m.gates.at(gate_axis, 0), reset = m.gates.at(gate_axis, 1), o = m.gates.at(gate_axis, 2);
        add_recurrence(h(m, d), u_, m.gates, 2, [&](Program&, Expression v) { store(m.gates, logistic(v)); });
        Program resets;
        const Expression gate = load(resets, reset), state = load_state(resets, h(m, d));
        store_state(m.resets, gate * state);
        s.map(rows(r.dhc), resets);
        add_recurrence(m.resets, u_.at_gate(2), o, 1, [&](Program& program, Expression v) {
            v = tanh(v);
            if (r.training) store(o, v);
            const Expression update = load(program, u), before = load_state(program, h(m, d));
            store_state(after(m.states, d), next_state(update, v, before));
        });
    }

    void add_lbr_gru(int64_t d, const Memory& m) {
        Block sums;
        if (recurs()) {
            sums = temporary("sums", DataType::f32, {.row = r.batch, .gate = r.gates, .channel = r.dhc});
            Program program;
            store(sums, total(program, u_));
            multiply(h(m, d), u_, {.row = r.batch, .gate = r.gates, .channel = r.dhc, .input = r.sic}, program);
        }
        Program program;
        const auto sum = [&](Expression v, int64_t g) {
            if (!recurs()) return v;
            const Expression of_state = load(program, sums.at(gate_axis, g));
            return v + of_state;
        };
        const Expression a_u = load(program, m.gates.at(gate_axis, 0)), a_r = load(program, m.gates.at(gate_axis, 1)),
                         a_o = load(program, m.gates.at(gate_axis, 2)), h_before = load_state(program, h(m, d));
        const Expression u = logistic(sum(a_u, 0)), reset = logistic(sum(a_r, 1));
        Expression recurrent = sum(bias_ ? load(program, bias_.at(gate_axis, 3)) : a_u.number(0), 2);
        const Expression o = tanh(fma(reset, recurrent, a_o));
        if (r.training) {
            const Expression values[] = {u, reset, o};
            for (int64_t g = 0; g < r.gates; ++g) store(m.gates.at(gate_axis, g), values[g]);
            store(m.recurrent, recurrent);
        }
        store_state(after(m.states, d), next_state(u, o, h_before));
        s.map(rows(r.dhc), program);
    }

    RnnQparams q_; // 1 and 0 of states that are not quantized
    std::vector<Block> temporaries_;
    int64_t workspace_ = 0; // bytes of layers that have theirs
    // Of the layer that is being added.
    Weights u_, projection_;
    Block bias_, peephole_, of_first_step_;
};

} // namespace

Result<Plan> lower_rnn_forward(const Problem& problem) { return Forward(problem).plan(); }

} // namespace tessera::ops
