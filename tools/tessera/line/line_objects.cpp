// Makes the objects of a problem line; primitives through the C API where the C++ API would require a hint.
#include "line/line_objects.hpp"

#include <cstring>

#include "api/objects/handles.hpp"
#include "oneapi/dnnl/dnnl_tessera.h"
#include "ops/ops.hpp"

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
    const bool products = line.kind == PrimitiveKind::matmul;
    for (size_t d = 0; d < dims.size(); ++d) {
        size_t bit = d;
        if (products &&
            ((role == Role::src && d + 1 == dims.size()) || (role == Role::weights && d + 2 == dims.size())))
            bit = dims.size();
        const bool broadcast = products && dims[d] == 1 && (role == Role::bias || d + 2 < dims.size());
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

// The default shape of the destination.
std::vector<int64_t> dims_of_dst(const ProblemLine& line, std::vector<int64_t> dims) {
    if (line.kind == PrimitiveKind::resampling) return line.dst_dims;
    if (line.kind == PrimitiveKind::inner_product)
        return {dims.empty() ? 0 : dims[0], line.sources[0].dims.empty() ? 0 : line.sources[0].dims[0]};
    if (line.kind == PrimitiveKind::matmul) {
        const std::vector<int64_t>& weights = line.sources[0].dims;
        if (weights.size() != dims.size() || dims.empty()) return dims; // the primitive refuses it
        for (size_t d = 0; d + 2 < dims.size(); ++d) dims[d] = dims[d] == 1 ? weights[d] : dims[d];
        dims.back() = weights.back();
        return dims;
    }
    for (const LineSource& source : line.sources) {
        if (source.dims.size() != dims.size()) continue; // the primitive refuses it
        if (line.kind == PrimitiveKind::binary)
            for (size_t d = 0; d < dims.size(); ++d) dims[d] = dims[d] == 1 ? source.dims[d] : dims[d];
        if (line.kind == PrimitiveKind::concat && line.axis >= 0 && size_t(line.axis) < dims.size())
            dims[size_t(line.axis)] += source.dims[size_t(line.axis)];
    }
    return dims;
}

Result<MadeTensor> make_dst(const ProblemLine& line, std::span<const int64_t> dims) {
    if (line.dst.tag == "omit") return MadeTensor();
    auto made = make_tensor(line.dst, dims);
    if (!made || line.extra.flags == Extra::none) return made;
    const auto md = with_extra(made->md, line.extra);
    if (!md) return Refusal(md.error());
    return MadeTensor{*md, *md};
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

bool selects(const ProblemLine& line) { return line.alg == int(dnnl_binary_select); }
// The condition of a select: s8, shape of src, layout open.
Result<MemoryDesc> make_condition(const ProblemLine& line) { return make_desc_any(line.dims, DataType::s8); }

dnnl::shuffle_forward::primitive_desc shuffle_hint(const dnnl::engine& engine, const memory::desc& data, int axis,
                                                   int group) {
    const auto any = memory::desc(data.get_dims(), data.get_data_type(), memory::format_tag::any);
    return {engine, dnnl::prop_kind::forward_training, data, any, axis, group};
}

dnnl::primitive_desc_base make_shuffle(const ProblemLine& line, const dnnl::engine& engine, const memory::desc& src,
                                       const memory::desc& dst, const dnnl::primitive_attr& attr) {
    if (!line.backward())
        return dnnl::shuffle_forward::primitive_desc(engine, dnnl::prop_kind(int(line.prop)), src, dst, line.axis,
                                                     int(line.group), attr);
    dnnl::shuffle_forward::primitive_desc hint;
    try {
        hint = shuffle_hint(engine, dst, line.axis, int(line.group));
    } catch (const dnnl::error&) { // the line's refusal has to come from the backward call: any forward hint does
        hint = shuffle_hint(engine, memory::desc({2, 4}, memory::data_type::f32, memory::format_tag::ab), 1, 2);
    }
    return dnnl::shuffle_backward::primitive_desc(engine, src, dst, line.axis, int(line.group), hint, attr);
}

dnnl_status_t create(dnnl_primitive_desc_t& pd, const ProblemLine& line, const LineTensors& t, dnnl_engine_t engine,
                     const_dnnl_primitive_attr_t attr) {
    std::vector<const_dnnl_memory_desc_t> srcs;
    for (const MadeTensor& src : t.srcs) srcs.push_back(as_handle(src.md));
    const_dnnl_memory_desc_t src = srcs[0], dst = line.dst.tag == "omit" ? nullptr : as_handle(t.dst.md);
    const auto prop = dnnl_prop_kind_t(int(line.prop));
    const auto alg = dnnl_alg_kind_t(line.alg);
    const int count = int(srcs.size());
    switch (line.kind) {
    case PrimitiveKind::eltwise:
        return line.backward() ? dnnl_eltwise_backward_primitive_desc_create(&pd, engine, alg, dst, dst, src,
                                                                             line.alpha, line.beta, nullptr, attr)
                               : dnnl_eltwise_forward_primitive_desc_create(&pd, engine, prop, alg, src, dst,
                                                                            line.alpha, line.beta, attr);
    case PrimitiveKind::binary: {
        if (!selects(line)) return dnnl_binary_primitive_desc_create(&pd, engine, alg, src, srcs[1], dst, attr);
        const auto condition = make_condition(line);
        if (!condition) return dnnl_status_t(int(condition.error().status));
        return dnnl_binary_primitive_desc_create_v2(&pd, engine, alg, src, srcs[1], as_handle(*condition), dst, attr);
    }
    case PrimitiveKind::prelu:
        return line.backward() ? dnnl_prelu_backward_primitive_desc_create(&pd, engine, src, srcs[1], src, srcs[1], dst,
                                                                           nullptr, attr)
                               : dnnl_prelu_forward_primitive_desc_create(&pd, engine, prop, src, srcs[1], dst, attr);
    case PrimitiveKind::inner_product: {
        const const_dnnl_memory_desc_t bias = count == 3 ? srcs[2] : nullptr;
        if (line.prop == PropKind::backward_data)
            return dnnl_inner_product_backward_data_primitive_desc_create(&pd, engine, src, srcs[1], dst, nullptr,
                                                                          attr);
        if (line.prop == PropKind::backward_weights)
            return dnnl_inner_product_backward_weights_primitive_desc_create(&pd, engine, src, srcs[1], bias, dst,
                                                                             nullptr, attr);
        return dnnl_inner_product_forward_primitive_desc_create(&pd, engine, prop, src, srcs[1], bias, dst, attr);
    }
    case PrimitiveKind::matmul:
        return dnnl_matmul_primitive_desc_create(&pd, engine, src, srcs[1], count == 3 ? srcs[2] : nullptr, dst, attr);
    case PrimitiveKind::sum:
        return dnnl_sum_primitive_desc_create(&pd, engine, dst, count, line.factors.data(), srcs.data(), attr);
    case PrimitiveKind::concat:
        return dnnl_concat_primitive_desc_create(&pd, engine, dst, count, line.axis, srcs.data(), attr);
    default:
        return line.backward()
                   ? dnnl_resampling_backward_primitive_desc_create(&pd, engine, alg, nullptr, src, dst, nullptr, attr)
                   : dnnl_resampling_forward_primitive_desc_create(&pd, engine, prop, alg, nullptr, src, dst, attr);
    }
}

} // namespace

memory::desc wrap(const MemoryDesc& md) { return memory::desc(new dnnl_memory_desc{md}); }

int64_t output_scale_count(const ProblemLine& line) {
    return line.output_scales ? masked_count(line.output_scales->mask, dims_of_dst(line, line.dims)) : 0;
}

Result<LineTensors> make_tensors(const ProblemLine& line, RuntimeDims runtime) {
    LineTensors made;
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
    const auto dst = make_dst(line, extents(dims_of_dst(line, line.dims), Role::dst));
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
        for (const LinePostOp& p : line.post_ops) append(post_ops, p, dims_of_dst(line, line.dims));
        if (!line.post_ops.empty()) attr.set_post_ops(post_ops);
        if (line.dropout) {
            const LineDropout& d = *line.dropout;
            memory::desc mask;
            if (d.mask)
                mask = memory::desc(dims_of_dst(line, line.dims), memory::data_type::u8, memory::format_tag::any);
            const auto seed = d.wide_seed ? memory::data_type::s64 : memory::data_type::s32;
            attr.set_dropout(mask, seed, d.offset.has_value(), d.on_host);
        }
        if (line.rounding)
            for (const int id : line.rounding->arguments) attr.set_rounding_mode(id, dnnl::rounding_mode::stochastic);
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
    if (line.kind == PrimitiveKind::reorder)
        return dnnl::reorder::primitive_desc(engine, wrap(tensors.srcs[0].md), engine, wrap(tensors.dst.md), attr);
    if (line.kind == PrimitiveKind::shuffle)
        return make_shuffle(line, engine, wrap(tensors.srcs[0].md), wrap(tensors.dst.md), attr);
    dnnl_primitive_desc_t made = nullptr;
    const dnnl_status_t status = create(made, line, tensors, engine.get(), attr.get());
    if (status != dnnl_success) throw dnnl::error(status, dnnl_tessera_last_error());
    dnnl::primitive_desc_base pd;
    pd.reset(made);
    return pd;
}

Result<Problem> make_problem(const ProblemLine& line, const LineTensors& t, const dnnl::primitive_attr& attr) {
    const Attr& value = attr.get()->value;
    std::vector<MemoryDesc> srcs;
    for (const MadeTensor& src : t.srcs) srcs.push_back(src.md);
    const MemoryDesc &src = srcs[0], &dst = t.dst.md;
    const MemoryDesc* optional_dst = line.dst.tag == "omit" ? nullptr : &dst;
    switch (line.kind) {
    case PrimitiveKind::reorder:
        return ops::make_reorder(src, dst, value);
    case PrimitiveKind::shuffle:
        return ops::make_shuffle(line.prop, src, dst, line.axis, line.group, value);
    case PrimitiveKind::eltwise:
        return line.backward() ? ops::make_eltwise_backward(line.alg, dst, dst, src, line.alpha, line.beta, value)
                               : ops::make_eltwise_forward(line.prop, line.alg, src, dst, line.alpha, line.beta, value);
    case PrimitiveKind::binary: {
        MemoryDesc condition;
        if (selects(line)) {
            const auto made = make_condition(line);
            if (!made) return Refusal(made.error());
            condition = *made;
        }
        return ops::make_binary(line.alg, src, srcs[1], condition, dst, value);
    }
    case PrimitiveKind::prelu:
        return line.backward() ? ops::make_prelu_backward(src, srcs[1], src, srcs[1], dst, value)
                               : ops::make_prelu_forward(line.prop, src, srcs[1], dst, value);
    case PrimitiveKind::inner_product: {
        const MemoryDesc bias = srcs.size() == 3 ? srcs[2] : MemoryDesc();
        if (line.prop == PropKind::backward_data)
            return ops::make_inner_product_backward_data(src, srcs[1], dst, value);
        if (line.prop == PropKind::backward_weights)
            return ops::make_inner_product_backward_weights(src, srcs[1], bias, dst, value);
        return ops::make_inner_product_forward(line.prop, src, srcs[1], bias, dst, value);
    }
    case PrimitiveKind::matmul:
        return ops::make_matmul(src, srcs[1], srcs.size() == 3 ? srcs[2] : MemoryDesc(), dst, value);
    case PrimitiveKind::sum:
        return ops::make_sum(optional_dst, line.factors, srcs, value);
    case PrimitiveKind::concat:
        return ops::make_concat(optional_dst, line.axis, srcs, value);
    default:
        return ops::make_resampling(line.prop, line.alg, {}, src, dst, value);
    }
}

} // namespace tessera
