// SPDX-License-Identifier: Apache-2.0
#include "../../../tests/differential/primitives/rnn.hpp"
#include "../realistic.hpp"

namespace hunt {

// Speech, translation and recommendation: LSTMs and GRUs of one to a few rows in inference, of batches in training.
void rnn_habit(Random& random, Problem& p) {
    p.direction = direction(random, {"BWD"});
    const bool back = p.direction == "BWD";
    std::string cell = random.pick(Names{"lstm", "lstm", "lstm", "gru", "gru", "lbr_gru", "rnn"});
    const bool lstm = cell == "lstm";
    cell += "." + random.pick(Names{"left2right", "left2right", "concat", "sum", "right2left"});
    const bool projection = lstm && random.one_in(8);
    if (projection) cell += ".projection";
    if (lstm && random.one_in(10)) cell += ".peephole";
    if (back) cell += ".overwrite";
    p.algorithm = cell;
    static constexpr int64_t hidden[] = {64, 128, 200, 256, 256, 512, 512, 1024},
                             rows[] = {1, 1, 2, 8, 16, 32, 64, 128}, lengths[] = {1, 4, 10, 16, 25, 32, 50, 100};
    const int64_t channels = random.pick(hidden), layers = random.one_in(3) ? 2 : 1;
    const int64_t state = projection ? channels / 2 : channels;
    const int64_t inputs = layers > 1 || random.one_in(2) ? state : random.one_in(2) ? 128 : random.between(20, 300);
    int64_t steps = random.pick(lengths), batch = random.pick(rows);
    while (double(steps * batch * layers) * double(channels) * double(channels) > 4e8)
        (batch > steps ? batch : steps) = std::max<int64_t>((batch > steps ? batch : steps) / 2, 1);
    p.src.dims = {layers, steps, batch, state, inputs, channels, state};
    p.src.type = p.dst.type = random.one_in(3) ? "bf16" : "f32";
    p.src.tag = "abcdefg", p.dst.tag = "abc", p.other.tag = "a";
    const auto outputs = differential::cell_outputs(p);
    p.dst.dims = {steps, batch, state * (cell.find("concat") != std::string::npos ? 2 : 1)};
    p.other.dims = outputs[0].dims;
    p.other.type = back ? "f32" : p.src.type;
    if (back) p.want = outputs[0].name;
}

} // namespace hunt
