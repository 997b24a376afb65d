// SPDX-License-Identifier: Apache-2.0
// Sum: a weighted sum of any number of tensors of one shape.
//
// Averages three checkpoints of the same weights, the newest counting half; the second of them is stored transposed and
// the third in bf16, which is converted on the way. Then adds in place, as a residual connection does.
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

constexpr int rows = 2, columns = 4;

// A quarter of a whole number: exact in bf16.
float weight(int checkpoint, int r, int c) { return float(4 * checkpoint + 2 * r - c) / 4; }

memory checkpoint(const engine& cpu, stream& s, int number, dt type, tag layout) {
    std::vector<float> values;
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) values.push_back(weight(number, r, c));
    memory plain({{rows, columns}, dt::f32, tag::ab}, cpu, values.data());
    memory stored({{rows, columns}, type, layout}, cpu);
    reorder(plain, stored).execute(s, plain, stored);
    s.wait();
    return stored;
}

void print(const char* name, const memory& m) {
    const auto* values = static_cast<const float*>(m.get_data_handle());
    for (int r = 0; r < rows; ++r) {
        std::printf("%-12s", r == 0 ? name : "");
        for (int c = 0; c < columns; ++c) std::printf("%8.4f", values[r * columns + c]);
        std::printf("\n");
    }
}

} // namespace

int main() try {
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    const memory sources[] = {checkpoint(cpu, s, 0, dt::f32, tag::ab), checkpoint(cpu, s, 1, dt::f32, tag::ba),
                              checkpoint(cpu, s, 2, dt::bf16, tag::ab)};
    const std::vector<float> scales = {0.25f, 0.25f, 0.5f}; // constants of the primitive
    const memory::desc dst_desc({rows, columns}, dt::f32, tag::ab);
    const sum::primitive_desc average(cpu, dst_desc, scales,
                                      {sources[0].get_desc(), sources[1].get_desc(), sources[2].get_desc()});
    const memory dst(dst_desc, cpu);
    sum(average).execute(s, {{DNNL_ARG_MULTIPLE_SRC, sources[0]},
                             {DNNL_ARG_MULTIPLE_SRC + 1, sources[1]},
                             {DNNL_ARG_MULTIPLE_SRC + 2, sources[2]},
                             {DNNL_ARG_DST, dst}});
    s.wait();
    print("checkpoint 0", sources[0]);
    print("average", dst);

    const auto* values = static_cast<const float*>(dst.get_data_handle());
    bool right = true;
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) {
            float wanted = 0;
            for (int i = 0; i < 3; ++i) wanted += scales[i] * weight(i, r, c);
            right = right && std::fabs(values[r * columns + c] - wanted) < 1e-6f;
        }

    // dst is the first source as well: dst += checkpoint 0.
    const sum::primitive_desc add(cpu, dst_desc, {1.f, 1.f}, {dst_desc, sources[0].get_desc()});
    sum(add).execute(s, {{DNNL_ARG_MULTIPLE_SRC, dst}, {DNNL_ARG_MULTIPLE_SRC + 1, sources[0]}, {DNNL_ARG_DST, dst}});
    s.wait();
    print("in place", dst);
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) {
            const float wanted = weight(0, r, c) * 1.25f + weight(1, r, c) * 0.25f + weight(2, r, c) * 0.5f;
            right = right && std::fabs(values[r * columns + c] - wanted) < 1e-6f;
        }
    if (!right) std::printf("WRONG: a plain loop says otherwise\n");
    return right ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "sum: %s\n", e.what());
    return 1;
}
