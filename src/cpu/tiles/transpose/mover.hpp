// SPDX-License-Identifier: Apache-2.0
// Mover: one transposition between two places, block by block, through the kernel that choose_transpose asked for.
//
// A block is a range of tiles of every loop. The last tile of a loop is shifted back to end with it, so that blocks
// that start there begin earlier than their number says (`start`).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "cpu/executor/job.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/tiles/transpose/choose.hpp"

namespace tessera::cpu {

inline constexpr size_t most_loops = 12;
using LoopStrides = std::array<int64_t, most_loops>; // bytes, by loop of the choice

struct Mover {
    TransposeChoice choice;
    std::shared_ptr<const jit::Kernel> kernel, streaming; // the latter for aligned destinations, or null
    PerOperand<int64_t> broadcast_at{};                   // bytes

    struct Block {
        std::array<int64_t, most_loops> begin, count; // tiles
    };

    // Sets the kernels; `streams`: dst is worth non-temporal stores, which need whole lines of it.
    bool make_kernels(const jit::Target& target, bool streams, bool prefetches, bool fences = true);

    std::vector<const jit::Kernel*> kernels() const {
        std::vector<const jit::Kernel*> list{kernel.get()};
        if (streaming) list.push_back(streaming.get());
        return list;
    }
    static int64_t start(const TiledLoop& t, int64_t begin) { return std::min(begin * t.tile, t.loop.extent - t.tile); }
    static int64_t points(const TiledLoop& t, int64_t begin, int64_t count) {
        return std::min((begin + count) * t.tile, t.loop.extent) - start(t, begin);
    }
    void run(const char* src, char* dst, const Block& b, const LoopStrides& src_stride, const LoopStrides& dst_stride,
             const Bases* bases = nullptr) const;
};

} // namespace tessera::cpu
