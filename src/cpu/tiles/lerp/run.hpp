// SPDX-License-Identifier: Apache-2.0
// Linear resampling in two passes, block by block. First a row of src is stretched along one dimension into a buffer in
// L1, as f32; then the program of the step runs over the rows between which dst lies. A row is stretched once for all
// rows of dst that read it: of x2 in two dimensions that halves the work of the first pass, and the second one is the
// map tile on contiguous rows, whatever the layout.
//
//   nhwc, nChw16c   a pixel is a row of channels between two others (tiles/lerp: channels)
//   nchw            lanes are permuted (lanes); rows of several planes go together
//   bf16 ..         converted once, before the first pass; lanes on the way
//
// Results are bitwise those of the program: every value is computed by the same operations.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cpu/executor/job.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/tiles/lerp/pattern.hpp"

namespace tessera::cpu {

// The rest of L1 sees src and dst pass by. Of 48 KiB of L1, 16 and 44 KiB are as fast.
inline constexpr int64_t lerp_buffer_bytes = 32 << 10;
inline constexpr size_t most_lerp_members = 4;

// A range of pixels, and what it reads: `span` elements from `low` on, relative to the start of a row of src.
struct LerpBlock {
    int64_t begin = 0, count = 0, low = 0, span = 0;
    std::vector<char> table;          // of the kernel
    int64_t places = 0;               // entries of the table
    std::vector<int32_t> left, right; // gather indices from `low` on, where lanes lie too far apart
};

class LerpJob final : public Job {
public:
    std::shared_ptr<const jit::Kernel> convert, stretch, finish;
    Nest nest;              // outer loops, planes, lines, pixels, columns
    std::vector<int> size;  // bytes of an element, by operand
    std::vector<bool> used; // by the second pass
    LerpPattern pattern;
    std::vector<std::vector<float>> complements; // values of pattern.complements
    std::vector<LerpBlock> blocks;
    int64_t block_planes = 1, block_lines = 1;
    bool flat = true;    // pixels and columns are one row of dst
    int64_t overrun = 0; // elements of a row of dst that the next line writes again
    int64_t lanes = 16;
    int64_t pitch = 0, converted_pitch = 0; // bytes of a row in the buffer

    const Loop& loop(size_t from_last) const { return nest.loops[nest.loops.size() - 1 - from_last]; }
    const Loop& columns() const { return loop(0); }
    const Loop& pixels() const { return loop(1); }
    const Loop& lines() const { return loop(2); }
    const Loop& planes() const { return loop(3); }
    std::span<const Loop> outer() const { return {nest.loops.data(), nest.loops.size() - 4}; }
    bool packs() const { return !blocks[0].left.empty(); }

    void run(const Bases& bases, int64_t first, int64_t last) const override;
    std::vector<const jit::Kernel*> kernels() const override;
    std::string text() const override;
    void count();

private:
    struct Unit {
        const Bases& bases;
        const LerpBlock& block;
        int64_t planes;
        char* buffer;
        std::array<int64_t, job_operands> at; // elements
    };

    using Rows = std::array<const char*, most_lerp_members>;
    using Slots = std::array<size_t, most_lerp_members>;

    void one(const Bases& bases, int64_t u, char* buffer) const;
    char* slot(char* buffer, size_t s) const { return buffer + int64_t(s) * block_planes * pitch; }
    char* behind_slots(char* buffer) const { return slot(buffer, pattern.members.size()); }
    void run_line(const Unit& unit, int64_t line, int64_t more, Rows& kept) const;
    void stretch_rows(const Unit& unit, const char* row, char* out) const;
    void finish_line(const Unit& unit, int64_t line, int64_t more, const Slots& slot_of) const;
};

} // namespace tessera::cpu
