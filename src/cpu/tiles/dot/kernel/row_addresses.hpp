// SPDX-License-Identifier: Apache-2.0
// RowAddresses: addresses of rows a stride apart, which x86 makes of few registers: every fifth row has a base, and the
// row is base + {0, 1, 2, 4} * stride or base + 3 * stride.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <vector>

#include "cpu/jit/vcode.hpp"
#include "cpu/tiles/dot/kernel/contract.hpp"

namespace tessera::cpu {

class RowAddresses {
public:
    static constexpr int rows_of_base = 5;

    // Takes `first` as its own. One row needs no stride; `stride3` may be that of other rows with the same stride.
    RowAddresses(jit::Code& code, jit::Gpr first, jit::Gpr stride, int rows, jit::Gpr stride3 = {})
        : c_(&code), bases_{first}, stride_(stride), stride3_(stride3) {
        if (rows > 3 && stride3_.id < 0) stride3_ = code.gaddress({stride_, 0, stride_, 2});
        while (int(bases_.size()) * rows_of_base < rows) {
            const jit::Gpr next = code.gaddress({bases_.back(), 0, stride_, 4});
            code.gadd(next, next, stride_);
            bases_.push_back(next);
        }
    }

    jit::Mem at(int row, int64_t disp = 0) const {
        const jit::Gpr base = bases_[size_t(row / rows_of_base)];
        const int times = row % rows_of_base;
        if (times == 0) return {base, disp};
        return times == 3 ? jit::Mem{base, disp, stride3_, 1} : jit::Mem{base, disp, stride_, times};
    }
    void advance(int64_t bytes) const {
        for (jit::Gpr base : bases_) c_->gadd(base, base, bytes);
    }
    void advance(jit::Gpr bytes) const {
        for (jit::Gpr base : bases_) c_->gadd(base, base, bytes);
    }
    void advance(jit::Mem bytes) const {
        for (jit::Gpr base : bases_) c_->gadd_mem(base, base, bytes);
    }
    jit::Gpr stride3() const { return stride3_; }

private:
    jit::Code* c_;
    std::vector<jit::Gpr> bases_;
    jit::Gpr stride_, stride3_;
};

// body() as often as the 8 bytes of `count` say, counted in `left`: such loops cost no register.
template <typename Body> void in_memory(jit::Code& c, jit::Mem count, jit::Mem left, const Body& body) {
    c.gstore(left, c.gload(count));
    c.loop();
    body();
    const jit::Gpr n = c.gload(left);
    c.gsub(n, n, 1);
    c.gstore(left, n);
    c.end_loop(n, 0);
}

// step() in `around` loops around each other, outermost last, whose counts and strides are the kernel's arguments
// (DotArgs::outer); advance(a, b) goes on by the bytes that lie there, behind each iteration.
template <typename Step, typename Advance>
void in_loops(jit::Code& c, int around, const Step& step, const Advance& advance) {
    if (around == 0) return step();
    const auto arg = [&](size_t at) { return jit::Mem{c.args(), int64_t(at)}; };
    const size_t n = size_t(around - 1), at = offsetof(DotArgs, outer) + n * sizeof(DotLoop);
    in_memory(c, arg(at + offsetof(DotLoop, count)), arg(offsetof(DotArgs, scratch) + n * sizeof(int64_t)), [&] {
        in_loops(c, around - 1, step, advance);
        advance(arg(at + offsetof(DotLoop, a)), arg(at + offsetof(DotLoop, b)));
    });
}

// body(size) while `count` has so many left, for each size, from large to 1. The count is used up.
template <typename Body>
void in_groups(jit::Code& c, jit::Gpr count, std::initializer_list<int> sizes, const Body& body) {
    int less = 0;
    for (const int size : sizes) {
        c.gadd(count, count, less - (size - 1)), less = size - 1;
        c.if_positive(count);
        c.loop();
        body(size);
        c.end_loop(count, size);
        c.end_if();
    }
}

} // namespace tessera::cpu
