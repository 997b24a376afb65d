// Random problems from a seed: all pairs of data types, every named tag and every permutation, strides with gaps,
// views, zero volume, blocks that do not divide, scales, zero points, sums, run-time dims, and errors.
// Law: the same (seed, number, tags) makes the same problem on every machine, so a summary's seed repeats a run.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "problem.hpp"

namespace differential {

struct Random;

class Generator {
public:
    explicit Generator(const std::vector<std::string>& tags);
    Problem problem(uint64_t seed, uint64_t number);

private:
    std::map<size_t, std::vector<std::string>> by_rank_;

    std::string tag(Random& random, size_t rank) const;
    Dims dims(Random& random, const std::vector<std::string>& tags, size_t rank) const;
    void add_attributes(Random& random, Problem& problem) const;
    void add_error(Random& random, Problem& problem) const;
    void reorder(Random& random, Problem& problem) const;
    void shuffle(Random& random, Problem& problem) const;
    std::string pointwise_tag(Random& random, size_t rank) const; // this and below: pointwise_generate.cpp
    void eltwise(Random& random, Problem& problem) const;
    void binary(Random& random, Problem& problem) const;
};

} // namespace differential
