// SPDX-License-Identifier: Apache-2.0
// What the dot tile says of a product before any kernel is made: it takes it, or it takes it if some parts become steps
// of their own (core/plan/rewrite/split_product.hpp), or not at all, and why.
//
//   src aB16b x weights -> dst ab    taken if the left factor is copied
//   s8 x s16 -> s32                  "weights is s16, and kernels of integers multiply 8 bits"
#pragma once

#include <string>

#include "core/machine.hpp"
#include "core/plan/rewrite/split_product.hpp"
#include "cpu/jit/target.hpp"

namespace tessera::cpu {

struct DotAnswer {
    bool taken = false;
    DotParts parts;      // to be split off first
    std::string why_not; // where it is not taken, for people
};

// A pure function, a few microseconds for each part. The plan has the step alone; `matrices` are those of the step.
DotAnswer ask_dot(const Plan& plan, const Step& step, const Matrices& matrices, const jit::Target& target,
                  const Context& context);

// The right factor of a product that panels of memory, 16 columns each, would serve: it is packed at every execution,
// or read in rows that are apart, each of which is a page or some lines of a cache of its own. One dim of columns and
// one of k; no result for others, and none where it lies in panels.
struct DotPanels {
    int64_t vnni;        // elements of k side by side
    bool packs;          // at every execution
    size_t n = 0, k = 0; // the dims
};
std::optional<DotPanels> panels_of(const Plan& plan, const Step& step, const Matrices& matrices,
                                   const jit::Target& target, const Context& context);

} // namespace tessera::cpu
