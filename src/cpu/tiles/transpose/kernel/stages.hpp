// SPDX-License-Identifier: Apache-2.0
// Stages: the stages of a network as vcode, over the registers of a tile.
//
// An exchange (unpack, lanes) is one shuffle a register. A permute is one too, by a table, where the target has it for
// those bits: bytes inside of lanes, dwords or words across them, or bytes with byte_permute. Else it is three: the
// bits that must rise to lanes go to the top of each lane, dwords take them up and bring the fallen ones down, bytes
// inside of lanes put the rest in order.
//
//   Stages stages(code, network, 1);      // tables, before any loop
//   stages.apply(registers);              // a register without id does not exist; what it would hold is anything
//   stages.apply(registers, {0, 4}, {0x30, 0x10});  // the first four stages, on registers 16 to 31 alone
#pragma once

#include <array>
#include <vector>

#include "cpu/jit/vcode.hpp"
#include "cpu/tiles/transpose/kernel/network.hpp"

namespace tessera::cpu {

class Stages {
public:
    Stages(jit::Code& code, const Network& network, int element); // bytes
    struct Range {
        size_t begin, end; // of network.stages
    };
    // Registers whose number has `value` in the bits `mask`, which the stages leave alone.
    struct Part {
        unsigned mask = 0, value = 0;
        bool has(unsigned r) const { return (r & mask) == value; }
    };
    void apply(std::vector<jit::Vec>& registers) { apply(registers, {0, network_.stages.size()}, {}); }
    void apply(std::vector<jit::Vec>& registers, Range range, Part part);

private:
    using Order = std::array<int8_t, 6>; // as in Stage::from
    struct Step {
        int element; // bytes that move as one across lanes; 0: bytes inside of lanes
        jit::Vec table;
    };
    std::vector<Step> steps_of(const Order& from);
    Step step(const Order& from, int element);
    void exchange(const Stage& stage, std::vector<jit::Vec>& registers, Part part);
    void permute(const std::vector<Step>& steps, std::vector<jit::Vec>& registers, Part part);

    jit::Code& code_;
    const Network& network_;
    int element_, bytes_;                  // of a register
    std::vector<std::vector<Step>> steps_; // of each stage; none of exchanges
};

} // namespace tessera::cpu
