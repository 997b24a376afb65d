// SPDX-License-Identifier: Apache-2.0
// Builds that generate code: x86-64.
#include "cpu/engine.hpp"
#include "cpu/executor/generated.hpp"
#include "cpu/jit/code/inspection.hpp"
#include "cpu/portable/executable.hpp"
#include "cpu/runtime/with_scratch.hpp"
#include "cpu/select/compile.hpp"

namespace tessera::cpu {

Result<std::shared_ptr<const Executable>> compile(std::shared_ptr<const Plan> plan, const Context& context) {
    std::string why;
    if (auto generated = make_generated(plan, context, &why)) return generated;
    auto portable = make_portable(plan, context, std::move(why));
    if (!portable) return portable;
    return with_scratch(std::move(plan), std::move(*portable));
}

Result<std::shared_ptr<const Executable>> compile_portable(std::shared_ptr<const Plan> plan, const Context& context) {
    return make_portable(std::move(plan), context);
}

void set_jit_dump(bool on) { jit::set_dump(on); }
void set_jit_profiling(unsigned profilers) { jit::set_profiling(profilers); }
void keep_vcode(bool on) { jit::keep_vcode(on); }
void set_jitdump_directory(const std::string& directory) { jit::set_jitdump_directory(directory); }

} // namespace tessera::cpu
