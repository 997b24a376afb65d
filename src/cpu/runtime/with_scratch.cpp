// SPDX-License-Identifier: Apache-2.0
#include "cpu/runtime/with_scratch.hpp"

#include "core/division.hpp"
#include "core/stack_array.hpp"
#include "cpu/runtime/scratch.hpp"

namespace tessera::cpu {

namespace {

constexpr size_t few_operands = 64;
constexpr int64_t line = 64;

class WithScratch final : public Executable {
public:
    WithScratch(std::shared_ptr<const Plan> plan, std::shared_ptr<const Executable> inner)
        : plan_(std::move(plan)), inner_(std::move(inner)) {
        for (const int64_t bytes : plan_->scratch) {
            starts_.push_back(total_);
            total_ += round_up(bytes, line);
        }
    }
    Status run(std::span<void* const> pointers, const Threads& threads) const override {
        const Scratch memory{size_t(total_)};
        StackArray<void*, few_operands> all(plan_->operands.size());
        for (size_t o = 0; o < all.size(); ++o) {
            const int scratch = plan_->operands[o].scratch;
            all[o] = scratch < 0 ? pointers[o] : memory.data() + starts_[size_t(scratch)];
        }
        return inner_->run(all, threads);
    }
    std::string_view name() const override { return inner_->name(); }
    std::string text() const override { return inner_->text(); }
    std::vector<GeneratedCode> code() const override { return inner_->code(); }
    std::string_view fallback() const override { return inner_->fallback(); }
    const Plan* runs() const override { return inner_->runs(); }
    std::string_view selection() const override { return inner_->selection(); }

private:
    std::shared_ptr<const Plan> plan_;
    std::shared_ptr<const Executable> inner_;
    std::vector<int64_t> starts_;
    int64_t total_ = 0;
};

} // namespace

std::shared_ptr<const Executable> with_scratch(std::shared_ptr<const Plan> plan,
                                               std::shared_ptr<const Executable> inner) {
    if (plan->scratch.empty()) return inner;
    return std::make_shared<const WithScratch>(std::move(plan), std::move(inner));
}

} // namespace tessera::cpu
