#include "cpu/engine.hpp"

#include "cpu/executor/generated.hpp"
#include "cpu/executor/with_scratch.hpp"
#include "cpu/jit/code/inspection.hpp"
#include "cpu/portable/executable.hpp"
#include "cpu/runtime/threads.hpp"

namespace tessera::cpu {

namespace {

class CpuEngine final : public Engine {
public:
    EngineKind kind() const override { return EngineKind::cpu; }
    const Machine& machine() const override { return this_machine(); }
    int threads() const override { return is_stand_in() ? this_machine().threads : max_threads(); }
    Result<std::shared_ptr<const Executable>> compile(std::shared_ptr<const Plan> plan) const override {
        Machine machine = this_machine();
        machine.threads = threads();
        std::string why;
        if (auto generated = make_generated(plan, machine, &why)) return generated;
        auto portable = make_portable(plan, machine, std::move(why));
        if (!portable) return portable;
        return with_scratch(std::move(plan), std::move(*portable));
    }
};

} // namespace

void set_jit_dump(bool on) { jit::set_dump(on); }
void set_jit_profiling(unsigned profilers) { jit::set_profiling(profilers); }
void keep_vcode(bool on) { jit::keep_vcode(on); }
void set_jitdump_directory(const std::string& directory) { jit::set_jitdump_directory(directory); }

std::shared_ptr<Engine> make_engine() { return std::make_shared<CpuEngine>(); }

} // namespace tessera::cpu
