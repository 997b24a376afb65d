// SPDX-License-Identifier: Apache-2.0
#include "core/plan/rewrite/split_product.hpp"

#include <algorithm>

#include "core/division.hpp"
#include "core/plan/moves.hpp"
#include "core/plan/steps/matrices.hpp"

namespace tessera {

namespace {

bool varies(const Modes& modes) {
    return std::any_of(modes.begin(), modes.end(), [](const Mode& m) { return m.stride != 0; });
}

class Splitter {
public:
    Splitter(const Plan& plan, const Step& step, const Matrices& matrices)
        : p_(matrices), space_(with_all_layouts(step.product->space)) {
        out_.title = plan.title;
        out_.operands = plan.operands;
        out_.constants = plan.constants;
    }

    // `alone`: the product, without the steps before and behind it.
    std::optional<Plan> split(DotParts parts, bool alone) {
        alone_ = alone;
        std::optional<int> left, right;
        if (parts.left && !(left = copied(p_.left, p_.m))) return std::nullopt;
        if (parts.right && !(right = copied(p_.right, p_.n))) return std::nullopt;
        const Factor a = factor(p_.left, left), b = factor(p_.right, right);
        Program dot;
        const int sum = dot.total(p_.type);
        if (parts.epilogue) {
            const int sums = add("sums", p_.type == ValueType::f32 ? DataType::f32 : DataType::s32,
                                 [&](size_t d) { return !space_.reduces(d); });
            dot.store(sums, sum);
            add_product(a, b, dot);
            Program outer = p_.outer;
            for (Op& op : outer.ops)
                if (op.operand == p_.sum) op.operand = sums;
            run(outer, [&](size_t d) { return !space_.reduces(d); });
        } else {
            append(dot, p_.outer, p_.sum, sum);
            add_product(a, b, dot);
        }
        return std::move(out_);
    }

    // In about so many parts.
    std::optional<Plan> split_depth(int64_t wanted) {
        const std::vector<EvenParts> cuts = cuts_of_depth(wanted);
        int64_t parts = 1;
        for (const EvenParts& cut : cuts) parts *= cut.parts;
        const auto outputs = [&](size_t d) { return !space_.reduces(d); };
        const DataType type = p_.type == ValueType::f32 ? DataType::f32 : DataType::s32;
        const size_t known = space_.layouts.size(); // operands
        std::vector<int> sums;
        Program total;
        int value = -1;
        for (int64_t part = 0; part < parts; ++part) {
            sums.push_back(add("sums", type, outputs, sums.empty() ? -1 : sums[0]));
            value = sums.size() == 1 ? total.load(sums[0], p_.type)
                                     : total.binary(OpCode::add, value, total.load(sums.back(), p_.type));
        }
        // All parts are stored through one operand, so that their steps form a group and run in parallel.
        const std::vector<Layout> places(space_.layouts.begin() + int64_t(known), space_.layouts.end());
        const Space all = space_;
        const Factor a = factor(p_.left, {}), b = factor(p_.right, {});
        Program dot;
        dot.store(sums[0], dot.total(p_.type));
        for (int64_t part = 0; part < parts; ++part) {
            space_ = all;
            int64_t rest = part;
            for (size_t i = cuts.size(); i-- > 0; rest /= cuts[i].parts) {
                const int64_t here = rest % cuts[i].parts, from = cuts[i].begin(here), count = cuts[i].length(here);
                space_.dims[p_.k[i]] = count;
                for (size_t o = 0; o < known; ++o)
                    if (!cut(space_.layouts[o], p_.k[i], from, count)) return std::nullopt;
            }
            space_.layouts[size_t(sums[0])] = places[size_t(part)];
            add_product(a, b, dot);
        }
        space_ = all;
        append(total, p_.outer, p_.sum, value);
        run(total, outputs);
        return std::move(out_);
    }

    std::optional<Plan> split_zeros() {
        const bool of_left = varies_along(p_.left.factor.zero, p_.k);
        const MatrixFactor &side = of_left ? p_.left : p_.right, &other = of_left ? p_.right : p_.left;
        const std::vector<size_t>& own = of_left ? p_.m : p_.n;
        const int zero = side.factor.zero;
        if (p_.type != ValueType::s32 || side.factor.scale >= 0 || other.factor.scale >= 0) return std::nullopt;
        if (!varies_along(zero, p_.k) || varies_along(zero, own) || varies_along(other.factor.zero, p_.k))
            return std::nullopt;
        const auto has = [&](size_t d) { return std::ranges::find(own, d) == own.end(); };
        const int less = add("less", DataType::s32, [&](size_t d) { return has(d) && !space_.reduces(d); });
        Program sums;
        const int terms = sums.binary(OpCode::mul, sums.load(zero, p_.type), append(sums, other.factor, p_.type));
        sums.store(less, sums.reduce_add(terms));
        std::vector<int64_t> dims;
        for (size_t d = 0; d < space_.dims.size(); ++d) dims.push_back(has(d) ? space_.dims[d] : 1);
        out_.programs.push_back(std::move(sums));
        add_moves({.layouts = space_.layouts,
                   .dims = dims,
                   .program = int(out_.programs.size()) - 1,
                   .reduce_mask = space_.reduce_mask,
                   .order_by = less},
                  out_);
        Program dot;
        append(dot, p_.outer, p_.sum, dot.binary(OpCode::sub, dot.total(p_.type), dot.load(less, p_.type)));
        const Factor bare{side.factor.operand};
        add_product(of_left ? bare : other.factor, of_left ? other.factor : bare, dot);
        return std::move(out_);
    }

    std::optional<Plan> without_sum() {
        Program program;
        const int a = append(program, p_.left.factor, p_.type), b = append(program, p_.right.factor, p_.type);
        int sum = program.binary(OpCode::mul, a, b);
        if (p_.type == ValueType::f32) // a sum starts at +0, so a single term of -0 must become +0
            sum = program.binary(OpCode::add, sum, program.constant(0, p_.type));
        append(program, p_.outer, p_.sum, sum);
        run(simplify(program), [&](size_t d) { return !space_.reduces(d); });
        return std::move(out_);
    }

private:
    bool varies_along(int operand, const std::vector<size_t>& group) const {
        return operand >= 0 &&
               std::ranges::any_of(group, [&](size_t d) { return varies(space_.layouts[size_t(operand)].dims[d]); });
    }

    // Parts of the outermost dims of k; of the innermost one whole steps of every kernel.
    std::vector<EvenParts> cuts_of_depth(int64_t wanted) const {
        constexpr int64_t whole = 64;
        std::vector<EvenParts> cuts;
        for (size_t i = 0; i < p_.k.size() && wanted > 1; ++i) {
            const int64_t extent = space_.dims[p_.k[i]], grain = i + 1 < p_.k.size() ? 1 : whole;
            cuts.push_back({extent, grain, std::min(wanted, ceil_div(extent, grain))});
            wanted = ceil_div(wanted, cuts.back().parts);
        }
        return cuts;
    }

    // `count` coordinates of dim d from `from` on, if both are at the boundaries of its blocks.
    static bool cut(Layout& layout, size_t d, int64_t from, int64_t count) {
        Modes& modes = layout.dims[d];
        int64_t block = 1;
        for (size_t i = 1; i < modes.size(); ++i) block *= modes[i].extent;
        if (from % block) return false;
        layout.offset += offset_in(modes, from);
        modes[0].extent = ceil_div(count, block);
        return true;
    }

    // A new scratch operand, dense over some of the dims: batch, then m, then n, then k, in the order of the space.
    // `behind`: it follows that operand and those already placed after it, in the same allocation.
    template <typename Has> int add(const char* name, DataType type, const Has& has, int behind = -1) {
        Layout layout;
        layout.dims.assign(space_.dims.size(), {{1, 0}});
        int64_t stride = 1;
        for (const auto* group : {&p_.k, &p_.n, &p_.m, &p_.b})
            for (size_t i = group->size(); i-- > 0;) {
                const size_t d = (*group)[i];
                if (!has(d)) continue;
                layout.dims[d] = {{space_.dims[d], stride}};
                stride *= space_.dims[d];
            }
        out_.operands.push_back({name, type});
        if (behind < 0) {
            out_.operands.back().scratch = int(out_.scratch.size());
            out_.scratch.push_back(bytes_of(type, stride));
        } else {
            const int scratch = out_.operands[size_t(behind)].scratch;
            layout.offset = (int64_t(out_.operands.size()) - 1 - behind) * stride;
            out_.operands.back().scratch = scratch;
            out_.scratch[size_t(scratch)] += bytes_of(type, stride);
        }
        space_.layouts.push_back(std::move(layout));
        return int(out_.operands.size()) - 1;
    }

    // A program over the dims that `has` names.
    template <typename Has> void run(Program program, const Has& has) {
        if (alone_) return;
        std::vector<int64_t> dims;
        for (size_t d = 0; d < space_.dims.size(); ++d) dims.push_back(has(d) ? space_.dims[d] : 1);
        const int written = program.ops.back().operand;
        out_.programs.push_back(std::move(program));
        const int number = int(out_.programs.size()) - 1;
        add_moves({.layouts = space_.layouts, .dims = dims, .program = number, .order_by = written}, out_);
    }

    // Copies a factor to a strided layout in scratch memory.
    std::optional<int> copied(const MatrixFactor& side, const std::vector<size_t>& own) {
        const bool bare = side.operand >= 0;
        if (!bare && p_.type != ValueType::f32) return std::nullopt;
        const auto has = [&](size_t d) {
            if (space_.dims[d] == 1) return false;
            if (space_.reduces(d) || std::find(own.begin(), own.end(), d) != own.end()) return true;
            return std::any_of(side.program.ops.begin(), side.program.ops.end(), [&](const Op& op) {
                return op.code == OpCode::load && varies(space_.layouts[size_t(op.operand)].dims[d]);
            });
        };
        Program program;
        const DataType type = bare ? out_.operands[size_t(side.operand)].type : DataType::f32;
        const int to = add("copy", type, has);
        if (bare) {
            program.store(to, program.load(side.operand, ValueType::bits));
        } else {
            program = side.program;
            program.ops.back().operand = to;
        }
        run(std::move(program), has);
        return to;
    }

    static Factor factor(const MatrixFactor& side, std::optional<int> copy) {
        if (!copy) return side.factor;
        return side.operand < 0 ? Factor{*copy} : Factor{*copy, side.factor.zero};
    }

    void add_product(const Factor& a, const Factor& b, const Program& epilogue) {
        out_.programs.push_back(simplify(epilogue));
        Step step;
        step.kind = StepKind::product, step.program = int(out_.programs.size()) - 1;
        step.product = std::make_shared<Product>(Product{p_.type, a, b, space_});
        out_.steps.push_back(std::move(step));
    }

    const Matrices& p_;
    Space space_;
    Plan out_;
    bool alone_ = false;
};

} // namespace

std::optional<Plan> split_depth(const Plan& plan, const Step& step, const Matrices& matrices, int64_t steps) {
    constexpr int64_t most_results = 64 << 10, least_depth = 16 << 10, parts = 8;
    constexpr int64_t few_rows = 4; // units of columns, each of all k
    const int64_t wanted = ceil_div(parts, steps * matrices.batches);
    if (wanted == 1 || matrices.rows <= few_rows || matrices.depth < least_depth ||
        matrices.rows * matrices.columns > most_results / matrices.batches ||
        plan.operands[size_t(plan.programs[size_t(step.program)].ops.back().operand)].scratch >= 0)
        return std::nullopt;
    return Splitter(plan, step, matrices).split_depth(wanted);
}

std::optional<Plan> split_zeros(const Plan& plan, const Step& step, const Matrices& matrices) {
    return Splitter(plan, step, matrices).split_zeros();
}

std::optional<Plan> without_sum(const Plan& plan, const Step& step, const Matrices& matrices) {
    if (!matrices.k.empty()) return std::nullopt;
    return Splitter(plan, step, matrices).without_sum();
}

std::optional<Plan> split_dot(const Plan& plan, const Step& step, const Matrices& matrices, DotParts parts) {
    return Splitter(plan, step, matrices).split(parts, false);
}

std::optional<Plan> product_within(const Plan& plan, const Step& step, const Matrices& matrices, DotParts parts) {
    return Splitter(plan, step, matrices).split(parts, true);
}

} // namespace tessera
