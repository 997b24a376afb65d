// SPDX-License-Identifier: Apache-2.0
// The machines that all tests of kernels, plans and problems run on: each row of isa.def that changes what is
// generated, with and without byte permutes and fast products of bf16, from no generated code to AMX.
//
// Kernels that this processor can execute run as machine code. From the first call of machines() on, all others run
// through the interpreter of vcode, kernel by kernel: on a processor without AMX only those that use tiles.
// ONEDNN_MAX_CPU_ISA makes this processor a smaller one.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "core/machine.hpp"
#include "cpu/jit/target.hpp"
#include "cpu/jit/vcode.hpp"

namespace tessera {

const std::vector<Context>& machines(); // portable first, then from small to large; two threads
std::vector<Context> generating_machines();
const Context& machine_named(std::string_view name); // throws std::out_of_range

// Whether its kernels run as machine code: all, all but those with tiles, or none.
enum class Execution : uint8_t { machine_code, tiles_interpreted, interpreted };
Execution execution_of(const Machine& machine);
std::string coverage();                        // a line a machine, for people
std::string test_name(const Machine& machine); // letters, digits and _
inline void PrintTo(const Context& machine, std::ostream* to) { *to << machine.name; }

// While it lives, engines compile for that machine and its number of threads, and no primitive is kept in the cache.
class StandIn {
public:
    explicit StandIn(const Context& machine);
    ~StandIn();
    StandIn(const StandIn&) = delete;
    StandIn& operator=(const StandIn&) = delete;

private:
    const Context machine_;
    int capacity_ = 0;
};

namespace cpu::jit {

// The machines' targets, each once; AMX changes no kernel but those of the dot tile.
std::vector<Target> vector_targets();
std::vector<Target> host_targets(); // those that this processor has
bool runs_here(const Target& target);
bool runs_here(const Code& code);

} // namespace cpu::jit

} // namespace tessera
