// Making the objects of an experiment; the data are in experiment_data.*, the comparison in compare.*.
#include "experiment.hpp"

#include <oneapi/dnnl/dnnl.hpp>

#include "api/handles.hpp"
#include "compare.hpp"
#include "experiment_data.hpp"
#include "guarded_buffer.hpp"
#include "ops/ops.hpp"

namespace tessera {
namespace {

using dnnl::memory;

memory::desc wrap(const MemoryDesc& md) { return memory::desc(new dnnl_memory_desc{md}); }

Result<MemoryDesc> make_plain(const LineTensor& tensor, std::span<const int64_t> dims) {
    if (!tensor.strides.empty()) return make_desc_with_strides(dims, tensor.type, tensor.strides);
    if (tensor.tag == "any") return make_desc_any(dims, tensor.type);
    if (tensor.tag == "undef") return make_desc_undef(dims, tensor.type);
    return make_desc_with_tag(dims, tensor.type, tensor.tag);
}

// `whole`: the descriptor of the buffer, which a view shares with its parent.
struct MadeTensor {
    MemoryDesc md, whole;
};
Result<MadeTensor> make_tensor(const LineTensor& tensor, std::span<const int64_t> dims) {
    if (tensor.parent_dims.empty())
        return make_plain(tensor, dims).map([](const MemoryDesc& md) { return MadeTensor{md, md}; });
    const auto parent = make_plain(tensor, tensor.parent_dims);
    if (!parent) return Refusal(parent.error());
    return submemory(*parent, dims, tensor.view_offsets).map([&](const MemoryDesc& md) {
        return MadeTensor{md, *parent};
    });
}

Result<MadeTensor> make_dst(const ProblemLine& line, std::span<const int64_t> dims) {
    auto made = make_tensor(line.dst, dims);
    if (!made || line.extra.flags == Extra::none) return made;
    const auto md = with_extra(made->md, line.extra);
    if (!md) return Refusal(md.error());
    return MadeTensor{*md, *md};
}

std::vector<int64_t> runtime_dims(const ProblemLine& line) {
    std::vector<int64_t> dims = line.dims;
    for (size_t d = 0; d < dims.size(); ++d)
        if (line.runtime_mask >> d & 1) dims[d] = runtime_dim;
    return dims;
}

int64_t masked_count(int mask, std::span<const int64_t> dims) {
    int64_t count = 1;
    for (size_t d = 0; d < dims.size(); ++d)
        if (mask >> d & 1) count *= dims[d];
    return count;
}

template <typename F> Result<void> outcome(F&& work) {
    try {
        work();
        return {};
    } catch (const dnnl::error& e) {
        return Refusal(Error{Status(e.status), e.what()});
    } catch (const std::bad_alloc&) { return out_of_memory("the buffers of this problem do not fit into memory"); }
}

Result<dnnl::primitive_attr> make_attr(const ProblemLine& line, std::vector<float>& output_scale_values) {
    dnnl::primitive_attr attr;
    const auto made = outcome([&] {
        for (const LineQuant& q : line.scales) {
            const auto type = memory::data_type(int(q.quant.type));
            if (q.quant.on_host)
                attr.set_host_scale(q.arg, type);
            else if (q.quant.groups.empty() && q.quant.type == DataType::f32)
                attr.set_scales_mask(q.arg, q.quant.mask);
            else
                attr.set_scales(q.arg, q.quant.mask, q.quant.groups, type);
        }
        for (const LineQuant& q : line.zero_points) {
            const auto type = memory::data_type(int(q.quant.type));
            if (q.quant.on_host)
                attr.set_host_zero_point(q.arg, type);
            else if (q.quant.groups.empty() && q.quant.type == DataType::s32)
                attr.set_zero_points_mask(q.arg, q.quant.mask);
            else
                attr.set_zero_points(q.arg, q.quant.mask, q.quant.groups, type);
        }
        dnnl::post_ops post_ops;
        for (const LinePostOp& p : line.post_ops)
            if (p.kind == "sum")
                post_ops.append_sum(p.beta, p.zero_point, memory::data_type(int(p.type)));
            else
                post_ops.append_eltwise(dnnl::algorithm::eltwise_relu, 0.f, 0.f);
        if (!line.post_ops.empty()) attr.set_post_ops(post_ops);
        if (line.user_scratchpad) attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
        if (line.fpmath != FpmathMode::strict) attr.set_fpmath_mode(dnnl::fpmath_mode(int(line.fpmath)));
    });
    if (!made) return Refusal(made.error());
    if (line.output_scales) {                     // no call of the public interface sets these
        const uint32_t unknown_bits = 0x7fc000d0; // DNNL_RUNTIME_F32_VAL
        float unknown;
        std::memcpy(&unknown, &unknown_bits, sizeof unknown);
        const std::vector<float> values =
            line.output_scales->at_execution ? std::vector<float>{unknown} : output_scale_values;
        if (auto ok = attr.get()->value.set_output_scales(line.output_scales->mask, values); !ok)
            return Refusal(ok.error());
    }
    return attr;
}

dnnl::shuffle_forward::primitive_desc shuffle_hint(const dnnl::engine& engine, const memory::desc& data, int axis,
                                                   int group) {
    const auto any = memory::desc(data.get_dims(), data.get_data_type(), memory::format_tag::any);
    return {engine, dnnl::prop_kind::forward_training, data, any, axis, group};
}

dnnl::primitive_desc_base make_primitive_desc(const ProblemLine& line, const dnnl::engine& engine,
                                              const memory::desc& src, const memory::desc& dst,
                                              const dnnl::primitive_attr& attr) {
    if (line.kind == PrimitiveKind::reorder) return dnnl::reorder::primitive_desc(engine, src, engine, dst, attr);
    if (line.prop != PropKind::backward_data)
        return dnnl::shuffle_forward::primitive_desc(engine, dnnl::prop_kind(int(line.prop)), src, dst, line.axis,
                                                     int(line.group), attr);
    dnnl::shuffle_forward::primitive_desc hint;
    try {
        hint = shuffle_hint(engine, dst, line.axis, int(line.group));
    } catch (const dnnl::error&) { // the line's refusal has to come from the backward call: any forward hint does
        hint = shuffle_hint(engine, memory::desc({2, 4}, memory::data_type::f32, memory::format_tag::ab), 1, 2);
    }
    return dnnl::shuffle_backward::primitive_desc(engine, src, dst, line.axis, int(line.group), hint, attr);
}

memory host_scalar(DataType type, const void* value) {
    const auto desc = memory::desc::host_scalar(memory::data_type(int(type)));
    const auto as = [&]<typename T>(T typed) {
        std::memcpy(&typed, value, sizeof typed);
        return memory(desc, typed);
    };
    if (type == DataType::f32) return as(0.f);
    switch (bits(type)) {
    case 32:
        return as(int32_t(0));
    case 16:
        return as(uint16_t(0));
    default:
        return type == DataType::s8 ? as(int8_t(0)) : as(uint8_t(0));
    }
}

} // namespace

struct Experiment::Parts {
    ProblemLine line;
    Data data;
    Problem problem;
    dnnl::engine engine;
    dnnl::stream stream;
    dnnl::primitive primitive;
    std::string implementation;
    std::unordered_map<int, memory> arguments;
    ops::Buffers buffers; // the same, for the oracle
    std::vector<GuardedBuffer> owned;
    MemoryDesc out, out_whole;
    int in_arg = arg::src, out_arg = arg::dst;
    size_t out_buffer = 0; // index into owned

    GuardedBuffer::Placement placement() const {
        return data == Data::hostile && seed_of(line) % 2 == 0 ? GuardedBuffer::Placement::end_at_guard
                                                               : GuardedBuffer::Placement::aligned;
    }
    uint8_t* add(int id, const MemoryDesc& md, size_t bytes) {
        owned.emplace_back(bytes, placement());
        arguments[id] = memory(wrap(md), engine, owned.back().data());
        buffers[id] = owned.back().data();
        return owned.back().data();
    }
    void add_vector(int id, DataType type, int64_t count, Fill fill);
    void add_quants();
    void make_data(const MadeTensor& in, const MadeTensor& dst);
};

void Experiment::Parts::add_vector(int id, DataType type, int64_t count, Fill fill) {
    const int64_t dims[] = {count};
    const auto md = make_desc_with_tag(dims, type, "a");
    if (!md) throw dnnl::error(dnnl_status_t(int(md.error().status)), md.error().reason.c_str());
    fill_dense(add(id, *md, size_of(*md)), type, count, fill, seed_of(line) + uint64_t(id));
}

void Experiment::Parts::add_quants() {
    for (const QuantArg& q : quant_args(problem)) {
        const bool scales = (q.id & arg::scales) != 0;
        add_vector(q.id, q.quant.type, q.count, scales ? Fill::scales : Fill::zero_points);
        if (q.quant.on_host) arguments[q.id] = host_scalar(q.quant.type, buffers[q.id]);
    }
    if (line.output_scales && line.output_scales->at_execution)
        add_vector(arg::output_scales, DataType::f32, masked_count(line.output_scales->mask, line.dims), Fill::scales);
}

void Experiment::Parts::make_data(const MadeTensor& in, const MadeTensor& destination) {
    const auto filled = [&](int id, const MadeTensor& t, uint64_t salt) {
        uint8_t* bytes = add(id, t.md, size_of(t.whole));
        if (data == Data::hostile)
            fill_hostile(bytes, size_of(t.whole), t.md, seed_of(line) + salt);
        else
            fill_dense(bytes, t.md.type, int64_t(size_of(t.whole)) * 8 / bits(t.md.type), Fill::small,
                       seed_of(line) + salt);
    };
    filled(in_arg, in, 1);
    out_buffer = owned.size();
    out = destination.md;
    out_whole = destination.whole;
    filled(out_arg, destination, 2);
}

Experiment::Experiment(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Experiment::Experiment(Experiment&&) noexcept = default;
Experiment& Experiment::operator=(Experiment&&) noexcept = default;
Experiment::~Experiment() = default;

Result<Experiment> Experiment::make(const ProblemLine& line, Data data) {
    auto parts = std::make_unique<Parts>();
    parts->line = line;
    parts->data = data;
    const bool backward = line.prop == PropKind::backward_data;

    auto src = make_tensor(line.src, line.dims), dst = make_dst(line, line.dims);
    if (!src) return Refusal(src.error());
    if (!dst) return Refusal(dst.error());
    std::vector<float> output_scales;
    if (line.output_scales) {
        output_scales.resize(size_t(masked_count(line.output_scales->mask, line.dims)));
        fill_dense(output_scales.data(), DataType::f32, int64_t(output_scales.size()), Fill::scales, seed_of(line));
    }
    auto attr = make_attr(line, output_scales);
    if (!attr) return Refusal(attr.error());

    const auto made = outcome([&] {
        parts->engine = dnnl::engine(dnnl::engine::kind::cpu, 0);
        parts->stream = dnnl::stream(parts->engine);
    });
    if (!made) return Refusal(made.error());

    MemoryDesc pd_src = src->md, pd_dst = dst->md;
    if (line.runtime_mask != 0) {
        const auto dims = runtime_dims(line);
        const auto rt_src = make_tensor(line.src, dims), rt_dst = make_dst(line, dims);
        if (!rt_src) return Refusal(rt_src.error());
        if (!rt_dst) return Refusal(rt_dst.error());
        pd_src = rt_src->md;
        pd_dst = rt_dst->md;
    }
    dnnl::primitive_desc_base pd;
    const auto created = outcome([&] {
        pd = make_primitive_desc(line, parts->engine, wrap(pd_src), wrap(pd_dst), *attr);
        parts->primitive = dnnl::primitive(pd.get());
        parts->implementation = pd.impl_info_str();
    });
    if (!created) return Refusal(created.error());

    // What the primitive made of `any`.
    if (src->md.kind == FormatKind::any) src->md = src->whole = pd.query_md(dnnl::query::diff_src_md).get()->md;
    const auto dst_query = backward ? dnnl::query::diff_dst_md : dnnl::query::dst_md;
    if (dst->md.kind == FormatKind::any) dst->md = dst->whole = pd.query_md(dst_query).get()->md;
    const Attr& value = attr->get()->value;
    auto problem = line.kind == PrimitiveKind::reorder
                       ? ops::make_reorder(src->md, dst->md, value)
                       : ops::make_shuffle(line.prop, src->md, dst->md, line.axis, line.group, value);
    if (!problem)
        return runtime_error("the primitive was created, but its concrete problem is refused: {}",
                             problem.error().reason);
    parts->problem = std::move(*problem);
    parts->in_arg = backward ? arg::diff_dst : arg::src;
    parts->out_arg = backward ? arg::diff_src : arg::dst;

    const auto filled = outcome([&] {
        parts->make_data(backward ? *dst : *src, backward ? *src : *dst);
        parts->add_quants();
        if (line.user_scratchpad) {
            const MemoryDesc scratchpad = pd.query_md(dnnl::query::scratchpad_md).get()->md;
            if (!scratchpad.is_zero()) parts->add(arg::scratchpad, scratchpad, size_of(scratchpad));
        }
    });
    if (!filled) return Refusal(filled.error());
    return Experiment(std::move(parts));
}

void Experiment::execute() {
    parts_->primitive.execute(parts_->stream, parts_->arguments);
    parts_->stream.wait();
}

Result<void> Experiment::check() {
    Parts& p = *parts_;
    GuardedBuffer& out = p.owned[p.out_buffer];
    std::vector<uint8_t> expected(out.data(), out.data() + out.size());
    if (auto done = outcome([&] { execute(); }); !done)
        return runtime_error("execution answered {}: {}", status_name(done.error().status), done.error().reason);
    for (const GuardedBuffer& buffer : p.owned)
        if (!buffer.intact()) return runtime_error("bytes before or behind a buffer were overwritten");

    ops::Buffers buffers = p.buffers;
    buffers[p.out_arg] = expected.data();
    ops::row(p.problem.kind).ref(p.problem, buffers);
    return compare(p.out, out.data(), expected.data(), out.size(), copies_bits(p.problem));
}

const Problem& Experiment::problem() const { return parts_->problem; }
const std::string& Experiment::implementation() const { return parts_->implementation; }

int64_t Experiment::bytes() const {
    const MemoryDesc& in = parts_->problem.md(parts_->in_arg);
    const bool sums = !parts_->problem.attr.post_ops.entries.empty();
    const auto size = [](const MemoryDesc& md, bool padded) { return bytes_of(md.type, md.nelems(padded)); };
    return size(in, false) + size(parts_->out, true) + (sums ? size(parts_->out, false) : 0);
}

Result<Problem> problem_of(const ProblemLine& line) {
    const auto src = make_tensor(line.src, runtime_dims(line)), dst = make_dst(line, runtime_dims(line));
    if (!src) return Refusal(src.error());
    if (!dst) return Refusal(dst.error());
    std::vector<float> output_scales;
    if (line.output_scales) output_scales.assign(size_t(masked_count(line.output_scales->mask, line.dims)), 0.5f);
    const auto attr = make_attr(line, output_scales);
    if (!attr) return Refusal(attr.error());
    const Attr& value = attr->get()->value;
    return line.kind == PrimitiveKind::reorder
               ? ops::make_reorder(src->md, dst->md, value)
               : ops::make_shuffle(line.prop, src->md, dst->md, line.axis, line.group, value);
}

bool too_large(const ProblemLine& line) {
    size_t total = 0;
    for (const LineTensor* tensor : {&line.src, &line.dst})
        if (const auto made = make_tensor(*tensor, line.dims)) total += size_of(made->whole);
    return total > experiment_limit;
}

} // namespace tessera
