// SPDX-License-Identifier: Apache-2.0
// Blocks of n x n elements transposed in registers: stages of shuffles of two vectors. A shuffle is a swizzle of both
// in one vector, because compilers take vectors built of single elements apart; vectors have names, because arrays of
// them stay in memory where a compiler does not unroll.
#include <fmt/format.h>

#include "gpu/header.hpp"

namespace tessera::gpu {

namespace {

struct TransposePrinter {
    std::string type;
    int n;
    std::string text = {};
    int stage = 0; // vectors x{stage}_0 ..

    void result(int k, const std::string& is) {
        text += fmt::format("    const {}{} x{}_{} = {};\n", type, n, stage + 1, k, is);
    }
    // Vectors a and b, both in one, give the vectors numbered `low` and `high`.
    void shuffle(int a, int b, int low, int high, std::string_view swizzle_low, std::string_view swizzle_high) {
        const std::string both = fmt::format("(({0}16)(x{1}_{2}, x{1}_{3}))", type, stage, a, b);
        result(low, both + std::string(swizzle_low)), result(high, both + std::string(swizzle_high));
    }
    void halves(int a, int b, int low, int high, std::string_view swizzle) {
        const auto of = [&](std::string_view half) {
            return fmt::format("(({0}{1})(x{2}_{3}.{5}, x{2}_{4}.{5})){6}", type, n, stage, a, b, half, swizzle);
        };
        result(low, of("lo")), result(high, of("hi"));
    }
};

} // namespace

int block_of_transposes(int bits) { return bits == 8 ? 16 : 8; }

std::string source_of_transposes(int bits, std::string_view from_space) {
    TransposePrinter p{std::string(c_name_of_bits(bits)), block_of_transposes(bits)};
    p.text = fmt::format("void transposed({0} const {1}* from, place stride, local {1}* to, place pitch) {{\n",
                         from_space, p.type);
    for (int k = 0; k < p.n; ++k)
        p.text += fmt::format("    const {0}{1} x0_{2} = vload{1}(0, from + {2} * stride);\n", p.type, p.n, k);
    if (bits >= 32) { // within 128 bits, as far as that goes
        for (int k = 0; k < 8; k += 2) p.shuffle(k, k + 1, k, k + 1, ".s08194c5d", ".s2a3b6e7f");
        p.stage = 1;
        for (const int k : {0, 1, 4, 5}) {
            const int low = k / 4 * 4 + k % 2 * 2; // of both first rows, then of both second ones
            p.shuffle(k, k + 2, low, low + 1, ".s018945cd", ".s23ab67ef");
        }
        p.stage = 2;
        for (int k = 0; k < 4; ++k) p.halves(k, k + 4, k, k + 4, "");
        p.stage = 3;
    } else { // the first half of the vectors interleaved with the second, log2(n) times
        for (int n = p.n; n > 1; n /= 2, ++p.stage)
            for (int k = 0; k < p.n / 2; ++k) {
                if (p.n == 16)
                    p.halves(k, k + 8, 2 * k, 2 * k + 1, ".s08192a3b4c5d6e7f");
                else
                    p.shuffle(k, k + 4, 2 * k, 2 * k + 1, ".s08192a3b", ".s4c5d6e7f");
            }
    }
    for (int k = 0; k < p.n; ++k) // PoCL stores vectors of narrow elements one by one
        p.text += bits >= 32 ? fmt::format("    vstore8(x{0}_{1}, 0, to + {1} * pitch);\n", p.stage, k)
                             : fmt::format("    vstore4(as_uint4(x{0}_{1}), 0, (local uint*)(to + {1} * pitch));\n",
                                           p.stage, k);
    return p.text + "}\n";
}

} // namespace tessera::gpu
