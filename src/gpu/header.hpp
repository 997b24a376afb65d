// SPDX-License-Identifier: Apache-2.0
// What a kernel reads besides operands, each number with its name: one place knows where it stands.
//
//   Header h(plan);
//   h.add("rows", 128);      // const place rows = nest[4];
#pragma once

#include <string_view>

#include "gpu/source.hpp"

namespace tessera::gpu {

class Header {
public:
    // The number of the group, in `group`; the buffers o0, o1, ... of operands in memory, from their first bytes.
    explicit Header(const Plan& plan);
    void add(std::string_view name, int64_t value);
    // Where operand o is along a loop, as stride_{name}{o} and table_{name}{o} (-1: none); ALONG() takes them.
    void add_loop(std::string_view name, const Loop& loop, size_t operands);
    // A number that QUOTIENT() and divided() divide by.
    void add_divisor(const std::string& name, int64_t by);
    // The loops that PLACE() reads, in `loops`; nothing may be added behind them.
    void add_loops(std::span<const Loop> loops, size_t operands);

    const std::string& text() const { return text_; }
    std::vector<int64_t> numbers, tables;

private:
    int64_t add_table(const Table& table); // where it starts, -1 for none
    std::string text_;
};

// "global const place* restrict nest, ..., buffer restrict b0": the arguments of every kernel. `space`: of numbers;
// those of kernels without loops() may be "constant", which GPUs have a cache of its own for.
std::string source_of_arguments(const Plan& plan, std::string_view space = "global");
// " + i * stride_row0": the way of operand o along a loop that was added under `name`; strides of 0 and 1 are known
// when the kernel is compiled.
std::string along(const Loop& loop, std::string_view name, std::string_view number, size_t o);
// n / by for a divisor of the header; QUOTIENT() where `wide` places are 64 bits, which are divided.
std::string divided(std::string_view n, std::string_view name, bool wide);
// Without hints to unroll loops, where the device should not (DeviceRow::unrolls).
std::string unrolled_as(const DeviceRow& row, std::string source);
// What stands in front of every kernel: the type of places, and source_of_types(), with f16 as in
// DeviceRow::converts_f16().
std::string source_in_front(bool wide, bool converts_f16);
// transposed(from, stride, to, pitch): to[r * pitch + c] = from[c * stride + r] for a block of so many rows and
// columns, unsigned integers of so many bits, from an address space to local memory.
int block_of_transposes(int bits);
std::string source_of_transposes(int bits, std::string_view from_space);
// Whether some element number or number of a point along the loops needs 64 bits; without the latter, for kernels that
// count along each loop alone. Or the row asks for them.
bool needs_wide_places(const DeviceRow& row, const Plan& plan, const Nest& nest);
bool needs_wide_elements(const DeviceRow& row, const Plan& plan, const Nest& nest);

} // namespace tessera::gpu
