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
// diff_dst src omega^(-beta-1) where the squares were; their sums follow likewise. Of channels in blocks the temporary
// values have none: all lie side by side.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/layout/coalesce.hpp"
#include "core/plan/moves.hpp"
#include "core/program/lib/math.hpp"
#include "ops/epilogue.hpp"
#include "ops/lrn/lrn.hpp"
#include "ops/lrn/power.hpp"
#include "ops/moves.hpp"
#include "ops/windows/ranges.hpp"

namespace tessera::ops {

namespace {

constexpr int64_t few_points = 64, large_point = 4096, few_ranges = 9;

// Programs are compared, and NaN is unequal to itself; as bits it is not.
int number(Program& program, double value) {
    if (value == value) return program.constant(float(value), ValueType::f32);
    return program.unary(OpCode::as, program.constant(0x7fc00000, ValueType::s32));
}

class Lowering {
public:
    explicit Lowering(const Problem& problem) : problem_(problem), l_(problem), operands_{plan_, layouts_} {
        plan_.title = fmt::format("lrn {}{} {}, {}", l_.backward ? "backward " : "",
                                  alg_name(int(problem.params.at(query::alg_kind))).substr(4), to_token(l_.src),
                                  row(PrimitiveKind::lrn).shape(problem));
        const auto add = [&](const char* name, int id) {
            return operands_.add(name, problem.md(id).type, id, with_taps(layout_of(problem.md(id))));
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
        add_parts();
        add_padding(problem_.md(l_.backward ? arg::diff_src : arg::dst), written_, plan_);
        return std::move(plan_);
    }

private:
    struct Reach {
        size_t dim;
        int64_t reach; // elements on each side
    };
    struct Part { // what Moves refer to
        Program program;
        std::vector<int> operands;
        int order_by; // which of them
        std::vector<int64_t> dims;
        int reduce_mask;
        std::vector<std::vector<int64_t>> first;
        std::vector<Layout> layouts;
    };

    size_t taps() const { return size_t(l_.src.ndims); } // the dim of what a sum combines
    Layout with_taps(Layout layout) const {
        layout.dims.push_back({{1, 0}});
        return layout;
    }

    // Those of more than one element, the densest last: vectors run along it, so what it sums has its border around it.
    void find_windows() {
        if (!l_.backward && l_.parameters.beta == 0) return; // powers of any omega, NaN included, are 1
        for (size_t d = 0; d < taps(); ++d) {
            const int64_t reach = std::min(l_.half, l_.src.dims[d] - 1);
            if ((l_.mask >> d & 1) && reach > 0) windows_.push_back({d, reach});
        }
        std::ranges::stable_sort(windows_, std::ranges::greater{}, [&](const Reach& w) { return stride(w.dim); });
    }
    // Of a dim in temporary memory, as far as its order goes: blocks that windows cross lie innermost as one.
    int64_t stride(size_t d) const {
        const Modes modes = coalesce(layouts_[size_t(src_)].dims[d]);
        return modes.size() == 1 ? modes[0].stride : 0;
    }

    bool fits() const {
        constexpr int64_t most = int64_t(1) << 60;
        int64_t elements = 1;
        for (size_t d = 0; d < taps(); ++d) {
            const int64_t extent = std::max(extent_of(layouts_[size_t(src_)].dims[d]), l_.src.dims[d]);
            if (extent > most / 3 / elements) return false;
            elements *= 3 * extent;
        }
        return true;
    }

    // Temporary values in the order of src; with a border of zeros along the dim of a window, before and behind, and no
    // blocks along those of all windows.
    int add_temporary(std::string name, const Reach* w) {
        Layout layout = layouts_[size_t(src_)];
        layout.offset = 0;
        std::vector<Mode*> modes;
        for (size_t d = taps(); d-- > 0;) {
            Modes& own = layout.dims[d];
            const bool windowed = w && std::ranges::find(windows_, d, &Reach::dim) != windows_.end();
            if (windowed) own = {{l_.src.dims[d] + (w->dim == d ? 2 * w->reach : 0), stride(d)}};
            int64_t block = 1;
            for (size_t m = 1; m < own.size(); ++m) block *= own[m].extent;
            if (!windowed) own[0].extent = ceil_div(l_.src.dims[d], block);
            for (size_t m = own.size(); m-- > 0;) modes.push_back(&own[m]);
        }
        const int64_t elements = close_strides(std::move(modes));
        const int to = operands_.add_scratch(std::move(name), DataType::f32, elements, std::move(layout));
        if (w) add_border(to, *w);
        return to;
    }
    void add_border(int to, const Reach& w) {
        Program zero;
        zero.store(to, zero.constant(0, ValueType::f32));
        Part& part = add(zero, nullptr, -1);
        const Modes& own = part.layouts[0].dims[w.dim];
        part.dims[w.dim] = w.reach, part.dims[taps()] = 2;
        part.layouts[0].dims[taps()] = {{2, (w.reach + l_.src.dims[w.dim]) * own[0].stride}};
    }

    // A program over all elements, or over their windows in `from`. What it stores last has a border if the next one
    // is given.
    Part& add(const Program& given, const Reach* sums, int from) {
        Part& part = parts_.emplace_back();
        part.program = simplify(given);
        part.operands = operands_of(part.program);
        part.order_by = int(std::ranges::find(part.operands, part.program.ops.back().operand) - part.operands.begin());
        part.dims.assign(l_.src.dims.begin(), l_.src.dims.begin() + l_.src.ndims);
        part.dims.push_back(sums ? 2 * sums->reach + 1 : 1);
        part.reduce_mask = sums ? 1 << taps() : 0;
        for (const int o : part.operands) {
            Layout& layout = part.layouts.emplace_back(layouts_[size_t(o)]);
            if (sums)
                layout.dims[taps()] = {{part.dims.back(), o == from ? coalesce(layout.dims[sums->dim])[0].stride : 0}};
            part.first.emplace_back(part.dims.size(), 0);
        }
        return part;
    }
    // The sums along window `w` of `from`, which has a border along it, or of the squares of src, which has none: a
    // step for each range of elements whose windows lie alike. What the program stores to `inside` has the border of
    // `next`.
    void add_sums(const Program& program, size_t w, int from, int inside = -1, const Reach* next = nullptr) {
        const Reach& window = windows_[w];
        const auto put_inside = [&](Part& part) {
            const auto o = size_t(std::ranges::find(part.operands, inside) - part.operands.begin());
            if (next) part.first[o][next->dim] += next->reach;
        };
        if (from != window_src_) return put_inside(add(program, &window, from));
        for (const OutputRange& r : ranges_) {
            Part& part = add(program, &window, from);
            part.dims[window.dim] = r.count, part.dims[taps()] = r.taps;
            for (size_t v = 0; v < part.operands.size(); ++v) {
                const bool reads = part.operands[v] == from;
                part.first[v][window.dim] = reads ? r.first + r.tap - window.reach : r.first;
                part.layouts[v].dims[taps()][0].extent = r.taps;
            }
            put_inside(part);
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
            if (sums_.size() == w) sums_.push_back(add_temporary(fmt::format("sums {}", w + 1), &windows_[w + 1]));
            Program program;
            program.store(sums_[w], sum_of(program, from));
            add_sums(program, w, from, sums_[w], &windows_[w + 1]);
            from = sums_[w];
        }
        return from;
    }
    void add_last(const Program& program, int from, int inside = -1) {
        if (windows_.empty())
            add(program, nullptr, -1);
        else
            add_sums(program, windows_.size() - 1, from, inside, inside < 0 ? nullptr : &windows_[0]);
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
        squares_ = add_temporary("squares", &windows_[0]);
        Program program;
        const int s = program.load(src_, ValueType::f32);
        program.store(squares_, program.binary(OpCode::mul, s, s));
        Part& part = add(program, nullptr, -1);
        part.first[1][windows_[0].dim] = windows_[0].reach;
        return squares_;
    }
    // Where vectors run along another dim, so that borders are no shorter than the rest.
    bool reads_src() {
        const Reach& w = windows_[0];
        if (stride(w.dim) < 2 || w.reach > few_ranges / 2) return false;
        const int64_t extent = l_.src.dims[w.dim];
        const auto ranges =
            ranges_of({.inputs = extent, .outputs = extent, .kernel = 2 * w.reach + 1, .left = w.reach}, few_ranges);
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
                     : add_temporary("diff_dst times power", nullptr);
        const Reach* next = windows_.empty() ? nullptr : &windows_[0];
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

    // So few that threads would have nothing to share, if they did not share windows.
    bool are_few(int shared) const {
        int64_t points = 1, each = 1;
        for (size_t d = 0; d < taps(); ++d) {
            int64_t& all = shared >> d & 1 ? points : each;
            all *= std::min(l_.src.dims[d], int64_t(1) << 20);
            if (points > few_points) return false;
        }
        return each > large_point;
    }

    void add_parts() {
        std::vector<Moves> moves;
        for (const Part& p : parts_)
            moves.push_back({.layouts = p.layouts,
                             .dims = p.dims,
                             .program = add_program(p.program, plan_),
                             .reduce_mask = p.reduce_mask,
                             .order_by = p.order_by,
                             .operands = p.operands,
                             .first = p.first});
        int shared = (1 << taps()) - 1;
        for (const Reach& w : windows_) shared &= ~(1 << w.dim);
        // Windows along a dim of src with others inside: pieces of these would be read from many pages.
        if (windows_.empty() || (windows_.size() == 1 && window_src_ >= 0) || are_few(shared)) {
            for (const Moves& m : moves) add_moves(m, plan_);
        } else {
            add_group(moves, shared, plan_);
        }
    }

    const Problem& problem_;
    const Lrn l_;
    Plan plan_;
    std::vector<Layout> layouts_; // with the dim of taps
    Operands operands_;
    std::vector<Reach> windows_;
    std::vector<Part> parts_;
    std::vector<OutputRange> ranges_; // of the first window, if it reads src
    std::vector<int> sums_;           // operands: along each window but the last
    int src_, written_, window_src_ = -1, diff_dst_ = -1, squares_ = -1, first_ = -1, terms_ = -1;
};

} // namespace

Result<Plan> lower_lrn(const Problem& p) { return Lowering(p).plan(); }

} // namespace tessera::ops
