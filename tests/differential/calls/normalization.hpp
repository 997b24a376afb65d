// SPDX-License-Identifier: Apache-2.0
// What the calls of the three normalizations have in common.
#pragma once
#include "row.hpp"

namespace differential {

void normalization_operands(const Problem& p, const Dims& sets, int64_t channels, std::vector<Operand>& inputs,
                            std::vector<Operand>& outputs);
const_dnnl_memory_desc_t result_of(const Problem& p, const Operands& o); // of dst or diff_src
// A descriptor like `src` whose layout is left open: of what a hint writes, since src may lie upon itself.
const_dnnl_memory_desc_t any_layout_of(const_dnnl_memory_desc_t src, Descriptor& made);
unsigned flags_of(const Problem& p);

} // namespace differential
