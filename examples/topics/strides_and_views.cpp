// SPDX-License-Identifier: Apache-2.0
// Tensors without copies: rows with gaps, a view of a part, a transposition, one row seen as many.
//
// A descriptor says where the elements of a buffer lie, so all four are descriptors over buffers that exist. It prints
// what a reorder copies out of each, and checks each element; the last product reads a matrix transposed and a view.

#include <cstdio>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using dnnl::memory;
using dt = memory::data_type;
using tag = memory::format_tag;

int wrong = 0;

// Copies a matrix out of whatever layout it has, prints it and compares it with a formula of row and column.
template <typename Formula> void show(const char* name, const memory& from, dnnl::stream& stream, Formula formula) {
    const memory::dims dims = from.get_desc().get_dims();
    std::vector<float> dense(size_t(dims[0] * dims[1]));
    const memory to({dims, dt::f32, tag::ab}, from.get_engine(), dense.data());
    dnnl::reorder(from, to).execute(stream, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
    stream.wait();
    std::printf("%s\n", name);
    for (int r = 0; r < dims[0]; ++r) {
        for (int c = 0; c < dims[1]; ++c) {
            const float value = dense[size_t(r * dims[1] + c)];
            wrong += value != float(formula(r, c));
            std::printf(" %4g", value);
        }
        std::printf("\n");
    }
}

int main() try {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(cpu);
    std::vector<float> buffer(6 * 8); // element at row r, column c: 10 r + c
    for (int i = 0; i < 6 * 8; ++i) buffer[size_t(i)] = float(i / 8 * 10 + i % 8);
    const auto over = [&](const memory::desc& md) { return memory(md, cpu, buffer.data()); };

    // [strides]
    // The first 3 columns of 4 rows, which lie 8 elements apart.
    const memory::desc rows({4, 3}, dt::f32, {8, 1});
    // [/strides]
    show("rows with gaps", over(rows), stream, [](int r, int c) { return 10 * r + c; });

    // [view]
    // Rows 2 and 3, columns 4 to 7: the same buffer; the descriptor has an offset.
    const memory::desc whole({6, 8}, dt::f32, tag::ab);
    const memory::desc part = whole.submemory_desc({2, 4}, {2, 4});
    // [/view]
    show("a view of the middle", over(part), stream, [](int r, int c) { return 10 * (r + 2) + c + 4; });

    // [transposed]
    // Dimension 0 becomes dimension 1 and the other way round; no element moves.
    const memory::desc transposed = part.permute_axes({1, 0});
    // [/transposed]
    show("the view, transposed", over(transposed), stream, [](int r, int c) { return 10 * (c + 2) + r + 4; });

    // [repeated]
    // A stride of 0: one row of 3 elements that is seen 2 times.
    const memory::desc repeated({2, 3}, dt::f32, {0, 1});
    // [/repeated]
    show("one row, twice", over(repeated), stream, [](int, int c) { return c; });

    // A primitive takes all of them as they are: {4, 2} x {2, 3}, into the middle columns of a larger matrix.
    // [product]
    std::vector<float> large(4 * 5, -1);
    const memory::desc large_md({4, 5}, dt::f32, tag::ab);
    const memory::desc middle = large_md.submemory_desc({4, 3}, {0, 1});
    dnnl::matmul({cpu, transposed, repeated, middle})
        .execute(stream, {{DNNL_ARG_SRC, over(transposed)},
                          {DNNL_ARG_WEIGHTS, over(repeated)},
                          {DNNL_ARG_DST, memory(middle, cpu, large.data())}});
    // [/product]
    show("a product, into the middle of a matrix of -1", memory(large_md, cpu, large.data()), stream,
         [](int r, int c) { return c == 0 || c == 4 ? -1 : (24 + r + 34 + r) * (c - 1); });

    std::printf("%s\n", wrong ? "WRONG" : "all elements are right");
    return wrong ? 1 : 0;
} catch (const dnnl::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
