// SPDX-License-Identifier: Apache-2.0
// A primitive on buffers of its own, ready to be timed, made through the public interface.
//
//   Work work = move_between(from, to);       // a reorder; throws dnnl::error where the library refuses
//   measure_in_turns(work.run, work.bytes, turns, work.flat);
//
// Bytes are those of the elements read plus those written, padding of the destination included; elements are those of
// the tensor. Buffers live as long as the work.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

namespace tessera::bench {

struct Work {
    std::function<void()> run;
    // Where the types differ in width: the same types from one plain layout to the same, on as many elements. It moves
    // the bytes of the case but for padding, so its time is multiplied by flat_scale.
    std::function<void()> flat;
    double flat_scale = 1;
    int64_t bytes = 0, elements = 0;
    std::unordered_map<int, dnnl::memory> arguments; // of run_on(); their buffers live as long as `run`
};

Work move_between(const dnnl::memory::desc& from, const dnnl::memory::desc& to);
Work shuffle_channels(const dnnl::memory::desc& data, int groups);

// A primitive on tensors of its arguments; what it reads holds small values of both signs. Bytes and elements are those
// of the tensors alone, not of gaps between their rows; work.elements counts what is written.
struct Operand {
    int argument;
    dnnl::memory::desc desc;
    bool written = false;
    dnnl::memory given = {}; // in place of a buffer of its own: what another primitive wrote
};
Work run_on(const dnnl::primitive& primitive, const std::vector<Operand>& operands);

const dnnl::engine& engine();
int64_t volume(const dnnl::memory::dims& dims);

} // namespace tessera::bench
