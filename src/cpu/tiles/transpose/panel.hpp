// SPDX-License-Identifier: Apache-2.0
// What the ways of panels share: a panel is a box of the nest that goes through a buffer in L1.
#pragma once

#include <functional>

#include "core/division.hpp"
#include "cpu/tiles/transpose/run.hpp"
#include "cpu/tiles/transpose/tiling.hpp"

namespace tessera::cpu {

struct PanelLoop {
    Loop loop;
    int64_t size = 1;   // points of a panel
    int64_t buffer = 0; // stride in the buffer, elements
    int64_t panels() const { return ceil_div(loop.extent, size); }
    // The last one is shifted back to end with the loop.
    int64_t start(int64_t panel) const { return std::min(panel * size, loop.extent - size); }
};

// A mover for the whole of a small nest, in one call.
struct WholeMover {
    Mover mover;
    Mover::Block block{};
    LoopStrides src{}, dst{};

    void operator()(const char* from, char* to, const Bases& bases) const {
        mover.run(from, to, block, src, dst, &bases);
    }
};

// Panels by number: loops in the order of units, the last one fastest.
struct Panels {
    std::vector<PanelLoop> loops;
    int64_t src_base = 0, dst_base = 0; // bytes
    int source = 4, element = 4;

    int64_t count() const;
    void place(int64_t u, int64_t& s, int64_t& d) const;
    std::string text() const;
};

Panels panels_of(const Move& move);

// The loop that has this stride, or loops.size().
size_t dense(const std::vector<PanelLoop>& loops, size_t operand, int64_t stride);

// Prepares the copy into the buffer or out of it. `along_dst`: lines of dst are written in runs, for src lies in L1.
bool prepare(WholeMover& whole, const Move& move, const std::vector<PanelLoop>& loops, bool into_buffer,
             TransposeSpec spec, bool streams, bool along_dst);

// Byte offsets in an operand of the points of the loops that `take` names, in the order of the buffer.
std::vector<int64_t> rows_of(const std::vector<PanelLoop>& loops, size_t operand, int64_t element,
                             const std::function<bool(size_t)>& take);

// An odd number of lines, at least three: rows of the buffer that a power of two lies between share no set.
int64_t odd_pitch(int64_t bytes);

std::unique_ptr<Job> make_combined_job(const Move& move, const TransposeChoice& direct);

} // namespace tessera::cpu
