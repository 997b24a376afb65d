// SPDX-License-Identifier: Apache-2.0
// Builds without kernels: for processors other than x86-64. CMake takes this file instead of with_kernels.cpp.
#include "cpu/engine.hpp"
#include "cpu/portable/executable.hpp"
#include "cpu/runtime/with_scratch.hpp"
#include "cpu/select/compile.hpp"

namespace tessera::cpu {

Result<std::shared_ptr<const Executable>> compile(std::shared_ptr<const Plan> plan, const Context& context) {
    auto portable = make_portable(plan, context, "this build has no kernels, which are code of x86-64");
    if (!portable) return portable;
    return with_scratch(std::move(plan), std::move(*portable));
}

// There are no kernels to tell anybody about.
void set_jit_dump(bool) {}
void set_jit_profiling(unsigned) {}
void keep_vcode(bool) {}
void set_jitdump_directory(const std::string&) {}

} // namespace tessera::cpu
