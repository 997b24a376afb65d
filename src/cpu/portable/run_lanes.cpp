// run_lanes: the block interpreter of programs, at most 256 lanes at a time.
#include <algorithm>
#include <type_traits>

#include "cpu/portable/lanes.hpp"
#include "cpu/portable/levels.hpp"

namespace tessera::cpu {

namespace {

template <typename T> TESSERA_INLINE void arithmetic(OpCode code, const T* a, const T* b, T* out, int64_t lanes) {
    // Integers wrap; only f32 and s32 programs compute, f64 and s64 ones convert.
    using U = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;
    switch (code) {
    case OpCode::add:
        for (int64_t i = 0; i < lanes; ++i) out[i] = T(U(a[i]) + U(b[i]));
        break;
    case OpCode::sub:
        for (int64_t i = 0; i < lanes; ++i) out[i] = T(U(a[i]) - U(b[i]));
        break;
    case OpCode::mul:
        for (int64_t i = 0; i < lanes; ++i) out[i] = T(U(a[i]) * U(b[i]));
        break;
    default:
        if constexpr (std::is_floating_point_v<T>)
            for (int64_t i = 0; i < lanes; ++i) out[i] = a[i] / b[i];
    }
}

TESSERA_LEVELS void arithmetic_f32(OpCode code, const void* a, const void* b, void* out, int64_t lanes) {
    arithmetic(code, static_cast<const float*>(a), static_cast<const float*>(b), static_cast<float*>(out), lanes);
}

TESSERA_LEVELS void arithmetic_s32(OpCode code, const void* a, const void* b, void* out, int64_t lanes) {
    arithmetic(code, static_cast<const int32_t*>(a), static_cast<const int32_t*>(b), static_cast<int32_t*>(out), lanes);
}

// One grid of at most max_lanes. Loads of values that already lie as the program wants them are not copied.
void run_grid(const Program& p, std::span<const DataType> types, const Access* loads, const Access* stores, int64_t m,
              int64_t n) {
    alignas(64) unsigned char memory[64][max_lanes * 8];
    const void* values[64];
    const int64_t lanes = m * n;
    for (size_t k = 0; k < p.ops.size(); ++k) {
        const Op& op = p.ops[k];
        void* out = memory[k];
        values[k] = out;
        switch (op.code) {
        case OpCode::load: {
            const DataType stored = types[size_t(op.operand)];
            const Access& from = loads[op.operand];
            const bool same = (stored == DataType::f32 && op.type == ValueType::f32) ||
                              (stored == DataType::s32 && op.type == ValueType::s32);
            if (same && from.dense(m, n))
                values[k] = static_cast<const int32_t*>(from.base) + from.first;
            else
                load_lanes(stored, op.type, from, m, n, out);
            break;
        }
        case OpCode::store:
            store_lanes(types[size_t(op.operand)], op.type, stores[op.operand], m, n, values[op.a]);
            break;
        case OpCode::constant:
            if (op.type == ValueType::f32)
                std::fill_n(static_cast<float*>(out), lanes, float(op.constant));
            else
                std::fill_n(static_cast<int32_t*>(out), lanes, int32_t(op.constant));
            break;
        default:
            (op.type == ValueType::f32 ? arithmetic_f32 : arithmetic_s32)(op.code, values[op.a], values[op.b], out,
                                                                          lanes);
        }
    }
}

Access shifted(const Access& a, int64_t row, int64_t column) {
    Access b = a;
    b.first += row * a.row + (a.table ? 0 : column * a.column);
    if (a.table) b.table += column;
    return b;
}

// A conversion whose value type is how dst is stored needs no buffer: the load writes dst.
bool lands_in_dst(const Program& p, DataType stored) {
    return (p.ops[0].type == ValueType::f32 && stored == DataType::f32) ||
           (p.ops[0].type == ValueType::s32 && stored == DataType::s32);
}

} // namespace

void run_lanes(const Program& p, std::span<const DataType> types, const Access* loads, const Access* stores, int64_t m,
               int64_t n) {
    if (is_copy(p)) return copy_lanes(types[0], loads[p.ops[0].operand], stores[p.ops[1].operand], m, n);
    const int64_t columns = std::min(n, max_lanes), rows = std::min(m, max_lanes / columns);
    for (int64_t i = 0; i < m; i += rows)
        for (int64_t j = 0; j < n; j += columns) {
            const int64_t mm = std::min(rows, m - i), nn = std::min(columns, n - j);
            Access load[16], store[16];
            for (size_t o = 0; o < types.size(); ++o)
                load[o] = shifted(loads[o], i, j), store[o] = shifted(stores[o], i, j);
            if (is_conversion(p)) {
                const Access& to = store[p.ops[1].operand];
                const DataType stored = types[size_t(p.ops[1].operand)];
                if (lands_in_dst(p, stored) && to.dense(mm, nn)) {
                    load_lanes(types[size_t(p.ops[0].operand)], p.ops[0].type, load[p.ops[0].operand], mm, nn,
                               static_cast<int32_t*>(to.base) + to.first);
                    continue;
                }
            }
            run_grid(p, types, load, store, mm, nn);
        }
}

} // namespace tessera::cpu
