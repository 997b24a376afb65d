// SPDX-License-Identifier: Apache-2.0
#include "cpu/lanes/lane_ops.hpp"

#include <bit>
#include <cmath>
#include <cstring>

#include "cpu/lanes/levels.hpp"

namespace tessera::cpu {

namespace {

template <typename T, typename R, typename F>
TESSERA_INLINE void each(const T* a, R* __restrict out, int64_t lanes, F f) {
    for (int64_t i = 0; i < lanes; ++i) out[i] = f(a[i]);
}

template <typename T, typename R, typename F>
TESSERA_INLINE void each(const T* a, const T* b, R* __restrict out, int64_t lanes, F f) {
    for (int64_t i = 0; i < lanes; ++i) out[i] = f(a[i], b[i]);
}

TESSERA_INLINE int32_t pick(bool condition, int32_t yes, int32_t no) {
    const int32_t mask = -int32_t(condition);
    return (yes & mask) | (no & ~mask);
}

// Rounds to the nearest integer, ties to even, whatever the rounding mode: truncation and the fraction that remains are
// exact, and plain SSE2 has both. Floats from 2^23 on are integers already.
TESSERA_INLINE float nearest_even(float x) {
    const auto bits = std::bit_cast<int32_t>(x);
    const bool small = (bits & 0x7fffffff) < 0x4b000000; // false for NaN
    const auto whole = int32_t(std::bit_cast<float>(pick(small, bits, 0)));
    // Without signs the bits of floats compare as the floats do.
    const auto rest = std::bit_cast<int32_t>(x - float(whole)) & 0x7fffffff;
    const int32_t up = int32_t(rest > 0x3f000000) | (int32_t(rest == 0x3f000000) & whole & 1);
    const int32_t sign = bits & int32_t(0x80000000);
    const int32_t rounded = std::bit_cast<int32_t>(float(whole + pick(sign != 0, -up, up))) | sign;
    return std::bit_cast<float>(pick(small, rounded, bits));
}

TESSERA_LEVELS void run_f32(OpCode code, const float* a, const float* b, float* __restrict out, int64_t lanes) {
    switch (code) {
    case OpCode::add:
        return each(a, b, out, lanes, [](float x, float y) { return x + y; });
    case OpCode::sub:
        return each(a, b, out, lanes, [](float x, float y) { return x - y; });
    case OpCode::mul:
        return each(a, b, out, lanes, [](float x, float y) { return x * y; });
    case OpCode::div:
        return each(a, b, out, lanes, [](float x, float y) { return x / y; });
    case OpCode::min:
        return each(a, b, out, lanes, [](float x, float y) { return x < y ? x : y; });
    case OpCode::max:
        return each(a, b, out, lanes, [](float x, float y) { return x > y ? x : y; });
    case OpCode::sqrt:
        for (int64_t i = 0; i < lanes; ++i) out[i] = std::sqrt(a[i]);
        return;
    default:
        for (int64_t i = 0; i < lanes; ++i) out[i] = nearest_even(a[i]);
    }
}

TESSERA_FMA_LEVELS void run_fma(const float* a, const float* b, const float* c, float* __restrict out, int64_t lanes) {
    for (int64_t i = 0; i < lanes; ++i) out[i] = std::fma(a[i], b[i], c[i]);
}

// Integers wrap.
TESSERA_LEVELS void run_s32(OpCode code, const int32_t* a, const int32_t* b, uint32_t count, int32_t* __restrict out,
                            int64_t lanes) {
    switch (code) {
    case OpCode::add:
        return each(a, b, out, lanes, [](int32_t x, int32_t y) { return int32_t(uint32_t(x) + uint32_t(y)); });
    case OpCode::sub:
        return each(a, b, out, lanes, [](int32_t x, int32_t y) { return int32_t(uint32_t(x) - uint32_t(y)); });
    case OpCode::mul:
        return each(a, b, out, lanes, [](int32_t x, int32_t y) { return int32_t(uint32_t(x) * uint32_t(y)); });
    case OpCode::mulhi:
        return each(a, b, out, lanes,
                    [](int32_t x, int32_t y) { return int32_t(uint64_t(uint32_t(x)) * uint32_t(y) >> 32); });
    case OpCode::min:
        return each(a, b, out, lanes, [](int32_t x, int32_t y) { return x < y ? x : y; });
    case OpCode::max:
        return each(a, b, out, lanes, [](int32_t x, int32_t y) { return x > y ? x : y; });
    case OpCode::bit_and:
        return each(a, b, out, lanes, [](int32_t x, int32_t y) { return x & y; });
    case OpCode::bit_or:
        return each(a, b, out, lanes, [](int32_t x, int32_t y) { return x | y; });
    case OpCode::bit_xor:
        return each(a, b, out, lanes, [](int32_t x, int32_t y) { return x ^ y; });
    case OpCode::shl:
        return each(a, out, lanes, [count](int32_t x) { return int32_t(uint32_t(x) << count); });
    case OpCode::shr:
        return each(a, out, lanes, [count](int32_t x) { return int32_t(uint32_t(x) >> count); });
    default: // x / 0 is 0 and INT32_MIN / -1 wraps; idiv would trap on both
        return each(a, b, out, lanes, [](int32_t x, int32_t y) {
            return y == 0 ? 0 : y == -1 ? int32_t(0u - uint32_t(x)) : x / y;
        });
    }
}

template <typename T>
TESSERA_INLINE void compare(OpCode code, const T* a, const T* b, int32_t* __restrict out, int64_t lanes) {
    switch (code) {
    case OpCode::lt:
        return each(a, b, out, lanes, [](T x, T y) { return -int32_t(x < y); });
    case OpCode::le:
        return each(a, b, out, lanes, [](T x, T y) { return -int32_t(x <= y); });
    default:
        return each(a, b, out, lanes, [](T x, T y) { return -int32_t(x == y); });
    }
}

TESSERA_LEVELS void compare_f32(OpCode code, const float* a, const float* b, int32_t* out, int64_t lanes) {
    compare(code, a, b, out, lanes);
}

TESSERA_LEVELS void compare_s32(OpCode code, const int32_t* a, const int32_t* b, int32_t* out, int64_t lanes) {
    compare(code, a, b, out, lanes);
}

// Selects bits, so it serves f32 and s32 alike.
TESSERA_LEVELS void run_select(const int32_t* a, const int32_t* b, const int32_t* c, int32_t* __restrict out,
                               int64_t lanes) {
    for (int64_t i = 0; i < lanes; ++i) out[i] = pick(a[i] != 0, b[i], c[i]);
}

} // namespace

void run_op(OpCode code, ValueType type, const void* a, const void* b, const void* c, uint32_t count, void* out,
            int64_t lanes) {
    const auto f = [](const void* p) { return static_cast<const float*>(p); };
    const auto s = [](const void* p) { return static_cast<const int32_t*>(p); };
    auto* const integers = static_cast<int32_t*>(out);
    const bool floats = type == ValueType::f32;
    switch (code) {
    case OpCode::lt:
    case OpCode::le:
    case OpCode::eq:
        return floats ? compare_f32(code, f(a), f(b), integers, lanes) : compare_s32(code, s(a), s(b), integers, lanes);
    case OpCode::select:
        return run_select(s(a), s(b), s(c), integers, lanes);
    case OpCode::as:
        std::memcpy(out, a, size_t(lanes) * 4);
        return;
    case OpCode::fma:
        return run_fma(f(a), f(b), f(c), static_cast<float*>(out), lanes);
    default:
        return floats ? run_f32(code, f(a), f(b), static_cast<float*>(out), lanes)
                      : run_s32(code, s(a), s(b), count, integers, lanes);
    }
}

} // namespace tessera::cpu
