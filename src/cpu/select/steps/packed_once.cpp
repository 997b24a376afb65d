// SPDX-License-Identifier: Apache-2.0
#include "cpu/select/steps/packed_once.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/desc/tags.hpp"
#include "core/plan/moves.hpp"
#include "core/plan/rewrite/local_step.hpp"
#include "core/plan/rewrite/operands.hpp"
#include "core/plan/unit.hpp"
#include "cpu/products/ask.hpp"

namespace tessera::cpu {

namespace {

class Packer {
public:
    Packer(const Plan& plan, const Step& repeat, const jit::Target& target, const Context& context)
        : plan_(plan), repeat_(repeat), target_(target), context_(context), out_(plan) {
        out_.steps.clear();
        // The memory of `plan` is its caller's; what is added here is numbered from 0.
        out_.scratch.clear();
        Step turns = repeat;
        each_step(turns, [&](const Step& step) {
            if (step.fill_operand >= 0) written_.push_back(step.fill_operand);
            if (step.program < 0) return;
            for (const Op& op : plan.programs[size_t(step.program)].ops)
                if (op.code == OpCode::store) written_.push_back(op.operand);
        });
    }

    Plan packed() {
        Step repeat = repeat_;
        Group group = *repeat.group;
        for (Step& step : group.steps)
            if (step.product) pack(step);
        repeat.group = std::make_shared<const Group>(std::move(group));
        out_.steps.push_back(std::move(repeat));
        return std::move(out_);
    }

private:
    bool stays(int operand) const {
        if (repeat_.nest.base[size_t(operand)]) return false;
        for (const Loop& loop : repeat_.nest.loops)
            if (loop.stride[size_t(operand)]) return false;
        const Operand& own = plan_.operands[size_t(operand)];
        return std::ranges::none_of(written_, [&](int o) {
            const Operand& other = plan_.operands[size_t(o)];
            return other.scratch == own.scratch && (own.scratch >= 0 || other.arg == own.arg);
        });
    }

    std::optional<DotPanels> panels_of_step(const Plan& plan, const Step& step, int& right) const {
        const LocalStep local = local_step(plan, step);
        const Step& one = local.plan.steps[0];
        const auto matrices = matrices_of(local.plan, one);
        if (!matrices || matrices->right.operand < 0) return std::nullopt;
        right = local.operands[size_t(matrices->right.operand)];
        return panels_of(local.plan, one, *matrices, target_, context_);
    }

    void pack(Step& step) {
        int from = -1;
        const auto panels = panels_of_step(plan_, step, from);
        // Rows in place are copied if some turns read the copy: it is read and written once, and read by a turn.
        constexpr int64_t few_turns = 3;
        if (!panels || !stays(from) || iterations(repeat_.nest.loops) <= (panels->packs ? 1 : few_turns)) return;
        const auto& dims = step.product->space.dims;
        const DataType type = plan_.operands[size_t(from)].type;
        const std::string tag = panels->vnni == 1 ? "Ba16b" : fmt::format("BA16a16b{}a", panels->vnni);
        const auto md = make_desc_with_tag(std::vector{dims[panels->k], dims[panels->n]}, type, tag);
        if (!md) return;
        const Layout own = layout_of(*md);

        Plan with = out_;
        const int to = int(with.operands.size());
        with.operands.push_back({fmt::format("panels of {}", plan_.operands[size_t(from)].name), type});
        with.operands.back().scratch = int(with.scratch.size());
        with.scratch.push_back(bytes_of(type, md->nelems(true)));
        Product product = *step.product;
        Layout seen;
        for (const int64_t extent : dims) seen.dims.push_back({{extent, 0}});
        seen.dims[panels->n] = own.dims[1], seen.dims[panels->k] = own.dims[0];
        const Layout read = product.space.layouts[size_t(from)];
        product.space.layouts.resize(size_t(to) + 1);
        product.space.layouts[size_t(to)] = std::move(seen);
        for (Factor* factor : {&product.a, &product.b})
            if (factor->operand == from) factor->operand = to;
        Step packed = step;
        packed.product = std::make_shared<const Product>(std::move(product));
        int right = -1;
        if (panels_of_step(with, packed, right)) return; // these panels are not read in place, either
        add_padding(*md, to, with);
        add_copy(from, to, read, own, dims, *panels, with);
        out_ = std::move(with), step = std::move(packed);
    }

    static void add_copy(int from, int to, const Layout& read, const Layout& own, std::span<const int64_t> dims,
                         const DotPanels& panels, Plan& plan) {
        const Layout layouts[] = {{read.offset, {read.dims[panels.k], read.dims[panels.n]}}, own};
        const int64_t extents[] = {dims[panels.k], dims[panels.n]};
        Program copy;
        copy.store(to, copy.load(from, ValueType::bits));
        plan.programs.push_back(std::move(copy));
        add_moves(
            {.layouts = layouts, .dims = extents, .program = int(plan.programs.size()) - 1, .operands = {from, to}},
            plan);
    }

    const Plan& plan_;
    const Step& repeat_;
    const jit::Target& target_;
    const Context& context_;
    Plan out_;
    std::vector<int> written_;
};

} // namespace

Plan packed_once(const Plan& plan, const Step& repeat, const jit::Target& target, const Context& context) {
    return Packer(plan, repeat, target, context).packed();
}

} // namespace tessera::cpu
