#include "cpu/engine.hpp"

#include "cpu/portable/executable.hpp"

namespace tessera::cpu {

namespace {

class CpuEngine final : public Engine {
public:
    EngineKind kind() const override { return EngineKind::cpu; }
    const Machine& machine() const override { return this_machine(); }
    Result<std::shared_ptr<const Executable>> compile(std::shared_ptr<const Plan> plan) const override {
        return make_portable(std::move(plan), this_machine());
    }
};

} // namespace

std::shared_ptr<Engine> make_engine() { return std::make_shared<CpuEngine>(); }

} // namespace tessera::cpu
