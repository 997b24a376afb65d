// SPDX-License-Identifier: Apache-2.0
// FloatEnvironment: how a thread rounds and treats denormals, carried to the threads that work for it.
//
//   const FloatEnvironment caller;                  // what this thread has now
//   ... on another thread: caller.enter();          // for good
//   ... or: const BorrowedFloats floats(caller);    // until the end of the block
#pragma once

#if defined(__SSE__)
#include <xmmintrin.h>
#elif defined(__aarch64__)
#include <cstdint>
#else
#include <cfenv>
#endif

namespace tessera::cpu {

class FloatEnvironment {
public:
#if defined(__SSE__)
    // MXCSR alone, some nanoseconds: no code here computes in x87. The sticky exception flags stay with their thread.
    FloatEnvironment() : control_(_mm_getcsr() & ~0x3fu) {}
    void enter() const { _mm_setcsr(control_); }

private:
    unsigned control_;
#elif defined(__aarch64__)
    // FPCR: rounding, flush-to-zero, default NaN. glibc's fesetenv() leaves the last of them as it is, and writes the
    // sticky flags of the lender, which are in FPSR and stay with their thread here.
    FloatEnvironment() { __asm__ volatile("mrs %0, fpcr" : "=r"(control_)); }
    void enter() const { __asm__ volatile("msr fpcr, %0" : : "r"(control_)); }

private:
    uint64_t control_;
#else
    FloatEnvironment() { std::fegetenv(&environment_); }
    void enter() const { std::fesetenv(&environment_); }

private:
    std::fenv_t environment_;
#endif
};

class BorrowedFloats {
public:
    explicit BorrowedFloats(const FloatEnvironment& lender) { lender.enter(); }
    ~BorrowedFloats() { own_.enter(); }
    BorrowedFloats(const BorrowedFloats&) = delete;
    BorrowedFloats& operator=(const BorrowedFloats&) = delete;

private:
    FloatEnvironment own_; // taken before lender.enter()
};

} // namespace tessera::cpu
