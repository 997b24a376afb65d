// SPDX-License-Identifier: Apache-2.0
// What the processor can do at most, for the dot benchmark: arithmetic from registers and reading, by loops generated
// here, in turns with the cases.
//
//   Arithmetic f32(Kind::f32);
//   Reading reading(bytes);
//   f32.turn(); reading.turn();                 // again and again, between the turns of the case
//   max(f32.seconds(operations), reading.seconds(bytes))
//
// A multiply-add counts as two operations. The instruction is the fastest that multiplies the kind exactly and
// accumulates in f32 or s32, within dnnl_get_effective_cpu_isa(), so that ONEDNN_MAX_CPU_ISA caps the peak as it caps
// the library. Each rate is the best of all turns, for the team of threads and for one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tessera::bench {

enum class Kind { f32, bf16, f16, int8 };

// Amounts a second; the team's start is paid once.
struct Rates {
    double one = 0, team = 0;
    double seconds(double amount) const;
};

class Arithmetic {
public:
    explicit Arithmetic(Kind kind);
    ~Arithmetic();
    void turn();
    double seconds(double operations) const { return rates_.seconds(operations); }
    const Rates& rates() const { return rates_; }
    const char* instruction() const;
    bool by_tiles() const; // AMX

private:
    struct Loop;
    std::unique_ptr<Loop> loop_;
    Rates rates_;
};

// Reads of one buffer of so many bytes from its begin to its end.
class Reading {
public:
    explicit Reading(int64_t bytes);
    void turn();
    double seconds(double bytes) const { return rates_.seconds(bytes); }
    const Rates& rates() const { return rates_; }

private:
    std::vector<char> buffer_;
    Rates rates_;
};

} // namespace tessera::bench
