// SPDX-License-Identifier: Apache-2.0
// What training leaves in the workspace for backward, and the two lowerings.
#include "core/division.hpp"
#include "ops/rnn/cells.hpp"

namespace tessera::ops {

namespace {

constexpr int64_t line = 64; // bytes: regions of the workspace begin at multiples

} // namespace

Memory memory_in_workspace(const Rnn& r, int64_t& bytes) {
    Memory memory;
    const auto add = [&](Block& block, const char* name, DataType own, bool exists, const Extents& extents) {
        block.exists = exists;
        if (!exists) return;
        block.operand = {name, own, arg::workspace, bytes};
        DenseLayout memory = dense(extents);
        block.layout = std::move(memory.layout);
        bytes += round_up(bytes_of(own, *memory.elements), line); // make_rnn() has refused more than 64 bits
    };
    const int64_t T = r.steps, N = r.batch, C = r.dhc;
    const bool vanilla = r.cell == alg::vanilla_rnn, gru = r.is_gru() && !r.is_lbr();
    add(memory.gates, "gates", DataType::f32, !vanilla, {T, N, r.gates, C});
    add(memory.states, "states", r.type, true, {T + 1, N, 1, r.dic});
    add(memory.cells, "cells", DataType::f32, r.is_lstm(), {T + 1, N, 1, C});
    add(memory.outputs, "outputs", r.type, r.is_lstm() && r.has_projection, {T, N, 1, C});
    add(memory.resets, "resets", r.type, gru, {T, N, 1, C});
    add(memory.recurrent, "recurrent", DataType::f32, r.is_lbr(), {T, N, 1, C});
    return memory;
}

int64_t workspace_bytes(const Rnn& r) {
    int64_t bytes = 0;
    for (int64_t i = 0; i < r.layers * r.directions; ++i) memory_in_workspace(r, bytes);
    return bytes;
}

Result<Plan> lower_rnn(const Problem& problem) {
    // Each layer has steps of its own, and plans are looked through again and again.
    constexpr int64_t most_layers = 1024;
    if (const Rnn r(problem); r.layers > most_layers / r.directions)
        return unimplemented("rnn: {:layer} in {:direction}; plans have at most {}, more are several primitives",
                             counted(r.layers), counted(r.directions), most_layers);
    return problem.prop == PropKind::backward ? lower_rnn_backward(problem) : lower_rnn_forward(problem);
}

} // namespace tessera::ops
