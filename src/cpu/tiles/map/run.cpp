// SPDX-License-Identifier: Apache-2.0
// Steps whose rows are contiguous on both sides, under the map tile.
#include <algorithm>
#include <climits>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/cut.hpp"
#include "core/plan/unit.hpp"
#include "cpu/executor/job.hpp"
#include "cpu/tiles/map/make.hpp"
#include "cpu/tiles/map/walk.hpp"

namespace tessera::cpu {

namespace {

static_assert(job_operands <= map_operands);
// Measured on Zen 5, one thread, additions of f32 rows of 7 to 100 and bf16 rows of 28.
constexpr int64_t few_rows = 8; // no kernel for their number of columns alone; without any 0.45 to 0.8 of the speed
constexpr int64_t enough = 512; // bytes of dst a call: 64 0.56 of the speed (30 columns, 4 rows), 4096 the same

class MapJob final : public Job {
public:
    std::shared_ptr<const jit::Kernel> kernel;
    Nest nest;             // outer loops, rows, columns
    std::vector<int> size; // bytes of an element, by operand
    int64_t block_rows = 1, block_columns = 1;

    // What run() needs of the nest.
    void finish() {
        const size_t n = nest.loops.size();
        const Loop &rows = nest.loops[n - 2], &columns = nest.loops[n - 1];
        walk_ = Walk(nest.base, {nest.loops.data(), n - 2}, size);
        for (size_t o = 0; o < size.size(); ++o) {
            Along& along = along_.emplace_back(Along{{}, rows.stride[o] * size[o], columns.stride[o] * size[o]});
            if (rows.table[o]) along.steps = steps_in_bytes(rows, o, size[o]);
        }
        row_blocks_ = ceil_div(rows.extent, block_rows), column_blocks_ = ceil_div(columns.extent, block_columns);
        units = walk_.iterations() * row_blocks_ * column_blocks_;
    }
    void run(const Bases& bases, int64_t first, int64_t last) const override {
        const size_t n = nest.loops.size();
        const Loop &rows = nest.loops[n - 2], &columns = nest.loops[n - 1];
        MapArgs args;
        Walk::Place place;
        UnitIndex index(first);
        int64_t column_block = index.next(column_blocks_), row_block = index.next(row_blocks_);
        walk_.find(index.outermost(), place);
        for (int64_t u = first;;) {
            const int64_t i = row_block * block_rows, j = column_block * block_columns;
            for (size_t o = 0; o < size.size(); ++o) {
                const Along& a = along_[o];
                args.base[o] = bases[o] + place.at[o] + j * a.column;
                if (a.steps.empty()) {
                    args.base[o] = static_cast<char*>(args.base[o]) + i * a.row, args.row[o] = a.row;
                } else {
                    args.base[o] = static_cast<char*>(args.base[o]) + rows.offset(int(o), i) * size[o];
                    args.set_steps(o, &a.steps[size_t(i)]);
                }
            }
            args.rows = std::min(block_rows, rows.extent - i);
            args.columns = std::min(block_columns, columns.extent - j);
            (*kernel)(&args);
            if (++u == last) return;
            if (++column_block < column_blocks_) continue;
            column_block = 0;
            if (++row_block < row_blocks_) continue;
            row_block = 0;
            walk_.next(place);
        }
    }
    std::vector<const jit::Kernel*> kernels() const override { return {kernel.get()}; }
    std::string text() const override {
        return fmt::format("{}; {} x {} a unit of loops({}), {} units", kernel->name(), block_rows, block_columns,
                           to_string(nest, int(size.size())), units);
    }

private:
    struct Along {                  // bytes, of an operand
        std::vector<int64_t> steps; // of a table
        int64_t row, column;
    };
    Walk walk_;
    std::vector<Along> along_;
    int64_t row_blocks_ = 1, column_blocks_ = 1;
};

// Short rows need many of them in a call: the closest loop of enough rows, or else the longest one, becomes the rows.
void choose_rows(std::vector<Loop>& loops, int element) {
    if (loops.size() < 3) return;
    const size_t last = loops.size() - 1;
    const int64_t rows = ceil_div(enough, loops[last].extent * element);
    size_t best = last - 1;
    for (size_t k = last - 1; k-- > 0 && loops[best].extent < rows;)
        if (loops[k].extent > loops[best].extent) best = k;
    std::rotate(loops.begin() + long(best), loops.begin() + long(best) + 1, loops.begin() + long(last));
}

bool counts_by_table(const Plan& plan, const Loop& loop) {
    for (size_t o = 0; o < plan.operands.size(); ++o)
        if (plan.operands[o].counted && loop.table[o]) return true;
    return false;
}

// Whether an operand is the same in a few rows that follow each other.
bool repeats_few_rows(const Plan& plan, const std::vector<Loop>& loops) {
    if (loops.size() < 3) return false;
    const Loop &rows = loops[loops.size() - 2], &columns = loops.back();
    if (rows.indexed() || rows.extent >= few_rows) return false;
    bool repeats = false;
    for (size_t o = 0; o < plan.operands.size(); ++o) {
        if (plan.operands[o].counted) return false;
        repeats |= columns.stride[o] == 1 && rows.stride[o] == 0;
    }
    return repeats;
}

} // namespace

std::unique_ptr<Job> make_map_job(const Plan& plan, const Step& step, const jit::Target& target,
                                  const Context& context) {
    if (step.kind != StepKind::map) return nullptr;
    const Program& program = plan.programs[size_t(step.program)];
    auto job = std::make_unique<MapJob>();
    job->nest = step.nest;
    auto& loops = job->nest.loops;
    if (loops.empty()) loops.emplace_back();
    const auto written = size_t(program.ops.back().operand);
    MapSpec spec = map_spec(program, plan.operands);
    int64_t width = 0;
    for (size_t o = 0; o < plan.operands.size(); ++o) {
        job->size.push_back(bits(plan.operands[o].type) / 8);
        if (is_sub_byte(plan.operands[o].type)) return nullptr;
    }
    if (loops.back().indexed()) return nullptr;
    if (loops.back().extent == 1)
        for (size_t o = 0; o < plan.operands.size(); ++o) loops.back().stride[o] = o == written;
    for (size_t o = 0; o < plan.operands.size(); ++o) {
        const int64_t stride = loops.back().stride[o];
        if (!set_column(spec, o, stride)) return nullptr;
        if (stride && !plan.operands[o].counted) width += job->size[o];
    }
    if (is_copy(program) && spec.column[size_t(program.ops[0].operand)] != 1) return nullptr;
    if (!can_build_map(spec)) return nullptr;
    if (auto held = make_held_job(plan, step, target, context)) return held;
    if (auto repeating = make_repeating_job(plan, step, target, context)) return repeating;
    if (repeats_few_rows(plan, loops)) {
        const Loop columns = loops.back();
        loops.pop_back();
        join_repeated(loops, plan.operands.size(), written, columns.extent * job->size[written]);
        loops.push_back(columns);
    }
    choose_rows(loops, job->size[written]);
    if (loops.size() < 2 || counts_by_table(plan, loops[loops.size() - 2])) loops.insert(loops.end() - 1, Loop{});
    if (std::ranges::none_of(plan.operands, &Operand::counted)) { // the numbers of rows are a stride apart
        const Loop columns = loops.back();
        loops.pop_back();
        join_rows(loops, plan.operands.size(), columns.extent * job->size[written]);
        loops.push_back(columns);
    }
    for (size_t o = 0; o < plan.operands.size(); ++o)
        if (loops[loops.size() - 2].table[o]) spec.stepped.push_back(int(o));
    job->bytes = job->nest.points() * width;
    spec.stream = context.streams(job->bytes) && loops.back().extent * job->size[written] >= least_streamed_row;
    spec.fixed = loops[loops.size() - 2].extent < few_rows ? 0 : int(std::min<int64_t>(loops.back().extent, INT_MAX));
    if (!can_build_short_rows(target, spec)) spec.fixed = 0;
    job->kernel = map_kernel(target, spec);
    if (!job->kernel) return nullptr;
    const int64_t unit_bytes = bytes_of_unit(job->bytes, context);
    job->block_columns = std::clamp<int64_t>(unit_bytes / width / 64 * 64, 1, loops.back().extent);
    if (spec.fixed) job->block_columns = spec.fixed;
    job->block_rows = std::clamp<int64_t>(unit_bytes / width / job->block_columns, 1, loops[loops.size() - 2].extent);
    job->finish();
    return job;
}

} // namespace tessera::cpu
