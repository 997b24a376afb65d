// SPDX-License-Identifier: Apache-2.0
// The entries of a problem's post-ops: what they are appended with, and the tensors they read.
// Example: "mul:2:0:s8" of a 2x16x5x5 problem reads one s8 tensor, 1x16x1x1, as MULTIPLE_POST_OP(0) | SRC_1.
#pragma once
#include <string>
#include <vector>

#include "operands.hpp"

namespace differential {

std::vector<Operand> post_op_operands(const Problem& problem, size_t index);

// `skip` is set where the linked library lacks the call.
dnnl_status_t append_post_op(const Problem& problem, size_t index, dnnl_post_ops_t list, std::string& skip);

} // namespace differential
