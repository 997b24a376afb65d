// SPDX-License-Identifier: Apache-2.0
// Codec: stored elements to and from values in registers, as vcode; the rules of core/types/codecs.hpp and convert.hpp.
//
// A value vector has W/4 lanes of 4 bytes, f32 or s32. Every result has the bits of the scalar codecs, in any rounding
// mode (integer targets and s32 -> f32 follow it, the other floats do not) and with FTZ and DAZ.
//
//   Codec codec(c);
//   codec.prepare(DataType::s8, ValueType::f32, true, false);        // constants, before any loop
//   Vec x = codec.load(DataType::s8, ValueType::f32, {src}, lanes);  // 16 floats from 16 bytes
#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "core/function_ref.hpp"
#include "core/types/convert.hpp"
#include "cpu/jit/vcode.hpp"

namespace tessera::cpu::jit {

class Codec {
public:
    explicit Codec(Code& code) : code_(code) {}

    // Values f32 and s32; stored f32 bf16 f16 s32 s8 u8 boolean f8_e5m2 f8_e4m3 e8m0.
    static bool supports(DataType stored, ValueType type);
    // s4, u4 and, as f32, f4 too, by load() alone: all lanes, the first element in the lower half of a byte.
    static bool loads(DataType stored, ValueType type);
    int lanes() const { return code_.width() / 4; }

    // Emits the constants that loads (stores) of the pair need; without it they are emitted again at every use.
    void prepare(DataType stored, ValueType type, bool loads, bool stores);
    int constants() const { return int(kept_u32_.size() + kept_.size()); } // that were prepared
    void prepare_u32(uint32_t value);
    Vec u32(uint32_t value); // in every lane
    Vec f32(float value);

    // `lanes` elements from m; the lanes behind them hold what zero bytes decode to. Only elements of `tail` are read.
    Vec load(DataType stored, ValueType type, Mem m, int lanes, const Mask* tail = nullptr);
    Vec same(DataType stored, ValueType type, Mem m);          // one element in all lanes
    Vec decode(DataType stored, ValueType type, Vec elements); // stored elements in the low bytes of a register

    // The stored code in each 4-byte lane: s8 as an integer that pack_ss, twice, saturates to its byte, others
    // zero-extended (narrowed by pack_us to 2 bytes, by pack_ss and pack_us to 1), f32 and s32 as they are stored.
    Vec encode(DataType stored, ValueType type, Vec value);
    Vec dense(DataType stored, ValueType type, Vec value); // the stored elements in the low bytes of a register
    void store(DataType stored, ValueType type, Mem m, Vec value, int lanes, const Mask* tail = nullptr,
               bool stream = false);
    // Four full vectors to 4 * lanes() consecutive elements by stores of W bytes: with pack and permute that is 4
    // operations of port 5 for 1-byte types, and 8 with four narrow stores. Streams need m aligned to W.
    void store4(DataType stored, ValueType type, Mem m, const Vec (&values)[4], bool stream = false);

    // Emits store(), which stores these values. As bf16 they are converted by vcvtneps2bf16, which takes denormals for
    // zeros; store() is emitted once more, with integer arithmetic, for vectors in which one is denormal.
    void store_normal(DataType stored, ValueType type, std::span<const Vec> values, FunctionRef<void()> store);

    // One register of stored elements (2 bytes): those of low, then those of high. Cheap where pairs() says so.
    bool pairs(DataType stored) const;
    Vec pair(DataType stored, ValueType type, Vec low, Vec high);

    // The same for 1 byte and four vectors.
    Vec quad(DataType stored, ValueType type, const Vec (&values)[4]);

    // Stored bf16, W/2 of them, without a shuffle: even and odd elements as values, and back to order as W bytes.
    void load_split(ValueType type, Vec words, Vec& even, Vec& odd);
    void store_split(DataType stored, ValueType type, Mem m, const Vec (&values)[4], bool stream = false);
    void prepare_split(DataType stored);
    // Codes of 1 byte from values of four registers: a's and b's in turns of lanes (a 4, b 4), then c's and d's.
    Vec pack_bytes(DataType stored, ValueType type, Vec a, Vec b, Vec c, Vec d);

    // A conversion of types of 1 byte by a table of its 256 results, 1 or 2 bytes each: with byte permutes.
    void prepare_table(DataType from, DataType to);
    std::vector<std::pair<int, Vec>> looked_up(Vec codes, DataType to); // (first element, W bytes of results)

    // Promise: what is stored as bf16 from here on has at most 8 significant bits and is no NaN, so truncation is
    // exact.
    void promise_short_values(bool promise = true) { short_values_ = normal_values_ = promise; }
    // Values come from arithmetic, which takes denormals for zeros where the caller set DAZ: stores may, too.
    void computed_values() { exact_under_daz_ = false; }
    // Promise: what is stored as bf16 from here on is no denormal f32.
    void promise_normal_values(bool promise = true) { normal_values_ = promise; }

    // Finds out whether f32 values are denormal, with DAZ as without, by a running minimum of their magnitudes:
    //   Vec least = codec.no_denormal();   least = codec.note_denormals(least, x); if_positive(denormals_noted(least))
    void prepare_denormals();
    Vec no_denormal();
    Vec note_denormals(Vec least, Vec x);
    Gpr denormals_noted(Vec least);
    Gpr denormals(std::span<const Vec> values); // of a store: what computed_values() promised counts

    // Between value types, as `cvt` does.
    Vec to_s32(Vec f32_value);
    Vec to_f32(Vec s32_value);

private:
    void keep(const std::vector<uint8_t>& bytes);
    Vec* kept(uint32_t value);
    Vec table(const std::vector<uint8_t>& bytes);
    Vec encode_f8(DataType stored, Vec value);
    Vec packable(DataType stored, ValueType type, Vec value); // as encode(), but u8 may need the saturation of packs
    Vec load_nibbles(DataType stored, ValueType type, Mem m);
    Vec f32_values(ValueType type, Vec x) { return type == ValueType::f32 ? x : to_f32(x); }
    void put(Mem m, Vec a, bool stream);

    Code& code_;
    bool exact_under_daz_ = true;
    bool probing_ = false, short_values_ = false, normal_values_ = false;
    std::vector<std::pair<uint32_t, Vec>> kept_u32_; // in every lane; nearly all constants
    std::vector<std::pair<std::vector<uint8_t>, Vec>> kept_;
    Vec order_;
    std::vector<Vec> quarters_; // of the table: low bytes of results 0..63, 64.., then high bytes
};

} // namespace tessera::cpu::jit
