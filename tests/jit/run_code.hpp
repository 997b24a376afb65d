// run_code: calls emitted code and says whether it kept the registers it must keep; memory with guard pages around it.
//
//   std::vector<Target> targets = host_targets();      // those of this processor; empty on other machines
//   EXPECT_TRUE(run_code(*emit(code), args));
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cpu/jit/target.hpp"

namespace tessera::cpu::jit {

std::vector<Target> host_targets();

// False when rbx, rbp or r12-r15 came back changed.
bool run_code(std::span<const uint8_t> code, void* args);

// Pages between two pages that nobody may touch.
class GuardedPages {
public:
    explicit GuardedPages(size_t bytes = 4096);
    ~GuardedPages();
    GuardedPages(const GuardedPages&) = delete;
    GuardedPages& operator=(const GuardedPages&) = delete;
    uint8_t* begin() const { return begin_; }
    uint8_t* end() const { return begin_ + bytes_; }
    size_t size() const { return bytes_; }

private:
    size_t bytes_;
    uint8_t* begin_;
};

} // namespace tessera::cpu::jit
