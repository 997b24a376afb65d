// SPDX-License-Identifier: Apache-2.0
#include "gpu/products/bytes.hpp"

#include <fmt/format.h>

namespace tessera::gpu {

std::optional<bool> sign_of_bytes(const ProductView& view, const MatrixFactor& factor) {
    const DataType type = view.plan.operands[size_t(factor.factor.operand)].type;
    const bool computed = factor.factor.zero >= 0 || factor.factor.scale >= 0;
    if (view.matrices.type != ValueType::s32 || computed) return std::nullopt;
    if (type == DataType::s8 || type == DataType::s4) return true;
    if (type == DataType::u8 || type == DataType::u4) return false;
    return std::nullopt;
}

std::string source_of_dot(bool ptx, bool left, bool right) {
    if (ptx)
        return fmt::format(R"cl(
uint dot_of_bytes(uint x, uint y, uint sum) {{
    uint result;
    __asm__("dp4a.{}32.{}32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(sum));
    return result;
}}
#define DOT(x, y, sum) dot_of_bytes(x, y, sum)
)cl",
                           left ? "s" : "u", right ? "s" : "u");
    return fmt::format(R"cl(
#ifdef cl_khr_integer_dot_product
#define DOT(x, y, sum) ((sum) + (uint)dot_4x8packed_{}{}_{}int(x, y))
#else
uint dot_of_bytes(uint x, uint y, uint sum) {{
    for (int n = 0; n < 32; n += 8) sum += (uint)((int)({})(x >> n) * (int)({})(y >> n));
    return sum;
}}
#define DOT(x, y, sum) dot_of_bytes(x, y, sum)
#endif
)cl",
                       left ? "s" : "u", right ? "s" : "u", left || right ? "" : "u", left ? "char" : "uchar",
                       right ? "char" : "uchar");
}

} // namespace tessera::gpu
