// SPDX-License-Identifier: Apache-2.0
#include "on_device.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "api/objects/handles.hpp"
#include "arena.hpp"
#include "bounds/bounds.hpp"
#include "core/device.hpp"
#include "gpu/engine.hpp"
#include "ops/ops.hpp"
#include "primitives/row.hpp"
#include "trial/compare.hpp"

namespace tessera::test {

namespace {

// The bytes of an argument as its elements; counts and the like as bytes.
DataType type_of(const Problem& p, int arg) {
    for (const Tensor& t : p.tensors)
        if (t.arg == arg) return t.md.type;
    return DataType::u8;
}

// Buffers get whole words; guards (guarded_opencl.cpp) see a byte too many only beside shared memory.
MemoryKind kind_of_memory() { return std::getenv("TESSERA_OPENCL_GUARD") ? MemoryKind::usm : MemoryKind::buffer; }

// Memory of a device with the bytes of an arena.
struct Copies {
    Result<void> make(const fuzz::Arena& arena, DeviceMemory& memory) {
        for (const auto& [id, bytes] : arena.bytes) {
            auto buffer = memory.allocate(bytes.size(), kind_of_memory());
            if (!buffer) return Refusal(buffer.error());
            if (auto ok = memory.write({buffer->get(), kind_of_memory()}, bytes.data(), bytes.size()); !ok) return ok;
            all[id] = std::move(*buffer);
        }
        return {};
    }
    Result<void> read(fuzz::Arena& arena, DeviceMemory& memory) const {
        for (auto& [id, bytes] : arena.bytes)
            if (auto ok = memory.read({all.at(id).get(), kind_of_memory()}, bytes.data(), bytes.size()); !ok) return ok;
        return {};
    }
    std::map<int, std::shared_ptr<void>> all; // by argument
};

Result<void> run(const Plan& plan, fuzz::Arena& arena) {
    DeviceMemory& memory = *device()->memory();
    Copies copies;
    if (auto ok = copies.make(arena, memory); !ok) return ok;
    std::vector<void*> buffers;
    for (const Operand& o : plan.operands)
        buffers.push_back(o.counted || o.constant >= 0 || o.scratch >= 0 ? nullptr : copies.all.at(o.arg).get());
    const auto compiled = device()->compile(std::make_shared<const Plan>(plan));
    if (!compiled) return Refusal(compiled.error());
    const auto queue = memory.make_queue(dnnl_stream_in_order);
    if (!queue) return Refusal(queue.error());
    const std::vector<MemoryKind> kinds(buffers.size(), kind_of_memory());
    Submission submission{.queue = queue->get(), .kinds = kinds};
    if ((*compiled)->run(buffers, {.device = &submission}) != Status::success) return Refusal(*submission.failure);
    if (auto ok = (*queue)->wait({}); !ok) return ok;
    return copies.read(arena, memory);
}

// Whatever differs beyond the bounds of the problem's sums; `before` is what the primitive read.
std::string differs_from_reference(const Problem& p, const fuzz::Arena& before, fuzz::Arena& got) {
    fuzz::Arena want = before, read = before;
    ops::row(p.kind).ref(p, want.buffers());
    const ops::Buffers inputs = read.buffers();
    const Bounds bounds(p, inputs);
    for (const Tensor& t : p.tensors) {
        auto &expected = want.bytes.at(t.arg), &found = got.bytes.at(t.arg);
        const auto same = compare(t.md, found.data(), expected.data(), found.size(), false,
                                  [&](std::span<const int64_t> at, int64_t element) {
                                      return bounds.hold(t.arg, at, found.data(), element);
                                  });
        if (!same) return fmt::format("argument {}: {}", t.arg, same.error().reason);
    }
    return "";
}

std::string differs(const Problem& p, fuzz::Arena& want, fuzz::Arena& got) {
    for (const auto& [id, bytes] : want.bytes)
        if (const std::string different = fuzz::difference(type_of(p, id), bytes, got.bytes.at(id)); !different.empty())
            return fmt::format("argument {}: {}", id, different);
    return "";
}

// Sums of products of whole numbers are exact, but for what gates and rounded factors make of them.
bool has_exact_sums(const Problem& p) { return p.kind != PrimitiveKind::rnn && p.attr.fpmath == FpmathMode::strict; }

} // namespace

const Engine* device() {
    dnnl_engine_t engine = nullptr; // made once, by the library
    if (dnnl_engine_get_count(dnnl_gpu) == 0 || dnnl_engine_create(&engine, dnnl_gpu, 0) != dnnl_success)
        return nullptr;
    return engine->impl.get();
}

std::string differs_on_device(const Problem& p, const Plan& plan, uint64_t seed, fuzz::Random& r) {
    const auto refused = [](const Error& e) { return e.status == Status::unimplemented ? "" : e.reason; };
    const bool own_order = primitives::row(p.kind).multiplies && !gpu::sums_as_defined(*device());
    const fuzz::Arena before = fuzz::make_arena(p, seed, r, fuzz::Summands::rounded);
    fuzz::Arena got = before;
    if (const auto done = run(plan, got); !done) return refused(done.error());
    fuzz::Arena want = before;
    if (!own_order) {
        interpret(plan, fuzz::pointers(plan, want, true).all);
        return differs(p, want, got);
    }
    if (std::string different = differs_from_reference(p, before, got); !different.empty()) return different;
    if (const auto done = run(plan, want); !done) return done.error().reason;
    if (std::string different = differs(p, got, want); !different.empty()) return "in a second run, " + different;
    if (!has_exact_sums(p)) return "";
    want = got = fuzz::make_arena(p, seed, r, fuzz::Summands::whole);
    interpret(plan, fuzz::pointers(plan, want, true).all);
    if (const auto done = run(plan, got); !done) return done.error().reason;
    const std::string different = differs(p, want, got);
    return different.empty() ? "" : "of whole numbers, " + different;
}

} // namespace tessera::test
