// SPDX-License-Identifier: Apache-2.0
// A matrix product as a case.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dot/cases.hpp"

namespace tessera::bench::dot {
namespace {

// "acb": dimension a outermost, then c, then b.
Desc in_order(const Dims& dims, Type type, const std::string& order) {
    if (order == "any") return Desc(dims, type, Tag::any);
    Dims strides(dims.size());
    memory::dim next = 1;
    for (auto letter = order.rbegin(); letter != order.rend(); ++letter) {
        const size_t d = size_t(*letter - 'a');
        strides[d] = next;
        next *= dims[d];
    }
    return Desc(dims, type, strides);
}

Dims with(const Dims& batch, int64_t rows, int64_t columns) {
    Dims dims = batch;
    dims.insert(dims.end(), {rows, columns});
    return dims;
}

bool is_integer(Type type) { return type != Type::f32 && type != Type::bf16 && type != Type::f16; }
bool decompresses(const Types& types) { return is_integer(types.weights.second) && !is_integer(types.src.second); }

// Groups of scales came with 3.5: an older library does not even have the functions.
void needs_groups() {
    const auto* v = dnnl_version();
    if (v->major * 100 + v->minor < 305)
        throw dnnl::error(dnnl_unimplemented, "no weights decompression before version 3.5");
}

std::optional<PlainProduct> plain_of(const Product& p) {
    for (const auto& type : {p.types.src, p.types.weights, p.types.dst})
        if (type.second != Type::f32) return {};
    const auto plain = [&](int64_t rows, int64_t columns, const std::string& order) {
        const Dims dims = with(p.batch, rows, columns);
        return in_order(dims, Type::f32, order == "any" ? std::string("abcd").substr(0, dims.size()) : order);
    };
    return PlainProduct{plain(p.m, p.k, p.src), plain(p.k, p.n, p.weights), plain(p.m, p.n, p.dst), {}};
}

Work make(const Product& p) {
    const auto [src_type, weights_type, dst_type] = p.types;
    dnnl::primitive_attr attributes;
    std::vector<Operand> operands;
    if (decompresses(p.types)) {
        needs_groups();
        const int k = int(p.batch.size()), both = 1 << k | 1 << (k + 1);
        attributes.set_fpmath_mode(src_type.second == Type::f16    ? dnnl::fpmath_mode::f16
                                   : src_type.second == Type::bf16 ? dnnl::fpmath_mode::bf16
                                                                   : dnnl::fpmath_mode::strict,
                                   true);
        attributes.set_scales(DNNL_ARG_WEIGHTS, both, {p.group, 1}, Type::f32);
        operands.push_back({DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS,
                            Desc(with(p.batch, p.k / p.group, p.n), Type::f32, p.batch.empty() ? Tag::ab : Tag::abc)});
    }
    const dnnl::matmul::primitive_desc desc(engine(), in_order(with(p.batch, p.m, p.k), src_type.second, p.src),
                                            in_order(with(p.batch, p.k, p.n), weights_type.second, p.weights),
                                            in_order(with(p.batch, p.m, p.n), dst_type.second, p.dst), attributes);
    operands.push_back({DNNL_ARG_SRC, desc.src_desc()});
    operands.push_back({DNNL_ARG_WEIGHTS, desc.weights_desc()});
    operands.push_back({DNNL_ARG_DST, desc.dst_desc(), true});
    return run_on(dnnl::matmul(desc), operands);
}

} // namespace

Kind kind_of(const Types& types) {
    switch (types.src.second) {
    case Type::f32:
        return Kind::f32;
    case Type::bf16:
        return Kind::bf16;
    case Type::f16:
        return Kind::f16;
    default:
        return Kind::int8;
    }
}

// Of the peak of registers: 0.92 of it is what operands in L1 allow on machines with two units, 0.93 of that the aim.
// Tiles: what a prototype reached with weights packed before and packed in each call.
Target target_of_packed() { return {0.85, 0.6}; }
Target target_of_plain() { return {0.85, 0.5}; }

Case product_case(const char* set, const char* what, const Product& p, Target target) {
    Dims shape = p.batch;
    shape.insert(shape.end(), {p.m, p.k, p.n});
    const std::string name =
        fmt::format("{} {}:{}:{} {}:{}:{}{} {}", what, p.types.src.first, p.types.weights.first, p.types.dst.first,
                    p.src, p.weights, p.dst, p.group > 0 ? fmt::format(" g{}", p.group) : "", fmt::join(shape, "x"));
    const double batch = double(volume(p.batch));
    return {set,
            name,
            kind_of(p.types),
            2 * batch * double(p.m) * double(p.k) * double(p.n),
            target,
            [p] { return make(p); },
            plain_of(p)};
}

} // namespace tessera::bench::dot
