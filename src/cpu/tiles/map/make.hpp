// SPDX-License-Identifier: Apache-2.0
// From the operands of a step to a kernel of the map tile: what every job with such a kernel does.
//
//   MapSpec spec = map_spec(program, plan.operands);
//   for (size_t o = 0; o < plan.operands.size(); ++o)
//       if (!set_column(spec, o, columns.stride[o])) return nullptr;
//   job->kernel = map_kernel(target, spec);
#pragma once

#include <initializer_list>
#include <memory>
#include <span>

#include "core/plan/plan.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/tiles/map/contract.hpp"

namespace tessera::cpu {

// Bytes of dst in a row from which its stores may be non-temporal: up to a vector at either end is stored without, 6 %
// of such a row.
inline constexpr int64_t least_streamed_row = 2048;

// The types of `operands`, and of buffers behind them that the job adds (sums of products). All columns are 0.
MapSpec map_spec(const Program& program, std::span<const Operand> operands,
                 std::initializer_list<DataType> buffers = {});
// How the operand advances along the columns; false where the tile cannot do so: 0 and 1 are possible, and any stride
// of a counted operand.
bool set_column(MapSpec& spec, size_t operand, int64_t stride);
// Null where can_build_map is false, too.
std::shared_ptr<const jit::Kernel> map_kernel(const jit::Target& target, const MapSpec& spec);

} // namespace tessera::cpu
