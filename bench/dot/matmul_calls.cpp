// SPDX-License-Identifier: Apache-2.0
#include "dot/matmul_calls.hpp"

#include <unordered_map>

#include <fmt/format.h>

#include "call_times.hpp"
#include "work.hpp"

namespace tessera::bench::dot {
namespace {

using dnnl::memory;
using Type = memory::data_type;
using Tag = memory::format_tag;

struct Descriptors {
    memory::desc src, weights, dst;
};
Descriptors product(int64_t m, int64_t k, int64_t n, Tag weights, Type from = Type::f32, Type by = Type::f32,
                    Type to = Type::f32) {
    return {memory::desc({m, k}, from, Tag::ab), memory::desc({k, n}, by, weights), memory::desc({m, n}, to, Tag::ab)};
}
Descriptors plain_of(int i) { return product(9 + i, 32 + i % 17, 48 + i % 5, Tag::ab); }
Descriptors packed_of(int i) { return product(9 + i, 96 + i % 17, 80 + i % 5, Tag::any); }

// Pairs of types and layouts of weights, of which each needs code of its own.
constexpr int new_types = 6 * 3;
Descriptors types_of(int i) {
    constexpr Type types[][3] = {{Type::f32, Type::f32, Type::f32}, {Type::bf16, Type::bf16, Type::bf16},
                                 {Type::f16, Type::f16, Type::f16}, {Type::u8, Type::s8, Type::s32},
                                 {Type::s8, Type::s8, Type::f32},   {Type::bf16, Type::bf16, Type::f32}};
    constexpr Tag layouts[] = {Tag::ab, Tag::ba, Tag::any};
    const auto& [from, by, to] = types[i % 6];
    return product(100, 200, 300, layouts[i / 6 % 3], from, by, to);
}

dnnl_primitive_t create(const Descriptors& of) {
    dnnl_primitive_desc_t desc = nullptr;
    dnnl::error::wrap_c_api(dnnl_matmul_primitive_desc_create(&desc, engine().get(), of.src.get(), of.weights.get(),
                                                              nullptr, of.dst.get(), nullptr),
                            "the matmul is refused");
    dnnl_primitive_t primitive = nullptr;
    const auto status = dnnl_primitive_create(&primitive, desc);
    dnnl_primitive_desc_destroy(desc);
    dnnl::error::wrap_c_api(status, "the matmul cannot be made");
    return primitive;
}

Call run_tiny(int64_t n) {
    const std::string name = fmt::format("run matmul {0}x{0}x{0}, f32", n);
    try {
        const auto of = product(n, n, n, Tag::ab);
        const dnnl::matmul::primitive_desc desc(engine(), of.src, of.weights, of.dst);
        const Work work = run_on(
            dnnl::matmul(desc), {{DNNL_ARG_SRC, of.src}, {DNNL_ARG_WEIGHTS, of.weights}, {DNNL_ARG_DST, of.dst, true}});
        return timed(name.c_str(), 50, 200, [&](int) { work.run(); });
    } catch (const dnnl::error& e) { return {name, "us", 0, 0, 0, e.what()}; }
}

} // namespace

std::vector<Call> time_calls() {
    return {each_new("create matmul, new types", new_types, types_of, create),
            each_new("create matmul, new shape", 300, plain_of, create),
            each_new("create matmul, new shape, packed weights", 300, packed_of, create),
            each_known("create matmul, known", plain_of(5000), create),
            run_tiny(4),
            run_tiny(16)};
}

} // namespace tessera::bench::dot
