// SPDX-License-Identifier: Apache-2.0
// Training in bf16: which tensors may have 16 bits, and which one must not.
//
// A network of two layers learns which points lie inside a circle. Activations, their gradients and the weights that
// products read are bf16; gradients of weights are f32, and so are the weights that a step changes (master weights),
// which are rounded to bf16 anew before each step. It trains a second time without master weights: a step smaller than
// half a unit in the last place of a bf16 then changes nothing. It prints the loss of both, as it falls.

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using dnnl::algorithm;
using dnnl::memory;
using dnnl::prop_kind;
using dt = memory::data_type;
using tag = memory::format_tag;

constexpr int points = 128, inputs = 3, hidden = 16, steps = 1000;
constexpr float rate = 0.03f;

struct Trainer {
    dnnl::engine cpu{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{cpu};

    memory tensor(int rows, int columns, dt type) { return memory({{rows, columns}, type, tag::ab}, cpu); }
    static float* floats(const memory& m) { return static_cast<float*>(m.get_data_handle()); }
    void convert(memory from, memory to) { dnnl::reorder(from, to).execute(stream, from, to); }

    float train(const char* name, bool master_weights) {
        std::printf("%-22s", name);
        std::mt19937 bits(1);
        const auto uniform = [&] { return float(bits()) / 2147483648.f - 1; };
        memory x32 = tensor(points, inputs, dt::f32), x = tensor(points, inputs, dt::bf16);
        std::vector<float> target(points);
        for (int p = 0; p < points; ++p) {
            float* row = floats(x32) + p * inputs;
            row[0] = uniform(), row[1] = uniform(), row[2] = 1; // the constant takes the place of a bias
            target[size_t(p)] = row[0] * row[0] + row[1] * row[1] < 0.6f ? 1 : -1;
        }
        convert(x32, x);

        // [tensors]
        memory master1 = tensor(hidden, inputs, dt::f32), master2 = tensor(1, hidden, dt::f32); // changed by steps
        memory w1 = tensor(hidden, inputs, dt::bf16), w2 = tensor(1, hidden, dt::bf16);         // read by products
        memory h = tensor(points, hidden, dt::bf16), y = tensor(points, 1, dt::f32);            // activations
        memory dy32 = tensor(points, 1, dt::f32), dy = tensor(points, 1, dt::bf16);             // their gradients
        memory dh = tensor(points, hidden, dt::bf16);
        memory dw1 = tensor(hidden, inputs, dt::f32), dw2 = tensor(1, hidden, dt::f32); // gradients of weights
        // [/tensors]
        for (int i = 0; i < hidden * inputs; ++i) floats(master1)[i] = uniform();
        for (int i = 0; i < hidden; ++i) floats(master2)[i] = uniform() * 0.3f;

        using ip = dnnl::inner_product_forward;
        const auto md = [](const memory& m) { return m.get_desc(); };
        dnnl::post_ops relu;
        relu.append_eltwise(algorithm::eltwise_relu, 0, 0);
        dnnl::primitive_attr with_relu;
        with_relu.set_post_ops(relu);
        const ip::primitive_desc layer1(cpu, prop_kind::forward_training, md(x), md(w1), md(h), with_relu);
        const ip::primitive_desc layer2(cpu, prop_kind::forward_training, md(h), md(w2), md(y));
        const dnnl::eltwise_forward::primitive_desc relu_hint(cpu, prop_kind::forward_training, algorithm::eltwise_relu,
                                                              md(h), md(h));
        const ip forward1(layer1), forward2(layer2);
        const dnnl::inner_product_backward_weights weights2({cpu, md(h), md(dw2), md(dy), layer2});
        const dnnl::inner_product_backward_weights weights1({cpu, md(x), md(dw1), md(dh), layer1});
        const dnnl::inner_product_backward_data data2({cpu, md(dh), md(w2), md(dy), layer2});
        // The sign of relu's result says where its argument was positive, so the argument need not be kept.
        const dnnl::eltwise_backward through_relu(
            {cpu, algorithm::eltwise_relu_use_dst_for_bwd, md(dh), md(dh), md(h), relu_hint});

        float loss = 0;
        for (int step = 0; step <= steps; ++step) {
            convert(master1, w1), convert(master2, w2);
            if (!master_weights) convert(w1, master1), convert(w2, master2); // keep only what bf16 holds
            forward1.execute(stream, {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w1}, {DNNL_ARG_DST, h}});
            forward2.execute(stream, {{DNNL_ARG_SRC, h}, {DNNL_ARG_WEIGHTS, w2}, {DNNL_ARG_DST, y}});
            stream.wait();
            loss = 0; // the mean of (y - target)^2, and its gradient
            for (int p = 0; p < points; ++p) {
                const float off = floats(y)[p] - target[size_t(p)];
                loss += off * off / points;
                floats(dy32)[p] = 2 * off / points;
            }
            if (step % (steps / 4) == 0) std::printf(" %7.2f", loss);
            convert(dy32, dy);
            weights2.execute(stream, {{DNNL_ARG_SRC, h}, {DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_WEIGHTS, dw2}});
            data2.execute(stream, {{DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_WEIGHTS, w2}, {DNNL_ARG_DIFF_SRC, dh}});
            through_relu.execute(stream, {{DNNL_ARG_DST, h}, {DNNL_ARG_DIFF_DST, dh}, {DNNL_ARG_DIFF_SRC, dh}});
            weights1.execute(stream, {{DNNL_ARG_SRC, x}, {DNNL_ARG_DIFF_DST, dh}, {DNNL_ARG_DIFF_WEIGHTS, dw1}});
            stream.wait();
            for (int i = 0; i < hidden * inputs; ++i) floats(master1)[i] -= rate * floats(dw1)[i];
            for (int i = 0; i < hidden; ++i) floats(master2)[i] -= rate * floats(dw2)[i];
        }
        std::printf("\n");
        return loss;
    }
};

int main() try {
    Trainer trainer;
    std::printf("%-22s", "loss after steps");
    for (int i = 0; i <= 4; ++i) std::printf(" %7d", i * steps / 4);
    std::printf("\n");
    const float kept = trainer.train("f32 master weights", true);
    const float rounded = trainer.train("weights in bf16 alone", false);
    const bool good = kept < 0.3f && rounded > 0.4f;
    std::printf("%s\n", good ? "in bf16 alone most steps round to nothing" : "NOT AS EXPECTED");
    return good ? 0 : 1;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
