// What the calls of the three normalizations have in common.
#pragma once
#include "row.hpp"

namespace differential {

void normalization_operands(const Problem& p, const Dims& sets, int64_t channels, std::vector<Operand>& inputs,
                            std::vector<Operand>& outputs);
const_dnnl_memory_desc_t result_of(const Problem& p, const Operands& o); // of dst or diff_src
unsigned flags_of(const Problem& p);

} // namespace differential
