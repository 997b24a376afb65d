// SPDX-License-Identifier: Apache-2.0
#include "api/execute.hpp"

#include <algorithm>
#include <mutex>
#include <optional>

#include "api/arguments.hpp"
#include "api/settings.hpp"
#include "api/staged.hpp"
#include "core/at_fork.hpp"
#include "core/cache/problem_key.hpp"
#include "core/desc/verify.hpp"
#include "core/stack_array.hpp"
#include "core/verbose/verbose.hpp"
#include "ops/ops.hpp"

namespace tessera {

namespace {

using Args = std::span<const dnnl_exec_arg_t>;

constexpr size_t few_arguments = 16; // on the stack; concat and sum may have more, on the heap

const dnnl_memory* find(Args args, int id) {
    for (size_t i = args.size(); i-- > 0;)
        if (args[i].arg == id) return args[i].memory;
    return nullptr;
}

// Finds the memory of an argument: linear search in short lists, binary search in long ones, which are sorted first.
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
    std::vector<dnnl_exec_arg_t> sorted_; // the last of equal ids counts, as in find()
};

// The address of the data: the handle, or for host scalars a member of the memory object.
void* buffer_of(const dnnl_memory& memory) {
    if (memory.desc.md.kind == FormatKind::host_scalar) return const_cast<uint64_t*>(&memory.scalar);
    return memory.handles[0];
}

// Reading and writing one buffer in different orders would overwrite elements before they are read (SHU-12), and two
// outputs in one buffer would overwrite each other. Views at different offsets of one buffer are accepted: they are for
// moving a part of a tensor to another place of it.
Result<void> check_distinct(const Implementation& impl, std::span<void* const> buffers) {
    const auto& tensors = impl.problem.tensors;
    for (size_t o = 0; o < tensors.size(); ++o)
        for (size_t i = 0; tensors[o].output && i < tensors.size(); ++i) {
            if (buffers[i] != buffers[o] || i == o || impl.slots[i].in_place == int(o)) [[likely]]
                continue;
            if (tensors[i].md.offset0 == tensors[o].md.offset0 && size_of(tensors[i].md) != 0)
                return invalid(
                    "{} has the buffer of {} ({}), which this primitive cannot do in place; give two buffers",
                    subject(impl, tensors[o].arg), c_name(impl.problem.kind, tensors[i].arg), tensors[i].arg);
        }
    return {};
}

bool is_between_engines(const dnnl_primitive_desc& pd) { return pd.dst_engine && pd.dst_engine != pd.engine; }

// Everything is on the engine that the primitive runs on. Of a reorder between engines src and dst are each on their
// own, scales and zero points on either one.
Result<void> check_engine(const dnnl_primitive_desc& pd, const Implementation::Slot& slot, const dnnl_memory& memory) {
    if (memory.desc.md.kind == FormatKind::host_scalar) return {};
    const auto text = [](const dnnl_engine* e) {
        return fmt::format("{} engine {}", e->impl->kind() == EngineKind::gpu ? "GPU" : "CPU", e->index);
    };
    if (is_between_engines(pd) && slot.tensor >= 0) {
        dnnl_engine* const own = pd.impl->problem.tensors[size_t(slot.tensor)].output ? pd.dst_engine : pd.engine;
        if (memory.engine == own) return {};
        return invalid("{} is a memory of {}; this reorder was made from {} to {}", subject(*pd.impl, slot.arg),
                       text(memory.engine), text(pd.engine), text(pd.dst_engine));
    }
    if (memory.engine == pd.on || (pd.dst_engine && (memory.engine == pd.engine || memory.engine == pd.dst_engine)))
        return {};
    return invalid("{} is a memory of {}; this primitive runs on {}, and a reorder moves it there",
                   subject(*pd.impl, slot.arg), text(memory.engine), text(pd.on));
}

// A reorder between engines takes the stream of either one.
Result<void> check_stream(const dnnl_primitive_desc& pd, const dnnl_stream& stream) {
    if (stream.engine == pd.on || (pd.dst_engine && (stream.engine == pd.engine || stream.engine == pd.dst_engine)))
        [[likely]]
        return {};
    return invalid("the stream is of another engine than the primitive ({}), which cannot run there", pd.impl->name);
}

// Runs where the primitive belongs. What the other engine's stream had to do first is done: its memory was read.
Status submit(const Implementation& impl, const dnnl_engine& on, const dnnl_stream& stream,
              std::span<void* const> pointers, Submission& submission, bool waits) {
    DeviceMemory* const device = on.memory;
    if (!device) return impl.executable->run(pointers, {stream.pool});
    std::shared_ptr<DeviceQueue> queue = stream.queue;
    const bool other = stream.engine != &on;
    if (other) {
        auto made = device->make_queue(dnnl_stream_in_order);
        if (!made) return submission.failure.emplace(made.error()).status;
        queue = std::move(*made);
    }
    submission.queue = queue.get();
    const Status status = impl.executable->run(pointers, {.device = &submission});
    if (status != Status::success || !(other || waits)) return status;
    auto done = queue->wait({});
    return done ? status : submission.failure.emplace(done.error()).status;
}

Refusal refused(const Implementation& impl, Status status, const std::optional<Error>& failure) {
    const std::string_view primitive = name(impl.problem.kind);
    if (failure) return Refusal(Error{status, fmt::format("{}: {}", primitive, failure->reason)});
    if (status == Status::invalid_arguments)
        return invalid(
            "{}: the sparse argument lists an element outside of its dims, or its row pointers do not ascend "
            "from 0 to the number of elements",
            primitive);
    return Refusal(Error{status, fmt::format("{}: the execution failed", primitive)});
}

// The event of what has been done already, or of nothing.
Result<void> finish(const dnnl_stream& stream, const Events& events) {
    if (!events.event || *events.event || !stream.queue) return {};
    auto event = stream.queue->mark(events.after);
    if (!event) return Refusal(event.error());
    *events.event = std::move(*event);
    return {};
}

Result<void> run(const dnnl_primitive_desc& pd, const Implementation& impl, const dnnl_stream& stream, Args args,
                 const Events& events) {
    // Nothing is queued behind a stream of the other engine, and what it has queued is waited for.
    const bool own_stream = stream.engine == pd.on, waits_first = !own_stream && stream.queue;
    if (!own_stream) [[unlikely]]
        if (auto ok = check_stream(pd, stream); !ok) return ok;
    if (waits_first) [[unlikely]]
        if (auto ok = stream.queue->wait(events.after); !ok) return ok;
    const bool device = pd.on->memory, between = is_between_engines(pd);
    std::optional<Staged> staged;
    const Finder find_argument(args);
    StackArray<void*, few_arguments> buffers(impl.slots.size());
    StackArray<MemoryKind, few_arguments> kinds(impl.slots.size());
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
        if (device) kinds[i] = memory->kind;
        if (memory->engine == pd.on && !between) [[likely]]
            continue;
        if (auto ok = check_engine(pd, slot, *memory); !ok) return ok;
        if (memory->engine == pd.on) continue;
        const bool scalar = memory->desc.md.kind == FormatKind::host_scalar;
        if (impl.nothing_to_do || (scalar && !device)) continue;
        const size_t bytes = scalar ? sizeof memory->scalar : reach_of(memory->desc.md);
        const bool written = slot.tensor >= 0 && impl.problem.tensors[size_t(slot.tensor)].output;
        if (!staged) staged.emplace(*pd.on->impl);
        auto place = staged->add(*memory, bytes, written);
        if (!place) return Refusal(place.error());
        buffers[i] = place->handle;
        kinds[i] = place->kind;
    }
    if (impl.nothing_to_do) return finish(stream, events);
    if (auto ok = check_distinct(impl, buffers); !ok) [[unlikely]]
        return ok;

    const size_t count = impl.slot_of_operand.size();
    StackArray<void*, few_arguments> pointers(count);
    StackArray<MemoryKind, few_arguments> kinds_of_operands(count);
    for (size_t i = 0; i < count; ++i) {
        const int slot = impl.slot_of_operand[i];
        const int number = impl.plan->operands[i].buffer;
        pointers[i] = slot < 0      ? nullptr
                      : number == 0 ? buffers[size_t(slot)]
                                    : memories[size_t(slot)]->handles[size_t(number)];
        if (device) kinds_of_operands[i] = slot < 0 ? MemoryKind::buffer : kinds[size_t(slot)];
    }
    if (!device && own_stream && !staged) [[likely]] {
        const Status status = impl.executable->run(pointers, {stream.pool});
        return status == Status::success ? Result<void>{} : refused(impl, status, {});
    }
    Submission submission{.kinds = kinds_of_operands,
                          .after = waits_first ? std::span<void* const>() : events.after,
                          .event = own_stream ? events.event : nullptr};
    const Status status = submit(impl, *pd.on, stream, pointers, submission, staged && staged->anything_written());
    if (status != Status::success) return refused(impl, status, submission.failure);
    if (staged)
        if (auto ok = staged->finish(); !ok) return ok;
    return finish(stream, events);
}

// ---- run-time dims

bool matches(int64_t pattern, int64_t value) { return pattern == runtime_dim || pattern == value; }

// Equal, or a wildcard in the pattern.
bool matches(const MemoryDesc& pattern, const MemoryDesc& md) {
    if (pattern.type != md.type || !(pattern.extra == md.extra) || !matches(pattern.offset0, md.offset0)) return false;
    for (size_t d = 0; d < size_t(md.ndims); ++d) {
        if (!matches(pattern.padded_dims[d], md.padded_dims[d])) return false;
        if (md.padded_dims[d] > 1 && !matches(pattern.strides[d], md.strides[d])) return false;
    }
    return true;
}

// Whether the memory can fill in the wildcards of the pattern: its blocks and the known dims agree.
bool fits(const MemoryDesc& pattern, const MemoryDesc& md) {
    if (pattern.ndims != md.ndims || pattern.kind != md.kind || pattern.inner_nblks != md.inner_nblks ||
        pattern.inner_blks != md.inner_blks || pattern.inner_idxs != md.inner_idxs)
        return false;
    for (size_t d = 0; d < size_t(md.ndims); ++d)
        if (!matches(pattern.dims[d], md.dims[d])) return false;
    return true;
}

// What the primitive works on: the memory's dims, strides and offset, also where the pattern has strides of its own
// (a pattern of {*, 3} with rows of 3 takes a memory with rows of 8), in the primitive's type.
Result<MemoryDesc> with_dims_of(const MemoryDesc& pattern, const MemoryDesc& md) {
    MemoryDesc result = md;
    result.type = pattern.type;
    result.extra = pattern.extra;
    if (result.type == md.type) return result;
    if (auto ok = verify(result); !ok) return Refusal(std::move(ok.error())); // the type, and so the sizes, may differ
    if (auto ok = verify_nibbles(result); !ok) return Refusal(std::move(ok.error()));
    return result;
}

bool made_for(const Implementation& impl, Args args) {
    for (const Tensor& t : impl.problem.tensors) {
        const dnnl_memory* memory = find(args, t.arg);
        if (!memory || !same_fields(memory->desc.md, t.md)) return false;
    }
    return true;
}

Result<Problem> with_dims_of(const Problem& problem, const dnnl_primitive& primitive, Args args) {
    Problem p = problem;
    for (Tensor& t : p.tensors) {
        const dnnl_memory* memory = find(args, t.arg);
        if (!memory) return invalid("{} is missing", subject(*primitive.pd.impl, t.arg));
        if (!t.md.has_runtime()) continue; // checked against the memory later, when all dims are known
        const MemoryDesc& md = memory->desc.md;
        if (!fits(t.md, md) || (strict_execution() && !matches(t.md, md)))
            return invalid("{} is a memory of {}; the primitive was made for {}, which leaves run-time dims (*) open, "
                           "and the others must agree",
                           subject(*primitive.pd.impl, t.arg), described(md), described(t.md));
        auto known = with_dims_of(t.md, md);
        if (!known) return Refusal(std::move(known.error()));
        t.md = *known;
    }
    // Checks again what wildcards made uncheckable at creation, such as equal dims on both sides.
    return ops::row(p.kind).resolved(p);
}

// One lock for all primitives, held for the 20 ns in which a pointer is copied; a lock in each primitive would be out
// of reach of the fork() handlers.
constinit std::mutex last_lock;
const bool last_is_known = at_fork(last_lock);

ImplementationPtr last_of(const dnnl_primitive& primitive) {
    const std::lock_guard guard(last_lock);
    return primitive.last;
}

Result<ImplementationPtr> resolve(const dnnl_primitive& primitive, Args args) {
    if (auto last = last_of(primitive); last && made_for(*last, args)) return last;
    const Problem& open = primitive.pd.impl->problem;
    if (!ops::row(open.kind).resolved)
        return unimplemented("{}: run-time dims are not possible; create one primitive for each shape",
                             name(open.kind));
    auto problem = with_dims_of(open, primitive, args);
    if (!problem) return Refusal(std::move(problem.error()));
    auto impl = find_implementation(std::move(*problem), *primitive.pd.on->impl);
    if (!impl) return impl;
    ImplementationPtr made = std::move(*impl), before = made; // destroyed without the lock
    const std::lock_guard guard(last_lock);
    primitive.last.swap(before);
    return made;
}

} // namespace

Result<void> execute(const dnnl_primitive& primitive, const dnnl_stream& stream, Args args, const Events& events) {
    const Implementation& impl = *primitive.pd.impl;
    if (verbose::on(verbose::check)) [[unlikely]]
        log_unused(impl, args);
    if (impl.executable) [[likely]]
        return run(primitive.pd, impl, stream, args, events);
    auto resolved = resolve(primitive, args);
    if (!resolved) return Refusal(std::move(resolved.error()));
    return run(primitive.pd, **resolved, stream, args, events);
}

ImplementationPtr executed(const dnnl_primitive& primitive) {
    if (primitive.pd.impl->executable) return primitive.pd.impl;
    auto last = last_of(primitive);
    return last ? last : primitive.pd.impl;
}

} // namespace tessera
