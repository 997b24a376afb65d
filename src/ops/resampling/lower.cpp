// resampling -> plan. Forward is one pass over dst: src is an operand once for every corner of the cell around an
// output, each with its own offsets along the spatial loops; the weights are operands that vary along one loop.
//
//   nearest, x2 in a row of 5:  src 0 0 1 1 2 2 3 3 4 4      linear:  src 0 0 0 1 1 ..   src_w 0 1 1 2 2 ..
#include "ops/resampling/resampling.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "ops/epilogue.hpp"
#include "ops/moves.hpp"

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

    // Loops over outputs [begin, end) of a dimension, and the start offsets of operands.
    struct Piece {
        PerOperand<int64_t> base;
        std::vector<Loop> loops;
    };
    using Offsets = std::vector<std::vector<int64_t>>; // by operand and output
    static Piece piece(const Offsets& at, int64_t begin, int64_t end) {
        SpatialLoop spatial(end - begin);
        for (size_t o = 0; o < at.size(); ++o) spatial.set(o, {at[o].begin() + begin, at[o].begin() + end});
        return {spatial.base, {spatial.loop}};
    }

    // The offsets of outputs are periodic: with a factor of 2 each pair of outputs advances by one input. Where
    // channels are copied that are shorter than a vector, the periodic middle becomes two loops, the outer one without
    // tables, so that an engine may move several pixels at once (nearest x2 of u8 nhwc, 3 channels: 67 -> 7 us); the
    // two ends are pieces of their own. Not used if dst is dense along the dimension, where rows of two elements are
    // slower than tables. Everything else keeps its table: an engine may take the loop as a whole.
    std::vector<Piece> pieces(const Offsets& at, size_t k) const {
        constexpr int64_t longest_period = 4, least_periods = 8;
        const int64_t outputs = taps_[k].outputs, period = outputs / std::gcd(taps_[k].inputs, outputs);
        const bool dense = outputs > 1 && at[dst_operand][1] - at[dst_operand][0] == 1;
        Piece whole = piece(at, 0, outputs);
        if (!whole.loops[0].indexed() || corners() > 1 || dense || !copies_short_rows() || period < 2 ||
            period > longest_period)
            return {whole};
        const int64_t middle = outputs / 2;
        const auto repeats = [&](int64_t i) { // from i to i + period all offsets advance as in the middle
            return std::ranges::all_of(at, [&](const std::vector<int64_t>& t) {
                return t[size_t(i + period)] - t[size_t(i)] == t[size_t(middle + period)] - t[size_t(middle)];
            });
        };
        if (middle + period >= outputs) return {whole};
        int64_t begin = middle, end = middle;
        while (begin > 0 && repeats(begin - 1)) --begin;
        while (end + period < outputs && repeats(end)) ++end; // [begin, end + period) is regular
        const int64_t periods = (end - begin) / period + 1;
        if (periods < least_periods) return {whole};
        Piece inner = piece(at, begin, begin + period);
        Loop outer;
        outer.extent = periods;
        for (size_t o = 0; o < at.size(); ++o)
            outer.stride.set(o, at[o][size_t(begin + period)] - at[o][size_t(begin)]);
        inner.loops.insert(inner.loops.begin(), outer);
        std::vector<Piece> list{inner};
        if (begin > 0) list.push_back(piece(at, 0, begin));
        if (begin + periods * period < outputs) list.push_back(piece(at, begin + periods * period, outputs));
        return list;
    }

    bool copies_short_rows() const {
        constexpr int64_t long_bytes = 16;
        const int64_t step = dst_.strides[size_t(dst_.ndims) - 1];
        return corners() == 1 && p_.attr.post_ops.entries.empty() && !p_.attr.dropout && src_.type == dst_.type &&
               step * bits(dst_.type) / 8 < long_bytes;
    }

    void add_steps() {
        std::vector<int64_t> dims(dst_.dims_span().begin(), dst_.dims_span().end());
        std::vector<Piece> products{Piece{}};
        for (size_t k = 0; k < taps_.size(); ++k) {
            Offsets at;
            for (size_t o = 0; o < layouts_.size(); ++o) at.push_back(offsets(o, k));
            std::vector<Piece> next;
            for (const Piece& left : products)
                for (const Piece& right : pieces(at, k)) {
                    Piece& both = next.emplace_back(left);
                    both.base += right.base;
                    both.loops.insert(both.loops.end(), right.loops.begin(), right.loops.end());
                }
            products = std::move(next);
            dims[k + 2] = 1;
        }
        for (Layout& layout : layouts_)
            for (size_t d = 2; d < layout.dims.size(); ++d) layout.dims[d] = {{1, 0}};
        for (const Piece& piece : products) {
            std::vector<Layout> layouts = layouts_;
            for (size_t o = 0; o < layouts.size(); ++o) layouts[o].offset += piece.base[o];
            add_moves({.layouts = layouts, .dims = dims, .program = 0, .order_by = dst_operand, .more = piece.loops},
                      plan_);
        }
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
