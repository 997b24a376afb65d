// SPDX-License-Identifier: Apache-2.0
// Gradients of the reference: RNN-40..47, of augru the true ones (RNN-45).
#include "ops/rnn/reference.hpp"

namespace tessera::ops {

using namespace approximate;

namespace {

// The slope of an activation where it has given h.
Approximate slope_of(int activation, const Approximate& h, double negative) {
    if (activation == alg::eltwise_tanh) return exactly(1) - h * h;
    if (activation == alg::eltwise_logistic) return h * (exactly(1) - h);
    return exactly(h.value > 0 ? 1 : negative);
}

Approximate slope_of_logistic(const Approximate& y) { return y * (exactly(1) - y); }
Approximate slope_of_tanh(const Approximate& y) { return exactly(1) - y * y; }

} // namespace

// One layer and direction after the other, its steps from the last to the first, row by row.
struct RnnReference::Backward {
    using Sums = std::vector<Sum>;

    explicit Backward(RnnReference& reference);
    void run();

    RnnReference& ref;
    const Rnn& rnn = ref.rnn_;
    const int64_t channels = rnn.dhc;
    std::map<int, Sums> sums;      // of the gradients of inputs, by argument of the input
    std::vector<Row> above, below; // gradients of what a layer has handed up and of what it has read: [step][row]

    int64_t layer = 0, direction = 0, row = 0; // where it is
    Row from_next, cell_from_next;             // gradients of the states, of the step that came after
    Row gates, past, cell_past;                // of what the functions of gates were given; of states past the gates
    int64_t ld() const { return layer * rnn.directions + direction; }
    size_t place(int64_t d, int64_t t, int64_t n) const { return size_t((d * rnn.steps + t) * rnn.batch + n); }
    Approximate& gate(int64_t g, int64_t j) { return gates[size_t(g * channels + j)]; }
    const Row& in(int id) const { return ref.in(id); }
    const Row& diff(int id) const { return ref.in(arg::diff_of(id)); }
    bool gru() const { return rnn.is_gru() && !rnn.is_lbr(); }

    Row through_projection(const Step& s, const Row& handed);
    void cell_of_lstm(const Step& s, const Row& dh);
    void cell_of_gru(const Step& s, const Row& dh, int64_t t);
    void weights(const Step& s);
    void step(int64_t t);

    // A gradient that is a factor of products, which has 16 bits where the weights have; sums of it, too.
    Approximate factor(const Approximate& x) const {
        const double half = ref.type_ == DataType::f32 ? 0 : bits_of_mantissa() == 8 ? 0x1p-8 : 0x1p-11;
        const double least = half == 0x1p-11 ? 0x1p-25 : 0; // f16 is subnormal where gradients are usual
        return {x.value, x.error + half * std::abs(x.value) + least};
    }
    int bits_of_mantissa() const { return range(ref.type_).highest > 1e30 ? 8 : 11; }
    // What the weights of the state are multiplied with: of lbr_gru the candidate's comes through r.
    Approximate recurrent(const Step& s, int64_t g, int64_t j) {
        return rnn.is_lbr() && g == 2 ? s.gates[size_t(channels + j)] * gate(2, j) : gate(g, j);
    }
    template <typename Of>
    Approximate times_weights(int which, int64_t k, int64_t inputs, int64_t first, int64_t end, Of&& of) {
        Sum sum;
        for (int64_t g = first; g < end; ++g)
            for (int64_t j = 0; j < channels; ++j)
                sum.add(factor(of(g, j)), in(which)[size_t(ref.weight(layer, direction, k, inputs, g, j))],
                        ref.product_rounding());
        return sum.total();
    }
};

RnnReference::Backward::Backward(RnnReference& reference) : ref(reference) {
    for (const RnnTensor& t : rnn_tensors()) {
        if (t.output || !ref.has(t.arg)) continue;
        Sums& s = sums[t.arg];
        s.resize(diff(t.arg).size());
        const bool adds = t.weights || t.arg == arg::weights_peephole || t.arg == arg::bias;
        for (size_t i = 0; adds && !rnn.overwrite && i < s.size(); ++i) s[i].add(diff(t.arg)[i]);
    }
    above.resize(size_t(rnn.directions * rnn.steps * rnn.batch));
    for (int64_t d = 0; d < rnn.directions; ++d)
        for (int64_t t = 0; t < rnn.steps; ++t)
            for (int64_t n = 0; n < rnn.batch; ++n) {
                const int64_t first = rnn.direction == Direction::concat ? d * rnn.dic : 0;
                for (int64_t j = 0; j < rnn.dic; ++j)
                    above[place(d, t, n)].push_back(
                        diff(arg::dst_layer)[size_t((t * rnn.batch + n) * rnn.dlc + first + j)]);
            }
    below = above;
}

RnnReference::Row RnnReference::Backward::through_projection(const Step& s, const Row& handed) {
    Row dh;
    for (int64_t k = 0; k < channels; ++k) {
        Sum sum;
        for (int64_t j = 0; j < rnn.dic; ++j) {
            const auto at = size_t((ld() * channels + k) * rnn.dic + j);
            const Approximate g = factor(handed[size_t(j)]);
            sum.add(g, in(arg::weights_projection)[at], ref.product_rounding());
            sums[arg::weights_projection][at].add(ref.stored(s.hidden[size_t(k)]), g, ref.product_rounding());
        }
        dh.push_back(sum.total());
    }
    return dh;
}

void RnnReference::Backward::cell_of_lstm(const Step& s, const Row& dh) {
    const bool peepholes = ref.has(arg::weights_peephole);
    for (int64_t j = 0; j < channels; ++j) {
        const auto was = [&](int64_t g) { return s.gates[size_t(g * channels + j)]; };
        const auto peephole = [&](int64_t which) { return size_t((ld() * 3 + which) * channels + j); };
        const auto weight = [&](int64_t which) {
            return peepholes ? in(arg::weights_peephole)[peephole(which)] : exactly(0);
        };
        const Approximate c = s.cell[size_t(j)], before = s.cell_before[size_t(j)], tanh_c = hyperbolic_tangent(c);
        gate(3, j) = dh[size_t(j)] * tanh_c * slope_of_logistic(was(3));
        const Approximate dc =
            cell_from_next[size_t(j)] + dh[size_t(j)] * was(3) * slope_of_tanh(tanh_c) + weight(2) * gate(3, j);
        gate(1, j) = dc * before * slope_of_logistic(was(1));
        gate(0, j) = dc * was(2) * slope_of_logistic(was(0));
        gate(2, j) = dc * was(0) * slope_of_tanh(was(2));
        cell_past[size_t(j)] = dc * was(1) + weight(1) * gate(1, j) + weight(0) * gate(0, j);
        if (!peepholes) continue;
        Sums& all = sums[arg::weights_peephole];
        all[peephole(0)].add(factor(gate(0, j)), before);
        all[peephole(1)].add(factor(gate(1, j)), before);
        all[peephole(2)].add(factor(gate(3, j)), c);
    }
}

void RnnReference::Backward::cell_of_gru(const Step& s, const Row& dh, int64_t t) {
    Sum of_attention;
    for (int64_t j = 0; j < channels; ++j) {
        const Approximate u = s.gates[size_t(j)], o = s.gates[size_t(2 * channels + j)], update = s.update * u;
        const Approximate by_update = (s.before[size_t(j)] - o) * dh[size_t(j)];
        of_attention.add(-(by_update * u));
        gate(0, j) = by_update * s.update * slope_of_logistic(u);
        gate(2, j) = (exactly(1) - update) * dh[size_t(j)] * slope_of_tanh(o);
        past[size_t(j)] = dh[size_t(j)] * update;
    }
    if (ref.has(arg::attention)) sums[arg::attention][size_t(t * rnn.batch + row)].add(of_attention.total());
    for (int64_t k = 0; k < channels; ++k) {
        const Approximate r = s.gates[size_t(channels + k)];
        if (rnn.is_lbr()) {
            gate(1, k) = s.reset[size_t(k)] * gate(2, k) * slope_of_logistic(r);
            continue;
        }
        const Approximate q =
            times_weights(arg::weights_iter, k, rnn.sic, 2, 3, [&](int64_t g, int64_t j) { return gate(g, j); });
        gate(1, k) = q * s.before[size_t(k)] * slope_of_logistic(r);
        past[size_t(k)] = past[size_t(k)] + q * r;
    }
}

void RnnReference::Backward::weights(const Step& s) {
    for (int64_t g = 0; g < rnn.gates; ++g)
        for (int64_t j = 0; j < channels; ++j) {
            const Approximate of_layer = factor(gate(g, j)), of_state = factor(recurrent(s, g, j));
            for (int64_t k = 0; k < rnn.slc; ++k)
                sums[arg::weights_layer][size_t(ref.weight(layer, direction, k, rnn.slc, g, j))].add(
                    s.input[size_t(k)], of_layer, ref.product_rounding());
            const Row& read = gru() && g == 2 ? s.reset : s.before;
            for (int64_t k = 0; k < rnn.sic; ++k)
                sums[arg::weights_iter][size_t(ref.weight(layer, direction, k, rnn.sic, g, j))].add(
                    read[size_t(k)], of_state, ref.product_rounding());
            const auto of_bias = [&](int64_t which) -> Sum& {
                return sums[arg::bias][size_t((ld() * rnn.bias_gates() + which) * channels + j)];
            };
            of_bias(g).add(of_layer);
            if (rnn.is_lbr() && g == 2) of_bias(3).add(of_state);
        }
}

void RnnReference::Backward::step(int64_t t) {
    const Step& s = ref.steps_[ref.step_of(layer, direction, t, row)];
    Row handed = above[place(direction, t, row)];
    for (int64_t j = 0; j < rnn.dic; ++j) handed[size_t(j)] = handed[size_t(j)] + from_next[size_t(j)];
    const Row dh = ref.has(arg::weights_projection) ? through_projection(s, handed) : handed;
    gates.assign(size_t(rnn.gates * channels), {});
    past.assign(size_t(rnn.sic), {});
    cell_past.assign(size_t(channels), {});
    if (rnn.is_lstm())
        cell_of_lstm(s, dh);
    else if (rnn.is_gru())
        cell_of_gru(s, dh, t);
    else
        for (int64_t j = 0; j < channels; ++j)
            gate(0, j) = dh[size_t(j)] * slope_of(rnn.activation, ref.stored(s.gates[size_t(j)]), double(rnn.alpha));

    weights(s);
    const auto own = [&](int64_t g, int64_t j) { return gate(g, j); };
    const auto of_state = [&](int64_t g, int64_t j) { return recurrent(s, g, j); };
    Row& read = below[place(direction, t, row)];
    read.clear();
    for (int64_t k = 0; k < rnn.slc; ++k)
        read.push_back(times_weights(arg::weights_layer, k, rnn.slc, 0, rnn.gates, own));
    for (int64_t k = 0; k < rnn.slc && layer == 0; ++k)
        sums[arg::src_layer][size_t((t * rnn.batch + row) * rnn.slc + k)].add(read[size_t(k)]);
    from_next.assign(size_t(rnn.sic), {});
    for (int64_t k = 0; k < rnn.sic; ++k)
        from_next[size_t(k)] =
            past[size_t(k)] + times_weights(arg::weights_iter, k, rnn.sic, 0, gru() ? 2 : rnn.gates, of_state);
    cell_from_next = cell_past;
}

void RnnReference::Backward::run() {
    const auto given = [&](int id, int64_t state, int64_t length) {
        Row of_state(static_cast<size_t>(length));
        if (ref.has(id)) std::copy_n(diff(id).begin() + state * length, length, of_state.begin());
        return of_state;
    };
    const auto put = [&](int id, int64_t state, const Row& of_state) {
        for (size_t k = 0; ref.has(id) && k < of_state.size(); ++k)
            sums[id][size_t(state) * of_state.size() + k].add(of_state[k]);
    };
    for (layer = rnn.layers; layer-- > 0;) {
        for (direction = 0; direction < rnn.directions; ++direction)
            for (row = 0; row < rnn.batch; ++row) {
                const int64_t state = ld() * rnn.batch + row;
                from_next = given(arg::dst_iter, state, rnn.dic);
                cell_from_next = given(arg::dst_iter_c, state, channels);
                for (int64_t i = rnn.steps; i-- > 0;) step(rnn.reversed(direction) ? rnn.steps - 1 - i : i);
                put(arg::src_iter, state, from_next), put(arg::src_iter_c, state, cell_from_next);
            }
        above = below;
    }
    for (const auto& [id, all] : sums) {
        Row& values = ref.values_[arg::diff_of(id)];
        for (size_t i = 0; i < all.size(); ++i) values[i] = all[i].total();
    }
}

void RnnReference::backward() { Backward(*this).run(); }

} // namespace tessera::ops
