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
    int threads() const override { return stand_in() ? stand_in()->threads : max_threads(); }
    Result<std::shared_ptr<const Executable>> compile(std::shared_ptr<const Plan> plan) const override {
        return cpu::compile(std::move(plan), Context(this_machine(), threads()));
    }
};

} // namespace

std::shared_ptr<Engine> make_engine() { return std::make_shared<CpuEngine>(); }

} // namespace tessera::cpu
