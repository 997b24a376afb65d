// SPDX-License-Identifier: Apache-2.0
// combined: rows of dst that lie a power of two apart. The lines that a tile writes share a few sets of L1; those that
// wait for their line fill all ways of a set, and every store behind them waits too. A panel is transposed into a
// buffer with the rows of dst one after another, and these are copied out in runs of 512 bytes.
//
// On Zen 5 (48 KiB in 12 ways), one thread, of memcpy, tile by tile -> combined: f32 ab -> ba 1024x1024 0.18 -> 0.57,
// 512x512 0.28 -> 0.64, f32 nhwc -> nchw 2x256x32x32 0.20 -> 0.67, bf16 2048x1024 0.17 -> 0.48, bf16 -> f32 1024x1024
// 0.17 -> 0.42. Requests for the lines of the next panel (prefetchw, and prefetch to L2) change nothing or cost 0.1.
#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include <immintrin.h>

#include <fmt/format.h>

#include "cpu/tiles/transpose/panel.hpp"

namespace tessera::cpu {

namespace {

// Of dst: 256 bytes 0.38 instead of 0.57, 1024 bytes level where the buffer holds them (f32 1024x1024).
constexpr int64_t combined_run_bytes = 512, least_run_bytes = 256;
constexpr int64_t combined_source_bytes = 256, most_columns = 64;
constexpr int64_t columns_at_once = 128; // that wait for their lines, of bytes; of 2 and 4 the run has fewer

class CombinedJob final : public Job {
public:
    Panels panels;
    WholeMover into_buffer;
    std::vector<int64_t> dst_rows, src_rows; // bytes; src_rows: of requests, with streams
    int64_t row_bytes = 0, pitch = 0, src_row_bytes = 0;
    bool streams = false; // where dst is aligned

    void run(const Bases& bases, int64_t begin, int64_t end) const override {
        alignas(64) char buffer[buffer_bytes];
        int64_t s = 0, d = 0, next_s = 0, next_d = 0;
        if (begin < end) panels.place(begin, s, d);
        for (int64_t u = begin; u < end; ++u) {
            into_buffer(bases[0] + s, buffer, bases);
            if (u + 1 < end) panels.place(u + 1, next_s, next_d);
            char* const to = bases[1] + d;
            if (streams && reinterpret_cast<uintptr_t>(to) % line_bytes == 0)
                stream_rows(buffer, to, u + 1 < end ? bases[0] + next_s : nullptr);
            else
                for (size_t r = 0; r < dst_rows.size(); ++r)
                    std::memcpy(to + dst_rows[r], buffer + int64_t(r) * pitch, size_t(row_bytes));
            s = next_s, d = next_d;
        }
        if (streams) _mm_sfence();
    }
    std::string text() const override {
        return fmt::format("panels {} by {} to a buffer; {} rows of {} bytes {} to dst", panels.text(),
                           to_string(into_buffer.mover.choice), dst_rows.size(), row_bytes,
                           streams ? "streamed" : "copied");
    }
    std::vector<const jit::Kernel*> kernels() const override { return into_buffer.mover.kernels(); }

private:
    // Prefetches of the next panel are issued between the rows of this one.
    void stream_rows(const char* from, char* to, const char* next) const {
        size_t asked = 0;
        for (size_t r = 0; r < dst_rows.size(); ++r) {
            for (; next && asked * dst_rows.size() < src_rows.size() * (r + 1); ++asked)
                for (int64_t b = 0; b < src_row_bytes; b += line_bytes)
                    __builtin_prefetch(next + src_rows[asked] + b, 0, 2);
            for (int64_t b = 0; b < row_bytes; b += 16)
                _mm_stream_si128(reinterpret_cast<__m128i*>(to + dst_rows[r] + b),
                                 _mm_load_si128(reinterpret_cast<const __m128i*>(from + int64_t(r) * pitch + b)));
        }
    }
};

// Tile by tile, the lines that columns write share so few sets that their ways do not hold them. Where runs along dst
// are written first, only a single set is that bad (f32 nhwc -> nchw 16x64x16x32, two sets: 0.79 tile by tile, 0.56
// combined). With 16 lines in each of 4 sets, 1024 and 3072 bytes between rows of f32, the two are level.
bool stores_collide(const Context& context, int64_t step_bytes, int64_t columns, bool runs) {
    if (step_bytes % line_bytes) return false;
    constexpr int64_t sets = page / line_bytes;
    const int64_t used = sets / std::gcd(step_bytes / line_bytes, sets), ways = context.l1_ways;
    if (used == 1) return columns > ways;
    return !runs && columns / used > 2 * ways;
}

bool writes_runs(const TransposeChoice& direct) {
    return std::any_of(direct.loops.begin(), direct.loops.end(),
                       [](const TiledLoop& t) { return t.level == 0 && t.loop.stride[1] == 1; });
}

} // namespace

std::unique_ptr<Job> make_combined_job(const Move& move, const TransposeChoice& direct) {
    if (move.streams()) return nullptr; // pitched panels do better there
    auto job = std::make_unique<CombinedJob>();
    job->panels = panels_of(move);
    auto& loops = job->panels.loops;
    // Neighbours in src are visited one after another.
    const auto distance = [](const PanelLoop& l) {
        return l.loop.indexed() ? std::numeric_limits<int64_t>::max() : std::abs(l.loop.stride[0]);
    };
    std::stable_sort(loops.begin(), loops.end(),
                     [&](const PanelLoop& x, const PanelLoop& y) { return distance(x) > distance(y); });
    const size_t c = dense(loops, 0, 1);
    if (c == loops.size() || loops[c].loop.stride[1] == 1) return nullptr;
    const int64_t columns = std::min({loops[c].loop.extent, combined_source_bytes / move.source, columns_at_once});
    if (!stores_collide(move.context, std::abs(loops[c].loop.stride[1]) * move.element, columns, writes_runs(direct)))
        return nullptr;

    std::vector<bool> in_run(loops.size());
    int64_t run = 1, next = 1; // of dst, elements
    for (size_t r = dense(loops, 1, 1); r < loops.size() && r != c && run * move.element < combined_run_bytes;
         r = dense(loops, 1, next)) {
        PanelLoop& l = loops[r];
        l.size = std::min(l.loop.extent, combined_run_bytes / move.element / run);
        l.buffer = run;
        in_run[r] = true;
        run *= l.size, next *= l.loop.extent;
        if (l.size < l.loop.extent) break;
    }
    job->row_bytes = run * move.element;
    if (job->row_bytes < least_run_bytes) return nullptr;
    job->pitch = odd_pitch(job->row_bytes);
    // Whole tiles of columns: 64 of 48 KiB, 32 of 32 KiB.
    const int64_t buffer = transpose_buffers(move.context).combined;
    loops[c].size = std::min({loops[c].loop.extent, most_columns, buffer / job->pitch / 16 * 16});
    if (loops[c].size < 16) return nullptr;
    loops[c].buffer = job->pitch / move.element;
    if (!prepare(job->into_buffer, move, loops, true, move.spec(), false, false)) return nullptr;
    job->dst_rows = rows_of(loops, 1, move.element, [&](size_t k) { return !in_run[k]; });
    // f32 abcd -> dcba 32x48x40x56, 27 MB: 0.23 -> 0.47.
    job->streams = move.context.streams(2 * move.bytes()) && job->row_bytes % line_bytes == 0;
    if (job->streams) job->src_rows = rows_of(loops, 0, move.source, [&](size_t k) { return in_run[k]; });
    job->src_row_bytes = loops[c].size * move.source;
    job->bytes = move.bytes();
    job->units = job->panels.count();
    return job;
}

} // namespace tessera::cpu
