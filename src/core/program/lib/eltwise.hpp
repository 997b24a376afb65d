// SPDX-License-Identifier: Apache-2.0
// Element-wise functions as programs (ELT-01..22) and as scalar definitions.
//
//   int y = eltwise(program, alg::eltwise_tanh, x, 0, 0);                 // f32 in, f32 out
//   int d = eltwise_backward(program, alg::eltwise_tanh, x, diff, 0, 0);  // x: src, or dst for *_use_dst_for_bwd
//
// The programs are made of + - * / fma min max sqrt round, comparisons and bits only, so every engine and instruction
// set computes the same bits. NaN in, NaN out; the limits at infinities are the mathematical ones
// (decision 005). Slopes that are chosen by comparisons, not computed, take the last case for a NaN.
//
// Largest errors in ulp and operations but constants: exp, log, tanh, logistic of all 2^32 arguments, the others of
// 2^26 over all exponents, which finds up to 0.5 less (tests/program/eltwise_accuracy_test.cpp).
//   exactly rounded  relu square abs sqrt linear hardsigmoid clip round, most slopes of these, of log and from dst
//                 f    ops    slope ops                        f   ops    slope ops
//   exp          1.6    16     1.5   16          gelu_erf     8.3   24     8.2   24
//   log          0.9    30     0.5    1          gelu_tanh    4.5   32     7.0   36
//   tanh         5.2    15     4.3   21          swish        4.3   19     4.3   21   alpha = 1
//   logistic     3.3    18     4.3   19          swish        4.3   22     6.1   25   other alpha
//   elu          1.9    19     2.0   19          mish         4.6   21     5.3   26
//   soft_relu    2.5    28     2.8   18          hardswish    1.5    5     0.5    8
//   soft_relu    3.5    33     3.0   21          pow          2.4   62     2.4   65   6.5 where beta log x is near 88
// Slopes of gelu, swish and mish cross zero: their ulp is that of the larger of slope and function. The functions that
// fall to 0 as x exp(x) keep this relative accuracy down to 2^-118; below, the absolute error is at most 2^-141.
// gelu_erf: x x ulp more below 0, where half an ulp of x makes as much; 2^-124 where exp(-x x / 2) is below the normal
// range. eltwise_errors.hpp has the bounds that are promised and tested.
#pragma once

#include "core/program/program.hpp"

namespace tessera {

namespace alg { // numbers of dnnl_alg_kind_t
enum : int {
#define ALG(word, number) word = number,
#include "core/attr/alg_kinds.def"
#undef ALG
};
} // namespace alg

// Whether `alg` (dnnl_alg_kind_t) is element-wise; whether its backward reads dst; whether it has a backward at all.
bool is_eltwise(int alg);
bool uses_dst(int alg);
bool has_backward(int alg);
// f(0) == 0, so that zero padding stays zero.
bool keeps_zero(int alg, float alpha, float beta);

int eltwise(Program& program, int alg, int x, float alpha, float beta);
int eltwise_backward(Program& program, int alg, int data, int diff_dst, float alpha, float beta);

// The definition in double, for oracles: exact to a few ulp of double.
double eltwise_of(int alg, double x, double alpha, double beta);
double eltwise_backward_of(int alg, double data, double diff_dst, double alpha, double beta);

} // namespace tessera
