// SPDX-License-Identifier: Apache-2.0
// Deconvolution, also called transposed convolution: each element of src paints the weights, scaled, into a larger dst.
//
// Five dots of a 3x4 picture are painted with a 3x3 stamp at a stride of 3, which prints five flowers; with a stride of
// 2 the stamps overlap and add up. Then the property that gives the operation its name: for any picture z,
// sum(deconvolution(src) * z) is sum(src * convolution(z)), the convolution with the same weights.
#include <cstdio>
#include <exception>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

constexpr int H = 3, W = 4, K = 3;
const std::vector<float> dots = {1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 2}, stamp = {0, 1, 0, 1, 3, 1, 0, 1, 0};
bool right = true;

void check(double got, double wanted, const char* what) {
    if (got == wanted) return; // whole numbers: exact
    std::printf("WRONG: %s is %g, a plain loop says %g\n", what, got, wanted);
    right = false;
}

void paint(const engine& cpu, stream& s, int stride) {
    const int OH = (H - 1) * stride + K, OW = (W - 1) * stride + K;
    const memory::desc src({1, 1, H, W}, dt::f32, tag::nchw), dst({1, 1, OH, OW}, dt::f32, tag::nchw);
    const memory::desc weights({1, 1, K, K}, dt::f32, tag::any);
    const memory::dims strides = {stride, stride}, none = {0, 0};
    const deconvolution_forward::primitive_desc pd(cpu, prop_kind::forward_inference, algorithm::deconvolution_direct,
                                                   src, weights, dst, strides, none, none);
    std::vector<float> x = dots, w = stamp, y(OH * OW);
    memory mine({{1, 1, K, K}, dt::f32, tag::oihw}, cpu, w.data()), chosen(pd.weights_desc(), cpu);
    reorder(mine, chosen).execute(s, mine, chosen);
    deconvolution_forward(pd).execute(s, {{DNNL_ARG_SRC, memory(src, cpu, x.data())},
                                          {DNNL_ARG_WEIGHTS, chosen},
                                          {DNNL_ARG_DST, memory(dst, cpu, y.data())}});
    s.wait();
    std::printf("stride %d: %dx%d becomes %dx%d\n", stride, H, W, OH, OW);
    std::vector<float> wanted(y.size());
    for (int h = 0; h < H; ++h)
        for (int w_ = 0; w_ < W; ++w_)
            for (int k = 0; k < K * K; ++k)
                wanted[(h * stride + k / K) * OW + w_ * stride + k % K] += dots[h * W + w_] * stamp[k];
    for (int i = 0; i < OH * OW; ++i) {
        std::printf(" %c", y[i] == 0 ? '.' : '0' + int(y[i]));
        if ((i + 1) % OW == 0) std::printf("\n");
        check(y[i], wanted[i], "dst");
    }

    // The convolution with the same weights takes dst's size to src's. Of its weights OC comes first, which is the
    // deconvolution's IC; both are 1 here.
    std::vector<float> z(y.size()), c(H * W);
    for (size_t i = 0; i < z.size(); ++i) z[i] = float(i % 7);
    const convolution_forward::primitive_desc back(cpu, prop_kind::forward_inference, algorithm::convolution_direct,
                                                   dst, mine.get_desc(), src, strides, none, none);
    convolution_forward(back).execute(s, {{DNNL_ARG_SRC, memory(dst, cpu, z.data())},
                                          {DNNL_ARG_WEIGHTS, mine},
                                          {DNNL_ARG_DST, memory(src, cpu, c.data())}});
    s.wait();
    double of_dst = 0, of_src = 0;
    for (size_t i = 0; i < z.size(); ++i) of_dst += y[i] * z[i];
    for (size_t i = 0; i < c.size(); ++i) of_src += x[i] * c[i];
    std::printf("deconvolution(src) by z: %g, src by convolution(z): %g\n\n", of_dst, of_src);
    check(of_dst, of_src, "the sum of products");
}

} // namespace

int main() try {
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    paint(cpu, s, 3);
    paint(cpu, s, 2);
    return right ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "deconvolution: %s\n", e.what());
    return 1;
}
