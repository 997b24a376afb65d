// SPDX-License-Identifier: Apache-2.0
// Makes the objects of a problem line; primitives through the C API where the C++ API would require a hint.
#include "line/line_objects.hpp"

#include <cstring>

#include "api/objects/handles.hpp"
#include "oneapi/dnnl/dnnl_tessera.h"
#include "primitives/row.hpp"

namespace tessera {
namespace {

using dnnl::memory;

Result<MemoryDesc> make_plain(const LineTensor& tensor, std::span<const int64_t> dims) {
    if (!tensor.strides.empty()) return make_desc_with_strides(dims, tensor.type, tensor.strides);
    if (tensor.tag == "any") return make_desc_any(dims, tensor.type);
    if (tensor.tag == "undef") return make_desc_undef(dims, tensor.type);
    return make_desc_with_tag(dims, tensor.type, tensor.tag);
}

Result<MadeTensor> make_tensor(const LineTensor& tensor, std::span<const int64_t> dims) {
    if (tensor.parent_dims.empty())
        return make_plain(tensor, dims).map([](const MemoryDesc& md) { return MadeTensor{md, md}; });
    const auto parent = make_plain(tensor, tensor.parent_dims);
    if (!parent) return Refusal(parent.error());
    return submemory(*parent, dims, tensor.view_offsets).map([&](const MemoryDesc& md) {
        return MadeTensor{md, *parent};
    });
}

enum class Role { src, weights, bias, dst };

// For matmul the mask names the dims of dst, then k; broadcast extents of 1 stay known.
std::vector<int64_t> runtime_dims(const ProblemLine& line, std::vector<int64_t> dims, Role role) {
    const bool matrices = primitives::row(line.kind).matrices;
    for (size_t d = 0; d < dims.size(); ++d) {
        size_t bit = d;
        if (matrices &&
            ((role == Role::src && d + 1 == dims.size()) || (role == Role::weights && d + 2 == dims.size())))
            bit = dims.size();
        const bool broadcast = matrices && dims[d] == 1 && (role == Role::bias || d + 2 < dims.size());
        if (line.runtime_mask >> bit & 1 && !broadcast) dims[d] = runtime_dim;
    }
    return dims;
}

int64_t masked_count(int mask, std::span<const int64_t> dims) {
    int64_t count = 1;
    for (size_t d = 0; d < dims.size(); ++d)
        if (mask >> d & 1) count *= dims[d];
    return count;
}

// The shape that the destination has by default.
std::vector<int64_t> dims_of_dst(const ProblemLine& line) { return primitives::row(line.kind).dst_dims(line); }

Result<MadeTensor> make_dst(const ProblemLine& line, std::span<const int64_t> dims) {
    if (line.dst.tag == "omit") return MadeTensor();
    auto made = make_tensor(line.dst, dims);
    if (!made || line.extra.flags == Extra::none) return made;
    const auto md = with_extra(made->md, line.extra);
    if (!md) return Refusal(md.error());
    return MadeTensor{*md, *md};
}

// A depthwise post-op with weights and a bias like the line's. `dims` are those of what it makes then.
void append_depthwise(dnnl::post_ops& post_ops, const LinePostOp& p, const ProblemLine& line,
                      std::vector<int64_t>& dims) {
    const auto& sources = line.sources; // weights, bias
    const auto type = [&](const std::optional<DataType>& given, size_t source) {
        const DataType of_line = source < sources.size() ? sources[source].tensor.type : DataType::undef;
        return memory::data_type(int(given.value_or(of_line)));
    };
    post_ops.append_dw(type(p.weights_type, 0), type(p.bias_type, 1), memory::data_type(int(p.type)), p.kernel,
                       p.stride, p.padding);
    for (size_t d = 2; d < dims.size(); ++d) dims[d] = (dims[d] - 1) / p.stride + 1;
}

void append(dnnl::post_ops& post_ops, const LinePostOp& p, const std::vector<int64_t>& dst_dims) {
    const auto alg = dnnl::algorithm(p.alg);
    if (p.kind == PostOpKind::sum) return post_ops.append_sum(p.scale, p.zero_point, memory::data_type(int(p.type)));
    if (p.kind == PostOpKind::prelu) return post_ops.append_prelu(p.mask);
    if (p.kind == PostOpKind::eltwise) return post_ops.append_eltwise(alg, p.alpha, p.beta);
    std::vector<int64_t> dims = dst_dims;
    for (size_t d = 0; d < dims.size(); ++d)
        if (!(p.mask >> d & 1)) dims[d] = 1;
    LineTensor tensor;
    tensor.tag = p.tag;
    const auto made = [&](DataType type) {
        tensor.type = type;
        const auto md = make_plain(tensor, dims);
        if (!md) throw dnnl::error(dnnl_status_t(int(md.error().status)), md.error().reason.c_str());
        return wrap(*md);
    };
    if (alg == dnnl::algorithm::binary_select) return post_ops.append_binary(alg, made(p.type), made(DataType::s8));
    post_ops.append_binary(alg, made(p.type));
}

std::vector<MemoryDesc> descriptors(const std::vector<MadeTensor>& tensors) {
    std::vector<MemoryDesc> all;
    for (const MadeTensor& tensor : tensors) all.push_back(tensor.md);
    return all;
}

} // namespace

memory::desc wrap(const MemoryDesc& md) { return memory::desc(new dnnl_memory_desc{md}); }

int64_t output_scale_count(const ProblemLine& line) {
    return line.output_scales ? masked_count(line.output_scales->mask, dims_of_dst(line)) : 0;
}

Result<LineTensors> make_tensors(const ProblemLine& line, RuntimeDims runtime) {
    LineTensors made;
    if (const auto describe = primitives::row(line.kind).describe) {
        const auto mds = describe(line);
        if (!mds) return Refusal(mds.error());
        for (const MemoryDesc& md : *mds) made.srcs.push_back({md, md});
        return made;
    }
    const auto extents = [&](const std::vector<int64_t>& dims, Role role) {
        return runtime == RuntimeDims::open ? runtime_dims(line, dims, role) : dims;
    };
    const auto add = [&](const LineTensor& tensor, const std::vector<int64_t>& dims, Role role) -> Result<void> {
        const auto one = make_tensor(tensor, extents(dims, role));
        if (!one) return Refusal(one.error());
        made.srcs.push_back(*one);
        return {};
    };
    if (auto ok = add(line.src, line.dims, Role::src); !ok) return Refusal(ok.error());
    for (size_t i = 0; i < line.sources.size(); ++i) {
        const LineSource& source = line.sources[i];
        if (auto ok = add(source.tensor, source.dims, i == 0 ? Role::weights : Role::bias); !ok)
            return Refusal(ok.error());
    }
    const auto dst = make_dst(line, extents(dims_of_dst(line), Role::dst));
    if (!dst) return Refusal(dst.error());
    made.dst = *dst;
    return made;
}

Result<dnnl::primitive_attr> make_attr(const ProblemLine& line, const std::vector<float>& output_scales) {
    dnnl::primitive_attr attr;
    const auto made = outcome([&] {
        for (const LineQuant& q : line.scales) {
            const auto type = memory::data_type(int(q.quant.type));
            if (q.quant.on_host)
                attr.set_host_scale(q.arg, type);
            else if (q.quant.groups.empty() && q.quant.type == DataType::f32)
                attr.set_scales_mask(q.arg, q.quant.mask);
            else
                attr.set_scales(q.arg, q.quant.mask, q.quant.groups, type, false,
                                dnnl::quantization_mode(int(q.quant.mode)));
        }
        for (const LineQuant& q : line.zero_points) {
            const auto type = memory::data_type(int(q.quant.type));
            if (q.quant.on_host)
                attr.set_host_zero_point(q.arg, type);
            else if (q.quant.groups.empty() && q.quant.type == DataType::s32)
                attr.set_zero_points_mask(q.arg, q.quant.mask);
            else
                attr.set_zero_points(q.arg, q.quant.mask, q.quant.groups, type);
        }
        for (const LineQuant& q : line.reductions)
            attr.set_precomputed_reductions(q.arg, q.quant.mask, q.quant.groups, memory::data_type(int(q.quant.type)));
        dnnl::post_ops post_ops;
        std::vector<int64_t> dims = dims_of_dst(line);
        for (const LinePostOp& p : line.post_ops)
            if (p.kind == PostOpKind::convolution)
                append_depthwise(post_ops, p, line, dims);
            else
                append(post_ops, p, dims);
        if (!line.post_ops.empty()) attr.set_post_ops(post_ops);
        if (line.dropout) {
            const LineDropout& d = *line.dropout;
            memory::desc mask;
            if (d.mask) mask = memory::desc(dims_of_dst(line), memory::data_type::u8, memory::format_tag::any);
            const auto seed = d.wide_seed ? memory::data_type::s64 : memory::data_type::s32;
            attr.set_dropout(mask, seed, d.offset.has_value(), d.on_host);
        }
        if (line.rounding)
            for (const int id : line.rounding->arguments) attr.set_rounding_mode(id, dnnl::rounding_mode::stochastic);
        if (const auto add_own = primitives::row(line.kind).add_attr) add_own(attr, line);
        if (line.user_scratchpad) attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
        if (line.fpmath != FpmathMode::strict || line.fpmath_of_integers)
            attr.set_fpmath_mode(dnnl::fpmath_mode(int(line.fpmath)), line.fpmath_of_integers);
        if (line.deterministic) attr.set_deterministic(true);
        if (line.accumulation != AccumulationMode::strict)
            attr.set_accumulation_mode(dnnl::accumulation_mode(int(line.accumulation)));
    });
    if (!made) return Refusal(made.error());
    if (line.output_scales) {                     // no call of the public interface sets these
        const uint32_t unknown_bits = 0x7fc000d0; // DNNL_RUNTIME_F32_VAL
        float unknown;
        std::memcpy(&unknown, &unknown_bits, sizeof unknown);
        const std::vector<float> values =
            line.output_scales->at_execution ? std::vector<float>{unknown} : output_scales;
        if (auto ok = attr.get()->value.set_output_scales(line.output_scales->mask, values); !ok)
            return Refusal(ok.error());
    }
    return attr;
}

dnnl::primitive_desc_base make_primitive_desc(const ProblemLine& line, const LineTensors& tensors,
                                              const dnnl::engine& engine, const dnnl::primitive_attr& attr) {
    const std::vector<MemoryDesc> srcs = descriptors(tensors.srcs);
    dnnl_primitive_desc_t made = nullptr;
    const dnnl_status_t status =
        primitives::row(line.kind).create(&made, {line, srcs, tensors.dst.md}, engine.get(), attr.get());
    if (status != dnnl_success) throw dnnl::error(status, dnnl_tessera_last_error());
    dnnl::primitive_desc_base pd;
    pd.reset(made);
    return pd;
}

Result<Problem> make_problem(const ProblemLine& line, const LineTensors& tensors, const dnnl::primitive_attr& attr) {
    const std::vector<MemoryDesc> srcs = descriptors(tensors.srcs);
    return primitives::row(line.kind).make({line, srcs, tensors.dst.md}, attr.get()->value);
}

} // namespace tessera
