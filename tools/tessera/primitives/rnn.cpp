// SPDX-License-Identifier: Apache-2.0
#include "ops/rnn/reference.hpp"

#include "core/types/types.hpp"
#include "primitives/row.hpp"

namespace tessera::primitives::rnn {
namespace {

using ops::RnnTensor;

// ---- extents: l1t2mb3sic4slc5dhc6dic6

constexpr std::string_view words[] = {"l", "t", "mb", "sic", "slc", "dhc", "dic"};
enum Place : size_t { layers, steps, batch, sic, slc, dhc, dic };

// Channels that are not named are those named before.
Result<std::vector<std::vector<int64_t>>> read_dims(std::string_view text) {
    if (!text.empty() && text[0] >= '0' && text[0] <= '9') {
        auto dims = parse_dims(text);
        if (dims && dims->size() != std::size(words))
            return invalid("'{}' has {:extent}; they are l, t, mb, sic, slc, dhc, dic", text, counted(dims->size()));
        if (!dims) return Refusal(dims.error());
        return std::vector<std::vector<int64_t>>{*dims};
    }
    std::vector<int64_t> dims{1, 1, 2, -1, -1, -1, -1};
    const std::string_view whole = text;
    while (!text.empty()) {
        const size_t digits = std::min(text.find_first_of("0123456789"), text.size());
        const size_t end = std::min(text.find_first_not_of("0123456789", digits), text.size());
        const auto* const word = std::find(std::begin(words), std::end(words), text.substr(0, digits));
        const auto value = parse_dims(text.substr(digits, end - digits));
        if (word == std::end(words) || !value || value->size() != 1)
            return invalid("'{}': '{}' is none of l, t, mb, sic, slc, dhc, dic and a number, as in l1t2mb3sic4", whole,
                           text.substr(0, end));
        dims[size_t(word - words)] = (*value)[0];
        text.remove_prefix(end);
    }
    if (dims[sic] < 0) return invalid("'{}' names no sic; extents are like l1t2mb3sic4slc5dhc6dic6", whole);
    for (const Place place : {slc, dhc, dic})
        if (dims[place] < 0) dims[place] = dims[place == slc ? sic : place - 1 == slc ? sic : dhc];
    return std::vector<std::vector<int64_t>>{dims};
}

std::string print_dims(const std::vector<int64_t>& dims) {
    std::string text;
    for (size_t i = 0; i < dims.size(); ++i) text += fmt::format("{}{}", words[i], dims[i]);
    return text;
}

// ---- tensors

ops::RnnSizes sizes_of(const ProblemLine& line) {
    const auto& d = line.dims;
    ops::RnnSizes s{
        d[steps], d[batch], d[layers], line.cell.direction >= 3 ? 2 : 1, ops::gates_of(line.alg), d[slc], d[sic],
        d[dhc],   d[dic],   d[dic]};
    if (line.cell.direction == int(ops::Direction::concat)) s.dlc *= 2;
    return s;
}

bool is_there(const ProblemLine& line, int id) {
    const bool lstm = line.alg == alg::vanilla_lstm,
               attention = line.alg == alg::vanilla_augru || line.alg == alg::lbr_augru;
    switch (id) {
    case arg::src_iter:
        return line.cell.src_iter;
    case arg::src_iter_c:
        return line.cell.src_iter && lstm;
    case arg::dst_iter:
        return line.cell.dst_iter;
    case arg::dst_iter_c:
        return line.cell.dst_iter && lstm;
    case arg::attention:
        return attention;
    case arg::weights_peephole:
        return line.cell.peephole;
    case arg::weights_projection:
        return line.cell.projection;
    default:
        return true;
    }
}

// Whose type and tag it has.
const LineTensor& like(const ProblemLine& line, int id) {
    switch (id) {
    case arg::src_layer:
    case arg::attention:
        return line.src;
    case arg::dst_layer:
        return line.dst;
    case arg::src_iter:
    case arg::dst_iter:
        return line.sources[0].tensor;
    case arg::src_iter_c:
    case arg::dst_iter_c:
        return line.sources[1].tensor;
    case arg::bias:
        return line.sources[3].tensor;
    default:
        return line.sources[2].tensor;
    }
}

Result<MemoryDesc> describe_one(const ProblemLine& line, const RnnTensor& t, bool gradient) {
    const bool weights = t.arg == arg::weights_layer || t.arg == arg::weights_iter;
    const bool fixed = t.arg == arg::weights_peephole || t.arg == arg::weights_projection || t.arg == arg::attention;
    const LineTensor& tensor = like(line, t.arg);
    const DataType type = gradient || t.arg == arg::weights_peephole ? DataType::f32 : tensor.type;
    std::string tag = gradient && weights ? line.cell.diff_weights_tag : fixed ? "any" : tensor.tag;
    const auto dims = ops::rnn_dims(t.arg, line.alg, sizes_of(line));
    const bool rows = !weights && !fixed && t.arg != arg::bias;
    if (rows && line.cell.gaps) { // three elements behind each row
        std::vector<int64_t> strides(dims.size(), 1);
        for (size_t d = dims.size() - 1; d-- > 0;)
            strides[d] = strides[d + 1] * std::max<int64_t>(dims[d + 1], 1) + (d + 2 == dims.size() ? 3 : 0);
        return make_desc_with_strides(dims, type, strides);
    }
    if (tag == "any") return make_desc_any(dims, type);
    return make_desc_with_tag(dims, type, expand_tag(tag, dims.size()));
}

// In the order of rnn_tensors(), gradients behind all others; empty ones are absent.
Result<std::vector<MemoryDesc>> describe(const ProblemLine& line) {
    std::vector<MemoryDesc> all;
    for (const bool gradient : {false, true})
        for (const RnnTensor& t : ops::rnn_tensors()) {
            all.emplace_back();
            if (!is_there(line, t.arg) || (gradient && !line.backward())) continue;
            auto md = describe_one(line, t, gradient);
            if (!md) return Refusal(md.error());
            all.back() = *md;
        }
    return all;
}

std::map<int, MemoryDesc> by_argument(const Asked& a) {
    std::map<int, MemoryDesc> tensors;
    const size_t each = ops::rnn_tensors().size();
    for (size_t i = 0; i < a.srcs.size(); ++i) {
        const int id = ops::rnn_tensors()[i % each].arg;
        tensors[i < each ? id : arg::diff_of(id)] = a.srcs[i];
    }
    return tensors;
}

int activation_of(const ProblemLine& line) {
    if (line.alg != alg::vanilla_rnn) return line.cell.activation;
    return line.cell.activation ? line.cell.activation : int(alg::eltwise_tanh);
}

Result<Problem> make(const Asked& a, const Attr& attr) {
    const ops::RnnOptions options{a.line.alg,   activation_of(a.line), ops::Direction(a.line.cell.direction),
                                  a.line.flags, a.line.alpha,          a.line.beta};
    return ops::make_rnn(a.line.prop, options, by_argument(a), nullptr, attr);
}

dnnl_status_t create(dnnl_primitive_desc_t* made, const Asked& a, dnnl_engine_t engine,
                     const_dnnl_primitive_attr_t attr) {
    const std::map<int, MemoryDesc> tensors = by_argument(a);
    const auto of = [&](int id) {
        const MemoryDesc& md = tensors.at(id);
        return md.is_zero() ? nullptr : as_handle(md);
    };
    const auto diff = [&](int id) { return of(arg::diff_of(id)); };
    using namespace arg;
    const auto prop = a.prop();
    const auto direction = dnnl_rnn_direction_t(a.line.cell.direction);
    const auto activation = dnnl_alg_kind_t(activation_of(a.line));
    const unsigned flags = a.line.flags;
    const float alpha = a.line.alpha, beta = a.line.beta;
    const bool backward = a.line.backward();
    switch (a.line.alg) {
    case alg::vanilla_rnn:
        if (backward)
            return dnnl_vanilla_rnn_backward_primitive_desc_create(
                made, engine, prop, activation, direction, of(src_layer), of(src_iter), of(weights_layer),
                of(weights_iter), of(bias), of(dst_layer), of(dst_iter), diff(src_layer), diff(src_iter),
                diff(weights_layer), diff(weights_iter), diff(bias), diff(dst_layer), diff(dst_iter), flags, alpha,
                beta, nullptr, attr);
        return dnnl_vanilla_rnn_forward_primitive_desc_create(
            made, engine, prop, activation, direction, of(src_layer), of(src_iter), of(weights_layer), of(weights_iter),
            of(bias), of(dst_layer), of(dst_iter), flags, alpha, beta, attr);
    case alg::vanilla_lstm:
        if (backward)
            return dnnl_lstm_backward_primitive_desc_create(
                made, engine, prop, direction, of(src_layer), of(src_iter), of(src_iter_c), of(weights_layer),
                of(weights_iter), of(weights_peephole), of(weights_projection), of(bias), of(dst_layer), of(dst_iter),
                of(dst_iter_c), diff(src_layer), diff(src_iter), diff(src_iter_c), diff(weights_layer),
                diff(weights_iter), diff(weights_peephole), diff(weights_projection), diff(bias), diff(dst_layer),
                diff(dst_iter), diff(dst_iter_c), flags, nullptr, attr);
        return dnnl_lstm_forward_primitive_desc_create(made, engine, prop, direction, of(src_layer), of(src_iter),
                                                       of(src_iter_c), of(weights_layer), of(weights_iter),
                                                       of(weights_peephole), of(weights_projection), of(bias),
                                                       of(dst_layer), of(dst_iter), of(dst_iter_c), flags, attr);
    case alg::vanilla_gru:
    case alg::lbr_gru: {
        const bool lbr = a.line.alg == alg::lbr_gru;
        if (backward)
            return (lbr ? dnnl_lbr_gru_backward_primitive_desc_create : dnnl_gru_backward_primitive_desc_create)(
                made, engine, prop, direction, of(src_layer), of(src_iter), of(weights_layer), of(weights_iter),
                of(bias), of(dst_layer), of(dst_iter), diff(src_layer), diff(src_iter), diff(weights_layer),
                diff(weights_iter), diff(bias), diff(dst_layer), diff(dst_iter), flags, nullptr, attr);
        return (lbr ? dnnl_lbr_gru_forward_primitive_desc_create : dnnl_gru_forward_primitive_desc_create)(
            made, engine, prop, direction, of(src_layer), of(src_iter), of(weights_layer), of(weights_iter), of(bias),
            of(dst_layer), of(dst_iter), flags, attr);
    }
    default: {
        const bool lbr = a.line.alg == alg::lbr_augru;
        if (backward)
            return (lbr ? dnnl_lbr_augru_backward_primitive_desc_create : dnnl_augru_backward_primitive_desc_create)(
                made, engine, prop, direction, of(src_layer), of(src_iter), of(attention), of(weights_layer),
                of(weights_iter), of(bias), of(dst_layer), of(dst_iter), diff(src_layer), diff(src_iter),
                diff(attention), diff(weights_layer), diff(weights_iter), diff(bias), diff(dst_layer), diff(dst_iter),
                flags, nullptr, attr);
        return (lbr ? dnnl_lbr_augru_forward_primitive_desc_create : dnnl_augru_forward_primitive_desc_create)(
            made, engine, prop, direction, of(src_layer), of(src_iter), of(attention), of(weights_layer),
            of(weights_iter), of(bias), of(dst_layer), of(dst_iter), flags, attr);
    }
    }
}

void add_attr(dnnl::primitive_attr& attr, const ProblemLine& line) {
    if (!line.cell.scales) return;
    const LineCellScales& s = *line.cell.scales;
    const ops::RnnSizes sizes = sizes_of(line);
    attr.set_rnn_data_qparams(s.scale, s.shift);
    attr.set_rnn_weights_qparams(s.mask, rnn_scales(s.mask, sizes.gates * sizes.dhc));
    if (line.cell.projection)
        attr.set_rnn_weights_projection_qparams(s.projection_mask, rnn_scales(s.projection_mask, sizes.dic));
}

std::vector<Interval> bounds(const Computation& c, int output, std::span<const int64_t> at) {
    Interval bound;
    if (output == arg::workspace) { // of the plan alone
        bound.add(0.f), bound.add(255.f);
        return {bound};
    }
    const auto dims = c.problem.md(output).dims_span();
    size_t number = 0;
    for (size_t d = 0; d < dims.size(); ++d) number = number * size_t(dims[d]) + size_t(at[d]);
    const ops::Approximate& x = c.sums<ops::RnnReference>().of(output)[number];
    bound.add(x.value, x.error);
    return {bound};
}

} // namespace

constinit const Row row = {
    .kind = PrimitiveKind::rnn,
    .help =
        "  rnn [--dir=FWD_D|FWD_I|BWD_DW] [--alg=rnn|lstm|gru|lbr_gru|augru|lbr_augru]\n"
        "         [--direction=left2right|right2left|concat|sum] [--activation=relu|tanh|logistic] [--alpha=X]\n"
        "         [--flags=O] [--with-peephole=true] [--with-projection=true] [--with-src-iter=false]\n"
        "         [--with-dst-iter=false] [--trivial-strides=false] [--sdt=LAYER:ITER:ITER_C:WEIGHTS:BIAS]\n"
        "         [--ddt=TYPE] [--stag=TAGS] [--dtag=TAG] [--diff-wtag=TAG] [--attr-rnn=SCALE:SHIFT[:MASK[:MASK]]]\n"
        "         l1t2mb3sic4slc5dhc6dic6\n",
    .options = "--dir --alg --alpha --beta --flags --direction --activation --with-peephole --with-projection "
               "--with-src-iter --with-dst-iter --trivial-strides --diff-wtag --attr-rnn",
    .usual_alg = alg::vanilla_rnn,
    .sources = Sources::of_cell,
    .dst_layout = Open::always,
    .read_dims = read_dims,
    .print_dims = print_dims,
    .describe = describe,
    .add_attr = add_attr,
    .create = create,
    .make = make,
    .adds = true,
    .multiplies = true,
    .values = [](const Problem&, DataType) { return Values::fractions; },
    .bounds = bounds,
    .driver = "--rnn",
    .tag = "any",
    .keys = "--prop --cfg",
};

} // namespace tessera::primitives::rnn
