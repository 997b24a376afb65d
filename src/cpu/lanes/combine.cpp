// SPDX-License-Identifier: Apache-2.0
#include "cpu/lanes/combine.hpp"

#include "cpu/lanes/levels.hpp"

namespace tessera::cpu {

namespace {

template <typename Combine, typename T>
TESSERA_INLINE void combine_row(T* __restrict sums, const T* values, int64_t columns) {
    for (int64_t j = 0; j < columns; ++j) sums[j] = Combine::of(sums[j], values[j]);
}

// Combines rows of `columns` values, those of points first, first + 1, ...: the row of point i with partial result
// i mod `partials`. With a single column 16 points are one vector operation.
template <typename Combine, typename T> TESSERA_INLINE void
combine_points(T* sums, int partials, int64_t first, const T* values, int64_t rows, int64_t columns) {
    int64_t i = 0;
    const auto one = [&] {
        combine_row<Combine>(sums + (first + i) % partials * columns, values + i * columns, columns), ++i;
    };
    if (columns == 1 && partials == reduction_sums) {
        while (i < rows && (first + i) % reduction_sums) one();
        for (; i + reduction_sums <= rows; i += reduction_sums) combine_row<Combine>(sums, values + i, reduction_sums);
    }
    while (i < rows) one();
}

// Combines the partial results into the first one, for all columns at a time.
template <typename Combine, typename T> TESSERA_INLINE void join_rows(T* sums, int partials, int64_t columns) {
    for (int64_t apart = partials / 2; apart; apart /= 2)
        for (int64_t k = 0; k < apart; ++k)
            combine_row<Combine>(sums + k * columns, sums + (k + apart) * columns, columns);
}

#define LOOPS(Combine, T)                                                                                              \
    TESSERA_LEVELS void points_##Combine##_##T(void* sums, int partials, int64_t first, const void* values,            \
                                               int64_t rows, int64_t columns) {                                        \
        combine_points<Combine>(static_cast<T*>(sums), partials, first, static_cast<const T*>(values), rows, columns); \
    }                                                                                                                  \
    TESSERA_LEVELS void join_##Combine##_##T(void* sums, int partials, int64_t columns) {                              \
        join_rows<Combine>(static_cast<T*>(sums), partials, columns);                                                  \
    }                                                                                                                  \
    void row_##Combine##_##T(void* sums, const void* values, int64_t columns) {                                        \
        combine_row<Combine>(static_cast<T*>(sums), static_cast<const T*>(values), columns);                           \
    }                                                                                                                  \
    constexpr CombineLoops loops_##Combine##_##T{points_##Combine##_##T, join_##Combine##_##T, row_##Combine##_##T};
LOOPS(Add, float)
LOOPS(Add, uint32_t) // wraps
LOOPS(Mul, float)
LOOPS(Mul, uint32_t)
LOOPS(Max, float)
LOOPS(Max, int32_t)
LOOPS(Min, float)
LOOPS(Min, int32_t)
#undef LOOPS

} // namespace

const CombineLoops& combine_loops(OpCode combine, ValueType type) {
    const bool floats = type == ValueType::f32;
    switch (combine) {
    case OpCode::reduce_mul:
        return floats ? loops_Mul_float : loops_Mul_uint32_t;
    case OpCode::reduce_max:
        return floats ? loops_Max_float : loops_Max_int32_t;
    case OpCode::reduce_min:
        return floats ? loops_Min_float : loops_Min_int32_t;
    default:
        return floats ? loops_Add_float : loops_Add_uint32_t;
    }
}

} // namespace tessera::cpu
