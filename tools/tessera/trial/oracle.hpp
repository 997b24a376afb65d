// SPDX-License-Identifier: Apache-2.0
// Oracle: what an execution must have made of its buffers, by the reference and the bounds of its computation.
//
//   Oracle oracle(problem, buffer_of, before);  // `before`: the bytes that the primitive read
//   oracle.expected(arg::dst)                   // all bytes of the output's buffer
//   oracle.close(arg::dst, got)                 // which elements of `got` may differ from them
//
// It owns all that it needs, so it can be kept and asked about the next execution, on another machine. The answers are
// the same ones only where answers() says so.
#pragma once

#include <map>
#include <vector>

#include "bounds/bounds.hpp"
#include "trial/compare.hpp"
#include "trial/guarded_buffer.hpp"

namespace tessera {

class Oracle {
public:
    using BufferOf = std::map<int, size_t>; // argument -> index of its buffer

    Oracle(const Problem& problem, const BufferOf& buffer_of, std::vector<GuardedBuffer> before);
    Oracle(const Oracle&) = delete;
    Oracle& operator=(const Oracle&) = delete;

    // Whether this problem and these bytes, at the same guards, are those that it was made of.
    bool answers(const Problem& problem, const BufferOf& buffer_of, const std::vector<GuardedBuffer>& before) const;

    // The bytes it was made of; scales of dynamic quantization are those that the reference has computed.
    const std::vector<GuardedBuffer>& before() const { return before_; }
    const std::vector<uint8_t>& expected(int output) const { return expected_.at(output); }
    Close close(int output, const void* got) const; // empty: none may

private:
    const Problem problem_;
    const BufferOf buffer_of_;
    std::vector<GuardedBuffer> before_;
    std::map<int, std::vector<uint8_t>> expected_;
    ops::Buffers inputs_;
    const Bounds bounds_;
};

} // namespace tessera
