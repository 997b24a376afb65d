// SPDX-License-Identifier: Apache-2.0
#include "cpu/engine.hpp"

#include "cpu/runtime/threads.hpp"
#include "cpu/select/compile.hpp"

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
        return cpu::compile(std::move(plan), machine);
    }
};

} // namespace

std::shared_ptr<Engine> make_engine() { return std::make_shared<CpuEngine>(); }

} // namespace tessera::cpu
