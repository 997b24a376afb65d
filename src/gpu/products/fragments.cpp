// SPDX-License-Identifier: Apache-2.0
#include "gpu/products/fragments.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tessera::gpu {

namespace {

// A pointer to local memory, as a number, is the shared address that these instructions take.
constexpr std::string_view in_ptx = R"cl(
#define READ_AS(how, to, at)                                                                                           \
    __asm__ volatile("ldmatrix.sync.aligned.m8n8.x4" how ".shared.b16 {%0,%1,%2,%3}, [%4];"                                \
                 : "=r"((to)[0]), "=r"((to)[1]), "=r"((to)[2]), "=r"((to)[3])                                          \
                 : "r"((uint)(ulong)(at))                                                                              \
                 : "memory")
#define READ_MATRICES(to, at) READ_AS("", to, at)
#define READ_TRANSPOSED(to, at) READ_AS(".trans", to, at)
#define COPY16(to, from, inside)                                                                                       \
    __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"                                                   \
                     :                                                                                                 \
                     : "r"((uint)(ulong)(to)), "l"(from), "r"((inside) ? 16 : 0)                                       \
                     : "memory")
#define COPIES_END() __asm__ volatile("cp.async.commit_group;" : : : "memory")
#define COPIED(groups) __asm__ volatile("cp.async.wait_group " #groups ";" : : : "memory")
)cl";

constexpr std::string_view multiply_in_ptx = R"cl(
#define MULTIPLY(c, a, b)                                                                                              \
    __asm__ volatile("mma.sync.aligned.m16n8k{0}.row.col.{1}.{2}.{3}.{1} {{%0,%1,%2,%3}}, {{%4,%5,%6,%7}}, {{%8,%9}}, {{%0,%1,%2,%3}};" \
                 : "+{4}"((c)[0]), "+{4}"((c)[1]), "+{4}"((c)[2]), "+{4}"((c)[3])                                      \
                 : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"((b)[0]), "r"((b)[1]))
)cl";

// Tensor cores leave out the lower bits.
constexpr std::string_view rounding = R"cl(
uint round_tf32(float x) { return x != x ? 0x7fc00000u : as_uint(x) + 0x1000u; }
)cl";

constexpr std::string_view emulated = R"cl(
#define READ_MATRICES(to, at) read_matrices(to, (int)((at) - tile), tile, exchange)
#define READ_TRANSPOSED(to, at) read_transposed(to, (int)((at) - tile), tile, exchange)
struct Copies {
    local uchar* to[COPIES];
    global const uchar* from[COPIES];
    int group[COPIES], count, groups;
};
#define COPY16(to, from, inside) copy_later(&copies, to, (inside) ? (from) : 0)
#define COPIES_END() ++copies.groups
#define COPIED(n) copied(&copies, n)
void copy_later(struct Copies* c, local uchar* to, global const uchar* from) {
    c->to[c->count] = to, c->from[c->count] = from, c->group[c->count++] = c->groups;
}
void copied(struct Copies* c, int groups) {
    int left = 0;
    for (int i = 0; i < c->count; ++i) {
        if (c->group[i] < c->groups - groups)
            *(local uint4*)c->to[i] = c->from[i] ? *(global const uint4*)c->from[i] : (uint4)(0, 0, 0, 0);
        else
            c->to[left] = c->to[i], c->from[left] = c->from[i], c->group[left++] = c->group[i];
    }
    c->count = left;
}
void read_matrices(uint* to, int at, local const uchar* tile, local uint* exchange) {
    const int lane = (int)get_local_id(0), in_warp = lane % 32, warp = lane - in_warp;
    exchange[lane] = (uint)at;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int m = 0; m < 4; ++m)
        to[m] = *(local const uint*)(tile + exchange[warp + 8 * m + in_warp / 4] + 4 * (in_warp % 4));
    barrier(CLK_LOCAL_MEM_FENCE);
}
void read_transposed(uint* to, int at, local const uchar* tile, local uint* exchange) {
    const int lane = (int)get_local_id(0), in_warp = lane % 32, warp = lane - in_warp;
    exchange[lane] = (uint)at;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int m = 0; m < 4; ++m) {
        const int row = warp + 8 * m + in_warp % 4 * 2, column = in_warp / 4 * 2;
        to[m] = *(local const ushort*)(tile + exchange[row] + column) |
                (uint)*(local const ushort*)(tile + exchange[row + 1] + column) << 16;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
#define MULTIPLY(c, a, b) multiply(c, a, b, exchange)
void multiply(VALUE* c, const uint* a, const uint* b, local uint* exchange) {
    const int lane = (int)get_local_id(0), in_warp = lane % 32, warp = lane - in_warp;
    for (int w = 0; w < 4; ++w) exchange[6 * lane + w] = a[w];
    for (int w = 0; w < 2; ++w) exchange[6 * lane + 4 + w] = b[w];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 4; ++i) {
        const int row = in_warp / 4 + i / 2 * 8, column = in_warp % 4 * 2 + i % 2;
        VALUE sum = c[i];
        for (int word = 0; word < 8; ++word) {
            const uint x = exchange[6 * (warp + row % 8 * 4 + word % 4) + row / 8 + word / 4 * 2];
            const uint y = exchange[6 * (warp + column * 4 + word % 4) + 4 + word / 4];
            for (int part = 0; part < 32; part += BITS) sum = ADDED(sum, LEFT(x >> part), RIGHT(y >> part));
        }
        c[i] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
)cl";

// The arrays are whole vectors of the extension's types.
constexpr std::string_view multiply_in_sub_group = R"cl(
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#define MULTIPLY(c, a, b)                                                                                              \
    vstore8({0}(intel_sub_group_{1}_{2}_matrix_mad_k{3}({4}(vload{5}(0, a)), {6}(vload8(0, b)), {7}(vload8(0, c)))), 0, c)
)cl";

constexpr std::string_view emulated_sub_group = R"cl(
#define MULTIPLY(c, a, b) multiply(c, a, b, exchange)
void multiply(VALUE* c, const uint* a, const uint* b, local uint* exchange) {
    const int lane = (int)get_local_id(0), in_warp = lane % LANES, warp = lane - in_warp, of_lane = 64 / LANES;
    for (int w = 0; w < of_lane; ++w) exchange[lane * of_lane + w] = a[w];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int row = 0; row < 8; ++row) {
        VALUE sum = c[row];
        for (int word = 0; word < 8; ++word) {
            uint x;
            if (LANES == 8) {
                x = exchange[(warp + word) * of_lane + row];
            } else {
                const uint low = exchange[(warp + 2 * word) * of_lane + row / 2] >> row % 2 * 16;
                const uint high = exchange[(warp + 2 * word + 1) * of_lane + row / 2] >> row % 2 * 16;
                x = (low & 0xffffu) | high << 16;
            }
            for (int part = 0; part < 32; part += BITS) sum = ADDED(sum, LEFT(x >> part), RIGHT(b[word] >> part));
        }
        c[row] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
)cl";

// The element in the low bits of a word.
std::string_view element(Form form) {
    switch (form) {
    case Form::bf16:
        return "widen_bf16((word) & 0xffffu)";
    case Form::f16:
        return "widen_f16((word) & 0xffffu)";
    case Form::tf32:
        return "as_float((word) & 0xffffe000u)";
    case Form::s8:
        return "(int)(char)(word)";
    default:
        return "(int)(uchar)(word)";
    }
}
bool is_float(Form form) { return bytes_of(form) > 1; }

} // namespace

std::string_view name(Form form) {
    constexpr std::string_view names[] = {"bf16", "f16", "tf32", "s8", "u8"};
    return names[size_t(form)];
}

std::string Tile::row(std::string_view n) const {
    return is_warp() ? fmt::format("in_warp / 4 + ({}) * 8", n) : fmt::format("({})", n);
}
std::string Tile::column(std::string_view n) const {
    return is_warp() ? fmt::format("in_warp % 4 * 2 + ({})", n) : "in_warp";
}

std::optional<Tile> tile_of(const DeviceRow& row) {
    constexpr int64_t first_with_bf16 = 80;
    if (row.capability >= first_with_bf16) return warp_tile;
    if (row.matrices == 16) return sub_group_tile_16;
    return row.matrices == 8 ? std::optional(sub_group_tile_8) : std::nullopt;
}

bool takes(const Tile& tile, Form form) { return tile.is_warp() || form != Form::tf32; }

std::string source_of_fragments(const DeviceRow& row, const Tile& tile, Form left, Form right, int64_t copies) {
    if (tile.is_warp() && row.ptx)
        return std::string(in_ptx) + std::string(rounding) +
               fmt::format(fmt::runtime(multiply_in_ptx), 32 / bytes_of(left), is_float(left) ? "f32" : "s32",
                           name(left), name(right), is_float(left) ? "f" : "r");
    if (!tile.is_warp() && row.multiplies_matrices) {
        const auto in_names = [](Form form) { return form == Form::s8 ? std::string_view("i8") : name(form); };
        const auto as = [](Form form, std::string_view type) {
            return fmt::format("as_{}{}", form == Form::u8 ? "u" : "", type);
        };
        return fmt::format(fmt::runtime(multiply_in_sub_group), is_float(left) ? "" : "as_uint8", in_names(left),
                           in_names(right), 32 / bytes_of(left), as(left, tile.lanes == 16 ? "short8" : "int8"),
                           tile.left_words(), as(right, "int8"), is_float(left) ? "" : "as_int8");
    }
    return fmt::format("#define COPIES {}\n#define VALUE {}\n#define BITS {}\n#define LEFT(word) {}\n#define "
                       "RIGHT(word) {}\n#define ADDED(sum, x, y) {}\n#define LANES {}\n",
                       std::max<int64_t>(copies, 1), is_float(left) ? "float" : "uint", 8 * bytes_of(left),
                       element(left), element(right), is_float(left) ? "fma(x, y, sum)" : "(sum) + (uint)((x) * (y))",
                       tile.lanes) +
           std::string(tile.is_warp() ? emulated : emulated_sub_group) + std::string(rounding);
}

std::string attribute_of_fragments(const DeviceRow& row, const Tile& tile) {
    if (tile.is_warp() || !row.multiplies_matrices) return "";
    return fmt::format("__attribute__((intel_reqd_sub_group_size({})))\n", tile.lanes);
}

std::string source_of_exchange(const DeviceRow& row, const Tile& tile, int64_t lanes) {
    if (!tile.is_warp() && row.multiplies_matrices)
        return "    const int in_warp = (int)get_sub_group_local_id(), warp = (int)get_sub_group_id();\n";
    std::string text = fmt::format("    const int in_warp = lane % {0}, warp = lane / {0};\n", tile.lanes);
    if (tile.is_warp() && row.ptx) return text;
    text += fmt::format("    local uint exchange[{}];\n", (tile.left_words() + tile.right_words()) * lanes);
    if (tile.is_warp()) text += "    struct Copies copies;\n    copies.count = copies.groups = 0;\n";
    return text;
}

} // namespace tessera::gpu
