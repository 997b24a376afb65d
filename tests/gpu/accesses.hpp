// SPDX-License-Identifier: Apache-2.0
// What a GPU would pay for a kernel's accesses to memory, without one: the printed kernel runs on whatever device there
// is, for a few of its groups, with every access noted, and the notes are read as a GPU has them: 32 work-items at a
// time, sectors of 32 bytes of global memory, 32 banks of 4 bytes of local memory.
#pragma once

#include <string>

#include "gpu/device.hpp"
#include "gpu/kernels.hpp"

namespace tessera::test {

// Shares are of bytes that are used; sectors count once for a group (which has a cache) and once for an instruction.
struct Accesses {
    double read = 1, written = 1;                 // of the sectors that a group touches
    double read_at_once = 1, written_at_once = 1; // of those that instructions of 32 work-items touch
    double conflicts = 1;                         // passes of local memory for an instruction; 1: none waits for a bank
    double in_flight = 0;                         // bytes that a work-item loads before it stores
    // Of a group, on average over those that ran: sectors of memory that it touches, and that its instructions do.
    double bytes = 0, bytes_at_once = 0;
    // Of its slowest work-item: how often it waits for memory and for local memory, one load after the other, and for
    // the group.
    double waits = 0, local_waits = 0, barriers = 0;
    double divisions = 0, instructions = 0; // of a work-item: of places by PLACE, of programs and accesses
};
// No operand has more than `room_of_operand` bytes; they take no memory before they are touched.
Result<Accesses> accesses(gpu::Device& device, const Plan& plan, const gpu::Kernel& kernel,
                          size_t room_of_operand = 512 << 20);

} // namespace tessera::test
