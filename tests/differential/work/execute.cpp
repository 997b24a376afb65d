#include "execute.hpp"

#include <algorithm>

#include "../answer.hpp"
#include "attributes.hpp"
#include "compute.hpp"
#include "data.hpp"
#include "layout.hpp"

namespace differential {
namespace {

dnnl_status_t create_shuffle(const Problem& p, const_dnnl_memory_desc_t from, const_dnnl_memory_desc_t to,
                             const_dnnl_primitive_attr_t attr, PrimitiveDescriptor& pd) {
    const dnnl_engine_t engine = cpu().engine;
    if (p.direction != "BWD_D") {
        const auto prop = p.direction == "FWD_I" ? dnnl_forward_inference : dnnl_forward_training;
        return dnnl_shuffle_forward_primitive_desc_create(&pd.value, engine, prop, from, to, p.axis, p.group, attr);
    }
    PrimitiveDescriptor hint;
    const auto status = dnnl_shuffle_forward_primitive_desc_create(&hint.value, engine, dnnl_forward_training, from,
                                                                   from, p.axis, p.group, nullptr);
    if (status != dnnl_success) return status;
    return dnnl_shuffle_backward_primitive_desc_create(&pd.value, engine, to, from, p.axis, p.group, hint.value, attr);
}

// Fills the buffers, executes, and compares what lies around the buffers.
std::string run(const Problem& p, const_dnnl_primitive_desc_t pd, const_dnnl_primitive_t primitive,
                const Described& src, const Described& dst, bool with_bytes) {
    const bool shuffle = p.primitive == "shuffle", backward = p.direction == "BWD_D";
    const dnnl_engine_t engine = cpu().engine;
    Arguments arguments;
    Buffer& from = arguments.buffers.emplace_back(dnnl_memory_desc_get_size(src.whole.value));
    fill_source(from, p, src.md(), *type(p.src.type));
    const_dnnl_memory_desc_t to_md = dst.md();
    size_t to_size = dnnl_memory_desc_get_size(dst.whole.value);
    if (p.dst.tag == "any") {
        to_md = dnnl_primitive_desc_query_md(pd, shuffle && backward ? dnnl_query_diff_src_md : dnnl_query_dst_md, 0);
        // The size of a descriptor leaves out its offset: where src is a view, dst is one into as large a buffer.
        to_size = std::max(dnnl_memory_desc_get_size(to_md), from.size());
    }
    Buffer& to = arguments.buffers.emplace_back(to_size);
    fill_destination(to, *type(p.dst.type));
    const uint64_t before = hash(to);

    dnnl_status_t status =
        arguments.add(shuffle && backward ? DNNL_ARG_DIFF_DST : DNNL_ARG_SRC, src.md(), engine, from.data());
    if (status == dnnl_success)
        status = arguments.add(shuffle && backward ? DNNL_ARG_DIFF_SRC : DNNL_ARG_DST, to_md, engine, to.data());
    if (status == dnnl_success) status = add_factors(p, engine, arguments);
    if (status == dnnl_success && p.user_scratchpad) {
        const auto md = dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
        Buffer& scratchpad = arguments.buffers.emplace_back(dnnl_memory_desc_get_size(md));
        if (scratchpad.size()) status = arguments.add(DNNL_ARG_SCRATCHPAD, md, engine, scratchpad.data());
    }
    if (status != dnnl_success) return refused("memory", status);

    status = dnnl_primitive_execute(primitive, cpu().stream, int(arguments.list.size()), arguments.list.data());
    if (status == dnnl_success) status = dnnl_stream_wait(cpu().stream);
    if (status != dnnl_success) return refused("execute", status);
    if (!from.canaries_intact()) return "overrun:src";
    if (!to.canaries_intact()) return "overrun:dst";
    for (const Buffer& buffer : arguments.buffers)
        if (!buffer.canaries_intact()) return "overrun:attribute";
    return answer_of(to, before, with_bytes);
}

} // namespace

std::string execute(const Problem& p, bool with_bytes) {
    if (p.extension) return "skip:extension-" + *p.extension;
    if (p.primitive != "reorder" && p.primitive != "shuffle") return execute_many(p, with_bytes);
    const Described src = describe(p.src, p.runtime_mask), dst = describe(p.dst, p.runtime_mask);
    if (!src.skip.empty() || !dst.skip.empty()) return "skip:" + src.skip + dst.skip;
    if (src.status != dnnl_success) return refused("src", src.status);
    if (dst.status != dnnl_success) return refused("dst", dst.status);

    Attributes attr;
    dnnl_primitive_attr_create(&attr.value);
    std::string skip;
    if (const auto status = set_attributes(p, attr.value, skip); status != dnnl_success) return refused("attr", status);
    if (!skip.empty()) return "skip:" + skip;

    PrimitiveDescriptor pd;
    const auto created =
        p.primitive == "shuffle"
            ? create_shuffle(p, src.md(), dst.md(), attr.value, pd)
            : dnnl_reorder_primitive_desc_create(&pd.value, src.md(), cpu().engine, dst.md(), cpu().engine, attr.value);
    if (created != dnnl_success) return refused("pd", created);

    Primitive primitive;
    if (const auto status = dnnl_primitive_create(&primitive.value, pd.value); status != dnnl_success)
        return refused("primitive", status);
    if (!p.runtime_mask) return run(p, pd.value, primitive.value, src, dst, with_bytes);
    const Described actual_src = describe(p.src, 0), actual_dst = describe(p.dst, 0);
    if (actual_src.status != dnnl_success || actual_dst.status != dnnl_success) return "skip:actual dims";
    return run(p, pd.value, primitive.value, actual_src, actual_dst, with_bytes);
}

} // namespace differential
