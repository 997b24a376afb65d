// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/sparse/run.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/stack_array.hpp"
#include "cpu/isa.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/lanes/lists.hpp"
#include "cpu/select/copies.hpp"
#include "cpu/tiles/sparse/choose.hpp"
#include "cpu/tiles/sparse/contract.hpp"

namespace tessera::cpu {

namespace {

// About 30 us.
constexpr int64_t rows_of_pack = 512;
constexpr int64_t rows_of_results = 64, results_bytes = rows_of_results * sparse_vectors * 64; // that are turned

using Strides = std::array<int64_t, 2>;

struct Matrix {
    char* at;
    Strides strides; // in elements of `type`
    DataType type;

    char* from(int64_t row, int64_t column) const {
        return at + (row * strides[0] + column * strides[1]) * bits(type) / 8;
    }
};

// Copies and conversions of blocks, each by a plan of its own: some rows or what is left of all, and the same of
// columns.
class Blocks {
public:
    bool add(const Matrix& from, const Matrix& to, int64_t rows, int64_t columns, const Context& context) {
        const auto place = [&](const Matrix& m) {
            return Place{m.type, {0, {{{rows, m.strides[0]}}, {{columns, m.strides[1]}}}}};
        };
        const int64_t dims[] = {rows, columns};
        auto run = compile_copy(place(from), place(to), dims, context);
        if (!run) return false;
        all_.push_back({rows, columns, std::move(run)});
        return true;
    }
    void copy(char* from, char* to, int64_t rows, int64_t columns) const {
        const auto of_size = [&](const Block& b) { return b.rows == rows && b.columns == columns; };
        void* const pointers[] = {from, to};
        std::ranges::find_if(all_, of_size)->run->run(pointers, {});
    }

private:
    struct Block {
        int64_t rows, columns;
        std::shared_ptr<const Executable> run;
    };
    std::vector<Block> all_;
};

class SparseExecutable final : public Executable {
public:
    SparseExecutable(std::shared_ptr<const Plan> plan, const Context& context, const SparseChoice& choice)
        : plan_(std::move(plan)), product_(*plan_->steps[0].sparse), shape_(shape_of(product_)), choice_(choice),
          target_(jit::target_of(context)), type_(plan_->operands[size_t(product_.values)].type),
          size_(bits(type_) / 8), most_threads_(choice.parallel ? context.threads : 1),
          name_("jit:" + std::string(isa_name(context.isa))) {}

    bool prepare(const Context& context);
    Status run(std::span<void* const> pointers, const Threads& threads) const override;
    std::string_view name() const override { return name_; }
    const Plan* runs() const override { return plan_.get(); }
    std::string_view selection() const override { return "1 sparse\n"; }
    std::string text() const override {
        return fmt::format("{}; {}{}{} columns at a time{}\n", kernel_->name(),
                           choice_.scatters  ? fmt::format("{} parts, ", choice_.parts)
                           : product_.is_src ? ""
                                             : "sorted, ",
                           choice_.packs ? "packed, " : "", choice_.block, choice_.parallel ? "" : ", one thread");
    }
    std::vector<GeneratedCode> code() const override {
        std::vector<GeneratedCode> all{kernel_->generated()};
        if (last_ != kernel_) all.push_back(last_->generated());
        return all;
    }

private:
    using Shared = std::shared_ptr<const jit::Kernel>;

    bool turns() const { return !choice_.scatters && shape_.columns > 1 && shape_.sums[1] != 1; }
    int64_t row_of_sums(int64_t columns) const { return sparse_sums_bytes(target_, columns); }
    int64_t width(int64_t block) const { return std::min(choice_.block, shape_.columns - block * choice_.block); }
    Shared made(int64_t columns) const;
    Matrix packed(char* panel, int64_t columns) const { return {panel, {columns, 1}, type_}; }
    void pack(const Matrix& dense, int64_t block, int64_t piece, char* panel) const;
    void sum(const GroupedList& list, const Matrix& dense, const Matrix& dst, const Team& team) const;
    void sum_rows(const GroupedList& list, int64_t first, int64_t last, const Matrix& dense, const Matrix& dst,
                  int64_t columns) const;
    void scatter(const GroupedList& list, const Matrix& dense, const Matrix& dst, const Team& team) const;
    void finish(char* parts, int64_t part_bytes, int64_t first, int64_t columns, char* dst) const;
    void call(const jit::Kernel& kernel, const GroupedList& list, int64_t first, int64_t last, const Matrix& dense,
              char* out, int64_t out_row) const {
        const int32_t elements = list.starts[list.groups];
        SparseArgs args{list.values,  list.numbers, list.starts + first,
                        last - first, dense.at,     dense.strides[0] * size_,
                        out,          out_row,      list.numbers + (elements ? elements - 1 : 0)};
        kernel(&args);
    }

    const std::shared_ptr<const Plan> plan_;
    const SparseProduct product_;
    const SparseShape shape_;
    const SparseChoice choice_;
    const jit::Target target_;
    const DataType type_;
    const int size_, most_threads_;
    const std::string name_;
    Shared kernel_, last_;   // of whole blocks of columns, of what is left
    Blocks packs_, results_; // of the dense factor; of sums that are turned or converted
};

SparseExecutable::Shared SparseExecutable::made(int64_t columns) const {
    const SparseSpec spec{type_, int(columns), choice_.scatters,
                          columns == 1 && (choice_.packs || shape_.dense[0] == 1),
                          choice_.prefetches && columns * size_ > cache_line};
    return jit::kernel(target_, key(spec), [&] { return build_sparse(target_, spec); });
}

// False where there is no memory for code.
bool SparseExecutable::prepare(const Context& context) {
    const int64_t rest = shape_.columns % choice_.block;
    kernel_ = made(choice_.block);
    last_ = rest ? made(rest) : kernel_;
    bool done = kernel_ && last_;
    const Matrix dense{nullptr, shape_.dense, type_}, dst{nullptr, shape_.sums, type_};
    for (const int64_t columns : lengths(shape_.columns, choice_.block)) {
        if (choice_.packs)
            for (const int64_t rows : lengths(shape_.depth, rows_of_pack))
                done = done && packs_.add(dense, packed(nullptr, columns), rows, columns, context);
        if (turns())
            for (const int64_t rows : lengths(shape_.rows, rows_of_results))
                done = done && results_.add(packed(nullptr, columns), dst, rows, columns, context);
        if (choice_.scatters)
            for (const int64_t rows : lengths(shape_.rows, rows_of_pack))
                done = done && results_.add({nullptr, {row_of_sums(columns) / 4, 1}, DataType::f32}, dst, rows, columns,
                                            context);
    }
    return done;
}

Status SparseExecutable::run(std::span<void* const> pointers, const Threads& threads) const {
    StackArray<void*> all(plan_->operands.size());
    for (size_t o = 0; o < all.size(); ++o) all[o] = static_cast<char*>(pointers[o]) + plan_->operands[o].bytes;
    const Team team{threads, most_threads_};
    const auto list = grouped(product_, type_, all, product_.is_src || choice_.scatters, team);
    if (!list) return Status::invalid_arguments;
    const Matrix dense{static_cast<char*>(all[size_t(product_.dense)]), shape_.dense, type_},
        dst{static_cast<char*>(all[size_t(product_.dst)]), shape_.sums, type_};
    choice_.scatters ? scatter(*list, dense, dst, team) : sum(*list, dense, dst, team);
    return Status::success;
}

void SparseExecutable::pack(const Matrix& dense, int64_t block, int64_t piece, char* panel) const {
    const int64_t first = piece * rows_of_pack, columns = width(block);
    packs_.copy(dense.from(first, block * choice_.block), packed(panel, columns).from(first, 0),
                std::min(rows_of_pack, shape_.depth - first), columns);
}

// Packed blocks are used up before the next ones are packed, one for each thread.
void SparseExecutable::sum(const GroupedList& list, const Matrix& dense, const Matrix& dst, const Team& team) const {
    const int64_t blocks = ceil_div(shape_.columns, choice_.block), pieces = ceil_div(shape_.depth, rows_of_pack);
    const int64_t at_once = choice_.packs ? std::min<int64_t>(blocks, team.most) : blocks;
    const int64_t panel_bytes = round_up(shape_.depth * choice_.block * size_, cache_line);
    const Scratch panels(choice_.packs ? size_t(at_once * panel_bytes) : 0);
    for (int64_t first = 0; first < blocks; first += at_once) {
        const int64_t count = std::min(at_once, blocks - first);
        if (choice_.packs)
            team.run(count * pieces, [&](int64_t u) {
                const int64_t i = u / pieces;
                pack(dense, first + i, u % pieces, panels.data() + i * panel_bytes);
            });
        const int64_t parts = ceil_div(team.parts(shape_.rows), count);
        team.run(count * parts, [&](int64_t u) {
            const int64_t i = u / parts, columns = width(first + i), at = (first + i) * choice_.block;
            const auto begin = [&](int64_t part) {
                const int64_t row = list.begin(part, parts); // results are turned in whole pieces
                return turns() ? std::min(round_up(row, rows_of_results), shape_.rows) : row;
            };
            const Matrix from = choice_.packs ? packed(panels.data() + i * panel_bytes, columns)
                                              : Matrix{dense.from(0, at), shape_.dense, type_};
            sum_rows(list, begin(u % parts), begin(u % parts + 1), from, {dst.from(0, at), shape_.sums, type_},
                     columns);
        });
    }
}

void SparseExecutable::sum_rows(const GroupedList& list, int64_t first, int64_t last, const Matrix& dense,
                                const Matrix& dst, int64_t columns) const {
    if (first >= last) return;
    const jit::Kernel& kernel = columns == choice_.block ? *kernel_ : *last_;
    if (!turns()) return call(kernel, list, first, last, dense, dst.from(first, 0), shape_.sums[0] * size_);
    alignas(64) char buffer[results_bytes];
    for (; first < last; first += rows_of_results) {
        const int64_t count = std::min(rows_of_results, last - first);
        call(kernel, list, first, first + count, dense, buffer, columns * size_);
        results_.copy(buffer, dst.from(first, 0), count, columns);
    }
}

void SparseExecutable::scatter(const GroupedList& list, const Matrix& dense, const Matrix& dst,
                               const Team& team) const {
    const int64_t blocks = ceil_div(shape_.columns, choice_.block), pieces = ceil_div(shape_.depth, rows_of_pack);
    const int64_t panel_bytes = round_up(shape_.depth * choice_.block * size_, cache_line),
                  part_bytes = shape_.rows * row_of_sums(choice_.block), block_bytes = choice_.parts * part_bytes;
    const Scratch panels(choice_.packs ? size_t(blocks * panel_bytes) : 0), sums(size_t(blocks * block_bytes));
    if (choice_.packs)
        team.run(blocks * pieces,
                 [&](int64_t u) { pack(dense, u / pieces, u % pieces, panels.data() + u / pieces * panel_bytes); });
    team.run(blocks * choice_.parts, [&](int64_t u) {
        const int64_t block = u / choice_.parts, part = u % choice_.parts, columns = width(block);
        char* own = sums.data() + block * block_bytes + part * part_bytes;
        std::memset(own, 0, size_t(shape_.rows * row_of_sums(columns)));
        const Matrix from = choice_.packs ? packed(panels.data() + block * panel_bytes, columns)
                                          : Matrix{dense.from(0, block * choice_.block), shape_.dense, type_};
        const int64_t first = list.begin(part, choice_.parts), last = list.begin(part + 1, choice_.parts);
        const jit::Kernel& kernel = columns == choice_.block ? *kernel_ : *last_;
        if (first < last) call(kernel, list, first, last, {from.from(first, 0), from.strides, type_}, own, 0);
    });
    const int64_t results = ceil_div(shape_.rows, rows_of_pack);
    team.run(blocks * results, [&](int64_t u) {
        const int64_t block = u / results, first = u % results * rows_of_pack;
        finish(sums.data() + block * block_bytes, part_bytes, first, width(block),
               dst.from(first, block * choice_.block));
    });
}

// Adds the sums of all parts, of some rows, and stores them.
void SparseExecutable::finish(char* parts, int64_t part_bytes, int64_t first, int64_t columns, char* dst) const {
    const int64_t rows = std::min(rows_of_pack, shape_.rows - first), row = row_of_sums(columns);
    auto* total = reinterpret_cast<float*>(parts + first * row);
    for (int64_t part = 1; part < choice_.parts; ++part) {
        const float* more = total + part * part_bytes / 4;
        for (int64_t i = 0; i < rows * row / 4; ++i) total[i] += more[i];
    }
    results_.copy(parts + first * row, dst, rows, columns);
}

} // namespace

std::shared_ptr<const Executable> make_sparse(std::shared_ptr<const Plan> plan, const Context& context) {
    const SparseProduct& p = *plan->steps[0].sparse;
    const DataType type = plan->operands[size_t(p.values)].type;
    const auto choice = choose_sparse(p, type, jit::target_of(context), context);
    if (!choice) return nullptr;
    auto made = std::make_shared<SparseExecutable>(std::move(plan), context, *choice);
    return made->prepare(context) ? made : nullptr;
}

} // namespace tessera::cpu
