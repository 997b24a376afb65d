// SPDX-License-Identifier: Apache-2.0
// Random numbers of attributes: dropout, and rounding that is right on average.
//
// Dropout sets each result to 0 with probability P and divides the others by 1 - P. Which ones depends on the seed and
// the number of the element alone, so a seed gives the same mask on every machine. Stochastic rounding rounds up as
// often as the value is far from the lower neighbour: a million increments that nearest rounding loses are kept on
// average.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using dnnl::memory;
using dt = memory::data_type;
using tag = memory::format_tag;

int main() try {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(cpu);
    const memory::dim count = 10000;
    std::vector<float> src(size_t(count), 3.f), dst(src.size());
    std::vector<uint8_t> mask(src.size());
    const memory::desc md({count}, dt::f32, tag::a), mask_md({count}, dt::u8, tag::a);

    // [dropout]
    dnnl::primitive_attr attr;
    attr.set_dropout(mask_md, dt::s64, true, true); // seed of s64, an offset into the random numbers, host scalars
    const dnnl::eltwise_forward relu(
        {cpu, dnnl::prop_kind::forward_training, dnnl::algorithm::eltwise_relu, md, md, attr});
    const auto host = [](auto value, dt type) { return memory(memory::desc::host_scalar(type), value); };
    relu.execute(stream, {{DNNL_ARG_SRC, memory(md, cpu, src.data())},
                          {DNNL_ARG_DST, memory(md, cpu, dst.data())},
                          {DNNL_ARG_ATTR_DROPOUT_PROBABILITY, host(0.25f, dt::f32)},
                          {DNNL_ARG_ATTR_DROPOUT_SEED, host(int64_t(42), dt::s64)},
                          {DNNL_ARG_ATTR_DROPOUT_OFFSET, host(int64_t(1), dt::s64)},
                          {DNNL_ARG_ATTR_DROPOUT_MASK, memory(mask_md, cpu, mask.data())}});
    stream.wait();
    // [/dropout]
    std::printf("dropout of 0.25, seed 42, of 3:");
    bool good = true;
    int kept = 0;
    for (size_t i = 0; i < src.size(); ++i) {
        if (i < 16) std::printf(" %g", dst[i]);
        good &= dst[i] == (mask[i] ? 4.f : 0.f); // 3 / (1 - 0.25)
        kept += mask[i];
    }
    std::printf(" ...\nkept: %d of %d\n", kept, int(count));
    good &= std::abs(kept - 7500) < 200;

    int32_t seed = 42;
    // 1 x 1 + 1 x 1/1024, rounded to bf16, whose neighbours of 1 are 1/128 apart: nearest rounding gives 1.
    const float exact = 1 + 1.f / 1024;
    std::vector<float> ones(size_t(count) * 2, 1), increments = {1, 1.f / 1024}, rounded(src.size());
    const memory::desc src_md({count, 2}, dt::f32, tag::ab), weights_md({2, 1}, dt::f32, tag::ab);
    const memory::desc bf16_md({count, 1}, dt::bf16, tag::ab), f32_md({count, 1}, dt::f32, tag::ab);
    for (bool random : {false, true}) {
        // [rounding]
        dnnl::primitive_attr rounding;
        if (random) rounding.set_rounding_mode(DNNL_ARG_DST, dnnl::rounding_mode::stochastic);
        memory result(bf16_md, cpu), widened(f32_md, cpu, rounded.data());
        dnnl::matmul({cpu, src_md, weights_md, bf16_md, rounding})
            .execute(stream, {{DNNL_ARG_SRC, memory(src_md, cpu, ones.data())},
                              {DNNL_ARG_WEIGHTS, memory(weights_md, cpu, increments.data())},
                              {DNNL_ARG_DST, result},
                              {DNNL_ARG_ATTR_ROUNDING_SEED, memory({{1}, dt::s32, tag::a}, cpu, &seed)}});
        // [/rounding]
        dnnl::reorder(result, widened).execute(stream, result, widened);
        stream.wait();
        double mean = 0;
        for (float x : rounded) {
            mean += x / double(count);
            good &= x == 1 || (random && x == 1 + 1.f / 128);
        }
        std::printf("1 + 1/1024 as bf16, %s: mean 1 + %.2f/1024\n", random ? "stochastic" : "to nearest",
                    std::fabs(mean - 1) * 1024);
        good &= std::fabs(mean - (random ? exact : 1)) < 2e-4;
    }
    std::printf("%s\n", good ? "as expected" : "WRONG");
    return good ? 0 : 1;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
