// SPDX-License-Identifier: Apache-2.0
#include "attributes.hpp"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>

#include "post_ops.hpp"

namespace differential {
namespace {

// Older libraries of the same ABI lack the setters with groups and types: find them at run time.
using Setter = dnnl_status_t (*)(dnnl_primitive_attr_t, int, int, int, const dnnl_dims_t, dnnl_data_type_t);

dnnl_status_t set(const Quantization& q, dnnl_primitive_attr_t attr, const char* full_setter, const char* default_type,
                  dnnl_status_t (*mask_setter)(dnnl_primitive_attr_t, int, int), std::string& skip) {
    if (q.type.empty() && q.groups.empty()) return mask_setter(attr, argument_of(q), q.mask);
    const auto setter = reinterpret_cast<Setter>(dlsym(RTLD_DEFAULT, full_setter));
    const Type* t = type(q.type.empty() ? default_type : q.type);
    if (!setter || !t) {
        skip = full_setter;
        return dnnl_success;
    }
    dnnl_dims_t groups{};
    std::copy(q.groups.begin(), q.groups.end(), groups);
    return setter(attr, argument_of(q), q.mask, int(q.groups.size()), groups, dnnl_data_type_t(t->id));
}

// One factor for each combination of the masked dims; a group of g along a dim divides its number by g.
int64_t count(const Quantization& q, const Dims& dims) {
    int64_t product = 1;
    const int ndims = int(dims.size());
    for (int d = 0; d < ndims; ++d) {
        if (!(q.mask >> d & 1)) continue;
        const int g = d - (ndims - int(q.groups.size()));
        product *= dims[size_t(d)] / (g >= 0 && q.groups[size_t(g)] > 0 ? q.groups[size_t(g)] : 1);
    }
    return product;
}

const Dims& dims_of(const Problem& p, const Quantization& q) {
    if (!multiplies(p)) return p.src.dims;
    return q.argument == "wei" ? p.other.dims : q.argument == "dst" ? p.dst.dims : p.src.dims;
}

using Filler = void (*)(Buffer&, const Type&, int64_t, uint64_t, uint64_t);

Factors factors_of(const Problem& p, const std::vector<Quantization>& all, const std::string& argument,
                   const char* default_type, Filler fill, double otherwise) {
    for (const Quantization& q : all) {
        if (q.argument != argument) continue;
        const Type& t = *type(q.type.empty() ? default_type : q.type);
        const int64_t n = count(q, dims_of(p, q));
        Buffer buffer(size_t(n * t.bits + 7) / 8);
        fill(buffer, t, n, p.seed, uint64_t(argument_of(q)));
        Factors factors{{}, q.mask, q.groups};
        for (int64_t i = 0; i < n; ++i) factors.values.push_back(decode(t, load(buffer.data(), t, i)));
        return factors;
    }
    return {{otherwise}, 0, {}};
}

} // namespace

double Factors::at(int64_t linear, const Dims& dims) const {
    int64_t place = 0, step = 1;
    for (size_t d = dims.size(); d-- > 0; linear /= dims[d]) {
        if (!(mask >> d & 1)) continue;
        const size_t from_last = dims.size() - 1 - d;
        const int64_t group = !groups.empty() && from_last < 2 ? groups[1 - from_last] : 1;
        place += linear % dims[d] / group * step;
        step *= dims[d] / group;
    }
    return values[size_t(place)];
}

Factors scales_of(const Problem& p, const std::string& argument) {
    return factors_of(p, p.scales, argument, "f32", fill_scales, 1);
}
Factors zero_points_of(const Problem& p, const std::string& argument) {
    return factors_of(p, p.zero_points, argument, "s32", fill_zero_points, 0);
}

int argument_of(const Quantization& q) {
    if (q.argument == "wei") return DNNL_ARG_WEIGHTS;
    if (q.argument.rfind("msrc", 0) == 0) return DNNL_ARG_MULTIPLE_SRC + std::atoi(q.argument.c_str() + 4);
    return q.argument == "dst" ? DNNL_ARG_DST : q.argument == "src1" ? DNNL_ARG_SRC_1 : DNNL_ARG_SRC;
}

double scale_value(const Problem& p, const Quantization& q) {
    const Type& t = *type(q.type.empty() ? "f32" : q.type);
    Buffer buffer(8);
    fill_scales(buffer, t, 1, p.seed, uint64_t(argument_of(q)));
    return decode(t, load(buffer.data(), t, 0));
}

dnnl_status_t Arguments::add(int argument, const_dnnl_memory_desc_t md, dnnl_engine_t engine, void* handle) {
    memories.emplace_back();
    const dnnl_status_t status = dnnl_memory_create(&memories.back().value, md, engine, handle);
    list.push_back({argument, memories.back().value});
    return status;
}

dnnl_status_t set_attributes(const Problem& p, dnnl_primitive_attr_t attr, std::string& skip) {
    dnnl_status_t status = dnnl_success;
    const auto keep_first = [&](dnnl_status_t next) { status = status == dnnl_success ? next : status; };
    for (const auto& q : p.scales)
        keep_first(set(q, attr, "dnnl_primitive_attr_set_scales", "f32", dnnl_primitive_attr_set_scales_mask, skip));
    for (const auto& q : p.zero_points)
        keep_first(
            set(q, attr, "dnnl_primitive_attr_set_zero_points", "s32", dnnl_primitive_attr_set_zero_points_mask, skip));
    if (!p.post_ops.empty()) {
        PostOps list;
        keep_first(dnnl_post_ops_create(&list.value));
        for (size_t i = 0; i < p.post_ops.size(); ++i) keep_first(append_post_op(p, i, list.value, skip));
        keep_first(dnnl_primitive_attr_set_post_ops(attr, list.value));
    }
    if (p.converts_integers) {
        using ModeSetter = dnnl_status_t (*)(dnnl_primitive_attr_t, dnnl_fpmath_mode_t, int);
        const auto mode = reinterpret_cast<ModeSetter>(dlsym(RTLD_DEFAULT, "dnnl_primitive_attr_set_fpmath_mode_v2"));
        if (mode)
            keep_first(mode(attr, dnnl_fpmath_mode_strict, 1));
        else
            skip = "dnnl_primitive_attr_set_fpmath_mode_v2";
    }
    if (p.user_scratchpad) keep_first(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user));
    return status;
}

dnnl_status_t add_factors(const Problem& p, dnnl_engine_t engine, Arguments& arguments) {
    const auto add = [&](const Quantization& q, const char* default_type, int flag, auto fill) -> dnnl_status_t {
        const Type& t = *type(q.type.empty() ? default_type : q.type);
        const int64_t n = count(q, dims_of(p, q));
        dnnl_dims_t dims{n};
        Descriptor md;
        const auto dt = dnnl_data_type_t(t.id);
        if (const auto s = dnnl_memory_desc_create_with_tag(&md.value, 1, dims, dt, dnnl_a); s != dnnl_success)
            return s;
        Buffer& buffer = arguments.buffers.emplace_back(size_t(n * t.bits + 7) / 8);
        fill(buffer, t, n, p.seed, uint64_t(argument_of(q)));
        return arguments.add(flag | argument_of(q), md.value, engine, buffer.data());
    };
    for (const auto& q : p.scales)
        if (const auto s = add(q, "f32", DNNL_ARG_ATTR_SCALES, fill_scales); s != dnnl_success) return s;
    for (const auto& q : p.zero_points)
        if (const auto s = add(q, "s32", DNNL_ARG_ATTR_ZERO_POINTS, fill_zero_points); s != dnnl_success) return s;
    return dnnl_success;
}

} // namespace differential
