// SPDX-License-Identifier: Apache-2.0
#include "cpu/products/jobs.hpp"

#include <algorithm>

#include "core/division.hpp"
#include "cpu/products/run/make.hpp"
#include "cpu/tiles/dot/run.hpp"

namespace tessera::cpu {

namespace {

class Maker {
public:
    explicit Maker(Seen& seen) : x(seen), job(*made_), choice(job.choice) {}

    std::unique_ptr<Job> make() {
        choose_for(x, job);
        if (!make_packs(x, job)) return nullptr;
        choice.finishes = keeps_in_registers();
        if (!make_kernels() || !make_sums(x, job)) return nullptr;
        if (!make_pass(x, job.v, job.finish, !choice.finishes || some_pass_)) return nullptr;
        if (!finish_groups(x, job)) return nullptr;
        job.prepare(products_of_byte(x.target, x.kind));
        return std::move(made_);
    }

private:
    // Whether kernels apply the epilogue to their sums. Sums that stay in memory, for a group or for products that are
    // finished together, are what the pass is for. Narrow results gain nothing with vectors of 32 bytes.
    bool keeps_in_registers() {
        if (job.v.direct || x.groups.length || job.joint_epilogue) return false;
        const bool narrow = bits(x.type_of(x.p.outer.ops.back().operand)) < 32;
        if (!job.v.panels_apart && !x.target.masks && narrow) return false;
        if (x.views.integers && (x.sums.rows || (x.sums.columns && !x.sums.by_kernels))) return false; // 0.91
        // What all columns of a panel share, but not all panels: kernels load such an operand once a row.
        for (const DotView& v : x.outer)
            if (v.panel && x.epilogue.column[size_t(v.operand)] == 0) return false;
        finisher_ = choice.spec;
        finisher_.epilogue = std::make_shared<const MapSpec>(x.epilogue), finisher_.sum = x.p.sum;
        finisher_.epilogue_dense = narrow && !job.v.panels_apart;
        job.in_registers = epilogue_operands(x.epilogue, x.p.sum);
        for (size_t i = 0; i < job.in_registers.size() && i < most_epilogue_operands; ++i) {
            const int number = job.in_registers[i];
            const auto varies = [&](const DotView& v) { return v.operand == number && v.row; };
            const bool moves = std::ranges::any_of(x.outer, varies) || number == x.p.sum + 2;
            finisher_.epilogue_rows |= uint32_t(moves) << i;
        }
        return epilogue_fits(x.target, finisher_);
    }

    DotSpec spec_of(const BlockVariant& block) const {
        DotSpec spec = choice.spec;
        spec.rows = int(block.rows), spec.panels = int(ceil_div(block.columns, 16));
        spec.tail = block.narrow && spec.tail;
        spec.last = block.narrow && !x.target.masks ? int(block.columns % 16) : 0;
        return spec;
    }

    bool make_kernels() {
        for (size_t i = 0; i < BlockedJob::variants; ++i) {
            const BlockVariant block = block_variant(job, i);
            if (block.rows == 0) continue;
            DotSpec spec = spec_of(block);
            if (job.blocks_name.empty()) job.blocks_name = key(spec);
            if (choice.finishes) {
                DotSpec finisher = finisher_;
                finisher.rows = spec.rows, finisher.panels = spec.panels;
                finisher.tail = spec.tail, finisher.last = spec.last;
                if (epilogue_fits(x.target, finisher) && !(job.finishing[i] = kernel_of(x, finisher))) return false;
            }
            some_pass_ |= !job.finishing[i];
            // The first block of a row decides whether its kernels finish the row or a pass does: a block of all
            // columns may need more registers than the last one, which then is wanted without the epilogue, too.
            const bool first_passes = block.narrow && x.p.columns >= 16 * choice.spec.panels && !job.finishing[i - 1];
            const bool finishes = job.finishing[i] && !first_passes;
            if ((!finishes || x.p.depth > choice.depth) && !(job.kernel[i] = kernel_of(x, spec))) return false;
            if (choice.streams) {
                spec.c_streams = true;
                job.streaming[i] = kernel_of(x, spec); // none of columns that end within a panel
                spec.c_streams = false;
            }
            if (!block.low && !make_summing(spec, i)) return false;
        }
        return true;
    }

    // The kernel that sums B's columns beside the products, if there is one.
    bool make_summing(DotSpec spec, size_t variant) {
        if (!x.sums.columns || spec.sums_b || x.groups.length || choice.finishes) return true;
        spec.sums_b = true;
        return !can_build_dot(x.target, spec) || (job.summing[variant] = kernel_of(x, spec));
    }

    Seen& x;
    std::unique_ptr<VectorsJob> made_ = std::make_unique<VectorsJob>();
    VectorsJob& job;
    DotChoice& choice;
    DotSpec finisher_;       // a full block's kernel with the epilogue
    bool some_pass_ = false; // blocks without one
};

} // namespace

std::unique_ptr<Job> make_dot_job(Seen& seen) { return Maker(seen).make(); }

} // namespace tessera::cpu
