// SPDX-License-Identifier: Apache-2.0
#include "execute.hpp"

#include <algorithm>

#include "../answer.hpp"
#include "../primitives/row.hpp"
#include "attributes.hpp"
#include "compute.hpp"
#include "data.hpp"
#include "operands.hpp"

namespace differential {
namespace {

// Fills the buffers, executes, and compares what lies around the buffers.
std::string run(const Problem& p, const_dnnl_primitive_desc_t pd, const_dnnl_primitive_t primitive, const Operand& src,
                const Operand& dst, bool with_bytes) {
    const dnnl_engine_t engine = cpu().engine;
    Arguments arguments;
    Buffer& from = arguments.buffers.emplace_back(dnnl_memory_desc_get_size(src.described.whole.value));
    fill_source(from, p, src.md(), *type(p.src.type));
    const const_dnnl_memory_desc_t to_md = dst.resolved(pd);
    size_t to_size = dnnl_memory_desc_get_size(dst.described.whole.value);
    // The size of a descriptor leaves out its offset: where src is a view, dst is one into as large a buffer.
    if (dst.is_open()) to_size = std::max(dnnl_memory_desc_get_size(to_md), from.size());
    Buffer& to = arguments.buffers.emplace_back(to_size);
    fill_destination(to, *type(p.dst.type));
    const uint64_t before = hash(to);

    dnnl_status_t status = arguments.add(src.argument, src.md(), engine, from.data());
    if (status == dnnl_success) status = arguments.add(dst.argument, to_md, engine, to.data());
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
    if (!row_of(p).copies) return execute_many(p, with_bytes);
    const Operands operands = operands_of(p, p.runtime_mask);
    const Operand &src = operands.inputs[0], &dst = operands.outputs[0];
    if (const std::string& skip = src.described.skip + dst.described.skip; !skip.empty()) return "skip:" + skip;
    if (src.described.status != dnnl_success) return refused("src", src.described.status);
    if (dst.described.status != dnnl_success) return refused("dst", dst.described.status);

    Attributes attr;
    dnnl_primitive_attr_create(&attr.value);
    std::string skip;
    if (const auto status = set_attributes(p, attr.value, skip); status != dnnl_success) return refused("attr", status);
    if (!skip.empty()) return "skip:" + skip;

    PrimitiveDescriptor pd;
    if (const auto created = create(p, operands, attr.value, pd, skip); created != dnnl_success)
        return refused("pd", created);

    Primitive primitive;
    if (const auto status = dnnl_primitive_create(&primitive.value, pd.value); status != dnnl_success)
        return refused("primitive", status);
    if (!p.runtime_mask) return run(p, pd.value, primitive.value, src, dst, with_bytes);
    const Operands actual = operands_of(p);
    if (!actual.answer.empty()) return "skip:actual dims";
    return run(p, pd.value, primitive.value, actual.inputs[0], actual.outputs[0], with_bytes);
}

} // namespace differential
