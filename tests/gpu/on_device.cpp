// SPDX-License-Identifier: Apache-2.0
#include "on_device.hpp"

#include <fmt/format.h>

#include "api/objects/handles.hpp"
#include "arena.hpp"
#include "core/device.hpp"

namespace tessera::test {

namespace {

// The bytes of an argument as its elements; counts and the like as bytes.
DataType type_of(const Problem& p, int arg) {
    for (const Tensor& t : p.tensors)
        if (t.arg == arg) return t.md.type;
    return DataType::u8;
}

// Buffers of a device with the bytes of an arena.
struct Copies {
    Result<void> make(const fuzz::Arena& arena, DeviceMemory& memory) {
        for (const auto& [id, bytes] : arena.bytes) {
            auto buffer = memory.allocate(bytes.size(), MemoryKind::buffer);
            if (!buffer) return Refusal(buffer.error());
            if (auto ok = memory.write({buffer->get()}, bytes.data(), bytes.size()); !ok) return ok;
            all[id] = std::move(*buffer);
        }
        return {};
    }
    Result<void> read(fuzz::Arena& arena, DeviceMemory& memory) const {
        for (auto& [id, bytes] : arena.bytes)
            if (auto ok = memory.read({all.at(id).get()}, bytes.data(), bytes.size()); !ok) return ok;
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
    const std::vector<MemoryKind> kinds(buffers.size(), MemoryKind::buffer);
    Submission submission{.queue = queue->get(), .kinds = kinds};
    if ((*compiled)->run(buffers, {.device = &submission}) != Status::success) return Refusal(*submission.failure);
    if (auto ok = (*queue)->wait({}); !ok) return ok;
    return copies.read(arena, memory);
}

} // namespace

const Engine* device() {
    dnnl_engine_t engine = nullptr; // made once, by the library
    if (dnnl_engine_get_count(dnnl_gpu) == 0 || dnnl_engine_create(&engine, dnnl_gpu, 0) != dnnl_success)
        return nullptr;
    return engine->impl.get();
}

std::string differs_on_device(const Problem& p, const Plan& plan, uint64_t seed, fuzz::Random& r) {
    fuzz::Arena want = fuzz::make_arena(p, seed, r, fuzz::Summands::rounded), got = want;
    interpret(plan, fuzz::pointers(plan, want, true).all);
    if (const auto done = run(plan, got); !done)
        return done.error().status == Status::unimplemented ? "" : done.error().reason;
    for (const auto& [id, bytes] : want.bytes)
        if (const std::string different = fuzz::difference(type_of(p, id), bytes, got.bytes.at(id)); !different.empty())
            return fmt::format("argument {}: {}", id, different);
    return "";
}

} // namespace tessera::test
