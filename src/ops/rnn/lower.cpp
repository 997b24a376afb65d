// What training leaves in the workspace for backward, and the two lowerings.
#include "core/division.hpp"
#include "ops/rnn/cells.hpp"

namespace tessera::ops {

namespace {

constexpr int64_t line = 64; // bytes: regions of the workspace begin at multiples

} // namespace

Memory memory_in_workspace(const Rnn& r, DataType type, int64_t& bytes) {
    Memory memory;
    const auto add = [&](Block& block, const char* name, DataType own, bool exists, const Extents& extents) {
        block.exists = exists;
        block.layout.dims.assign(all_axes, {{1, 0}});
        if (!exists) return;
        block.operand = {name, own, arg::workspace, bytes};
        const auto list = extents.list();
        int64_t stride = 1;
        for (size_t a = all_axes; a-- > 0;) {
            if (list[a] != 1) block.layout.dims[a] = {{list[a], stride}};
            stride *= list[a];
        }
        bytes += round_up(bytes_of(own, stride), line);
    };
    const int64_t T = r.steps, N = r.batch, C = r.dhc;
    const bool vanilla = r.cell == alg::vanilla_rnn, gru = r.is_gru() && !r.is_lbr();
    add(memory.gates, "gates", DataType::f32, !vanilla, {T, N, r.gates, C});
    add(memory.states, "states", type, true, {T + 1, N, 1, r.dic});
    add(memory.cells, "cells", DataType::f32, r.is_lstm(), {T + 1, N, 1, C});
    add(memory.outputs, "outputs", type, r.is_lstm() && r.has_projection, {T, N, 1, C});
    add(memory.resets, "resets", type, gru, {T, N, 1, C});
    add(memory.recurrent, "recurrent", DataType::f32, r.is_lbr(), {T, N, 1, C});
    return memory;
}

int64_t workspace_bytes(const Rnn& r) {
    int64_t bytes = 0;
    for (int64_t i = 0; i < r.layers * r.directions; ++i) memory_in_workspace(r, r.type, bytes);
    return bytes;
}

Result<Plan> lower_rnn(const Problem& problem) {
    // Each layer has steps of its own, and plans are looked through again and again.
    constexpr int64_t most_layers = 1024;
    if (const Rnn r(problem); r.layers > most_layers / r.directions)
        return unimplemented("rnn: {} layers in {} direction(s); plans have at most {}, more are several primitives",
                             r.layers, r.directions, most_layers);
    return problem.prop == PropKind::backward ? lower_rnn_backward(problem) : lower_rnn_forward(problem);
}

} // namespace tessera::ops
