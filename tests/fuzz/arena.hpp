// SPDX-License-Identifier: Apache-2.0
// The buffers of a problem, filled with random values, for what compares ways to compute it.
#pragma once

#include <map>
#include <string>

#include "core/plan/plan.hpp"
#include "core/problem/problem.hpp"
#include "ops/ops.hpp"
#include "problems/random_problem.hpp"
#include "trial/guarded_buffer.hpp"

namespace tessera::fuzz {

using Bytes = GuardedBuffer;

struct Arena {
    std::map<int, Bytes> bytes; // by argument
    ops::Buffers buffers();
    bool intact() const;
};

// Every buffer has exactly the bytes that its descriptor reaches, beside a page that cannot be touched: behind it or
// before it, in turn, which of them first by the seed. What sums add up has exact sums, or sums that depend on the
// order; whole numbers have exact sums of products, too.
enum class Summands { exact, rounded, whole };
Arena make_arena(const Problem& p, uint64_t seed, Random& r, Summands summands = Summands::exact);

// What the operands of a plan point to: buffers of the arena, constants, scratch memory of its own.
struct Pointers {
    std::vector<void*> all;
    std::vector<std::vector<unsigned char>> scratch;
};
Pointers pointers(const Plan& plan, Arena& a, bool with_bytes);

// The first difference in words, "" if there is none. NaNs are equal: which payload survives a + b is not specified.
std::string difference(DataType type, const Bytes& want, const Bytes& got);

} // namespace tessera::fuzz
