// SPDX-License-Identifier: Apache-2.0
// Steps over the axes of recurrent cells, and the memory that they read and write.
//
//   Steps steps;
//   const Block gates = steps.scratch("gates", DataType::f32, {.time = T, .row = N, .gate = G, .channel = C});
//   steps.repeat(T, false, [&] {                     // at t = 0, 1, ...; in it, steps have no axis of time
//       const int to = steps.view(gates);            // an operand of the plan, for programs
//       ...
//       steps.product(extents, input, {states}, {weights}, epilogue);
//   });
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/plan.hpp"
#include "ops/rnn/rnn.hpp"

namespace tessera::ops {

// channel: of what a step writes; input: the channels that products sum over. Backward it is the other way round.
enum Axis : size_t { time_axis, row_axis, gate_axis, channel_axis, input_axis, all_axes };

struct Extents {
    int64_t time = 1, row = 1, gate = 1, channel = 1, input = 1;
    std::array<int64_t, all_axes> list() const { return {time, row, gate, channel, input}; }
    Extents without(int axes) const; // a mask: 1 along these
};
// DenseLayout memory in the order of the axes: its layout, and its elements; none if these are more than 64 bits count.
struct DenseLayout {
    Layout layout;
    std::optional<int64_t> elements;
};
DenseLayout dense(const Extents& extents);

// A region of a tensor, of the workspace or of temporary memory, with its layout over the axes; stride 0 along those
// that it lacks.
struct Block {
    Operand operand;
    Layout layout;
    bool exists = true; // false: an optional tensor that is absent

    explicit operator bool() const { return exists; }
    // Along an axis of one stride: what starts at `index`, and the element at `index` alone.
    Block from(Axis axis, int64_t index) const;
    Block at(Axis axis, int64_t index) const;
    Block swapped() const; // channels as inputs, inputs as channels
    bool is_plain() const; // one stride along every axis
};

class Steps {
public:
    // The tensor of argument `id`; `axes`: for each dim its axis, or all_axes where `at` has a coordinate.
    static Block tensor(const Problem& problem, int id, const std::vector<Axis>& axes, const std::vector<int64_t>& at);

    Block scratch(std::string name, DataType type, const Extents& extents);
    // A list of values known now, along gates and channels; of one value: the same everywhere.
    Block constants(std::string name, std::vector<float> values, const Extents& extents);

    int view(const Block& block); // equal blocks of a layer are one operand
    // The program at every point; loops follow what it stores last.
    void map(const Extents& extents, const Program& program);
    // `summed`: the mask of the axes that are summed over. Over none of their points, the sum is 0.
    void product(const Extents& extents, int summed, ValueType type, const Block& a, const Block& b,
                 const Program& epilogue);
    // The program has a reduction, over the axes of `summed`.
    void reduce(const Extents& extents, int summed, const Program& program);
    void repeat(int64_t turns, bool backwards, const std::function<void()>& steps);
    void add_padding_of(const MemoryDesc& md, const Block& block);

    Plan plan;
    FpmathMode fpmath = FpmathMode::strict; // as in Space
    bool too_large = false;                 // temporary memory of more than 2^62 bytes was asked for

private:
    void add(const Extents& extents, int summed, int program);
    // Steps over no points, and sums over none of theirs: what a step comes to, if it is none of its kind.
    bool is_nothing(const Extents& extents, int summed, const Program& program);
    // The layout of an operand in the steps that are added.
    Layout layout_in(int operand, const std::array<int64_t, all_axes>& extents) const;
    bool turning_ = false;
    std::vector<Layout> layouts_; // by operand
};

} // namespace tessera::ops
