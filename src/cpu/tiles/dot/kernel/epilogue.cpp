// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/dot/kernel/epilogue.hpp"
#include "cpu/tiles/dot/kernel/products.hpp"

#include <algorithm>
#include <cstddef>

namespace tessera::cpu {

using namespace jit;

namespace {

bool is_arithmetic(const Op& op) {
    return op.code != OpCode::load && op.code != OpCode::store && op.code != OpCode::constant;
}

} // namespace

std::vector<int> epilogue_operands(const MapSpec& epilogue, int sum) {
    std::vector<int> numbers;
    for (const Op& op : epilogue.program.ops)
        if (op.operand >= 0 && op.operand != sum &&
            std::find(numbers.begin(), numbers.end(), op.operand) == numbers.end())
            numbers.push_back(op.operand);
    return numbers;
}

// Every sum's code is its own: of 24 registers and 16 operations 400 instructions, as many as the loop over k has.
bool Epilogue::supports(const DotSpec& spec) {
    constexpr int64_t most_operations = 16;
    const auto& ops = spec.epilogue->program.ops;
    return can_emit(spec.epilogue->program, spec.epilogue->types) &&
           epilogue_operands(*spec.epilogue, spec.sum).size() <= most_epilogue_operands &&
           std::count_if(ops.begin(), ops.end(), is_arithmetic) <= most_operations &&
           std::none_of(ops.begin(), ops.end(), [&](const Op& op) {
               return op.code == OpCode::index ||
                      (op.operand >= 0 && uint64_t(spec.epilogue->column[size_t(op.operand)]) > 1);
           });
}

// What rows share, constants and three of a conversion, and the values that are alive at once: each but the sum is some
// operation's result, so the longest program of them bounds it.
int Epilogue::registers(const DotSpec& spec) {
    const auto& ops = spec.epilogue->program.ops;
    std::vector<size_t> last(ops.size(), 0);
    for (size_t i = 0; i < ops.size(); ++i)
        for (const int value : {ops[i].a, ops[i].b, ops[i].c})
            if (value >= 0) last[size_t(value)] = i;
    int most = 0, constants = 0;
    for (size_t i = 0; i < ops.size(); ++i) {
        if (ops[i].code == OpCode::constant) ++constants;
        int alive = 1;
        for (size_t k = 0; k < i; ++k) alive += ops[k].code != OpCode::constant && last[k] >= i;
        most = std::max(most, alive);
    }
    Code scratch(Target{64, 32, true, false}, "");
    Codec codec(scratch);
    const ProgramCode program(scratch, codec, spec.epilogue->program, spec.epilogue->types);
    return most + std::max(constants, codec.constants()) + int(epilogue_operands(*spec.epilogue, spec.sum).size()) + 4;
}

Epilogue::Epilogue(Code& code, const DotSpec& spec)
    : spec_(spec), c_(code), codec_(code), program_(code, codec_, spec.epilogue->program, spec.epilogue->types),
      numbers_(epilogue_operands(*spec.epilogue, spec.sum)),
      operands_(code.gload({code.args(), offsetof(DotArgs, operands)})) {
    codec_.promise_normal_values(spec.epilogue->normal);
}

bool Epilogue::varies(int operand) const {
    const auto i = size_t(std::find(numbers_.begin(), numbers_.end(), operand) - numbers_.begin());
    return spec_.epilogue_rows >> i & 1;
}

// Rows of panels that follow each other are stored faster: 2446x8x64 of bytes 1.3. Not what would take too many
// registers: what rows share, of all panels, and two addresses of each operand.
bool Epilogue::by_rows() const {
    constexpr int64_t most_moving = 4;
    return std::count_if(numbers_.begin(), numbers_.end(), [&](int n) { return moves(n); }) <= most_moving &&
           std::none_of(numbers_.begin(), numbers_.end(), [&](int n) { return moves(n) && held(n); });
}

void Epilogue::start(int panel) {
    of_panel_.clear();
    for (size_t i = 0; i < numbers_.size(); ++i) {
        const Gpr at = c_.gload(slot(i, offsetof(DotOperand, base)));
        for (int p = 0; moves(numbers_[i]) && p < panel; ++p) c_.gadd_mem(at, at, slot(i, offsetof(DotOperand, panel)));
        row_[numbers_[i]] = at;
    }
}

void Epilogue::begin_row(bool panels_follow) {
    of_row_.clear();
    for (const int n : numbers_) at_[n] = panels_follow && moves(n) ? c_.gcopy(row_[n]) : row_[n];
}

void Epilogue::next_panel() {
    std::erase_if(of_row_, [&](const auto& loaded) { return moves(loaded.first.first); });
    for (size_t i = 0; i < numbers_.size(); ++i)
        if (const int n = numbers_[i]; moves(n)) c_.gadd_mem(at_[n], at_[n], slot(i, offsetof(DotOperand, panel)));
}

void Epilogue::end_row() {
    for (size_t i = 0; i < numbers_.size(); ++i)
        if (const int n = numbers_[i]; varies(n)) c_.gadd_mem(row_[n], row_[n], slot(i, offsetof(DotOperand, row)));
}

Mem Epilogue::at(int operand, size_t vector) const {
    const int64_t size = bits(spec_.epilogue->types[size_t(operand)]) / 8;
    return {at_.at(operand), int64_t(vector) * codec_.lanes() * size};
}

Vec Epilogue::load(int operand, ValueType type, size_t vector, const Sums& sums) {
    const DataType stored = spec_.epilogue->types[size_t(operand)];
    std::vector<Vec>& known = (!held(operand) ? of_row_ : moves(operand) ? of_panel_ : of_all_)[{operand, type}];
    if (!moves(operand)) {
        if (known.empty()) known.push_back(codec_.same(stored, type, at(operand, 0)));
        return known[0];
    }
    if (known.size() <= vector) known.resize(vector + 1);
    if (known[vector].id < 0)
        known[vector] = codec_.load(stored, type, at(operand, vector),
                                    columns_in(int(vector), codec_.lanes(), sums.columns), tail_of(vector, sums));
    return known[vector];
}

void Epilogue::emit(const Sums& sums) {
    struct Stored {
        int operand;
        ValueType type;
        std::vector<Vec> values;
    };
    std::vector<Stored> stored;
    for (size_t v = 0; v < sums.values.size(); ++v) {
        size_t next = 0;
        program_.emit(
            [&](int operand, ValueType type) {
                return operand == spec_.sum ? sums.values[v] : load(operand, type, v, sums);
            },
            [&](int operand, ValueType type, Vec value) {
                if (v == 0) stored.push_back({operand, type, {}});
                stored[next++].values.push_back(value);
            });
    }
    for (const auto& [operand, type, values] : stored)
        codec_.store_normal(
            spec_.epilogue->types[size_t(operand)], type, values,
            [&, operand = operand, type = type, &values = values] { store(operand, type, values, sums); });
}

// Of 1 byte or 2 as many whole vectors of values as fill a vector, if there are, else each its part of one.
void Epilogue::store(int operand, ValueType type, std::span<const Vec> values, const Sums& sums) {
    const DataType as = spec_.epilogue->types[size_t(operand)];
    const size_t whole = sums.tail ? values.size() - 1 : size_t(sums.columns / codec_.lanes());
    size_t v = 0;
    for (; bits(as) == 8 && v + 4 <= whole; v += 4)
        codec_.store4(as, type, at(operand, v), {values[v], values[v + 1], values[v + 2], values[v + 3]});
    for (; bits(as) == 16 && codec_.pairs(as) && v + 2 <= whole; v += 2)
        c_.store(at(operand, v), codec_.pair(as, type, values[v], values[v + 1]));
    for (; v < values.size(); ++v)
        codec_.store(as, type, at(operand, v), values[v], columns_in(int(v), codec_.lanes(), sums.columns),
                     tail_of(v, sums));
}

} // namespace tessera::cpu
