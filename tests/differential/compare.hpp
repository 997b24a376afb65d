// SPDX-License-Identifier: Apache-2.0
// Judges the answers of two libraries to one problem.
//   class of problem                                       what counts as equal
//   move, conversion, factors that are powers of two       the same value (NaN payloads and the sign of zero are free)
//   factors k/8 (odd seed with scales)                     1 step of the dst type; s32 also 1 part in 2^23
//   dst f8 from a type wider than f16                      1 step: rounding through f16 is allowed (CVT-06)
//   eltwise, binary                                        each within the slack of the formula (pointwise.hpp)
// Every byte of the dst buffer is compared: padding, gaps and the surroundings of a view as well.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "problems/element.hpp"
#include "problems/problem.hpp"

namespace differential {

struct Difference {
    int64_t index; // element of the dst buffer
    uint64_t ours, peer;
    // Of eltwise and binary: what pointwise.hpp expects, and which side meets it.
    bool has_formula = false, special = false, ours_right = false, peer_right = false;
    double expected = 0;
};

struct Case {
    Problem problem;
    std::string ours, peer; // the answers, see execute.hpp
    std::string peer_version;
    std::vector<Difference> differences;
    bool peer_untouched = false; // the peer said success and changed nothing

    bool both_ok() const { return ours.rfind("ok", 0) == 0 && peer.rfind("ok", 0) == 0; }
};

// Beyond the tolerance of the problem's class, the first 64; from answers with bytes.
std::vector<Difference> differences(const Problem& problem, const std::string& ours, const std::string& peer);

std::string describe_difference(const Type& type, const Difference& difference);

// A documented defect or choice of the rival: a disagreement there is not ours. `row` is the row id of the
// specification.
struct Quirk {
    const char* row;
    const char* sentence;
    bool (*applies)(const Case&);
};

const Quirk* find_quirk(const Case& both); // nullptr: nothing explains it
const std::vector<Quirk>& quirks();

} // namespace differential
