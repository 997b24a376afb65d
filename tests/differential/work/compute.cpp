// SPDX-License-Identifier: Apache-2.0
#include "compute.hpp"

#include <algorithm>
#include <cstdio>

#include "../answer.hpp"
#include "../formula/formula.hpp"
#include "../primitives/row.hpp"
#include "attributes.hpp"
#include "data.hpp"
#include "layout.hpp"
#include "operands.hpp"
#include "post_ops.hpp"

namespace differential {
namespace {

Tensor read(Buffer& buffer, const Type& t, const_dnnl_memory_desc_t md, const Dims& dims) {
    Tensor out{dims, std::vector<double>(size_t(volume(dims)))};
    each_element(md, false, [&](int64_t i, int64_t offset) {
        out.values[size_t(i)] = double(float(decode(t, load(buffer.data(), t, offset))));
    });
    return out;
}

// The buffers and values of one run.
struct Run {
    const Problem& p;
    const_dnnl_primitive_desc_t pd;
    Arguments arguments;
    dnnl_status_t status = dnnl_success;
    uint64_t salt = 0; // each tensor its own values

    void keep_first(dnnl_status_t next) { status = status == dnnl_success ? next : status; }

    // A descriptor's size leaves out its offset: a view needs the buffer of the whole.
    Buffer& allocate(const Operand& operand, size_t least = 0) {
        const bool view = operand.described.view.value != nullptr;
        const auto md = view ? operand.described.whole.value : operand.resolved(pd);
        return arguments.buffers.emplace_back(std::max(least, dnnl_memory_desc_get_size(md)));
    }

    Tensor input(const Operand& operand, Buffer*& buffer) {
        const auto md = operand.resolved(pd);
        const Type& t = *type(operand.side.type);
        buffer = &allocate(operand);
        Problem salted = p;
        salted.seed = p.seed + 1000 * salt++;
        if (operand.is_condition())
            fill_condition(*buffer, salted.seed);
        else if (row_of(p).has_fractions)
            fill_fractions(*buffer, salted.seed, md, t);
        else if (operand.argument == DNNL_ARG_VARIANCE)
            fill_variance(*buffer, salted.seed);
        else
            fill_source(*buffer, salted, md, t);
        keep_first(arguments.add(operand.argument, md, cpu().engine, buffer->data()));
        return read(*buffer, t, md, operand.side.dims);
    }

    Buffer& output(const Operand& operand, Buffer* in_place) {
        Buffer& buffer = in_place ? *in_place : allocate(operand);
        const auto md = operand.resolved(pd);
        const Type& t = *type(operand.side.type);
        if (!in_place) operand.is_open() ? fill_destination(buffer, t, md) : fill_destination(buffer, t);
        keep_first(arguments.add(operand.argument, md, cpu().engine, buffer.data()));
        return buffer;
    }

    void scratchpad() {
        if (!p.user_scratchpad) return;
        const auto md = dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
        Buffer& buffer = arguments.buffers.emplace_back(dnnl_memory_desc_get_size(md));
        if (buffer.size()) keep_first(arguments.add(DNNL_ARG_SCRATCHPAD, md, cpu().engine, buffer.data()));
    }
};

struct PostOpTensors {
    Tensor operand, condition;
};

PostOpTensors post_op_tensors(Run& run, size_t i) {
    PostOpTensors out;
    Buffer* buffer;
    for (const Operand& operand : post_op_operands(run.p, i))
        (operand.is_condition() ? out.condition : out.operand) = run.input(operand, buffer);
    return out;
}

// Where the primitive chose the layout, libraries may choose differently: the elements alone, in logical order.
Buffer packed(Buffer& buffer, const Operand& operand, const_dnnl_memory_desc_t md) {
    const Type& t = *type(operand.side.type);
    Buffer out(size_t(volume(operand.side.dims)) * size_t(t.bits / 8));
    each_element(md, false,
                 [&](int64_t i, int64_t offset) { store(out.data(), t, i, load(buffer.data(), t, offset)); });
    return out;
}

// Inputs as the formulas take them: scaled, in f32.
void scale(const Problem& p, const std::vector<Operand>& operands, std::vector<Tensor>& inputs) {
    for (const auto& q : p.scales)
        for (size_t i = 0; i < inputs.size(); ++i)
            if (operands[i].argument == argument_of(q))
                for (double& v : inputs[i].values) v = double(float(v * scale_value(p, q)));
}

// The same of products, whose factors vary along dims, without zero points.
void dequantize(const Problem& p, std::vector<Tensor>& inputs) {
    for (size_t i = 0; i < 2; ++i) {
        const std::string argument = i == 0 ? "src" : "wei";
        const Factors scales = scales_of(p, argument), zero_points = zero_points_of(p, argument);
        Tensor& t = inputs[i];
        for (size_t k = 0; k < t.values.size(); ++k)
            t.values[k] = (t.values[k] - zero_points.at(int64_t(k), t.dims)) * scales.at(int64_t(k), t.dims);
    }
}

std::string expectations(const Problem& p, const std::vector<Tensor>& inputs, const std::vector<PostOpTensors>& posts,
                         const Tensor& old, const_dnnl_memory_desc_t md, bool is_packed) {
    const bool products = multiplies(p), quantized = products || (row_of(p).scales_results && p.want.empty());
    const double of_results = row_of(p).scales_results ? scales_of(p, "src").values[0] : 1;
    std::vector<Expected> all = expected_output(p, inputs);
    const Factors scales = quantized ? scales_of(p, "dst") : Factors{{1}, 0, {}};
    const Factors zero_points = products ? zero_points_of(p, "dst") : Factors{{0}, 0, {}};
    std::string text = " ";
    each_element(md, false, [&](int64_t i, int64_t offset) {
        Expected& e = all[size_t(i)];
        if (row_of(p).scales_results) e.value *= of_results, e.slack *= of_results;
        for (size_t k = 0; k < posts.size(); ++k) {
            PostOpInputs in{old.values[size_t(i)], 0, false};
            if (!posts[k].operand.dims.empty()) in.operand = posts[k].operand.at(i, old.dims);
            if (!posts[k].condition.dims.empty()) in.condition = posts[k].condition.at(i, old.dims) != 0;
            apply_post_op(p.post_ops[k], in, e);
        }
        if (quantized) quantize(scales.at(i, p.dst.dims), zero_points.at(i, p.dst.dims), e);
        char element[96];
        std::snprintf(element, sizeof element, "%lld:%.17g:%.6g:%d,", (long long)(is_packed ? i : offset), e.value,
                      e.slack, int(e.special));
        text += element;
    });
    return text;
}

std::string run_problem(const Problem& p, const Operands& operands, const_dnnl_primitive_desc_t pd,
                        const_dnnl_primitive_t primitive, bool with_bytes) {
    Run run{p, pd, {}};
    std::vector<Tensor> inputs;
    Buffer *first = nullptr, *buffer = nullptr; // of the input that dst may overwrite: diff_dst of a gradient
    const size_t overwritten = is_backward(p) ? operands.inputs.size() - 1 : 0;
    for (size_t i = 0; i < operands.inputs.size(); ++i) {
        inputs.push_back(run.input(operands.inputs[i], buffer));
        if (i == overwritten) first = buffer;
    }
    std::vector<PostOpTensors> posts;
    for (size_t i = 0; i < p.post_ops.size(); ++i) posts.push_back(post_op_tensors(run, i));
    const Operand& judged = operands.outputs[0];
    Buffer& to = run.output(judged, p.in_place ? first : nullptr);
    for (size_t i = 1; i < operands.outputs.size(); ++i) run.output(operands.outputs[i], nullptr);
    run.keep_first(add_factors(p, cpu().engine, run.arguments));
    run.scratchpad();
    if (run.status == dnnl_success) run.keep_first(prepare(p, operands, pd, run.arguments));
    if (run.status != dnnl_success) return refused("memory", run.status);

    const Tensor old = read(to, *type(judged.side.type), judged.resolved(pd), judged.side.dims);
    const bool open = judged.is_open();
    const auto comparable = [&] { return open ? packed(to, judged, judged.resolved(pd)) : to; };
    Buffer start = comparable();
    dnnl_status_t status =
        dnnl_primitive_execute(primitive, cpu().stream, int(run.arguments.list.size()), run.arguments.list.data());
    if (status == dnnl_success) status = dnnl_stream_wait(cpu().stream);
    if (status != dnnl_success) return refused("execute", status);
    for (const Buffer& each : run.arguments.buffers)
        if (!each.canaries_intact()) return "overrun:buffer";
    Buffer result = comparable();
    const std::string answer = answer_of(result, hash(start), with_bytes);
    if (!with_bytes || !has_formula(p)) return answer;
    if (multiplies(p))
        dequantize(p, inputs);
    else if (!row_of(p).scales_results)
        scale(p, operands.inputs, inputs);
    return answer + expectations(p, inputs, posts, old, judged.resolved(pd), open);
}

} // namespace

std::string execute_many(const Problem& p, bool with_bytes) {
    const Operands operands = operands_of(p);
    if (!operands.answer.empty()) return operands.answer;
    Attributes attr;
    dnnl_primitive_attr_create(&attr.value);
    std::string skip;
    if (const auto s = set_attributes(p, attr.value, skip); s != dnnl_success) return refused("attr", s);
    PrimitiveDescriptor pd;
    if (skip.empty())
        if (const auto s = create(p, operands, attr.value, pd, skip); s != dnnl_success) return refused("pd", s);
    if (!skip.empty()) return "skip:" + skip;
    Primitive primitive;
    if (const auto s = dnnl_primitive_create(&primitive.value, pd.value); s != dnnl_success)
        return refused("primitive", s);
    for (const auto* list : {&operands.inputs, &operands.outputs})
        for (const Operand& operand : *list)
            if (dims_of(operand.resolved(pd.value)) != operand.side.dims) return "pd:other-dims";
    return run_problem(p, operands, pd.value, primitive.value, with_bytes);
}

} // namespace differential
