// SPDX-License-Identifier: Apache-2.0
// Random problems of every primitive from a seed, as values; every layout family the library knows.
#pragma once

#include <random>
#include <utility>
#include <vector>

#include "core/problem/problem.hpp"

namespace tessera::fuzz {

using Random = std::mt19937_64;

inline int64_t below(Random& r, int64_t n) { return int64_t(r() % uint64_t(n)); }
inline bool chance(Random& r, int percent) { return below(r, 100) < percent; }

// Up to 20000 elements in 1 to 12 dims, now and then none.
std::vector<int64_t> random_dims(Random& r);
// A descriptor of the given logical dims: plain, with gaps behind rows or planes, blocked (one or two levels, any
// sizes), or a view.
MemoryDesc random_desc(Random& r, std::vector<int64_t> dims, DataType type);
// The same for a tensor that is only read: now and then one that repeats its elements, by strides of 0.
MemoryDesc random_source(Random& r, std::vector<int64_t> dims, DataType type);
DataType random_type(Random& r); // mostly one of the six common ones
// Of what is converted, either from `type`; often the same, or s8 and u8, which kernels convert as they copy.
std::pair<DataType, DataType> random_types(Random& r, DataType (*type)(Random&));

#define PRIMITIVE(name, number) Result<Problem> random_##name(Random& r);
#include "core/problem/primitives.def"
#undef PRIMITIVE

// The problem in words, for a failure message.
std::string describe(const Problem& p);

} // namespace tessera::fuzz
