// SPDX-License-Identifier: Apache-2.0
// The product steps that convolutions lower to, for the problems of convolutions.txt: borders are boxes with a part of
// the kernel, so there are nine steps of two dims of pixels and 27 of three.
//
// convolution_steps.txt has what they do with their factors on each machine, reviewed like the other golden texts
// (TESSERA_UPDATE_GOLDEN=1 rewrites it):
//
//   9 products; src: 9 in place; weights: 9 packed, 5.44 of weights
//
// The figure behind is what an execution packs, or copies in steps of its own, as a multiple of the whole tensor. Each
// problem also runs through the public API on every machine, for 1, 2, 3 and 7 threads, in buffers between pages that
// cannot be touched, and is compared with the reference. covers: CNV-01 CNV-03 CNV-04 CNV-05 CNV-20
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "core/plan/steps/matrices.hpp"
#include "cpu/select/select.hpp"
#include "dot_reading.hpp"
#include "golden_machines.hpp"
#include "line/problem_line.hpp"
#include "ops/ops.hpp"
#include "trial/experiment.hpp"
#include "trial/faults.hpp"
#include "trial/judge.hpp"

namespace tessera {

namespace {

const std::vector<NumberedLine>& lines() {
    static const auto all = read_problem_file(GOLDEN_FOLDER "/convolutions.txt");
    return *all;
}

// What all steps of a plan do with one tensor.
struct Use {
    int in_place = 0, packed = 0, in_parts = 0, copies = 0;
    double moved = 0; // elements that are packed or copied
};

class Reading {
public:
    Reading(const Problem& problem, const cpu::Selection& selection) : selection_(selection) {
        for (const Tensor& t : problem.tensors) elements_[t.arg] = double(t.md.nelems());
        const Plan& plan = selection.plan;
        for (size_t i = 0; i < plan.steps.size(); ++i) {
            const Step& step = plan.steps[i];
            if (step.product)
                product(step, selection.choices[i].job.get());
            else if (step.kind == StepKind::map)
                copy(step);
            else
                ++others_[std::string(name(step.kind))];
        }
    }

    std::string text() const {
        std::string out = fmt::format("{} products", products_);
        if (portable_) out += fmt::format(", {} of them in plain code", portable_);
        for (const auto& [operand, use] : uses_) {
            std::string what;
            const auto add = [&](int count, std::string_view word) {
                if (count) what += fmt::format("{}{} {}", what.empty() ? "" : ", ", count, word);
            };
            add(use.in_place, "in place"), add(use.packed, "packed"), add(use.in_parts, "packed part by part");
            add(use.copies, use.copies == 1 ? "copy" : "copies");
            out += fmt::format("; {}: {}", operand, what);
            if (use.moved > 0) out += fmt::format(", {:.2f} of {}", use.moved / size_of_.at(operand), operand);
        }
        for (const auto& [kind, count] : others_) out += fmt::format("; {} {}", count, kind);
        return out;
    }

private:
    // Where a factor comes from: an argument, or a copy of one.
    Use* use_of(int operand) {
        if (operand < 0) return nullptr;
        const Operand& o = selection_.plan.operands[size_t(operand)];
        if (o.scratch >= 0) {
            const auto from = copied_from_.find(o.scratch);
            return from == copied_from_.end() ? nullptr : use_of(from->second);
        }
        const auto elements = elements_.find(o.arg);
        if (elements == elements_.end()) return nullptr;
        size_of_[o.name] = elements->second;
        return &uses_[o.name];
    }
    void product(const Step& step, const cpu::Job* job) {
        ++products_;
        const auto reading = job ? cpu::reading_of(*job) : std::nullopt;
        const auto matrices = matrices_of(selection_.plan, step);
        if (!reading || !matrices) {
            ++portable_;
            return;
        }
        const auto add = [&](const MatrixFactor& factor, const cpu::DotReading::Factor& is) {
            Use* const use = use_of(factor.factor.operand);
            if (!use) return;
            ++(is.packing == cpu::DotPacking::none    ? use->in_place
               : is.packing == cpu::DotPacking::whole ? use->packed
                                                      : use->in_parts);
            use->moved += double(is.elements);
        };
        add(matrices->left, reading->a), add(matrices->right, reading->b);
    }
    // A map that leaves a tensor in scratch memory.
    void copy(const Step& step) {
        const Program& program = selection_.plan.programs[size_t(step.program)];
        const int to = program.ops.back().operand;
        for (const Op& op : program.ops) {
            if (op.code != OpCode::load || selection_.plan.operands[size_t(to)].scratch < 0) continue;
            if (Use* const use = use_of(op.operand)) {
                ++use->copies, use->moved += double(step.nest.points());
                copied_from_[selection_.plan.operands[size_t(to)].scratch] = op.operand;
                return;
            }
        }
        ++others_["map"];
    }

    const cpu::Selection& selection_;
    std::map<int, double> elements_; // by argument
    std::map<std::string, double> size_of_;
    std::map<int, int> copied_from_; // by scratch
    std::map<std::string, Use> uses_;
    std::map<std::string, int> others_;
    int products_ = 0, portable_ = 0;
};

struct Told {
    std::string text;
    std::vector<std::string> machines;
};

std::string reading_text(const std::string& text, const Context& machine) {
    const auto line = parse_problem_line(text);
    const auto problem = line ? problem_of(*line) : Refusal(line.error());
    const auto plan = problem ? ops::row(problem->kind).lower(*problem) : Refusal(problem.error());
    if (!plan) return plan.error().reason;
    const auto selection = cpu::select(*plan, machine);
    return selection ? Reading(*problem, *selection).text() : selection.error().reason;
}

} // namespace

TEST(ConvolutionSteps, read_their_factors_as_written) {
    if (golden_machines().empty()) GTEST_SKIP() << "no code is generated for this processor";
    ASSERT_FALSE(lines().empty());
    std::string found;
    for (const NumberedLine& line : lines()) {
        found += fmt::format("## {}\n", line.text);
        std::vector<Told> told;
        for (const Context& machine : golden_machines()) {
            const std::string text = reading_text(line.text, machine);
            auto same = std::ranges::find(told, text, &Told::text);
            if (same == told.end()) same = told.insert(told.end(), {text, {}});
            same->machines.push_back(machine.name);
        }
        // Those that most machines do come last.
        std::ranges::stable_sort(told, {}, [](const Told& t) { return t.machines.size(); });
        for (const Told& t : told) {
            const bool last = &t == &told.back();
            found += fmt::format("  {}: {}\n",
                                 !last              ? fmt::format("{}", fmt::join(t.machines, ", "))
                                 : told.size() == 1 ? "every machine"
                                                    : "the others",
                                 t.text);
        }
        found += "\n";
    }
    const std::string path = GOLDEN_FOLDER "/convolution_steps.txt";
    if (std::getenv("TESSERA_UPDATE_GOLDEN")) std::ofstream(path) << found;
    std::stringstream written;
    written << std::ifstream(path).rdbuf();
    EXPECT_EQ(written.str(), found);
}

TEST(ConvolutionSteps, compute_what_the_reference_does) {
    ASSERT_FALSE(lines().empty());
    for (const NumberedLine& line : lines()) {
        Kept kept;
        for (Context machine : machines())
            for (const int threads : {1, 2, 3, 7}) {
                machine.threads = threads;
                const std::string where = fmt::format("{}, {} threads: {}", machine.name, threads, line.text);
                doing(where);
                const StandIn stand_in(machine);
                const Outcome outcome = judge(line.text, {}, &kept);
                EXPECT_EQ(outcome.verdict, Verdict::passed) << where << "\n" << outcome.reason;
            }
    }
}

} // namespace tessera
