// SPDX-License-Identifier: Apache-2.0
// Making the buffers of an experiment; the objects are in line_objects.*, the data in experiment_data.*, what may
// differ in bounds.*.
#include "trial/experiment.hpp"

#include <cstring>

#include "api/objects/handles.hpp"
#include "core/types/convert.hpp"
#include "line/line_objects.hpp"
#include "oneapi/dnnl/dnnl_tessera.h"
#include "ops/ops.hpp"
#include "primitives/row.hpp"
#include "trial/compare.hpp"
#include "trial/experiment_data.hpp"
#include "trial/guarded_buffer.hpp"
#include "trial/kept.hpp"

namespace tessera {
namespace {

using dnnl::memory;

constexpr size_t moved_limit = 256 << 20; // bytes of all buffers that are checked beside both guards

constexpr size_t canary_bytes = 64; // behind each buffer of a device
constexpr uint8_t canary = 0xa5;

memory::desc dense_bytes(size_t bytes) { return {{memory::dim(bytes)}, memory::data_type::u8, memory::format_tag::a}; }

memory host_scalar(DataType type, const void* value) {
    const auto desc = memory::desc::host_scalar(memory::data_type(int(type)));
    const auto as = [&]<typename T>(T typed) {
        std::memcpy(&typed, value, sizeof typed);
        return memory(desc, typed);
    };
    if (type == DataType::f32) return as(0.f);
    switch (bits(type)) {
    case 64:
        return as(int64_t(0));
    case 32:
        return as(int32_t(0));
    case 16:
        return as(uint16_t(0));
    default:
        return type == DataType::s8 ? as(int8_t(0)) : as(uint8_t(0));
    }
}

// Bytes of a tensor's buffer; a view has its parent's.
size_t buffer_size(const ProblemLine& line, const LineTensors& tensors, const Tensor& tensor) {
    const bool of_gradients = line.backward() && primitives::row(line.kind).view_of_gradients;
    const bool of_diff_src = of_gradients && line.prop == PropKind::backward_data;
    if (!line.src.parent_dims.empty() && tensor.arg == (of_diff_src ? arg::diff_src : arg::src))
        return size_of(tensors.srcs[0].whole);
    if (!line.dst.parent_dims.empty() && tensor.arg == (of_gradients ? arg::diff_dst : arg::dst) &&
        tensor.md == tensors.dst.md) // a depthwise post-op makes a tensor of its own
        return size_of(tensors.dst.whole);
    return size_of(tensor.md);
}

// Dynamic quantization: the argument of the scales that the primitive computes, or -1.
int dynamic_scales_of(const Problem& p) {
    const auto at = p.attr.scales.find(arg::dst);
    const bool own = at != p.attr.scales.end() && at->second.mode != QuantizationMode::static_sazp;
    return own ? arg::scales | arg::dst : -1;
}

int shared_output(const ProblemLine& line) { return line.backward() ? arg::diff_src : arg::dst; }

// Which input's buffer the output of a line with --inplace is in.
int shared_input(const ProblemLine& line, const Problem& p) {
    if (line.backward()) return arg::diff_dst;
    return p.find(arg::multiple_src) ? arg::multiple_src : arg::src;
}

} // namespace

struct Experiment::Parts {
    Kept* kept = nullptr; // none: nothing is
    ProblemLine line;
    Data data;
    Problem problem;
    dnnl::engine engine;
    dnnl::stream stream;
    dnnl::primitive primitive;
    std::string implementation;
    std::unordered_map<int, memory> arguments;
    std::map<int, size_t> buffer_of; // argument -> index into owned
    std::vector<GuardedBuffer> owned;
    std::vector<memory> on_device; // of each of these a copy with a canary behind it; none on the CPU

    // Placement of the next buffer: alternately with the guard behind it and before it.
    GuardedBuffer::Placement placement() const {
        if (data != Data::hostile) return GuardedBuffer::Placement::aligned;
        return (seed_of(line) + owned.size()) % 2 == 0 ? GuardedBuffer::Placement::end_at_guard
                                                       : GuardedBuffer::Placement::start_at_guard;
    }
    uint8_t* add(int id, const MemoryDesc& md, size_t bytes) {
        owned.emplace_back(bytes, placement());
        buffer_of[id] = owned.size() - 1;
        if (has_device()) on_device.emplace_back(dense_bytes(bytes + canary_bytes), engine);
        arguments[id] = memory_at(md, buffer_of[id]);
        return owned.back().data();
    }
    bool has_device() const { return engine.get_kind() == dnnl::engine::kind::gpu; }
    memory memory_at(const MemoryDesc& md, size_t buffer) {
        return {wrap(md), engine, has_device() ? on_device[buffer].get_data_handle() : owned[buffer].data()};
    }
    void upload();
    Result<void> download();
    Result<void> run(); // execute() with the bytes of `owned`
    void add_vector(int id, DataType type, int64_t count, Fill fill);
    void add_quants();
    void set_given(const QuantArg& q);
    Result<void> run_forward();
    void add_tensors(const LineTensors& tensors);
    Result<void> check_queries(const dnnl::primitive_desc_base& pd) const;
    Result<void> check_untouched(const std::vector<GuardedBuffer>& before) const;
    Result<void> check_outputs(const Oracle& oracle) const;
    Result<void> check_other_side(const std::vector<GuardedBuffer>& before);
    void use(std::vector<GuardedBuffer>& buffers);
};

void Experiment::Parts::add_vector(int id, DataType type, int64_t count, Fill fill) {
    const int64_t dims[] = {count};
    const auto md = make_desc_with_tag(dims, type, "a");
    if (!md) throw dnnl::error(dnnl_status_t(int(md.error().status)), md.error().reason.c_str());
    fill_dense(add(id, *md, size_of(*md)), type, count, fill, seed_of(line) + uint64_t(id));
}

// Values that the line names.
void Experiment::Parts::set_given(const QuantArg& q) {
    const auto put = [&](auto value) { write<decltype(value)>(q.quant.type, owned.back().data(), 0, value); };
    if (q.id == arg::dropout_probability) put(line.dropout->probability);
    if (q.id == arg::dropout_seed) put(line.dropout->seed);
    if (q.id == arg::dropout_offset) put(*line.dropout->offset);
    if (q.id == arg::rounding_seed) put(line.rounding->seed);
}

void Experiment::Parts::add_quants() {
    for (const QuantArg& q : quant_args(problem)) {
        const bool scales = (q.id & arg::scales) != 0;
        add_vector(q.id, q.quant.type, q.count, scales ? Fill::scales : Fill::zero_points);
        set_given(q);
        if (q.quant.on_host) arguments[q.id] = host_scalar(q.quant.type, owned.back().data());
    }
    if (line.output_scales && line.output_scales->at_execution)
        add_vector(arg::output_scales, DataType::f32, output_scale_count(line), Fill::scales);
}

void Experiment::Parts::add_tensors(const LineTensors& tensors) {
    const primitives::Row& row = primitives::row(problem.kind);
    uint64_t salt = 0;
    for (const Tensor& t : problem.tensors) {
        ++salt;
        size_t bytes = buffer_size(line, tensors, t);
        if (line.in_place && t.output && !t.attribute && t.arg == shared_output(line)) {
            buffer_of[t.arg] = buffer_of.at(shared_input(line, problem));
            arguments[t.arg] = memory_at(t.md, buffer_of[t.arg]);
            continue;
        }
        if (line.in_place && t.arg == shared_input(line, problem))
            for (const Tensor& out : problem.tensors)
                if (out.output && !out.attribute) bytes = std::max(bytes, size_of(out.md));
        uint8_t* to = add(t.arg, t.md, bytes);
        if (data == Data::hostile) {
            Values values = row.values ? row.values(problem, t.md.type) : Values::hostile;
            if (t.arg == row.positive) values = Values::positive;
            // Padding is zero in what a primitive is given, and products may rely on it.
            const bool zero_padding = row.multiplies && !t.output;
            const HostileFill fill{t.md, bytes, seed_of(line) + salt, values, zero_padding};
            kept ? kept->write(to, fill) : fill.write(to);
        } else
            fill_dense(to, t.md.type, int64_t(bytes) * 8 / bits(t.md.type), Fill::small, seed_of(line) + salt);
    }
}

// What a backward reads of its forward: a workspace that the library alone can write.
Result<void> Experiment::Parts::run_forward() {
    const auto forward_of = ops::row(problem.kind).forward_of;
    if (!forward_of || !line.backward()) return {};
    auto implementation = find_implementation(forward_of(problem), *engine.get()->impl);
    if (!implementation) return Refusal(implementation.error());
    const dnnl_primitive forward({engine.get(), engine.get(), *implementation, engine.get()});
    std::vector<dnnl_exec_arg_t> args;
    for (const auto& [id, argument] : arguments) args.push_back({id, argument.get()});
    upload();
    if (dnnl_primitive_execute(&forward, stream.get(), int(args.size()), args.data()) != dnnl_success)
        return runtime_error("the forward computation: {}", dnnl_tessera_last_error());
    stream.wait();
    return download();
}

// Checks that the primitive descriptor reports the tensors that the reference computes with.
Result<void> Experiment::Parts::check_queries(const dnnl::primitive_desc_base& pd) const {
    if (line.runtime_mask != 0) return {};
    for (const Tensor& t : problem.tensors) {
        const MemoryDesc queried = pd.query_md(dnnl::query::exec_arg_md, t.arg).get()->md;
        if (queried != t.md)
            return runtime_error("the query for the descriptor of {} answers {} {}, not {} {}", arg_name(t.arg),
                                 to_token(queried, false), to_string(queried.dims_span()), to_token(t.md, false),
                                 to_string(t.md.dims_span()));
    }
    return {};
}

Result<void> Experiment::Parts::check_untouched(const std::vector<GuardedBuffer>& before) const {
    for (const GuardedBuffer& buffer : owned)
        if (!buffer.intact()) return runtime_error("bytes before or behind a buffer were overwritten");
    std::vector<bool> written(owned.size(), false);
    for (const Tensor& t : problem.tensors)
        if (t.output) written[buffer_of.at(t.arg)] = true;
    if (const auto at = buffer_of.find(dynamic_scales_of(problem)); at != buffer_of.end()) written[at->second] = true;
    for (const auto& [id, i] : buffer_of)
        if (!written[i] && id != arg::scratchpad && before[i] != owned[i])
            return runtime_error("{} was overwritten, which is only read", arg_name(id));
    return {};
}

Result<void> Experiment::Parts::check_outputs(const Oracle& oracle) const {
    // The oracle has computed these, too; they are powers of two, or as exact as their sums.
    if (const auto at = buffer_of.find(dynamic_scales_of(problem)); at != buffer_of.end())
        if (oracle.before()[at->second] != owned[at->second])
            return runtime_error("{} differ from the oracle's", arg_name(at->first));
    for (const Tensor& t : problem.tensors) {
        if (!t.output) continue;
        const uint8_t* got = owned[buffer_of.at(t.arg)].data();
        const std::vector<uint8_t>& right = oracle.expected(t.arg);
        if (auto same = compare(t.md, got, right.data(), right.size(), copies_bits(problem), oracle.close(t.arg, got));
            !same)
            return runtime_error("{}: {}", arg_name(t.arg), same.error().reason);
    }
    return {};
}

void Experiment::Parts::upload() {
    for (size_t i = 0; i < on_device.size(); ++i) {
        auto* const bytes = on_device[i].map_data<uint8_t>();
        std::copy(owned[i].begin(), owned[i].end(), bytes);
        std::fill_n(bytes + owned[i].size(), canary_bytes, canary);
        on_device[i].unmap_data(bytes);
    }
}

Result<void> Experiment::Parts::download() {
    bool intact = true;
    for (size_t i = 0; i < on_device.size(); ++i) {
        auto* const bytes = on_device[i].map_data<uint8_t>();
        std::copy_n(bytes, owned[i].size(), owned[i].begin());
        for (size_t c = 0; c < canary_bytes; ++c) intact = intact && bytes[owned[i].size() + c] == canary;
        on_device[i].unmap_data(bytes);
    }
    if (!intact) return runtime_error("bytes behind a buffer of the device were overwritten");
    return {};
}

Result<void> Experiment::Parts::run() {
    Result<void> read;
    const auto done = outcome([&] {
        upload();
        primitive.execute(stream, arguments);
        stream.wait();
        read = download();
    });
    if (!done) return runtime_error("execution answered {}: {}", status_name(done.error().status), done.error().reason);
    return read;
}

// Exchanges the buffers with others of the same sizes.
void Experiment::Parts::use(std::vector<GuardedBuffer>& buffers) {
    std::swap(owned, buffers);
    for (auto& [id, argument] : arguments)
        if (argument.get_desc().get()->md.kind != FormatKind::host_scalar)
            argument.set_data_handle(owned[buffer_of.at(id)].data());
}

// Runs again with each buffer at its other guard; the results must be the same.
Result<void> Experiment::Parts::check_other_side(const std::vector<GuardedBuffer>& before) {
    using Placement = GuardedBuffer::Placement;
    std::vector<GuardedBuffer> other;
    for (const GuardedBuffer& buffer : before)
        other.push_back(buffer.placed(buffer.placement() == Placement::end_at_guard ? Placement::start_at_guard
                                                                                    : Placement::end_at_guard));
    use(other);
    const auto done = run();
    const Result<void> untouched = check_untouched(before);
    use(other);
    if (!done) return Refusal(done.error());
    if (!untouched) return untouched;
    for (const auto& [id, i] : buffer_of)
        if (id != arg::scratchpad && owned[i] != other[i])
            return runtime_error("{} has other bytes where buffers end or start at other addresses", arg_name(id));
    return {};
}

Experiment::Experiment(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Experiment::Experiment(Experiment&&) noexcept = default;
Experiment& Experiment::operator=(Experiment&&) noexcept = default;
Experiment::~Experiment() = default;

Result<Experiment> Experiment::make(const ProblemLine& line, Data data, Kept* kept) {
    auto parts = std::make_unique<Parts>();
    parts->kept = kept;
    parts->line = line;
    parts->data = data;
    const auto open = make_tensors(line, RuntimeDims::open), filled = make_tensors(line, RuntimeDims::filled);
    if (!open) return Refusal(open.error());
    if (!filled) return Refusal(filled.error());
    std::vector<float> output_scales(size_t(output_scale_count(line)));
    fill_dense(output_scales.data(), DataType::f32, int64_t(output_scales.size()), Fill::scales, seed_of(line));
    const auto attr = make_attr(line, output_scales);
    if (!attr) return Refusal(attr.error());

    dnnl::primitive_desc_base pd;
    auto engine = make_engine(line.engine.value_or(LineEngine()));
    if (!engine) return Refusal(engine.error());
    parts->engine = std::move(*engine);
    const auto created = outcome([&] {
        parts->stream = dnnl::stream(parts->engine);
        pd = make_primitive_desc(line, *open, parts->engine, *attr);
        parts->primitive = dnnl::primitive(pd.get());
        parts->implementation = pd.impl_info_str();
    });
    if (!created) return Refusal(created.error());

    auto problem = make_problem(line, *filled, *attr);
    if (!problem)
        return runtime_error("the primitive was created, but its concrete problem is refused: {}",
                             problem.error().reason);
    parts->problem = std::move(*problem);
    if (auto ok = parts->check_queries(pd); !ok) return Refusal(ok.error());

    const auto made = outcome([&] {
        parts->add_tensors(*filled);
        parts->add_quants();
        if (line.user_scratchpad) {
            const MemoryDesc scratchpad = pd.query_md(dnnl::query::scratchpad_md).get()->md;
            if (!scratchpad.is_zero()) parts->add(arg::scratchpad, scratchpad, size_of(scratchpad));
        }
        parts->upload();
    });
    if (!made) return Refusal(made.error());
    if (auto ok = parts->run_forward(); !ok) return Refusal(ok.error());
    return Experiment(std::move(parts));
}

void Experiment::execute() {
    parts_->primitive.execute(parts_->stream, parts_->arguments);
    parts_->stream.wait();
}

Result<void> Experiment::check() {
    Parts& p = *parts_;
    std::vector<GuardedBuffer> before = p.owned;
    if (auto done = p.run(); !done) return done;
    if (auto ok = p.check_untouched(before); !ok) return ok;
    Kept own;
    const Oracle& oracle = (p.kept ? p.kept : &own)->oracle(p.problem, p.buffer_of, std::move(before));
    if (auto ok = p.check_outputs(oracle); !ok) return ok;
    size_t total = 0;
    for (const GuardedBuffer& buffer : p.owned) total += buffer.size();
    if (p.data == Data::hostile && total <= moved_limit && !p.has_device()) return p.check_other_side(oracle.before());
    return {};
}

const Problem& Experiment::problem() const { return parts_->problem; }
const std::string& Experiment::implementation() const { return parts_->implementation; }

int64_t Experiment::bytes() const {
    int64_t total = 0;
    bool sums = false;
    for (const PostOp& p : parts_->problem.attr.post_ops.entries) sums = sums || p.kind == PostOpKind::sum;
    for (const Tensor& t : parts_->problem.tensors)
        total += bytes_of(t.md.type, t.md.nelems(t.output)) +
                 (t.output && sums ? bytes_of(t.md.type, t.md.nelems(false)) : 0);
    return total;
}

Result<dnnl::engine> make_engine(LineEngine engine) {
    dnnl::engine made;
    const auto done = outcome([&] { made = dnnl::engine(dnnl::engine::kind(int(engine.kind)), engine.index); });
    if (!done) return Refusal(done.error());
    return made;
}

Result<Problem> problem_of(const ProblemLine& line) {
    const auto tensors = make_tensors(line, RuntimeDims::open);
    if (!tensors) return Refusal(tensors.error());
    const auto attr = make_attr(line, std::vector<float>(size_t(output_scale_count(line)), 0.5f));
    if (!attr) return Refusal(attr.error());
    return make_problem(line, *tensors, *attr);
}

bool too_large(const ProblemLine& line) {
    size_t total = 0;
    const auto tensors = make_tensors(line, RuntimeDims::filled);
    if (!tensors) return false;
    for (const MadeTensor& src : tensors->srcs) total += size_of(src.whole);
    return total + size_of(tensors->dst.whole) > experiment_limit;
}

} // namespace tessera
