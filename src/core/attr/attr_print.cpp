// SPDX-License-Identifier: Apache-2.0
// How an Attr is spelled in verbose lines and test inputs (VRB-05): items separated by blanks, "+" between arguments.
//
//   attr-scratchpad:user attr-scales:src0:0:f32+dst:2:f32 attr-zero-points:src0:0:s32 attr-post-ops:sum:2+eltwise_relu
//
// Trailing parameters that have their default value are left out.
#include <bit>

#include "core/attr/attr.hpp"
#include "core/desc/tags.hpp"
#include "core/problem/problem.hpp"

namespace tessera {

std::string alg_name(int alg) {
    switch (alg) {
#define ALG(word, number)                                                                                              \
    case number:                                                                                                       \
        return #word;
#include "core/attr/alg_kinds.def"
#undef ALG
    default:
        return fmt::format("{}", alg);
    }
}

namespace {

// Names of arguments inside attributes: src0, src1, wei, dst, msrc3, attr_post_op_dw_wei.
std::string quant_name(int id) {
    if (id >= arg::src && id <= arg::src + 3) return fmt::format("src{}", id - arg::src);
    if (id == arg::weights) return "wei";
    if (id == arg::dst) return "dst";
    if (id & arg::post_op_dw) return "attr_post_op_dw_" + quant_name(id & ~arg::post_op_dw);
    if (id >= arg::multiple_src) return fmt::format("msrc{}", id - arg::multiple_src);
    return arg_name(id);
}

std::string quant_text(const Quant& q) {
    std::string text = fmt::format("{}:{}", q.mask, name(q.type));
    if (!q.groups.empty()) text += ":" + to_string(q.groups);
    if (q.on_host) text += ":host_scalar";
    if (q.mode == QuantizationMode::dynamic_mx) text += ":dynamic_mx";
    if (q.mode == QuantizationMode::dynamic_fp) text += ":dynamic_fp";
    return text;
}

void put_quants(std::string& out, std::string_view title, const std::map<int, Quant>& quants) {
    if (quants.empty()) return;
    out += fmt::format("{}{}:", out.empty() ? "" : " ", title);
    bool first = true;
    for (const auto& [id, q] : quants) {
        out += fmt::format("{}{}:{}", first ? "" : "+", quant_name(id), quant_text(q));
        first = false;
    }
}

// "name:a:b:c" without the trailing parts that equal their default.
std::string trimmed(std::string name, std::initializer_list<std::pair<std::string, bool>> parts) {
    std::string pending;
    for (const auto& [text, is_default] : parts) {
        pending += ":" + text;
        if (is_default) continue;
        name += pending;
        pending.clear();
    }
    return name;
}

// The mask of the dimensions whose extent is not 1, with the layout if there are several: "2", "15:acdb", "3:ab:100x1".
std::string broadcast_text(const MemoryDesc& md) {
    unsigned mask = 0;
    for (size_t d = 0; d < size_t(md.ndims); ++d) mask |= unsigned(md.dims[d] != 1) << d;
    if (std::popcount(mask) < 2) return fmt::format("{}", mask);
    if (md.kind == FormatKind::any) return fmt::format("{}:any", mask);
    if (const std::string tag = tag_of(md); !tag.empty()) return fmt::format("{}:{}", mask, tag);
    const std::span<const int64_t> strides(md.strides.data(), size_t(md.ndims));
    return fmt::format("{}:{}:{}", mask, to_string(closest_tag(md)), to_string(strides));
}

std::string post_op_text(const PostOp& p) {
    switch (p.kind) {
    case PostOpKind::sum:
        return trimmed("sum", {{fmt::format("{}", p.scale), p.scale == 1.f},
                               {fmt::format("{}", p.zero_point), p.zero_point == 0},
                               {std::string(name(p.type)), p.type == DataType::undef}});
    case PostOpKind::eltwise:
        return trimmed(alg_name(p.alg), {{fmt::format("{}", p.alpha), p.alpha == 0.f},
                                         {fmt::format("{}", p.beta), p.beta == 0.f},
                                         {fmt::format("{}", p.scale), p.scale == 1.f}});
    case PostOpKind::binary:
        return fmt::format("{}:{}:{}", alg_name(p.alg), name(p.src1.type), broadcast_text(p.src1));
    case PostOpKind::prelu:
        return fmt::format("prelu:{}", p.mask);
    case PostOpKind::convolution:
        return fmt::format("dw:k{}s{}p{}:{}:{}:{}", p.kernel, p.stride, p.padding, name(p.dst_type), name(p.bias_type),
                           name(p.weights_type));
    case PostOpKind::undef:
        break;
    }
    return "undef";
}

constexpr std::string_view fpmath_names[] = {"strict", "bf16", "f16", "any", "tf32"};
constexpr std::string_view accumulation_names[] = {"strict", "relaxed", "any", "s32", "f32", "f16"};

} // namespace

std::string to_string(const Attr& attr) {
    std::string out;
    const auto put = [&](const std::string& item) { out += out.empty() ? item : " " + item; };

    if (attr.scratchpad == ScratchpadMode::user) put("attr-scratchpad:user");
    if (attr.fpmath != FpmathMode::strict || attr.fpmath_apply_to_int)
        put(fmt::format("attr-fpmath:{}{}", fpmath_names[size_t(attr.fpmath)],
                        attr.fpmath_apply_to_int ? ":true" : ""));
    if (attr.accumulation != AccumulationMode::strict)
        put(fmt::format("attr-acc-mode:{}", accumulation_names[size_t(attr.accumulation)]));
    if (!attr.rounding.empty()) {
        std::string text;
        for (const auto& [id, mode] : attr.rounding) // only the stochastic mode is kept
            text += fmt::format("{}{}:stochastic", text.empty() ? "attr-rounding-mode:" : "+", quant_name(id));
        put(text);
    }
    if (attr.deterministic) put("attr-deterministic:1");
    if (!attr.output_scales.values.empty()) {
        const OutputScales& s = attr.output_scales;
        if (s.at_execution())
            put(fmt::format("attr-oscale:{}:*", s.mask));
        else
            put(fmt::format("attr-oscale:{}:{}", s.mask, s.values.size() == 1 ? fmt::format("{}", s.values[0]) : ""));
    }
    put_quants(out, "attr-scales", attr.scales);
    put_quants(out, "attr-zero-points", attr.zero_points);
    put_quants(out, "attr-precomputed-reductions", attr.precomputed_reductions);
    if (!attr.post_ops.entries.empty()) {
        std::string text;
        for (const PostOp& p : attr.post_ops.entries) text += (text.empty() ? "attr-post-ops:" : "+") + post_op_text(p);
        put(text);
    }
    if (attr.rnn)
        put(fmt::format("attr-rnn-qparams:{}:{}:{}:{}", attr.rnn->scale, attr.rnn->shift, attr.rnn->weights_mask,
                        attr.rnn->projection_mask));
    if (attr.dropout) put(fmt::format("attr-dropout:{}", name(attr.dropout->mask.type)));
    return out;
}

} // namespace tessera
