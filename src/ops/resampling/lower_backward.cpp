// SPDX-License-Identifier: Apache-2.0
// The gradient of resampling -> plan. Every element of diff_src is a weighted sum over a box of diff_dst. Along each
// spatial dimension the inputs fall into classes that read equally many outputs at the same relative offsets, so that a
// class is one loop; there is a step for each combination of classes. Elements that no output reads are filled with
// zeros.
//
//   linear, 5 -> 10:   0: outputs 0 1 2    1..3: outputs 2i-1 .. 2i+2, weights 1/4 3/4 3/4 1/4    4: outputs 7 8 9
//
// Up to `most_terms` terms are written out in the program, more are reduce loops; both sum in the same order.
#include "ops/resampling/resampling.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "core/layout/boxes.hpp"
#include "core/program/reduction.hpp"
#include "ops/epilogue.hpp"
#include "ops/moves.hpp"
#include "ops/windows/loops.hpp"

namespace tessera::ops {

namespace {

constexpr int64_t most_terms = 64; // as linear x2 of a volume has; images have 16. A kernel takes no more operands
constexpr int diff_dst_operand = 0, diff_src_operand = 1;

// Inputs of one dimension with the same number and relative offsets of terms.
struct Class {
    std::vector<int64_t> members; // indices of diff_src
    std::vector<int64_t> first;   // by member: the first output that reads it
    std::vector<int64_t> pattern; // by term: its offset in diff_dst relative to the first term; empty: no terms
    std::vector<float> weights;   // by member and term
    bool same_weights = true;     // for all members; then the weights of one member are kept
    int64_t weights_at = 0;       // where they start in the constants of the dimension
    size_t terms() const { return pattern.size(); }
    float weight(size_t term) const { return weights[term]; } // same_weights
};

std::vector<Class> classes_of(const Taps& t, const Modes& diff_dst) {
    std::vector<int64_t> first(size_t(t.inputs), -1);
    std::vector<std::vector<float>> weights(size_t(t.inputs));
    const auto give = [&](int64_t input, size_t o, float weight) {
        if (first[size_t(input)] < 0) first[size_t(input)] = int64_t(o);
        weights[size_t(input)].push_back(weight);
    };
    for (size_t o = 0; o < size_t(t.outputs); ++o) { // the outputs that read an input are consecutive
        give(t.left[o], o, t.left_weight(o));
        if (t.right[o] != t.left[o]) give(t.right[o], o, t.weight[o]);
    }
    std::map<std::vector<int64_t>, Class> found;
    for (size_t i = 0; i < size_t(t.inputs); ++i) {
        std::vector<int64_t> pattern;
        for (size_t k = 0; k < weights[i].size(); ++k)
            pattern.push_back(offset_in(diff_dst, first[i] + int64_t(k)) - offset_in(diff_dst, first[i]));
        Class& c = found[pattern];
        c.pattern = std::move(pattern);
        c.members.push_back(int64_t(i)), c.first.push_back(first[i]);
        c.weights.insert(c.weights.end(), weights[i].begin(), weights[i].end());
        c.same_weights = c.same_weights && std::equal(weights[i].begin(), weights[i].end(), c.weights.begin());
    }
    std::vector<Class> classes;
    for (auto& [pattern, c] : found) {
        if (c.same_weights) c.weights.resize(c.terms());
        classes.push_back(std::move(c));
    }
    return classes;
}

class Backward {
public:
    explicit Backward(const Problem& p)
        : p_(p), src_(p.md(arg::diff_src)), dst_(p.md(arg::diff_dst)), from_(layout_of(dst_)), to_(layout_of(src_)) {
        plan_.title = fmt::format("resampling backward {} {} -> {}, {} to {}",
                                  alg_of_resampling(p) == resampling_linear ? "linear" : "nearest", to_token(dst_),
                                  to_token(src_), p.shape(), to_string(src_.dims_span()));
        plan_.operands = {{"diff_dst", dst_.type, arg::diff_dst}, {"diff_src", src_.type, arg::diff_src}};
    }

    Plan plan() {
        if (src_.has_zero_dim()) return std::move(plan_);
        for (const Taps& t : taps_of(p_)) {
            classes_.push_back(classes_of(t, from_.dims[classes_.size() + 2]));
            add_weights(classes_.size() - 1);
        }
        add_padding(src_, diff_src_operand, plan_);
        for (size_t k = 0; k < classes_.size(); ++k) add_zeros(k);
        each_choice([&](const Choice& choice) { add_sums(choice); });
        return std::move(plan_);
    }

private:
    using Choice = std::vector<const Class*>; // a class of each dimension

    // Adds the weights of a dimension that differ between members as a constant, and an operand per term that reads it.
    void add_weights(size_t k) {
        std::vector<float> all;
        size_t terms = 0;
        bool differ = false;
        for (Class& c : classes_[k]) {
            c.weights_at = int64_t(all.size());
            all.insert(all.end(), c.weights.begin(), c.weights.end());
            terms = std::max(terms, c.terms());
            differ = differ || !c.same_weights;
        }
        weight_operands_.emplace_back();
        constants_.push_back(int(plan_.constants.size()));
        plan_.constants.push_back(std::move(all));
    }
    int weight_operand(size_t k, size_t term) {
        auto& known = weight_operands_[k];
        while (known.size() <= term) {
            Operand operand{fmt::format("weight {} of {}", known.size(), "dhw"[3 - classes_.size() + k]),
                            DataType::f32};
            operand.constant = constants_[k];
            known.push_back(int(plan_.operands.size()));
            plan_.operands.push_back(operand);
        }
        return known[term];
    }
    int diff_dst_of(size_t term) {
        while (sources_.size() <= term) {
            sources_.push_back(int(plan_.operands.size()));
            plan_.operands.push_back({fmt::format("diff_dst_{}", sources_.size() - 1), dst_.type, arg::diff_dst});
        }
        return sources_[term];
    }

    template <typename F> void each_choice(F f) const {
        each_combination(classes_, std::identity{}, [&](const Choice& choice) {
            if (std::ranges::all_of(choice, [](const Class* c) { return c->terms() > 0; })) f(choice);
        });
    }

    std::vector<int64_t> offsets(const Modes& modes, const std::vector<int64_t>& indices) const {
        std::vector<int64_t> list;
        list.reserve(indices.size());
        for (int64_t i : indices) list.push_back(offset_in(modes, i));
        return list;
    }

    // Zeros where no output reads along dimension k: for earlier dimensions only inputs that are read, for later ones
    // all of them, so that the regions are disjoint.
    void add_zeros(size_t k) {
        const auto nothing = std::ranges::find_if(classes_[k], [](const Class& c) { return !c.terms(); });
        if (nothing == classes_[k].end()) return;
        std::vector<Loop> loops;
        int64_t base = to_.offset;
        for (size_t j = 0; j < classes_.size(); ++j) {
            std::vector<int64_t> members;
            for (const Class& c : classes_[j])
                if (j == k ? !c.terms() : j > k || c.terms())
                    members.insert(members.end(), c.members.begin(), c.members.end());
            std::ranges::sort(members);
            CoordinateLoop loop(int64_t(members.size()));
            loop.set(diff_src_operand, offsets(to_.dims[j + 2], members));
            base += std::as_const(loop.base)[diff_src_operand];
            loops.push_back(std::move(loop.loop));
        }
        std::vector<Dimension> dims;
        for (size_t d = 0; d < 2; ++d) dims.push_back({{Modes{{1, 0}}, to_.dims[d]}, 0, src_.dims[d]});
        for (Nest nest : boxes(dims)) {
            nest.base[diff_src_operand] += base;
            nest.loops.insert(nest.loops.end(), loops.begin(), loops.end());
            Step step;
            step.kind = StepKind::fill;
            step.fill_operand = diff_src_operand;
            step.nest = coalesce(order(coalesce(nest, 2), 2, diff_src_operand), 2);
            plan_.steps.push_back(std::move(step));
        }
    }

    // The operands of a step with their offsets along the spatial loops, in the form that add_moves() takes.
    struct Place {
        int operand;
        Layout layout;                        // batch and channels; the spatial dimensions are loops
        std::vector<std::vector<int64_t>> at; // by spatial dimension: offset for each member; empty: zeros
    };
    Place source(int operand, const Choice& choice, std::vector<size_t> term) const {
        Place o{operand, batch_and_channels(from_), {}};
        for (size_t k = 0; k < choice.size(); ++k) {
            o.at.push_back(offsets(from_.dims[k + 2], choice[k]->first));
            o.layout.offset += choice[k]->pattern[term[k]];
        }
        return o;
    }
    Place weight(int operand, const Choice& choice, size_t k, size_t term) const {
        Place o{operand, Layout{0, std::vector<Modes>(size_t(src_.ndims), Modes{{1, 0}})}, {}};
        o.layout.offset = choice[k]->weights_at + int64_t(term);
        o.at.resize(choice.size());
        if (choice[k]->same_weights) return o;
        for (size_t m = 0; m < choice[k]->members.size(); ++m) o.at[k].push_back(int64_t(m * choice[k]->terms()));
        return o;
    }
    static Layout batch_and_channels(Layout layout) {
        for (size_t d = 2; d < layout.dims.size(); ++d) layout.dims[d] = {{1, 0}};
        return layout;
    }

    void add_sums(const Choice& choice) {
        int64_t terms = 1;
        for (const Class* c : choice) terms *= int64_t(c->terms());
        std::vector<Place> operands{source(diff_dst_operand, choice, std::vector<size_t>(choice.size(), 0))};
        operands.push_back({diff_src_operand, batch_and_channels(to_), {}});
        for (size_t k = 0; k < choice.size(); ++k)
            operands.back().at.push_back(offsets(to_.dims[k + 2], choice[k]->members));
        if (terms <= most_terms) {
            const Program program = written_out(choice, operands);
            return add_steps(choice, operands, program, {});
        }
        std::vector<Loop> sums;
        const Program program = reduced(choice, operands, sums);
        add_steps(choice, operands, program, sums);
    }

    // Applies stochastic rounding, if asked for; the operands that it reads have the loops of diff_src.
    int rounded(Program& program, int value, const Choice& choice, std::vector<Place>& operands) {
        layouts_.resize(plan_.operands.size());
        Operands all{plan_, layouts_};
        const size_t before = program.ops.size();
        const int result = round_stochastically(program, value, arg::diff_src, src_.dims_span(), p_, all);
        for (size_t i = before; i < program.ops.size(); ++i) {
            if (program.ops[i].operand < 0) continue;
            const Layout& layout = layouts_[size_t(program.ops[i].operand)];
            Place o{program.ops[i].operand, batch_and_channels(layout), {}};
            for (size_t k = 0; k < choice.size(); ++k) o.at.push_back(offsets(layout.dims[k + 2], choice[k]->members));
            operands.push_back(std::move(o));
        }
        return result;
    }

    using Loaded = std::map<std::pair<size_t, size_t>, int>; // (dimension, term) -> the value of its weight

    // The weight of a term: a constant if in no dimension weights differ between members.
    int weight_value(Program& program, const Choice& choice, const std::vector<size_t>& term, Loaded& loaded,
                     std::vector<Place>& operands) {
        float known = 1;
        int value = -1;
        for (size_t k = 0; k < choice.size(); ++k) {
            const bool constant = choice[k]->same_weights;
            if (constant && value < 0) {
                known = known * choice[k]->weight(term[k]);
                continue;
            }
            int next = -1;
            if (constant) {
                next = program.constant(choice[k]->weight(term[k]), ValueType::f32);
            } else if (const auto at = loaded.find({k, term[k]}); at != loaded.end()) {
                next = at->second;
            } else {
                const int operand = weight_operand(k, term[k]);
                operands.push_back(weight(operand, choice, k, term[k]));
                next = loaded[{k, term[k]}] = program.load(operand, ValueType::f32);
            }
            if (value < 0) value = program.constant(known, ValueType::f32);
            value = program.binary(OpCode::mul, value, next);
        }
        return value < 0 ? program.constant(known, ValueType::f32) : value;
    }

    Program written_out(const Choice& choice, std::vector<Place>& operands) {
        Program program;
        Loaded loaded;
        std::vector<int> sums;
        std::vector<size_t> term(choice.size(), 0);
        size_t count = 0;
        for (;; ++count) {
            int operand = diff_dst_operand;
            if (count > 0) {
                operand = diff_dst_of(count - 1);
                operands.push_back(source(operand, choice, term));
            }
            const int x = program.load(operand, ValueType::f32);
            const int product = program.binary(OpCode::mul, weight_value(program, choice, term, loaded, operands), x);
            if (count < reduction_sums)
                sums.push_back(product);
            else
                sums[count % reduction_sums] = program.binary(OpCode::add, sums[count % reduction_sums], product);
            size_t k = choice.size();
            while (k > 0 && ++term[k - 1] == choice[k - 1]->terms()) term[--k] = 0;
            if (k == 0) break;
        }
        // joined() without the sums that stay +0; the last addition takes the sign of -0 as their +0 would.
        for (size_t apart = reduction_sums / 2; apart; apart /= 2)
            for (size_t i = 0; i < apart && i + apart < sums.size(); ++i)
                sums[i] = program.binary(OpCode::add, sums[i], sums[i + apart]);
        int total = sums[0];
        if (sums.size() > 1) total = program.binary(OpCode::add, total, program.constant(0, ValueType::f32));
        program.store(diff_src_operand, rounded(program, total, choice, operands));
        return simplify(program);
    }

    Program reduced(const Choice& choice, std::vector<Place>& operands, std::vector<Loop>& sums) {
        Program program;
        const int x = program.load(diff_dst_operand, ValueType::f32);
        int weights = -1;
        for (size_t k = 0; k < choice.size(); ++k) {
            const Class& c = *choice[k];
            CoordinateLoop loop(int64_t(c.terms()));
            loop.loop.kind = LoopKind::reduce;
            loop.set(0, c.pattern); // operand 0 of the step
            const bool ones = c.same_weights && std::ranges::all_of(c.weights, [](float w) { return w == 1.f; });
            if (!ones) {
                const int operand = weight_operand(k, 0);
                operands.push_back(weight(operand, choice, k, 0));
                loop.loop.stride.set(operands.size() - 1, 1);
                const int next = program.load(operand, ValueType::f32);
                weights = weights < 0 ? next : program.binary(OpCode::mul, weights, next);
            }
            sums.push_back(std::move(loop.loop));
        }
        const int sum = program.reduce_add(weights < 0 ? x : program.binary(OpCode::mul, weights, x));
        program.store(diff_src_operand, rounded(program, sum, choice, operands));
        return program;
    }

    void add_steps(const Choice& choice, std::vector<Place>& operands, const Program& program,
                   const std::vector<Loop>& sums) {
        std::vector<Loop> loops;
        for (size_t k = 0; k < choice.size(); ++k) {
            CoordinateLoop loop(int64_t(choice[k]->members.size()));
            for (size_t v = 0; v < operands.size(); ++v) {
                if (operands[v].at[k].empty()) continue;
                loop.set(v, std::move(operands[v].at[k]));
                operands[v].layout.offset += std::as_const(loop.base)[v];
            }
            loops.push_back(std::move(loop.loop));
        }
        loops.insert(loops.end(), sums.begin(), sums.end());
        std::vector<int64_t> dims(size_t(src_.ndims), 1);
        std::copy_n(src_.dims.begin(), 2, dims.begin());
        std::vector<Layout> layouts;
        std::vector<int> ids;
        for (const Place& o : operands) layouts.push_back(o.layout), ids.push_back(o.operand);
        const auto known = std::ranges::find(plan_.programs, program);
        const int number = int(known - plan_.programs.begin());
        if (known == plan_.programs.end()) plan_.programs.push_back(program);
        const size_t before = plan_.steps.size();
        add_moves({.layouts = layouts, .dims = dims, .program = number, .order_by = 1, .more = loops, .operands = ids},
                  plan_);
        for (size_t s = before; !sums.empty() && s < plan_.steps.size(); ++s) plan_.steps[s].kind = StepKind::reduce;
    }

    const Problem& p_;
    const MemoryDesc &src_, &dst_; // diff_src, diff_dst
    const Layout from_, to_;
    Plan plan_;
    std::vector<Layout> layouts_;             // by operand, of those that rounding reads
    std::vector<std::vector<Class>> classes_; // by spatial dimension
    std::vector<int> constants_;              // by spatial dimension: index into the plan's constants
    std::vector<std::vector<int>> weight_operands_;
    std::vector<int> sources_; // operands of diff_dst behind the first
};

} // namespace

Result<Plan> lower_resampling_backward(const Problem& p) { return Backward(p).plan(); }

} // namespace tessera::ops
