// SPDX-License-Identifier: Apache-2.0
// What products of every turn of a repeat multiply with, packed once, before the first turn.
//
//   repeat        loops(50:..)                       map           panels of weights
//     product     32x1024 sum 256 of states, weights ->  repeat        loops(50:..)
//     map         ..                                     product   32x1024 sum 256 of states, panels
#pragma once

#include "core/machine.hpp"
#include "core/plan/plan.hpp"
#include "cpu/jit/target.hpp"

namespace tessera::cpu {

// `plan` has the repeat alone. The result begins with the steps that pack, if there are any; panels are in scratch
// memory, whose bytes are those of Plan::scratch. Packed is what the dot tile would pack in each turn, if it stays
// where it is and no turn writes it.
Plan packed_once(const Plan& plan, const Step& repeat, const jit::Target& target, const Context& context);

} // namespace tessera::cpu
