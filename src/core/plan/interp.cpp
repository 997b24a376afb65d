// The interpreter of plans, point by point: it defines what steps mean.
#include "core/plan/plan.hpp"

#include <bit>
#include <functional>

#include "core/plan/rewrite/in_nests.hpp"
#include "core/program/reduction.hpp"

namespace tessera {

namespace {

using Elements = std::vector<int64_t>; // by operand

// Calls `body` for each point of loops [first, last); `at` is restored afterwards.
void each(const Nest& nest, size_t first, size_t last, Elements& at, const std::function<void(const Elements&)>& body) {
    if (first == last) return body(at);
    const Loop& loop = nest.loops[first];
    for (int64_t i = 0; i < loop.extent; ++i) {
        for (size_t o = 0; o < at.size(); ++o) at[o] += loop.offset(int(o), i);
        each(nest, first + 1, last, at, body);
        for (size_t o = 0; o < at.size(); ++o) at[o] -= loop.offset(int(o), i);
    }
}

// The points of one result, combined in the order that reduction.hpp defines.
class Combination {
public:
    Combination(OpCode combine, ValueType type, int partials) : combine_(combine), type_(type), partials_(partials) {}
    void add(uint32_t value, uint32_t second) {
        if (count_ % reduction_block == 0) parts_.fill(of_nothing(combine_, type_));
        Partial& part = parts_[size_t(count_ % partials_)];
        part = combined(combine_, type_, part, of_point(combine_, type_, value, second));
        if (++count_ % reduction_block == 0) join();
    }
    Partial total() {
        if (count_ % reduction_block) join();
        return count_ ? total_ : of_nothing(combine_, type_);
    }

private:
    void join() {
        for (auto apart = size_t(partials_ / 2); apart; apart /= 2)
            for (size_t k = 0; k < apart; ++k) parts_[k] = combined(combine_, type_, parts_[k], parts_[k + apart]);
        total_ = count_ > reduction_block ? combined(combine_, type_, total_, parts_[0]) : parts_[0];
    }

    OpCode combine_;
    ValueType type_;
    int partials_;
    std::array<Partial, reduction_sums> parts_{};
    Partial total_;
    int64_t count_ = 0;
};

DataType stored(ValueType type) { return type == ValueType::f32 ? DataType::f32 : DataType::s32; }

void reduce_point(const Program& p, const Step& step, size_t first, const Elements& at, std::span<const DataType> types,
                  std::span<void* const> pointers) {
    const ReductionParts parts = split_reduction(p, int(types.size()));
    std::vector<DataType> all_types(types.begin(), types.end());
    all_types.insert(all_types.end(), {stored(parts.type), stored(parts.second())});
    uint32_t cells[2] = {};
    std::vector<void*> all_pointers(pointers.begin(), pointers.end());
    all_pointers.insert(all_pointers.end(), {&cells[0], &cells[1]});
    auto run = [&](const Program& part, const Elements& point) {
        std::vector<int64_t> elements(point.begin(), point.begin() + long(types.size()));
        elements.insert(elements.end(), {0, 0});
        eval(part, all_types, all_pointers, elements);
    };
    Combination result(parts.combine, parts.type, partials_of(step.in_order));
    Elements from = at;
    each(step.nest, first, step.nest.loops.size(), from, [&](const Elements& inner) {
        run(parts.point, inner);
        result.add(cells[0], cells[1]);
    });
    const Partial total = result.total();
    cells[0] = total.value, cells[1] = total.second;
    run(parts.outer, at);
}

// Element by element, in the order of the list.
void multiply(const SparseProduct& p, std::span<const DataType> types, std::span<void* const> pointers) {
    const auto number = [&](int operand, int64_t i) {
        return read<int64_t>(types[size_t(operand)], pointers[size_t(operand)], i);
    };
    std::vector<float> sums(size_t(p.rows * p.columns));
    int64_t row = 0;
    for (int64_t i = 0; i < p.elements; ++i) {
        while (p.has_pointers && number(p.row_numbers, row + 1) <= i) ++row;
        const int64_t r = p.has_pointers ? row : number(p.row_numbers, i), c = number(p.column_numbers, i);
        const float value = read<float>(types[size_t(p.values)], pointers[size_t(p.values)], i);
        for (int64_t other = 0; other < (p.is_src ? p.columns : p.rows); ++other) {
            const int64_t m = p.is_src ? r : other, n = p.is_src ? other : c;
            const int64_t at = p.is_src ? c * p.dense_strides[0] + n * p.dense_strides[1]
                                        : m * p.dense_strides[0] + r * p.dense_strides[1];
            sums[size_t(m * p.columns + n)] +=
                value * read<float>(types[size_t(p.dense)], pointers[size_t(p.dense)], at);
        }
    }
    for (int64_t m = 0; m < p.rows; ++m)
        for (int64_t n = 0; n < p.columns; ++n)
            write<float>(types[size_t(p.dst)], pointers[size_t(p.dst)], m * p.dst_strides[0] + n * p.dst_strides[1],
                         sums[size_t(m * p.columns + n)]);
}

void run(const Plan& plan, const Step& step, const Elements& from, std::span<const DataType> types,
         std::span<void* const> pointers) {
    if (step.sparse) return multiply(*step.sparse, types, pointers);
    Elements base = from;
    for (size_t o = 0; o < types.size(); ++o) base[o] += step.nest.base[o];
    const auto& loops = step.nest.loops;
    if (step.kind == StepKind::fill) {
        const auto o = size_t(step.fill_operand);
        return each(step.nest, 0, loops.size(), base,
                    [&](const Elements& at) { write_bits(types[o], pointers[o], at[o], 0); });
    }
    if (step.group)
        return each(step.nest, 0, loops.size(), base, [&](const Elements& at) {
            for (const Step& inner : step.group->steps) run(plan, inner, at, types, pointers);
        });
    const Program& p = plan.programs[size_t(step.program)];
    size_t outer = 0;
    while (outer < loops.size() && loops[outer].kind != LoopKind::reduce) ++outer;
    each(step.nest, 0, outer, base, [&](const Elements& at) {
        if (step.kind == StepKind::reduce)
            reduce_point(p, step, outer, at, types, pointers);
        else
            eval(p, types, pointers, at);
    });
}

} // namespace

void interpret(const Plan& plan, std::span<void* const> pointers) {
    std::vector<DataType> types;
    for (const Operand& o : plan.operands) types.push_back(o.type);
    const Plan nests = in_nests(plan);
    for (const Step& step : nests.steps) run(nests, step, Elements(types.size()), types, pointers);
}

} // namespace tessera
