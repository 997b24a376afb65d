// SPDX-License-Identifier: Apache-2.0
// A problem with the bytes that its primitive reads, and what intervals go through on their way to an output: what the
// bounds of a primitive are made of.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bounds/interval.hpp"
#include "core/layout/layout.hpp"
#include "ops/ops.hpp"

namespace tessera {

class Computation {
public:
    Computation(const Problem& p, const ops::Buffers& bytes) : problem(p), before(bytes) {}

    const Problem& problem;
    const ops::Buffers& before;

    // What attributes start from, by the oracle: the problem without them, into a plain tensor of f32.
    float start(std::span<const int64_t> at) const;
    float value(int id, std::span<const int64_t> at) const;           // of an input, without scales
    Interval finished(Interval x, std::span<const int64_t> at) const; // behind dropout and post-ops
    // How far a product may be off in relation to itself because its factors were rounded.
    double of_factors(int a, int b) const;
    // The oracle's sums, made once: T(problem, before).
    template <typename T> const T& sums() const {
        if (!sums_) sums_ = std::make_shared<T>(problem, before);
        return *static_cast<const T*>(sums_.get());
    }

private:
    Interval post_op(size_t i, Interval x, std::span<const int64_t> at) const;

    mutable std::vector<float> starts_;
    mutable Layout starts_layout_;
    mutable std::shared_ptr<void> sums_;
};

} // namespace tessera
