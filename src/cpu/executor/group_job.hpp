// SPDX-License-Identifier: Apache-2.0
// The steps of a group, one after the other for every point of the loops that they share. A unit is a point; its steps
// run on one thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/plan/nest.hpp"
#include "core/plan/rewrite/local_scratch.hpp"
#include "cpu/executor/job.hpp"

namespace tessera::cpu {

class GroupJob final : public Job {
public:
    struct Part {
        std::unique_ptr<Job> job; // or
        std::shared_ptr<const Executable> portable;
        std::vector<int> operands; // of the group, by operand of the part
    };

    // `local`: operands that have memory of the thread's own.
    GroupJob(Nest shared, std::vector<Part> parts, const std::vector<Operand>& operands,
             std::span<const LocalScratch> local);
    void run(const Bases& bases, int64_t first, int64_t last) const override;
    std::string text() const override;
    std::vector<const jit::Kernel*> kernels() const override;

private:
    Nest shared_;
    std::vector<Part> parts_;
    std::vector<int> bits_;       // of an element, by operand
    std::vector<int64_t> before_; // bytes that a portable part adds itself
    struct Local {
        size_t operand;
        int64_t at; // bytes
    };
    std::vector<Local> local_;
    int64_t local_bytes_ = 0;
};

} // namespace tessera::cpu
