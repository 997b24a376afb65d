// SPDX-License-Identifier: Apache-2.0
// Fields of verbose lines, in the spelling of oneDNN's logs, which differs from that of plans and messages (VRB-04,
// VRB-06).
//
//   src:f32::blocked:ab::f0 src:f32::blocked:ab::f0 dst:f32:a:blocked:ab::f0   2x3:1x3
#pragma once

#include <string>

#include "core/problem/problem.hpp"

namespace tessera {

std::string tensors_of(const Problem& p); // without those of attributes
std::string shape_of(const Problem& p);

} // namespace tessera
