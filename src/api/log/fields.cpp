#include "api/log/fields.hpp"

#include <fmt/format.h>

namespace tessera {

namespace {

// Sources are not numbered.
std::string word_of(int id) {
    if (id >= arg::multiple_src && id < arg::multiple_dst) return "src";
    switch (id) {
    case arg::src_1:
    case arg::src_2:
        return "src";
    case arg::weights:
        return "wei";
    case arg::bias:
        return "bia";
    case arg::diff_weights:
        return "diff_wei";
    case arg::diff_bias:
        return "diff_bia";
    default:
        return arg_name(id);
    }
}

} // namespace

// As in oneDNN's logs: a single token "data:..." where source and destination of a shuffle, an eltwise or a prelu
// agree, and gradients of matrix products and resampling under the name of their tensor. Tensors of attributes are
// printed with the attributes.
std::string tensors_of(const Problem& p) {
    std::string text;
    const auto put = [&](std::string_view word, const std::string& token) {
        text += fmt::format("{}{}:{}", text.empty() ? "" : " ", word, token);
    };
    const bool backward = p.prop == PropKind::backward_data;
    const auto agree = [&](size_t a, size_t b) { return p.tensors[a].md == p.tensors[b].md; };
    const auto alike = [&](int a, int b) { return p.find(a) && p.find(b) && p.md(a) == p.md(b); };
    if (p.kind == PrimitiveKind::shuffle && agree(0, 1)) {
        put("data", to_token(p.tensors[0].md));
    } else if (p.kind == PrimitiveKind::eltwise && !backward && agree(0, 1)) {
        put("data", to_token(p.tensors[0].md));
    } else if (p.kind == PrimitiveKind::eltwise && backward && agree(1, 2)) {
        put("data", to_token(p.tensors[0].md));
        put("diff", to_token(p.tensors[1].md));
    } else if (p.kind == PrimitiveKind::prelu && alike(arg::src, arg::dst)) {
        put("data", to_token(p.md(arg::src)));
        put("wei", to_token(p.md(arg::weights)));
    } else if (p.kind == PrimitiveKind::prelu && alike(arg::diff_src, arg::diff_dst)) {
        put("data", to_token(p.md(arg::src)));
        put("wei", to_token(p.md(arg::weights)));
        put("diff", to_token(p.md(arg::diff_dst)));
        put("diff_wei", to_token(p.md(arg::diff_weights)));
    } else if (p.kind == PrimitiveKind::resampling && backward) {
        put("src", to_token(p.md(arg::diff_src)));
        put("dst", to_token(p.md(arg::diff_dst)));
    } else {
        constexpr std::string_view gradient = "diff_";
        for (const Tensor& t : p.tensors) {
            if (t.attribute) continue;
            std::string word = word_of(t.arg);
            if (p.kind == PrimitiveKind::inner_product && word.starts_with(gradient)) word.erase(0, gradient.size());
            std::string token = to_token(t.md, t.was_any);
            if (t.arg == arg::bias && t.md.ndims > 1) { // which dims it has
                unsigned mask = 0;
                for (int d = 0; d < t.md.ndims; ++d) mask |= unsigned(t.md.dims[size_t(d)] != 1) << d;
                token += fmt::format("_mask{}", mask);
            }
            put(word, token);
        }
    }
    return text;
}

// The dims of all sources where there are several; "mb2ic16_ih5oh10_iw5ow10" of a resampling.
std::string shape_of(const Problem& p) {
    if (p.kind == PrimitiveKind::resampling) {
        const bool forward = p.find(arg::src) != nullptr;
        const MemoryDesc& src = p.md(forward ? arg::src : arg::diff_src);
        const MemoryDesc& dst = p.md(forward ? arg::dst : arg::diff_dst);
        std::string text = fmt::format("mb{}ic{}", src.dims[0], src.dims[1]);
        for (int d = 2; d < src.ndims; ++d) {
            const char axis = "dhw"[size_t(d + 3 - src.ndims)];
            text += fmt::format("_i{}{}o{}{}", axis, src.dims[size_t(d)], axis, dst.dims[size_t(d)]);
        }
        return text;
    }
    if (p.kind != PrimitiveKind::binary && p.kind != PrimitiveKind::prelu) return p.shape();
    std::string text;
    for (const int id : {arg::src, arg::src_1, arg::src_2, arg::weights})
        if (const Tensor* t = p.find(id)) text += (text.empty() ? "" : ":") + to_string(t->md.dims_span());
    return text;
}

} // namespace tessera
