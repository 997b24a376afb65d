#include "cpu/portable/executable.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "cpu/exec/schedule.hpp"
#include "cpu/exec/threads.hpp"
#include "cpu/portable/lanes.hpp"
#include "cpu/portable/reduction.hpp"
#include "cpu/portable/transpose.hpp"

namespace tessera::cpu {

namespace {

constexpr int64_t chunks_per_thread = 8;

using Elements = std::array<int64_t, max_operands>;

// One step with everything that does not depend on the buffers.
struct Prepared {
    const Step* step;
    const Program* program; // null for a fill
    Schedule schedule;
    size_t written; // the operand the step writes
    std::optional<Reduction> reduction;
};

// A unit: where it starts, for every operand, and the block of the tile that it covers.
struct Unit {
    Elements at;
    int64_t row = 0, column = 0, rows = 1, columns = 1;
};

class Portable final : public Executable {
public:
    Portable(std::shared_ptr<const Plan> plan, const Machine& machine)
        : plan_(std::move(plan)), most_threads_(machine.threads) {
        for (const Operand& o : plan_->operands) types_.push_back(o.type);
        for (const Step& step : plan_->steps) {
            const Program* program = step.kind == StepKind::run ? &plan_->programs[size_t(step.program)] : nullptr;
            const auto written = size_t(program ? program->ops.back().operand : step.fill_operand);
            steps_.push_back({&step, program, schedule(step, *plan_, machine), written, {}});
            if (program && step.tile == Tile::reduce) count_units(steps_.back(), *plan_, machine);
        }
    }

    Status run(std::span<void* const> pointers, const Threads& threads) const override {
        std::array<void*, max_operands> base{};
        for (size_t o = 0; o < types_.size(); ++o) {
            const Operand& operand = plan_->operands[o];
            if (operand.constant >= 0) // only loaded
                base[o] = const_cast<float*>(plan_->constants[size_t(operand.constant)].data());
            else
                base[o] = static_cast<char*>(pointers[o]) + operand.bytes;
        }
        for (const Prepared& p : steps_) {
            const Schedule& s = p.schedule;
            auto chunk = [&](int64_t c) {
                const int64_t first = c * s.units_per_chunk, last = std::min(s.units, first + s.units_per_chunk);
                for (int64_t u = first; u < last; ++u) run_unit(p, u, base);
            };
            const int64_t chunks = s.units ? (s.units - 1) / s.units_per_chunk + 1 : 0;
            if (s.parallel)
                for_chunks(chunks, most_threads_, threads, chunk);
            else if (chunks)
                chunk(0);
        }
        return Status::success;
    }

    std::string_view name() const override { return "portable"; }
    std::string text() const override {
        std::string out;
        for (const Prepared& p : steps_)
            out += fmt::format("portable {}\n",
                               p.reduction ? p.reduction->text() : to_string(p.schedule, int(types_.size())));
        return out;
    }

private:
    static void count_units(Prepared& p, const Plan& plan, const Machine& machine) {
        Schedule& s = p.schedule;
        p.reduction.emplace(plan, *p.step);
        s.units = p.reduction->units();
        s.parallel &= s.units > 1;
        const int64_t chunks = s.parallel ? std::min(s.units, int64_t(machine.threads) * chunks_per_thread) : 1;
        s.units_per_chunk = (s.units + chunks - 1) / chunks;
    }

    Unit unit_of(const Prepared& p, int64_t index) const {
        const Schedule& s = p.schedule;
        const size_t operands = types_.size();
        Unit unit{s.nest.base};
        const Loop &rows = s.nest.loops[s.outer], &columns = s.nest.loops[s.outer + 1];
        const int64_t row_blocks = (rows.extent + s.block_rows - 1) / s.block_rows;
        const int64_t column_blocks = (columns.extent + s.block_columns - 1) / s.block_columns;
        unit.column = index % column_blocks * s.block_columns;
        index /= column_blocks;
        unit.row = index % row_blocks * s.block_rows;
        index /= row_blocks;
        unit.rows = std::min(s.block_rows, rows.extent - unit.row);
        unit.columns = std::min(s.block_columns, columns.extent - unit.column);
        for (size_t o = 0; o < operands; ++o) {
            unit.at[o] += rows.offset(int(o), unit.row);
            if (!columns.table[o]) unit.at[o] += columns.stride[o] * unit.column;
        }
        for (size_t k = s.outer; k-- > 0;) {
            const Loop& loop = s.nest.loops[k];
            const int64_t i = index % loop.extent;
            index /= loop.extent;
            for (size_t o = 0; o < operands; ++o) unit.at[o] += loop.offset(int(o), i);
        }
        return unit;
    }

    Access access(const Prepared& p, const Unit& unit, size_t o, void* base) const {
        const Loop &rows = p.schedule.nest.loops[p.schedule.outer],
                   &columns = p.schedule.nest.loops[p.schedule.outer + 1];
        const int64_t* table = columns.table[o] ? columns.table[o]->data() + unit.column : nullptr;
        return {base, unit.at[o], rows.stride[o], columns.stride[o], table};
    }

    void run_unit(const Prepared& p, int64_t index, const std::array<void*, max_operands>& base) const {
        if (p.reduction) return p.reduction->run(index, base);
        const Unit unit = unit_of(p, index);
        if (!p.program) return fill(p, unit, base[p.written]);
        Access accesses[max_operands];
        for (size_t o = 0; o < types_.size(); ++o) accesses[o] = access(p, unit, o, base[o]);
        if (p.schedule.tile == Tile::transpose) return transpose(p, unit, accesses);
        run_lanes(*p.program, types_, accesses, accesses, unit.rows, unit.columns);
    }

    void fill(const Prepared& p, const Unit& unit, void* base) const {
        const Access to = access(p, unit, p.written, base);
        const DataType type = types_[p.written];
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

    // Results go to a buffer with src's direction dense, then are turned; copies are turned at once.
    void transpose(const Prepared& p, const Unit& unit, const Access* accesses) const {
        const int size = bits(types_[p.written]) / 8;
        const Access& to = accesses[p.written];
        void* dst = static_cast<char*>(to.base) + to.first * size;
        if (is_copy(*p.program)) {
            const Access& from = accesses[size_t(p.program->ops[0].operand)];
            const void* src = static_cast<const char*>(from.base) + from.first * size;
            return transpose_block(size, src, from.row, dst, to.column, unit.rows, unit.columns);
        }
        alignas(64) unsigned char turned[64 * 64 * 8];
        Access stores[max_operands];
        std::copy_n(accesses, types_.size(), stores);
        stores[p.written] = {turned, 0, unit.columns, 1, nullptr};
        run_lanes(*p.program, types_, accesses, stores, unit.rows, unit.columns);
        transpose_block(size, turned, unit.columns, dst, to.column, unit.rows, unit.columns);
    }

    std::shared_ptr<const Plan> plan_;
    int most_threads_;
    std::vector<DataType> types_;
    std::vector<Prepared> steps_;
};

} // namespace

Result<std::shared_ptr<const Executable>> make_portable(std::shared_ptr<const Plan> plan, const Machine& machine) {
    if (auto ok = verify(*plan); !ok) return Refusal(ok.error());
    return std::make_shared<const Portable>(std::move(plan), machine);
}

} // namespace tessera::cpu
