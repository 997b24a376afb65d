// SPDX-License-Identifier: Apache-2.0
#include "cpu/runtime/repeated.hpp"

#include <fmt/format.h>

#include "core/plan/rewrite/turns.hpp"
#include "core/plan/unit.hpp"
#include "core/stack_array.hpp"

namespace tessera::cpu {

namespace {

class Repeated final : public Executable {
public:
    Repeated(const Plan& plan, std::shared_ptr<const Executable> turn)
        : plan_(plan), turns_(iterations(plan.steps[0].nest.loops)), turn_(std::move(turn)) {
        for (const Loop& loop : plan.steps[0].nest.loops) {
            PerOperand<int64_t>& bytes = strides_.emplace_back();
            for (size_t o = 0; o < plan.operands.size(); ++o) bytes.set(o, bytes_of(o, loop.stride[o]));
        }
    }

    Status run(std::span<void* const> pointers, const Threads& threads) const override {
        const std::vector<Loop>& loops = plan_.steps[0].nest.loops;
        StackArray<void*> all(plan_.operands.size());
        for (int64_t turn = 0; turn < turns_; ++turn) {
            for (size_t o = 0; o < all.size(); ++o) {
                if (is_constant(o)) continue;
                int64_t at = bytes_of(o, plan_.steps[0].nest.base[o]), rest = turn;
                for (size_t k = loops.size(); k-- > 0; rest /= loops[k].extent)
                    at += rest % loops[k].extent * strides_[k][o];
                all[o] = static_cast<char*>(pointers[o]) + at;
            }
            if (const Status s = turn_->run(all, threads); s != Status::success) return s;
        }
        return Status::success;
    }
    std::string_view name() const override { return turn_->name(); }
    std::string_view fallback() const override { return turn_->fallback(); }
    const Plan* runs() const override { return &plan_; }
    std::string_view selection() const override { return turn_->selection(); }
    std::string text() const override { return fmt::format("{} times:\n{}", turns_, turn_->text()); }
    std::vector<GeneratedCode> code() const override { return turn_->code(); }

private:
    int64_t bytes_of(size_t o, int64_t elements) const { // whole ones (verify)
        return elements * bits(plan_.operands[o].type) / 8;
    }
    bool is_constant(size_t o) const { return plan_.operands[o].counted || plan_.operands[o].constant >= 0; }

    const Plan plan_;
    const int64_t turns_;
    const std::shared_ptr<const Executable> turn_;
    std::vector<PerOperand<int64_t>> strides_; // of each loop, in bytes
};

} // namespace

std::shared_ptr<const Executable> repeated(const Plan& plan, std::shared_ptr<const Executable> turn) {
    return std::make_shared<const Repeated>(plan, std::move(turn));
}

} // namespace tessera::cpu
