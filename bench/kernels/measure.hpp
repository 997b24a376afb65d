// SPDX-License-Identifier: Apache-2.0
// Kernels of products, one thread, against peaks measured in turns with them: what the benches beside the tiles
// (src/cpu/tiles/{dot,amx,few}/bench.cpp) share.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cpu/jit/kernel.hpp"
#include "cpu/tiles/dot/kernel/contract.hpp"

namespace tessera::cpu::bench {

using jit::Code;
using jit::Target;
using KernelPtr = std::shared_ptr<const jit::Kernel>;

// Large pages where there are, touched: 2 MiB of small ones miss the TLB as much as the caches.
class Buffer {
public:
    explicit Buffer(size_t bytes);
    ~Buffer();
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    uint8_t* data(size_t at = 0) const { return static_cast<uint8_t*>(data_) + at; }

private:
    size_t bytes_;
    void* data_;
};

struct Work {
    double amount; // products twice, or bytes of weights
    std::function<void()> run;
    std::function<void()> before = [] {}, after = [] {}; // of many runs
};

// Both throw std::runtime_error where there is no such kernel.
KernelPtr made(const Target& target, const std::string& key, const std::function<Code()>& build);
KernelPtr made(const Target& target, const DotSpec& spec);

struct PeakArgs { // of kernels that are yardsticks
    int64_t turns;
    const void* data;
};

struct Options {
    std::string filter;
    int turns = 9;
};

// Prints name, rate in 10^9 a second, and the median fractions of each peak, in turns with which it runs.
void measure(const Options& o, const std::string& name, const std::function<Work()>& make,
             const std::function<std::vector<Work>()>& make_peaks);

// One for each tile. `memory`: of bytes_of_memory, which all kernels use one after the other.
constexpr size_t bytes_of_memory = size_t(66) << 20;
void measure_blocks(const Options& o, const Target& target, const Buffer& memory);
void measure_tiles(const Options& o, const Target& target, const Buffer& memory);
void measure_few_rows(const Options& o, const Target& target, const Buffer& memory);

} // namespace tessera::cpu::bench
