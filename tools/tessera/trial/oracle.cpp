// SPDX-License-Identifier: Apache-2.0
#include "trial/oracle.hpp"

#include <algorithm>

namespace tessera {
namespace {

// A scratchpad is none of them: what is in it, and its size, are the machine's.
ops::Buffers inputs_of(const Oracle::BufferOf& buffer_of, const std::vector<GuardedBuffer>& before) {
    ops::Buffers inputs;
    for (const auto& [id, i] : buffer_of)
        if (id != arg::scratchpad) inputs[id] = before[i].data();
    return inputs;
}

bool same_tensor(const Tensor& a, const Tensor& b) {
    return a.arg == b.arg && a.output == b.output && a.attribute == b.attribute && a.md == b.md;
}

} // namespace

Oracle::Oracle(const Problem& problem, const BufferOf& buffer_of, std::vector<GuardedBuffer> before)
    : problem_(problem), buffer_of_(buffer_of), before_(std::move(before)), inputs_(inputs_of(buffer_of_, before_)),
      bounds_(problem_, inputs_) {
    ops::Buffers buffers = inputs_; // as they were; an output that shares a buffer has a copy of its own
    for (const Tensor& t : problem_.tensors) {
        if (!t.output) continue;
        const GuardedBuffer& start = before_[buffer_of_.at(t.arg)];
        expected_[t.arg].assign(start.begin(), start.end());
        buffers[t.arg] = expected_[t.arg].data();
    }
    ops::row(problem_.kind).ref(problem_, buffers);
}

// Scales that the reference has written over differ from those of a new execution, so it is made anew for them.
bool Oracle::answers(const Problem& problem, const BufferOf& buffer_of,
                     const std::vector<GuardedBuffer>& before) const {
    if (!std::ranges::equal(problem.tensors, problem_.tensors, same_tensor) || problem.text() != problem_.text())
        return false;
    if (buffer_of != buffer_of_ || before.size() != before_.size()) return false;
    for (const auto& [id, i] : buffer_of)
        if (before[i].placement() != before_[i].placement() || (id != arg::scratchpad && before[i] != before_[i]))
            return false;
    return true;
}

Close Oracle::close(int output, const void* got) const {
    if (!bounds_.any()) return {};
    return [=, this](std::span<const int64_t> at, int64_t element) { return bounds_.hold(output, at, got, element); };
}

} // namespace tessera
