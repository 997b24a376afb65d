#include "api/execute.hpp"

#include <algorithm>
#include <cctype>
#include <mutex>

#include "core/at_fork.hpp"
#include "core/cache/problem_key.hpp"
#include "core/stack_array.hpp"
#include "ops/ops.hpp"

namespace tessera {

namespace {

using Args = std::span<const dnnl_exec_arg_t>;

constexpr size_t few_arguments = 16; // more of them, in concat and sum, take from the heap

// The name people write in C: "DNNL_ARG_TO" of a reorder, "DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC".
std::string c_name(PrimitiveKind kind, int id) {
    if (id >= arg::post_op(0))
        return fmt::format("DNNL_ARG_ATTR_MULTIPLE_POST_OP({}) | {}", id / arg::post_op(0) - 1,
                           c_name(kind, id % arg::post_op(0)));
    if (id & arg::zero_points) return "DNNL_ARG_ATTR_ZERO_POINTS | " + c_name(kind, id & ~arg::zero_points);
    if (id & arg::scales) return "DNNL_ARG_ATTR_SCALES | " + c_name(kind, id & ~arg::scales);
    if (id == arg::dropout_offset) return "DNNL_ARG_ATTR_DROPOUT_OFFSET";
    if (id == arg::dropout_mask) return "DNNL_ARG_ATTR_DROPOUT_MASK";
    if (id == arg::dropout_probability) return "DNNL_ARG_ATTR_DROPOUT_PROBABILITY";
    if (id == arg::dropout_seed) return "DNNL_ARG_ATTR_DROPOUT_SEED";
    if (id == arg::rounding_seed) return "DNNL_ARG_ATTR_ROUNDING_SEED";
    if (kind == PrimitiveKind::matmul && id == (arg::precomputed_reductions | arg::src))
        return "DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS | DNNL_ARG_SRC";
    if (id == arg::output_scales) return "DNNL_ARG_ATTR_OUTPUT_SCALES";
    if (id >= arg::multiple_src) return fmt::format("DNNL_ARG_MULTIPLE_SRC + {}", id - arg::multiple_src);
    if (ops::row(kind).two_engines && id == arg::src) return "DNNL_ARG_FROM";
    if (ops::row(kind).two_engines && id == arg::dst) return "DNNL_ARG_TO";
    std::string text = "DNNL_ARG_" + arg_name(id);
    for (char& c : text) c = char(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

// "reorder: argument DNNL_ARG_TO (17)", the beginning of every reason here.
std::string subject(const Implementation& impl, int id) {
    const PrimitiveKind kind = impl.problem.kind;
    return fmt::format("{}: argument {} ({})", name(kind), c_name(kind, id), id);
}

const dnnl_memory* find(Args args, int id) {
    for (size_t i = args.size(); i-- > 0;)
        if (args[i].arg == id) return args[i].memory;
    return nullptr;
}

// The memory of an argument; a list too long to be walked for every one of them is sorted first.
class Finder {
public:
    explicit Finder(Args args) : args_(args) {
        if (args.size() <= few) return;
        for (const dnnl_exec_arg_t& a : args) sorted_.push_back(a);
        std::stable_sort(sorted_.begin(), sorted_.end(),
                         [](const dnnl_exec_arg_t& x, const dnnl_exec_arg_t& y) { return x.arg < y.arg; });
    }
    const dnnl_memory* operator()(int id) const {
        if (args_.size() <= few) return find(args_, id);
        const auto end = std::upper_bound(sorted_.begin(), sorted_.end(), id,
                                          [](int x, const dnnl_exec_arg_t& a) { return x < a.arg; });
        return end != sorted_.begin() && std::prev(end)->arg == id ? std::prev(end)->memory : nullptr;
    }

private:
    static constexpr size_t few = few_arguments;
    Args args_;
    std::vector<dnnl_exec_arg_t> sorted_; // of equal ones the last counts, as in find()
};

std::string described(const MemoryDesc& md) { return fmt::format("{} {}", to_token(md), to_string(md.dims_span())); }

Result<void> check_tensor(const Implementation& impl, const Tensor& t, const dnnl_memory& memory) {
    const MemoryDesc& md = memory.desc.md;
    if (!same_bits(md, t.md) && !(md == t.md)) [[unlikely]]
        return invalid("{} is a memory of {}; the primitive was made for {}", subject(impl, t.arg), described(md),
                       described(t.md));
    if (md.kind == FormatKind::host_scalar) return {}; // its value is in the memory object
    for (size_t i = 0; !impl.nothing_to_do && i < memory.handles.size(); ++i)
        if (memory.handles[i] == nullptr && size_of(md, int(i)) != 0) [[unlikely]]
            return invalid("{} has no buffer (null handle) for its {} bytes", subject(impl, t.arg),
                           size_of(md, int(i)));
    return {};
}

// Dense, in logical order: element i of the values is element i of the buffer.
bool is_row_major(const MemoryDesc& md) {
    if (!md.is_plain() || md.offset0 != 0) return false;
    int64_t stride = 1;
    for (size_t d = size_t(md.ndims); d-- > 0;) {
        if (md.dims[d] != 1 && md.strides[d] != stride) return false;
        stride *= md.dims[d];
    }
    return true;
}

Result<void> check_quant(const Implementation& impl, const QuantArg& q, const dnnl_memory& memory) {
    const MemoryDesc& md = memory.desc.md;
    if (md.type != q.quant.type)
        return invalid("{} has values of type {}; the attributes say {}", subject(impl, q.id), name(md.type),
                       name(q.quant.type));
    if (q.quant.on_host != (md.kind == FormatKind::host_scalar))
        return invalid("{} must be {}, as the attributes say", subject(impl, q.id),
                       q.quant.on_host ? "a host scalar" : "a memory of the engine, not a host scalar");
    if (q.quant.on_host) return {};
    if (!is_row_major(md) || md.nelems() < q.count)
        return invalid("{} is a memory of {}; {} values are needed, dense and in order", subject(impl, q.id),
                       described(md), q.count);
    if (memory.handles[0] == nullptr && q.count > 0)
        return invalid("{} has no buffer (null handle) for its {} values", subject(impl, q.id), q.count);
    return {};
}

// A handle is the buffer; a host scalar's is in the memory object.
void* buffer_of(const dnnl_memory& memory) {
    if (memory.desc.md.kind == FormatKind::host_scalar) return const_cast<uint64_t*>(&memory.scalar);
    return memory.handles[0];
}

// Reading and writing one buffer in different orders would destroy elements before they are read (SHU-12). Views of
// one buffer at different offsets pass: moving a part to another place of its tensor is what they are for.
// So would two results in one place.
Result<void> check_distinct(const Implementation& impl, std::span<void* const> buffers) {
    const auto& tensors = impl.problem.tensors;
    for (size_t o = 0; o < tensors.size(); ++o)
        for (size_t i = 0; tensors[o].output && i < tensors.size(); ++i) {
            if (buffers[i] != buffers[o] || i == o || impl.slots[i].in_place) [[likely]]
                continue;
            if (tensors[i].md.offset0 == tensors[o].md.offset0 && size_of(tensors[i].md) != 0)
                return invalid(
                    "{} has the buffer of {} ({}), which this primitive cannot do in place; give two buffers",
                    subject(impl, tensors[o].arg), c_name(impl.problem.kind, tensors[i].arg), tensors[i].arg);
        }
    return {};
}

Result<void> run(const Implementation& impl, const dnnl_stream& stream, Args args) {
    const Finder find_argument(args);
    StackArray<void*, few_arguments> buffers(impl.slots.size());
    StackArray<const dnnl_memory*, few_arguments> memories(impl.slots.size());
    for (size_t i = 0; i < impl.slots.size(); ++i) {
        const Implementation::Slot& slot = impl.slots[i];
        const dnnl_memory* memory = find_argument(slot.arg);
        if (!memory) [[unlikely]] {
            if (slot.quant >= 0 && impl.nothing_to_do) continue;
            return invalid("{} is missing", subject(impl, slot.arg));
        }
        if (slot.tensor >= 0) {
            if (auto ok = check_tensor(impl, impl.problem.tensors[size_t(slot.tensor)], *memory); !ok) [[unlikely]]
                return ok;
        } else if (!impl.nothing_to_do) {
            if (auto ok = check_quant(impl, impl.quants[size_t(slot.quant)], *memory); !ok) [[unlikely]]
                return ok;
        }
        memories[i] = memory;
        buffers[i] = impl.nothing_to_do ? nullptr : buffer_of(*memory);
    }
    if (impl.nothing_to_do) return {};
    if (auto ok = check_distinct(impl, buffers); !ok) [[unlikely]]
        return ok;

    const size_t count = impl.slot_of_operand.size();
    StackArray<void*, few_arguments> pointers(count);
    for (size_t i = 0; i < count; ++i) {
        const int slot = impl.slot_of_operand[i];
        const int number = impl.plan->operands[i].buffer;
        pointers[i] = slot < 0      ? nullptr
                      : number == 0 ? buffers[size_t(slot)]
                                    : memories[size_t(slot)]->handles[size_t(number)];
    }
    const Status status = impl.executable->run(pointers, stream.threads);
    if (status != Status::success) [[unlikely]]
        return Refusal(Error{status, fmt::format("{}: the execution failed on the device", name(impl.problem.kind))});
    return {};
}

// ---- run-time dims

bool matches(int64_t pattern, int64_t value) { return pattern == runtime_dim || pattern == value; }

// Equal where the pattern has no wildcard.
bool matches(const MemoryDesc& pattern, const MemoryDesc& md) {
    if (pattern.ndims != md.ndims || pattern.type != md.type || pattern.kind != md.kind ||
        pattern.inner_nblks != md.inner_nblks || pattern.inner_blks != md.inner_blks ||
        pattern.inner_idxs != md.inner_idxs || !(pattern.extra == md.extra) || !matches(pattern.offset0, md.offset0))
        return false;
    for (size_t d = 0; d < size_t(md.ndims); ++d) {
        if (!matches(pattern.dims[d], md.dims[d]) || !matches(pattern.padded_dims[d], md.padded_dims[d])) return false;
        if (md.padded_dims[d] > 1 && !matches(pattern.strides[d], md.strides[d])) return false;
    }
    return true;
}

bool made_for(const Implementation& impl, Args args) {
    for (const Tensor& t : impl.problem.tensors) {
        const dnnl_memory* memory = find(args, t.arg);
        if (!memory || !same_bits(memory->desc.md, t.md)) return false;
    }
    return true;
}

Result<Problem> with_dims_of(const Problem& problem, const dnnl_primitive& primitive, Args args) {
    Problem p = problem;
    for (Tensor& t : p.tensors) {
        const dnnl_memory* memory = find(args, t.arg);
        if (!memory) return invalid("{} is missing", subject(*primitive.pd.impl, t.arg));
        const MemoryDesc& md = memory->desc.md;
        if (md.has_runtime() || !matches(t.md, md))
            return invalid("{} is a memory of {}; the primitive was made for {}", subject(*primitive.pd.impl, t.arg),
                           described(md), described(t.md));
        t.md = md;
    }
    // Checks again what the wildcards left open, such as equal dims on both sides.
    return ops::row(p.kind).resolved(p);
}

// Of all primitives, each for the 20 ns in which a pointer is copied: a lock in each of them would be one that fork()
// does not find.
constinit std::mutex last_lock;
const bool last_is_known = at_fork(last_lock);

ImplementationPtr last_of(const dnnl_primitive& primitive) {
    const std::lock_guard guard(last_lock);
    return primitive.last;
}

Result<ImplementationPtr> resolve(const dnnl_primitive& primitive, Args args) {
    if (auto last = last_of(primitive); last && made_for(*last, args)) return last;
    const Problem& open = primitive.pd.impl->problem;
    if (!ops::row(open.kind).resolved) return unimplemented("{}: run-time dims are not possible", name(open.kind));
    auto problem = with_dims_of(open, primitive, args);
    if (!problem) return Refusal(std::move(problem.error()));
    auto impl = find_implementation(std::move(*problem), *primitive.pd.engine->impl);
    if (!impl) return impl;
    ImplementationPtr made = std::move(*impl), before = made; // destroyed without the lock
    const std::lock_guard guard(last_lock);
    primitive.last.swap(before);
    return made;
}

} // namespace

Result<void> execute(const dnnl_primitive& primitive, const dnnl_stream& stream, Args args) {
    const Implementation& impl = *primitive.pd.impl;
    if (impl.executable) [[likely]]
        return run(impl, stream, args);
    auto resolved = resolve(primitive, args);
    if (!resolved) return Refusal(std::move(resolved.error()));
    return run(**resolved, stream, args);
}

ImplementationPtr executed(const dnnl_primitive& primitive) {
    if (primitive.pd.impl->executable) return primitive.pd.impl;
    auto last = last_of(primitive);
    return last ? last : primitive.pd.impl;
}

} // namespace tessera
