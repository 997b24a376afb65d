// SPDX-License-Identifier: Apache-2.0
// Forward of the reference; gradients are in ref_backward.cpp.
#include "core/layout/layout.hpp"
#include "ops/coordinates.hpp"
#include "ops/rnn/reference.hpp"

namespace tessera::ops {

using namespace approximate;

namespace {

std::vector<Approximate> values_of(const MemoryDesc& md, const void* bytes) {
    std::vector<Approximate> values;
    const Layout layout = layout_of(md);
    for_each_coordinate(md.dims_span(), [&](auto at) {
        values.push_back({read<double>(md.type, bytes, layout.at(at)), 0});
    });
    return values;
}

} // namespace

RnnReference::RnnReference(const Problem& p, const Buffers& buffers)
    : problem_(p), rnn_(p), type_(p.md(arg::src_layer).type), int8_(is_integer(type_)),
      qparams_(p.attr.rnn.value_or(RnnQparams())) {
    for (const Tensor& t : p.tensors) {
        if (t.arg == arg::workspace) continue;
        // Outputs, too: gradients of weights are added to what is there.
        values_[t.arg] = values_of(t.md, buffers.at(t.arg));
    }
    forward();
    if (rnn_.backward)
        backward();
    else
        put_results();
}

// ---- places

size_t RnnReference::step_of(int64_t layer, int64_t direction, int64_t step, int64_t row) const {
    return size_t(((layer * rnn_.directions + direction) * rnn_.steps + step) * rnn_.batch + row);
}

int64_t RnnReference::weight(int64_t layer, int64_t direction, int64_t k, int64_t inputs, int64_t gate,
                             int64_t channel) const {
    return (((layer * rnn_.directions + direction) * inputs + k) * rnn_.gates + gate) * rnn_.dhc + channel;
}

Approximate RnnReference::bias(int64_t layer, int64_t direction, int64_t gate, int64_t channel) const {
    return in(
        arg::bias)[size_t(((layer * rnn_.directions + direction) * rnn_.bias_gates() + gate) * rnn_.dhc + channel)];
}

// ---- quantization (RNN-55..58)

Approximate RnnReference::dequantized(const Approximate& q) const {
    if (!int8_) return q;
    const double value = (q.value - double(qparams_.shift)) / double(qparams_.scale);
    return {value, q.error / std::abs(double(qparams_.scale)) + 2 * unit * std::abs(value)};
}

RnnReference::Row RnnReference::dequantized(Row row) const {
    for (Approximate& x : row) x = dequantized(x);
    return row;
}

Approximate RnnReference::stored(const Approximate& x) const {
    if (!int8_) return rounded(x, type_);
    return rounded(x * exactly(double(qparams_.scale)) + exactly(double(qparams_.shift)), type_);
}

double RnnReference::weight_scale(int weights, int64_t gate, int64_t channel) const {
    const bool projection = weights == arg::weights_projection;
    const auto& scales = projection ? qparams_.projection_scales : qparams_.weights_scales;
    const int mask = projection ? qparams_.projection_mask : qparams_.weights_mask;
    return double(scales[mask ? size_t(projection ? channel : gate * rnn_.dhc + channel) : 0]);
}

// ---- forward (RNN-30..36)

// FPM-01: each factor of f32 may be rounded to bf16, half a unit of which is 2^-8; a unit of f16 or tf32 is 2^-10.
double RnnReference::product_rounding() const {
    const FpmathMode mode = problem_.attr.fpmath;
    if (type_ != DataType::f32 || mode == FpmathMode::strict) return unit;
    return allows(mode, FpmathMode::bf16) ? 0x1.01p-7 : 0x1.01p-9;
}

// Of one gate and channel: factors, which are quantized where src_layer is, times their weights.
Approximate RnnReference::product(int weights, int64_t layer, int64_t direction, int64_t gate, int64_t channel,
                                  const Row& factors) const {
    const bool projection = weights == arg::weights_projection;
    const auto inputs = int64_t(factors.size());
    const Row& w = in(weights);
    Sum sum;
    double of_weights = 0, magnitude = 0;
    for (int64_t k = 0; k < inputs; ++k) {
        const int64_t at = projection ? ((layer * rnn_.directions + direction) * inputs + k) * rnn_.dic + channel
                                      : weight(layer, direction, k, inputs, gate, channel);
        sum.add(factors[size_t(k)], w[size_t(at)], int8_ ? 0 : product_rounding());
        of_weights += w[size_t(at)].value;
        magnitude += std::abs(w[size_t(at)].value);
    }
    if (!int8_) return sum.total();
    const double shift = double(qparams_.shift);
    const double scale = weight_scale(weights, gate, channel) * double(qparams_.scale);
    const double value = (sum.value - shift * of_weights) / scale;
    return {value, (sum.error + 4 * unit * (sum.magnitude + std::abs(shift) * magnitude)) / std::abs(scale)};
}

RnnReference::Row RnnReference::projected(int64_t layer, int64_t direction, const Row& hidden) const {
    Row factors, result;
    for (const Approximate& x : hidden) factors.push_back(stored(x));
    for (int64_t j = 0; j < rnn_.dic; ++j)
        result.push_back(product(arg::weights_projection, layer, direction, 0, j, factors));
    return result;
}

void RnnReference::step(int64_t layer, int64_t direction, Step& s) const {
    const int64_t channels = rnn_.dhc;
    const auto at = [&](int64_t gate, int64_t j) -> Approximate& { return s.gates[size_t(gate * channels + j)]; };
    const auto of_input = [&](int64_t gate, int64_t j) {
        return product(arg::weights_layer, layer, direction, gate, j, s.input) + bias(layer, direction, gate, j);
    };
    const auto of_state = [&](int64_t gate, int64_t j, const Row& state) {
        return product(arg::weights_iter, layer, direction, gate, j, state);
    };
    const auto peephole = [&](int64_t which, int64_t j) {
        if (!has(arg::weights_peephole)) return exactly(0);
        return in(arg::weights_peephole)[size_t(((layer * rnn_.directions + direction) * 3 + which) * channels + j)];
    };
    const Row before = dequantized(s.before);
    s.gates.resize(size_t(rnn_.gates * channels));
    s.hidden.resize(size_t(channels));
    if (rnn_.cell == alg::vanilla_rnn) {
        for (int64_t j = 0; j < channels; ++j) {
            const Approximate a = of_input(0, j) + of_state(0, j, s.before);
            s.hidden[size_t(j)] = at(0, j) = rnn_.activation == alg::eltwise_relu   ? relu(a, double(rnn_.alpha))
                                             : rnn_.activation == alg::eltwise_tanh ? hyperbolic_tangent(a)
                                                                                    : logistic(a);
        }
    } else if (rnn_.is_lstm()) {
        s.cell.resize(size_t(channels));
        for (int64_t j = 0; j < channels; ++j) {
            const auto sum = [&](int64_t gate) { return of_input(gate, j) + of_state(gate, j, s.before); };
            const Approximate c = s.cell_before[size_t(j)];
            at(0, j) = logistic(sum(0) + peephole(0, j) * c);
            at(1, j) = logistic(sum(1) + peephole(1, j) * c);
            at(2, j) = hyperbolic_tangent(sum(2));
            s.cell[size_t(j)] = at(1, j) * c + at(0, j) * at(2, j);
            at(3, j) = logistic(sum(3) + peephole(2, j) * s.cell[size_t(j)]);
            s.hidden[size_t(j)] = at(3, j) * hyperbolic_tangent(s.cell[size_t(j)]);
        }
    } else {
        s.reset.resize(size_t(channels));
        for (int64_t gate = 0; gate < 2; ++gate)
            for (int64_t j = 0; j < channels; ++j)
                at(gate, j) = logistic(of_input(gate, j) + of_state(gate, j, s.before));
        for (int64_t j = 0; j < channels; ++j)
            s.reset[size_t(j)] = rnn_.is_lbr() ? of_state(2, j, s.before) + bias(layer, direction, 3, j)
                                               : stored(at(1, j) * before[size_t(j)]);
        for (int64_t j = 0; j < channels; ++j) {
            const Approximate recurrent = rnn_.is_lbr() ? at(1, j) * s.reset[size_t(j)] : of_state(2, j, s.reset);
            at(2, j) = hyperbolic_tangent(of_input(2, j) + recurrent);
            const Approximate update = s.update * at(0, j);
            s.hidden[size_t(j)] = update * before[size_t(j)] + (exactly(1) - update) * at(2, j);
        }
    }
    s.handed = has(arg::weights_projection) ? projected(layer, direction, s.hidden) : s.hidden;
    for (Approximate& x : s.handed) x = stored(x);
}

void RnnReference::forward() {
    steps_.resize(size_t(rnn_.layers * rnn_.directions * rnn_.steps * rnn_.batch));
    const auto slice = [](const Row& all, int64_t number, int64_t length) {
        return Row(all.begin() + number * length, all.begin() + (number + 1) * length);
    };
    for (int64_t l = 0; l < rnn_.layers; ++l)
        for (int64_t d = 0; d < rnn_.directions; ++d)
            for (int64_t n = 0; n < rnn_.batch; ++n) {
                const int64_t state = (l * rnn_.directions + d) * rnn_.batch + n;
                Row h(size_t(rnn_.sic), stored(exactly(0))), c(size_t(rnn_.dhc));
                if (has(arg::src_iter)) {
                    h = slice(in(arg::src_iter), state, rnn_.sic);
                    if (problem_.md(arg::src_iter).type != type_)
                        for (Approximate& x : h) x = stored(x);
                }
                if (has(arg::src_iter_c)) c = slice(in(arg::src_iter_c), state, rnn_.dhc);
                for (int64_t i = 0; i < rnn_.steps; ++i) {
                    const int64_t t = rnn_.reversed(d) ? rnn_.steps - 1 - i : i;
                    Step& s = steps_[step_of(l, d, t, n)];
                    s.input = l == 0 ? slice(in(arg::src_layer), t * rnn_.batch + n, rnn_.slc)
                                     : steps_[step_of(l - 1, d, t, n)].handed;
                    s.before = h, s.cell_before = c;
                    s.update = exactly(1);
                    if (has(arg::attention)) s.update = exactly(1) - in(arg::attention)[size_t(t * rnn_.batch + n)];
                    step(l, d, s);
                    h = s.handed, c = s.cell;
                }
                const auto put = [&](int id, const Row& row) {
                    if (!rnn_.backward && has(id))
                        std::copy(row.begin(), row.end(), values_[id].begin() + state * int64_t(row.size()));
                };
                const bool as_stored = has(arg::dst_iter) && problem_.md(arg::dst_iter).type == type_;
                put(arg::dst_iter, as_stored ? h : dequantized(h));
                put(arg::dst_iter_c, c);
            }
}

void RnnReference::put_results() {
    const DataType type = problem_.md(arg::dst_layer).type;
    Row& dst = values_[arg::dst_layer];
    const int64_t last = rnn_.layers - 1;
    for (int64_t t = 0; t < rnn_.steps; ++t)
        for (int64_t n = 0; n < rnn_.batch; ++n)
            for (int64_t j = 0; j < rnn_.dlc; ++j) {
                const bool sums = rnn_.direction == Direction::sum;
                const auto handed = [&](int64_t d) {
                    return steps_[step_of(last, d, t, n)].handed[size_t(j % rnn_.dic)];
                };
                Approximate& x = dst[size_t((t * rnn_.batch + n) * rnn_.dlc + j)];
                if (type != type_)
                    x = sums ? dequantized(handed(0)) + dequantized(handed(1)) : dequantized(handed(j / rnn_.dic));
                else
                    x = sums ? handed(0) + handed(1) : handed(j / rnn_.dic);
            }
}

void ref_rnn(const Problem& p, const Buffers& buffers) {
    const RnnReference reference(p, buffers);
    for (const Tensor& t : p.tensors) {
        if (!t.output || t.arg == arg::workspace || t.md.has_zero_dim()) continue;
        zero_padding(t.md, buffers.at(t.arg));
        const Layout layout = layout_of(t.md);
        size_t i = 0;
        for_each_coordinate(t.md.dims_span(), [&](auto at) {
            write<float>(t.md.type, buffers.at(t.arg), layout.at(at), float(reference.of(t.arg)[i++].value));
        });
    }
}

} // namespace tessera::ops
