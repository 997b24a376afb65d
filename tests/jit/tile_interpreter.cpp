// SPDX-License-Identifier: Apache-2.0
#include "tile_interpreter.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "core/types/codecs.hpp"

namespace tessera::cpu::jit {

namespace {

struct TileValue {
    int rows = 0, bytes = 0; // of a row
    uint8_t data[16][64] = {};

    uint32_t dword(int r, int n) const {
        uint32_t x;
        std::memcpy(&x, &data[r][4 * n], 4);
        return x;
    }
    void set(int r, int n, uint32_t x) { std::memcpy(&data[r][4 * n], &x, 4); }
};

struct Tiles {
    bool configured = false;
    TileValue tile[8];
};
thread_local Tiles tiles;

void need(bool condition, const char* otherwise) {
    if (!condition) throw std::logic_error(otherwise);
}

TileValue& tile(int n) {
    need(tiles.configured, "tile_interpreter: tiles are not configured");
    need(tiles.tile[n].rows && tiles.tile[n].bytes, "tile_interpreter: the configuration lacks the tile");
    return tiles.tile[n];
}

void configure(const uint8_t* m) {
    need(m[0] == 1, "tile_interpreter: no palette but 1");
    tiles = {};
    tiles.configured = true;
    for (int n = 0; n < 8; ++n) {
        TileValue& t = tiles.tile[n];
        t.bytes = m[16 + 2 * n] | m[17 + 2 * n] << 8, t.rows = m[48 + n];
        need(t.rows <= 16 && t.bytes <= 64, "tile_interpreter: tiles have 16 rows of 64 bytes at most");
    }
}

void load(const TileOp& op) {
    TileValue& d = tile(op.d);
    std::memset(d.data, 0, sizeof d.data);
    for (int r = 0; r < d.rows; ++r) std::memcpy(d.data[r], op.m + r * op.row, size_t(d.bytes));
}

// As bits of f32: bf16, and f16, of which none is denormal there.
uint32_t of_bf16(uint32_t x) { return x << 16; }
uint32_t of_f16(uint32_t x) { return std::bit_cast<uint32_t>(f16_to_f32(uint16_t(x))); }

// Even and odd products apart for all of k, then together, then onto what was there.
uint32_t float_sum(const TileValue& a, const TileValue& b, int m, int n, uint32_t before, uint32_t (*f32)(uint32_t)) {
    uint32_t even = 0, odd = 0;
    for (int k = 0; k < a.bytes / 4; ++k) {
        const uint32_t x = a.dword(m, k), y = b.dword(k, n);
        even = flushed_fma(f32(x & 0xffff), f32(y & 0xffff), even);
        odd = flushed_fma(f32(x >> 16), f32(y >> 16), odd);
    }
    constexpr uint32_t one = 0x3f800000;
    return flushed_fma(flushed_fma(even, one, odd), one, before);
}

uint32_t byte_sum(const TileValue& a, const TileValue& b, int m, int n, int64_t signs, uint32_t sum) {
    const auto value = [](uint8_t x, bool sign) { return sign ? int32_t(int8_t(x)) : int32_t(x); };
    for (int k = 0; k < a.bytes; ++k)
        sum += uint32_t(value(a.data[m][k], signs & 1) * value(b.data[k / 4][4 * n + k % 4], signs & 2));
    return sum;
}

void dot(const TileOp& op) {
    TileValue& d = tile(op.d);
    const TileValue &a = tile(op.a), &b = tile(op.b);
    need(d.rows == a.rows && d.bytes == b.bytes && a.bytes == 4 * b.rows, "tile_interpreter: tiles do not match");
    const TileValue before = d;
    for (int m = 0; m < d.rows; ++m)
        for (int n = 0; n < d.bytes / 4; ++n) {
            const uint32_t sum = before.dword(m, n);
            d.set(m, n,
                  op.op == VOp::tile_dot_bytes
                      ? byte_sum(a, b, m, n, op.imm, sum)
                      : float_sum(a, b, m, n, sum, op.op == VOp::tile_dot_f16 ? of_f16 : of_bf16));
        }
}

} // namespace

uint32_t flushed_fma(uint32_t a, uint32_t b, uint32_t c) {
    const auto flushed = [](uint32_t x) { return x & 0x7f800000 ? x : x & 0x80000000; };
    const auto value = [&](uint32_t x) { return std::bit_cast<float>(flushed(x)); };
    return flushed(std::bit_cast<uint32_t>(std::fma(value(a), value(b), value(c))));
}

bool interpret_tiles(const TileOp& op) {
    switch (op.op) {
    case VOp::tile_configure:
        configure(op.m);
        return true;
    case VOp::tile_release:
        tiles = {};
        return true;
    case VOp::tile_zero:
        std::memset(tile(op.d).data, 0, sizeof(TileValue::data));
        return true;
    case VOp::tile_load:
        load(op);
        return true;
    case VOp::tile_store:
        for (int r = 0; r < tile(op.a).rows; ++r)
            std::memcpy(op.m + r * op.row, tile(op.a).data[r], size_t(tile(op.a).bytes));
        return true;
    case VOp::tile_dot_bf16:
    case VOp::tile_dot_f16:
    case VOp::tile_dot_bytes:
        dot(op);
        return true;
    default:
        return false;
    }
}

} // namespace tessera::cpu::jit
