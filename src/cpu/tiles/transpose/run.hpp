// SPDX-License-Identifier: Apache-2.0
// Three ways to run a step whose rows are contiguous on one side only, or short:
//
//   TransposeJob   tile by tile from src to dst, converted on the way
//   staged         a block at a time through a buffer in L1, its program under the map tile: programs that do not fit
//                  the transpose tile
//   panel          a panel of src at a time into a buffer and from there to dst: rows a power of two apart, and chains
//                  of loops of src with extents that no tile covers
#pragma once

#include "cpu/tiles/transpose/mover.hpp"

namespace tessera::cpu {

// A step as it is known before a tile is chosen. Operand 0 is read, operand 1 written.
struct Move {
    const Plan& plan;
    const Step& step;
    const Program& program;
    const jit::Target& target;
    const Context& context;
    DataType from, to;
    bool copy, reads_dst, broadcasts; // broadcasts: operands beside the two hold one element for all points
    int source, element;              // bytes of an element of src and dst

    int64_t bytes() const { return step.nest.points() * (source + element); }
    bool streams() const { return context.streams(bytes()); }
    TransposeSpec spec() const;                                                                  // converts on the way
    int64_t at(size_t o) const { return step.nest.base[o] * (bits(plan.operands[o].type) / 8); } // bytes
};

class TransposeJob final : public Job {
public:
    Mover mover;
    LoopStrides src_stride{}, dst_stride{}; // of the operands
    int64_t src_base = 0, dst_base = 0;     // bytes
    int element = 4, source = 4;

    TransposeJob(const Move& move, TransposeChoice choice);
    void run(const Bases& bases, int64_t first, int64_t last) const override;
    void place(int64_t u, Mover::Block& b, int64_t& s, int64_t& d) const;
    std::string text() const override { return to_string(mover.choice); }
    std::vector<const jit::Kernel*> kernels() const override {
        std::vector<const jit::Kernel*> list{mover.kernel.get()};
        if (mover.streaming) list.push_back(mover.streaming.get());
        return list;
    }
};

// Null when they do not fit the step or, for panels, when tile by tile is better.
std::unique_ptr<Job> make_staged_job(const Move& move);
std::unique_ptr<Job> make_panel_job(const Move& move, const TransposeChoice& direct);

} // namespace tessera::cpu
