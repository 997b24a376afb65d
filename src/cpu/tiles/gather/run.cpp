// Copies that permute elements inside of blocks or follow offset tables: under the gather tile. Indexed loops and the
// loops that fill a vector become constants of the kernel, one other loop its points, the rest units.
#include <algorithm>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/unit.hpp"
#include "cpu/executor/job.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/tiles/gather/choose.hpp"

namespace tessera::cpu {

namespace {

constexpr int64_t most_bytes = 16 << 10; // of a point: 256 lines
// Rows that are short on both sides: 0.55 to 0.65 of memcpy in tiles of whole lines, whose last one repeats up to 60
// bytes of a row.
constexpr int64_t longest_row = 256;
constexpr int64_t turns_of_a_walk = 16;
constexpr int64_t windows_in_l2 = 5; // read by a store; where there are more, blocks stay near L1

class GatherJob final : public Job {
public:
    std::shared_ptr<const jit::Kernel> kernel;
    std::vector<Loop> outer;
    int64_t extent = 1, blocks = 1, turn = 1; // points of the nest's loop, their blocks, points of a turn
    int64_t src_stride = 0, dst_stride = 0, src_base = 0, dst_base = 0, size = 1;

    void run(const Bases& bases, int64_t first, int64_t last) const override {
        for (int64_t u = first; u < last; ++u) {
            UnitIndex index(u);
            const int64_t b = index.next(blocks), whole = extent / turn; // blocks of whole turns, but for the last one
            const int64_t begin = whole * b / blocks * turn;
            const int64_t count = (b + 1 == blocks ? extent : whole * (b + 1) / blocks * turn) - begin;
            std::array<int64_t, 2> at{}; // elements
            index.add_offsets(outer, at);
            const int64_t s = src_base + begin * src_stride + at[0] * size;
            const int64_t d = dst_base + begin * dst_stride + at[1] * size;
            GatherArgs args;
            args.src = bases[0] + s, args.dst = bases[1] + d;
            args.turns = ceil_div(count, turn);
            args.src_step = turn * src_stride, args.dst_step = turn * dst_stride;
            args.src_last = bases[0] + s + (count - turn) * src_stride;
            args.dst_last = bases[1] + d + (count - turn) * dst_stride;
            (*kernel)(&args);
        }
    }
    std::string text() const override {
        return fmt::format("{}; {} points a turn of {} in {} blocks, {} units", kernel->name(), turn, extent, blocks,
                           units);
    }
    std::vector<const jit::Kernel*> kernels() const override { return {kernel.get()}; }
};

bool moves(const Plan& plan, const Step& step) {
    if (step.kind != StepKind::map || step.nest.loops.empty()) return false;
    const Program& program = plan.programs[size_t(step.program)];
    return is_copy(program) && program.ops[0].operand == 0 && program.ops.back().operand == 1 &&
           bits(plan.operands[1].type) >= 8 && bits(plan.operands[0].type) == bits(plan.operands[1].type);
}

bool is_row(const Loop& l, int64_t size) { // contiguous on both sides, short
    return !l.indexed() && l.stride[0] == 1 && l.stride[1] == 1 && l.extent * size >= 16 &&
           l.extent * size < longest_row;
}

// Short rows: the row itself, and of the loops whose rows touch on one side the shorter one, so that a turn reads or
// writes a contiguous piece. Empty where there are none.
std::vector<bool> inside_rows(const std::vector<Loop>& loops, int64_t size) {
    size_t row = loops.size(), next = loops.size();
    for (size_t k = 0; k < loops.size(); ++k) {
        if (loops[k].indexed()) return {};
        if (is_row(loops[k], size)) row = k;
    }
    if (row == loops.size()) return {};
    const int64_t extent = loops[row].extent;
    for (size_t k = 0; k < loops.size(); ++k) {
        if (loops[k].stride[0] != extent && loops[k].stride[1] != extent) continue;
        if (next == loops.size() || loops[k].extent < loops[next].extent) next = k;
    }
    std::vector<bool> in(loops.size());
    in[row] = true;
    if (next < loops.size() && loops[next].extent * extent * size <= most_bytes / 4) in[next] = true;
    return in;
}

// Loops that become constants of the kernel.
std::vector<bool> inside(const std::vector<Loop>& loops, int64_t size, int64_t width) {
    std::vector<bool> in(loops.size());
    int64_t bytes = size;
    for (size_t k = 0; k < loops.size(); ++k)
        if (loops[k].table[0] || loops[k].table[1]) in[k] = true, bytes *= loops[k].extent;
    // Further loops whose iterations lie closer than a vector on one side, the closest first; a loop with equal strides
    // on both sides is left to the points unless its elements are contiguous.
    for (;;) {
        size_t next = loops.size();
        int64_t least = width;
        for (size_t k = 0; k < loops.size(); ++k) {
            const int64_t s = loops[k].stride[0] * size, d = loops[k].stride[1] * size;
            if (in[k] || (s == d && d != size) || bytes * loops[k].extent > most_bytes) continue;
            if (std::min(s, d) < least) least = std::min(s, d), next = k;
        }
        if (next == loops.size()) return in;
        in[next] = true, bytes *= loops[next].extent;
    }
}

} // namespace

bool prefers_gather(const Plan& plan, const Step& step, const jit::Target& target) {
    if (!moves(plan, step)) return false;
    const int64_t size = bits(plan.operands[1].type) / 8;
    for (const Loop& loop : step.nest.loops) {
        if (loop.table[0] || loop.table[1]) return true;
        if (is_row(loop, size) && step.nest.loops.size() > 1) return true;
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
                                     const Machine& machine, int most_windows) {
    if (!moves(plan, step)) return nullptr;
    auto job = std::make_unique<GatherJob>();
    const int64_t size = bits(plan.operands[1].type) / 8;
    std::vector<Loop> loops;
    for (const Loop& loop : step.nest.loops) {
        if (loop.extent > 1 || loop.table[0] || loop.table[1]) loops.push_back(loop);
        if (loop.stride[0] < 0 || loop.stride[1] < 0) return nullptr;
    }
    auto in = inside_rows(loops, size);
    if (in.empty()) in = inside(loops, size, target.vector_bytes);

    GatherSpec spec;
    spec.element = int(size);
    spec.elements.push_back({});
    size_t points = loops.size(); // the loop of the kernel's points: the closest one in dst
    for (size_t k = 0; k < loops.size(); ++k) {
        if (!in[k]) {
            if (points == loops.size() || loops[k].stride[1] < loops[points].stride[1]) points = k;
            continue;
        }
        if (int64_t(spec.elements.size()) * loops[k].extent * size > most_bytes) return nullptr;
        std::vector<GatherElement> more;
        for (const GatherElement& e : spec.elements)
            for (int64_t i = 0; i < loops[k].extent; ++i)
                more.push_back({e.src + loops[k].offset(0, i) * size, e.dst + loops[k].offset(1, i) * size});
        spec.elements = std::move(more);
    }
    if (spec.elements.size() == 1) return nullptr; // nothing to fill a line with
    std::sort(spec.elements.begin(), spec.elements.end(),
              [](const GatherElement& x, const GatherElement& y) { return x.dst < y.dst; });
    for (size_t e = 1; e < spec.elements.size(); ++e)
        if (spec.elements[e].dst < spec.elements[e - 1].dst + size) return nullptr;
    if (points < loops.size()) {
        job->extent = loops[points].extent;
        spec.src_stride = loops[points].stride[0] * size, spec.dst_stride = loops[points].stride[1] * size;
    }
    for (size_t k = 0; k < loops.size(); ++k)
        if (!in[k] && k != points) job->outer.push_back(loops[k]), job->units *= loops[k].extent;
    if (!can_build_gather(target, spec)) return nullptr; // one point
    spec.points = points_of_turn(target, spec, job->extent);
    if (!can_build_gather(target, spec)) return nullptr;
    int64_t windows = 0, stores = 0;
    const bool rows = !rows_of(target, spec).empty();
    if (!rows)
        for (const GatherGroup& g : groups_of(target, spec)) {
            windows += int64_t(windows_of(target, spec.element, g).size() * g.places.size());
            stores += int64_t(g.places.size());
        }
    bool indexed = false;
    for (const Loop& loop : loops) indexed |= loop.table[0] || loop.table[1];
    if (!indexed && windows > most_windows * stores) return nullptr;
    job->kernel = jit::kernel(target, key(spec), [&] { return build_gather(target, spec); });
    if (!job->kernel) return nullptr;
    // The kernel walks over a block once for every bundle of groups. Where that walk is contiguous (blocked pixels)
    // long ones in L2 are best, unless many groups read a line (8 windows: 0.35 of memcpy, 0.55 to 0.65 in as much as
    // L1). Where it takes pieces of long points (channels last) what is read and written stays well in L1: 240 bytes in
    // 3 groups take 41 us with 8 KiB, 45 with 16, 51 with 48.
    const int64_t point_bytes = 2 * size * int64_t(spec.elements.size());
    int64_t block_bytes = machine.l2_bytes / 4;
    if (!rows && windows > windows_in_l2 * stores) block_bytes = machine.l1_bytes;
    if (!rows && std::max(spec.src_stride, spec.dst_stride) > 2 * target.vector_bytes)
        block_bytes = machine.l1_bytes / 4;
    // Tables make many groups of few windows each: a walk pays for its index vectors with some turns (nearest x2 of
    // bf16 nchw rows of 28, 14 groups).
    const int64_t least_turns = indexed ? turns_of_a_walk : 1;
    const int64_t block = std::max<int64_t>(block_bytes / point_bytes, spec.points * least_turns);
    job->blocks = std::max<int64_t>(1, job->extent / block); // none shorter than a turn
    job->units *= job->blocks;
    job->turn = spec.points;
    job->size = size;
    job->src_stride = spec.src_stride, job->dst_stride = spec.dst_stride;
    job->src_base = step.nest.base[0] * size, job->dst_base = step.nest.base[1] * size;
    job->bytes = step.nest.points() * 2 * size;
    return job;
}

} // namespace tessera::cpu
