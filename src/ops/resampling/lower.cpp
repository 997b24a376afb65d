// SPDX-License-Identifier: Apache-2.0
// resampling -> plan. Forward is one pass over dst: src is an operand once for every corner of the cell around an
// output, each with its own offsets along the spatial loops; the weights are operands that vary along one loop.
//
//   nearest, x2 in a row of 5:  src 0 0 1 1 2 2 3 3 4 4      linear:  src 0 0 0 1 1 ..   src_w 0 1 1 2 2 ..
#include "ops/resampling/resampling.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ops/epilogue.hpp"
#include "ops/moves.hpp"
#include "ops/windows/loops.hpp"

namespace tessera::ops {

namespace {

constexpr int src_operand = 0, dst_operand = 1; // src: the corner that is the left neighbour in every dimension

class Forward {
public:
    explicit Forward(const Problem& p)
        : p_(p), src_(p.md(arg::src)), dst_(p.md(arg::dst)), taps_(taps_of(p)), source_(layout_of(src_)) {
        plan_.title = fmt::format("resampling {} {} -> {}, {} to {}",
                                  alg_of_resampling(p) == resampling_linear ? "linear" : "nearest", to_token(src_),
                                  to_token(dst_), p.shape(), to_string(dst_.dims_span()));
        plan_.operands = {{"src", src_.type, arg::src}, {"dst", dst_.type, arg::dst}};
        layouts_ = {source_, layout_of(dst_)};
        corner_ = {0, -1};
    }

    Plan plan() {
        if (dst_.has_zero_dim()) return std::move(plan_);
        for (size_t k = 0; k < taps_.size(); ++k)
            if (!taps_[k].single) add_dimension(k);
        const bool moves = corners() == 1 && p_.attr.post_ops.entries.empty() && !p_.attr.dropout;
        Operands operands{plan_, layouts_};
        if (moves) {
            program_.store(dst_operand, program_.load(src_operand, conversion_type(src_.type, dst_.type)));
        } else {
            finish(program_, interpolated(0, 0), dst_operand, p_, operands);
        }
        plan_.programs.push_back(simplify(program_));
        add_output_padding(dst_operand, p_, operands);
        add_steps();
        return std::move(plan_);
    }

private:
    struct Weights {
        size_t k;         // spatial dimension
        int operand = -1; // of the weights, or, if all are equal:
        float same = 0;
        int left = -1, right = -1; // values of the program, once they have been loaded
    };
    int corners() const { return 1 << dims_.size(); }
    int operand_of(int corner) const {
        return int(std::find(corner_.begin(), corner_.end(), corner) - corner_.begin());
    }
    char letter(size_t k) const { return "dhw"[3 - taps_.size() + k]; }

    // Adds a dimension with two neighbours: doubles the corners, and adds its weights.
    void add_dimension(size_t k) {
        const int known = corners();
        for (int corner = 0; corner < known; ++corner) {
            std::string name = "src_";
            for (size_t i = 0; i < dims_.size(); ++i)
                if (corner >> i & 1) name += letter(dims_[i].k);
            plan_.operands.push_back({name + letter(k), src_.type, arg::src});
            layouts_.push_back(source_);
            corner_.push_back(corner | known);
        }
        const std::vector<float>& w = taps_[k].weight;
        Weights weights{k};
        if (std::ranges::all_of(w, [&](float x) { return x == w[0]; })) {
            weights.same = w[0];
        } else {
            Operand operand{fmt::format("weight of {}", letter(k)), DataType::f32};
            operand.constant = int(plan_.constants.size());
            plan_.constants.push_back(w);
            plan_.operands.push_back(operand);
            Layout layout{0, std::vector<Modes>(size_t(dst_.ndims), Modes{{1, 0}})};
            layout.dims[k + 2] = {{int64_t(w.size()), 1}};
            layouts_.push_back(layout);
            corner_.push_back(-1);
            weights.operand = int(plan_.operands.size()) - 1;
        }
        dims_.push_back(weights);
    }

    // Interpolates along dimension i and the later ones, for the corner that the earlier dimensions have chosen. The
    // last dimension is that of the step's interpolation.
    int interpolated(size_t i, int corner) {
        if (i == dims_.size()) return program_.load(operand_of(corner), ValueType::f32); // none
        if (i + 1 == dims_.size()) {
            interpolation_.weight = dims_[i].operand, interpolation_.same = dims_[i].same;
            interpolation_.values.push_back({operand_of(corner), operand_of(corner | 1 << i)});
            return program_.lerp(int(interpolation_.values.size()) - 1);
        }
        const int left = interpolated(i + 1, corner), right = interpolated(i + 1, corner | 1 << i);
        Weights& w = dims_[i];
        if (w.right < 0) {
            w.right =
                w.operand < 0 ? program_.constant(w.same, ValueType::f32) : program_.load(w.operand, ValueType::f32);
            w.left = w.operand < 0 ? program_.constant(1.f - w.same, ValueType::f32)
                                   : program_.binary(OpCode::sub, program_.constant(1, ValueType::f32), w.right);
        }
        return program_.ternary(OpCode::fma, w.right, right, program_.binary(OpCode::mul, w.left, left));
    }

    std::vector<int64_t> offsets(size_t operand, size_t k) const {
        const bool corner = operand < corner_.size() && corner_[operand] >= 0;
        const Modes& modes = layouts_[operand].dims[k + 2];
        bool right = false;
        for (size_t i = 0; corner && i < dims_.size(); ++i) right |= dims_[i].k == k && (corner_[operand] >> i & 1);
        const std::vector<int64_t>& index = right ? taps_[k].right : taps_[k].left;
        std::vector<int64_t> list;
        list.reserve(size_t(taps_[k].outputs));
        for (int64_t o = 0; o < taps_[k].outputs; ++o) list.push_back(offset_in(modes, corner ? index[size_t(o)] : o));
        return list;
    }

    void add_steps() {
        std::vector<int64_t> dims(dst_.dims_span().begin(), dst_.dims_span().end());
        std::vector<Loop> loops;
        for (size_t k = 0; k < taps_.size(); ++k) {
            CoordinateLoop spatial(taps_[k].outputs);
            for (size_t o = 0; o < layouts_.size(); ++o) spatial.set(o, offsets(o, k));
            for (size_t o = 0; o < layouts_.size(); ++o) layouts_[o].offset += spatial.base[o];
            loops.push_back(spatial.loop);
            dims[k + 2] = 1;
        }
        for (Layout& layout : layouts_)
            for (size_t d = 2; d < layout.dims.size(); ++d) layout.dims[d] = {{1, 0}};
        add_moves({.layouts = layouts_, .dims = dims, .program = 0, .order_by = dst_operand, .more = loops}, plan_);
        if (interpolation_.values.empty()) return;
        const auto shared = std::make_shared<const Interpolation>(interpolation_);
        for (Step& step : plan_.steps)
            if (step.kind == StepKind::map) step.kind = StepKind::interpolate, step.interpolation = shared;
    }

    const Problem& p_;
    const MemoryDesc &src_, &dst_;
    const std::vector<Taps> taps_;
    const Layout source_;
    Plan plan_;
    Program program_;
    Interpolation interpolation_;
    std::vector<Layout> layouts_;
    std::vector<int> corner_;   // by operand: bit i: the right neighbour in dims_[i]; -1: not src
    std::vector<Weights> dims_; // dimensions with two neighbours
};

} // namespace

Result<Plan> lower_resampling(const Problem& p) {
    if (p.prop == PropKind::backward_data) return lower_resampling_backward(p);
    return Forward(p).plan();
}

} // namespace tessera::ops
