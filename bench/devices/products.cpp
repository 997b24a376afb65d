// SPDX-License-Identifier: Apache-2.0
// Products of matrices on a GPU: how fast, and whether some of the results are right.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <unordered_map>

#include <fmt/format.h>

#include "cases.hpp"

namespace tessera::bench {

namespace {

struct Kind {
    std::string_view name;
    Type type, dst;
    Tag weights = Tag::ab;
};
constexpr Kind kinds[] = {{"f32", Type::f32, Type::f32},       {"f32 ba", Type::f32, Type::f32, Tag::ba},
                          {"bf16", Type::bf16, Type::f32},     {"bf16 ba", Type::bf16, Type::bf16, Tag::ba},
                          {"f16", Type::f16, Type::f32},       {"s8 ba", Type::s8, Type::s32, Tag::ba},
                          {"s8", Type::s8, Type::s32, Tag::ab}};

// Whole numbers within 3, which each type holds, so that sums are exact.
int whole(int64_t i, int64_t seed) { return int((uint64_t(i + seed) * 0x9e3779b97f4a7c15u) >> 40) % 7 - 3; }

// Bits of a number that the type holds exactly.
uint32_t bits_of(Type type, int value) {
    const auto x = float(value);
    uint32_t bits = 0;
    std::memcpy(&bits, &x, 4);
    if (type == Type::s8) return uint32_t(value) & 255;
    if (type == Type::bf16) return bits >> 16;
    if (type == Type::f16) return value == 0 ? 0 : (bits >> 16 & 0x8000) | ((bits >> 13 & 0x3ffff) - (112 << 10));
    return bits;
}

memory filled(const dnnl::engine& engine, const memory::desc& desc, int64_t seed) {
    memory m(desc, engine);
    auto* const bytes = static_cast<unsigned char*>(m.map_data<void>());
    const size_t width = memory::data_type_size(desc.get_data_type());
    for (size_t i = 0; i * width < desc.get_size(); ++i) {
        const uint32_t bits = bits_of(desc.get_data_type(), whole(int64_t(i), seed));
        std::memcpy(bytes + i * width, &bits, width);
    }
    m.unmap_data(bytes);
    return m;
}

double value(Type type, const unsigned char* at) {
    uint32_t bits = 0;
    std::memcpy(&bits, at, memory::data_type_size(type));
    if (type == Type::s32) return double(int32_t(bits));
    if (type == Type::bf16) bits <<= 16;
    float x = 0;
    std::memcpy(&x, &bits, 4);
    return double(x);
}

} // namespace

std::string name_of_product(size_t kind, int64_t m, int64_t n, int64_t k) {
    return fmt::format("{} {}x{}x{}", kinds[kind].name, m, k, n);
}

ProductRun run_product(const dnnl::engine& engine, size_t kind, int64_t m, int64_t n, int64_t k) {
    const Kind& of = kinds[kind];
    const memory::desc a({m, k}, of.type, Tag::ab), b({k, n}, of.type, of.weights), c({m, n}, of.dst, Tag::ab);
    const memory left = filled(engine, a, 1), right = filled(engine, b, 2);
    memory result(c, engine);
    const dnnl::matmul product(dnnl::matmul::primitive_desc(engine, a, b, c));
    const std::unordered_map<int, memory> memories = {
        {DNNL_ARG_SRC, left}, {DNNL_ARG_WEIGHTS, right}, {DNNL_ARG_DST, result}};
    const dnnl::stream stream(engine);
    ProductRun made;
    made.work.bytes = int64_t(a.get_size() + b.get_size() + c.get_size());
    made.work.queue = [=] { product.execute(stream, memories); };
    made.work.wait = [=] { dnnl::stream(stream).wait(); };
    made.wrong = [=, type = of.dst, turned = of.weights == Tag::ba]() mutable {
        const auto* const bytes = static_cast<const unsigned char*>(result.map_data<void>());
        std::mt19937_64 random(3);
        int wrong = 0;
        for (int trial = 0; trial < 200; ++trial) {
            const auto row = int64_t(random() % uint64_t(m)), column = int64_t(random() % uint64_t(n));
            double sum = 0;
            for (int64_t i = 0; i < k; ++i)
                sum += whole(row * k + i, 1) * whole(turned ? column * k + i : i * n + column, 2);
            const double got = value(type, bytes + size_t(row * n + column) * memory::data_type_size(type));
            const double rounding = type == Type::bf16 ? std::abs(sum) / 256 : 0;
            wrong += std::abs(got - sum) > rounding;
        }
        result.unmap_data(const_cast<unsigned char*>(bytes));
        return wrong;
    };
    return made;
}

size_t product_kinds() { return std::size(kinds); }

} // namespace tessera::bench
