// SPDX-License-Identifier: Apache-2.0
// LaneProgram: the block interpreter of programs, at most 256 lanes at a time.
#include <algorithm>
#include <bit>
#include <map>
#include <memory>

#include "cpu/lanes/lane_ops.hpp"
#include "cpu/lanes/lanes.hpp"

namespace tessera::cpu {

namespace {

// Buffers of programs of usual length lie on the stack: 32 KiB, as much as L1 has.
constexpr int64_t stack_bytes = 32 << 10;
constexpr size_t stack_values = 64;

struct alignas(64) Line {
    unsigned char bytes[64];
};

int32_t s32_of(const Op& constant) { return int32_t(int64_t(constant.constant)); }

uint32_t lane_of(const Op& constant) {
    return constant.type == ValueType::f32 ? std::bit_cast<uint32_t>(float(constant.constant))
                                           : uint32_t(s32_of(constant));
}

DataType stored_as(ValueType type) {
    switch (type) {
    case ValueType::f32:
        return DataType::f32;
    case ValueType::s32:
        return DataType::s32;
    case ValueType::f64:
        return DataType::f64;
    default:
        return DataType::s64;
    }
}

void fill_constant(const Op& op, void* out, int64_t lanes) {
    if (op.type == ValueType::f64)
        std::fill_n(static_cast<double*>(out), lanes, op.constant);
    else if (op.type == ValueType::s64)
        std::fill_n(static_cast<int64_t*>(out), lanes, int64_t(op.constant));
    else
        std::fill_n(static_cast<uint32_t*>(out), lanes, lane_of(op));
}

Access shifted(const Access& a, int64_t row, int64_t column) {
    Access b = a;
    b.first += row * a.row + (a.table ? 0 : column * a.column);
    if (a.table) b.table += column;
    return b;
}

// The iota of a grid: the linear index of each element, which OpCode::index loads.
void iota_lanes(const Access& a, int64_t m, int64_t n, uint32_t* out) {
    for (int64_t i = 0; i < m; ++i, out += n)
        for (int64_t j = 0; j < n; ++j) out[j] = uint32_t(a.first + i * a.row + (a.table ? a.table[j] : j * a.column));
}

} // namespace

LaneProgram::LaneProgram(const Program& program, std::span<const DataType> types)
    : program_(program), types_(types), buffer_(program.ops.size(), -1) {
    if (is_copy(program)) return;
    const auto& ops = program.ops;
    std::vector<size_t> last(ops.size(), 0);
    for (size_t k = 0; k < ops.size(); ++k) {
        last[k] = k;
        for (int value : {ops[k].a, ops[k].b, ops[k].c})
            if (value >= 0) last[size_t(value)] = k;
        if (ops[k].type == ValueType::f64 || ops[k].type == ValueType::s64) buffer_bytes_ = max_lanes * 8;
    }
    in_place_ = std::count_if(ops.begin(), ops.end(), [](const Op& op) { return op.code == OpCode::store; }) == 1;
    std::map<std::pair<ValueType, uint64_t>, int> constants;
    std::vector<int> free;
    for (size_t k = 0; k < ops.size(); ++k) {
        const Op& op = ops[k];
        if (op.code == OpCode::constant) {
            const auto known = constants.insert({{op.type, std::bit_cast<uint64_t>(op.constant)}, buffers_});
            buffers_ += known.second;
            buffer_[k] = known.first->second;
        } else if (op.code != OpCode::store) {
            if (free.empty()) free.push_back(buffers_++);
            buffer_[k] = free.back();
            free.pop_back();
        }
        // Freed after the result got its buffer, because a result must not overlap its arguments. An argument used
        // twice is freed once.
        const int values[] = {op.a, op.b, op.c, op.code == OpCode::store ? -1 : int(k)};
        for (size_t n = 0; n < 4; ++n) {
            const int value = values[n];
            if (value < 0 || last[size_t(value)] != k || ops[size_t(value)].code == OpCode::constant) continue;
            if (std::find(values, values + n, value) == values + n) free.push_back(buffer_[size_t(value)]);
        }
    }
}

// Runs one grid of at most max_lanes elements from row i, column j on. Dense operands stored as the computing type are
// read in place, not copied to a buffer.
void LaneProgram::run_grid(unsigned char* buffers, const void** values, const Access* loads, const Access* stores,
                           int64_t i, int64_t j, int64_t m, int64_t n) const {
    const auto value = [&](int k) { return k >= 0 ? values[k] : nullptr; };
    for (size_t k = 0; k < program_.ops.size(); ++k) {
        const Op& op = program_.ops[k];
        void* const out = op.code == OpCode::store ? nullptr : buffers + buffer_[k] * buffer_bytes_;
        values[k] = out;
        switch (op.code) {
        case OpCode::load: {
            const DataType stored = types_[size_t(op.operand)];
            const Access from = shifted(loads[op.operand], i, j);
            const bool same = (stored == DataType::f32 && op.type == ValueType::f32) ||
                              (stored == DataType::s32 && op.type == ValueType::s32);
            if (same && in_place_ && from.dense(m, n))
                values[k] = static_cast<const int32_t*>(from.base) + from.first;
            else
                load_lanes(stored, op.type, from, m, n, out);
            break;
        }
        case OpCode::index:
            iota_lanes(shifted(loads[op.operand], i, j), m, n, static_cast<uint32_t*>(out));
            break;
        case OpCode::store:
            store_lanes(types_[size_t(op.operand)], op.type, shifted(stores[op.operand], i, j), m, n, values[op.a]);
            break;
        case OpCode::constant: // its buffer is filled by run()
            break;
        case OpCode::cvt:
            store_lanes(stored_as(op.type), program_.ops[size_t(op.a)].type, {out, 0, n, 1, nullptr}, m, n,
                        values[op.a]);
            break;
        default: {
            const bool shifts = op.code == OpCode::shl || op.code == OpCode::shr;
            const uint32_t count = shifts ? uint32_t(s32_of(program_.ops[size_t(op.b)])) & 31 : 0;
            run_op(op.code, program_.ops[size_t(op.a)].type, value(op.a), value(op.b), value(op.c), count, out, m * n);
        }
        }
    }
}

// A conversion into a dst that stores the computing type needs no buffer: the load writes to dst.
bool LaneProgram::lands_in_dst(const Access& to, int64_t m, int64_t n) const {
    if (!is_conversion(program_) || !to.dense(m, n)) return false;
    const DataType stored = types_[size_t(program_.ops[1].operand)];
    const ValueType type = program_.ops[0].type;
    return (type == ValueType::f32 && stored == DataType::f32) || (type == ValueType::s32 && stored == DataType::s32);
}

void LaneProgram::run(const Access* loads, const Access* stores, int64_t m, int64_t n) const {
    const auto& ops = program_.ops;
    if (is_copy(program_))
        return copy_lanes(types_[size_t(ops[0].operand)], loads[ops[0].operand], stores[ops[1].operand], m, n);
    alignas(64) unsigned char stack[stack_bytes];
    const void* few[stack_values];
    std::unique_ptr<Line[]> heap;
    std::vector<const void*> many;
    unsigned char* buffers = stack;
    const void** values = few;
    if (buffers_ * buffer_bytes_ > stack_bytes) {
        heap = std::make_unique_for_overwrite<Line[]>(size_t(buffers_ * buffer_bytes_ / 64));
        buffers = heap[0].bytes;
    }
    if (ops.size() > stack_values) many.resize(ops.size()), values = many.data();
    const int64_t columns = std::min(n, max_lanes), rows = std::min(m, max_lanes / columns);
    for (size_t k = 0; k < ops.size(); ++k)
        if (ops[k].code == OpCode::constant)
            fill_constant(ops[k], buffers + buffer_[k] * buffer_bytes_, rows * columns);
    for (int64_t i = 0; i < m; i += rows)
        for (int64_t j = 0; j < n; j += columns) {
            const int64_t mm = std::min(rows, m - i), nn = std::min(columns, n - j);
            const Access to = shifted(stores[ops.back().operand], i, j);
            if (lands_in_dst(to, mm, nn)) {
                load_lanes(types_[size_t(ops[0].operand)], ops[0].type, shifted(loads[ops[0].operand], i, j), mm, nn,
                           static_cast<int32_t*>(to.base) + to.first);
                continue;
            }
            run_grid(buffers, values, loads, stores, i, j, mm, nn);
        }
}

} // namespace tessera::cpu
