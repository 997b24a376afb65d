// SPDX-License-Identifier: Apache-2.0
// Everything to execute a problem line: descriptors, attributes, data, the primitive of the public API, the reference.
//
//   auto e = Experiment::make(line, Experiment::Data::hostile);   // Result: a refusal carries the library's reason
//   if (auto ok = e->check(); !ok) puts(ok.error().reason.c_str()); // first difference, with coordinates
//   e->execute();                                                 // again, for timing
//
// check() compares every byte of every output's buffer, padding and the surroundings of views included, with what
// ops::row(kind).ref makes of the same bytes; elements may differ within the bounds of their computation (bounds.hpp).
// NaN on both sides is equal if the problem computes; if it copies, the bits must be equal, too. Inputs that are not
// outputs must be unchanged. With hostile data each buffer is then moved to its other guard, and the outputs must be
// the same. Of a device the buffers are copies of these, with a canary behind each.
#pragma once

#include <memory>

#include <oneapi/dnnl/dnnl.hpp>

#include "line/problem_line.hpp"

namespace tessera {

class Kept;

class Experiment {
public:
    // hostile: special values, garbage in padding and gaps, buffers that end or start at a guard page. friendly: small
    // ordinary numbers in aligned buffers, quick to fill: for timing.
    enum class Data { hostile, friendly };

    // On the line's engine. `kept` outlives it and has what it shares with others of its line; null: nothing.
    static Result<Experiment> make(const ProblemLine& line, Data data, Kept* kept = nullptr);
    Experiment(Experiment&&) noexcept;
    Experiment& operator=(Experiment&&) noexcept;
    ~Experiment();

    void execute(); // throws dnnl::error
    Result<void> check();

    const Problem& problem() const;            // concrete: run-time dims filled in
    const std::string& implementation() const; // impl_info_str
    int64_t bytes() const; // read + written, padding that has to be written included: the yardstick of a copy

private:
    struct Parts;
    explicit Experiment(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

Result<dnnl::engine> make_engine(LineEngine engine); // the refusal says what is missing

// The problem of a line without buffers and without the public API, for `explain`.
Result<Problem> problem_of(const ProblemLine& line);

// Buffers larger than this are not made; such lines are skipped.
inline constexpr size_t experiment_limit = size_t(3) << 30;
bool too_large(const ProblemLine& line);

} // namespace tessera
