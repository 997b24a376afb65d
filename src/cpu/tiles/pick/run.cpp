// SPDX-License-Identifier: Apache-2.0
// Copies along an offset table of src where dst is dense. A short dense loop inside of the table is part of the row:
// the 3 channels of nhwc pixels.
#include <algorithm>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/cut.hpp"
#include "core/plan/unit.hpp"
#include "cpu/executor/job.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/tiles/map/walk.hpp"
#include "cpu/tiles/pick/contract.hpp"

namespace tessera::cpu {

namespace {

class PickJob final : public Job {
public:
    std::shared_ptr<const jit::Kernel> kernel;
    Picks picks;
    Walk walk; // of the loops around the rows
    Loop rows;
    std::array<std::vector<int64_t>, 2> steps;
    int size = 1;
    int64_t columns = 1, block = 1; // columns of a row, rows of a unit

    void run(const Bases& bases, int64_t first, int64_t last) const override {
        PickArgs args{};
        args.turns = std::ssize(picks.pieces) / picks.spec.turn;
        args.pieces = picks.pieces.data(), args.tables = picks.tables.data();
        const int64_t blocks = ceil_div(rows.extent, block);
        Walk::Place place;
        UnitIndex index(first);
        int64_t at = index.next(blocks);
        walk.find(index.outermost(), place);
        for (int64_t u = first; u < last; ++u) {
            const int64_t i = at * block;
            args.rows = std::min(block, rows.extent - i);
            args.src = bases[0] + place.at[0] + rows.offset(0, i) * size;
            args.dst = bases[1] + place.at[1] + rows.offset(1, i) * size;
            const auto row = [&](size_t o) {
                return picks.spec.stepped ? reinterpret_cast<int64_t>(&steps[o][size_t(i)]) : rows.stride[o] * size;
            };
            args.src_row = row(0), args.dst_row = row(1);
            (*kernel)(&args);
            if (++at < blocks || u + 1 == last) continue;
            at = 0;
            walk.next(place);
        }
    }
    std::string text() const override {
        return fmt::format("{}; {} pieces of rows of {}, {} rows a unit of {}, {} units", kernel->name(),
                           picks.pieces.size(), columns, block, rows.extent, units);
    }
    std::vector<const jit::Kernel*> kernels() const override { return {kernel.get()}; }
};

} // namespace

std::unique_ptr<Job> make_pick_job(const Plan& plan, const Step& step, const jit::Target& target,
                                   const Context& context) {
    const Program& program = plan.programs[size_t(step.program)];
    if (!is_copy(program) || program.ops[0].operand != 0 || plan.operands.size() != 2) return nullptr;
    const int element = bits(plan.operands[0].type);
    if (element < 8 || element > 64 || element != bits(plan.operands[1].type)) return nullptr;
    auto job = std::make_unique<PickJob>();
    job->size = element / 8;
    std::vector<Loop> loops = step.nest.loops;
    if (loops.size() > 1 && !loops.back().indexed() && loops[loops.size() - 2].indexed()) {
        const Loop inner = loops.back();
        loops.pop_back();
        loops.back() = joined(loops.back(), inner, 2);
    }
    if (loops.empty() || !loops.back().table[0] || loops.back().table[1] || loops.back().stride[1] != 1) return nullptr;
    const Loop columns = loops.back();
    loops.pop_back();
    job->columns = columns.extent;
    join_rows(loops, 2, columns.extent * job->size);
    if (!loops.empty()) job->rows = loops.back(), loops.pop_back();

    std::vector<int64_t> places;
    places.reserve(size_t(columns.extent));
    for (int64_t j = 0; j < columns.extent; ++j) places.push_back(columns.offset(0, j) * job->size);
    job->picks = picks_of(target, job->size, places);
    PickSpec& spec = job->picks.spec;
    spec.stepped = job->rows.indexed();
    if (spec.stepped)
        for (size_t o : {0u, 1u}) job->steps[o] = steps_in_bytes(job->rows, o, job->size);
    job->kernel = jit::kernel(target, key(spec), [&] { return build_pick(target, spec); });
    if (!job->kernel) return nullptr;
    const int sizes[] = {job->size, job->size};
    job->walk = Walk(step.nest.base, loops, sizes);
    job->bytes = step.nest.points() * 2 * job->size;
    job->block =
        std::clamp<int64_t>(bytes_of_unit(job->bytes, context) / (2 * job->size * columns.extent), 1, job->rows.extent);
    job->units = job->walk.iterations() * ceil_div(job->rows.extent, job->block);
    return job;
}

} // namespace tessera::cpu
