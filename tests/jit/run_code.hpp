// run_code: calls emitted code and says whether it kept the registers it must keep; memory with guard pages around it.
//
//   std::vector<Target> targets = host_targets();      // all that this processor can run; empty on other machines
//   EXPECT_TRUE(run_code(*emit(code), args));
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cpu/jit/target.hpp"

namespace tessera::cpu::jit {

std::vector<Target> host_targets();
bool runs_here(const Target& target);
std::string name_of(const Target& target); // "W64_byte_permute_bf16"

// False when rbx, rbp or r12-r15 came back changed.
bool run_code(std::span<const uint8_t> code, void* args);

// Pages between 64 KiB on each side that nobody may touch: too many for an error of a row to step over.
class GuardedPages {
public:
    explicit GuardedPages(size_t bytes = 64 << 10);
    ~GuardedPages();
    GuardedPages(const GuardedPages&) = delete;
    GuardedPages& operator=(const GuardedPages&) = delete;
    uint8_t* begin() const { return begin_; }
    uint8_t* end() const { return begin_ + bytes_; }
    size_t size() const { return bytes_; }
    // So many bytes against one of the two guards.
    uint8_t* place(size_t size, bool at_end) const { return at_end ? end() - size : begin_; }

private:
    size_t bytes_;
    uint8_t* begin_;
};

} // namespace tessera::cpu::jit
