// SPDX-License-Identifier: Apache-2.0
// What the three normalizations have in common: random problems, and their formulas over sets of elements.
#pragma once
#include <string>
#include <vector>

#include "../formula/formula.hpp"

namespace differential {

class Generator;
struct Random;

// Where an element belongs: the set that has one mean, and the scale.
struct NormalizationPlaces {
    Dims sets;                       // extents of mean and variance
    std::vector<int64_t> set, scale; // by logical index
};

inline bool has_flag(const Problem& p, char flag) { return p.algorithm.find(flag) != std::string::npos; }
// Given statistics are inputs, computed ones outputs of training.
inline bool statistics_are_given(const Problem& p) { return has_flag(p, 'G') || is_backward(p); }
inline bool shows_statistics(const Problem& p) { return !statistics_are_given(p) && p.direction == "FWD_D"; }

std::string random_flags(Random& random, const char* possible);
// Everything but dims, tags and flags.
void finish_normalization(const Generator& make, Random& random, Problem& p, const NormalizationPlaces& places,
                          int64_t channels);
std::vector<Expected> normalization_formula(const Problem& p, const std::vector<Tensor>& inputs,
                                            const NormalizationPlaces& places, int64_t channels);

} // namespace differential
