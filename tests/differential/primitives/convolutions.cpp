// SPDX-License-Identifier: Apache-2.0
#include "convolutions.hpp"

#include <algorithm>
#include <cmath>

#include "../formula/formula_parts.hpp"
#include "../problems/generate.hpp"
#include "../problems/random.hpp"

namespace differential {
namespace {

using Names = std::vector<std::string>;

struct Types {
    const char *src, *weights;
    Names dst, bias;
};

bool whole(const std::string& t) { return type(t)->kind != Kind::floating; }

std::string letters(size_t rank) { return std::string("abcdef").substr(0, rank); }
std::string channels_last(size_t rank) { return "a" + letters(rank).substr(2) + "b"; }
std::string in_blocks(size_t rank) { return "aB" + letters(rank).substr(2) + "16b"; }

bool is_transposed(const Problem& p) { return p.primitive == "deconvolution"; }

} // namespace

void generate_convolution(const Generator& make, Random& random, Problem& p) {
    static const Names all = {"u8", "s8", "s32", "f32", "bf16"};
    static const std::vector<Types> forward = {{"f32", "f32", {"f32"}, {"f32"}},
                                               {"bf16", "bf16", {"bf16", "f32"}, {"bf16", "f32"}},
                                               {"f16", "f16", {"f16", "f32"}, {"f16", "f32"}},
                                               {"u8", "s8", all, all},
                                               {"s8", "s8", all, all}};
    static const std::vector<Types> backward(forward.begin(), forward.begin() + 3);
    p.direction = random.pick(Names{"FWD_D", "FWD_I", "BWD_D", "BWD_W"});
    const bool of_data = p.direction == "BWD_D", of_weights = p.direction == "BWD_W", back = of_data || of_weights;
    const Types& types = random.pick(back ? backward : forward);
    const std::string result = random.pick(types.dst);
    p.src.type = of_data ? result : types.src;
    p.other.type = of_weights ? result : types.weights;
    p.dst.type = back ? types.src : result;

    static constexpr int64_t usual[] = {1, 2, 3, 4, 8, 15, 16, 17, 32, 33};
    const size_t spatial = 1 + random.below(3);
    const int64_t groups = random.percent(65) ? 1 : random.one_in(2) ? random.pick(usual) : random.between(2, 5);
    const bool depthwise = groups > 1 && random.one_in(2);
    const auto channels = [&] { return depthwise ? 1 + int64_t(random.one_in(8)) : random.pick(usual); };
    const int64_t in = channels(), out = channels();
    p.src.dims = {random.one_in(60) ? 0 : random.between(1, 3), groups * in};
    p.dst.dims = {p.src.dims[0], groups * out};
    p.other.dims = {out, in};
    if (groups > 1) p.other.dims.insert(p.other.dims.begin(), groups);
    for (size_t k = 0; k < spatial; ++k) {
        const auto pick = [&](int64_t most) { return int64_t(random.below(uint64_t(most))); };
        const int64_t extent = random.between(1, spatial == 3 ? 6 : 14);
        const int64_t kernel = 1 + pick(random.percent(85) ? 4 : 9), stride = random.one_in(2) ? 1 : 1 + pick(4);
        const int64_t dilation = random.one_in(5) ? 1 + pick(2) : 0, reach = (kernel - 1) * (dilation + 1) + 1;
        const int64_t before = random.one_in(3) ? 0 : pick(random.one_in(12) ? 9 : reach);
        int64_t behind = random.one_in(2) ? before : pick(reach);
        behind = std::max(behind, reach - extent - before);
        const int64_t windows = (extent - reach + before + behind) / stride + 1;
        // Exactly so much padding as the last window needs, for a deconvolution may have less.
        p.windows.push_back({kernel, stride, dilation, before, behind});
        p.src.dims.push_back(is_transposed(p) ? windows : extent);
        p.dst.dims.push_back(is_transposed(p) ? extent : windows);
        p.other.dims.push_back(kernel);
    }
    if (random.one_in(60)) p.other.dims[random.below(2)] += 1;

    const size_t rank = spatial + 2, rank_of_weights = p.other.dims.size();
    const auto pixels = [&] {
        return random.percent(25)   ? "any"
               : random.percent(40) ? channels_last(rank)
               : random.percent(40) ? in_blocks(rank)
                                    : letters(rank);
    };
    p.src.tag = pixels();
    p.dst.tag = random.percent(60) ? p.src.tag : pixels();
    // What the rival adds behind open integer weights only its own reorder knows.
    const bool open = !whole(p.other.type) && random.percent(40);
    p.other.tag = open ? "any" : letters(rank_of_weights);
    if (!of_data && random.one_in(2))
        p.sources.push_back({{random.pick(of_weights ? types.dst : types.bias), "a", {p.dst.dims[1]}, {}, {}, {}}, 1});
    if (of_weights) p.want = !p.sources.empty() && random.one_in(2) ? "diff_bias" : "diff_weights";
    if (whole(p.src.type) && random.percent(50)) {
        if (random.percent(70)) p.scales.push_back({"src", 0, "", {}});
        if (random.percent(70)) p.scales.push_back({"wei", random.one_in(2) ? (groups > 1 ? 3 : 1) : 0, "", {}});
        if (random.percent(50)) p.scales.push_back({"dst", 0, "", {}});
        if (random.percent(40)) p.zero_points.push_back({"src", random.one_in(3) ? 2 : 0, "", {}});
        if (random.percent(30)) p.zero_points.push_back({"dst", random.one_in(3) ? 2 : 0, "", {}});
    }
    if (random.percent(back ? 2 : 35)) make.add_post_ops(random, p, false);
    std::erase_if(p.post_ops, [](const PostOp& op) { return op.kind == "sum" && !op.type.empty(); });
    if (!p.post_ops.empty()) p.seed &= ~uint64_t(1);
    p.user_scratchpad = random.one_in(8);
}

std::vector<Expected> formula_of_convolution(const Problem& p, const std::vector<Tensor>& inputs) {
    const bool transposed = is_transposed(p), of_data = p.direction == "BWD_D", of_weights = p.direction == "BWD_W";
    const Dims &ins = transposed ? p.dst.dims : p.src.dims, &outs = transposed ? p.src.dims : p.dst.dims;
    const size_t spatial = p.windows.size(), first = p.other.dims.size() - spatial - 2;
    const int64_t groups = first ? p.other.dims[0] : 1, in = ins[1] / groups, out = outs[1] / groups;
    // The factors in the order of the operands: src or diff_dst, then weights or diff_dst.
    const auto &a = inputs[0].values, &b = inputs[1].values;
    const bool writes_inputs = transposed ? !of_data && !of_weights : of_data;
    const Dims& written = of_weights ? p.other.dims : writes_inputs ? ins : outs;
    std::vector<double> values(size_t(volume(written))), sizes(values.size());
    std::vector<int64_t> terms(values.size());
    const auto add = [&](int64_t to, double term) {
        values[size_t(to)] += term, sizes[size_t(to)] += std::fabs(term), ++terms[size_t(to)];
    };
    const int64_t pixels_of_outs = volume(outs) / std::max<int64_t>(outs[0] * outs[1], 1);
    int64_t taps = 1, pixels_of_ins = 1;
    for (size_t k = 0; k < spatial; ++k) taps *= p.windows[k][0], pixels_of_ins *= ins[k + 2];
    for (int64_t pixel = 0; outs[0] && pixel < pixels_of_outs; ++pixel)
        for (int64_t tap = 0; tap < taps; ++tap) {
            int64_t place = 0, stride = 1, rest_of_pixel = pixel, rest_of_tap = tap;
            bool inside = true;
            for (size_t k = spatial; k-- > 0;) {
                const Dims& w = p.windows[k];
                const int64_t o = rest_of_pixel % outs[k + 2], t = rest_of_tap % w[0];
                rest_of_pixel /= outs[k + 2], rest_of_tap /= w[0];
                const int64_t i = o * w[1] + t * (w[2] + 1) - w[3];
                inside = inside && i >= 0 && i < ins[k + 2];
                place += i * stride, stride *= ins[k + 2];
            }
            if (!inside) continue;
            for (int64_t n = 0; n < outs[0]; ++n)
                for (int64_t g = 0; g < groups; ++g)
                    for (int64_t q = 0; q < out; ++q)
                        for (int64_t c = 0; c < in; ++c) {
                            const int64_t i = ((n * groups + g) * in + c) * pixels_of_ins + place;
                            const int64_t o = ((n * groups + g) * out + q) * pixels_of_outs + pixel;
                            const int64_t row = transposed ? c * out + q : q * in + c;
                            const int64_t w = (g * in * out + row) * taps + tap;
                            if (of_weights)
                                add(w, transposed ? a[size_t(o)] * b[size_t(i)] : a[size_t(i)] * b[size_t(o)]);
                            else if (writes_inputs)
                                add(i, a[size_t(o)] * b[size_t(w)]);
                            else
                                add(o, a[size_t(i)] * b[size_t(w)]);
                        }
        }
    std::vector<Expected> results;
    if (of_weights && p.want == "diff_bias") {
        const int64_t channels = p.dst.dims[1],
                      pixels = volume(p.dst.dims) / std::max<int64_t>(p.dst.dims[0] * channels, 1);
        for (int64_t c = 0; c < channels; ++c) {
            double value = 0, size = 0;
            for (int64_t n = 0; n < p.dst.dims[0]; ++n)
                for (int64_t x = 0; x < pixels; ++x) {
                    const double term = b[size_t((n * channels + c) * pixels + x)];
                    value += term, size += std::fabs(term);
                }
            results.push_back({value, double(p.dst.dims[0] * pixels + 4) * half_ulp * size + smallest, false});
        }
        return results;
    }
    const int64_t channels = of_weights ? 1 : p.dst.dims[1];
    const int64_t pixels = of_weights ? 1 : int64_t(values.size()) / std::max<int64_t>(p.dst.dims[0] * channels, 1);
    for (size_t e = 0; e < values.size(); ++e) {
        results.push_back({values[e], double(terms[e] + 4) * half_ulp * sizes[e] + smallest, false});
        if (of_weights || of_data || inputs.size() <= 2) continue;
        const double bias = inputs[2].values[size_t(int64_t(e) / std::max<int64_t>(pixels, 1) % channels)];
        results.back().value += bias;
        results.back().slack += 4 * half_ulp * std::fabs(bias);
    }
    return results;
}

} // namespace differential
