// SPDX-License-Identifier: Apache-2.0
// Validation of convolutions and deconvolutions: rows CNV-01..69, DCV-01..08. Contradictions (invalid_arguments) are
// reported before missing support.
#include <algorithm>

#include "core/program/lib/eltwise.hpp"
#include "ops/convolution/fused.hpp"
#include "ops/descriptors.hpp"
#include "ops/epilogue.hpp"

namespace tessera::ops {

namespace {

constexpr int64_t largest = int64_t(1) << 58; // of an entry, an extent and a reach: sums of some fit in 64 bits

bool is_transposed(const Sides& s) { return s.kind == PrimitiveKind::deconvolution; }
bool has_groups(const Sides& s) { return s.weights.ndims == s.src.ndims + 1; }

// The algorithm that the primitive says it is; CNV-21, DCV-05.
Result<int> algorithm_of(const Sides& s, int asked) {
    if (!is_transposed(s)) {
        if (asked == alg::convolution_direct || asked == alg::convolution_auto) return int(alg::convolution_direct);
        if (asked == alg::convolution_winograd)
            return unimplemented("convolution: convolution_winograd is not possible; convolution_direct and "
                                 "convolution_auto are");
        return invalid("convolution: algorithm {} is none of convolution_direct, convolution_winograd and "
                       "convolution_auto",
                       alg_name(asked));
    }
    if (asked == alg::deconvolution_direct) return asked;
    if (asked == alg::deconvolution_winograd)
        return unimplemented("deconvolution: deconvolution_winograd is not possible; deconvolution_direct is");
    return invalid("deconvolution: algorithm {} is neither deconvolution_direct nor deconvolution_winograd",
                   alg_name(asked));
}

// ---- shapes

Result<void> check_ranks(const Sides& s) {
    const std::string src = s.name(s.args.src), weights = s.name(s.args.weights), dst = s.name(s.args.dst);
    if (s.src.ndims < 3 || s.src.ndims > 5)
        return invalid("{}: {} has {:dimension}, {}; N x C x [[D x] H x] W needs 3 to 5", s.primitive(), src,
                       counted(s.src.ndims), to_string(s.src.dims_span()));
    if (s.dst.ndims != s.src.ndims)
        return invalid("{}: {} is {}, {} is {}; both need as many dimensions", s.primitive(), src,
                       to_string(s.src.dims_span()), dst, to_string(s.dst.dims_span()));
    if (s.weights.ndims != s.src.ndims && s.weights.ndims != s.src.ndims + 1)
        return invalid(
            "{}: {} is {} for {} {}; O x I x [[D x] H x] W needs as many dimensions, one more with groups in "
            "front",
            s.primitive(), weights, to_string(s.weights.dims_span()), src, to_string(s.src.dims_span()));
    return {};
}

Result<void> check_channels(const Sides& s) {
    const std::string src = s.name(s.args.src), weights = s.name(s.args.weights), dst = s.name(s.args.dst);
    if (s.weights.has_zero_dim())
        return invalid("{}: {} is {}; only batch and pixels may be empty", s.primitive(), weights,
                       to_string(s.weights.dims_span()));
    const size_t first = has_groups(s);
    const double groups = first ? double(s.weights.dims[0]) : 1;
    const double outputs = groups * double(s.weights.dims[first]), inputs = groups * double(s.weights.dims[first + 1]);
    if (double(s.src.dims[1]) != inputs)
        return invalid("{}: {} has {:channel}, {} {} are for {}", s.primitive(), src, counted(s.src.dims[1]), weights,
                       to_string(s.weights.dims_span()), inputs);
    if (double(s.dst.dims[1]) != outputs)
        return invalid("{}: {} has {:channel}, {} {} make {}", s.primitive(), dst, counted(s.dst.dims[1]), weights,
                       to_string(s.weights.dims_span()), outputs);
    if (s.src.dims[0] != s.dst.dims[0])
        return invalid("{}: the batch of {} is {}, of {} {}; they must be equal", s.primitive(), src, s.src.dims[0],
                       dst, s.dst.dims[0]);
    if (!s.bias.is_zero() && (s.bias.ndims != 1 || s.bias.dims[0] != s.dst.dims[1]))
        return invalid("{}: {} is {}; it has one element for each of the {:output channel}: {}", s.primitive(),
                       s.name(s.args.bias), to_string(s.bias.dims_span()), counted(s.dst.dims[1]), s.dst.dims[1]);
    return {};
}

Result<void> check_windows(const Sides& s, const ConvolutionWindows& w) {
    for (size_t k = 0; k + 2 < size_t(s.src.ndims); ++k) {
        if (w.strides[k] < 1)
            return invalid("{}: the stride in spatial dimension {} is {}; it must be at least 1", s.primitive(), k,
                           w.strides[k]);
        if (w.dilation[k] < 0)
            return invalid("{}: the dilation in spatial dimension {} is {}; 0 is a dense kernel, and negative ones "
                           "mean nothing",
                           s.primitive(), k, w.dilation[k]);
        if (w.padding_l[k] < 0)
            return invalid("{}: the padding before spatial dimension {} is {}; it must be at least 0", s.primitive(), k,
                           w.padding_l[k]);
        if (w.padding_r[k] < 0 && !is_transposed(s)) // DCV-02
            return invalid("{}: the padding behind spatial dimension {} is {}; it must be at least 0", s.primitive(), k,
                           w.padding_r[k]);
        for (const int64_t value : {w.strides[k], w.dilation[k], w.padding_l[k], w.padding_r[k]})
            if (value > largest || value < -largest)
                return unimplemented("{}: {} in spatial dimension {}; strides, dilations and paddings up to {} are "
                                     "possible",
                                     s.primitive(), value, k, largest);
    }
    return {};
}

// CNV-01, DCV-02.
Result<void> check_extents(const Sides& s, const ConvolutionWindows& w) {
    const bool transposed = is_transposed(s);
    const MemoryDesc &inputs = transposed ? s.dst : s.src, &outputs = transposed ? s.src : s.dst;
    const std::string in = s.name(transposed ? s.args.dst : s.args.src),
                      out = s.name(transposed ? s.args.src : s.args.dst);
    for (size_t d = 2; d < size_t(s.src.ndims); ++d) {
        const size_t k = d - 2;
        const int64_t taps = s.weights.dims[d + has_groups(s)];
        const double distance = double(taps - 1) * double(w.dilation[k] + 1);
        if (std::max({distance, double(inputs.dims[d]), double(outputs.dims[d])}) > double(largest))
            return unimplemented("{}: spatial dimension {} of {} is {}, of {} {}, and a kernel reaches over {}; up to "
                                 "{} are possible",
                                 s.primitive(), d, in, inputs.dims[d], out, outputs.dims[d], distance, largest);
        const int64_t reach = (taps - 1) * (w.dilation[k] + 1) + 1;
        const int64_t wanted = (inputs.dims[d] - reach + w.padding_l[k] + w.padding_r[k]) / w.strides[k] + 1;
        if (outputs.dims[d] != wanted)
            return invalid("{}: spatial dimension {} of {} is {}; of {:element} of {}, a kernel of {} that reaches "
                           "over {}, padding {} and {} and stride {} it must be {}",
                           s.primitive(), d, out, outputs.dims[d], counted(inputs.dims[d]), in, taps, reach,
                           w.padding_l[k], w.padding_r[k], w.strides[k], wanted);
    }
    return {};
}

// ---- attributes

// CNV-61: integers have scales, one per tensor or, for weights, one per output channel.
Result<void> check_scale(const Sides& s, int id, const Quant& q) {
    if (id != s.args.src && id != s.args.weights && id != s.args.dst)
        return unimplemented("{}: scales of {} are not possible; src, weights, dst can have them", s.primitive(),
                             arg_name(id));
    if (!is_integer(s.src.type))
        return unimplemented("{}: the scales of {} belong to integers, src is {}; a linear post-op scales the result, "
                             "too",
                             s.primitive(), arg_name(id), name(s.src.type));
    if (q.mode != QuantizationMode::static_sazp)
        return unimplemented("{}: dynamic quantization of {} is a feature of matmul; give its scales", s.primitive(),
                             arg_name(id));
    const int per_channel = has_groups(s) ? 3 : 1;
    const bool of_weights = id == s.args.weights;
    if (!q.groups.empty() || (q.mask != 0 && !(of_weights && q.mask == per_channel)))
        return unimplemented("{}: the scales of {} have mask {}{}; possible {}", s.primitive(), arg_name(id), q.mask,
                             q.groups.empty() ? "" : " and groups",
                             of_weights ? fmt::format("are 0 and {}, one an output channel", per_channel) : "is 0");
    return {};
}

// CNV-62: one for the tensor, or one a channel.
Result<void> check_zero_point(const Sides& s, int id, const Quant& q) {
    if (id != s.args.src && id != s.args.dst)
        return unimplemented("{}: zero points of {} are not possible; src and dst can have them", s.primitive(),
                             arg_name(id));
    if (!is_integer(s.src.type))
        return unimplemented("{}: the zero points of {} belong to integers, src is {}", s.primitive(), arg_name(id),
                             name(s.src.type));
    if (q.mode != QuantizationMode::static_sazp || !q.groups.empty() || (q.mask != 0 && q.mask != 2))
        return unimplemented("{}: the zero points of {} have mask {}{}; possible are 0 and 2, one a channel",
                             s.primitive(), arg_name(id), q.mask, q.groups.empty() ? "" : " and groups");
    return {};
}

Result<void> check_attr(Sides& s, const Attr& attr) {
    const bool forward = s.forward();
    Findings findings;
    AllowedAttributes allowed;
    allowed.own_quants = true;
    allowed.sum = allowed.eltwise = allowed.binary = allowed.prelu = allowed.output_scales = forward;
    if (s.writes(s.args.src)) allowed.stochastic = {arg::diff_src};
    if (s.writes(s.args.weights)) allowed.stochastic = {arg::diff_weights};
    findings.add(check_attributes(s.primitive().data(), attr, s.dst, allowed));
    const auto check = [&](const char* what, const std::map<int, Quant>& quants, auto check_one) {
        for (const auto& [id, q] : quants)
            findings.add(forward ? check_one(s, id, q)
                                 : unimplemented("{}: {} of {} are not possible in {}", s.primitive(), what,
                                                 arg_name(id), tessera::name(s.prop)));
    };
    check("scales", attr.scales, check_scale);
    check("zero points", attr.zero_points, check_zero_point);
    for (const auto& [id, md] : {std::pair{s.args.src, &s.src}, {s.args.weights, &s.weights}})
        if (s.writes(id)) findings.add(check_rounding(s.primitive().data(), attr, id, *md));
    return findings.result();
}

} // namespace

Result<Problem> make_convolution(Sides s, int alg, const ConvolutionWindows& w, const Attr& attr) {
    if (s.forward())
        if (auto ok = check_forward(s.kind, s.prop); !ok) return Refusal(ok.error());
    if (s.kind == PrimitiveKind::convolution && s.forward() && has_depthwise(attr))
        return make_fused_convolution(std::move(s), alg, w, attr);
    const auto algorithm = algorithm_of(s, alg);
    if (!algorithm && algorithm.error().status == Status::invalid_arguments) return Refusal(algorithm.error());
    if (auto ok = check_layouts(s); !ok) return Refusal(ok.error());
    for (const auto& check : {check_ranks, check_channels})
        if (auto ok = check(s); !ok) return Refusal(ok.error());
    for (const auto& check : {check_windows, check_extents})
        if (auto ok = check(s, w); !ok) return Refusal(ok.error());
    Findings findings;
    findings.add(check_written_sides(s));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    findings.add(check_types(s));
    findings.add(check_attr(s, attr));
    if (auto ok = findings.result(); !ok) return Refusal(ok.error());
    if (!algorithm) return Refusal(algorithm.error());

    auto p = problem_of(std::move(s), attr, choose_convolution_layouts);
    if (!p) return p;
    p->params = {{query::alg_kind, *algorithm}};
    p->list_params = {{query::strides, w.strides},
                      {query::dilations, w.dilation},
                      {query::padding_l, w.padding_l},
                      {query::padding_r, w.padding_r}};
    return p;
}

} // namespace tessera::ops
