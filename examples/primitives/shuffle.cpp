// SPDX-License-Identifier: Apache-2.0
// Shuffle: mixes channels between the groups of a grouped convolution.
//
// Two groups of three channels, A0 A1 A2 and B0 B1 B2. A convolution in groups never mixes A with B; after a shuffle
// each half of the channels has some of both. Prints the order before and after, and that the backward undoes it.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

constexpr int groups = 2, in_group = 3, channels = groups * in_group, H = 2, W = 2, points = H * W;

// Element (c, h, w) is 10 c + its point.
void print(const char* name, const std::vector<float>& values) {
    std::printf("%-10s", name);
    for (int c = 0; c < channels; ++c) {
        const int from = int(values[c * points]) / 10;
        std::printf("%s %c%d", c == channels / 2 ? " |" : "", 'A' + from / in_group, from % in_group);
    }
    std::printf("\n");
}

} // namespace

int main() try {
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    const memory::desc md({1, channels, H, W}, dt::f32, tag::nchw);
    std::vector<float> src(channels * points), dst(src.size()), back(src.size());
    for (int c = 0; c < channels; ++c)
        for (int p = 0; p < points; ++p) src[c * points + p] = float(10 * c + p);
    const memory src_memory(md, cpu, src.data()), dst_memory(md, cpu, dst.data()), back_memory(md, cpu, back.data());

    // Axis 1 is the channels. group_size is the number of neighbours that belong together, not the number of groups:
    // the axis is a matrix with rows of group_size elements, and dst is its transpose.
    const int axis = 1, group_size = in_group;
    const shuffle_forward::primitive_desc forward(cpu, prop_kind::forward_training, md, md, axis, group_size);
    const shuffle_backward::primitive_desc backward(cpu, md, md, axis, group_size, forward);
    shuffle_forward(forward).execute(s, {{DNNL_ARG_SRC, src_memory}, {DNNL_ARG_DST, dst_memory}});
    shuffle_backward(backward).execute(s, {{DNNL_ARG_DIFF_DST, dst_memory}, {DNNL_ARG_DIFF_SRC, back_memory}});
    s.wait();
    print("src", src);
    print("dst", dst);
    print("diff_src", back);

    int wrong = 0;
    for (int row = 0; row < groups; ++row)
        for (int column = 0; column < in_group; ++column)
            for (int p = 0; p < points; ++p) {
                const int from = (row * group_size + column) * points + p, to = (column * groups + row) * points + p;
                wrong += dst[to] != src[from] || back[from] != dst[to];
            }
    std::printf("%d of %zu elements are not where the transpose of 2 rows and 3 columns has them\n", wrong, src.size());
    return wrong == 0 ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "shuffle: %s\n", e.what());
    return 1;
}
