// SPDX-License-Identifier: Apache-2.0
// From what was seen of a step (see.cpp) to a DotJob: the choice, packs, kernels.
#include <algorithm>

#include "core/division.hpp"
#include "cpu/tiles/dot/kernel/few_rows.hpp"
#include "cpu/tiles/dot/loops.hpp"
#include "cpu/tiles/dot/make.hpp"
#include "cpu/tiles/map/make.hpp"

namespace tessera::cpu {

namespace {

class Maker : DotContext {
public:
    using DotContext::DotContext;

    std::unique_ptr<Job> make() {
        if (see_product(*this)) return nullptr;
        DotChoice& choice = job.choice;
        choice = choose_dot(shape, kind, target, machine);
        choice.spec.c_ahead &= job.direct; // other sums are in the first two levels
        choice.streams &= job.direct || is_amx(kind);
        job.products_of_byte = products_of_byte(target, kind);
        if (choice.way == DotWay::turned) {
            job.b = few_b;
            if (pairs && !make_pairs(*this)) return nullptr;
            if (!make_tiles() || !make_turned() || !pack_turned(*this) || !make_epilogue()) return nullptr;
            job.prepare();
            return std::move(made);
        }
        if (choice.way != DotWay::blocks) {
            const bool tall = choice.way == DotWay::tall;
            const int64_t rest = tall ? 0 : p.rows % choice.spec.rows;
            const FewRowsSpec spec = tall ? tall_spec() : few_spec(choice.spec.rows);
            job.shifts_b = spec.shifts_b;
            // Fours load and store sums so often that lines of dst at the ends of ranges would go from thread to
            // thread.
            if (spec.fours && spec.rows > 2) job.direct = false;
            job.few = few_kernel(spec);
            if (rest) job.few_rest = few_kernel(few_spec(rest));
            if (!job.few || (rest && !job.few_rest) || !make_epilogue() || !make_groups(*this)) return nullptr;
            job.a = few_a, job.b = few_b;
            job.a_by_depth = choice.a == DotSource::packed;
            if (job.a_by_depth && !pack_rows(*this)) return nullptr;
            job.prepare();
            return std::move(made);
        }
        job.run_of_rows = choice.run, job.run_of_a = std::min(job.run_of_a, choice.run);
        if (job.run_of_c < job.run_of_rows) job.direct = false; // blocks have rows of several runs of dst
        if (choice.spec.interleaves) job.b = b_rows, b_k = {{p.depth, b_rows.row}};
        set_loops();
        if (job.groups.length) fit_depth(*this);
        join_products(*this);
        job.a_by_depth = packs_a_by_depth();
        job.pads_rows &= choice.a == DotSource::packed;
        if (choice.a == DotSource::packed && !pack_rows(*this)) return nullptr;
        if (choice.b == DotSource::packed && !pack_panels(*this)) return nullptr;
        choice.finishes = keeps_in_registers();
        if (!make_kernels() || !make_epilogue() || !make_groups(*this)) return nullptr;
        shorten_epilogue();
        job.prepare();
        return std::move(made);
    }

private:
    std::shared_ptr<const jit::Kernel> few_kernel(const FewRowsSpec& spec) const {
        const bool dots = job.choice.way != DotWay::axpy; // blocks' sums of rows are dots, too
        return jit::kernel(target, dots ? dots_key(spec) : axpy_key(spec),
                           [=, t = target] { return dots ? build_dots(t, spec) : build_axpy(t, spec); });
    }
    bool make_epilogue() {
        if (job.choice.streams && is_amx(kind)) job.direct = false;
        if (job.direct) return true;
        job.epilogue_name = key(epilogue);
        if (job.choice.finishes && !some_pass_) return true;
        job.epilogue = map_kernel(target, epilogue);
        return bool(job.epilogue);
    }
    // From k to k of what the kernel reads: of memory as it lies, or of packs, which are dense.
    void set_loops() {
        DotChoice& c = job.choice;
        const int64_t a_size = bits(c.spec.a) / 8 * (c.spec.a_words ? 2 : 1), b_size = bits(c.spec.b) / 8;
        const Modes a = c.a == DotSource::packed ? Modes{{p.depth, 1}} : a_k,
                    b = c.b == DotSource::packed ? Modes{{p.depth, 16}} : b_k;
        if (a.size() < 2 && b.size() < 2) return;
        const auto loops = common_loops(a, b); // as seen
        c.spec.loops = int(loops->a.size());
        for (size_t i = 0; i < loops->a.size(); ++i) {
            const int64_t step = i + 1 == loops->a.size() ? c.step : 1;
            job.walk.loops.push_back(
                {loops->a[i].extent / step, loops->a[i].stride * step * a_size, loops->b[i].stride * step * b_size});
        }
    }
    // Where all of k would leave the second level before it is read. Sums of rows and of groups are those of all of k.
    bool packs_a_by_depth() const {
        const DotChoice& c = job.choice;
        const int64_t bytes = c.block_rows * p.depth * bits(c.spec.a) / 8 * (c.spec.a_words ? 2 : 1);
        const bool large = bytes > machine.l2_bytes / 2;
        return c.a == DotSource::packed && c.depth < p.depth && large && !job.together && !needs_rows &&
               !job.groups.length && shape.a_cuts;
    }
    // Whether kernels apply the epilogue to their sums. Sums that stay in memory, for a group or for products that are
    // finished together, are what the pass is for, and those of tiles go through memory anyway. Narrow results gain
    // nothing with vectors of 32 bytes.
    bool keeps_in_registers() {
        if (job.direct || is_amx(kind) || job.groups.length || job.joint_epilogue) return false;
        const bool narrow = bits(type_of(p.outer.ops.back().operand)) < 32;
        if (!job.panels_apart && !target.masks && narrow) return false;
        if (p.type == ValueType::s32 && (needs_rows || (needs_columns && !corrected))) return false; // 0.91
        // What all columns of a panel share, but not all panels: kernels load such an operand once a row.
        for (const DotView& v : job.outer)
            if (v.panel && epilogue.column[size_t(v.operand)] == 0) return false;
        finisher_ = job.choice.spec;
        finisher_.epilogue = std::make_shared<const MapSpec>(epilogue), finisher_.sum = p.sum;
        finisher_.epilogue_dense = narrow && !job.panels_apart;
        job.in_registers = epilogue_operands(epilogue, p.sum);
        for (size_t i = 0; i < job.in_registers.size() && i < most_epilogue_operands; ++i) {
            const int number = job.in_registers[i];
            const auto varies = [&](const DotView& v) { return v.operand == number && v.row; };
            const bool moves = std::any_of(job.outer.begin(), job.outer.end(), varies) || number == p.sum + 2;
            finisher_.epilogue_rows |= uint32_t(moves) << i;
        }
        return epilogue_fits(target, finisher_);
    }
    // Blocks of 32 columns leave the epilogue rows of 2 vectors: a kernel for that length does not count in them.
    void shorten_epilogue() {
        if (!job.epilogue || !is_amx(kind)) return;
        epilogue.fixed = job.panels_apart ? 16 : 16 * job.choice.spec.panels;
        job.width_of_epilogue = epilogue.fixed;
        for (auto* kernel : {&job.short_epilogue, &job.streaming_epilogue}) {
            epilogue.stream = kernel == &job.streaming_epilogue;
            if (epilogue.stream && !job.choice.streams) continue;
            if (can_build_short_rows(target, epilogue))
                *kernel =
                    jit::kernel(target, key(epilogue), [spec = epilogue, t = target] { return build_map(t, spec); });
        }
    }

    bool make_tiles() {
        job.configure = jit::kernel(target, "configure tiles", [t = target] { return build_configure_tiles(t); });
        job.release = jit::kernel(target, "release tiles", [t = target] { return build_release_tiles(t); });
        return job.configure && job.release;
    }
    // The last columns may be fewer than two tiles have rows, the last rows fewer than two panels have columns.
    bool make_turned() {
        const DotSpec& spec = job.choice.spec;
        const int64_t height = spec.rows, width = 16 * spec.panels;
        for (size_t i = 0; i < DotJob::variants; ++i) {
            const int64_t rows = i & 2 ? p.columns % height : std::min(p.columns, height);
            const int64_t columns = i & 1 ? p.rows % width : std::min(p.rows, width);
            if (rows == 0 || columns == 0) continue;
            DotSpec one = spec;
            one.rows = rows <= 16 ? 16 : 32, one.panels = int(ceil_div(columns, 16));
            job.tiles[i] = dot_tiles(one, int(rows), int((columns - 1) % 16 + 1));
            if (!(job.kernel[i] = kernel(one))) return false;
        }
        job.blocks_name = key(spec);
        return true;
    }

    bool make_kernels() {
        const DotChoice& c = job.choice;
        if (is_amx(kind) && !make_tiles()) return false;
        for (size_t i = 0; needs_rows && i < 2; ++i) {
            DotSpec ones{DotKind::s8_exact, i ? 1 : int(job.rows_of_sums), 1, c.spec.a, DataType::s8, c.spec.a_dense};
            ones.a_words = c.spec.a_words, ones.loops = c.spec.loops;
            if (!(job.row_sums[i] = kernel(ones))) return false;
        }
        if (c.spec.shifts_b && !(job.sums_of_rows = few_kernel({1, DataType::u8, DataType::s8, ValueType::s32})))
            return false;
        const int64_t width = 16 * c.spec.panels;
        const int groups = int(ceil_div(std::min(c.step, p.depth), vnni_factor(kind))); // of tiles
        for (size_t i = 0; i < DotJob::variants; ++i) {
            const bool narrow = i & 1, low = i & 2;
            const int64_t run = job.run_of_rows;
            const int64_t rows = low ? run % c.spec.rows : std::min<int64_t>(c.spec.rows, run);
            const int64_t columns = narrow ? p.columns % width : width;
            if (rows == 0 || columns == 0 || (!narrow && p.columns < width)) continue;
            DotSpec spec = c.spec;
            spec.rows = int(rows), spec.panels = int(ceil_div(columns, 16)), spec.tail = narrow && c.spec.tail;
            spec.last = narrow && !target.masks ? int(columns % 16) : 0;
            if (is_amx(kind)) {
                spec.rows = rows <= 16 ? 16 : 32;
                job.tiles[i] = dot_tiles(spec, int(rows), int((columns - 1) % 16 + 1), groups);
            }
            if (job.blocks_name.empty()) job.blocks_name = key(spec);
            if (c.finishes) {
                DotSpec finisher = finisher_;
                finisher.rows = spec.rows, finisher.panels = spec.panels;
                finisher.tail = spec.tail, finisher.last = spec.last;
                if (epilogue_fits(target, finisher) && !(job.finishing[i] = kernel(finisher))) return false;
            }
            some_pass_ |= !job.finishing[i];
            // The first block of a row decides whether its kernels finish the row or a pass does: a block of all
            // columns may need more registers than the last one, which then is wanted without the epilogue, too.
            const bool finishes = job.finishing[i] && !(narrow && p.columns >= width && !job.finishing[i - 1]);
            if ((!finishes || p.depth > c.depth) && !(job.kernel[i] = kernel(spec))) return false;
            if (c.streams && !is_amx(kind)) {
                spec.c_passes = true;
                job.streaming[i] = kernel(spec); // none of columns that end within a panel
            }
            if (needs_columns && !low && !spec.sums_b) {
                DotSpec summing = spec;
                summing.sums_b = true;
                const bool beside = !job.groups.length && !c.finishes && can_build_dot(target, summing);
                if (beside && !(job.summing[narrow] = kernel(summing))) return false;
                // B ends where its columns do, if it is not a pack of whole panels.
                const bool ends = narrow && target.masks && p.columns % 16 != 0;
                DotSpec ones{vector_kind(), 1, spec.panels, DataType::u8, spec.b, false, ends};
                ones.loops = spec.loops;
                if (!(job.column_sums[narrow] = kernel(ones))) return false;
            }
        }
        return true;
    }

    DotSpec finisher_;       // a full block's kernel with the epilogue
    bool some_pass_ = false; // blocks without one
};

} // namespace

std::unique_ptr<Job> make_dot_job(const Plan& plan, const Step& step, const Matrices& matrices,
                                  const jit::Target& target, const Machine& machine) {
    return Maker(plan, step, matrices, target, machine).make();
}

} // namespace tessera::cpu
