// SPDX-License-Identifier: Apache-2.0
// What forward and backward share: the problem's tensors over the axes, and the memory between them.
#pragma once

#include "core/program/lib/expression.hpp"
#include "ops/rnn/steps.hpp"

namespace tessera::ops {

// What a layer leaves in one direction: in training in the workspace, for backward; else in temporary memory.
struct Memory {
    Block gates;     // f32 [T][N][G][DHC]: sums, after the cell what became of them; vanilla cells: sums alone
    Block states;    // [T + 1][N][DIC], of the type of src_layer: step t reads before(t) and writes after(t)
    Block cells;     // f32 [T + 1][N][DHC], lstm
    Block outputs;   // [T][N][DHC], of the type of src_layer: o tanh(c'), which is projected
    Block resets;    // [T][N][DHC], of the type of src_layer: r h of gru and augru
    Block recurrent; // f32 [T][N][DHC]: U_o h + B_u' of the lbr cells
};

// The workspace of a layer in a direction at `bytes` from its start, and behind it.
Memory memory_in_workspace(const Rnn& rnn, int64_t& bytes);

class Cells {
public:
    explicit Cells(const Problem& problem);
    Cells(const Cells&) = delete;

protected:
    // ---- tensors; absent ones do not exist. Blocks of several strides are copied where products read them.
    Block layer(int id) const { return Steps::tensor(p, id, {time_axis, row_axis, channel_axis}, {}); }
    Block iter(int id, int64_t l, int64_t d) const {
        return Steps::tensor(p, id, {all_axes, all_axes, row_axis, channel_axis}, {l, d});
    }
    Block weights(int id, int64_t l, int64_t d) const {
        return Steps::tensor(p, id, {all_axes, all_axes, input_axis, gate_axis, channel_axis}, {l, d});
    }
    Block by_gate(int id, int64_t l, int64_t d) const { // bias, peephole
        return Steps::tensor(p, id, {all_axes, all_axes, gate_axis, channel_axis}, {l, d});
    }
    Block projection(int id, int64_t l, int64_t d) const {
        return Steps::tensor(p, id, {all_axes, all_axes, input_axis, channel_axis}, {l, d});
    }
    Block plain(const Block& block, const Extents& extents); // a copy where it has blocks
    // Every element, converted.
    void copy(const Block& from, const Block& to, const Extents& extents);
    void set(const Block& to, double value, const Extents& extents);

    // ---- states of a layer in a direction
    Block before(const Block& states, int64_t d) const { return states.from(time_axis, r.reversed(d) ? 1 : 0); }
    Block after(const Block& states, int64_t d) const { return states.from(time_axis, r.reversed(d) ? 0 : 1); }
    Block first(const Block& states, int64_t d) const { return states.at(time_axis, r.reversed(d) ? r.steps : 0); }
    Block last(const Block& states, int64_t d) const { return states.at(time_axis, r.reversed(d) ? 0 : r.steps); }

    // Whether there is a state to multiply: before a single step it may be zero.
    bool recurs() const { return r.steps > 1 || p.find(arg::src_iter); }
    Extents rows(int64_t channels) const { return {.row = r.batch, .channel = channels}; } // of a turn
    Extents all_rows(int64_t channels) const { return {.time = r.steps, .row = r.batch, .channel = channels}; }

    Expression load(Program& program, const Block& block) {
        return {&program, program.load(s.view(block), ValueType::f32)};
    }
    void store(const Block& block, Expression value) { value.program->store(s.view(block), value.value); }
    Result<Plan> finished();

    const Problem& p;
    const Rnn r;
    Steps s;
    Block attention_; // of a row in a step, the same for all channels; absent without
};

inline Expression logistic(Expression x) {
    return {x.program, eltwise(*x.program, alg::eltwise_logistic, x.value, 0, 0)};
}
inline Expression tanh(Expression x) { return {x.program, eltwise(*x.program, alg::eltwise_tanh, x.value, 0, 0)}; }

Result<Plan> lower_rnn_forward(const Problem& problem);
Result<Plan> lower_rnn_backward(const Problem& problem);

} // namespace tessera::ops
