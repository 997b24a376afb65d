// SPDX-License-Identifier: Apache-2.0
// Scratch memory of the library beside guards, for programs that link this file: it defines what the library's own
// scratch.cpp does, which the linker then leaves out. The bytes are what no kernel may depend on: NaNs in all
// types of floats. Memory is aligned to 64, so up to 63 bytes behind what was asked for can be touched unseen.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/division.hpp"
#include "cpu/runtime/scratch.hpp"
#include "trial/guarded_buffer.hpp"

namespace tessera::cpu {

const bool stack_is_scratch = false;

Scratch::Scratch(size_t bytes) {
    static std::atomic<unsigned> count = 0;
    const auto placement =
        count++ % 2 ? GuardedBuffer::Placement::start_at_guard : GuardedBuffer::Placement::end_at_guard;
    auto* const buffer = new GuardedBuffer(size_t(round_up(int64_t(bytes), 64)), placement);
    std::memset(buffer->data(), 0xff, buffer->size());
    data_ = reinterpret_cast<char*>(buffer->data());
    bytes_ = reinterpret_cast<size_t>(buffer); // the room of a pointer
}

Scratch::~Scratch() {
    const auto* const buffer = reinterpret_cast<const GuardedBuffer*>(bytes_);
    if (!buffer->intact()) std::fputs("bytes beside scratch memory were overwritten\n", stderr), std::abort();
    delete buffer;
}

} // namespace tessera::cpu
