// SPDX-License-Identifier: Apache-2.0
#include "convolutions.hpp"

#include <algorithm>

namespace hunt {
namespace {

struct Types {
    const char *src, *weights;
    Names dst;
};

// As in networks for phones: 1x1, relu, depthwise, relu.
void add_depthwise(Random& random, Problem& p) {
    static const std::vector<differential::PostOp> functions = {
        {"relu", 0, 0, "", ""}, {"clip", 0, 6, "", ""}, {"swish", 1, 0, "", ""}};
    const differential::PostOp& function = random.pick(functions);
    p.dst.type = p.src.type; // which the depthwise one multiplies by weights of the same type
    p.post_ops = {function, {"dw", 3, double(1 + random.below(2)), p.dst.type, ""}, function};
    p.src.tag = p.other.tag = p.dst.tag = "any";
}

} // namespace

void habit_of_convolution(Random& random, Problem& p, bool transposed) {
    static const std::vector<Types> table = {{"f32", "f32", {"f32"}},           {"f32", "f32", {"f32"}},
                                             {"bf16", "bf16", {"bf16", "f32"}}, {"f16", "f16", {"f16", "f32"}},
                                             {"u8", "s8", {"f32", "u8"}},       {"s8", "s8", {"f32", "s8"}}};
    p.direction = direction(random, {"BWD_D", "BWD_W"});
    const bool of_data = p.direction == "BWD_D", of_weights = p.direction == "BWD_W", back = of_data || of_weights;
    const Types& types = table[random.below(back ? 4 : table.size())];
    const std::string result = random.pick(types.dst);
    p.src.type = of_data ? result : types.src;
    p.other.type = of_weights ? result : types.weights;
    p.dst.type = back ? types.src : result;

    const size_t rank = random.percent(80) ? 4 : 3 + 2 * random.below(2);
    Dims inputs = image(random, rank);
    const bool depthwise = random.one_in(6), grouped = !depthwise && random.one_in(10);
    int64_t in = inputs[1], out = depthwise ? in : random.one_in(3) ? in : channels(random), groups = 1;
    if (depthwise) groups = in;
    for (const int64_t g : {32, 16, 8, 4, 2})
        if (grouped && groups == 1 && in % g == 0 && out % g == 0) groups = g;
    static constexpr int64_t kernels[] = {1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 2, 4, 5, 5, 7, 7, 9, 11};
    const int64_t usual = random.pick(kernels), stride = random.percent(70) && !transposed ? 1 : 2;
    const bool padded = random.percent(80);
    // A bound on the products, so that no problem takes seconds.
    static constexpr double bounds[] = {1e6, 1e7, 1e8, 1e9};
    const double most = random.pick(bounds);
    const auto count = [&] {
        double products = double(inputs[0]) * double(in) * double(out) / double(groups);
        for (size_t d = 2; d < rank; ++d) products *= double(inputs[d] * usual) / double(stride);
        return products;
    };
    while (count() > most && inputs[0] > 1) inputs[0] /= 2;
    for (size_t d = 2; d < rank; ++d)
        while (count() > most && inputs[d] > 5) inputs[d] = (inputs[d] + 1) / 2;
    while (count() > most && out > 8 && !depthwise && !grouped) out = (out + 1) / 2;
    Dims outputs{inputs[0], out};
    inputs[1] = in;
    p.other.dims = {out / groups, in / groups};
    if (groups > 1) p.other.dims.insert(p.other.dims.begin(), groups);
    for (size_t d = 2; d < rank; ++d) {
        const int64_t kernel = random.percent(95) ? usual : random.pick(kernels), dilation = random.one_in(20) ? 1 : 0;
        const int64_t reach = (kernel - 1) * (dilation + 1) + 1, before = padded ? reach / 2 : 0;
        const int64_t behind = std::max(padded ? (reach - 1) / 2 : 0, reach - inputs[d] - before);
        p.windows.push_back({kernel, stride, dilation, before, behind});
        outputs.push_back((inputs[d] - reach + before + behind) / stride + 1);
        p.other.dims.push_back(kernel);
    }
    p.src.dims = transposed ? outputs : inputs, p.dst.dims = transposed ? inputs : outputs;
    p.src.dims[1] = in, p.dst.dims[1] = out;
    p.src.tag = random.percent(60) ? "any" : layout(random, rank);
    p.dst.tag = random.percent(50) ? "any" : p.src.tag;
    p.other.tag = random.percent(75) ? "any" : std::string("abcdef").substr(0, p.other.dims.size());
    if (!of_data && random.percent(60)) p.sources.push_back({{"f32", "a", {p.dst.dims[1]}, {}, {}, {}}, 1});
    if (!back && random.one_in(3)) add_post_ops(random, p, 1);
    if (!back && types.weights == std::string("s8") && random.percent(60))
        p.scales = {{"src", 0, "", {}}, {"wei", random.one_in(2) ? (groups > 1 ? 3 : 1) : 0, "", {}}};
    const bool pointwise =
        p.other.dims == Dims{out, in, 1, 1} && p.dst.dims == Dims{inputs[0], out, inputs[2], inputs[3]};
    if (!back && !transposed && pointwise && random.one_in(3)) add_depthwise(random, p);
}

void convolution_habit(Random& random, Problem& p) { habit_of_convolution(random, p, false); }

} // namespace hunt
