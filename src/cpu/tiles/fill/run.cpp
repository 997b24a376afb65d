// SPDX-License-Identifier: Apache-2.0
// Steps that write zeros: under the fill tile, or memset where rows are long.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/unit.hpp"
#include "cpu/executor/job.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/tiles/fill/contract.hpp"

namespace tessera::cpu {

namespace {

// Small units, because the chunks of a group run the matching parts of all its steps, which should lie close in memory;
// a call costs some 10 ns: 16 and 256 rows are as fast as 64 (f32 nchw and nhwc -> nChw16c of 60 channels, Zen 5).
constexpr int64_t rows_of_unit = 64, few_rows = 16, largest_unit = 16 << 10;

class FillJob final : public Job {
public:
    std::shared_ptr<const jit::Kernel> kernel; // or memset
    size_t operand = 0;
    std::vector<Loop> outer;
    int64_t base = 0, size = 1;                   // elements; bytes of one
    int64_t rows = 1, row = 0, block = 1;         // row in bytes
    int64_t row_bytes = 0, piece = 0, pieces = 1; // a long row in pieces

    void run(const Bases& bases, int64_t first, int64_t last) const override {
        for (int64_t u = first; u < last; ++u) {
            UnitIndex index(u);
            const int64_t p = index.next(pieces), b = index.next(ceil_div(rows, block));
            int64_t at = base;
            index.add_offsets(outer, {&at, 1});
            char* const dst = bases[operand] + at * size + b * block * row + p * piece;
            const int64_t count = std::min(block, rows - b * block);
            if (kernel) {
                FillArgs args{dst, row, count};
                (*kernel)(&args);
                continue;
            }
            const auto length = size_t(std::min(piece, row_bytes - p * piece));
            for (int64_t i = 0; i < count; ++i) std::memset(dst + i * row, 0, length);
        }
    }
    std::string text() const override {
        return fmt::format("{} of {} bytes; {} rows a unit, {} units", kernel ? "fill" : "memset", row_bytes, block,
                           units);
    }
    std::vector<const jit::Kernel*> kernels() const override {
        if (!kernel) return {};
        return {kernel.get()};
    }
};

} // namespace

std::unique_ptr<Job> make_fill_job(const Plan& plan, const Step& step, const jit::Target& target) {
    if (step.kind != StepKind::fill || step.nest.points() == 0) return nullptr;
    auto job = std::make_unique<FillJob>();
    const auto o = job->operand = size_t(step.fill_operand);
    const DataType type = plan.operands[o].type;
    if (is_sub_byte(type)) return nullptr; // the other half of a byte may be an element
    std::vector<Loop> loops = step.nest.loops;
    if (loops.empty() || loops.back().indexed() || loops.back().stride[o] != 1) {
        if (!loops.empty() && loops.back().extent == 1 && !loops.back().indexed()) loops.pop_back();
        loops.emplace_back(); // rows of one element
    }
    job->size = bits(type) / 8;
    job->base = step.nest.base[o];
    job->row_bytes = job->piece = loops.back().extent * job->size;
    loops.pop_back();
    if (!loops.empty()) { // rows: the closest loop, or the longest one where that is short
        size_t best = loops.size() - 1;
        const auto indexed = [&](size_t k) { return loops[k].table[o] != nullptr; };
        if (indexed(best) || loops[best].extent < few_rows)
            for (size_t k = best; k-- > 0;)
                if (!indexed(k) && (indexed(best) || loops[k].extent > loops[best].extent)) best = k;
        if (!indexed(best)) {
            job->rows = loops[best].extent, job->row = loops[best].stride[o] * job->size;
            loops.erase(loops.begin() + long(best));
        }
    }
    if (can_build_fill(target, job->row_bytes)) {
        const int bytes = int(job->row_bytes);
        job->kernel = jit::kernel(target, fill_key(bytes), [=] { return build_fill(target, bytes); });
        if (!job->kernel) return nullptr;
        job->block = std::min(job->rows, rows_of_unit);
    } else {
        job->piece = std::min(job->row_bytes, largest_unit);
        job->pieces = ceil_div(job->row_bytes, job->piece);
        job->block = std::clamp<int64_t>(largest_unit / job->piece, 1, job->rows);
    }
    job->bytes = step.nest.points() * job->size;
    job->units = job->pieces * ceil_div(job->rows, job->block) * iterations(loops);
    job->outer = std::move(loops);
    return job;
}

} // namespace tessera::cpu
