// SPDX-License-Identifier: Apache-2.0
#include "cpu/executor/group_job.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/unit.hpp"
#include "core/stack_array.hpp"
#include "cpu/jit/kernel.hpp"
#include "cpu/runtime/scratch.hpp"

namespace tessera::cpu {

namespace {
constexpr size_t few_operands = 16; // arrays of that size lie on the stack
constexpr int64_t line = 64;
} // namespace

GroupJob::GroupJob(Nest shared, std::vector<Part> parts, const std::vector<Operand>& operands,
                   std::span<const LocalScratch> local)
    : shared_(std::move(shared)), parts_(std::move(parts)) {
    for (const Operand& o : operands) {
        bits_.push_back(bits(o.type));
        before_.push_back(o.bytes);
    }
    for (const LocalScratch& l : local) {
        local_.push_back({size_t(l.operand), local_bytes_});
        local_bytes_ += round_up(l.elements * bits_[size_t(l.operand)] / 8, line);
    }
    units = iterations(shared_.loops);
    for (const Part& part : parts_)
        if (part.job) bytes += part.job->bytes * units;
}

void GroupJob::run(const Bases& given, int64_t first, int64_t last) const {
    std::optional<Scratch> memory;
    if (local_bytes_) memory.emplace(size_t(local_bytes_));
    StackArray<char*, few_operands> bases(bits_.size());
    std::copy_n(given.begin(), bases.size(), bases.data());
    for (const Local& l : local_) bases[l.operand] = memory->data() + l.at;
    StackArray<int64_t, few_operands> at(bits_.size());
    StackArray<void*, few_operands> pointers(bits_.size());
    Bases own;
    for (int64_t u = first; u < last; ++u) {
        for (size_t o = 0; o < at.size(); ++o) at[o] = shared_.base[o];
        UnitIndex(u).add_offsets(shared_.loops, at);
        for (const Part& part : parts_) {
            const auto start = [&](size_t o) {
                const auto from = size_t(part.operands[o]);
                return bases[from] + at[from] * bits_[from] / 8; // whole bytes (verify)
            };
            if (part.job) {
                for (size_t o = 0; o < part.operands.size(); ++o) own[o] = start(o);
                part.job->run(own, 0, part.job->units);
                continue;
            }
            for (size_t o = 0; o < part.operands.size(); ++o)
                pointers[o] = start(o) - before_[size_t(part.operands[o])];
            (void)part.portable->run({pointers.data(), part.operands.size()}, {}); // fails for lists of elements alone
        }
    }
}

std::string GroupJob::text() const {
    std::string out = fmt::format("group of {} points:", units);
    for (const Part& part : parts_) {
        const std::string text = part.job ? part.job->text() : part.portable->text();
        out += fmt::format("{} {}", &part == &parts_.front() ? "" : ", then",
                           text.substr(0, text.find_last_not_of('\n') + 1));
    }
    return out;
}

std::vector<const jit::Kernel*> GroupJob::kernels() const {
    std::vector<const jit::Kernel*> all;
    for (const Part& part : parts_)
        if (part.job)
            for (const jit::Kernel* kernel : part.job->kernels()) all.push_back(kernel);
    return all;
}

} // namespace tessera::cpu
