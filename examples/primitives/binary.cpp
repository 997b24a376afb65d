// SPDX-License-Identifier: Apache-2.0
// Binary: two tensors, element by element; a dimension of size 1 is repeated.
//
// A column of numbers times a row of numbers is the multiplication table. Then comparisons, whose results are 0 and 1,
// and `select`, which takes elements of one tensor where a mask is set and of another elsewhere: a division that is
// left out where it would be by zero. Last a product and a sum in one pass, in place.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

bool right = true;

void check(float got, float wanted, const char* what) {
    if (got == wanted) return;
    std::printf("WRONG: %s is %g, should be %g\n", what, got, wanted);
    right = false;
}

// Both operands have as many dims as dst; {9, 1} and {1, 9} give {9, 9}.
void table(const engine& cpu, stream& s) {
    std::vector<float> numbers = {1, 2, 3, 4, 5, 6, 7, 8, 9}, products(81);
    const memory::desc column({9, 1}, dt::f32, tag::ab), row({1, 9}, dt::f32, tag::ab), all({9, 9}, dt::f32, tag::ab);
    const binary::primitive_desc pd(cpu, algorithm::binary_mul, column, row, all);
    binary(pd).execute(s, {{DNNL_ARG_SRC_0, memory(column, cpu, numbers.data())},
                           {DNNL_ARG_SRC_1, memory(row, cpu, numbers.data())},
                           {DNNL_ARG_DST, memory(all, cpu, products.data())}});
    s.wait();
    for (int i = 0; i < 9; ++i) {
        for (int j = 0; j < 9; ++j) {
            std::printf("%4.0f", products[9 * i + j]);
            check(products[9 * i + j], float((i + 1) * (j + 1)), "the table");
        }
        std::printf("\n");
    }
}

// a / b where b is not 0, elsewhere a: a mask by `ne`, quotients by `div`, and `select` between the two.
void guarded_division(const engine& cpu, stream& s) {
    std::vector<float> a = {6, 7, 8, 9, 10}, b = {2, 0, -4, 0, 3}, zero = {0}, quotients(5), results(5);
    std::vector<int8_t> mask(5);
    const memory::desc md({5}, dt::f32, tag::a), one({1}, dt::f32, tag::a), flags({5}, dt::s8, tag::a);
    const memory a_memory(md, cpu, a.data()), b_memory(md, cpu, b.data()), mask_memory(flags, cpu, mask.data());
    const memory quotient_memory(md, cpu, quotients.data()), result_memory(md, cpu, results.data());

    const binary::primitive_desc differs(cpu, algorithm::binary_ne, md, one, flags);
    const binary::primitive_desc divide(cpu, algorithm::binary_div, md, md, md);
    const binary::primitive_desc select(cpu, algorithm::binary_select, md, md, flags, md);
    binary(differs).execute(
        s, {{DNNL_ARG_SRC_0, b_memory}, {DNNL_ARG_SRC_1, memory(one, cpu, zero.data())}, {DNNL_ARG_DST, mask_memory}});
    binary(divide).execute(s,
                           {{DNNL_ARG_SRC_0, a_memory}, {DNNL_ARG_SRC_1, b_memory}, {DNNL_ARG_DST, quotient_memory}});
    binary(select).execute(s, {{DNNL_ARG_SRC_0, quotient_memory},
                               {DNNL_ARG_SRC_1, a_memory},
                               {DNNL_ARG_SRC_2, mask_memory},
                               {DNNL_ARG_DST, result_memory}});
    s.wait();
    std::printf("\n    a    b  b!=0   a/b  select\n");
    for (int i = 0; i < 5; ++i) {
        std::printf("%5.0f %4.0f %5d %5.1f %7.1f\n", a[i], b[i], mask[i], quotients[i], results[i]);
        check(mask[i], b[i] != 0, "ne");
        check(results[i], b[i] != 0 ? a[i] / b[i] : a[i], "select");
    }
}

// src may be dst. A post-op of another binary adds its own operand, so that y = y * 2 + 1 is one pass over the memory.
void in_place(const engine& cpu, stream& s) {
    std::vector<float> y = {1, 2, 3, 4}, two = {2}, unit = {1};
    const memory::desc md({4}, dt::f32, tag::a), one({1}, dt::f32, tag::a);
    post_ops then;
    then.append_binary(algorithm::binary_add, one);
    primitive_attr attr;
    attr.set_post_ops(then);
    const binary::primitive_desc pd(cpu, algorithm::binary_mul, md, one, md, attr);
    const memory data(md, cpu, y.data());
    binary(pd).execute(s, {{DNNL_ARG_SRC_0, data},
                           {DNNL_ARG_SRC_1, memory(one, cpu, two.data())},
                           {DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, memory(one, cpu, unit.data())},
                           {DNNL_ARG_DST, data}});
    s.wait();
    std::printf("\n1 2 3 4 times 2 plus 1, in place:");
    for (int i = 0; i < 4; ++i) {
        std::printf(" %.0f", y[i]);
        check(y[i], float(2 * (i + 1) + 1), "in place");
    }
    std::printf("\n");
}

} // namespace

int main() try {
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    table(cpu, s);
    guarded_division(cpu, s);
    in_place(cpu, s);
    return right ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "binary: %s\n", e.what());
    return 1;
}
