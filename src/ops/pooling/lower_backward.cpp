// SPDX-License-Identifier: Apache-2.0
// The gradient of pooling -> plan: every element of diff_src is a sum over the outputs whose windows hold it, a reduce
// step for each combination of ranges of inputs (readers_of() in ops/windows). Where each input is read once, as
// without overlap, these are maps; inputs that no window holds get zeros.
//
// Of a maximum a term is diff_dst where the workspace names the tap, else 0; of a mean it is diff_dst, divided
// by a power of two before the sum and by the rest behind it. Where windows do not count their padding diff_dst is
// divided first, and where they do not overlap, if that is less work: what is left then are copies.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/layout/coalesce.hpp"
#include "core/program/reduction.hpp"
#include "ops/moves.hpp"
#include "ops/pooling/pooling.hpp"
#include "ops/windows/bordered_copy.hpp"
#include "ops/windows/loops.hpp"
#include "ops/windows/readers.hpp"

namespace tessera::ops {

namespace {

class Backward {
public:
    explicit Backward(const Problem& problem) : p_(problem), operands_{plan_, layouts_} {
        // Of a single output any stride is right. With this one it is read without overlap: f32 7x7 to 1x1 of nchw by a
        // map, 0.7 ms, instead of sums over a copy with a border, 22.
        for (Window& w : p_.windows)
            if (w.outputs == 1) w.stride = std::max(w.stride, (w.kernel - 1) * w.step + 1);
        plan_.title = fmt::format("pooling backward {} {} -> {}, {}", alg_name(p_.alg).substr(8), to_token(p_.dst),
                                  to_token(p_.src), row(PrimitiveKind::pooling).shape(problem));
        source_ = operands_.add("diff_dst", p_.dst.type, arg::diff_dst, layout_of(p_.dst));
        diff_src_ = operands_.add("diff_src", p_.src.type, arg::diff_src, layout_of(p_.src));
        if (p_.workspace)
            workspace_ = operands_.add("workspace", p_.workspace->type, arg::workspace, layout_of(*p_.workspace));
    }

    Result<Plan> plan() {
        if (p_.src.has_zero_dim()) return std::move(plan_);
        if (p_.dst.has_zero_dim()) {
            add_zeros(p_.src, diff_src_, plan_);
            return std::move(plan_);
        }
        auto readers = readers_of(p_.windows, !has_blocks(p_.src, spatial_dims(p_.src)), names_of_many());
        if (!readers) return Refusal(readers.error());
        readers_ = std::move(*readers);
        if (auto ok = add_copies(); !ok) return Refusal(ok.error());
        if (p_.workspace) add_taps();
        each_combination(readers_, &Readers::ranges, [&](const Choice& choice) { add_step(choice); });
        add_padding(p_.src, diff_src_, plan_);
        return std::move(plan_);
    }

private:
    using Choice = std::vector<const InputRange*>;

    // Maxima of so many windows an input that adding each output where it belongs is faster than comparing: in one
    // step, for all inputs. Vectors along windows have few inputs in a step of their own sooner.
    bool names_of_many() const {
        const Modes rows = coalesce(layouts_[size_t(diff_src_)].dims.back());
        const double many = rows.size() == 1 && rows[0].stride == 1 ? 20 : 36;
        double terms = 1;
        for (const Window& w : p_.windows) terms *= double(w.kernel) / double(w.stride);
        return p_.workspace && terms > many;
    }

    bool divides_first() const {
        if (p_.workspace) return false;
        return have_own_divisors() || once_is_less();
    }
    bool have_own_divisors() const {
        return p_.excludes() && std::ranges::any_of(p_.windows, [](const Window& w) {
                   const auto ranges = counted_ranges(w);
                   return ranges.size() != 1 || !ranges[0].inside.empty();
               });
    }
    bool overlap() const {
        return std::ranges::any_of(p_.windows, [](const Window& w) { return (w.kernel - 1) * w.step >= w.stride; });
    }
    // Instructions for an input, whose terms are outputs. Loads and stores of 16 and 8 bits are with a conversion, and
    // a division takes as long as ten others. Divided once, outputs are f32, or what diff_src is, if that becomes a
    // copy, which takes half as many or fewer.
    bool once_is_less() const {
        const auto moves = [](const MemoryDesc& md) { return bits(md.type) == 32 ? 1. : 2.; };
        int exponent = 0;
        const double divides = std::frexp(p_.volume, &exponent) == 0.5 ? 0 : 10;
        double apart = 1; // inputs for an output
        for (const Window& w : p_.windows) apart *= double(w.stride);
        const double terms = p_.volume / apart;
        if (!overlap()) {
            const double each = moves(p_.dst) + 1 + divides + moves(p_.src), copied = 2 / moves(p_.src);
            return copied + (each + copied) / p_.volume < each;
        }
        const double each = terms * (moves(p_.dst) + 2) + divides, once = moves(p_.dst) + 1 + divides + 1;
        return terms * 2 + once / apart < each;
    }
    // Copies of an element along a row are no copies of bits to the tiles.
    ValueType copied_as() const {
        const Modes rows = coalesce(layouts_[size_t(diff_src_)].dims.back());
        if (overlap() || (p_.windows.back().stride > 1 && rows.size() == 1 && rows[0].stride == 1))
            return ValueType::f32;
        return conversion_type(p_.src.type, p_.src.type);
    }

    Result<void> add_copies() {
        const int spatial = spatial_dims(p_.dst);
        std::vector<Border> borders{{0, p_.dst.dims[0]}, {0, p_.dst.dims[1]}};
        bool copied = false;
        for (const Readers& r : readers_) borders.push_back(r.outputs), copied = copied || r.copied;
        if (divides_first()) {
            const DataType type = overlap() ? DataType::f32 : p_.src.type;
            const auto made = add_bordered("divided diff_dst", p_.dst, type, 0, borders, spatial, operands_);
            if (!made) return Refusal(made.error());
            add_divisions(*made, borders);
            source_ = *made;
        } else if (copied || has_blocks(p_.dst, spatial)) {
            const auto made = add_bordered_copy(source_, p_.dst, p_.dst.type, 0, borders, spatial, operands_);
            if (!made) return Refusal(made.error());
            source_ = *made;
        }
        if (p_.workspace && (copied || has_blocks(*p_.workspace, spatial))) {
            const auto made =
                add_bordered_copy(workspace_, *p_.workspace, p_.workspace->type, 0, borders, spatial, operands_);
            if (!made) return Refusal(made.error());
            workspace_ = *made;
        }
        return {};
    }

    // Of outputs that are divided by the same numbers, along a dim.
    std::vector<WindowRange> divided_ranges(const Window& w) const {
        if (p_.excludes()) return counted_ranges(w);
        return {{{0, w.outputs, 0, w.kernel}, 0}};
    }
    // diff_dst by how many taps its windows have inside: a step for each combination of border and middle.
    void add_divisions(int to, std::span<const Border> borders) {
        std::vector<std::vector<WindowRange>> all;
        std::vector<std::vector<int>> tables; // operand of each range
        for (size_t k = 0; k < p_.windows.size(); ++k) {
            all.push_back(divided_ranges(p_.windows[k]));
            tables.emplace_back();
            for (const WindowRange& r : all[k]) {
                tables[k].push_back(-1);
                if (r.inside.empty()) continue;
                tables[k].back() =
                    operands_.add(fmt::format("taps inside of {} from {}", "dhw"[3 - p_.windows.size() + k], r.first),
                                  DataType::f32, 0, Layout{});
                plan_.operands.back().constant = int(plan_.constants.size());
                plan_.constants.push_back(r.inside);
            }
        }
        const int from = source_;
        each_combination(all, std::identity{}, [&](const std::vector<const WindowRange*>& choice) {
            Program program;
            const int value = program.load(from, ValueType::f32);
            double constant = 1;
            std::vector<int> table(choice.size(), -1);
            int divisor = -1;
            for (size_t k = 0; k < choice.size(); ++k) {
                table[k] = tables[k][size_t(choice[k] - all[k].data())];
                if (table[k] < 0) {
                    constant *= double(choice[k]->taps);
                    continue;
                }
                const int count = program.load(table[k], ValueType::f32);
                divisor = divisor < 0 ? count : program.binary(OpCode::mul, divisor, count);
            }
            if (constant != 1 || divisor < 0) {
                const int factor = program.constant(float(constant), ValueType::f32);
                divisor = divisor < 0 ? factor : program.binary(OpCode::mul, divisor, factor);
            }
            program.store(to, program.binary(OpCode::div, value, divisor));
            LoopedMoves moves = looped(add_program(simplify(program), plan_), to, p_.dst);
            for (size_t k = 0; k < choice.size(); ++k) {
                const WindowRange& r = *choice[k];
                CoordinateLoop outputs(r.count, LoopKind::map);
                for (size_t v = 0; v < moves.operands.size(); ++v) {
                    const int o = moves.operands[v];
                    if (o == from) outputs.set(v, layouts_[size_t(o)].dims[k + 2], r.first, 1);
                    if (o == to) outputs.set(v, layouts_[size_t(o)].dims[k + 2], borders[k + 2].before + r.first, 1);
                    if (o == table[k]) outputs.set(v, {{r.count, 1}}, 0, 1);
                }
                moves.loops.push_back(std::move(outputs));
            }
            add_looped(moves, plan_);
        });
    }

    // Steps over the dims of `md` whose spatial dims are loops of their own.
    LoopedMoves looped(int program, int order_by, const MemoryDesc& md) const {
        LoopedMoves moves;
        moves.program = program;
        moves.operands = operands_of(plan_.programs[size_t(program)]);
        moves.order_by = int(std::ranges::find(moves.operands, order_by) - moves.operands.begin());
        moves.dims.assign(md.dims.begin(), md.dims.begin() + md.ndims);
        moves.mask = ((1 << md.ndims) - 1) & ~3;
        for (const int o : moves.operands)
            moves.layouts.push_back(layouts_[size_t(o)].dims.empty()
                                        ? Layout{0, std::vector<Modes>(moves.dims.size(), Modes{{1, 0}})}
                                        : layouts_[size_t(o)]);
        return moves;
    }

    // The numbers of the taps, as an operand without memory.
    void add_taps() {
        taps_ = operands_.add("tap", DataType::u8, 0, Layout{});
        plan_.operands[size_t(taps_)].counted = true;
        int64_t weight = 1;
        for (size_t k = p_.windows.size(); k-- > 0; weight *= p_.windows[k].kernel)
            tap_weights_.insert(tap_weights_.begin(), weight);
    }

    // A single term of a maximum is a sum, too, where strides keep apart what would be written in rows: windows are
    // faster there than a map through a buffer, f32 2x2 of nchw 28 ms -> 8.
    bool reduces(int64_t taps) const {
        const Modes& rows = layouts_[size_t(diff_src_)].dims.back();
        const Window& w = p_.windows.back();
        const bool apart = w.stride > 1 && w.outputs > 1 && rows.size() == 1 && rows[0].stride == 1;
        return taps > 1 || (taps == 1 && p_.workspace && apart);
    }

    int program_of(int64_t taps) {
        Program program;
        if (taps == 0) {
            program.store(diff_src_, program.constant(0, ValueType::f32));
            return add_program(program, plan_);
        }
        int value = program.load(source_, divides_first() ? copied_as() : ValueType::f32);
        if (p_.workspace) {
            const int named =
                program.binary(OpCode::eq, program.load(workspace_, ValueType::s32), program.index(taps_));
            value = program.ternary(OpCode::select, named, value, program.constant(0, ValueType::f32));
        }
        const bool divides = !p_.workspace && !divides_first() && p_.volume != 1, sums = reduces(taps);
        // A power of two is divided by before the sum, which then stays finite, and the rest of the volume behind it.
        const double share = divides && sums ? std::exp2(-std::ceil(std::log2(p_.volume))) : 1;
        const auto constant = [&](double x) { return program.constant(float(x), ValueType::f32); };
        if (share != 1) value = program.binary(OpCode::mul, value, constant(share));
        if (sums) value = program.reduce_add(value);
        if (divides && p_.volume * share != 1) value = program.binary(OpCode::div, value, constant(p_.volume * share));
        program.store(diff_src_, value);
        return add_program(simplify(program), plan_);
    }

    void add_step(const Choice& choice) {
        int64_t taps = 1;
        for (const InputRange* r : choice) taps *= r->taps;
        LoopedMoves moves = looped(program_of(taps), diff_src_, p_.src);
        if (p_.workspace) moves.most_in_order = reduction_block; // of which an output gives one, others zeros
        std::vector<CoordinateLoop> sums;
        for (size_t k = 0; k < choice.size(); ++k) {
            const InputRange& r = *choice[k];
            const Readers& dim = readers_[k];
            CoordinateLoop blocks(r.blocks, LoopKind::map), residues(r.residues, LoopKind::map);
            CoordinateLoop terms(r.taps, reduces(taps) ? LoopKind::reduce : LoopKind::map);
            for (size_t v = 0; v < moves.operands.size(); ++v) {
                const int o = moves.operands[v];
                if (o == taps_) {
                    const Modes numbers{{p_.windows[k].kernel, tap_weights_[k]}};
                    residues.set(v, numbers, r.tap, 1), terms.set(v, numbers, 0, dim.tap_step);
                    continue;
                }
                const Modes& modes = layouts_[size_t(o)].dims[k + 2];
                if (o == diff_src_) {
                    blocks.set(v, modes, r.input, p_.windows[k].stride);
                    residues.set(v, modes, 0, 1); // of several only where there is a stride
                } else {
                    blocks.set(v, modes, r.output, 1), terms.set(v, modes, 0, -dim.output_step);
                }
            }
            moves.loops.push_back(std::move(blocks)), moves.loops.push_back(std::move(residues));
            if (taps > 0) sums.push_back(std::move(terms));
        }
        moves.loops.insert(moves.loops.end(), sums.begin(), sums.end());
        add_looped(moves, plan_);
    }

    Pooling p_;
    Plan plan_;
    std::vector<Layout> layouts_;
    Operands operands_;
    std::vector<Readers> readers_;
    int source_, diff_src_, workspace_ = -1, taps_ = -1; // operands; source and workspace: or their copies
    std::vector<int64_t> tap_weights_;                   // by spatial dimension: what a tap counts in the workspace
};

} // namespace

Result<Plan> lower_pooling_backward(const Problem& p) { return Backward(p).plan(); }

} // namespace tessera::ops
