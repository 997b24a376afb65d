#include "pointwise_execute.hpp"

#include <cstdio>

#include "answer.hpp"
#include "attributes.hpp"
#include "data.hpp"
#include "layout.hpp"
#include "pointwise.hpp"

namespace differential {
namespace {

// The values of a tensor by logical index, f32 as every kernel reads them.
struct Tensor {
    Dims dims;
    std::vector<double> values;

    // The element under `linear` of a tensor of `outer` dims, where a dim of 1 is broadcast.
    double at(int64_t linear, const Dims& outer) const {
        int64_t place = 0, step = 1;
        for (size_t d = outer.size(); d-- > 0; linear /= outer[d]) {
            if (dims[d] != 1) place += linear % outer[d] * step;
            step *= dims[d];
        }
        return values[size_t(place)];
    }
};

struct Run {
    const Problem& p;
    Arguments arguments;

    dnnl_status_t input(int argument, const_dnnl_memory_desc_t md, const Side& side, uint64_t salt, Tensor& out) {
        Buffer& buffer = arguments.buffers.emplace_back(dnnl_memory_desc_get_size(md));
        const Type& t = *type(side.type);
        Problem salted = p;
        salted.seed = p.seed + 1000 * salt; // each tensor its own values
        fill_source(buffer, salted, md, t);
        out.dims = side.dims;
        out.values.resize(size_t(volume(side.dims)));
        each_element(md, false, [&](int64_t i, int64_t offset) {
            out.values[size_t(i)] = double(float(decode(t, load(buffer.data(), t, offset))));
        });
        return arguments.add(argument, md, cpu().engine, buffer.data());
    }
};

Side side_of_post_op(const Problem& p, const PostOp& op) {
    Side side{op.type, "", p.dst.dims, {}, {}, {}};
    for (size_t d = 0; d < side.dims.size(); ++d) {
        side.tag += char('a' + d);
        if (!(int(op.scale) >> d & 1)) side.dims[d] = 1;
    }
    return side;
}

bool is_binary(const PostOp& op) { return find_algorithm(binary_algorithms(), op.kind) != nullptr; }

dnnl_alg_kind_t id_of(const std::vector<Algorithm>& all, const Problem& p) {
    const Algorithm* found = find_algorithm(all, p.algorithm);
    return found ? dnnl_alg_kind_t(found->id) : dnnl_alg_kind_undef;
}

dnnl_status_t create(const Problem& p, const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t other,
                     const_dnnl_memory_desc_t dst, const_dnnl_primitive_attr_t attr, PrimitiveDescriptor& pd) {
    const auto engine = cpu().engine;
    const auto alpha = float(p.alpha), beta = float(p.beta);
    if (p.primitive == "binary")
        return dnnl_binary_primitive_desc_create(&pd.value, engine, id_of(binary_algorithms(), p), src, other, dst,
                                                 attr);
    const auto alg = id_of(eltwise_algorithms(), p);
    if (p.direction == "BWD_D")
        return dnnl_eltwise_backward_primitive_desc_create(&pd.value, engine, alg, dst, src, src, alpha, beta, nullptr,
                                                           attr);
    const auto prop = p.direction == "FWD_I" ? dnnl_forward_inference : dnnl_forward_training;
    return dnnl_eltwise_forward_primitive_desc_create(&pd.value, engine, prop, alg, src, dst, alpha, beta, attr);
}

std::string run(const Problem& p, const_dnnl_primitive_desc_t pd, const_dnnl_primitive_t primitive,
                const Described& src, const Described& other, const Described& dst, bool with_bytes) {
    const bool eltwise = p.primitive == "eltwise", backward = eltwise && p.direction == "BWD_D";
    const bool from_dst = backward && p.algorithm.size() > 4 && p.algorithm.rfind("_dst") == p.algorithm.size() - 4;
    Run run{p, {}};
    Tensor left, right;
    dnnl_status_t status = run.input(from_dst ? DNNL_ARG_DST : DNNL_ARG_SRC, src.md(), p.src, 0, left);
    const auto keep_first = [&](dnnl_status_t next) { status = status == dnnl_success ? next : status; };
    if (backward) keep_first(run.input(DNNL_ARG_DIFF_DST, src.md(), p.src, 1, right));
    if (!eltwise) keep_first(run.input(DNNL_ARG_SRC_1, other.md(), p.other, 1, right));
    std::vector<Tensor> post(p.post_ops.size());
    for (size_t i = 0; i < p.post_ops.size(); ++i) {
        if (!is_binary(p.post_ops[i])) continue;
        const Side side = side_of_post_op(p, p.post_ops[i]);
        const Described md = describe(side, 0);
        keep_first(run.input(DNNL_ARG_ATTR_MULTIPLE_POST_OP(int(i)) | DNNL_ARG_SRC_1, md.md(), side, i + 2, post[i]));
    }
    const auto to_md = p.dst.tag == "any"
                           ? dnnl_primitive_desc_query_md(pd, backward ? dnnl_query_diff_src_md : dnnl_query_dst_md, 0)
                           : dst.md();
    Buffer& to = run.arguments.buffers.emplace_back(dnnl_memory_desc_get_size(to_md));
    const Type& t = *type(p.dst.type);
    fill_destination(to, t);
    const uint64_t before = hash(to);
    keep_first(run.arguments.add(backward ? DNNL_ARG_DIFF_SRC : DNNL_ARG_DST, to_md, cpu().engine, to.data()));
    if (status != dnnl_success) return refused("memory", status);
    status = dnnl_primitive_execute(primitive, cpu().stream, int(run.arguments.list.size()), run.arguments.list.data());
    if (status == dnnl_success) status = dnnl_stream_wait(cpu().stream);
    if (status != dnnl_success) return refused("execute", status);
    for (const Buffer& buffer : run.arguments.buffers)
        if (!buffer.canaries_intact()) return "overrun:buffer";
    std::string answer = answer_of(to, before, with_bytes);
    if (!with_bytes) return answer;
    answer += " ";
    each_element(to_md, false, [&](int64_t i, int64_t offset) {
        const double l = left.at(i, p.dst.dims), r = right.values.empty() ? 0 : right.at(i, p.dst.dims);
        Expected e = backward  ? eltwise_backward(p.algorithm, double(float(p.alpha)), double(float(p.beta)), l, r)
                     : eltwise ? eltwise_forward(p.algorithm, double(float(p.alpha)), double(float(p.beta)), l)
                               : binary(p.algorithm, l, r);
        for (size_t k = 0; k < post.size(); ++k)
            if (is_binary(p.post_ops[k])) apply_binary(p.post_ops[k].kind, post[k].at(i, p.dst.dims), e);
        char text[96];
        std::snprintf(text, sizeof text, "%lld:%.17g:%.6g:%d,", (long long)offset, e.value, e.slack, int(e.special));
        answer += text;
    });
    return answer;
}

} // namespace

std::string execute_pointwise(const Problem& p, bool with_bytes) {
    const Described src = describe(p.src, 0), dst = describe(p.dst, 0);
    const Described other = p.primitive == "binary" ? describe(p.other, 0) : Described{};
    if (!src.skip.empty() || !dst.skip.empty() || !other.skip.empty()) return "skip:" + src.skip + dst.skip;
    if (src.status != dnnl_success) return refused("src", src.status);
    if (other.status != dnnl_success) return refused("other", other.status);
    if (dst.status != dnnl_success) return refused("dst", dst.status);
    Attributes attr;
    PostOps list;
    dnnl_primitive_attr_create(&attr.value);
    dnnl_post_ops_create(&list.value);
    for (const auto& op : p.post_ops) {
        const Algorithm* alg = find_algorithm(binary_algorithms(), op.kind);
        if (!alg) return "skip:post-op " + op.kind;
        const Described md = describe(side_of_post_op(p, op), 0);
        if (!md.skip.empty() || md.status != dnnl_success) return "skip:post-op layout";
        const auto status = dnnl_post_ops_append_binary(list.value, dnnl_alg_kind_t(alg->id), md.md());
        if (status != dnnl_success) return refused("attr", status);
    }
    if (const auto s = dnnl_primitive_attr_set_post_ops(attr.value, list.value); s != dnnl_success)
        return refused("attr", s);
    PrimitiveDescriptor pd;
    if (const auto s = create(p, src.md(), other.md(), dst.md(), attr.value, pd); s != dnnl_success)
        return refused("pd", s);
    Primitive primitive;
    if (const auto s = dnnl_primitive_create(&primitive.value, pd.value); s != dnnl_success)
        return refused("primitive", s);
    return run(p, pd.value, primitive.value, src, other, dst, with_bytes);
}

} // namespace differential
