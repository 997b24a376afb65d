// SPDX-License-Identifier: Apache-2.0
// Validation of recurrent cells: rows RNN-01..64. Contradictions (invalid_arguments) are reported before missing
// support.
#include <algorithm>
#include <cmath>

#include "core/attr/attr.hpp"
#include "ops/descriptors.hpp"
#include "ops/epilogue.hpp"
#include "ops/rnn/rnn.hpp"

namespace tessera::ops {

namespace {

using Tensors = std::map<int, MemoryDesc>;

constexpr int64_t largest = int64_t(1) << 58; // elements of a tensor or of the values of all steps, of at most 8 bytes

struct Call {
    PropKind prop;
    const RnnOptions& options;
    const Tensors& tensors;

    bool has(int id) const {
        const auto at = tensors.find(id);
        return at != tensors.end() && !at->second.is_zero();
    }
    const MemoryDesc& md(int id) const { return tensors.at(id); }
    bool backward() const { return prop == PropKind::backward; }
    bool is_lstm() const { return options.cell == alg::vanilla_lstm; }
    bool has_attention() const { return options.cell == alg::vanilla_augru || options.cell == alg::lbr_augru; }
    bool is_int8() const { return is_integer(md(arg::src_layer).type); }
};

// ---- options

Result<void> check_options(const Call& c) {
    const RnnOptions& o = c.options;
    if (c.prop != PropKind::forward_training && c.prop != PropKind::forward_inference && c.prop != PropKind::backward)
        return invalid("rnn: propagation kind {} is none of forward_training, forward_inference and backward (all "
                       "gradients)",
                       named(c.prop));
    if (o.direction < Direction::left2right || o.direction > Direction::sum)
        return invalid("rnn: direction {} is none of left2right (1), right2left (2), bidirectional_concat (3) and "
                       "bidirectional_sum (4)",
                       int(o.direction));
    if (const unsigned unknown = o.flags & ~diff_weights_overwrite)
        return invalid("rnn: flags {} have {}; the only flag is diff_weights_overwrite (1)", o.flags, unknown);
    if (o.cell == alg::vanilla_rnn && o.activation != alg::eltwise_relu && o.activation != alg::eltwise_tanh &&
        o.activation != alg::eltwise_logistic)
        return invalid("rnn: the activation {} is none of eltwise_relu, eltwise_tanh and eltwise_logistic",
                       alg_name(o.activation));
    if (c.has_attention() && o.direction != Direction::left2right)
        return invalid("rnn: direction {} of {}; cells with attention go from left to right (1)", int(o.direction),
                       alg_name(o.cell));
    return {};
}

// ---- which tensors there are

bool is_taken(const Call& c, int id) {
    switch (id) {
    case arg::src_iter_c:
    case arg::dst_iter_c:
    case arg::weights_peephole:
    case arg::weights_projection:
        return c.is_lstm();
    case arg::attention:
        return c.has_attention();
    default:
        return true;
    }
}

Result<void> check_presence(const Call& c) {
    for (const RnnTensor& t : rnn_tensors()) {
        if (c.has(t.arg) && !is_taken(c, t.arg))
            return invalid("rnn: {} has no {}; leave it empty", alg_name(c.options.cell), t.name);
        const bool needed = t.arg == arg::src_layer || t.arg == arg::weights_layer || t.arg == arg::weights_iter ||
                            t.arg == arg::dst_layer;
        if (needed && !c.has(t.arg))
            return invalid("rnn: {} is an empty descriptor; it is {} and needs a data type and a layout", t.name,
                           t.dims);
        if (t.arg == arg::attention && is_taken(c, t.arg) && !c.has(t.arg))
            return invalid("rnn: {} without attention; give its descriptor, {}, or take the cell without it",
                           alg_name(c.options.cell), t.dims);
        if (const int diff = arg::diff_of(t.arg); c.backward() && c.has(t.arg) != c.has(diff))
            return invalid("rnn: {0} is {1}, its gradient diff_{0} {2}; both are given or both are empty", t.name,
                           c.has(t.arg) ? "given" : "empty", c.has(diff) ? "is given" : "is empty");
    }
    for (const auto& [h, state] : {std::pair{arg::src_iter, arg::src_iter_c}, {arg::dst_iter, arg::dst_iter_c}})
        if (c.is_lstm() && c.has(h) != c.has(state))
            return invalid("rnn: {0} is {1}, {0}_c {2}; the states of an lstm are both given or both empty",
                           h == arg::src_iter ? "src_iter" : "dst_iter", c.has(h) ? "given" : "empty",
                           c.has(state) ? "given" : "empty");
    if (!c.has(arg::bias)) return unimplemented("rnn: bias is an empty descriptor; a bias of zeros computes the same");
    return {};
}

// Calls check(name, descriptor, written, forward tensor) of all tensors that are there, gradients after the others.
template <typename Check> void each(const Call& c, Check&& check) {
    for (const bool of_gradients : {false, true})
        for (const RnnTensor& t : rnn_tensors()) {
            const int id = of_gradients ? arg::diff_of(t.arg) : t.arg;
            if (!c.has(id) || (of_gradients && !c.backward())) continue;
            const bool written = of_gradients ? !t.output : t.output && !c.backward();
            check((of_gradients ? "diff_" : "") + std::string(t.name), c.md(id), written, t, of_gradients);
        }
}

// ---- shapes

RnnSizes sizes_of(const Call& c) {
    const MemoryDesc &src = c.md(arg::src_layer), &w = c.md(arg::weights_layer), &u = c.md(arg::weights_iter);
    RnnSizes s{src.dims[0],
               src.dims[1],
               w.dims[0],
               c.options.direction >= Direction::concat ? 2 : 1,
               gates_of(c.options.cell),
               src.dims[2],
               u.dims[2],
               w.dims[4],
               w.dims[4],
               0};
    if (c.has(arg::weights_projection)) s.dic = c.md(arg::weights_projection).dims[3];
    s.dlc = s.dic;
    if (c.options.direction == Direction::concat) s.dlc *= 2;
    return s;
}

Result<void> check_dims(const Call& c, const RnnSizes& s) {
    Findings findings;
    each(c, [&](const std::string& name, const MemoryDesc& md, bool, const RnnTensor& t, bool) {
        const auto wanted = rnn_dims(t.arg, c.options.cell, s);
        if (!std::ranges::equal(md.dims_span(), wanted))
            findings.add(
                invalid("rnn: {} is {}; of {}, direction {}, src_layer {}, weights_layer {} and weights_iter {} "
                        "it is {}: {}",
                        name, to_string(md.dims_span()), alg_name(c.options.cell), int(c.options.direction),
                        to_string(c.md(arg::src_layer).dims_span()), to_string(c.md(arg::weights_layer).dims_span()),
                        to_string(c.md(arg::weights_iter).dims_span()), to_string(wanted), t.dims));
    });
    return findings.result();
}

Result<void> check_consistency(const Call& c, const RnnSizes& s) {
    if (s.layers < 1) return invalid("rnn: weights_layer has {} layers; at least 1 is needed", s.layers);
    if (s.layers > 1 && s.slc != s.dic)
        return invalid("rnn: {:layer} with {:channel} of src_layer and {} of the state; each layer after the first "
                       "reads what the one before wrote, so they must be equal",
                       counted(s.layers), counted(s.slc), s.dic);
    if (s.steps != 1 && s.sic != s.dic)
        return invalid("rnn: {:step} with {:channel} of src_iter and {} of dst_iter; each step after the first reads "
                       "the state that the one before wrote, so they must be equal",
                       counted(s.steps), counted(s.sic), s.dic);
    if (!c.is_lstm() && c.options.cell != alg::vanilla_rnn && s.sic != s.dhc)
        return invalid("rnn: {} with {:channel} of src_iter and {} of the cell; they must be equal",
                       alg_name(c.options.cell), counted(s.sic), s.dhc);
    if (c.has_attention() && s.layers != 1)
        return invalid("rnn: {} with {} layers; cells with attention have one", alg_name(c.options.cell), s.layers);
    if (s.dhc < 1 || s.dic < 1)
        return unimplemented("rnn: {} channels of the cell and {} of its state; at least 1 is possible", s.dhc, s.dic);
    return {};
}

// What all steps keep must fit in 64 bits: gates and states of each layer, direction, step and row.
Result<void> check_size(const Call& c, const RnnSizes& s) {
    const double widest = double(std::max({s.slc, s.sic, s.dhc, s.dic, s.dlc}));
    const double rows = double(s.steps + 1) * double(s.batch) * double(s.layers + 1) * double(s.directions);
    if (rows * double(s.gates + 4) * widest > double(largest))
        return unimplemented("rnn: {} steps of a batch of {} in {} layers with up to {} channels keep more than 2^58 "
                             "values; divide the batch",
                             s.steps, s.batch, s.layers, int64_t(widest));
    Findings findings;
    each(c, [&](const std::string& name, const MemoryDesc& md, bool, const RnnTensor&, bool) {
        double elements = 1;
        for (const int64_t extent : md.dims_span()) elements *= double(extent);
        if (elements > double(largest))
            findings.add(unimplemented("rnn: {} is {}, more than 2^58 elements; divide the batch", name,
                                       to_string(md.dims_span())));
    });
    return findings.result();
}

// ---- types

Result<void> check_type(const std::string& name, DataType type, std::initializer_list<DataType> possible,
                        DataType src) {
    if (std::ranges::find(possible, type) != possible.end()) return {};
    std::string list;
    for (const DataType p : possible) list += (list.empty() ? "" : ", ") + std::string(tessera::name(p));
    return unimplemented("rnn: {} is {} where src_layer is {}; possible: {}", name, tessera::name(type),
                         tessera::name(src), list);
}

// RNN-50..52: states of the cell and bias may be wider than what is multiplied.
Result<void> check_float_types(const Call& c) {
    const DataType src = c.md(arg::src_layer).type;
    Findings findings;
    each(c, [&](const std::string& name, const MemoryDesc& md, bool, const RnnTensor& t, bool gradient) {
        if (gradient || t.arg == arg::weights_peephole)
            findings.add(check_type(name, md.type, {DataType::f32}, src));
        else if (src != DataType::f32 && (t.arg == arg::bias || t.arg == arg::src_iter_c || t.arg == arg::dst_iter_c))
            findings.add(check_type(name, md.type, {DataType::f32, src}, src));
        else
            findings.add(check_type(name, md.type, {src}, src));
    });
    return findings.result();
}

// RNN-53.
Result<void> check_int8(const Call& c) {
    const DataType src = c.md(arg::src_layer).type;
    Findings findings;
    if (c.prop != PropKind::forward_inference)
        findings.add(unimplemented("rnn: src_layer is {} in {}; integers are possible in forward_inference", name(src),
                                   named(c.prop)));
    if (!c.is_lstm() && c.options.cell != alg::vanilla_gru)
        findings.add(unimplemented("rnn: {} of {}; of integers there are vanilla_lstm and vanilla_gru",
                                   alg_name(c.options.cell), name(src)));
    if (c.has(arg::weights_peephole))
        findings.add(unimplemented("rnn: a peephole where src_layer is {}; f32, bf16 and f16 have one", name(src)));
    if (c.has(arg::src_iter) && c.has(arg::dst_iter) && c.md(arg::src_iter).type != c.md(arg::dst_iter).type)
        findings.add(unimplemented("rnn: src_iter is {}, dst_iter {}; one type of both is possible",
                                   name(c.md(arg::src_iter).type), name(c.md(arg::dst_iter).type)));
    each(c, [&](const std::string& name, const MemoryDesc& md, bool, const RnnTensor& t, bool) {
        switch (t.arg) {
        case arg::weights_layer:
        case arg::weights_iter:
        case arg::weights_projection:
            return findings.add(check_type(name, md.type, {DataType::s8}, src));
        case arg::src_iter:
        case arg::dst_iter:
        case arg::dst_layer:
            return findings.add(check_type(name, md.type, {src, DataType::f32}, src));
        case arg::src_layer:
            return;
        default:
            return findings.add(check_type(name, md.type, {DataType::f32}, src));
        }
    });
    return findings.result();
}

Result<void> check_types(const Call& c) {
    const DataType src = c.md(arg::src_layer).type;
    const int width = bits(src);
    if (is_integer(src) && width == 8 && range(src).highest > 1) return check_int8(c);
    if (!is_integer(src) && (width == 16 || width == 32)) return check_float_types(c);
    return unimplemented("rnn: src_layer is {}; f32, bf16, f16, u8, s8 are possible", name(src));
}

// ---- attributes

bool divides(float scale) { return std::isfinite(scale) && scale != 0; }

Result<void> check_scales(const char* weights, int mask, const std::vector<float>& scales, int per_channel,
                          int64_t channels) {
    if (mask != 0 && mask != per_channel)
        return unimplemented("rnn: the scales of {} have mask {}; possible are 0 and {}, one an output channel",
                             weights, mask, per_channel);
    const int64_t wanted = mask ? channels : 1;
    if (int64_t(scales.size()) != wanted)
        return invalid("rnn: {:scale} of {} with mask {}; it needs {}", counted(scales.size()), weights, mask, wanted);
    for (const float scale : scales)
        if (!divides(scale))
            return invalid("rnn: a scale of {} is {}; sums are divided by them, so they are finite and not 0", weights,
                           scale);
    return {};
}

// RNN-55, RNN-56.
Result<void> check_qparams(const Call& c, const RnnSizes& s, const Attr& attr) {
    if (!attr.rnn) return {};
    const RnnQparams& q = *attr.rnn;
    const DataType src = c.md(arg::src_layer).type;
    if (!c.is_int8())
        return unimplemented("rnn: quantization parameters where src_layer is {}; they belong to u8 and s8", name(src));
    Findings findings;
    if (!divides(q.scale) || !std::isfinite(q.shift))
        findings.add(
            invalid("rnn: data are quantized by scale {} and shift {}; both are finite, and the scale is not 0",
                    q.scale, q.shift));
    if (src == DataType::s8 && q.shift != 0)
        findings.add(unimplemented("rnn: the shift of the data is {} where src_layer is s8; 0 is possible", q.shift));
    findings.add(check_scales("weights", q.weights_mask, q.weights_scales, 1 << 3 | 1 << 4, s.gates * s.dhc));
    if (c.has(arg::weights_projection))
        findings.add(check_scales("weights_projection", q.projection_mask, q.projection_scales, 1 << 3, s.dic));
    return findings.result();
}

// RNN-64: the workspace is that of an equal forward.
Result<void> check_rnn_hint(const Call& c, const Problem* hint) {
    if (!hint) return {};
    if (hint->prop != PropKind::forward_training)
        return invalid("rnn: the hint is a {}, which writes no workspace; a forward_training is a hint here",
                       name(hint->prop));
    const auto param = [&](int number) { return int(hint->params.at(number)); };
    if (param(query::cell_kind) != c.options.cell || param(query::direction) != int(c.options.direction))
        return invalid("rnn: {} in direction {}, the hint is {} in direction {}; they must be equal",
                       alg_name(c.options.cell), int(c.options.direction), alg_name(param(query::cell_kind)),
                       param(query::direction));
    if (c.options.cell == alg::vanilla_rnn && param(query::activation_kind) != c.options.activation)
        return invalid("rnn: the activation is {}, of the hint {}; they must be equal", alg_name(c.options.activation),
                       alg_name(param(query::activation_kind)));
    for (const RnnTensor& t : rnn_tensors()) {
        const Tensor* of_hint = hint->find(t.arg);
        const MemoryDesc theirs = of_hint ? of_hint->md : MemoryDesc(),
                         ours = c.has(t.arg) ? c.md(t.arg) : MemoryDesc();
        if (theirs.type != ours.type || !std::ranges::equal(theirs.dims_span(), ours.dims_span()))
            return invalid("rnn: {} is {}, of the hint {}; they must be equal in shape and type", t.name,
                           c.has(t.arg) ? to_string(ours.dims_span()) + " " + std::string(name(ours.type)) : "empty",
                           of_hint ? to_string(theirs.dims_span()) + " " + std::string(name(theirs.type)) : "empty");
    }
    return {};
}

Result<void> check_call(const Call& c, const Problem* hint, const Attr& attr) {
    if (auto ok = check_options(c); !ok) return ok;
    const auto presence = check_presence(c);
    if (!presence && presence.error().status == Status::invalid_arguments) return presence;
    Findings findings;
    each(c, [&](const std::string& name, const MemoryDesc& md, bool, const RnnTensor& t, bool) {
        MemoryDesc bare = md;
        if (t.weights && md.extra.flags == Extra::rnn_u8s8) bare.extra = {};
        findings.add(check_layout("rnn", name.c_str(), bare, true));
        if (md.ndims != t.rank)
            findings.add(invalid("rnn: {} is {}, of {:dimension}; it is {}", name, to_string(md.dims_span()),
                                 counted(md.ndims), t.dims));
    });
    if (auto ok = findings.result(); !ok) return ok;
    const RnnSizes sizes = sizes_of(c);
    for (const auto& check : {check_dims, check_consistency, check_size}) {
        if (auto ok = check(c, sizes); !ok && ok.error().status == Status::invalid_arguments) return ok;
    }
    findings.add(presence);
    findings.add(check_consistency(c, sizes));
    findings.add(check_size(c, sizes));
    each(c, [&](const std::string& name, const MemoryDesc& md, bool written, const RnnTensor&, bool) {
        if (written) findings.add(check_written("rnn", name.c_str(), md));
    });
    findings.add(check_types(c));
    findings.add(check_qparams(c, sizes, attr));
    AllowedAttributes allowed;
    allowed.rnn_qparams = true;
    findings.add(check_attributes("rnn", attr, c.md(arg::dst_layer), allowed));
    findings.add(check_rnn_hint(c, hint));
    return findings.result();
}

} // namespace

Result<Problem> make_rnn(PropKind prop, const RnnOptions& options, const Tensors& tensors, const Problem* hint,
                         const Attr& attr) {
    const Call c{prop, options, tensors};
    if (auto ok = check_call(c, hint, attr); !ok) return Refusal(ok.error());

    Problem p;
    p.kind = PrimitiveKind::rnn;
    p.prop = prop;
    p.attr = attr;
    p.params = {{query::flags, int64_t(options.flags)},
                {query::cell_kind, options.cell},
                {query::direction, int64_t(options.direction)},
                {query::activation_kind, options.cell == alg::vanilla_rnn ? options.activation : 0}};
    p.float_params = {{query::alpha, options.alpha}, {query::beta, options.beta}};
    Result<void> made;
    const auto add = [&](const RnnTensor& t, bool gradient) {
        const int id = gradient ? arg::diff_of(t.arg) : t.arg;
        if (!c.has(id) || !made) return;
        MemoryDesc md = c.md(id);
        const bool was_any = md.kind == FormatKind::any;
        made = choose_rnn_layout(t, c.backward() && !gradient, md);
        p.tensors.push_back({id, md, gradient ? !t.output : t.output && !c.backward(), was_any});
    };
    for (const RnnTensor& t : rnn_tensors()) add(t, false);
    if (!made) return Refusal(made.error());
    if (prop != PropKind::forward_inference) {
        auto workspace = make_desc_with_tag(std::vector{workspace_bytes(Rnn(p))}, DataType::u8, "a");
        if (!workspace) return Refusal(workspace.error());
        p.tensors.push_back({arg::workspace, *workspace, !c.backward()});
    }
    if (c.backward())
        for (const RnnTensor& t : rnn_tensors()) add(t, true);
    if (!made) return Refusal(made.error());
    return p;
}

} // namespace tessera::ops
