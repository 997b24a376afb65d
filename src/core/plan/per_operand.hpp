// SPDX-License-Identifier: Apache-2.0
// PerOperand: a sparse vector with one value per operand of a plan, T{} where none was set.
//
// The first eight are stored inline, so that the loops of ordinary plans need no heap; of the others only those that
// were set, sorted: a step of a concat with 300 sources keeps two strides, not 301.
//
//   PerOperand<int64_t> stride{4, 1};   stride[300] = 7;   std::as_const(stride)[299] == 0
//   PerOperand<int64_t>{4, 1, 0} == PerOperand<int64_t>{4, 1}
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace tessera {

template <typename T> class PerOperand {
public:
    PerOperand() = default;
    PerOperand(std::initializer_list<T> values) {
        size_t o = 0;
        for (const T& value : values) set(o++, value);
    }

    const T& operator[](size_t operand) const {
        if (operand < first_.size()) return first_[operand];
        const auto at = place(others_, operand);
        return at != others_.end() && at->operand == operand ? at->value : none;
    }
    T& operator[](size_t operand) { // inserts an entry for the operand
        if (operand < first_.size()) return first_[operand];
        auto at = place(others_, operand);
        if (at == others_.end() || at->operand != operand) at = others_.insert(at, {operand, T{}});
        return at->value;
    }
    void set(size_t operand, T value) { // inserts an entry only if the value changes
        if (!(std::as_const(*this)[operand] == value)) (*this)[operand] = std::move(value);
    }

    // f(value) for all stored values; f(T{}) must be T{}.
    template <typename F> void each(F f) {
        for (T& value : first_) f(value);
        for (Other& other : others_) f(other.value);
    }
    PerOperand& operator+=(const PerOperand& more) {
        for (size_t o = 0; o < first_.size(); ++o) first_[o] += more.first_[o];
        for (const Other& other : more.others_) set(other.operand, std::as_const(*this)[other.operand] + other.value);
        return *this;
    }

    bool operator==(const PerOperand& other) const {
        return first_ == other.first_ && within(other) && other.within(*this);
    }

private:
    struct Other {
        size_t operand;
        T value;
    };
    inline static const T none{};

    template <typename Others> static auto place(Others& others, size_t operand) {
        return std::lower_bound(others.begin(), others.end(), operand,
                                [](const Other& x, size_t o) { return x.operand < o; });
    }
    bool within(const PerOperand& other) const {
        return std::all_of(others_.begin(), others_.end(), [&](const Other& x) { return other[x.operand] == x.value; });
    }

    std::array<T, 8> first_{};
    std::vector<Other> others_; // by operand
};

} // namespace tessera
