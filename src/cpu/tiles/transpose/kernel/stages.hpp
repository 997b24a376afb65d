// Stages: the stages of a network as vcode, over the registers of a tile.
//
// An exchange (unpack, lanes) is one shuffle a register. A permute is one too, by a table, where the target has it for
// those bits: bytes inside of lanes, dwords or words across them, or bytes with byte_permute. Else it is three: the
// bits that must rise to lanes go to the top of each lane, dwords take them up and bring the fallen ones down, bytes
// inside of lanes put the rest in order.
//
//   Stages stages(code, network, 1);      // tables, before any loop
//   stages.apply(registers);              // a register without id does not exist; what it would hold is anything
#pragma once

#include <array>
#include <vector>

#include "cpu/jit/vcode.hpp"
#include "cpu/tiles/transpose/kernel/network.hpp"

namespace tessera::cpu {

class Stages {
public:
    Stages(jit::Code& code, const Network& network, int element); // bytes
    void apply(std::vector<jit::Vec>& registers);

private:
    using Order = std::array<int8_t, 6>; // as in Stage::from
    struct Step {
        int element; // bytes that move as one across lanes; 0: bytes inside of lanes
        jit::Vec table;
    };
    std::vector<Step> steps_of(const Order& from);
    Step step(const Order& from, int element);
    void exchange(const Stage& stage, std::vector<jit::Vec>& registers);
    void permute(const std::vector<Step>& steps, std::vector<jit::Vec>& registers);

    jit::Code& code_;
    const Network& network_;
    int element_, bytes_;                  // of a register
    std::vector<std::vector<Step>> steps_; // of each permute
};

} // namespace tessera::cpu
