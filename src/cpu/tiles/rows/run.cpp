// SPDX-License-Identifier: Apache-2.0
// A group whose points are rows, under the rows tile: all of its steps in one kernel, a row after the other. Temporary
// rows are those of a point, so they stay in the first level; temporary values of a row stay in registers.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/cut.hpp"
#include "core/plan/unit.hpp"
#include "cpu/executor/job.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/runtime/scratch.hpp"
#include "cpu/tiles/map/make.hpp"
#include "cpu/tiles/rows/contract.hpp"
#include "cpu/tiles/rows/run.hpp"

namespace tessera::cpu {

namespace {

constexpr int64_t line = 64, rows_in_l2 = 4;

class RowsJob final : public Job {
public:
    std::shared_ptr<const jit::Kernel> kernel, streaming;
    std::shared_ptr<const jit::Kernel> single; // row after row, of what whole blocks leave; none: `kernel` does these
    std::vector<Loop> outer;                   // of the units
    Loop rows;
    PerOperand<int64_t> base;
    std::vector<int64_t> size;                     // bytes of an element, by operand
    std::vector<size_t> used;                      // operands with memory that is not the job's
    std::vector<std::pair<size_t, int64_t>> local; // operands in memory of a row, and where
    PerOperand<int64_t> local_row;                 // bytes
    int64_t local_bytes = 0, columns = 1;
    int64_t each = 1, block_rows = 1; // rows of a block of the kernel; of a unit
    size_t written = 0;               // last

    void run(const Bases& bases, int64_t first, int64_t last) const override {
        std::optional<Scratch> memory;
        if (local_bytes) memory.emplace(size_t(local_bytes));
        for (int64_t u = first; u < last; ++u) {
            std::array<int64_t, rows_operands> at{};
            for (const size_t o : used) at[o] = base[o];
            UnitIndex index(u);
            const int64_t i = index.next(ceil_div(rows.extent, block_rows)) * block_rows;
            index.add_offsets(outer, {at.data(), size.size()});
            RowsArgs args;
            const auto call = [&](const jit::Kernel& kernel, int64_t from, int64_t blocks, int64_t each) {
                args.blocks = blocks, args.rows = each, args.columns = columns;
                for (const size_t o : used)
                    args.set(o, bases[o] + (at[o] + from * rows.stride[o]) * size[o], rows.stride[o] * size[o], true);
                for (const auto& [o, offset] : local)
                    args.set(o, memory->data() + offset + base[o] * size[o], local_row[o], false);
                kernel(&args);
            };
            const bool streams =
                streaming && reinterpret_cast<uintptr_t>(bases[written]) % uintptr_t(size[written]) == 0;
            const int64_t count = std::min(block_rows, rows.extent - i), whole = count / each, rest = count % each;
            const jit::Kernel& most = streams ? *streaming : *kernel;
            if (whole) call(most, i, whole, each);
            if (rest && single)
                call(*single, i + whole * each, rest, 1);
            else if (rest)
                call(most, i + whole * each, 1, rest);
        }
    }
    std::string text() const override {
        return fmt::format("{}; {} rows of {} a unit, {} at a time, {} units", (streaming ? streaming : kernel)->name(),
                           block_rows, columns, each, units);
    }
    std::vector<const jit::Kernel*> kernels() const override {
        std::vector<const jit::Kernel*> all;
        for (const auto& k : {kernel, streaming, single})
            if (k) all.push_back(k.get());
        return all;
    }
};

class Maker {
public:
    Maker(const Plan& plan, const Step& group, std::span<const LocalScratch> local, const jit::Target& target,
          const Context& context)
        : plan_(plan), group_(group), local_(local), target_(target), context_(context) {}

    std::unique_ptr<Job> make() {
        if (plan_.operands.size() > rows_operands || !add_passes()) return nullptr;
        keep();
        lay_out();
        if (!can_build_rows(spec_)) return nullptr;
        const auto kernel = [&](const RowsSpec& spec) {
            return jit::kernel(target_, key(spec), [&] { return build_rows(target_, spec); });
        };
        job_->kernel = kernel(spec_);
        if (!job_->kernel) return nullptr;
        if (spec_.beside && !target_.masks && job_->rows.extent % job_->each) {
            RowsSpec one = spec_;
            one.packed = false;
            if (!(job_->single = kernel(one))) return nullptr;
        }
        RowsSpec other = spec_;
        other.stream = true;
        if (streams()) job_->streaming = kernel(other);
        return std::move(job_);
    }

private:
    bool add_passes() {
        for (const Operand& o : plan_.operands) {
            if (is_sub_byte(o.type) || o.counted) return false;
            spec_.types.push_back(o.type), job_->size.push_back(bits(o.type) / 8);
        }
        seen_.assign(plan_.operands.size(), false);
        for (const Step& step : group_.group->steps) {
            const auto& loops = step.nest.loops;
            RowsPass& pass = spec_.passes.emplace_back();
            if (step.kind == StepKind::reduce)
                pass.kind = RowsPass::reduce;
            else if (step.kind != StepKind::map || loops.size() > 1)
                return false;
            else if (loops.empty())
                pass.kind = RowsPass::value;
            if (step.in_order || (pass.kind != RowsPass::value && !along_columns(pass, loops))) return false;
            const Program& program = plan_.programs[size_t(step.program)];
            if (pass.kind == RowsPass::reduce)
                pass.parts = split_reduction(program, int(plan_.operands.size()));
            else
                pass.program = program;
            for (const Op& op : program.ops)
                if (op.operand >= 0 && !add_operand(step.nest, size_t(op.operand), op.code == OpCode::store, pass.kind))
                    return false;
        }
        spec_.blocks = job_->columns > reduction_block;
        return job_->columns > 1;
    }
    // One loop, the columns.
    bool along_columns(const RowsPass& pass, const std::vector<Loop>& loops) {
        if (loops.size() != 1 || loops[0].indexed()) return false;
        if ((loops[0].kind == LoopKind::reduce) != (pass.kind == RowsPass::reduce)) return false;
        if (job_->columns == 1) job_->columns = loops[0].extent;
        return loops[0].extent == job_->columns;
    }
    bool add_operand(const Nest& nest, size_t o, bool stored, RowsPass::Kind kind) {
        const int64_t column = kind == RowsPass::value ? 0 : nest.loops[0].stride[o];
        const int64_t wanted = stored ? int64_t(kind == RowsPass::map) : column;
        if (column != wanted || column < 0 || column > 1) return false;
        if (seen_[o]) return spec_.column[o] == column && job_->base[o] == nest.base[o];
        seen_[o] = true;
        spec_.column[o] = column, job_->base.set(o, nest.base[o]);
        return true;
    }
    bool is_local(size_t o) const {
        return std::ranges::any_of(local_, [&](const LocalScratch& l) { return size_t(l.operand) == o; });
    }
    // Temporary values of a row. Scratch of a point is stored in front of every load.
    void keep() {
        for (size_t o = 0; o < seen_.size(); ++o)
            if (seen_[o] && !spec_.column[o] && is_local(o) && spec_.types[o] == DataType::f32) spec_.kept |= 1u << o;
    }

    void lay_out() {
        RowsJob& job = *job_;
        job.outer = group_.nest.loops;
        if (!job.outer.empty() && !job.outer.back().indexed()) {
            job.rows = job.outer.back();
            job.outer.pop_back();
        }
        int64_t row_bytes = 1, local_bytes = 0;
        for (size_t o = 0; o < seen_.size(); ++o) {
            if (!seen_[o] || (spec_.kept >> o & 1)) continue;
            if (!is_local(o)) job.used.push_back(o);
            if (spec_.column[o]) (is_local(o) ? local_bytes : row_bytes) += job.columns * job.size[o];
        }
        for (const size_t o : job.used) job.base.set(o, job.base[o] + group_.nest.base[o]);
        choose_block(row_bytes + local_bytes);
        for (const LocalScratch& l : local_) {
            const auto o = size_t(l.operand);
            if (!seen_[o] || (spec_.kept >> o & 1)) continue;
            job.local.push_back({o, job.local_bytes});
            job.local_row.set(o, round_up(l.elements * job.size[o], line));
            job.local_bytes += job.each * job.local_row[o];
        }
        rows_ = iterations(job.outer) * job.rows.extent;
        job.bytes = std::min(rows_, Nest::most / row_bytes) * row_bytes;
        const int64_t of_unit = bytes_of_unit(job.bytes, context_) / row_bytes;
        job.block_rows = std::clamp<int64_t>(round_up(of_unit, job.each), 1, job.rows.extent);
        job.units = iterations(job.outer) * ceil_div(job.rows.extent, job.block_rows);
    }
    // As many rows at a time as the first level holds, or a few in the second one: outer programs serve all of them,
    // and sums of one row need not wait for those of another. f32 384x1024, layer normalization: 16 rows in the second
    // level 0.88 of the speed.
    void choose_block(int64_t row_bytes) {
        RowsJob& job = *job_;
        const int64_t lanes = target_.vector_bytes / 4;
        const int64_t fit =
            std::max(context_.l1_bytes / row_bytes, std::min(rows_in_l2, context_.l2_bytes / 2 / row_bytes));
        const int64_t most = std::min({lanes, job.rows.extent, fit});
        if (most < 2) return;
        uint32_t beside = 0, caught = 0;
        for (const RowsPass& pass : spec_.passes) {
            if (pass.kind == RowsPass::map) continue;
            for (const Op& op : pass.of_row().ops) {
                const auto o = size_t(op.operand);
                if (op.operand < 0 || o >= seen_.size() || (spec_.kept >> o & 1)) continue;
                if (spec_.column[o] || is_local(o)) return;
                if (job.rows.stride[o] == 1)
                    beside |= 1u << o;
                else if (is_caught(pass, op))
                    caught |= 1u << o;
                else if (job.rows.stride[o] || op.code == OpCode::store)
                    return;
            }
        }
        if (beside && !target_.masks && most < lanes) return;
        spec_.packed = true, spec_.beside = beside, spec_.caught = caught, job.each = most;
    }

    static bool is_caught(const RowsPass& pass, const Op& op) {
        return pass.kind == RowsPass::reduce && op.code == OpCode::load && op.type == ValueType::f32 &&
               std::ranges::count(pass.parts.point.ops, op.operand, &Op::operand);
    }

    // Whether the last pass stores more than the caches hold.
    bool streams() const {
        const RowsPass& last = spec_.passes.back();
        if (last.kind != RowsPass::map) return false;
        int64_t width = 0, stores = 0;
        std::vector<int> counted;
        for (const Op& op : last.program.ops) {
            stores += op.code == OpCode::store;
            if (op.operand < 0 || !spec_.column[size_t(op.operand)] ||
                std::ranges::find(counted, op.operand) != counted.end())
                continue;
            counted.push_back(op.operand), width += job_->size[size_t(op.operand)];
        }
        job_->written = size_t(last.program.ops.back().operand);
        if (stores != 1 || is_local(job_->written)) return false;
        for (const RowsPass& pass : spec_.passes) // by an earlier pass, too: it lies in a cache
            for (const Op& op : pass.program.ops)
                if (&pass != &last && op.operand == int(job_->written)) return false;
        return context_.streams(rows_ * job_->columns * width) &&
               job_->columns * job_->size[job_->written] >= least_streamed_row;
    }

    const Plan& plan_;
    const Step& group_;
    const std::span<const LocalScratch> local_;
    const jit::Target& target_;
    const Context& context_;
    std::unique_ptr<RowsJob> job_ = std::make_unique<RowsJob>();
    RowsSpec spec_;
    std::vector<bool> seen_;
    int64_t rows_ = 1;
};

} // namespace

std::unique_ptr<Job> make_rows_job(const Plan& plan, const Step& group, std::span<const LocalScratch> local,
                                   const jit::Target& target, const Context& context) {
    return Maker(plan, group, local, target, context).make();
}

} // namespace tessera::cpu
