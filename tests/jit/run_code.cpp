// SPDX-License-Identifier: Apache-2.0
#include "run_code.hpp"

#include <sys/mman.h>

#include <cstring>
#include <stdexcept>

#if defined(__x86_64__)
// Fills the callee-saved registers with patterns, calls, compares. The result is the number of the first changed
// register, 0 for none.
asm(R"(
    .text
    .p2align 4
    .globl tessera_test_call_checked
    .hidden tessera_test_call_checked
    .type tessera_test_call_checked, @function
tessera_test_call_checked:
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    sub $8, %rsp
    mov %rdi, %rax
    mov %rsi, %rdi
    mov $0x11223301, %rbx
    mov $0x11223302, %rbp
    mov $0x11223303, %r12
    mov $0x11223304, %r13
    mov $0x11223305, %r14
    mov $0x11223306, %r15
    call *%rax
    mov $1, %eax
    cmp $0x11223301, %rbx
    jne 1f
    mov $2, %eax
    cmp $0x11223302, %rbp
    jne 1f
    mov $3, %eax
    cmp $0x11223303, %r12
    jne 1f
    mov $4, %eax
    cmp $0x11223304, %r13
    jne 1f
    mov $5, %eax
    cmp $0x11223305, %r14
    jne 1f
    mov $6, %eax
    cmp $0x11223306, %r15
    jne 1f
    xor %eax, %eax
1:
    add $8, %rsp
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    ret
    .size tessera_test_call_checked, . - tessera_test_call_checked
)");
extern "C" int tessera_test_call_checked(void* function, void* args);
#endif

namespace tessera::cpu::jit {

namespace {

void* map(size_t bytes, int protection) {
    void* p = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) throw std::runtime_error("run_code: no memory");
    return p;
}

} // namespace

std::string name_of(const Target& target) {
    return "W" + std::to_string(target.vector_bytes) + (target.byte_permute ? "_byte_permute" : "") +
           (target.bf16 ? "_bf16" : "") + (target.vnni ? "_vnni" : "") + (target.amx ? "_amx" : "") +
           (target.amx_f16 ? "_f16" : "");
}

bool run_code(std::span<const uint8_t> code, void* args) {
#if defined(__x86_64__)
    void* p = map(code.size(), PROT_READ | PROT_WRITE);
    std::memcpy(p, code.data(), code.size());
    if (mprotect(p, code.size(), PROT_READ | PROT_EXEC)) throw std::runtime_error("run_code: mprotect");
    const int changed = tessera_test_call_checked(p, args);
    munmap(p, code.size());
    return changed == 0;
#else
    (void)code, (void)args;
    return false;
#endif
}

} // namespace tessera::cpu::jit
