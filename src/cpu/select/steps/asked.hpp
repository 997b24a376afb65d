// SPDX-License-Identifier: Apache-2.0
// Asked: a step about which the table of tiles is asked (select/tiles.hpp), and what rows of the table look at.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "core/plan/rewrite/local_scratch.hpp"
#include "core/plan/steps/matrices.hpp"
#include "cpu/executor/job.hpp"
#include "cpu/products/ask.hpp"

namespace tessera::cpu {

struct Seen;

class Asked {
public:
    // What the plan that the step comes from says of it.
    struct Surroundings {
        int64_t zeros = 0;    // that another step writes behind its rows (core/plan/rewrite/padding.hpp)
        int64_t products = 1; // that run at the same time as this one, itself included
        std::span<const LocalScratch> local = {}; // of a group: memory of a point
        std::shared_ptr<const Plan> whole = {};   // the step's own plan, if there is no other around it
    };
    // The step is alone in its plan.
    Asked(const Plan& plan, const Surroundings& around, const jit::Target& target, const Context& context);
    ~Asked();

    const Plan& plan;
    const Step& step;
    const Surroundings around;
    const jit::Target& target;
    const Context& context;
    const std::optional<Matrices> matrices; // of a product; none where it has too many terms to count
    // Jobs are made of steps with a few operands, whose bytes and strides of rows stay in 64 bits.
    const bool makes_jobs;
    const bool is_map; // of some points, that makes jobs

    // Of maps:
    bool may_share = false;    // src and dst may be one buffer: no point is computed twice
    bool long_rows = false;    // rows long enough for the map tile to be the fastest
    int64_t table_rows = 0;    // bytes of a row, dense on both sides, where rows lie anywhere; else 0
    bool gather_first = false; // short runs that the gather tile permutes faster than the transpose tile turns them

    // What tiles of products see of a product that one of them takes as it is, or null; it is seen once. The tile that
    // makes a job moves it there.
    Seen* seen() const;
    // What they say of any product with matrices; they are asked once.
    const DotAnswer& products() const;

private:
    mutable bool looked_ = false;
    mutable std::unique_ptr<Seen> seen_;
    mutable std::optional<DotAnswer> products_;
};

} // namespace tessera::cpu
