// SPDX-License-Identifier: Apache-2.0
// Two steps a panel: src -> buffer in L1 -> dst.
//
//   combined  rows of dst that lie a power of two apart share one set of L1 (combined.cpp)
//   pitched   rows of src that lie a power of two apart share one set of L1, and every line is fetched once for each
//             piece of it. Rows are copied into a buffer with an odd number of lines a row and transposed from there.
//   chained   the contiguous run of src is a chain of loops that no tile covers (oihw with 3x3 taps: 9 of 16 lanes
//             work). The chain is transposed as one loop, then its lines are scattered to dst.
#include <algorithm>
#include <cstring>

#include <immintrin.h>

#include <fmt/format.h>

#include "cpu/tiles/transpose/panel.hpp"

namespace tessera::cpu {

namespace {

// In cache 128 rows of 256 bytes. Beyond, 128 bytes of src and up to 256 of dst: 128 x 256 costs f32 0.54 -> 0.43,
// words 0.53 -> 0.42, bytes 0.45 -> 0.38 of memcpy on Zen 4.
constexpr int64_t panel_rows = 128, panel_run_bytes = 256, narrow_run_bytes = 128;
constexpr int64_t least_panel = 512;      // elements
constexpr int64_t chain_bytes = 10 << 10; // 16 rows of 576 bytes; 1 of 4 blocks: 0.26 instead of 0.37
constexpr int64_t caches_of_panels = 4;   // beyond so many L2: prefetch and non-temporal stores

class PanelJob final : public Job {
public:
    Panels panels;
    WholeMover first, second;
    std::vector<int64_t> row_at; // bytes of each row of a pitched panel; with prefetches copied, not moved by `first`
    int64_t row_bytes = 0, pitch = 0;
    bool prefetches = false;

    void run(const Bases& bases, int64_t begin, int64_t end) const override {
        alignas(64) char buffer[buffer_bytes];
        int64_t s = 0, d = 0, next_s = 0, next_d = 0;
        if (begin < end) panels.place(begin, s, d);
        for (int64_t u = begin; u < end; ++u) {
            if (u + 1 < end) panels.place(u + 1, next_s, next_d);
            const bool ahead = prefetches && u + 1 < end;
            if (ahead)
                copy_rows(bases[0] + s, bases[0] + next_s, buffer);
            else
                first(bases[0] + s, buffer, bases);
            second(buffer, bases[1] + d, bases);
            s = next_s, d = next_d;
        }
        if (second.mover.streaming) _mm_sfence();
    }
    std::string text() const override {
        return fmt::format("panels {} {} a buffer; to dst by {}", panels.text(),
                           prefetches ? "copied to" : "by " + to_string(first.mover.choice) + " to",
                           to_string(second.mover.choice));
    }
    std::vector<const jit::Kernel*> kernels() const override {
        std::vector<const jit::Kernel*> list;
        if (!prefetches) list = first.mover.kernels();
        for (const jit::Kernel* k : second.mover.kernels()) list.push_back(k);
        return list;
    }

private:
    // Prefetches of the next panel are issued between the lines of this one: all at once they stall.
    void copy_rows(const char* from, const char* next, char* to) const {
        for (int64_t at : row_at) {
            const char* const row = from + at;
            int64_t b = 0;
            for (; b + line_bytes <= row_bytes; b += line_bytes) {
                std::memcpy(to + b, row + b, line_bytes);
                __builtin_prefetch(next + at + b, 0, 2);
            }
            if (b < row_bytes) std::memcpy(to + b, row + b, size_t(row_bytes - b));
            to += pitch;
        }
    }
};

TransposeSpec copy_of(int element) {
    TransposeSpec s;
    s.element = s.source = element;
    return s;
}

// Whether more rows of a tile fall into one set of L1 than it has ways.
bool rows_collide(const Move& move, const TransposeChoice& direct) {
    std::array<int, page / line_bytes> sets{};
    std::vector<int64_t> rows{0};
    for (const TiledLoop& t : direct.loops) {
        if (t.index < 0 || t.loop.stride[0] == 1) continue;
        const size_t had = rows.size();
        for (int64_t i = 1; i < t.tile; ++i)
            for (size_t r = 0; r < had; ++r) rows.push_back(rows[r] + i * t.loop.stride[0] * move.source);
    }
    int most = 0;
    for (int64_t r : rows) most = std::max(most, ++sets[size_t(r % page + page) % page / line_bytes]);
    return most > move.context.l1_ways;
}

std::unique_ptr<PanelJob> job_of(const Move& move) {
    auto job = std::make_unique<PanelJob>();
    job->panels = panels_of(move);
    job->bytes = move.bytes();
    return job;
}

std::unique_ptr<Job> finished(std::unique_ptr<PanelJob> job) {
    job->units = job->panels.count();
    return job;
}

std::unique_ptr<Job> pitched(const Move& move, const TransposeChoice& direct) {
    // Zen 4, squares of 1024 and 4096, without and with panels: bytes 0.33 -> 0.47 and 0.15 -> 0.45, words 0.34 -> 0.37
    // and 0.40 -> 0.53, f32 0.65 -> 0.55 and 0.49 -> 0.54. Between, words lose (reversal of 32x48x40x56 0.40 -> 0.21).
    const bool beyond = move.bytes() > caches_of_panels * move.context.l2_bytes;
    const int widest = std::max(move.source, move.element);
    if (!move.streams() && (widest > 2 || (widest == 2 && beyond))) return nullptr;
    auto job = job_of(move);
    auto& loops = job->panels.loops;
    size_t c = dense(loops, 0, 1), r = dense(loops, 1, 1);
    if (c == loops.size() || r == loops.size() || c == r || !rows_collide(move, direct)) return nullptr;
    // Columns fastest: the next panel lies on the same pages of src.
    std::rotate(loops.begin() + long(c), loops.begin() + long(c) + 1, loops.end());
    c = loops.size() - 1;
    loops[c].size = std::min(loops[c].loop.extent, (beyond ? narrow_run_bytes : panel_run_bytes) / move.source);
    loops[c].buffer = 1;
    const int64_t pitch = odd_pitch(loops[c].size * move.source) / move.source;
    const int64_t most_rows = beyond ? std::min(panel_rows, panel_run_bytes / move.element) : panel_rows;
    int64_t rows = 1, next = 1; // along dst
    for (r = dense(loops, 1, 1); r < loops.size() && r != c && rows < most_rows; r = dense(loops, 1, next)) {
        loops[r].size = std::min(loops[r].loop.extent, most_rows / rows);
        loops[r].buffer = pitch * rows;
        rows *= loops[r].size;
        next *= loops[r].loop.extent;
        if (loops[r].size < loops[r].loop.extent) break;
    }
    if (rows * pitch * move.source > buffer_bytes) return nullptr;
    // Blocked layouts of dst cut panels into small pieces: 4 x 16 bytes of ab -> BA16a16b4a, 4096^2, 0.05 of memcpy.
    if (rows * loops[c].size < least_panel) return nullptr;
    job->prefetches = beyond;
    if (!prepare(job->first, move, loops, true, copy_of(move.source), false, false)) return nullptr;
    job->row_at = rows_of(loops, 0, move.source, [&](size_t k) { return k != c; });
    job->row_bytes = loops[c].size * move.source, job->pitch = pitch * move.source;
    if (!prepare(job->second, move, loops, false, move.spec(), beyond, true)) return nullptr;
    return finished(std::move(job));
}

std::unique_ptr<Job> chained(const Move& move, const TransposeChoice& direct) {
    auto job = job_of(move);
    auto& loops = job->panels.loops;
    const size_t c = dense(loops, 0, 1);
    // Words lose (0.35 -> 0.30, their lines are stored twice), f32 too (0.53 -> 0.45).
    if (std::max(move.source, move.element) > 1 || c == loops.size() || direct.loops[c].index < 0) return nullptr;
    const TileLoop& tile = direct.spec.loops[size_t(direct.loops[c].index)];
    if (tile.valid == 1 << tile.bits) return nullptr;
    int64_t line = 1; // of dst, without the loops of the chain
    std::vector<bool> in_chain(loops.size());
    int64_t chain = 1;
    for (size_t k = c; k < loops.size(); k = dense(loops, 0, chain)) {
        if (in_chain[k] || chain * loops[k].loop.extent * 16 * move.element > chain_bytes) break;
        in_chain[k] = true;
        chain *= loops[k].loop.extent;
    }
    if (chain == loops[c].loop.extent) return nullptr;
    for (TileBit b : direct.spec.line) {
        for (size_t k = 0; k < loops.size(); ++k) {
            if (direct.loops[k].index != b.loop || in_chain[k] || loops[k].size > 1) continue;
            loops[k].size = std::min<int64_t>(loops[k].loop.extent, line_bytes / move.element);
            loops[k].buffer = line;
            line *= loops[k].size;
        }
    }
    if (line * move.element < 16 || line * chain * move.element > buffer_bytes) return nullptr;
    for (size_t k = 0; k < loops.size(); ++k)
        if (in_chain[k]) loops[k].size = loops[k].loop.extent, loops[k].buffer = line * loops[k].loop.stride[0];
    if (!prepare(job->first, move, loops, true, move.spec(), false, false)) return nullptr;
    const bool streams = move.streams();
    if (!prepare(job->second, move, loops, false, copy_of(move.element), streams, false)) return nullptr;
    return finished(std::move(job));
}

} // namespace

std::unique_ptr<Job> make_panel_job(const Move& move, const TransposeChoice& direct) {
    // Rows of src that collide cost narrow elements more than those of dst, for a line is read in more pieces: squares,
    // pitched against combined, bf16 1024 0.56 against 0.49, bytes 1024 and 2048 0.50 and 0.30 against 0.38 and 0.25.
    const bool narrow = std::max(move.source, move.element) <= 2;
    if (!narrow)
        if (auto job = make_combined_job(move, direct)) return job;
    if (auto job = pitched(move, direct)) return job;
    if (narrow)
        if (auto job = make_combined_job(move, direct)) return job;
    return chained(move, direct);
}

} // namespace tessera::cpu
