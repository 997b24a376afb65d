// SPDX-License-Identifier: Apache-2.0
#include "core/plan/rewrite/local_scratch.hpp"

#include <algorithm>
#include <vector>

#include "core/division.hpp"

namespace tessera {

namespace {

constexpr int64_t line = 16; // elements of 4 bytes: rows start at lines

// Strides as digits of a number: a loop of extent n over stride s needs n * s to be at most the next stride, together
// with other loops over s in a step (windows) and with the digit of where the step starts. Where it needs more and the
// next stride is a multiple of s, both are one digit: rows one behind the other, in one loop or two.
class Digits {
public:
    Digits(const std::vector<Step>& steps, size_t o) : steps_(steps), o_(o) {
        for (const Step& step : steps) {
            simple_ &= step.nest.base[o] >= 0;
            for (const Loop& loop : step.nest.loops) {
                simple_ &= !loop.table[o] && loop.stride[o] >= 0;
                if (loop.stride[o]) add(loop.stride[o]);
            }
        }
        for (const Step& step : steps) // a digit of its own, unless the lowest stride is 1
            if (!digits_.empty() && step.nest.base[o] % digits_.front().stride) add(1);
        while (simple_ && !count())
            ;
    }
    bool simple() const { return simple_; }
    // The numbers with digits so close that the lowest ones fill lines.
    void close() {
        int64_t next = 1;
        for (Digit& d : digits_) {
            d.close = next;
            next = next == 1 && &d != &digits_.back() ? round_up(d.extent, line) : next * d.extent;
        }
    }
    int64_t closed(int64_t offset) const {
        int64_t sum = 0;
        each_digit(offset, [&](size_t k, int64_t digit) { sum += digit * digits_[k].close; });
        return sum;
    }

private:
    struct Digit {
        int64_t stride, extent = 1, close = 1;
        int64_t last = 0; // of the step that is counted
    };
    void add(int64_t stride) {
        const auto at = std::ranges::lower_bound(digits_, stride, {}, &Digit::stride);
        if (at == digits_.end() || at->stride != stride) digits_.insert(at, {stride});
    }
    template <typename F> void each_digit(int64_t offset, F f) const {
        for (size_t k = digits_.size(); k-- > 0 && offset;) {
            f(k, offset / digits_[k].stride);
            offset %= digits_[k].stride;
        }
    }
    // The extents; false if two digits became one.
    bool count() {
        for (Digit& d : digits_) d.extent = 1;
        for (const Step& step : steps_) {
            for (Digit& d : digits_) d.last = 0;
            const auto add = [&](int64_t offset, int64_t times) {
                each_digit(offset, [&](size_t k, int64_t digit) { digits_[k].last += digit * times; });
            };
            add(step.nest.base[o_], 1);
            for (const Loop& loop : step.nest.loops) add(loop.stride[o_], loop.extent - 1);
            for (Digit& d : digits_) d.extent = std::max(d.extent, d.last + 1);
        }
        for (size_t k = 0; k + 1 < digits_.size(); ++k) {
            const int64_t next = digits_[k + 1].stride;
            if (digits_[k].extent * digits_[k].stride <= next) continue;
            simple_ = next % digits_[k].stride == 0;
            digits_.erase(digits_.begin() + long(k) + 1);
            return false;
        }
        return true;
    }

    const std::vector<Step>& steps_;
    const size_t o_;
    bool simple_ = true;
    std::vector<Digit> digits_; // by stride
};

int64_t span_of(const std::vector<Step>& steps, size_t o) {
    int64_t most = 0;
    for (const Step& step : steps) {
        int64_t last = step.nest.base[o];
        for (const Loop& loop : step.nest.loops) {
            int64_t furthest = 0;
            for (const int64_t i : {int64_t(0), loop.extent - 1}) furthest = std::max(furthest, loop.offset(int(o), i));
            if (loop.table[o]) furthest = *std::ranges::max_element(*loop.table[o]);
            last += furthest;
        }
        most = std::max(most, last + 1);
    }
    return most;
}

} // namespace

bool has_own_scratch(const Plan& plan, const Operand& operand) {
    return operand.scratch >= 0 && operand.bytes == 0 &&
           std::ranges::count(plan.operands, operand.scratch, &Operand::scratch) == 1;
}

std::vector<LocalScratch> make_local(Step& group, const std::vector<int>& candidates) {
    std::vector<LocalScratch> all;
    Group inner = *group.group;
    for (const int operand : candidates) {
        const auto o = size_t(operand);
        group.nest.base.set(o, 0);
        for (Loop& loop : group.nest.loops) {
            loop.stride.set(o, 0);
            if (loop.table[o]) loop.table.set(o, Table{});
        }
        Digits digits(inner.steps, o);
        if (digits.simple()) {
            digits.close();
            for (Step& step : inner.steps) {
                step.nest.base.set(o, digits.closed(step.nest.base[o]));
                for (Loop& loop : step.nest.loops)
                    if (loop.stride[o]) loop.stride.set(o, digits.closed(loop.stride[o]));
            }
        }
        all.push_back({operand, span_of(inner.steps, o)});
    }
    group.group = std::make_shared<const Group>(std::move(inner));
    return all;
}

} // namespace tessera
