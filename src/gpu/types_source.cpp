// Stored types in OpenCL C: the rules of core/types/convert.hpp, with integer arithmetic where devices lack a type, so
// that results have the bits of the CPU's. A buffer is global bytes; elements are numbered from its start.
//
//   read_bf16(code)             a stored element in its natural type: float, double (f64), int, long (s64)
//   write_s8_f32(b, i, x)       from a computing type: f32, f64, s32, s64
//
// `place` is the type of element numbers, which the printer of a step defines: 32 bits where they suffice.
#include <fmt/format.h>

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
SMALL_FLOAT(f16, 5, 10, 0)
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
void put_bits_4(buffer b, place i, uint x) { put_nibble(b, i, x); }
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
    void write_f4_e2m1_##C(buffer b, place i, T x) { put_nibble(b, i, narrow_f4_e2m1(f32_of_##C(x))); }                 \
    void write_f4_e3m0_##C(buffer b, place i, T x) { put_nibble(b, i, narrow_f4_e3m0(f32_of_##C(x))); }                 \
    void write_s64_##C(buffer b, place i, T x) { ((global long*)b)[i] = s64_of_##C(x); }                                \
    void write_s32_##C(buffer b, place i, T x) { ((global int*)b)[i] = s32_of_##C(x); }                                 \
    void write_s8_##C(buffer b, place i, T x) { b[i] = (uchar)saturated_##C(x, -128, 127); }                            \
    void write_u8_##C(buffer b, place i, T x) { b[i] = (uchar)saturated_##C(x, 0, 255); }                               \
    void write_s4_##C(buffer b, place i, T x) { put_nibble(b, i, (uint)saturated_##C(x, -8, 7)); }                      \
    void write_u4_##C(buffer b, place i, T x) { put_nibble(b, i, (uint)saturated_##C(x, 0, 15)); }                      \
    void write_boolean_##C(buffer b, place i, T x) { b[i] = x != 0; }
int saturated_f32(float x, int low, int high) { return (int)rint(clamped(x, (float)low, (float)high)); }
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

// The position in loops [0, count) of a nest: `rest` counts the points of those loops, the last one fastest. A nest in
// memory: for each loop its extent, then a stride and the start of a table (or -1) for each operand.
#define PLACE(at, operands, nest, tables, count, rest)                                                                 \
    do {                                                                                                               \
        place rest_ = (rest);                                                                                          \
        for (int k_ = (int)(count)-1; k_ >= 0; --k_) {                                                                 \
            global const place* loop_ = (nest) + k_ * (1 + 2 * (operands));                                            \
            const place i_ = k_ ? rest_ % loop_[0] : rest_;                                                            \
            rest_ = k_ ? rest_ / loop_[0] : 0;                                                                         \
            for (int o_ = 0; o_ < (operands); ++o_) {                                                                  \
                const place table_ = loop_[2 + 2 * o_];                                                                \
                (at)[o_] += table_ < 0 ? i_ * loop_[1 + 2 * o_] : (tables)[table_ + i_];                               \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)
// An element number along one loop.
#define ALONG(stride, table, i) ((table) < 0 ? (i) * (stride) : tables[(table) + (i)])
)cl";
}

// Three stages of shuffles of two vectors. Rows have names, because arrays of vectors stay in memory where a compiler
// does not unroll, and shuffles are swizzles of both vectors in one: of single elements compilers make a shuffle for
// each. Stages of 32 and 64 bits stay within halves of 128 bits until the last one; narrower elements have no more than
// those.
std::string source_of_transposes(int bits) {
    constexpr std::string_view stages = R"cl(
#define HALVED(a, b, low, high) low = (TILED8)(a.lo, b.lo), high = (TILED8)(a.hi, b.hi)
#define BY_ONE(a, b, low, high)                                                                                        \
    do {                                                                                                               \
        const TILED16 both = (TILED16)(a, b);                                                                          \
        low = both.s08194c5d, high = both.s2a3b6e7f;                                                                   \
    } while (0)
#define BY_TWO(a, b, low, high)                                                                                        \
    do {                                                                                                               \
        const TILED16 both = (TILED16)(a, b);                                                                          \
        low = both.s018945cd, high = both.s23ab67ef;                                                                   \
    } while (0)
#define ZIPPED(a, b, low, high)                                                                                        \
    do {                                                                                                               \
        const TILED16 both = (TILED16)(a, b);                                                                          \
        low = both.s08192a3b, high = both.s4c5d6e7f;                                                                   \
    } while (0)
#define STAGES_32(x, y)                                                                                                \
    BY_ONE(x##0, x##1, y##0, y##1);                                                                                    \
    BY_ONE(x##2, x##3, y##2, y##3);                                                                                    \
    BY_ONE(x##4, x##5, y##4, y##5);                                                                                    \
    BY_ONE(x##6, x##7, y##6, y##7);                                                                                    \
    BY_TWO(y##0, y##2, x##0, x##1);                                                                                    \
    BY_TWO(y##1, y##3, x##2, x##3);                                                                                    \
    BY_TWO(y##4, y##6, x##4, x##5);                                                                                    \
    BY_TWO(y##5, y##7, x##6, x##7);                                                                                    \
    HALVED(x##0, x##4, y##0, y##4);                                                                                    \
    HALVED(x##1, x##5, y##1, y##5);                                                                                    \
    HALVED(x##2, x##6, y##2, y##6);                                                                                    \
    HALVED(x##3, x##7, y##3, y##7)
#define STAGE_8(x, y)                                                                                                  \
    ZIPPED(x##0, x##4, y##0, y##1);                                                                                    \
    ZIPPED(x##1, x##5, y##2, y##3);                                                                                    \
    ZIPPED(x##2, x##6, y##4, y##5);                                                                                    \
    ZIPPED(x##3, x##7, y##6, y##7)
#define STAGES_8(x, y)                                                                                                 \
    STAGE_8(x, y);                                                                                                     \
    STAGE_8(y, x);                                                                                                     \
    STAGE_8(x, y)
#define TRANSPOSED_8X8(from, stride, to, pitch)                                                                        \
    do {                                                                                                               \
        TILED8 x0 = vload8(0, from), x1 = vload8(0, from + (stride)), x2 = vload8(0, from + 2 * (stride)),             \
               x3 = vload8(0, from + 3 * (stride)), x4 = vload8(0, from + 4 * (stride)),                               \
               x5 = vload8(0, from + 5 * (stride)), x6 = vload8(0, from + 6 * (stride)),                               \
               x7 = vload8(0, from + 7 * (stride)), y0, y1, y2, y3, y4, y5, y6, y7;                                    \
        STAGES(x, y);                                                                                                  \
        vstore8(y0, 0, to), vstore8(y1, 0, to + (pitch)), vstore8(y2, 0, to + 2 * (pitch));                            \
        vstore8(y3, 0, to + 3 * (pitch)), vstore8(y4, 0, to + 4 * (pitch)), vstore8(y5, 0, to + 5 * (pitch));          \
        vstore8(y6, 0, to + 6 * (pitch)), vstore8(y7, 0, to + 7 * (pitch));                                            \
    } while (0)
)cl";
    const auto type = c_name_of_bits(bits);
    return fmt::format("#define TILED8 {0}8\n#define TILED16 {0}16\n#define STAGES STAGES_{1}{2}", type,
                       bits >= 32 ? 32 : 8, stages);
}

} // namespace tessera::gpu
