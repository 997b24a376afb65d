// SPDX-License-Identifier: Apache-2.0
// rnn: the gradients of the reference against difference quotients, its quantization against the formula without it,
// and plans against the reference. covers: RNN-30 RNN-31 RNN-32 RNN-33 RNN-34 RNN-35 RNN-40 RNN-41 RNN-42 RNN-43 RNN-45
// RNN-46 RNN-47 RNN-19 covers: RNN-55 RNN-56 RNN-57 RNN-58
#include "objects.hpp"
#include "ops/rnn/reference.hpp"
#include "trial.hpp"

namespace tessera::ops {

namespace {

constexpr DataType f32 = DataType::f32, bf16 = DataType::bf16, s8 = DataType::s8, u8 = DataType::u8;

struct Case {
    int cell = alg::vanilla_rnn, activation = alg::eltwise_tanh;
    Direction direction = Direction::left2right;
    RnnSizes sizes{3, 2, 1, 1, 1, 3, 2, 2, 2, 2};
    bool peephole = false, projection = false, src_iter = true, dst_iter = true;
    unsigned flags = 0;
    DataType layer = f32, iter = f32, result = f32, weights = f32, wide = f32;
    float alpha = 0;
    Attr attr;

    Case with(int c) const {
        Case other = *this;
        other.cell = c;
        other.sizes.gates = gates_of(c);
        return other;
    }
    Case in(Direction d) const {
        Case other = *this;
        other.direction = d;
        other.sizes.directions = d >= Direction::concat ? 2 : 1;
        other.sizes.dlc = other.sizes.dic * (d == Direction::concat ? 2 : 1);
        return other;
    }
    bool has(int id) const {
        const bool lstm = cell == alg::vanilla_lstm;
        switch (id) {
        case arg::src_iter:
            return src_iter;
        case arg::src_iter_c:
            return src_iter && lstm;
        case arg::dst_iter:
            return dst_iter;
        case arg::dst_iter_c:
            return dst_iter && lstm;
        case arg::attention:
            return cell == alg::vanilla_augru || cell == alg::lbr_augru;
        case arg::weights_peephole:
            return peephole;
        case arg::weights_projection:
            return projection;
        default:
            return true;
        }
    }
    DataType type(int id) const {
        switch (id) {
        case arg::src_layer:
        case arg::attention:
            return layer;
        case arg::src_iter:
        case arg::dst_iter:
            return iter;
        case arg::dst_layer:
            return result;
        case arg::weights_layer:
        case arg::weights_iter:
        case arg::weights_projection:
            return weights;
        case arg::weights_peephole:
            return f32;
        default:
            return wide;
        }
    }
    Problem problem(PropKind prop) const {
        std::map<int, MemoryDesc> tensors;
        for (const RnnTensor& t : rnn_tensors()) {
            if (!has(t.arg)) continue;
            const auto dims = rnn_dims(t.arg, cell, sizes);
            tensors[t.arg] = *make_desc_any(dims, type(t.arg));
            if (prop == PropKind::backward) tensors[arg::diff_of(t.arg)] = *make_desc_any(dims, f32);
        }
        return valid(make_rnn(prop, {cell, activation, direction, flags, alpha, 0}, tensors, nullptr, attr));
    }
    std::string text() const {
        return fmt::format("{} activation {} direction {} layers {} peephole {} projection {} iters {} {}",
                           alg_name(cell), activation, int(direction), sizes.layers, peephole, projection, src_iter,
                           dst_iter);
    }
};

Buffers buffers_of(Trial& run) {
    Buffers b;
    for (auto& [id, v] : run.bytes) b[id] = v.data();
    return b;
}

// Multiples of 1/64 within 1 of 0, to which steps can be added without rounding.
std::vector<float> values(std::mt19937& random, int64_t count) {
    std::vector<float> all;
    for (int64_t i = 0; i < count; ++i) all.push_back(float(int(random() % 129) - 64) / 64);
    return all;
}

// The sum of the gradients of the results times the results: the scalar whose gradients are asked for.
double loss(Trial& forward, const Problem& backward, Trial& gradients) {
    const RnnReference reference(forward.p, buffers_of(forward));
    double sum = 0;
    for (const RnnTensor& t : rnn_tensors()) {
        if (!t.output || !backward.find(t.arg)) continue;
        const auto g = gradients.get(arg::diff_of(t.arg));
        for (size_t i = 0; i < g.size(); ++i) sum += double(g[i]) * reference.of(t.arg)[i].value;
    }
    return sum;
}

// Two central quotients, whose errors of second order cancel.
void check_gradients(const Case& c) {
    SCOPED_TRACE(c.text());
    std::mt19937 random(7);
    Trial forward(c.problem(PropKind::forward_training)), backward(c.problem(PropKind::backward));
    for (const Tensor& t : backward.p.tensors)
        if (t.arg != arg::workspace) backward.set(t.arg, values(random, t.md.nelems()));
    for (const Tensor& t : forward.p.tensors)
        if (!t.output) forward.set(t.arg, backward.get(t.arg));
    std::map<int, std::vector<float>> before; // what gradients of weights are added to
    for (const Tensor& t : backward.p.tensors)
        if (t.output) before[t.arg] = backward.get(t.arg);
    const RnnReference reference(backward.p, buffers_of(backward));
    const double h = c.activation == alg::eltwise_relu && c.cell == alg::vanilla_rnn ? 0x1p-14 : 0x1p-7;
    for (const RnnTensor& t : rnn_tensors()) {
        if (t.output || !c.has(t.arg)) continue;
        const int diff = arg::diff_of(t.arg);
        const auto start = forward.get(t.arg);
        const bool adds = t.weights || t.arg == arg::weights_peephole || t.arg == arg::bias;
        for (size_t i = 0; i < start.size(); ++i) {
            const auto at = [&](double step) {
                auto moved = start;
                moved[i] += float(step);
                forward.set(t.arg, moved);
                return loss(forward, backward.p, backward);
            };
            const double quotient = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
            const double added = adds && !(c.flags & diff_weights_overwrite) ? double(before[diff][i]) : 0;
            const Approximate& got = reference.of(diff)[i];
            ASSERT_NEAR(got.value, quotient + added, 2e-6 * (1 + std::abs(quotient))) << t.name << " " << i;
            ASSERT_LT(got.error, 1e-4);
        }
        forward.set(t.arg, start);
    }
}

constexpr int all_cells[] = {alg::vanilla_rnn, alg::vanilla_lstm,  alg::vanilla_gru,
                             alg::lbr_gru,     alg::vanilla_augru, alg::lbr_augru};

bool has_attention(int cell) { return cell == alg::vanilla_augru || cell == alg::lbr_augru; }

TEST(Rnn, GradientsOfEveryCell) {
    for (const int cell : all_cells) check_gradients(Case().with(cell));
}

TEST(Rnn, GradientsOfEveryActivation) {
    Case c;
    for (c.activation = alg::eltwise_tanh;
         const int activation : {int(alg::eltwise_tanh), int(alg::eltwise_logistic), int(alg::eltwise_relu)}) {
        c.activation = activation;
        c.alpha = 0.25f;
        check_gradients(c);
    }
}

TEST(Rnn, GradientsOfEveryDirectionAndOfLayers) {
    for (const int cell : all_cells)
        for (const Direction d : {Direction::right2left, Direction::concat, Direction::sum}) {
            if (has_attention(cell)) continue;
            Case c = Case().with(cell).in(d);
            check_gradients(c);
            c.sizes.layers = 2, c.sizes.slc = 2;
            check_gradients(c);
        }
}

TEST(Rnn, GradientsOfPeepholeAndProjection) {
    for (const bool peephole : {false, true})
        for (const bool projection : {false, true})
            for (const Direction d : {Direction::left2right, Direction::concat}) {
                Case c = Case().with(alg::vanilla_lstm);
                c.peephole = peephole, c.projection = projection;
                if (projection) c.sizes.dhc = 3;
                c.sizes.layers = 2, c.sizes.slc = 2;
                check_gradients(c.in(d));
            }
}

TEST(Rnn, GradientsWithoutStates) {
    for (const int cell : all_cells)
        for (const bool src : {false, true}) {
            Case c = Case().with(cell);
            c.src_iter = src, c.dst_iter = !src;
            check_gradients(c);
            c.dst_iter = src;
            c.flags = diff_weights_overwrite;
            check_gradients(c);
        }
}

TEST(Rnn, GradientsOfOneStepWithAnotherState) {
    for (const int cell : {int(alg::vanilla_rnn), int(alg::vanilla_lstm)}) {
        Case c = Case().with(cell);
        c.sizes.steps = 1, c.sizes.sic = 3;
        check_gradients(c);
    }
}

// ---- integers

// The same numbers in f32: data and weights of bytes, divided by their scales.
TEST(Rnn, QuantizedCellsAreNearThoseOfTheirNumbers) {
    for (const int cell : {int(alg::vanilla_lstm), int(alg::vanilla_gru)})
        for (const bool projection : {false, true})
            for (const Direction d : {Direction::left2right, Direction::concat, Direction::sum})
                for (const DataType layer : {u8, s8}) {
                    if (projection && cell != alg::vanilla_lstm) continue;
                    Case c = Case().with(cell).in(d);
                    c.projection = projection;
                    c.layer = c.iter = c.result = layer, c.weights = s8;
                    RnnQparams q;
                    q.scale = 100, q.shift = layer == u8 ? 120 : 0;
                    q.weights_mask = 24, q.projection_mask = 8;
                    q.weights_scales.clear(), q.projection_scales.clear();
                    for (int64_t i = 0; i < c.sizes.gates * c.sizes.dhc; ++i)
                        q.weights_scales.push_back(100.f + float(i));
                    for (int64_t i = 0; i < c.sizes.dic; ++i) q.projection_scales.push_back(150.f + float(i));
                    c.attr.rnn = q;
                    SCOPED_TRACE(c.text());
                    std::mt19937 random(3);
                    Trial bytes(c.problem(PropKind::forward_inference));
                    for (const Tensor& t : bytes.p.tensors) {
                        if (t.output) continue;
                        std::vector<float> of_bytes;
                        for (int64_t i = 0; i < t.md.nelems(); ++i)
                            of_bytes.push_back(t.md.type == f32 ? float(random() % 100) / 100
                                                                : float(random() % 200) - (t.md.type == u8 ? 0 : 100));
                        bytes.set(t.arg, of_bytes);
                    }
                    Case real = c;
                    real.layer = real.iter = real.result = real.weights = f32;
                    real.attr = {};
                    Trial numbers(real.problem(PropKind::forward_inference));
                    for (const Tensor& t : bytes.p.tensors) {
                        if (t.output) continue;
                        auto v = bytes.get(t.arg);
                        for (size_t i = 0; i < v.size(); ++i) {
                            const auto last = size_t(t.md.dims[size_t(t.md.ndims - 1)]);
                            if (t.arg == arg::weights_layer || t.arg == arg::weights_iter)
                                v[i] /= q.weights_scales[i % q.weights_scales.size()];
                            else if (t.arg == arg::weights_projection)
                                v[i] /= q.projection_scales[i % last];
                            else if (t.md.type == layer)
                                v[i] = (v[i] - q.shift) / q.scale;
                        }
                        numbers.set(t.arg, v);
                    }
                    const RnnReference of_bytes(bytes.p, buffers_of(bytes)), of_numbers(numbers.p, buffers_of(numbers));
                    const bool sums = d == Direction::sum;
                    for (const int id : {arg::dst_layer, arg::dst_iter})
                        for (size_t i = 0; i < of_numbers.of(id).size(); ++i) {
                            const bool both = sums && id == arg::dst_layer;
                            const double got = (of_bytes.of(id)[i].value - double(q.shift) * (both ? 2 : 1)) / 100;
                            // Half a unit of each of a few states that add up.
                            const double want = of_numbers.of(id)[i].value;
                            if (both && std::abs(want * 100 + 2 * double(q.shift)) > 250) continue;
                            EXPECT_NEAR(got, want, 0.04) << id << " " << i;
                        }
                }
}

} // namespace

} // namespace tessera::ops
