// SPDX-License-Identifier: Apache-2.0
// Random problems from a seed: all pairs of data types, every named tag and every permutation, strides with gaps,
// views, zero volume, blocks that do not divide, scales, zero points, post-ops, run-time dims, and errors.
// Law: the same (seed, number, tags) makes the same problem on every machine, so a summary's seed repeats a run.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "problem.hpp"

namespace differential {

struct Random;
struct Row;

class Generator {
public:
    // `only`: problems of this primitive alone.
    explicit Generator(const std::vector<std::string>& tags, const Row* only = nullptr);
    Problem problem(uint64_t seed, uint64_t number);

    // ---- for the primitives
    std::string tag(Random& random, size_t rank) const;
    std::string pointwise_tag(Random& random, size_t rank) const;
    Dims dims(Random& random, const std::vector<std::string>& tags, size_t rank) const;
    void add_attributes(Random& random, Problem& problem) const;                 // of copies
    void add_post_ops(Random& random, Problem& problem, bool binary_only) const; // generate_post_ops.cpp

private:
    void add_error(Random& random, Problem& problem) const;

    const Row* only_;
    std::map<size_t, std::vector<std::string>> by_rank_;
};

} // namespace differential
