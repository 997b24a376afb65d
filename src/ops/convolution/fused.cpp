// SPDX-License-Identifier: Apache-2.0
// Rules, plan and oracle of a 1x1 convolution with a depthwise one behind it: those of the two convolutions, put
// together.
#include <algorithm>
#include <functional>

#include "core/plan/rewrite/splice.hpp"
#include "core/program/lib/eltwise.hpp"
#include "ops/convolution/fused.hpp"
#include "ops/descriptors.hpp"

namespace tessera::ops {

namespace {

// An argument of the depthwise convolution, as the caller numbers it.
constexpr int of_depthwise(int id) { return arg::post_op_dw | id; }

size_t place_of_depthwise(const Attr& attr) {
    const auto& entries = attr.post_ops.entries;
    return size_t(std::ranges::find(entries, PostOpKind::convolution, &PostOp::kind) - entries.begin());
}

// Arguments that the depthwise problem numbers for itself, in the whole: of its tensors, of scales, of post-ops behind
// `place`.
int in_the_whole(int id, size_t place) {
    if (id >= arg::post_op(0)) return id + arg::post_op(int(place));
    if (id == arg::dst) return id;
    if (id == (arg::scales | arg::src)) return arg::scales | arg::dst;
    if (id & arg::scales) return arg::scales | of_depthwise(id & ~arg::scales);
    return of_depthwise(id);
}

Attr attr_of_pointwise(const Attr& whole, size_t place) {
    Attr attr = whole;
    attr.post_ops.entries.resize(place);
    std::erase_if(attr.scales, [](const auto& s) { return s.first >= arg::post_op_dw; });
    return attr;
}

Attr attr_of_depthwise(const Attr& whole, size_t place) {
    Attr attr = whole;
    attr.post_ops.entries.erase(attr.post_ops.entries.begin(), attr.post_ops.entries.begin() + ptrdiff_t(place) + 1);
    attr.scales.clear(), attr.zero_points.clear();
    for (const auto& [id, q] : whole.scales) {
        Quant quant = q;
        if (id == of_depthwise(arg::weights) && q.mask == 1) quant.mask = 3; // groups are the output channels
        if (id == arg::dst)
            attr.scales[arg::src] = quant;
        else if (id >= arg::post_op_dw)
            attr.scales[id & ~arg::post_op_dw] = quant;
    }
    return attr;
}

// What makes the two problems; empty descriptors of the depthwise one are made from its post-op.
struct Asked {
    Sides pointwise;
    int alg;
    ConvolutionWindows windows;
    Attr attr;
    MemoryDesc weights, bias, dst;
};

Result<FusedParts> parts_of(const Asked& asked) {
    const size_t place = place_of_depthwise(asked.attr);
    const PostOp& post_op = asked.attr.post_ops.entries[place];
    auto pointwise = make_convolution(asked.pointwise, asked.alg, asked.windows, attr_of_pointwise(asked.attr, place));
    if (!pointwise) return Refusal(pointwise.error());
    MemoryDesc& between = std::ranges::find(pointwise->tensors, arg::dst, &Tensor::arg)->md;
    between.offset0 = 0; // it has memory of its own, where the caller's may be a part of a larger tensor

    Sides s{PrimitiveKind::convolution, asked.pointwise.prop, between, asked.weights, asked.bias, asked.dst};
    ConvolutionWindows w;
    std::vector<int64_t> dims(between.dims_span().begin(), between.dims_span().end());
    for (size_t k = 0; k < 2; ++k) {
        int64_t& extent = dims[k + 2];
        const int64_t outputs = extent / post_op.stride + (extent % post_op.stride != 0);
        w.strides[k] = post_op.stride, w.padding_l[k] = post_op.padding;
        const int64_t behind_last = extent - (outputs - 1) * post_op.stride; // elements from its window's start on
        w.padding_r[k] = std::max<int64_t>(0, post_op.kernel - post_op.padding - behind_last);
        extent = outputs;
    }
    if (s.weights.is_zero()) {
        const auto weights =
            make_desc_any(std::vector<int64_t>{dims[1], 1, 1, post_op.kernel, post_op.kernel}, post_op.weights_type);
        if (!weights) return Refusal(weights.error());
        s.weights = *weights;
        if (post_op.bias_type != DataType::undef) {
            const auto bias = make_desc_with_tag(std::vector<int64_t>{dims[1]}, post_op.bias_type, "a");
            if (!bias) return Refusal(bias.error());
            s.bias = *bias;
        }
        const auto dst = asked.pointwise.dst.kind == FormatKind::any ? make_desc_any(dims, post_op.dst_type)
                                                                     : layout_after(between, dims, post_op.dst_type);
        if (!dst) return Refusal(dst.error());
        s.dst = *dst;
    }
    auto depthwise = make_convolution(std::move(s), alg::convolution_direct, w, attr_of_depthwise(asked.attr, place));
    if (!depthwise)
        return Refusal(Error{depthwise.error().status,
                             fmt::format("post-op {} (depthwise): {}", place, depthwise.error().reason)});
    return FusedParts{std::move(*pointwise), std::move(*depthwise)};
}

} // namespace

FusedParts parts_of_fused(const Problem& p) {
    const auto of = [&](int id) { return p.find_described(id) ? p.find_described(id)->md : MemoryDesc(); };
    const auto list = [&](int number) { return p.list_params.at(number); };
    Asked asked{{p.kind, p.prop, of(arg::src), of(arg::weights), of(arg::bias), of(of_depthwise(arg::src))},
                int(p.params.at(query::alg_kind)),
                {list(query::strides), list(query::dilations), list(query::padding_l), list(query::padding_r)},
                p.attr,
                of(of_depthwise(arg::weights)),
                of(of_depthwise(arg::bias)),
                of(arg::dst)};
    return std::move(*parts_of(asked)); // as when the problem was made
}

Buffers buffers_of_depthwise(const Problem& whole, const Problem& depthwise, const Buffers& buffers, void* between) {
    const size_t place = place_of_depthwise(whole.attr);
    Buffers own;
    const auto rename = [&](int id) {
        if (const auto at = buffers.find(in_the_whole(id, place)); at != buffers.end()) own[id] = at->second;
    };
    for (const Tensor& t : depthwise.tensors) rename(t.arg);
    for (const QuantArg& q : quant_args(depthwise)) rename(q.id);
    own[arg::src] = between;
    return own;
}

namespace {

// Rows CNV-65.
Result<void> check(const Sides& s, const ConvolutionWindows& w, const Attr& attr) {
    const auto& entries = attr.post_ops.entries;
    const size_t place = place_of_depthwise(attr);
    const auto refused = [&](const std::string& what) -> Result<void> {
        return unimplemented("convolution: post-op {} is a depthwise convolution; {}", place, what);
    };
    const auto dims = s.weights.dims_span();
    if (s.src.ndims != 4 || dims.size() != 4 || dims[2] != 1 || dims[3] != 1)
        return refused(fmt::format("it may follow a 1x1 convolution of images without groups, weights O x I x 1 x 1; "
                                   "here they are {}",
                                   to_string(dims)));
    for (size_t k = 0; k < 2; ++k)
        if (w.strides[k] != 1 || w.padding_l[k] != 0 || w.padding_r[k] != 0)
            return refused(fmt::format("the 1x1 convolution before it has stride 1 and padding 0; here spatial "
                                       "dimension {} has stride {}, padding {} and {}",
                                       k, w.strides[k], w.padding_l[k], w.padding_r[k]));
    for (size_t i = 0; i < entries.size(); ++i) {
        if (i != place && entries[i].kind == PostOpKind::convolution)
            return refused(fmt::format("post-op {} is another one; a second can be a convolution of its own", i));
        if (entries[i].kind == PostOpKind::sum)
            return refused(fmt::format("post-op {} is a sum, whose addend would be the result of either; add it with "
                                       "a binary post-op",
                                       i));
    }
    if (attr.zero_points.contains(arg::dst))
        return refused("zero points of dst are not possible beside it; a linear post-op (alpha 1, beta the zero "
                       "point) behind it adds one");
    if (!attr.output_scales.values.empty())
        return refused("output scales are not possible beside it; scales of src, weights, dst are");
    return {};
}

// The steps of a part, whose argument `between_arg` is the first operand of the whole. `rename`: the argument of the
// whole that one of the part is.
template <typename Rename> void append(const Plan& part, int between_arg, const Rename& rename, Plan& to) {
    constexpr int between = 0;
    std::vector<int> numbers;
    for (const Operand& o : part.operands) {
        if (o.scratch < 0 && o.constant < 0 && o.arg == between_arg) {
            numbers.push_back(between);
            continue;
        }
        numbers.push_back(int(to.operands.size()));
        to.operands.push_back(o);
        Operand& own = to.operands.back();
        if (o.scratch >= 0) {
            own.scratch = int(to.scratch.size());
            to.scratch.push_back(part.scratch[size_t(o.scratch)]);
        } else if (const int id = rename(o.arg); id != o.arg) {
            own.arg = id, own.name = arg_name(id);
        }
    }
    for (size_t i = 0; i < part.steps.size(); ++i) {
        const bool same = i > 0 && part.steps[i].program == part.steps[i - 1].program;
        splice(part, part.steps[i], numbers, same, to);
    }
}

} // namespace

bool has_depthwise(const Attr& attr) { return place_of_depthwise(attr) < attr.post_ops.entries.size(); }

Result<Problem> make_fused_convolution(Sides s, int alg, const ConvolutionWindows& w, const Attr& attr) {
    if (auto ok = check(s, w, attr); !ok) return Refusal(ok.error());
    const auto parts = parts_of({s, alg, w, attr, {}, {}, {}});
    if (!parts) return Refusal(parts.error());
    const size_t place = place_of_depthwise(attr);
    Problem whole = parts->pointwise;
    whole.attr = attr;
    for (size_t i = 0; i < place; ++i) whole.attr.post_ops.entries[i] = parts->pointwise.attr.post_ops.entries[i];
    for (size_t i = place + 1; i < attr.post_ops.entries.size(); ++i)
        whole.attr.post_ops.entries[i] = parts->depthwise.attr.post_ops.entries[i - place - 1];
    Tensor& dst = *std::ranges::find(whole.tensors, arg::dst, &Tensor::arg);
    whole.described.push_back({of_depthwise(arg::src), dst.md, false, dst.was_any});
    whole.described.back().md.offset0 = s.dst.offset0;
    dst.md = parts->depthwise.md(arg::dst);
    for (Tensor t : parts->depthwise.tensors) {
        if (t.arg == arg::src || t.arg == arg::dst) continue;
        t.arg = in_the_whole(t.arg, place), t.attribute = true;
        whole.tensors.push_back(std::move(t));
    }
    return whole;
}

Result<Plan> lower_fused_convolution(const Problem& p) {
    const FusedParts parts = parts_of_fused(p);
    const auto first = lower_convolution(parts.pointwise), second = lower_convolution(parts.depthwise);
    if (!first) return Refusal(first.error());
    if (!second) return Refusal(second.error());
    const MemoryDesc& md = parts.pointwise.md(arg::dst);
    Plan plan;
    plan.title = fmt::format("{}; {}", first->title, second->title);
    plan.operands.push_back({arg_name(of_depthwise(arg::src)), md.type});
    plan.operands.back().scratch = 0;
    plan.scratch.push_back(size_of(md));
    append(*first, arg::dst, std::identity(), plan);
    append(
        *second, arg::src, [place = place_of_depthwise(p.attr)](int id) { return in_the_whole(id, place); }, plan);
    return plan;
}

void ref_fused_convolution(const Problem& p, const Buffers& buffers) {
    const FusedParts parts = parts_of_fused(p);
    std::vector<std::byte> between(size_t(size_of(parts.pointwise.md(arg::dst))) + 1);
    Buffers first = buffers;
    first[arg::dst] = between.data();
    ref_convolution(parts.pointwise, first);
    ref_convolution(parts.depthwise, buffers_of_depthwise(p, parts.depthwise, buffers, between.data()));
}

std::string shape_of_fused_convolution(const Problem& p) {
    const FusedParts parts = parts_of_fused(p);
    return shape_of_convolution(parts.pointwise) + "_" + shape_of_convolution(parts.depthwise);
}

std::vector<VerboseToken> tokens_of_convolution(const Problem& p) {
    std::vector<VerboseToken> tokens = tokens_of_sides(p);
    for (VerboseToken& t : tokens)
        if (has_depthwise(p.attr) && t.arg == arg::dst) t.arg = of_depthwise(arg::src);
    return tokens;
}

} // namespace tessera::ops
