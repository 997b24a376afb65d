// SPDX-License-Identifier: Apache-2.0
// Printing of problem lines: the shortest text that parses to the same problem.
#include "line/problem_line.hpp"

#include <fmt/ranges.h>

#include "line/problem_line_words.hpp"
#include "primitives/row.hpp"

namespace tessera {
namespace {

using Text = std::string_view;

// Entries joined by ':', one of them where all are equal.
std::string joined(const std::vector<std::string>& entries) {
    if (std::all_of(entries.begin(), entries.end(), [&](const std::string& e) { return e == entries[0]; }))
        return entries[0];
    return fmt::format("{}", fmt::join(entries, ":"));
}

template <typename F> std::vector<std::string> of_sources(const ProblemLine& line, F&& text) {
    std::vector<std::string> entries{text(line.src)};
    for (const LineSource& source : line.sources) entries.push_back(text(source.tensor));
    return entries;
}

std::string quants_text(const std::vector<LineQuant>& quants, DataType default_type) {
    std::string text;
    for (const LineQuant& q : quants) {
        text += fmt::format("{}{}:{}", text.empty() ? "" : "+", words::word_of_argument(q.arg),
                            q.quant.on_host ? "host" : fmt::format("{}", q.quant.mask));
        if (q.quant.type != default_type || !q.quant.groups.empty()) text += fmt::format(":{}", name(q.quant.type));
        if (!q.quant.groups.empty()) text += ":" + join_dims(q.quant.groups);
        if (q.quant.mode != QuantizationMode::static_sazp)
            text += fmt::format(":{}", words::word_of(words::quant_modes, int(q.quant.mode)));
    }
    return text;
}

std::string post_op_text(const LinePostOp& p) {
    switch (p.kind) {
    case PostOpKind::sum:
        return fmt::format("sum:{}", p.scale) +
               (p.zero_point != 0 || p.type != DataType::undef ? fmt::format(":{}", p.zero_point) : "") +
               (p.type != DataType::undef ? fmt::format(":{}", name(p.type)) : "");
    case PostOpKind::eltwise:
        return words::word_of_alg(p.alg) + (p.beta != 0    ? fmt::format(":{}:{}", p.alpha, p.beta)
                                            : p.alpha != 0 ? fmt::format(":{}", p.alpha)
                                                           : "");
    case PostOpKind::binary:
        return fmt::format("{}:{}:{}{}", words::word_of_alg(p.alg), name(p.type), p.mask,
                           p.tag == "any" ? "" : ":" + p.tag);
    case PostOpKind::convolution: {
        std::string text = fmt::format("dw:k{}s{}p{}", p.kernel, p.stride, p.padding);
        if (p.type != DataType::f32 || p.bias_type || p.weights_type) text += fmt::format(":{}", name(p.type));
        if (p.bias_type || p.weights_type) text += fmt::format(":{}", name(p.bias_type.value_or(DataType::undef)));
        return p.weights_type ? text + fmt::format(":{}", name(*p.weights_type)) : text;
    }
    default:
        return fmt::format("prelu:{}", p.mask);
    }
}

std::string dropout_text(const LineDropout& d) {
    return fmt::format("{}:{}{}{}{}{}", d.probability, d.seed, d.offset ? fmt::format(":{}", *d.offset) : "",
                       d.wide_seed ? "+s64" : "", d.on_host ? "+host" : "", d.mask ? "" : "+nomask");
}

std::string rounding_text(const LineRounding& r) {
    std::string text;
    for (const int id : r.arguments)
        text += (text.empty() ? "" : "+") + std::string(words::word_of(words::rounded, id));
    return fmt::format("{}:{}", text, r.seed);
}

std::string flags_text(const Extra& extra) {
    std::string text;
    const auto add = [&](Extra::Flag flag, Text name, auto value) {
        if (extra.flags & flag) text += fmt::format("{}{}:{}", text.empty() ? "" : "+", name, value);
    };
    add(Extra::s8s8, "s8s8", extra.compensation_mask);
    add(Extra::rnn_u8s8, "rnn", extra.compensation_mask);
    add(Extra::asymmetric_src, "asymm", extra.asymmetric_compensation_mask);
    add(Extra::scale_adjust, "adjust", extra.scale_adjust_factor);
    return text;
}

std::string normalization_flags_text(unsigned flags) {
    std::string text;
    for (size_t bit = 0; bit < 6; ++bit)
        if (flags >> bit & 1) text += "GCHRAM"[bit];
    return text;
}

std::string layout_text(const ProblemLine& line) {
    std::string text;
    const auto tags = of_sources(line, [](const LineTensor& t) { return t.tag; });
    const auto strides = of_sources(line, [](const LineTensor& t) { return join_dims(t.strides); });
    const auto given = [](const std::vector<std::string>& list) {
        return std::any_of(list.begin(), list.end(), [](const std::string& text) { return !text.empty(); });
    };
    if (given(tags)) text += " --stag=" + joined(tags);
    if (given(strides)) text += " --sstrides=" + joined(strides);
    const auto view = [&](const LineTensor& t, char side) {
        if (!t.parent_dims.empty())
            text += fmt::format(" --{}sub={}@{}", side, join_dims(t.view_offsets), join_dims(t.parent_dims));
    };
    view(line.src, 's');
    text += line.dst.strides.empty() ? " --dtag=" + line.dst.tag : " --dstrides=" + join_dims(line.dst.strides);
    view(line.dst, 'd');
    return text;
}

void add_cell(std::string& text, const LineCell& c) {
    const auto add = [&](Text option, const auto& value) { text += fmt::format(" {}={}", option, value); };
    add("--direction", words::word_of(words::cell_directions, c.direction));
    if (c.activation) add("--activation", words::word_of_alg(c.activation));
    if (c.peephole) add("--with-peephole", "true");
    if (c.projection) add("--with-projection", "true");
    if (!c.src_iter) add("--with-src-iter", "false");
    if (!c.dst_iter) add("--with-dst-iter", "false");
    if (c.gaps) add("--trivial-strides", "false");
    if (c.diff_weights_tag != "any") add("--diff-wtag", c.diff_weights_tag);
}

std::string dims_text(const ProblemLine& line) {
    if (const auto print = primitives::row(line.kind).print_dims) return print(line.dims);
    std::string text = join_dims(line.dims);
    if (primitives::row(line.kind).sources != primitives::Sources::by_factors)
        for (const LineSource& source : line.sources) text += ":" + join_dims(source.dims);
    if (primitives::row(line.kind).second_shape_is_dst) text += ":" + join_dims(line.dst_dims);
    return text;
}

} // namespace

std::string join_dims(const std::vector<int64_t>& dims) { return fmt::format("{}", fmt::join(dims, "x")); }

std::string to_string(const LineEngine& engine) {
    return std::string(words::word_of(words::engines, int(engine.kind))) +
           (engine.index ? fmt::format(":{}", engine.index) : "");
}

std::string to_string(const ProblemLine& line) {
    const primitives::Row& row = primitives::row(line.kind);
    std::string text(words::word_of(words::kinds, int(line.kind)));
    const auto add = [&](Text option, const auto& value) { text += fmt::format(" {}={}", option, value); };
    if (line.prop != PropKind::undef) add("--dir", words::word_of(words::directions, int(line.prop)));
    if (line.alg != row.usual_alg) add("--alg", words::word_of_alg(line.alg));
    if (line.alpha != 0) add("--alpha", line.alpha);
    if (line.beta != 0) add("--beta", line.beta);
    if (line.p != 1) add("--p", line.p);
    if (line.eps != 0) add("--eps", line.eps);
    if (row.has("--size")) add("--size", line.size);
    if (line.k != 1) add("--k", line.k);
    const LineWindows& w = line.windows;
    for (const auto& [option, list] : {std::pair{"--kernel", &w.kernel},
                                       {"--stride", &w.stride},
                                       {"--dilation", &w.dilation},
                                       {"--padding", &w.padding},
                                       {"--padding-r", &w.padding_r}})
        if (!list->empty()) add(option, join_dims(*list));
    const bool cell = row.sources == primitives::Sources::of_cell;
    if (cell) add_cell(text, line.cell);
    if (line.flags != 0) add("--flags", cell ? "O" : normalization_flags_text(line.flags));
    if (line.scale_type != DataType::f32 || line.diff_scale_type != DataType::f32)
        add("--ss-dt", line.scale_type == line.diff_scale_type
                           ? std::string(name(line.scale_type))
                           : fmt::format("{}:{}", name(line.scale_type), name(line.diff_scale_type)));
    if (line.statistics_tag != "any") add("--stat-tag", line.statistics_tag);
    add("--sdt", joined(of_sources(line, [](const LineTensor& t) { return std::string(name(t.type)); })));
    if (row.tells_dst_type || line.dst.type != line.src.type) add("--ddt", name(line.dst.type));
    text += layout_text(line);
    if (!line.factors.empty()) add("--scales", fmt::format("{}", fmt::join(line.factors, ":")));
    if (!line.scales.empty()) add("--attr-scales", quants_text(line.scales, DataType::f32));
    if (!line.zero_points.empty()) add("--attr-zero-points", quants_text(line.zero_points, DataType::s32));
    if (!line.reductions.empty()) add("--attr-precomputed-reductions", quants_text(line.reductions, DataType::s32));
    if (!line.post_ops.empty()) {
        std::vector<std::string> entries;
        for (const LinePostOp& p : line.post_ops) entries.push_back(post_op_text(p));
        add("--attr-post-ops", fmt::format("{}", fmt::join(entries, "+")));
    }
    if (const auto& q = line.cell.scales)
        add("--attr-rnn", fmt::format("{}:{}:{}:{}", q->scale, q->shift, q->mask, q->projection_mask));
    if (line.dropout) add("--attr-dropout", dropout_text(*line.dropout));
    if (line.rounding) add("--attr-rounding", rounding_text(*line.rounding));
    if (line.user_scratchpad) add("--attr-scratchpad", "user");
    if (line.fpmath != FpmathMode::strict || line.fpmath_of_integers)
        text += fmt::format(" --attr-fpmath={}{}", words::word_of(words::fpmath_modes, int(line.fpmath)),
                            line.fpmath_of_integers ? ":true" : "");
    if (line.accumulation != AccumulationMode::strict)
        add("--attr-acc-mode", words::word_of(words::accumulations, int(line.accumulation)));
    if (line.deterministic) add("--attr-deterministic", "true");
    if (line.output_scales)
        text += fmt::format(" --oscale={}{}", line.output_scales->mask, line.output_scales->at_execution ? ":rt" : "");
    if (line.runtime_mask != 0) add("--rt", line.runtime_mask);
    if (line.extra.flags != Extra::none) add("--flags", flags_text(line.extra));
    if (row.has("--axis")) add("--axis", line.axis);
    if (row.has("--group")) add("--group", line.group);
    if (line.in_place) text += " --inplace";
    if (line.engine) add("--engine", to_string(*line.engine));
    if (line.expect) add("--expect", status_name(*line.expect));
    if (line.seed) add("--seed", *line.seed);
    return text + " " + dims_text(line);
}

uint64_t seed_of(const ProblemLine& line) {
    if (line.seed) return *line.seed;
    uint64_t hash = 0xcbf29ce484222325u;
    ProblemLine problem = line;
    problem.engine.reset();
    for (const char c : to_string(problem)) hash = (hash ^ uint8_t(c)) * 0x100000001b3u;
    return hash;
}

std::string_view status_name(Status status) { return words::word_of(words::statuses, int(status)); }

} // namespace tessera
