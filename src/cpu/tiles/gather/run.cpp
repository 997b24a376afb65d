// SPDX-License-Identifier: Apache-2.0
// Copies and conversions that permute elements inside of blocks, move few channels or follow offset tables: under the
// gather tile.
#include <algorithm>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/cut.hpp"
#include "core/plan/rewrite/operands.hpp"
#include "core/plan/unit.hpp"
#include "cpu/executor/job.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/jit/program_code.hpp"
#include "cpu/tiles/gather/choose.hpp"
#include "cpu/tiles/gather/inside.hpp"
#include "cpu/tiles/transpose/tiling.hpp"

namespace tessera::cpu {

namespace {

constexpr int64_t turns_of_a_walk = 16;
constexpr int64_t longest_padded = 256; // bytes of a row and its zeros: long ones are left to fills
constexpr int64_t most_code = 4 << 10;  // bytes of a kernel, about: 50 us of creation
constexpr int64_t least_point_bytes = 1 << 6;
constexpr int64_t windows_in_l2 = 5; // read by a store; where there are more, blocks stay near L1

class GatherJob final : public Job {
public:
    std::shared_ptr<const jit::Kernel> kernel;
    std::vector<Loop> outer;
    Loop points;                         // the nest's loop
    int64_t blocks = 1, turn = 1;        // of points, which one block or more are cut into; points of a turn
    Loop rows;                           // the loop around the points
    int64_t block_rows = 1;              // of a unit
    std::array<int64_t, 2> base{};       // elements
    std::array<int64_t, 2> size{1, 1};   // bytes of an element of src and dst
    std::vector<int64_t> broadcast_base; // bytes, by operand

    void run(const Bases& bases, int64_t first, int64_t last) const override {
        GatherArgs args;
        for (size_t o = 2; o < broadcast_base.size(); ++o) args.broadcast[o] = bases[o] + broadcast_base[o];
        const auto bytes = [&](const Loop& loop, size_t o) { return loop.stride[o] * size[o]; };
        for (int64_t u = first; u < last; ++u) {
            UnitIndex index(u);
            const int64_t b = index.next(blocks),
                          whole = points.extent / turn; // blocks of whole turns, but for the last
            const int64_t begin = whole * b / blocks * turn;
            const int64_t count = (b + 1 == blocks ? points.extent : whole * (b + 1) / blocks * turn) - begin;
            const int64_t row = index.next(ceil_div(rows.extent, block_rows)) * block_rows;
            std::array<int64_t, 2> at = base; // elements
            index.add_offsets(outer, at);
            for (size_t o = 0; o < 2; ++o) at[o] += begin * points.stride[o] + row * rows.stride[o];
            args.src = bases[0] + at[0] * size[0];
            args.dst = bases[1] + at[1] * size[1];
            args.turns = ceil_div(count, turn);
            args.src_step = turn * bytes(points, 0), args.dst_step = turn * bytes(points, 1);
            args.src_last = (count - turn) * bytes(points, 0), args.dst_last = (count - turn) * bytes(points, 1);
            args.rows = std::min(block_rows, rows.extent - row);
            args.src_row = bytes(rows, 0), args.dst_row = bytes(rows, 1);
            (*kernel)(&args);
        }
    }
    std::string text() const override {
        return fmt::format("{}; {} points a turn of {} in {} blocks, {} of {} rows, {} units", kernel->name(), turn,
                           points.extent, blocks, block_rows, rows.extent, units);
    }
    std::vector<const jit::Kernel*> kernels() const override { return {kernel.get()}; }
};

std::vector<DataType> types_of(const Plan& plan) {
    std::vector<DataType> types;
    for (const Operand& operand : plan.operands) types.push_back(operand.type);
    return types;
}

bool moves(const Plan& plan, const Step& step) {
    if (step.nest.loops.empty() || !only_moves(plan, step)) return false;
    const DataType from = plan.operands[0].type, to = plan.operands[1].type;
    if (is_sub_byte(from) || is_sub_byte(to)) return false;
    const Program& program = plan.programs[size_t(step.program)];
    return is_copy(program) ? bits(from) == bits(to) : jit::can_emit(program, types_of(plan));
}

int64_t moved_bytes(const Plan& plan) { return std::min(bits(plan.operands[0].type), bits(plan.operands[1].type)) / 8; }

// A turn of short rows goes on in the lines of the one before, on the side where the rows lie apart: of the loops whose
// rows touch on the other side the shorter one, which is inside, is cut where L1 does not hold as many lines.
//
//   f32 ba -> Ab8a of 512 x 512    64 rows of 32 bytes, 16 KiB apart, share a set of 12 lines: 8 of them a turn
void cut_rows(std::vector<Loop>& loops, int64_t size, const Context& context) {
    const auto row = std::ranges::find_if(loops, [&](const Loop& l) { return is_short_row(l, size); });
    if (row == loops.end() || std::ranges::any_of(loops, &Loop::indexed) || row->extent * size % line_bytes == 0)
        return;
    const auto touches = [&](const Loop& l) { return l.stride[0] == row->extent || l.stride[1] == row->extent; };
    size_t next = loops.size();
    for (size_t k = 0; k < loops.size(); ++k)
        if (touches(loops[k]) && (next == loops.size() || loops[k].extent < loops[next].extent)) next = k;
    if (next == loops.size()) return;
    Loop& inner = loops[next];
    const int64_t apart = std::max(inner.stride[0], inner.stride[1]) * size, all = inner.extent;
    int64_t part = all;
    while (part > 1 && (all % part || lines_collide(context, apart, part))) --part;
    if (part == all || part == 1) return;
    Loop outer = inner;
    outer.extent = all / part, inner.extent = part;
    outer.stride.each([&](int64_t& stride) { stride *= part; });
    loops.insert(loops.begin() + long(next), std::move(outer));
}

// The elements of a point, by the loops that are inside. False where it has too many, one alone, or some twice.
bool set_point(GatherSpec& spec, const std::vector<Loop>& loops, const GatherLoops& chosen, size_t row, int64_t zeros) {
    const int64_t size = spec.element;
    spec.elements.assign(1, {});
    const auto repeat = [&](const Loop& loop) {
        if (int64_t(spec.elements.size()) * loop.extent > most_gather_elements) return false;
        std::vector<GatherElement> more;
        for (const GatherElement& e : spec.elements)
            for (int64_t i = 0; i < loop.extent; ++i) {
                const bool zero = e.src == GatherElement::zero;
                more.push_back({zero ? e.src : e.src + loop.offset(0, i) * size, e.dst + loop.offset(1, i) * size});
            }
        spec.elements = std::move(more);
        return true;
    };
    if (row < loops.size() && !repeat(loops[row])) return false;
    for (int64_t i = 0; i < zeros; ++i) spec.elements.push_back({GatherElement::zero, spec.elements.back().dst + size});
    for (size_t k = 0; k < loops.size(); ++k)
        if (chosen.inside[k] && k != row && !repeat(loops[k])) return false;
    if (spec.elements.size() == 1) return false; // nothing to fill a line with
    std::sort(spec.elements.begin(), spec.elements.end(),
              [](const GatherElement& x, const GatherElement& y) { return x.dst < y.dst; });
    for (size_t e = 1; e < spec.elements.size(); ++e)
        if (spec.elements[e].dst < spec.elements[e - 1].dst + size) return false;
    spec.src_stride = spec.dst_stride = 0;
    if (chosen.points == loops.size()) return true;
    spec.src_stride = loops[chosen.points].stride[0] * size, spec.dst_stride = loops[chosen.points].stride[1] * size;
    return true;
}

} // namespace

bool prefers_gather(const Plan& plan, const Step& step, const jit::Target& target) {
    if (!moves(plan, step)) return false;
    const int64_t size = moved_bytes(plan);
    const bool copies = is_copy(plan.programs[size_t(step.program)]);
    for (const Loop& loop : step.nest.loops) {
        if (loop.table[0] || loop.table[1]) return true;
        if (copies && is_short_row(loop, size) && step.nest.loops.size() > 1) return true;
        // Tiles of whole lines would move much twice (68 bytes as 2 lines: 0.48 of memcpy, so 0.6 to 0.7).
        const int64_t row = loop.extent * size, width = target.vector_bytes;
        if (loop.stride[1] == 1 && loop.stride[0] > 1 && loop.stride[0] <= 4 && row >= width &&
            10 * round_up(row, width) > 13 * row)
            return true;
        const bool power = (loop.extent & (loop.extent - 1)) == 0;
        if ((loop.stride[0] == 1 || loop.stride[1] == 1) && !power && loop.extent * size < target.vector_bytes)
            return true;
    }
    return false;
}

std::unique_ptr<Job> make_gather_job(const Plan& plan, const Step& step, const jit::Target& target,
                                     const Context& context, int most_windows, int64_t zeros) {
    if (!moves(plan, step)) return nullptr;
    auto job = std::make_unique<GatherJob>();
    const Program& program = plan.programs[size_t(step.program)];
    GatherSpec spec;
    const int64_t size = spec.element = int(moved_bytes(plan));
    if (!is_copy(program)) spec.program = program, spec.types = types_of(plan);
    for (size_t o = 0; o < 2; ++o) job->size[o] = bits(plan.operands[o].type) / 8, job->base[o] = step.nest.base[o];
    for (size_t o = 0; o < plan.operands.size(); ++o)
        job->broadcast_base.push_back(step.nest.base[o] * (bits(plan.operands[o].type) / 8));
    std::vector<Loop> loops;
    for (const Loop& loop : step.nest.loops) {
        if (loop.extent > 1 || loop.table[0] || loop.table[1]) loops.push_back(loop);
        if (loop.stride[0] < 0 || loop.stride[1] < 0) return nullptr;
    }
    if (is_copy(program) && zeros == 0) cut_rows(loops, size, context);
    size_t row = loops.size(); // that ends in zeros
    for (size_t k = 0; k < loops.size() && zeros; ++k)
        if (!loops[k].table[1] && loops[k].stride[1] == 1) row = k;
    if (zeros && ((row < loops.size() ? loops[row].extent : 1) + zeros) * size > longest_padded) return nullptr;
    bool indexed = false;
    for (const Loop& loop : loops) indexed |= loop.table[0] || loop.table[1];
    GatherLoops chosen;
    std::optional<GatherCut> cut;
    const GatherMost most = indexed ? GatherMost{} : GatherMost{most_windows, most_code};
    for (int64_t bytes = most_point_bytes; !cut && bytes >= least_point_bytes; bytes /= 4) {
        chosen = gather_loops(loops, size, target.vector_bytes, is_copy(program), row, zeros, bytes);
        if (!set_point(spec, loops, chosen, row, zeros)) return nullptr;
        const int64_t extent = chosen.points < loops.size() ? loops[chosen.points].extent : 1;
        cut = cut_of_turn(target, spec, extent, most);
        if (!cut) return nullptr;
        if (cut->too_long) cut.reset();
    }
    if (!cut) return nullptr;
    if (chosen.points < loops.size()) job->points = loops[chosen.points];
    if (chosen.rows < loops.size()) job->rows = loops[chosen.rows];
    for (size_t k = 0; k < loops.size(); ++k)
        if (!chosen.inside[k] && k != chosen.points && k != chosen.rows)
            job->outer.push_back(loops[k]), job->units *= loops[k].extent;
    job->turn = spec.points;
    job->kernel = jit::kernel(target, key(spec), [&] { return build_gather(target, spec, *cut); });
    if (!job->kernel) return nullptr;
    // The kernel walks over a block once for every bundle of groups. Where that walk is contiguous (blocked pixels)
    // long ones in L2 are best, unless many groups read a line (8 windows: 0.35 of memcpy, 0.55 to 0.65 in as much as
    // L1). Where it takes pieces of long points (channels last) what is read and written stays well in L1: 240 bytes in
    // 3 groups take 41 us with 8 KiB, 45 with 16, 51 with 48.
    const int64_t point_bytes = (job->size[0] + job->size[1]) * int64_t(spec.elements.size());
    int64_t block_bytes = context.l2_bytes / 4;
    const bool rows = !cut->rows.empty();
    if (!rows && cut->reads > windows_in_l2 * cut->stores) block_bytes = context.l1_bytes;
    if (!rows && std::max(spec.src_stride, spec.dst_stride) > 2 * target.vector_bytes)
        block_bytes = context.l1_bytes / 4;
    // Tables make many groups of few windows each: a walk pays for its index vectors with some turns (nearest x2 of
    // bf16 nchw rows of 28, 14 groups).
    const int64_t least_turns = indexed ? turns_of_a_walk : 1;
    job->bytes = step.nest.points() * (job->size[0] + job->size[1]);
    block_bytes = std::min(block_bytes, bytes_of_unit(job->bytes, context));
    const int64_t block = std::max<int64_t>(block_bytes / point_bytes, spec.points * least_turns);
    job->blocks = std::max<int64_t>(1, job->points.extent / block); // none shorter than a turn
    if (job->blocks == 1)
        job->block_rows = std::clamp<int64_t>(block_bytes / (point_bytes * job->points.extent), 1, job->rows.extent);
    job->units *= job->blocks * ceil_div(job->rows.extent, job->block_rows);
    return job;
}

} // namespace tessera::cpu
