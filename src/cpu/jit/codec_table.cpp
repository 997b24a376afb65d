// SPDX-License-Identifier: Apache-2.0
// Codec, conversions by table: 256 results as four registers of low bytes and four of high bytes.
#include "core/types/convert.hpp"
#include "cpu/jit/codec.hpp"

namespace tessera::cpu::jit {

void Codec::prepare_table(DataType from, DataType to) {
    const int bytes = bits(to) / 8;
    std::vector<uint8_t> results(512);
    for (int code = 0; code < 256; ++code) {
        const auto stored = uint8_t(code);
        uint8_t result[2] = {};
        write(to, result, 0, read<float>(from, &stored, 0));
        results[size_t(code)] = result[0], results[size_t(256 + code)] = result[1];
    }
    for (int q = 0; q < 4 * bytes; ++q) {
        const std::vector<uint8_t> quarter(results.begin() + 64 * q, results.begin() + 64 * (q + 1));
        keep(quarter);
        quarters_.push_back(table(quarter));
    }
    prepare_u32(0);
    // Groups of eight codes in the order in which unpacks within lanes give consecutive results.
    std::vector<uint8_t> order(64, 0);
    for (int q = 0; q < 8; ++q) order[size_t(8 * q)] = uint8_t(q / 2 + q % 2 * 4);
    keep(order), order_ = table(order);
}

std::vector<std::pair<int, Vec>> Codec::looked_up(Vec codes, DataType to) {
    const int bytes = bits(to) / 8;
    if (bytes == 2) codes = code_.permute(codes, order_, 8);
    const Mask high = code_.icmp(codes, u32(0), 1, 1); // codes from 128 on
    Vec plane[2];
    for (int b = 0; b < bytes; ++b) {
        const auto at = size_t(4 * b);
        plane[b] = code_.select(high, code_.permute2(quarters_[at + 2], quarters_[at + 3], codes, 1),
                                code_.permute2(quarters_[at], quarters_[at + 1], codes, 1), 1);
    }
    if (bytes == 1) return {{0, plane[0]}};
    return {{0, code_.unpack(false, plane[0], plane[1], 1)}, {32, code_.unpack(true, plane[0], plane[1], 1)}};
}

} // namespace tessera::cpu::jit
