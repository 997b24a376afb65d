// SPDX-License-Identifier: Apache-2.0
#include "cpu/portable/executable.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/cut.hpp"
#include "core/plan/rewrite/groups.hpp"
#include "core/plan/rewrite/in_nests.hpp"
#include "core/plan/rewrite/local_step.hpp"
#include "core/plan/rewrite/turns.hpp"
#include "core/plan/unit.hpp"
#include "core/stack_array.hpp"
#include "cpu/lanes/lanes.hpp"
#include "cpu/lanes/lists.hpp"
#include "cpu/lanes/transpose.hpp"
#include "cpu/portable/program_reduction.hpp"
#include "cpu/portable/reduction.hpp"
#include "cpu/portable/schedule.hpp"
#include "cpu/portable/sparse.hpp"
#include "cpu/runtime/repeated.hpp"
#include "cpu/runtime/threads.hpp"

namespace tessera::cpu {

namespace {

constexpr int64_t parallel_products = 1 << 16; // multiply-adds: some 30 us, about what waking a team takes

// One step with everything that does not depend on the buffers. Its operands are numbered as local_step() does it.
struct Prepared {
    Schedule schedule;
    std::vector<int> operands; // of the plan
    std::vector<DataType> types;
    Program program;                      // no operations for a fill
    std::optional<LaneProgram> lanes;     // refers to the program and the types
    size_t written;                       // the operand the step writes
    std::optional<Reduction> reduction;   // sums of what is stored, as integers, or
    std::optional<ProgramReduction> sums; // any other sums
    std::shared_ptr<const SparseProduct> sparse;
    std::shared_ptr<const Executable> repeat;
};

// A unit: where it starts, for every operand, and the block of the tile that it covers.
struct Unit {
    explicit Unit(size_t operands) : at(operands) {}
    StackArray<int64_t> at;
    int64_t row = 0, column = 0, rows = 1, columns = 1;
};

class Portable final : public Executable {
public:
    Portable(const Plan& plan, const Context& context, std::string why)
        : plan_(ungrouped(in_nests(plan))), why_(std::move(why)), most_threads_(context.threads) {
        for (const Operand& o : plan_.operands) types_.push_back(o.type);
        for (const Step& step : plan_.steps) {
            if (step.sparse) {
                auto prepared = std::make_unique<Prepared>();
                prepared->sparse = step.sparse;
                steps_.push_back(std::move(prepared));
                continue;
            }
            LocalStep local = local_step(plan_, step);
            auto prepared = std::make_unique<Prepared>();
            Prepared& p = *prepared;
            if (step.kind == StepKind::repeat) {
                p.repeat =
                    repeated(local.plan,
                             std::make_shared<const Portable>(turn_of(local.plan, local.plan.steps[0]), context, ""));
                p.operands = std::move(local.operands);
                steps_.push_back(std::move(prepared));
                continue;
            }
            p.schedule = schedule(local.plan.steps[0], local.plan, context);
            for (const Operand& o : local.plan.operands) p.types.push_back(o.type);
            p.written = 0;
            if (step.kind != StepKind::fill) {
                if (step.kind == StepKind::reduce) count_units(p, local.plan, context);
                p.program = std::move(local.plan.programs[0]);
                p.written = size_t(p.program.ops.back().operand);
                if (step.kind != StepKind::reduce) p.lanes.emplace(p.program, p.types);
            }
            p.operands = std::move(local.operands);
            steps_.push_back(std::move(prepared));
        }
    }

    Status run(std::span<void* const> pointers, const Threads& threads) const override {
        StackArray<void*> all(plan_.operands.size());
        for (size_t o = 0; o < all.size(); ++o) {
            const Operand& operand = plan_.operands[o];
            if (operand.counted)
                all[o] = nullptr;
            else if (operand.constant >= 0) // only loaded
                all[o] = const_cast<float*>(plan_.constants[size_t(operand.constant)].data());
            else
                all[o] = static_cast<char*>(pointers[o]) + operand.bytes;
        }
        for (const auto& step : steps_) {
            const Prepared& p = *step;
            if (p.sparse) {
                if (!multiply(*p.sparse, all, threads)) return Status::invalid_arguments;
                continue;
            }
            const Schedule& s = p.schedule;
            StackArray<void*> base(p.operands.size());
            if (p.repeat) { // adds Operand::bytes itself
                for (size_t o = 0; o < base.size(); ++o) base[o] = pointers[size_t(p.operands[o])];
                if (const Status status = p.repeat->run(base, threads); status != Status::success) return status;
                continue;
            }
            for (size_t o = 0; o < base.size(); ++o) base[o] = all[size_t(p.operands[o])];
            if (p.sums) {
                reduce(p, base, threads);
                continue;
            }
            auto chunk = [&](int64_t c) {
                const int64_t first = c * s.units_per_chunk, last = std::min(s.units, first + s.units_per_chunk);
                for (int64_t u = first; u < last; ++u) run_unit(p, u, base);
            };
            const int64_t chunks = s.units ? ceil_div(s.units, s.units_per_chunk) : 0;
            if (s.parallel)
                for_chunks(chunks, most_threads_, threads, chunk);
            else if (chunks)
                chunk(0);
        }
        return Status::success;
    }

    std::string_view name() const override { return "portable"; }
    std::string_view fallback() const override { return why_; }
    const Plan* runs() const override { return &plan_; }
    std::string text() const override {
        std::string out;
        for (const auto& p : steps_)
            if (p->repeat)
                out += p->repeat->text();
            else
                out += fmt::format("portable {}\n", p->sparse      ? p->sparse->text()
                                                    : p->sums      ? p->sums->text()
                                                    : p->reduction ? p->reduction->text()
                                                                   : to_string(p->schedule, int(p->types.size())));
        return out;
    }

private:
    static void count_units(Prepared& p, const Plan& plan, const Context& context) { // plan: of the step alone
        Schedule& s = p.schedule;
        if (!Reduction::takes(plan, plan.steps[0])) {
            p.sums.emplace(plan, plan.steps[0], context);
            int64_t width = 0; // bits of a point
            for (DataType type : p.types) width += bits(type);
            s.parallel = context.threads > 1 && p.sums->tasks() > 1 &&
                         plan.steps[0].nest.points() > context.parallel_bytes * 8 / width;
            return;
        }
        p.reduction.emplace(plan, plan.steps[0]);
        s.units = p.reduction->units();
        s.parallel &= s.units > 1;
        const int64_t chunks = s.parallel ? chunks_of(s.units, context.threads) : 1;
        s.units_per_chunk = ceil_div(s.units, chunks);
    }

    // Runs `items` in chunks that any thread takes.
    void in_chunks(const Prepared& p, int64_t items, const Threads& threads,
                   const std::function<void(int64_t)>& run) const {
        const int64_t chunks = p.schedule.parallel ? chunks_of(items, most_threads_) : 1;
        const auto chunk = [&](int64_t c) {
            for (int64_t i = items * c / chunks; i < items * (c + 1) / chunks; ++i) run(i);
        };
        if (chunks > 1)
            for_chunks(chunks, most_threads_, threads, chunk);
        else
            chunk(0);
    }

    void reduce(const Prepared& p, std::span<void* const> base, const Threads& threads) const {
        std::vector<uint32_t> scratch(p.sums->scratch());
        in_chunks(p, p.sums->tasks(), threads, [&](int64_t task) { p.sums->sum(task, base, scratch.data()); });
        in_chunks(p, p.sums->units(), threads, [&](int64_t unit) { p.sums->finish(unit, base, scratch.data()); });
    }

    // False where the lists are not to be trusted. Rows differ in their numbers of nonzeros and so in cost: chunks have
    // as many of these.
    bool multiply(const SparseProduct& p, std::span<void* const> all, const Threads& threads) const {
        const int64_t work = p.elements * (p.is_src ? p.columns : p.rows);
        const Team team{threads, work > parallel_products ? most_threads_ : 1};
        const auto list = grouped(p, types_[size_t(p.values)], all, true, team);
        if (!list) return false;
        const int64_t chunks = team.parts(p.rows);
        const auto begin = [&](int64_t c) { return p.is_src ? list->begin(c, chunks) : p.rows * c / chunks; };
        team.run(chunks, [&](int64_t c) { multiply_rows(p, *list, types_, all, begin(c), begin(c + 1)); });
        return true;
    }

    static void place(const Prepared& p, int64_t u, Unit& unit) {
        const Schedule& s = p.schedule;
        const size_t operands = p.types.size();
        for (size_t o = 0; o < operands; ++o) unit.at[o] = s.nest.base[o];
        const Loop &rows = s.nest.loops[s.outer], &columns = s.nest.loops[s.outer + 1];
        UnitIndex index(u);
        unit.column = index.next(ceil_div(columns.extent, s.block_columns)) * s.block_columns;
        unit.row = index.next(ceil_div(rows.extent, s.block_rows)) * s.block_rows;
        unit.rows = std::min(s.block_rows, rows.extent - unit.row);
        unit.columns = std::min(s.block_columns, columns.extent - unit.column);
        for (size_t o = 0; o < operands; ++o) {
            unit.at[o] += rows.offset(int(o), unit.row);
            if (!columns.table[o]) unit.at[o] += columns.stride[o] * unit.column;
        }
        index.add_offsets({s.nest.loops.data(), s.outer}, unit.at);
    }

    Access access(const Prepared& p, const Unit& unit, size_t o, void* base) const {
        const Loop &rows = p.schedule.nest.loops[p.schedule.outer],
                   &columns = p.schedule.nest.loops[p.schedule.outer + 1];
        const int64_t* table = columns.table[o] ? columns.table[o]->data() + unit.column : nullptr;
        return {base, unit.at[o], rows.stride[o], columns.stride[o], table};
    }

    void run_unit(const Prepared& p, int64_t index, std::span<void* const> base) const {
        if (p.reduction) return p.reduction->run(index, base);
        Unit unit(p.types.size());
        place(p, index, unit);
        if (p.program.ops.empty()) return fill(p, unit, base[p.written]);
        StackArray<Access> accesses(p.types.size());
        for (size_t o = 0; o < accesses.size(); ++o) accesses[o] = access(p, unit, o, base[o]);
        if (p.schedule.tile == Tile::transpose) return transpose(p, unit, accesses);
        p.lanes->run(accesses.data(), accesses.data(), unit.rows, unit.columns);
    }

    void fill(const Prepared& p, const Unit& unit, void* base) const {
        const Access to = access(p, unit, p.written, base);
        const DataType type = p.types[p.written];
        for (int64_t i = 0; i < unit.rows; ++i) {
            const int64_t first = to.first + i * to.row;
            if (!to.table && to.column == 1 && !is_sub_byte(type)) {
                std::memset(static_cast<char*>(base) + first * (bits(type) / 8), 0,
                            size_t(bytes_of(type, unit.columns)));
                continue;
            }
            for (int64_t j = 0; j < unit.columns; ++j)
                write_bits(type, base, first + (to.table ? to.table[j] : j * to.column), 0);
        }
    }

    // Results are computed into a buffer in the order of src and transposed from there; copies are transposed directly.
    void transpose(const Prepared& p, const Unit& unit, std::span<const Access> accesses) const {
        const int size = bits(p.types[p.written]) / 8;
        const Access& to = accesses[p.written];
        void* dst = static_cast<char*>(to.base) + to.first * size;
        if (is_copy(p.program)) {
            const Access& from = accesses[size_t(p.program.ops[0].operand)];
            const void* src = static_cast<const char*>(from.base) + from.first * size;
            return transpose_block(size, src, from.row, dst, to.column, unit.rows, unit.columns);
        }
        alignas(64) unsigned char turned[64 * 64 * 8];
        StackArray<Access> stores(accesses.size());
        std::copy(accesses.begin(), accesses.end(), stores.data());
        stores[p.written] = {turned, 0, unit.columns, 1, nullptr};
        p.lanes->run(accesses.data(), stores.data(), unit.rows, unit.columns);
        transpose_block(size, turned, unit.columns, dst, to.column, unit.rows, unit.columns);
    }

    const Plan plan_; // what runs
    std::string why_;
    int most_threads_;
    std::vector<DataType> types_;                        // of the plan's operands
    std::vector<std::unique_ptr<const Prepared>> steps_; // at stable addresses: LaneProgram keeps references
};

} // namespace

Result<std::shared_ptr<const Executable>> make_portable(std::shared_ptr<const Plan> plan, const Context& context,
                                                        std::string why) {
    if (auto ok = verify(*plan); !ok) return Refusal(ok.error());
    return std::make_shared<const Portable>(*plan, context, std::move(why));
}

} // namespace tessera::cpu
