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

// One sum, in the order that reduction.hpp defines.
template <typename T> class Sum {
public:
    void add(T x) {
        T& sum = sums_[size_t(count_ % reduction_sums)];
        sum = T(sum + x);
        if (++count_ % reduction_block == 0) join();
    }
    T total() {
        if (count_ % reduction_block) join();
        return total_;
    }

private:
    void join() {
        const T block = joined(sums_.data());
        total_ = count_ > reduction_block ? T(total_ + block) : block;
        sums_ = {};
    }

    std::array<T, reduction_sums> sums_{};
    T total_ = 0;
    int64_t count_ = 0;
};

void reduce_point(const Program& p, const Nest& nest, size_t first, const Elements& at, std::span<const DataType> types,
                  std::span<void* const> pointers) {
    const ReductionParts parts = split_reduction(p, int(types.size()));
    const bool floats = parts.type == ValueType::f32;
    std::vector<DataType> all_types(types.begin(), types.end());
    all_types.push_back(floats ? DataType::f32 : DataType::s32);
    uint32_t cell = 0;
    std::vector<void*> all_pointers(pointers.begin(), pointers.end());
    all_pointers.push_back(&cell);
    auto run = [&](const Program& part, const Elements& point) {
        std::vector<int64_t> elements(point.begin(), point.begin() + long(types.size()));
        elements.push_back(0);
        eval(part, all_types, all_pointers, elements);
    };
    Sum<float> sum;
    Sum<uint32_t> wrapping;
    Elements from = at;
    each(nest, first, nest.loops.size(), from, [&](const Elements& inner) {
        run(parts.point, inner);
        floats ? sum.add(std::bit_cast<float>(cell)) : wrapping.add(cell);
    });
    cell = floats ? std::bit_cast<uint32_t>(sum.total()) : wrapping.total();
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

} // namespace

void interpret(const Plan& plan, std::span<void* const> pointers) {
    std::vector<DataType> types;
    for (const Operand& o : plan.operands) types.push_back(o.type);
    const Plan nests = in_nests(plan);
    for (const Step& step : nests.steps) {
        Elements base;
        for (size_t o = 0; o < types.size(); ++o) base.push_back(step.nest.base[o]);
        if (step.kind == StepKind::fill) {
            const auto o = size_t(step.fill_operand);
            each(step.nest, 0, step.nest.loops.size(), base,
                 [&](const Elements& at) { write_bits(types[o], pointers[o], at[o], 0); });
            continue;
        }
        if (step.sparse) {
            multiply(*step.sparse, types, pointers);
            continue;
        }
        const Program& p = nests.programs[size_t(step.program)];
        size_t outer = 0;
        while (outer < step.nest.loops.size() && step.nest.loops[outer].kind != LoopKind::reduce) ++outer;
        each(step.nest, 0, outer, base, [&](const Elements& at) {
            if (step.kind == StepKind::reduce)
                reduce_point(p, step.nest, outer, at, types, pointers);
            else
                eval(p, types, pointers, at);
        });
    }
}

} // namespace tessera
