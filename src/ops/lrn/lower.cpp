// SPDX-License-Identifier: Apache-2.0
// lrn -> plan: a group over the dims that windows do not cross. Sums go along one dim after the other, those of 5 x 5
// elements as 5 and 5, and each of them reads temporary values that have a border of zeros, so that there is one step
// for all windows:
//
//   map     squares = src src              with a border along the first dim of windows
//   reduce  sums = sums of squares         along it; with a border along the next one
//   reduce  dst = src (k + share * sum of sums) ^ -beta
//
// The squares have no memory where vectors run along another dim than the first one of windows: src itself is read, in
// a step for each range of elements whose windows lie alike. Backward the last step leaves diff_dst omega^-beta, and
// diff_dst src omega^(-beta-1) where the squares were; their sums follow likewise. Temporary values of blocked layouts
// are plain: all channels are contiguous.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/plan/moves.hpp"
#include "core/program/lib/math.hpp"
#include "ops/epilogue.hpp"
#include "ops/lrn/lrn.hpp"
#include "ops/lrn/power.hpp"
#include "ops/windows/separable.hpp"

namespace tessera::ops {

namespace {

constexpr int64_t few_ranges = 9;

// Programs are compared, and NaN is unequal to itself; as bits it is not.
int number(Program& program, double value) {
    if (value == value) return program.constant(float(value), ValueType::f32);
    return program.unary(OpCode::as, program.constant(0x7fc00000, ValueType::s32));
}

class Lowering {
public:
    explicit Lowering(const Problem& problem)
        : problem_(problem), l_(problem), operands_{plan_, layouts_},
          steps_(l_.src.dims_span(), layout_of(l_.src), layouts_) {
        plan_.title = fmt::format("lrn {}{} {}, {}", l_.backward ? "backward " : "",
                                  alg_name(int(problem.params.at(query::alg_kind))).substr(4), to_token(l_.src),
                                  row(PrimitiveKind::lrn).shape(problem));
        const auto add = [&](const char* name, int id) {
            return operands_.add(name, problem.md(id).type, id, layout_of(problem.md(id)));
        };
        src_ = add("src", arg::src);
        if (l_.backward) diff_dst_ = add("diff_dst", arg::diff_dst);
        written_ = l_.backward ? add("diff_src", arg::diff_src) : add("dst", arg::dst);
    }

    Result<Plan> plan() {
        if (l_.src.has_zero_dim()) return std::move(plan_);
        find_windows();
        if (!fits())
            return unimplemented("lrn: the temporary values of {} need more than 2^62 bytes; parts of it are possible",
                                 to_string(l_.src.dims_span()));
        normalize();
        if (l_.backward) differentiate();
        // Windows along a dim of src with others inside: pieces of these would be read from many pages.
        steps_.add_to(plan_, l_.src.dims_span(), windows_.empty() || (windows_.size() == 1 && window_src_ >= 0));
        add_padding(problem_.md(l_.backward ? arg::diff_src : arg::dst), written_, plan_);
        return std::move(plan_);
    }

private:
    // Those of more than one element.
    void find_windows() {
        if (!l_.backward && l_.parameters.beta == 0) return; // powers of any omega, NaN included, are 1
        for (size_t d = 0; d < size_t(l_.src.ndims); ++d) {
            const int64_t extent = l_.src.dims[d], reach = std::min(l_.half, extent - 1);
            if (!(l_.mask >> d & 1) || reach <= 0) continue;
            const Window window{.inputs = extent, .outputs = extent, .kernel = 2 * reach + 1, .left = reach};
            windows_.push_back({d, window, reach, extent + 2 * reach});
        }
        order_passes(windows_, layouts_[size_t(src_)]);
    }

    bool fits() const {
        constexpr int64_t most = int64_t(1) << 60;
        int64_t elements = 1;
        for (size_t d = 0; d < size_t(l_.src.ndims); ++d) {
            const int64_t extent = std::max(extent_of(layouts_[size_t(src_)].dims[d]), l_.src.dims[d]);
            if (extent > most / 3 / elements) return false;
            elements *= 3 * extent;
        }
        return true;
    }

    // Temporary values in the order of src; with a border of zeros along the dim of pass `w`, before and behind.
    int add_temporary(std::string name, size_t w) {
        Separable::Memory memory = steps_.memory(w);
        const int to = operands_.add_scratch(std::move(name), DataType::f32, memory.elements, std::move(memory.layout));
        if (w != Separable::no_pass) add_border(to, windows_[w]);
        return to;
    }
    void add_border(int to, const Pass& w) {
        Program zero;
        zero.store(to, zero.constant(0, ValueType::f32));
        SeparableStep& step = steps_.add(zero, 0);
        Layout& layout = step.layouts[0];
        step.dims[w.dim] = w.before, step.dims[step.combined()] = 2;
        layout.dims[step.combined()] = {{2, (w.before + w.window.inputs) * layout.dims[w.dim][0].stride}};
    }

    // The sums along window `w` of `from`, which has a border along it, or of the squares of src, which has none: a
    // step for each range of elements whose windows lie alike. What the program stores to `inside` has the border of
    // window `next`.
    void add_sums(const Program& program, size_t w, int from, int inside = -1, size_t next = Separable::no_pass) {
        const Pass& pass = windows_[w];
        const bool bordered = from != window_src_;
        const std::vector<OutputRange> all{{0, pass.window.outputs, 0, pass.window.kernel}};
        for (const OutputRange& r : bordered ? all : ranges_) {
            SeparableStep& step = steps_.add(program, 0);
            step.combine(pass, r, bordered, {from});
            if (next != Separable::no_pass) step.shift(inside, windows_[next].dim, windows_[next].before);
        }
    }
    int sum_of(Program& program, int from) const {
        int x = program.load(from, ValueType::f32);
        if (from == src_ || from == window_src_) x = program.binary(OpCode::mul, x, x);
        return windows_.empty() ? x : program.reduce_add(x);
    }
    // Sums along all windows but the last; the operand of what is to be summed along that.
    int sum(int from) {
        for (size_t w = 0; w + 1 < windows_.size(); ++w) {
            if (sums_.size() == w) sums_.push_back(add_temporary(fmt::format("sums {}", w + 1), w + 1));
            Program program;
            program.store(sums_[w], sum_of(program, from));
            add_sums(program, w, from, sums_[w], w + 1);
            from = sums_[w];
        }
        return from;
    }
    void add_last(const Program& program, int from, int inside = -1) {
        if (windows_.empty())
            steps_.add(program, 0);
        else
            add_sums(program, windows_.size() - 1, from, inside, inside < 0 ? Separable::no_pass : 0);
    }

    // What the first sums are of.
    int squares() {
        if (windows_.empty()) return src_;
        if (reads_src()) {
            Operand window = plan_.operands[size_t(src_)];
            window.name = "src in the window";
            plan_.operands.push_back(std::move(window)), layouts_.push_back(layouts_[size_t(src_)]);
            return window_src_ = int(plan_.operands.size()) - 1;
        }
        squares_ = add_temporary("squares", 0);
        Program program;
        const int s = program.load(src_, ValueType::f32);
        program.store(squares_, program.binary(OpCode::mul, s, s));
        steps_.add(program, 0).shift(squares_, windows_[0].dim, windows_[0].before);
        return squares_;
    }
    // Where vectors run along another dim, so that borders are no shorter than the rest.
    bool reads_src() {
        const Pass& w = windows_[0];
        if (order_stride(layouts_[size_t(src_)], w.dim) < 2 || w.before > few_ranges / 2) return false;
        const auto ranges = ranges_of(w.window, few_ranges);
        if (ranges) ranges_ = *ranges;
        return ranges.has_value();
    }

    OmegaRange range_of_omega() const {
        const float k = l_.parameters.k, share = l_.share();
        if (!(share >= 0) || !std::isfinite(k)) return OmegaRange::all;
        return k >= std::numeric_limits<float>::min() ? OmegaRange::normal : OmegaRange::above_minus_infinity;
    }
    void normalize() {
        const int from = sum(squares());
        Program program;
        const int all = sum_of(program, from);
        const int scaled = program.binary(OpCode::mul, number(program, l_.share()), all);
        const int omega = program.binary(OpCode::add, number(program, l_.parameters.k), scaled);
        const OmegaPowers powers = powers_of({&program, omega}, l_.parameters.beta, range_of_omega(), l_.backward);
        const int factor = powers.power.value, s = program.load(src_, ValueType::f32);
        if (!l_.backward) {
            program.store(written_, program.binary(OpCode::mul, s, factor));
            return add_last(program, from);
        }
        first_ = plan_.operands[size_t(written_)].type == DataType::f32
                     ? written_
                     : add_temporary("diff_dst times power", Separable::no_pass);
        const size_t next = windows_.empty() ? Separable::no_pass : 0;
        // The squares are not needed any more if there are sums of them.
        terms_ = windows_.size() > 1 && squares_ >= 0 ? squares_ : add_temporary("terms", next);
        const int g = program.load(diff_dst_, ValueType::f32), first = program.binary(OpCode::mul, g, factor);
        if (l_.parameters.beta < 0) { // an omega of 0 has no inverse, and may have its power -beta - 1
            const int power = math::pow(program, omega, -l_.parameters.beta - 1);
            program.store(terms_, program.binary(OpCode::mul, program.binary(OpCode::mul, g, s), power));
        } else {
            const int product = program.binary(OpCode::mul, first, s);
            program.store(terms_, program.binary(OpCode::mul, product, powers.inverse.value));
        }
        program.store(first_, first); // loops are ordered by what is stored last
        add_last(program, from, terms_);
    }

    void differentiate() {
        const int from = sum(terms_);
        Program program;
        const int all = sum_of(program, from);
        const double factor = 2 * double(l_.parameters.alpha) * double(l_.parameters.beta) / l_.divisor;
        const int s = program.load(src_, ValueType::f32);
        const int scaled = program.binary(OpCode::mul, number(program, factor), s);
        program.store(written_, program.binary(OpCode::sub, program.load(first_, ValueType::f32),
                                               program.binary(OpCode::mul, scaled, all)));
        add_last(program, from);
    }

    const Problem& problem_;
    const Lrn l_;
    Plan plan_;
    std::vector<Layout> layouts_;
    Operands operands_;
    Separable steps_;
    std::vector<Pass>& windows_ = steps_.passes;
    std::vector<OutputRange> ranges_; // of the first window, if it reads src
    std::vector<int> sums_;           // operands: along each window but the last
    int src_, written_, window_src_ = -1, diff_dst_ = -1, squares_ = -1, first_ = -1, terms_ = -1;
};

} // namespace

Result<Plan> lower_lrn(const Problem& p) { return Lowering(p).plan(); }

} // namespace tessera::ops
