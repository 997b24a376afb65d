// SPDX-License-Identifier: Apache-2.0
// Job: one step of a plan, cut into units that may run in any order and on any thread.
//
// A job is made once for a plan of one step (core/plan/rewrite/local_step.hpp) and holds its kernels; run() gets the
// buffers of that plan's operands, Operand::bytes already added.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/engine.hpp"
#include "core/plan/steps/matrices.hpp"
#include "cpu/jit/target.hpp"

namespace tessera::cpu {

namespace jit {
class Kernel;
}

// Steps with more operands than a kernel can hold are no jobs.
inline constexpr size_t job_operands = 96;
using Bases = std::array<char*, job_operands>; // by operand of the job's step

// What counted operands (Operand::counted) have for a base: an address whose low 32 bits are 0, so that those of an
// element's address are its number.
inline char* const base_of_numbers = reinterpret_cast<char*>(uintptr_t(1) << 32);

class Job {
public:
    virtual ~Job() = default;
    virtual void run(const Bases& bases, int64_t first_unit, int64_t last_unit) const = 0;
    virtual std::string text() const = 0; // for people: tile, blocks, kernels
    virtual std::vector<const jit::Kernel*> kernels() const = 0;

    int64_t units = 1;
    int64_t bytes = 0; // read and written by all units
};

// Null when generated code does not do this step.
std::unique_ptr<Job> make_map_job(const Plan& plan, const Step& step, const jit::Target& target,
                                  const Context& context);
std::unique_ptr<Job> make_transpose_job(const Plan& plan, const Step& step, const jit::Target& target,
                                        const Context& context);
std::unique_ptr<Job> make_fill_job(const Plan& plan, const Step& step, const jit::Target& target);
// Operands that are the same in all rows stay in registers; rows of whole vectors. `zeros` as of the gather tile.
std::unique_ptr<Job> make_held_job(const Plan& plan, const Step& step, const jit::Target& target,
                                   const Context& context, int64_t zeros = 0);
// Rows, dense one after the other, beside operands that start anew with every row: they are repeated in a buffer.
std::unique_ptr<Job> make_repeating_job(const Plan& plan, const Step& step, const jit::Target& target,
                                        const Context& context);
// Interpolation between neighbours of one operand (core/plan/steps/interpolation.hpp). `zeros` as of the gather tile:
// null where it does not write them.
std::unique_ptr<Job> make_lerp_job(const Plan& plan, const Step& step, const jit::Target& target,
                                   const Context& context, int64_t zeros = 0);
// Maps that compare with the numbers of their rows and store once, as gradients of maxima do, run as windows of one
// point: several short rows at a time, and what they write is fetched ahead.
bool are_windows_of_one(const Plan& plan, const Step& step);
// Results combined over reduce loops, or windows of one; null for means by pairs, and where neither results nor sums
// are dense.
std::unique_ptr<Job> make_reduce_job(const Plan& plan, const Step& step, const jit::Target& target,
                                     const Context& context);
// Gradients of maxima over large windows, added where the workspace says; null for other sums, and where comparing is
// faster.
std::unique_ptr<Job> make_scatter_job(const Plan& plan, const Step& step, const jit::Target& target,
                                      const Context& context);
// Operands that stride along the rows, or have tables there, go through a buffer.
std::unique_ptr<Job> make_packed_job(const Plan& plan, const Step& step, const jit::Target& target);
// Without indexed loops there is no job when a store needs more than most_windows windows on average. `zeros`: so many
// elements behind each row of dst, the points of its dense loop, are zeros (core/plan/rewrite/padding.hpp).
std::unique_ptr<Job> make_gather_job(const Plan& plan, const Step& step, const jit::Target& target,
                                     const Context& context, int most_windows, int64_t zeros = 0);
// Copies along an offset table of src where dst is dense, or has short runs behind each other.
std::unique_ptr<Job> make_pick_job(const Plan& plan, const Step& step, const jit::Target& target,
                                   const Context& context);
// Whether the gather tile should be asked before the transpose tile: an indexed loop, or a contiguous loop shorter
// than a line and no power of two on either side.
bool prefers_gather(const Plan& plan, const Step& step, const jit::Target& target);

} // namespace tessera::cpu
