// SPDX-License-Identifier: Apache-2.0
// Short rows that are contiguous in dst, beside an operand that is the same in all of them: one value a channel next to
// nhwc or nChw16c, one row next to nchw. That operand is repeated in a buffer in L1 up to about a thousand elements, so
// that all operands have long rows:
//
//   8x3x224x224 + 1x3x1x1, nhwc     rows of 3 -> rows of 1152 beside 384 copies of src1
//
// Otherwise the end of each row costs some 25 cycles.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/cut.hpp"
#include "core/plan/unit.hpp"
#include "cpu/executor/job.hpp"
#include "cpu/tiles/map/make.hpp"

namespace tessera::cpu {

namespace {

// Measured on Zen 5, one thread, additions of a row to f32 nhwc of 3, 64, 256 and 512 channels and to bf16 rows of 49.
constexpr int64_t repeated_bytes = 16 << 10; // of all repeated operands, half of L1: 8 and 32 KiB are as fast
constexpr int64_t longest_repeating = 1024;  // bytes of dst; longer rows are as fast by themselves
constexpr double cycles_of_end = 25, copied_bytes = 16; // of a row; in a cycle
constexpr int64_t few_whole_rows = 8;                   // of whole vectors, which have no ends to save
constexpr int64_t line_bytes = 64;                      // the buffer holds whole ones
constexpr int64_t repeated_elements = 1024;             // at least, if they fit: 256 is as fast, 4096 0.91 to 0.97

class RepeatingJob final : public Job {
public:
    struct Use {
        int size;           // bytes of an element
        bool repeats;       // the same in every row
        int64_t buffer = 0; // offset in the buffer
    };
    std::shared_ptr<const jit::Kernel> kernel;
    Nest nest; // outer loops, then all rows as one
    std::vector<Use> uses;
    int64_t row = 1, repeats = 1; // elements of a row, rows in the buffer
    int64_t block = 1;            // elements of a unit: whole buffers

    void run(const Bases& bases, int64_t first, int64_t last) const override {
        alignas(64) char buffer[repeated_bytes];
        std::array<const char*, job_operands> held{}; // the row that is in the buffer
        const Loop& elements = nest.loops.back();
        for (int64_t u = first; u < last; ++u) {
            UnitIndex index(u);
            const int64_t j = index.next(ceil_div(elements.extent, block)) * block;
            const int64_t count = std::min(block, elements.extent - j);
            const int64_t period = row * repeats, whole = count / period;
            std::array<int64_t, job_operands> at;
            for (size_t o = 0; o < uses.size(); ++o) at[o] = nest.base[o] + j * elements.stride[o];
            index.add_offsets({nest.loops.data(), nest.loops.size() - 1}, {at.data(), uses.size()});
            MapArgs args;
            for (size_t o = 0; o < uses.size(); ++o) {
                const Use& use = uses[o];
                char* const place = bases[o] + at[o] * use.size;
                args.base[o] = use.repeats ? buffer + use.buffer : place;
                args.row[o] = period * elements.stride[o] * use.size;
                if (use.repeats && held[o] != place) {
                    repeat(place, buffer + use.buffer, row * use.size, period * use.size);
                    held[o] = place;
                }
            }
            args.rows = whole, args.columns = period;
            std::array<void*, map_operands> rest_of;
            for (size_t o = 0; o < uses.size(); ++o)
                rest_of[o] = static_cast<char*>(args.base[o]) + whole * args.row[o]; // the kernel advances args.base
            if (whole > 0) (*kernel)(&args);
            if (whole * period == count) continue;
            for (size_t o = 0; o < uses.size(); ++o) args.base[o] = rest_of[o];
            args.rows = 1, args.columns = count - whole * period;
            (*kernel)(&args);
        }
    }
    std::string text() const override {
        return fmt::format("{}; rows of {} repeated {} times, {} elements a unit of loops({}), {} units",
                           kernel->name(), row, repeats, block, to_string(nest, int(uses.size())), units);
    }
    std::vector<const jit::Kernel*> kernels() const override { return {kernel.get()}; }

private:
    // Rows that divide a line are written line by line: doubling would read what was stored a moment ago in halves.
    static void repeat(const char* from, char* to, int64_t bytes, int64_t all) {
        if (line_bytes % bytes == 0) {
            char line[line_bytes];
            for (int64_t i = 0; i < line_bytes; i += bytes) std::memcpy(line + i, from, size_t(bytes));
            for (int64_t i = 0; i < all; i += line_bytes) std::memcpy(to + i, line, line_bytes);
            return;
        }
        std::memcpy(to, from, size_t(bytes));
        for (int64_t done = bytes; done < all; done *= 2)
            std::memcpy(to + done, to, size_t(std::min(done, all - done)));
    }
};

// The last loop whose iterations are contiguous with the rows, in dst and in every operand that is not the same in all
// rows; the number of loops if there is none, or if no operand repeats.
size_t loop_of_rows(const std::vector<Loop>& loops, const Plan& plan, size_t written) {
    const Loop& row = loops.back();
    for (size_t k = loops.size() - 1; k-- > 0;) {
        const Loop& next = loops[k];
        if (next.indexed() || next.extent < 2) continue;
        bool follow = next.stride[written] == row.extent && row.stride[written] == 1, any = false;
        for (size_t o = 0; o < plan.operands.size(); ++o) {
            const bool repeats = next.stride[o] == 0 && row.stride[o] == 1;
            follow &= repeats ? o != written : next.stride[o] == row.stride[o] * row.extent;
            any |= repeats;
        }
        if (follow && any) return k;
    }
    return loops.size();
}

// Where another row is to be repeated for each iteration of the outer loops, r copies cost r * copy, and the ends of
// the long rows rows / r * end: the sum is least at r = sqrt(rows * end / copy). nChw8c of 49 pixels, mean, scale and
// shift of channels: 14 copies in place of 128.
int64_t sensible_repeats(const RepeatingJob& job, size_t along) {
    const auto& loops = job.nest.loops;
    double copy = 0; // cycles
    bool changes = false;
    for (size_t o = 0; o < job.uses.size(); ++o) {
        if (!job.uses[o].repeats) continue;
        copy += double(job.row * job.uses[o].size) / copied_bytes;
        for (size_t k = 0; k + 1 < loops.size(); ++k)
            changes |= k != along && loops[k].extent > 1 && (loops[k].indexed() || loops[k].stride[o] != 0);
    }
    const int64_t rows = loops[along].extent;
    return changes ? std::max<int64_t>(1, int64_t(std::sqrt(double(rows) * cycles_of_end / copy))) : rows;
}

} // namespace

std::unique_ptr<Job> make_repeating_job(const Plan& plan, const Step& step, const jit::Target& target,
                                        const Context& context) {
    const Program& program = plan.programs[size_t(step.program)];
    const auto written = size_t(program.ops.back().operand);
    auto job = std::make_unique<RepeatingJob>();
    job->nest = step.nest;
    auto& loops = job->nest.loops;
    if (is_copy(program) || loops.size() < 2) return nullptr;
    job->row = loops.back().extent;
    const int64_t row_bytes = job->row * bits(plan.operands[written].type) / 8;
    if (loops.back().indexed() || row_bytes > longest_repeating) return nullptr;
    const size_t k = loop_of_rows(loops, plan, written);
    if (k == loops.size()) return nullptr;
    if (job->row % (target.vector_bytes / 4) == 0 && loops[k].extent < few_whole_rows) return nullptr;

    MapSpec spec = map_spec(program, plan.operands);
    int64_t repeated = 0, width = 0; // bytes of an element: of what is repeated, of what is moved
    for (size_t o = 0; o < plan.operands.size(); ++o) {
        const DataType type = plan.operands[o].type;
        const int64_t stride = loops.back().stride[o];
        if (is_sub_byte(type) || !set_column(spec, o, stride)) return nullptr;
        const bool repeats = stride == 1 && loops[k].stride[o] == 0;
        if (repeats && plan.operands[o].counted) return nullptr; // there is no row to copy
        job->uses.push_back({bits(type) / 8, repeats});
        if (stride) (repeats ? repeated : width) += bits(type) / 8;
    }
    if (!can_build_map(spec)) return nullptr;
    // As many rows as make multiples of 64 elements, one iteration of the kernel, if the buffer can hold them.
    const int64_t fit = (repeated_bytes - 64 * int64_t(plan.operands.size())) / (repeated * job->row);
    if (fit < 1) return nullptr;
    job->repeats = 64 / std::gcd(job->row, int64_t(64));
    while (job->repeats > fit || (job->repeats > 1 && job->repeats * job->row > 2 * repeated_elements))
        job->repeats /= 2;
    const int64_t multiple = job->repeats;
    job->repeats *= std::clamp(repeated_elements / (multiple * job->row), int64_t(1), fit / multiple);
    const int64_t most = sensible_repeats(*job, k);
    if (job->repeats > most) job->repeats = std::max(multiple, most / multiple * multiple);
    job->repeats = std::min(job->repeats, loops[k].extent);
    const int64_t period = job->row * job->repeats;
    int64_t at = 0;
    for (RepeatingJob::Use& use : job->uses)
        if (use.repeats) use.buffer = at, at += round_up(period * use.size, 64);

    Loop all;
    all.extent = loops[k].extent * job->row;
    for (size_t o = 0; o < plan.operands.size(); ++o)
        if (!job->uses[o].repeats) all.stride.set(o, loops.back().stride[o]);
    loops.pop_back();
    loops.erase(loops.begin() + long(k));
    loops.push_back(all);
    job->bytes = job->nest.points() * width;
    spec.stream = context.streams(job->bytes) && period * bits(plan.operands[written].type) / 8 >= least_streamed_row;
    job->kernel = map_kernel(target, spec);
    if (!job->kernel) return nullptr;
    const int64_t unit_bytes = bytes_of_unit(job->bytes, context);
    job->block = std::max<int64_t>(1, unit_bytes / (width * period)) * period;
    job->units = ceil_div(all.extent, job->block) * iterations({loops.data(), loops.size() - 1});
    return job;
}

} // namespace tessera::cpu
