// SPDX-License-Identifier: Apache-2.0
// Stored types in OpenCL C: the rules of core/types/convert.hpp, with integer arithmetic where devices lack a type, so
// that results have the bits of the CPU's. A buffer is global bytes; elements are numbered from its start.
//
//   read_bf16(code)             a stored element in its natural type: float, double (f64), int, long (s64)
//   write_s8_f32(b, i, x)       from a computing type: f32, f64, s32, s64
//   code_s4_f32(x)              what is stored, of elements of 4 bits
//
// `place` is the type of element numbers, which the printer of a step defines: 32 bits where they suffice.
#include "gpu/header.hpp"

namespace tessera::gpu {

std::string_view source_of_types() {
    return R"cl(
#pragma OPENCL FP_CONTRACT OFF
#ifdef TESSERA_F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
typedef global uchar* buffer;

uint nibble(buffer b, place i) { return (b[i >> 1] >> (4 * (int)(i & 1))) & 15; }
// The other half of the byte, and the other bytes of the word, belong to other work-items: two atomic operations.
void put_nibble(buffer b, place i, uint code) {
    const size_t at = (size_t)(b + (i >> 1));
    volatile global uint* word = (volatile global uint*)(at & ~(size_t)3);
    const int shift = 8 * (int)(at & 3) + 4 * (int)(i & 1);
    atomic_and(word, ~(15u << shift));
    atomic_or(word, (code & 15) << shift);
}

// E exponent and M mantissa bits; SPECIALS 0: infinity and NaN, 1: NaN alone, 2: neither
#define SMALL_FLOAT(NAME, E, M, SPECIALS)                                                                              \
    float widen_##NAME(uint code) {                                                                                    \
        const int bias = (1 << (E - 1)) - 1, ones = (1 << (E + M)) - 1, top = ((1 << E) - 1) << M;                     \
        const int magnitude = (int)(code & ones);                                                                      \
        const int normal = (magnitude << (23 - M)) + ((127 - bias) << 23);                                             \
        const int subnormal = as_int((float)magnitude * as_float((128 - bias - M) << 23));                             \
        int bits = magnitude < (1 << M) ? subnormal : normal;                                                          \
        if (SPECIALS == 0 && magnitude >= top)                                                                         \
            bits = (magnitude << (23 - M)) | 0x7f800000 | (magnitude > top ? 0x400000 : 0);                            \
        if (SPECIALS == 1 && magnitude == ones) bits = 0x7fc00000;                                                     \
        return as_float((uint)bits | ((code << (31 - E - M)) & 0x80000000u));                                          \
    }                                                                                                                  \
    uint narrow_##NAME(float x) {                                                                                      \
        const int bias = (1 << (E - 1)) - 1, ones = (1 << (E + M)) - 1, infinity = ((1 << E) - 1) << M;                \
        const int least = (128 - bias) << 23;                                                                          \
        const uint bits = as_uint(x);                                                                                  \
        const int magnitude = (int)(bits & 0x7fffffffu);                                                               \
        const int above = max(magnitude, least), below = min(magnitude, least);                                        \
        const uint odd = ((uint)above >> (23 - M)) & 1u;                                                               \
        const uint raised = (uint)above + ((1u << (22 - M)) - 1u) + odd;                                               \
        const int normal = (int)(raised >> (23 - M)) - ((127 - bias) << M);                                            \
        const float count = as_float(below) * as_float((126 + bias + M) << 23);                                        \
        const int whole = (int)count;                                                                                  \
        const int up = count - (float)whole > as_float(0x3f000000 - (whole & 1)) ? 1 : 0;                              \
        int code = min(normal + whole + up - (1 << M), SPECIALS == 0 ? infinity : ones);                               \
        if (SPECIALS == 0 && magnitude > 0x7f800000)                                                                   \
            code = infinity | ((magnitude >> (23 - M)) & ((1 << M) - 1)) | ((1 << M) >> 1);                            \
        return (uint)code | ((bits >> (31 - E - M)) & (1u << (E + M)));                                                \
    }
#ifdef CONVERTS_F16
// As the device converts: to the nearest, ties to even, subnormal numbers kept; a NaN becomes one.
float widen_f16(uint code) {
    const ushort stored = (ushort)code;
    return vload_half(0, (const half*)&stored);
}
uint narrow_f16(float x) {
    ushort stored;
    vstore_half_rte(x, 0, (half*)&stored);
    return stored;
}
#else
SMALL_FLOAT(f16, 5, 10, 0)
#endif
SMALL_FLOAT(f8_e5m2, 5, 2, 0)
SMALL_FLOAT(f8_e4m3, 4, 3, 1)
SMALL_FLOAT(f4_e2m1, 2, 1, 2)
SMALL_FLOAT(f4_e3m0, 3, 0, 2)

float widen_bf16(uint code) { return as_float(code << 16); }
uint narrow_bf16(float x) {
    const uint bits = as_uint(x);
    return (bits & 0x7fffffffu) > 0x7f800000u ? (bits >> 16) | 0x40u : (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
}
float widen_e8m0(uint code) {
    return as_float(code == 0xff ? 0x7fc00000u : code == 0 ? 0x00400000u : code << 23);
}
uint narrow_e8m0(float x) { return (as_uint(x) >> 23) & 0xffu; }

// Between computing types. Not a number becomes the lowest integer.
float clamped(float x, float low, float high) {
    const float raised = x > low ? x : low;
    return raised < high ? raised : high;
}
float f32_of_f32(float x) { return x; }
float f32_of_s32(int x) { return (float)x; }
float f32_of_s64(long x) { return (float)x; }
int s32_of_f32(float x) { return (int)rint(clamped(x, -2147483648.f, 2147483520.f)); }
int s32_of_s32(int x) { return x; }
int s32_of_s64(long x) { return (int)clamp(x, (long)INT_MIN, (long)INT_MAX); }
long s64_of_s32(int x) { return x; }
long s64_of_s64(long x) { return x; }
long s64_of_f32(float x) {
    if (!(x > -9223372036854775808.f)) return LONG_MIN;
    return x >= 9223372036854775808.f ? LONG_MAX : (long)rint(x);
}
#ifdef TESSERA_F64
double f64_of_f64(double x) { return x; }
double f64_of_f32(float x) { return x; }
double f64_of_s32(int x) { return x; }
double f64_of_s64(long x) { return (double)x; }
float f32_of_f64(double x) { return (float)x; }
long rounded_f64(double x, long low, long high) {
    const double end = (double)high + (high == LONG_MAX ? 0. : 1.);
    if (!(x > (double)low)) return low;
    if (x >= end) return high;
    const double r = rint(x);
    return r >= end ? high : (long)r;
}
int s32_of_f64(double x) { return (int)rounded_f64(x, INT_MIN, INT_MAX); }
long s64_of_f64(double x) { return rounded_f64(x, LONG_MIN, LONG_MAX); }
#endif

float read_f32(uint code) { return as_float(code); }
float read_bf16(uint code) { return widen_bf16(code); }
float read_f16(uint code) { return widen_f16(code); }
float read_f8_e5m2(uint code) { return widen_f8_e5m2(code); }
float read_f8_e4m3(uint code) { return widen_f8_e4m3(code); }
float read_e8m0(uint code) { return widen_e8m0(code); }
float read_f4_e2m1(uint code) { return widen_f4_e2m1(code); }
float read_f4_e3m0(uint code) { return widen_f4_e3m0(code); }
long read_s64(ulong code) { return (long)code; }
int read_s32(uint code) { return (int)code; }
int read_s8(uint code) { return (char)code; }
int read_u8(uint code) { return (int)code; }
int read_s4(uint code) { return (int)(code ^ 8) - 8; }
int read_u4(uint code) { return (int)code; }
int read_boolean(uint code) { return code != 0; }
void put_bits_8(buffer b, place i, uint x) { b[i] = (uchar)x; }
void put_bits_16(buffer b, place i, uint x) { ((global ushort*)b)[i] = (ushort)x; }
void put_bits_32(buffer b, place i, uint x) { ((global uint*)b)[i] = x; }
void put_bits_64(buffer b, place i, ulong x) { ((global ulong*)b)[i] = x; }

#define WRITES(C, T)                                                                                                   \
    void write_f32_##C(buffer b, place i, T x) { ((global float*)b)[i] = f32_of_##C(x); }                               \
    void write_bf16_##C(buffer b, place i, T x) { ((global ushort*)b)[i] = (ushort)narrow_bf16(f32_of_##C(x)); }        \
    void write_f16_##C(buffer b, place i, T x) { ((global ushort*)b)[i] = (ushort)narrow_f16(f32_of_##C(x)); }          \
    void write_f8_e5m2_##C(buffer b, place i, T x) { b[i] = (uchar)narrow_f8_e5m2(f32_of_##C(x)); }                     \
    void write_f8_e4m3_##C(buffer b, place i, T x) { b[i] = (uchar)narrow_f8_e4m3(f32_of_##C(x)); }                     \
    void write_e8m0_##C(buffer b, place i, T x) { b[i] = (uchar)narrow_e8m0(f32_of_##C(x)); }                           \
    uint code_f4_e2m1_##C(T x) { return narrow_f4_e2m1(f32_of_##C(x)); } \
    uint code_f4_e3m0_##C(T x) { return narrow_f4_e3m0(f32_of_##C(x)); } \
    void write_s64_##C(buffer b, place i, T x) { ((global long*)b)[i] = s64_of_##C(x); }                                \
    void write_s32_##C(buffer b, place i, T x) { ((global int*)b)[i] = s32_of_##C(x); }                                 \
    void write_s8_##C(buffer b, place i, T x) { b[i] = (uchar)saturated_##C(x, -128, 127); }                            \
    void write_u8_##C(buffer b, place i, T x) { b[i] = (uchar)saturated_##C(x, 0, 255); }                               \
    uint code_s4_##C(T x) { return (uint)saturated_##C(x, -8, 7) & 15; } \
    uint code_u4_##C(T x) { return (uint)saturated_##C(x, 0, 15); } \
    void write_boolean_##C(buffer b, place i, T x) { b[i] = x != 0; }
// Within 2^22 of 0 the sum with 1.5 * 2^23 has no fraction, so that its low bits are the nearest integer, ties to even;
// rint() is 25 instructions in PoCL.
int saturated_f32(float x, int low, int high) {
    return as_int(clamped(x, (float)low, (float)high) + 12582912.f) - 0x4b400000;
}
int saturated_s32(int x, int low, int high) { return clamp(x, low, high); }
int saturated_s64(long x, int low, int high) { return (int)clamp(x, (long)low, (long)high); }
WRITES(f32, float)
WRITES(s32, int)
WRITES(s64, long)
#ifdef TESSERA_F64
double read_f64(ulong code) { return as_double(code); }
int saturated_f64(double x, int low, int high) { return (int)rounded_f64(x, low, high); }
WRITES(f64, double)
void write_f64_f32(buffer b, place i, float x) { ((global double*)b)[i] = x; }
void write_f64_f64(buffer b, place i, double x) { ((global double*)b)[i] = x; }
void write_f64_s32(buffer b, place i, int x) { ((global double*)b)[i] = x; }
void write_f64_s64(buffer b, place i, long x) { ((global double*)b)[i] = f64_of_s64(x); }
#endif

// n / by for n < 2^31: by is `magic` and `shift` (Header::add_divisor()).
uint quotient(uint n, uint magic, uint shift) { return (mul_hi(n, magic) + n) >> shift; }
// The position in loops [0, count) of a nest: `rest` counts the points of those loops, the last one fastest. A nest in
// memory: for each loop its extent, as QUOTIENT() takes it, then a stride and the start of a table (or -1) for each
// operand.
#define NUMBERS_OF_LOOP(operands) (3 + 2 * (operands))
#define PLACE(at, operands, nest, tables, count, rest)                                                                 \
    do {                                                                                                               \
        place rest_ = (rest);                                                                                          \
        for (int k_ = (int)(count)-1; k_ >= 0; --k_) {                                                                 \
            global const place* loop_ = (nest) + k_ * NUMBERS_OF_LOOP(operands);                                       \
            const place above_ = k_ ? QUOTIENT(rest_, loop_[0], loop_[1], loop_[2]) : 0;                               \
            const place i_ = rest_ - above_ * loop_[0];                                                                \
            rest_ = above_;                                                                                            \
            for (int o_ = 0; o_ < (operands); ++o_) {                                                                  \
                const place table_ = loop_[4 + 2 * o_];                                                                \
                (at)[o_] += table_ < 0 ? i_ * loop_[3 + 2 * o_] : (tables)[table_ + i_];                               \
            }                                                                                                          \
        }                                                                                                          \
    } while (0)
// The group and its numbers; of launches in parts (parts.hpp) those of its part.
#ifdef PARTS
#ifdef SIDE_BY_SIDE
#define FIND_PART_OF_GROUP                                                                                             \
    part_ = group % PARTS, group /= PARTS;                                                                             \
    if (group >= nest[4 * part_] - (part_ > 0 ? nest[4 * part_ - 4] : 0)) return;
#else
#define FIND_PART_OF_GROUP                                                                                             \
    while (group >= nest[4 * part_]) ++part_;                                                                          \
    if (part_ > 0) group -= nest[4 * part_ - 4];
#endif
#define FIND_PART                                                                                                      \
    place group = (place)get_group_id(0), part_ = 0;                                                                   \
    FIND_PART_OF_GROUP                                                                                                 \
    const place operands_ = nest[4 * part_ + 3];                                                                       \
    tables += nest[4 * part_ + 2], nest += nest[4 * part_ + 1];
#else
#define FIND_PART const place group = (place)get_group_id(0);
#endif
// An element number along one loop.
#define ALONG(stride, table, i) ((table) < 0 ? (i) * (stride) : tables[(table) + (i)])
)cl";
}

std::string_view source_of_codes() {
    return R"cl(
#define CODES(C, T)                                                                                                    \
    uint code_f32_##C(T x) { return as_uint(f32_of_##C(x)); }                                                           \
    uint code_bf16_##C(T x) { return narrow_bf16(f32_of_##C(x)); }                                                      \
    uint code_f16_##C(T x) { return narrow_f16(f32_of_##C(x)); }                                                        \
    uint code_f8_e5m2_##C(T x) { return narrow_f8_e5m2(f32_of_##C(x)); }                                                \
    uint code_f8_e4m3_##C(T x) { return narrow_f8_e4m3(f32_of_##C(x)); }                                                \
    uint code_e8m0_##C(T x) { return narrow_e8m0(f32_of_##C(x)); }                                                      \
    ulong code_s64_##C(T x) { return (ulong)s64_of_##C(x); }                                                            \
    uint code_s32_##C(T x) { return (uint)s32_of_##C(x); }                                                              \
    uint code_s8_##C(T x) { return (uint)saturated_##C(x, -128, 127) & 255; }                                           \
    uint code_u8_##C(T x) { return (uint)saturated_##C(x, 0, 255); }                                                    \
    uint code_boolean_##C(T x) { return x != 0; }
CODES(f32, float)
CODES(s32, int)
CODES(s64, long)
#ifdef TESSERA_F64
CODES(f64, double)
ulong code_f64_f32(float x) { return as_ulong((double)x); }
ulong code_f64_f64(double x) { return as_ulong(x); }
ulong code_f64_s32(int x) { return as_ulong((double)x); }
ulong code_f64_s64(long x) { return as_ulong(f64_of_s64(x)); }
#endif
)cl";
}

} // namespace tessera::gpu
