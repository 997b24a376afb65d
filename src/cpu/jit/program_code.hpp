// SPDX-License-Identifier: Apache-2.0
// ProgramCode: a program over one vector of lanes, as vcode. Bits are those of eval() and of the portable lanes: a
// product and a sum round separately, as the program says.
//
//   ProgramCode code(c, codec, program, types);     // constants, before any loop
//   code.emit(load, store);                         // load(operand, type) -> Vec, of counted operands too;
//   store(operand, type, value)
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/function_ref.hpp"
#include "core/program/program.hpp"
#include "cpu/jit/codec.hpp"

namespace tessera::cpu::jit {

// f32 and s32 values (no integer division, no reduction) of stored types that Codec supports.
bool can_emit(const Program& program, std::span<const DataType> types);

// Operands as keys of kernels have them, by number, type and column: "0:f32:1".
std::vector<std::string> names_in_key(std::span<const DataType> types, std::span<const int64_t> column);

// Conversions between s8 and u8: one minimum or maximum on bytes. clamp_bytes() is that, for a register of src.
bool is_byte_clamp(const Program& program, std::span<const DataType> types);
Vec clamp_bytes(Codec& codec, Code& code, DataType to, Vec src, int bytes = 0);
void prepare_clamp(Codec& codec, DataType to);

// Conversions from a type of 1 byte to a float of 1 or 2 bytes that a table does fastest (Codec::looked_up).
bool is_table(const Program& program, std::span<const DataType> types, const Target& target);

class ProgramCode {
public:
    ProgramCode(Code& code, Codec& codec, const Program& program, std::span<const DataType> types);

    using Load = FunctionRef<Vec(int operand, ValueType type)>;
    using Store = FunctionRef<void(int operand, ValueType type, Vec value)>;
    void emit(Load load, Store store) const { emit(all_, {}, load, store); }

    // The random generator gives four words at once, those of four consecutive elements: what depends on an index only
    // through its bits but the last two is the same in four lanes (a quad). Four vectors of elements, the first one a
    // multiple of 4, take one vector of quads:
    //   code.emit_behind_quads(expanded, load, store);             // four times, expanded[i] from quads[i]
    // expanded[i]: where quads[i] is a register, those of its lanes that the elements' quads have, if `is_quad(i)`, or
    // it itself, the same for all.
    void find_quads(FunctionRef<bool(int operand)> is_same);
    bool has_quads() const { return !quad_ops_.empty(); }
    bool is_quad(size_t value) const { return kind_[value] == Kind::quad; }
    std::vector<Vec> emit_quads(Load load) const;
    void emit_behind_quads(std::vector<Vec> expanded, Load load, Store store) const {
        emit(other_ops_, std::move(expanded), load, store);
    }

private:
    enum class Kind : uint8_t { same, quad, element };

    void find_masks();
    std::vector<Vec> emit(const std::vector<bool>& needed, std::vector<Vec> vectors, Load load, Store store) const;
    Vec high_product(Vec a, Vec b, bool b_is_constant) const;

    Code& code_;
    Codec& codec_;
    const Program& program_;
    Vec high_halves_;                                 // of pairs of lanes, for mulhi
    std::vector<bool> is_used_;                       // constants that are more than the count of a shift
    std::vector<bool> all_;                           // operations to emit: all of them, or
    std::vector<bool> quad_ops_, other_ops_, handed_; // before and behind the values that are handed over
    std::vector<Kind> kind_;
    std::vector<bool> is_mask_; // values that are masks; others are vectors
};

} // namespace tessera::cpu::jit
