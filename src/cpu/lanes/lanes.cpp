// SPDX-License-Identifier: Apache-2.0
#include "cpu/lanes/lanes.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/types/codecs.hpp"
#include "cpu/lanes/levels.hpp"

namespace tessera::cpu {

namespace {

// The C++ type that stores a data type, and its conversions to and from f32, known at compile time.
template <DataType t> struct Stored;
#define STORED(type, storage, to_float, from_float)                                                                    \
    template <> struct Stored<DataType::type> {                                                                        \
        using Storage = storage;                                                                                       \
        static float widen(storage x) { return to_float; }                                                             \
        static storage narrow(float x) { return from_float; }                                                          \
    };
STORED(f32, float, x, x)
STORED(bf16, uint16_t, bf16_to_f32(x), f32_to_bf16(x))
STORED(f16, uint16_t, f16_to_f32(x), f32_to_f16(x))
STORED(s32, int32_t, float(x), f32_to_s32(x))
STORED(s8, int8_t, float(x), f32_to_s8(x))
STORED(u8, uint8_t, float(x), f32_to_u8(x))
STORED(boolean, uint8_t, float(x != 0), f32_to_boolean(x))
STORED(f8_e5m2, uint8_t, f8_e5m2_to_f32(x), f32_to_f8_e5m2(x))
STORED(f8_e4m3, uint8_t, f8_e4m3_to_f32(x), f32_to_f8_e4m3(x))
STORED(e8m0, uint8_t, e8m0_to_f32(x), f32_to_e8m0(x))
#undef STORED

// Elements without alignment: an s32 compensation follows 1-byte weights in the same buffer, and buffers may begin
// anywhere. x86 reads unaligned elements as fast.
template <typename S> struct Unaligned { typedef S type __attribute__((aligned(1))); };

// Strided elements are gathered into an array first: conversions of single elements do not vectorise (f32 -> s8 with
// both strides 2 took 4.7 ms instead of 1.9 for 1.6 million elements).
template <typename S, typename V, typename Get>
TESSERA_INLINE void load_grid(const Access& a, int64_t m, int64_t n, V* out, Get get) {
    using Stored = const typename Unaligned<S>::type;
    Stored* first = static_cast<Stored*>(a.base) + a.first;
    for (int64_t i = 0; i < m; ++i, out += n) {
        Stored* row = first + i * a.row;
        if (!a.table && a.column == 0) {
            std::fill_n(out, n, V(get(row[0])));
            continue;
        }
        S gathered[max_lanes];
        if (a.table || a.column != 1) {
            for (int64_t j = 0; j < n; ++j) gathered[j] = row[a.table ? a.table[j] : j * a.column];
            row = gathered;
        }
        for (int64_t j = 0; j < n; ++j) out[j] = get(row[j]);
    }
}

template <typename S, typename V, typename Put>
TESSERA_INLINE void store_grid(const Access& a, int64_t m, int64_t n, const V* in, Put put) {
    using Stored = typename Unaligned<S>::type;
    Stored* first = static_cast<Stored*>(a.base) + a.first;
    for (int64_t i = 0; i < m; ++i, in += n) {
        Stored* row = first + i * a.row;
        if (!a.table && a.column == 1) {
            for (int64_t j = 0; j < n; ++j) row[j] = put(in[j]);
            continue;
        }
        S converted[max_lanes];
        for (int64_t j = 0; j < n; ++j) converted[j] = put(in[j]);
        for (int64_t j = 0; j < n; ++j) row[a.table ? a.table[j] : j * a.column] = converted[j];
    }
}

int64_t element(const Access& a, int64_t i, int64_t j) {
    return a.first + i * a.row + (a.table ? a.table[j] : j * a.column);
}

// Fallback for the rare pairs of types: one element at a time.
template <typename V> void load_any(DataType stored, const Access& a, int64_t m, int64_t n, V* out) {
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) *out++ = read<V>(stored, a.base, element(a, i, j));
}

template <typename V> void store_any(DataType stored, const Access& a, int64_t m, int64_t n, const V* in) {
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) write<V>(stored, a.base, element(a, i, j), *in++);
}

// 4-bit elements, two (a byte) at a time where a row is contiguous and begins at a byte.
template <typename V, typename Get>
TESSERA_INLINE void load_nibbles(DataType stored, const Access& a, int64_t m, int64_t n, V* out, Get get) {
    for (int64_t i = 0; i < m; ++i, out += n) {
        const int64_t first = element(a, i, 0);
        if (a.table || a.column != 1 || first % 2) {
            for (int64_t j = 0; j < n; ++j) out[j] = read<V>(stored, a.base, element(a, i, j));
            continue;
        }
        const auto* bytes = static_cast<const uint8_t*>(a.base) + first / 2;
        for (int64_t j = 0; j < n / 2; ++j) {
            out[2 * j] = V(get(uint8_t(bytes[j] & 15)));
            out[2 * j + 1] = V(get(uint8_t(bytes[j] >> 4)));
        }
        if (n % 2) out[n - 1] = V(get(uint8_t(bytes[n / 2] & 15)));
    }
}

template <typename V, typename Put>
TESSERA_INLINE void store_nibbles(DataType stored, const Access& a, int64_t m, int64_t n, const V* in, Put put) {
    for (int64_t i = 0; i < m; ++i, in += n) {
        const int64_t first = element(a, i, 0);
        const bool pairs = !a.table && a.column == 1 && first % 2 == 0;
        auto* bytes = static_cast<uint8_t*>(a.base) + first / 2;
        if (pairs)
            for (int64_t j = 0; j < n / 2; ++j)
                bytes[j] = uint8_t((put(in[2 * j]) & 15) | ((put(in[2 * j + 1]) & 15) << 4));
        for (int64_t j = pairs ? n / 2 * 2 : 0; j < n; ++j) write<V>(stored, a.base, element(a, i, j), in[j]);
    }
}

// f64 to s32 with the results of write<double> but without branches: once clamped, rounding cannot leave the range.
inline int32_t f64_to_s32(double x) {
    const double raised = x > -2147483648. ? x : -2147483648.; // NaN becomes the lower bound too
    return int32_t(std::nearbyint(raised < 2147483647. ? raised : 2147483647.));
}

template <typename To> To saturated(int64_t x) {
    constexpr int64_t low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
    return To(x < low ? low : x > high ? high : x);
}

TESSERA_LEVELS void load_f32(DataType stored, const Access& a, int64_t m, int64_t n, float* out) {
    switch (stored) {
#define CASE(type)                                                                                                     \
    case DataType::type:                                                                                               \
        return load_grid<Stored<DataType::type>::Storage>(a, m, n, out, Stored<DataType::type>::widen);
        CASE(f32)
        CASE(bf16)
        CASE(f16)
        CASE(s32)
        CASE(s8)
        CASE(u8)
        CASE(boolean)
        CASE(f8_e5m2)
        CASE(f8_e4m3)
        CASE(e8m0)
#undef CASE
    case DataType::s4:
        return load_nibbles(stored, a, m, n, out, s4_to_s8);
    case DataType::u4:
        return load_nibbles(stored, a, m, n, out, [](uint8_t x) { return x; });
    case DataType::f4_e2m1:
        return load_nibbles(stored, a, m, n, out, f4_e2m1_to_f32);
    case DataType::f4_e3m0:
        return load_nibbles(stored, a, m, n, out, f4_e3m0_to_f32);
    default:
        return load_any(stored, a, m, n, out);
    }
}

TESSERA_LEVELS void store_f32(DataType stored, const Access& a, int64_t m, int64_t n, const float* in) {
    switch (stored) {
#define CASE(type)                                                                                                     \
    case DataType::type:                                                                                               \
        return store_grid<Stored<DataType::type>::Storage>(a, m, n, in, Stored<DataType::type>::narrow);
        CASE(f32)
        CASE(bf16)
        CASE(f16)
        CASE(s32)
        CASE(s8)
        CASE(u8)
        CASE(boolean)
        CASE(f8_e5m2)
        CASE(f8_e4m3)
        CASE(e8m0)
#undef CASE
    case DataType::s4:
        return store_nibbles(stored, a, m, n, in, f32_to_s4);
    case DataType::u4:
        return store_nibbles(stored, a, m, n, in, f32_to_u4);
    case DataType::f4_e2m1:
        return store_nibbles(stored, a, m, n, in, f32_to_f4_e2m1);
    case DataType::f4_e3m0:
        return store_nibbles(stored, a, m, n, in, f32_to_f4_e3m0);
    default:
        return store_any(stored, a, m, n, in);
    }
}

TESSERA_LEVELS void load_s32(DataType stored, const Access& a, int64_t m, int64_t n, int32_t* out) {
    auto plain = [](auto x) { return int32_t(x); };
    switch (stored) {
    case DataType::s32:
        return load_grid<int32_t>(a, m, n, out, plain);
    case DataType::s8:
        return load_grid<int8_t>(a, m, n, out, plain);
    case DataType::u8:
        return load_grid<uint8_t>(a, m, n, out, plain);
    case DataType::s4:
        return load_nibbles(stored, a, m, n, out, s4_to_s8);
    case DataType::u4:
        return load_nibbles(stored, a, m, n, out, plain);
    default:
        return load_any(stored, a, m, n, out);
    }
}

TESSERA_LEVELS void store_s32(DataType stored, const Access& a, int64_t m, int64_t n, const int32_t* in) {
    switch (stored) {
    case DataType::s32:
        return store_grid<int32_t>(a, m, n, in, [](int32_t x) { return x; });
    case DataType::s8:
        return store_grid<int8_t>(a, m, n, in, [](int32_t x) { return int8_t(std::clamp(x, -128, 127)); });
    case DataType::u8:
        return store_grid<uint8_t>(a, m, n, in, [](int32_t x) { return uint8_t(std::clamp(x, 0, 255)); });
    case DataType::s4:
        return store_nibbles(stored, a, m, n, in, [](int32_t x) { return uint8_t(std::clamp(x, -8, 7)); });
    case DataType::u4:
        return store_nibbles(stored, a, m, n, in, [](int32_t x) { return uint8_t(std::clamp(x, 0, 15)); });
    default:
        return store_any(stored, a, m, n, in);
    }
}

TESSERA_LEVELS void load_f64(DataType stored, const Access& a, int64_t m, int64_t n, double* out) {
    auto plain = [](auto x) { return double(x); };
    switch (stored) {
    case DataType::f64:
        return load_grid<double>(a, m, n, out, plain);
    case DataType::f32:
        return load_grid<float>(a, m, n, out, plain);
    case DataType::bf16:
        return load_grid<uint16_t>(a, m, n, out, bf16_to_f32);
    case DataType::s32:
        return load_grid<int32_t>(a, m, n, out, plain);
    case DataType::s8:
        return load_grid<int8_t>(a, m, n, out, plain);
    case DataType::u8:
        return load_grid<uint8_t>(a, m, n, out, plain);
    default:
        return load_any(stored, a, m, n, out);
    }
}

TESSERA_LEVELS void store_f64(DataType stored, const Access& a, int64_t m, int64_t n, const double* in) {
    switch (stored) {
    case DataType::f64:
        return store_grid<double>(a, m, n, in, [](double x) { return x; });
    case DataType::f32:
        return store_grid<float>(a, m, n, in, [](double x) { return float(x); });
    case DataType::bf16:
        return store_grid<uint16_t>(a, m, n, in, [](double x) { return f32_to_bf16(float(x)); });
    case DataType::s32:
        return store_grid<int32_t>(a, m, n, in, f64_to_s32);
    default:
        return store_any(stored, a, m, n, in);
    }
}

TESSERA_LEVELS void load_s64(DataType stored, const Access& a, int64_t m, int64_t n, int64_t* out) {
    auto plain = [](auto x) { return int64_t(x); };
    switch (stored) {
    case DataType::s64:
        return load_grid<int64_t>(a, m, n, out, plain);
    case DataType::s32:
        return load_grid<int32_t>(a, m, n, out, plain);
    case DataType::s8:
        return load_grid<int8_t>(a, m, n, out, plain);
    case DataType::u8:
        return load_grid<uint8_t>(a, m, n, out, plain);
    default:
        return load_any(stored, a, m, n, out);
    }
}

TESSERA_LEVELS void store_s64(DataType stored, const Access& a, int64_t m, int64_t n, const int64_t* in) {
    switch (stored) {
    case DataType::s64:
        return store_grid<int64_t>(a, m, n, in, [](int64_t x) { return x; });
    case DataType::s32:
        return store_grid<int32_t>(a, m, n, in, saturated<int32_t>);
    case DataType::s8:
        return store_grid<int8_t>(a, m, n, in, saturated<int8_t>);
    case DataType::u8:
        return store_grid<uint8_t>(a, m, n, in, saturated<uint8_t>);
    default:
        return store_any(stored, a, m, n, in);
    }
}

template <typename S> void copy_grid(const Access& from, const Access& to, int64_t m, int64_t n) {
    using Stored = typename Unaligned<S>::type;
    for (int64_t i = 0; i < m; ++i) {
        const Stored* s = static_cast<const Stored*>(from.base) + from.first + i * from.row;
        Stored* d = static_cast<Stored*>(to.base) + to.first + i * to.row;
        if (from.table || to.table) {
            for (int64_t j = 0; j < n; ++j)
                d[to.table ? to.table[j] : j * to.column] = s[from.table ? from.table[j] : j * from.column];
        } else if (from.column == 1 && to.column == 1) {
            const size_t size = size_t(n) * sizeof(S); // short rows inline: a call of memcpy costs as much as the copy
            if (size == 64)
                std::memcpy(d, s, 64);
            else if (size == 32)
                std::memcpy(d, s, 32);
            else if (size == 16)
                std::memcpy(d, s, 16);
            else
                std::memmove(d, s, size);
        } else if (to.column == 1) {
            for (int64_t j = 0; j < n; ++j) d[j] = s[j * from.column];
        } else {
            for (int64_t j = 0; j < n; ++j) d[j * to.column] = s[j * from.column];
        }
    }
}

void copy_nibbles(DataType stored, const Access& from, const Access& to, int64_t m, int64_t n) {
    for (int64_t i = 0; i < m; ++i) {
        int64_t j = 0;
        const int64_t s = element(from, i, 0), d = element(to, i, 0);
        if (!from.table && !to.table && from.column == 1 && to.column == 1 && s % 2 == 0 && d % 2 == 0) {
            std::memmove(static_cast<char*>(to.base) + d / 2, static_cast<const char*>(from.base) + s / 2,
                         size_t(n / 2));
            j = n / 2 * 2;
        }
        for (; j < n; ++j)
            write_bits(stored, to.base, element(to, i, j), read_bits(stored, from.base, element(from, i, j)));
    }
}

} // namespace

void load_lanes(DataType stored, ValueType type, const Access& from, int64_t m, int64_t n, void* values) {
    switch (type) {
    case ValueType::f32:
        return load_f32(stored, from, m, n, static_cast<float*>(values));
    case ValueType::s32:
        return load_s32(stored, from, m, n, static_cast<int32_t*>(values));
    case ValueType::f64:
        return load_f64(stored, from, m, n, static_cast<double*>(values));
    default:
        return load_s64(stored, from, m, n, static_cast<int64_t*>(values));
    }
}

void store_lanes(DataType stored, ValueType type, const Access& to, int64_t m, int64_t n, const void* values) {
    switch (type) {
    case ValueType::f32:
        return store_f32(stored, to, m, n, static_cast<const float*>(values));
    case ValueType::s32:
        return store_s32(stored, to, m, n, static_cast<const int32_t*>(values));
    case ValueType::f64:
        return store_f64(stored, to, m, n, static_cast<const double*>(values));
    default:
        return store_s64(stored, to, m, n, static_cast<const int64_t*>(values));
    }
}

void copy_lanes(DataType stored, const Access& from, const Access& to, int64_t m, int64_t n) {
    switch (bits(stored)) {
    case 4:
        return copy_nibbles(stored, from, to, m, n);
    case 8:
        return copy_grid<uint8_t>(from, to, m, n);
    case 16:
        return copy_grid<uint16_t>(from, to, m, n);
    case 32:
        return copy_grid<uint32_t>(from, to, m, n);
    default:
        return copy_grid<uint64_t>(from, to, m, n);
    }
}

} // namespace tessera::cpu
