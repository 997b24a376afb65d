// SPDX-License-Identifier: Apache-2.0
// Which loops of a reduce step its vectors and kernels take.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/division.hpp"
#include "core/plan/cut.hpp"
#include "core/plan/unit.hpp"
#include "cpu/tiles/map/make.hpp"
#include "cpu/tiles/reduce/run.hpp"

namespace tessera::cpu {

namespace {

constexpr int64_t most_lanes = 256;  // of a unit with 16 partial results each
constexpr int64_t fewest_lanes = 64; // that lanes are cut to for the sake of threads: a line of f32 and its neighbours
constexpr int64_t stream_points = 8; // in order, of a call over more than L1
constexpr int64_t few_rows = 4;      // in order, of a call
constexpr int64_t vector = 16;

class Maker {
public:
    Maker(const Plan& plan, const Step& step, const jit::Target& target, const Context& context)
        : plan_(plan), step_(step), target_(target), context_(context), job_(std::make_unique<ReduceJob>()) {}

    std::unique_ptr<Job> make() {
        const size_t operands = plan_.operands.size();
        if (operands + 2 > reduce_operands) return nullptr;
        const Program& program = plan_.programs[size_t(step_.program)];
        job_->parts = is_map() ? parts_of_map(program, int(operands)) : split_reduction(program, int(operands));
        if (job_->parts.combine == OpCode::reduce_moments) return nullptr;
        for (const Operand& o : plan_.operands) {
            if (is_sub_byte(o.type)) return nullptr;
            job_->size.push_back(o.counted ? 1 : bits(o.type) / 8);
        }
        job_->of_point = operands_of(job_->parts.point), job_->of_outer = operands_of(job_->parts.outer);
        job_->base = step_.nest.base, job_->in_order = step_.in_order || is_map();
        for (const Loop& loop : step_.nest.loops)
            if (loop.extent != 1 || loop.indexed())
                (loop.kind == LoopKind::reduce ? job_->sums : job_->outer).push_back(loop);
        if (job_->in_order && iterations(job_->sums) > reduction_block) return nullptr;
        if (!choose_lanes()) return nullptr;
        put_in_registers();
        choose_rows();
        put_beside();
        choose_blocks();
        return build() ? std::move(job_) : nullptr;
    }

private:
    bool is_map() const { return step_.kind == StepKind::map; }
    // A value as the only point of its result; the program stores once, at its end.
    static ReductionParts parts_of_map(const Program& program, int sums) {
        const Op& store = program.ops.back();
        ReductionParts parts;
        parts.combine = OpCode::reduce_add, parts.type = program.ops[size_t(store.a)].type;
        parts.point = program;
        parts.point.ops.back().operand = sums;
        parts.outer.store(store.operand, parts.outer.load(sums, parts.type));
        return parts;
    }
    std::vector<int> operands_of(const Program& p) const {
        std::vector<int> all;
        for (const Op& op : p.ops)
            if (op.operand >= 0 && size_t(op.operand) < plan_.operands.size() &&
                std::ranges::find(all, op.operand) == all.end())
                all.push_back(op.operand);
        return all;
    }
    // A score of how dense the operands of a point are along the loop: 12 / stride for each, so that strides 1 to 4
    // stay integers. -1 where vectors cannot run along it.
    int dense(const Loop& loop) const {
        if (loop.indexed()) return -1;
        const int64_t most = loop.kind == LoopKind::reduce ? 1
                             : target_.masks               ? most_reduce_stride
                                                           : most_reduce_stride_without_masks;
        int count = 0;
        for (const int o : job_->of_point) {
            const int64_t stride = loop.stride[size_t(o)];
            if (plan_.operands[size_t(o)].counted || stride == 0) continue;
            if (stride < 0 || stride > most) return -1;
            count += 12 / int(stride);
        }
        return count;
    }
    int64_t worth(const Loop& loop) const { return dense(loop) * std::min(loop.extent, vector); }

    static Loop taken(std::vector<Loop>& loops, size_t k) {
        Loop loop = std::move(loops[k]);
        loops.erase(loops.begin() + long(k));
        return loop;
    }
    static Loop last_of(std::vector<Loop>& loops) {
        return loops.empty() || loops.back().indexed() ? Loop{} : taken(loops, loops.size() - 1);
    }

    bool choose_lanes() {
        auto &outer = job_->outer, &sums = job_->sums;
        size_t best = outer.size();
        for (size_t k = 0; k < outer.size(); ++k)
            if (dense(outer[k]) > 0 && (best == outer.size() || worth(outer[k]) >= worth(outer[best]))) best = k;
        const int64_t along_results = best < outer.size() ? worth(outer[best]) : 0;
        const int64_t along_sum = job_->in_order || sums.empty() ? 0 : std::max<int64_t>(worth(sums.back()), 0);
        if (along_results == 0 && along_sum == 0) return single_results();
        job_->along_sum = along_sum > along_results;
        if (!job_->along_sum) job_->lanes = taken(outer, best);
        job_->points = last_of(sums);
        if (job_->in_order) job_->turns = last_of(sums);
        return true;
    }
    // No vectors: one result after the other, R of them a call. Columns at the borders of nchw are such results.
    bool single_results() {
        if (!job_->in_order || is_map()) return false;
        job_->points = last_of(job_->sums), job_->turns = last_of(job_->sums);
        return true;
    }

    // In order the last loop that is not short; along the sum the one along which what is read lies closest, so that a
    // call reads whole lines and pages: f32 nChw16c over n, c and h 3.3 ms by the neighbours in dst instead.
    void choose_rows() {
        auto& outer = job_->outer;
        if (!job_->in_order && !job_->along_sum && !job_->in_registers) return;
        const auto apart = [&](const Loop& loop) {
            int64_t bytes = 0;
            for (const int o : job_->of_point) bytes += std::abs(loop.stride[size_t(o)]) * job_->size[size_t(o)];
            return bytes;
        };
        size_t best = outer.size();
        for (size_t k = 0; k < outer.size(); ++k) {
            if (outer[k].indexed()) continue;
            const bool last = job_->in_order && best < outer.size() &&
                              (outer[k].extent >= few_rows || outer[k].extent >= outer[best].extent);
            if (best == outer.size() || last || (!job_->in_order && apart(outer[k]) <= apart(outer[best]))) best = k;
        }
        if (best == outer.size()) return;
        job_->rows = taken(outer, best);
        if (job_->in_order) job_->inside = outer.size() - best;
    }

    // Columns by 16 where a call has all points of a result, and its columns of them stay in the second level.
    void put_in_registers() {
        ReduceJob& job = *job_;
        if (job.in_order || job.along_sum || job.sums.size() > 1) return;
        const Loop turns = job.sums.empty() ? Loop{} : job.sums.back();
        const int64_t points = turns.extent * job.points.extent;
        if (turns.indexed() || job.points.indexed() || points > reduction_block) return;
        if (points * std::min(job.lanes.extent, fewest_lanes) * width() > context_.l2_bytes / 2) return;
        ReduceSpec spec = spec_by_16();
        spec.turned = turns.extent > 1;
        for (const int o : job.of_point)
            if (job.points.stride[size_t(o)] == 0 && turns.stride[size_t(o)] == 0) spec.still |= 1u << o;
        if (!can_build_by_16(target_, spec)) return;
        job.turns = turns, job.sums.clear();
        job.in_registers = true, spec_ = spec;
    }
    ReduceSpec spec_by_16() const {
        ReduceSpec spec = spec_of_types();
        for (const int o : job_->of_point) spec.column[size_t(o)] = job_->lanes.stride[size_t(o)];
        spec.by_16 = true, spec.rest = int(job_->points.extent % reduction_sums);
        return spec;
    }
    ReduceSpec spec_of_types() const {
        ReduceSpec spec;
        spec.parts = job_->parts;
        for (const Operand& o : plan_.operands) spec.types.push_back(o.type);
        for (const ValueType type : {job_->parts.type, job_->parts.second()})
            spec.types.push_back(type == ValueType::f32 ? DataType::f32 : DataType::s32);
        return spec;
    }
    int64_t width() const { // bytes of a point
        int64_t all = 0;
        for (const int o : job_->of_point)
            if (!plan_.operands[size_t(o)].counted) all += job_->size[size_t(o)];
        return std::max<int64_t>(all, 1);
    }

    // Sums over blocks of channels: pieces of 16 points are too short for kernels that take one result after the other.
    void put_beside() {
        ReduceJob& job = *job_;
        const Loop &rows = job.rows, &run = job.points;
        if (!job.along_sum || job.sums.empty() || job.parts.pairs() || run.extent != reduction_sums) return;
        if (iterations(job.sums) * run.extent > reduction_block || rows.extent == 1) return;
        for (const int o : job.of_point)
            if (rows.stride[size_t(o)] != run.stride[size_t(o)] * reduction_sums) return;
        job.beside = true;
        job.lanes = std::move(job.points);
        job.points = last_of(job.sums), job.turns = last_of(job.sums);
    }

    // Bytes that a call in order reads, those of windows that overlap once: no more than lie between first and last.
    int64_t bytes_of_call() const {
        const ReduceJob& job = *job_;
        int64_t all = 0;
        for (const int o : job.of_point) {
            if (plan_.operands[size_t(o)].counted) continue;
            int64_t elements = iterations(job.sums), span = elements > 1 ? Nest::most : 1;
            const auto over = [&](const Loop& loop, int64_t extent) {
                const int64_t stride = std::abs(loop.stride[size_t(o)]);
                if (!stride) return;
                elements *= extent;
                span = std::min(span, Nest::most - stride * (extent - 1)) + stride * (extent - 1);
            };
            over(job.lanes, job.block_lanes), over(job.rows, job.block_rows);
            over(job.points, job.points.extent), over(job.turns, job.turns.extent);
            all += std::min(elements, span) * job.size[size_t(o)];
        }
        return all;
    }

    void choose_blocks() {
        ReduceJob& job = *job_;
        const int64_t width = this->width();
        job.bytes = std::min(step_.nest.points(), Nest::most / width) * width;
        const int64_t points =
            iterations(job.sums) * job.turns.extent * job.points.extent * (job.beside ? reduction_sums : 1);
        const int64_t most = std::max<int64_t>(bytes_of_unit(job.bytes, context_) / (points * width), 1);
        if (job.along_sum) {
            const int64_t room = job.sums.empty() && !job.beside ? reduce_totals : reduce_sums / reduction_sums;
            job.block_rows = std::clamp<int64_t>(most, 1, std::min(job.rows.extent, room));
        } else if (job.in_order) {
            job.block_lanes = std::min(job.lanes.extent, reduce_sums);
            job.block_rows = std::clamp<int64_t>(
                std::min(most / job.block_lanes, reduce_sums / round_up(job.block_lanes, vector)), 1, job.rows.extent);
            if (job.points.extent > stream_points && bytes_of_call() > context_.l1_bytes) {
                job.run_points = stream_points;
                if (job.turns.extent > 1) job.sums.push_back(std::exchange(job.turns, Loop{})); // a turn at a time
            }
        } else {
            job.block_lanes = std::min(job.lanes.extent, most_lanes);
            const int64_t wanted = 2 * context_.threads;
            while (context_.threads > 1 && job.block_lanes >= 2 * fewest_lanes &&
                   iterations(job.outer) * ceil_div(job.lanes.extent, job.block_lanes) < wanted)
                job.block_lanes = round_up(job.block_lanes / 2, vector);
            if (job.in_registers) {
                job.block_rows = std::clamp<int64_t>(
                    std::min(most / job.block_lanes, reduce_sums / round_up(job.block_lanes, vector)), 1,
                    job.rows.extent);
                return job.count();
            }
            // Beyond the second level a call takes four points of each partial result, so that lines come in order.
            if (points * job.block_lanes * width > context_.l2_bytes / 2) job.run_points = 4 * reduction_sums;
        }
        job.count();
    }

    bool build() {
        ReduceJob& job = *job_;
        if (job.in_registers) return build_in_registers();
        ReduceSpec spec = spec_of_types();
        const Loop& lanes = job.along_sum && !job.beside ? job.points : job.lanes;
        for (const int o : job.of_point) spec.column[size_t(o)] = lanes.stride[size_t(o)];
        if (job.beside) return build_beside(spec);
        if (build_windows(spec)) return true;
        if (is_map()) return false;
        spec.along_sum = job.along_sum, spec.joined = job.along_sum && job.sums.empty();
        if (!can_build_reduce(spec)) return false;
        const auto kernel = [&](bool fresh) {
            ReduceSpec own = spec;
            own.fresh = fresh;
            return jit::kernel(target_, key(own), [&] { return build_reduce(target_, own); });
        };
        const bool runs = !job.sums.empty() || job.run_points || (!job.in_order && !job.along_sum);
        const bool whole = !job.along_sum || job.sums.empty();
        if (whole) job.whole = kernel(true);
        if (job.along_sum && runs) {
            spec.joined = true;
            job.last = kernel(false);
            spec.joined = false;
        }
        if (runs) job.more = kernel(false);
        job.finish = outer_kernel();
        return (job.whole || !whole) && (job.more || !runs) && (job.last || !job.along_sum || !runs) && job.finish;
    }

    bool build_windows(ReduceSpec spec) {
        ReduceJob& job = *job_;
        if (!job.in_order || job.sums.size() > 1 || job.run_points) return false;
        if (!job.sums.empty() && job.sums[0].indexed()) return false;
        for (const int o : job.of_outer) {
            const int64_t stride = job.lanes.stride[size_t(o)];
            if (plan_.operands[size_t(o)].counted) return false;
            const bool stored = std::ranges::any_of(
                job.parts.outer.ops, [&](const Op& op) { return op.code == OpCode::store && op.operand == o; });
            if (stored && job.lanes.extent > 1 && !can_store_columns(target_, plan_.operands[size_t(o)].type, stride))
                return false;
            // What both programs use lies at the same columns for both.
            spec.column[size_t(o)] = stride;
        }
        spec.windows = true;
        if (job.lanes.extent == 1)
            for (const Op& op : job.parts.outer.ops) // a store goes along columns, of which there is one
                if (op.code == OpCode::store && op.operand >= 0) {
                    job.lanes.stride.set(size_t(op.operand), 1);
                    spec.column[size_t(op.operand)] = 1;
                }
        if (!job.sums.empty()) job.planes = job.sums[0];
        spec.deep = !job.sums.empty();
        spec.single = !spec.deep && job.turns.extent * job.points.extent == 1, spec.plain = is_map();
        spec.grows = growing_number();
        for (const int o : job.of_point) spec.row[size_t(o)] = job.rows.stride[size_t(o)] * job.size[size_t(o)];
        for (const int o : job.of_outer) spec.row[size_t(o)] = job.rows.stride[size_t(o)] * job.size[size_t(o)];
        if (job.block_lanes == job.lanes.extent && can_fix_columns(target_, spec, job.lanes.extent))
            spec.fixed = int(job.lanes.extent);
        else
            spec.row.fill(0);
        if (can_build_reduce(spec))
            job.whole = jit::kernel(target_, key(spec), [&] { return build_reduce(target_, spec); });
        job.windows = job.whole != nullptr;
        job.windows ? job.sums.clear() : void(job.planes = {});
        return job.windows;
    }
    // The operand that numbers the points of pairs, if its numbers grow.
    int growing_number() const {
        const ReduceJob& job = *job_;
        if (!job.parts.pairs()) return -1;
        const auto& ops = job.parts.point.ops;
        const auto second = std::ranges::find_if(ops, [&](const Op& op) {
            return op.code == OpCode::store && size_t(op.operand) == plan_.operands.size() + 1;
        });
        if (second == ops.end() || ops[size_t(second->a)].code != OpCode::index) return -1;
        const int number = ops[size_t(second->a)].operand;
        const auto n = size_t(number);
        const int64_t point = job.points.extent > 1 ? job.points.stride[n] : 1;
        const int64_t turn = job.turns.extent > 1 ? job.turns.stride[n] : Nest::most;
        const int64_t plane = job.planes.extent > 1 ? job.planes.stride[n] : Nest::most;
        const int64_t last = (job.points.extent - 1) * point; // of a turn
        if (job.lanes.stride[n] || point <= 0 || turn <= last) return -1;
        if (plane <= (job.turns.extent > 1 ? (job.turns.extent - 1) * turn : 0) + last) return -1;
        return number;
    }

    bool build_in_registers() {
        ReduceJob& job = *job_;
        job.whole = jit::kernel(target_, key(spec_), [&] { return build_reduce(target_, spec_); });
        job.finish = outer_kernel();
        return job.whole && job.finish;
    }

    bool build_beside(ReduceSpec& spec) {
        ReduceJob& job = *job_;
        const auto kernel = [&](const ReduceSpec& own) {
            return jit::kernel(target_, key(own), [&] { return build_reduce(target_, own); });
        };
        if (!can_build_reduce(spec)) return false;
        job.whole = kernel(spec);
        spec.fresh = false;
        if (!job.sums.empty()) job.more = kernel(spec);
        ReduceSpec join; // of what lies in the buffer
        const DataType type = sum_type(job.parts.type);
        join.parts.combine = job.parts.combine, join.parts.type = job.parts.type;
        join.parts.point.store(1, join.parts.point.load(0, job.parts.type));
        join.types = {type, type, type};
        join.column[0] = 1, join.along_sum = join.joined = true;
        job.last = kernel(join);
        job.finish = outer_kernel();
        return job.whole && (job.more || job.sums.empty()) && job.last && job.finish;
    }

    std::shared_ptr<const jit::Kernel> outer_kernel() {
        ReduceJob& job = *job_;
        MapSpec spec = map_spec(loads_first(job.parts.outer), plan_.operands,
                                {sum_type(job.parts.type), sum_type(job.parts.second())});
        const size_t sums = plan_.operands.size();
        const Loop& side_by_side = job.along_sum ? job.rows : job.lanes;
        bool fits = side_by_side.extent > 1;
        for (const int o : job.of_outer) {
            const bool stored = std::ranges::any_of(
                job.parts.outer.ops, [&](const Op& op) { return op.code == OpCode::store && op.operand == o; });
            fits &= set_column(spec, size_t(o), side_by_side.stride[size_t(o)]) && (!stored || spec.column[size_t(o)]);
        }
        spec.column[sums] = spec.column[sums + 1] = 1;
        job.finish_lanes = fits;
        if (!fits) {
            spec.column.fill(0);
            for (const Op& op : job.parts.outer.ops)
                if (op.code == OpCode::store) spec.column[size_t(op.operand)] = 1;
        }
        return map_kernel(target_, spec);
    }
    static DataType sum_type(ValueType type) { return type == ValueType::f32 ? DataType::f32 : DataType::s32; }
    // The map tile loads no operand behind a store; those of sums may stand there.
    Program loads_first(const Program& p) const {
        Program out;
        std::vector<int> number(p.ops.size(), -1);
        const auto take = [&](bool of_sums) {
            for (size_t i = 0; i < p.ops.size(); ++i) {
                Op op = p.ops[i];
                if ((op.code == OpCode::load && size_t(op.operand) >= plan_.operands.size()) != of_sums) continue;
                for (int* value : {&op.a, &op.b, &op.c})
                    if (*value >= 0) *value = number[size_t(*value)];
                number[i] = int(out.ops.size());
                out.ops.push_back(op);
            }
        };
        take(true), take(false);
        return out;
    }

    const Plan& plan_;
    const Step& step_;
    const jit::Target& target_;
    const Context& context_;
    std::unique_ptr<ReduceJob> job_;
    ReduceSpec spec_; // in registers
};

} // namespace

bool are_windows_of_one(const Plan& plan, const Step& step) {
    const Program& program = plan.programs[size_t(step.program)];
    if (step.nest.loops.empty()) return false;
    bool numbered = false;
    int stores = 0;
    for (const Op& op : program.ops) {
        numbered |= op.code == OpCode::index && step.nest.loops.back().stride[size_t(op.operand)] == 0;
        stores += op.code == OpCode::store;
    }
    return numbered && stores == 1;
}

std::unique_ptr<Job> make_reduce_job(const Plan& plan, const Step& step, const jit::Target& target,
                                     const Context& context) {
    return Maker(plan, step, target, context).make();
}

} // namespace tessera::cpu
