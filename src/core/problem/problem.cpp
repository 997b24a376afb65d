// SPDX-License-Identifier: Apache-2.0
// Accessors of Problem: its tensors, its text, and the execution arguments of its scales and zero points.
//
//   reorder f32 {2,6} -> s8 with scales on src, mask 2:   quant_args -> {4097, f32, 6 elements, dims 1x6}
#include "core/problem/problem.hpp"

#include <bit>

#include "core/desc/checked.hpp"

namespace tessera {

std::string_view name(PrimitiveKind kind) {
    switch (kind) {
#define PRIMITIVE(name, number)                                                                                        \
    case PrimitiveKind::name:                                                                                          \
        return #name;
#include "core/problem/primitives.def"
#undef PRIMITIVE
    case PrimitiveKind::undef:
        break;
    }
    return "undef";
}

std::string_view name(PropKind kind) {
    switch (kind) {
    case PropKind::forward_training:
        return "forward_training";
    case PropKind::forward_inference:
        return "forward_inference";
    case PropKind::backward:
        return "backward";
    case PropKind::backward_data:
        return "backward_data";
    case PropKind::backward_weights:
        return "backward_weights";
    case PropKind::undef:
        break;
    }
    return "undef";
}

std::string named(PropKind kind) {
    return kind == PropKind::undef || name(kind) != "undef" ? std::string(name(kind)) : std::to_string(int(kind));
}

// Covers every number of dnnl_types.h (ARG-01..04): refusals may name arguments of primitives that are not built, too.
std::string arg_name(int id) {
    struct Name {
        int id;
        const char* text;
    };
    static constexpr Name names[] = {
        {0, "undef"},
        {1, "src"},
        {2, "src_1"},
        {3, "src_2"},
        {4, "src_3"},
        {17, "dst"},
        {18, "dst_1"},
        {19, "dst_2"},
        {33, "weights"},
        {34, "weights_1"},
        {35, "weights_2"},
        {36, "weights_3"},
        {41, "bias"},
        {42, "reduce"},
        {49, "mean"},
        {50, "variance"},
        {51, "scale"},
        {52, "shift"},
        {64, "workspace"},
        {80, "scratchpad"},
        {129, "diff_src"},
        {130, "diff_src_1"},
        {131, "diff_src_2"},
        {132, "diff_src_3"},
        {145, "diff_dst"},
        {146, "diff_dst_1"},
        {147, "diff_dst_2"},
        {161, "diff_weights"},
        {162, "diff_weights_1"},
        {163, "diff_weights_2"},
        {164, "diff_weights_3"},
        {169, "diff_bias"},
        {255, "diff_scale"},
        {256, "diff_shift"},
        {arg::dropout_offset, "dropout offset"},
        {arg::rounding_seed, "rounding seed"},
        {arg::dropout_mask, "dropout mask"},
        {arg::dropout_probability, "dropout probability"},
        {arg::dropout_seed, "dropout seed"},
        {arg::output_scales, "output scales"},
    };
    for (const Name& n : names)
        if (n.id == id) return n.text;
    if (id < 0) return fmt::format("argument {}", id);
    if (id >= 32768) return fmt::format("{} of post-op {}", arg_name(id % 32768), id / 32768 - 1);
    if (id >= arg::post_op_dw) return arg_name(id - arg::post_op_dw) + " of the depthwise post-op";
    if (id & arg::zero_points) return "zero points of " + arg_name(id & ~arg::zero_points);
    if (id & arg::scales) return "scales of " + arg_name(id & ~arg::scales);
    if (id >= 2048) return fmt::format("dst {}", id - 2048);
    if (id >= 1024) return fmt::format("src {}", id - 1024);
    if (id > 512) return "precomputed reductions of " + arg_name(id - 512);
    return fmt::format("argument {}", id);
}

const Tensor* Problem::find(int id) const {
    for (const Tensor& t : tensors)
        if (t.arg == id) return &t;
    return nullptr;
}

const Tensor* Problem::find_described(int id) const {
    if (const Tensor* t = find(id)) return t;
    for (const Tensor& t : described)
        if (t.arg == id) return &t;
    return nullptr;
}

const MemoryDesc& Problem::md(int id) const { return find(id)->md; }

bool Problem::has_runtime() const {
    for (const Tensor& t : tensors)
        if (t.md.has_runtime()) return true;
    return false;
}

namespace {

// Of normalizations: global statistics, scale, shift, fused relu, addition and relu, root of mean squares.
std::string flags_text(unsigned flags) {
    std::string text;
    for (size_t bit = 0; bit < 6; ++bit)
        if (flags >> bit & 1) text += "GCHRAM"[bit];
    return text;
}

} // namespace

std::string Problem::auxiliary() const {
    std::string text;
    const auto put = [&](const char* word, const auto& value) {
        text += fmt::format("{}{}:{}", text.empty() ? "" : " ", word, value);
    };
    if (const auto cell = params.find(query::cell_kind); cell != params.end()) {
        constexpr std::string_view directions[] = {"undef", "unidirectional_left2right", "unidirectional_right2left",
                                                   "bidirectional_concat", "bidirectional_sum"};
        put("alg", alg_name(int(cell->second)));
        put("direction", directions[size_t(params.at(query::direction))]);
        put("activation", alg_name(int(params.at(query::activation_kind))));
        put("flags", params.at(query::flags) ? "O" : "");
        if (const float alpha = float_params.at(query::alpha); alpha != 0) put("alpha", alpha);
        return text;
    }
    for (const auto& [number, value] : params) {
        if (number == query::alg_kind) put("alg", alg_name(int(value)));
        if (number == query::axis) put("axis", value);
        if (number == query::flags && value != 0) put("flags", flags_text(unsigned(value)));
        if (number == query::group_size) put("group", value);
    }
    for (const auto& [number, value] : float_params) {
        if (number == query::alpha) put("alpha", value);
        if (number == query::beta) put("beta", value);
        if (number == query::k) put("k", value);
    }
    for (const auto& [number, word] : {std::pair{query::p, "p"}, {query::epsilon, "eps"}})
        if (const auto at = float_params.find(number); at != float_params.end()) put(word, at->second);
    if (has_runtime()) { // 0 where only strides are open
        unsigned mask = 0;
        const auto dims = tensors.front().md.dims_span();
        for (size_t d = 0; d < dims.size(); ++d) mask |= unsigned(dims[d] == runtime_dim) << d;
        if (const Tensor* weights = find(arg::weights)) { // of src, of weights
            unsigned of_weights = 0;
            const auto extents = weights->md.dims_span();
            for (size_t d = 0; d < extents.size(); ++d) of_weights |= unsigned(extents[d] == runtime_dim) << d;
            put("runtime_dims_masks", fmt::format("{}:{}", mask, of_weights));
        } else {
            put("runtime-dim-mask", mask);
        }
    }
    return text;
}

std::string Problem::shape() const { return tensors.empty() ? "" : to_string(tensors.front().md.dims_span()); }

std::string Problem::shapes() const {
    std::string text;
    for (const Tensor& t : tensors)
        if (!t.output && !t.attribute && t.arg != arg::bias && t.arg != arg::diff_dst)
            text += (text.empty() ? "" : ":") + to_string(t.md.dims_span());
    return text;
}

namespace {

// A descriptor in full; to_token() is for people and leaves out offsets and the numbers behind flags.
std::string full_text(const MemoryDesc& md) {
    const auto span = [&](const Dims& d) { return to_string({d.data(), size_t(md.ndims)}); };
    std::string text = fmt::format("{}:k{}:{}:{}:{}+{}", name(md.type), int(md.kind), span(md.dims),
                                   span(md.padded_dims), span(md.padded_offsets), md.offset0);
    if (md.is_blocked()) {
        text += ":" + span(md.strides);
        for (int i = 0; i < md.inner_nblks; ++i)
            text += fmt::format("/{}@{}", md.inner_blks[size_t(i)], md.inner_idxs[size_t(i)]);
        if (md.extra.flags != Extra::none)
            text += fmt::format(":f{}:{}:{}:{}", md.extra.flags, md.extra.compensation_mask,
                                md.extra.asymmetric_compensation_mask,
                                std::bit_cast<uint32_t>(md.extra.scale_adjust_factor));
    }
    if (md.kind == FormatKind::sparse)
        text += fmt::format(":s{}:{}:{}:{}", int(md.encoding), md.nnz, int(md.indices_type), int(md.pointers_type));
    return text;
}

uint32_t bits_of(float f) { return std::bit_cast<uint32_t>(f); }

// The part of an Attr that to_string() rounds or leaves out: floats by their bits, and the values of vectors.
std::string exact_text(const Attr& attr) {
    std::string text;
    for (const float v : attr.output_scales.values) text += fmt::format(" o{:08x}", bits_of(v));
    for (const PostOp& p : attr.post_ops.entries) {
        text += fmt::format(" p{}:{:08x}:{:08x}:{:08x}:{}", int(p.kind), bits_of(p.scale), bits_of(p.alpha),
                            bits_of(p.beta), p.zero_point);
        if (p.kind == PostOpKind::binary) text += ":" + full_text(p.src1) + ":" + full_text(p.src2);
    }
    if (attr.rnn) {
        text += fmt::format(" r{:08x}:{:08x}", bits_of(attr.rnn->scale), bits_of(attr.rnn->shift));
        for (const float v : attr.rnn->weights_scales) text += fmt::format(":{:08x}", bits_of(v));
        for (const float v : attr.rnn->projection_scales) text += fmt::format("/{:08x}", bits_of(v));
    }
    if (attr.dropout)
        text += fmt::format(" d{}:{}:{}:{}", full_text(attr.dropout->mask), int(attr.dropout->seed_type),
                            attr.dropout->use_offset, attr.dropout->use_host_scalars);
    return text;
}

} // namespace

std::string Problem::text() const {
    std::string text = fmt::format("{} {}", name(kind), name(prop));
    for (const Tensor& t : tensors) text += fmt::format(" {}:{}{}", t.arg, t.was_any ? "any:" : "", full_text(t.md));
    for (const Tensor& t : described) text += fmt::format(" ({}:{})", t.arg, full_text(t.md));
    for (const auto& [number, value] : params) text += fmt::format(" q{}={}", number, value);
    for (const auto& [number, value] : float_params) text += fmt::format(" q{}={:08x}", number, bits_of(value));
    for (const auto& [number, list] : list_params) text += fmt::format(" q{}={}", number, to_string(list));
    return text + " " + to_string(attr) + exact_text(attr);
}

std::vector<int64_t> quant_dims(const Quant& q, const MemoryDesc& md) {
    std::vector<int64_t> dims(size_t(md.ndims), 1);
    const int first_grouped = md.ndims - int(q.groups.size());
    for (int d = 0; d < md.ndims; ++d) {
        if (!(q.mask >> d & 1)) continue;
        const int64_t extent = md.dims[size_t(d)];
        const int64_t group = d >= first_grouped ? q.groups[size_t(d - first_grouped)] : 1;
        dims[size_t(d)] = extent == runtime_dim ? runtime_dim : extent / group;
    }
    return dims;
}

std::vector<QuantArg> quant_args(const Problem& problem) {
    std::vector<QuantArg> args;
    const auto add = [&](int id, const Quant& q, const MemoryDesc& md) {
        QuantArg a{id, q, 1, quant_dims(q, md)};
        for (const int64_t extent : a.dims) {
            if (extent == runtime_dim) {
                a.count = runtime_dim;
                break;
            }
            // Only beside a dim of 0 do they not fit in 64 bits, and then none is read.
            if (!checked_mul(a.count, extent)) a.count = 0;
        }
        args.push_back(std::move(a));
    };
    const auto add_one = [&](int id, DataType type, bool on_host) {
        args.push_back({id, Quant{0, {}, type, on_host}, 1, {1}});
    };
    const Dropout* dropout = problem.attr.dropout ? &*problem.attr.dropout : nullptr;
    if (dropout && dropout->use_offset) add_one(arg::dropout_offset, DataType::s64, dropout->use_host_scalars);
    if (!problem.attr.rounding.empty()) add_one(arg::rounding_seed, DataType::s32, false);
    if (dropout) {
        add_one(arg::dropout_probability, DataType::f32, dropout->use_host_scalars);
        add_one(arg::dropout_seed, dropout->seed_type, dropout->use_host_scalars);
    }
    if (problem.attr.output_scales.at_execution() && problem.find(arg::dst)) {
        Quant q;
        q.mask = problem.attr.output_scales.mask;
        add(arg::output_scales, q, problem.md(arg::dst));
    }
    for (const auto& [id, q] : problem.attr.scales) {
        const bool of_fused_dst = id == (arg::post_op_dw | arg::dst); // which has the number of dst itself
        if (const Tensor* t = problem.find(of_fused_dst ? arg::dst : id)) add(arg::scales | id, q, t->md);
    }
    for (const auto& [id, q] : problem.attr.zero_points)
        if (const Tensor* t = problem.find(id)) add(arg::zero_points | id, q, t->md);
    for (const auto& [id, q] : problem.attr.precomputed_reductions)
        if (const Tensor* t = problem.find(id)) add(arg::precomputed_reductions | id, q, t->md);
    return args;
}

} // namespace tessera
