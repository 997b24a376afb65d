// SPDX-License-Identifier: Apache-2.0
// What the harness knows of a primitive: the grammar of its lines, its random problems, and what it should compute.
// calls/ has the calls that make it, which need a library.
#pragma once
#include <string>
#include <vector>

#include "../formula/formula.hpp"

namespace differential {

class Generator;
struct Random;

struct Row {
    const char* name;
    // ---- lines
    bool copies = false;        // elements: one src, one dst, judged by bytes and hashes alone
    bool directed = false;      // --dir
    bool has_algorithm = false; // --alg
    bool dst_follows = false;   // dst is like src in all that is not said
    bool has_other = false;     // a second operand, --odt and the like
    bool has_sources = false;   // --sources in place of src
    bool has_axis = false, has_group = false;
    bool multiplies = false;      // sums of products; --sources is the bias
    bool scales_results = false;  // the scale of src multiplies what the formula gives, that of dst divides it
    bool gradient_of_src = false; // backward by data the judged tensor has the place of src
    bool has_fractions = false;   // values of inputs are within 1/2 of 0
    bool windowed = false;        // --windows, one for each spatial dim
    // ----
    void (*generate)(const Generator&, Random&, Problem&);
    std::vector<Expected> (*formula)(const Problem&, const std::vector<Tensor>& inputs) = nullptr; // null: by bytes
};
#define PRIMITIVE(name, number) extern const Row name##_row;
#include "core/problem/primitives.def"
#undef PRIMITIVE

const std::vector<const Row*>& rows();
const Row* find_row(const std::string& name);
inline const Row& row_of(const Problem& p) { return *find_row(p.primitive); }

} // namespace differential
