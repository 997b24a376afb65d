// SPDX-License-Identifier: Apache-2.0
// Problems as people run them: shapes of networks for images, sound and text, small and large, sizes that are powers of
// two and sizes that nothing divides, the usual layouts and types.
//
//   Random random{...};  Problem p;
//   p.primitive = "softmax";
//   find_habit("softmax")(random, p);       // a softmax over one of the dims of such a tensor
//
// primitives/ has the habits of each primitive. Law: the same state of `random` makes the same problem everywhere.
#pragma once
#include <string>
#include <vector>

#include "tests/differential/problems/problem.hpp"
#include "tests/differential/problems/random.hpp"

namespace hunt {

using differential::Dims;
using differential::Problem;
using differential::Random;
using differential::Side;
using Names = std::vector<std::string>;

using Habit = void (*)(Random&, Problem&);
Habit find_habit(const std::string& primitive);
#define PRIMITIVE(name, number) void name##_habit(Random&, Problem&);
#include "core/problem/primitives.def"
#undef PRIMITIVE

// ---- dims; all of a tensor's elements stay below a bound that is drawn from tiny to 16 million
Dims image(Random& random, size_t rank);                      // batch, channels, rank - 2 spatial dims
Dims sequence(Random& random, size_t rank);                   // batch and heads, rows, features
Dims tensor(Random& random, size_t rank);                     // either
size_t usual_rank(Random& random, size_t least, size_t most); // mostly 4, or the nearest that is allowed
int64_t channels(Random& random);
int64_t length(Random& random); // of rows and features
void bound(Random& random, Dims& dims, double most = 16e6);

// ---- layouts and types
std::string plain(size_t rank);
std::string channels_last(size_t rank);
std::string layout(Random& random, size_t rank); // plain, channels last, in blocks of channels
std::string any_type(Random& random);            // f32 half of the time
std::string float_type(Random& random);
void add_row_gap(Side& side, int64_t gap); // of a plain layout: its rows apart

void add_post_ops(Random& random, Problem& problem, int most = 2); // for dst
std::string direction(Random& random, const Names& backward = {"BWD_D"});

} // namespace hunt
