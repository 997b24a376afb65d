// lrn -> plan: a reduce step for each combination of ranges of outputs whose windows hold the same elements
// (ops/windows.hpp): the sum of squares, then the power and the product. Backward that step leaves diff_dst omega^-beta
// and diff_dst src omega^(-beta-1) in temporary memory, and a second one sums the latter over the windows.
#include <algorithm>

#include <fmt/format.h>

#include "core/program/lib/math.hpp"
#include "ops/bordered_copy.hpp"
#include "ops/lrn/lrn.hpp"
#include "ops/moves.hpp"

namespace tessera::ops {

namespace {

// Programs are compared, and NaN is unequal to itself; as bits it is not.
int number(Program& program, double value) {
    if (value == value) return program.constant(float(value), ValueType::f32);
    return program.unary(OpCode::as, program.constant(0x7fc00000, ValueType::s32));
}

int power(Program& program, int omega, float beta) { // omega ^ -beta
    if (beta != 0.75f) return math::pow(program, omega, -beta);
    const int root = program.unary(OpCode::sqrt, omega);
    const int both = program.binary(OpCode::mul, root, program.unary(OpCode::sqrt, root));
    return program.binary(OpCode::div, program.constant(1, ValueType::f32), both);
}

class Lowering {
public:
    explicit Lowering(const Problem& problem) : problem_(problem), l_(problem), operands_{plan_, layouts_} {
        plan_.title = fmt::format("lrn {}{} {}, {}", l_.backward ? "backward " : "",
                                  alg_name(int(problem.params.at(query::alg_kind))).substr(4), to_token(l_.src),
                                  row(PrimitiveKind::lrn).shape(problem));
        src_ = source_ = operands_.add("src", l_.src.type, arg::src, layout_of(l_.src));
        const auto add = [&](const char* name, int id) {
            return operands_.add(name, problem.md(id).type, id, layout_of(problem.md(id)));
        };
        if (l_.backward) diff_dst_ = add("diff_dst", arg::diff_dst);
        written_ = l_.backward ? add("diff_src", arg::diff_src) : add("dst", arg::dst);
    }

    Result<Plan> plan() {
        if (l_.src.has_zero_dim()) return std::move(plan_);
        std::vector<Window> windows;
        for (size_t d = 0; d < size_t(l_.src.ndims); ++d)
            if (l_.mask >> d & 1) windows.push_back({l_.src.dims[d], l_.src.dims[d], 2 * l_.half + 1, 1, 1, l_.half});
        auto views = views_of(windows, false);
        if (!views) return Refusal(views.error());
        views_ = std::move(*views);
        if (auto ok = add_memory(); !ok) return Refusal(ok.error());
        std::vector<const std::vector<WindowRange>*> ranges;
        for (const WindowView& view : views_) ranges.push_back(&view.ranges);
        each_combination(ranges, [&](const Choice& choice) { add_step(choice, source_); });
        if (l_.backward) each_combination(ranges, [&](const Choice& choice) { add_step(choice, terms_); });
        add_padding(problem_.md(l_.backward ? arg::diff_src : arg::dst), written_, plan_);
        return std::move(plan_);
    }

private:
    using Choice = std::vector<const WindowRange*>;

    Result<void> add_memory() {
        std::vector<Border> none, borders;
        size_t k = 0;
        bool copied = false;
        for (size_t d = 0; d < size_t(l_.src.ndims); ++d) {
            none.push_back({0, l_.src.dims[d]});
            borders.push_back(none.back());
            if (!(l_.mask >> d & 1)) continue;
            const WindowView& view = views_[k++];
            borders.back() = {view.before, view.extent};
            copied = copied || view.copied;
        }
        if (copied || has_blocks(l_.src, l_.mask)) {
            const auto made = add_bordered_copy(src_, l_.src, l_.src.type, 0, borders, l_.mask, operands_);
            if (!made) return Refusal(made.error());
            source_ = *made;
        }
        if (!l_.backward) return {};
        const auto first = add_bordered("diff_dst times power", l_.src, DataType::f32, 0, none, l_.mask, operands_);
        if (!first) return Refusal(first.error());
        const auto terms = add_bordered("terms", l_.src, DataType::f32, 0, borders, l_.mask, operands_);
        if (!terms) return Refusal(terms.error());
        first_ = *first, terms_ = *terms;
        return {};
    }

    int sum_of(Program& program, int from, bool squares, bool several) const {
        int x = program.load(from, ValueType::f32);
        if (squares) x = program.binary(OpCode::mul, x, x);
        return several ? program.reduce_add(x) : x;
    }

    Program normalizing(bool several) const {
        Program program;
        const int sum = sum_of(program, source_, true, several);
        const int scaled = program.binary(OpCode::mul, number(program, l_.share()), sum);
        const int omega = program.binary(OpCode::add, number(program, l_.parameters.k), scaled);
        const int factor = power(program, omega, l_.parameters.beta), s = program.load(src_, ValueType::f32);
        if (!l_.backward) {
            program.store(written_, program.binary(OpCode::mul, s, factor));
            return program;
        }
        const int g = program.load(diff_dst_, ValueType::f32), first = program.binary(OpCode::mul, g, factor);
        const int term = program.binary(OpCode::div, program.binary(OpCode::mul, first, s), omega);
        program.store(first_, first);
        program.store(terms_, term);
        return program;
    }

    Program gradient(bool several) const {
        Program program;
        const int sum = sum_of(program, terms_, false, several);
        const double factor = 2 * double(l_.parameters.alpha) * double(l_.parameters.beta) / l_.divisor;
        const int s = program.load(src_, ValueType::f32);
        const int scaled = program.binary(OpCode::mul, number(program, factor), s);
        program.store(written_, program.binary(OpCode::sub, program.load(first_, ValueType::f32),
                                               program.binary(OpCode::mul, scaled, sum)));
        return program;
    }

    // The sums of `from` over the windows, and what follows. src is read twice: in the window, and in its middle.
    void add_step(const Choice& choice, int from) {
        int64_t taps = 1;
        for (const WindowRange* r : choice) taps *= r->taps;
        const bool several = taps > 1, sums_squares = from == source_;
        Program program = sums_squares ? normalizing(several) : gradient(several);
        // The window's own operand: a second one of the same memory where nothing was copied.
        const int window = window_operand(from);
        program.ops[0].operand = window;
        LoopedMoves moves;
        moves.program = add_program(simplify(program), plan_);
        moves.operands = operands_of(plan_.programs[size_t(moves.program)]);
        const int to = sums_squares && l_.backward ? terms_ : written_;
        moves.order_by = int(std::ranges::find(moves.operands, to) - moves.operands.begin());
        moves.dims.assign(l_.src.dims.begin(), l_.src.dims.begin() + l_.src.ndims);
        moves.mask = l_.mask;
        for (const int o : moves.operands) moves.layouts.push_back(layouts_[size_t(o)]);
        std::vector<CoordinateLoop> sums;
        size_t k = 0;
        for (size_t d = 0; d < moves.dims.size(); ++d) {
            if (!(l_.mask >> d & 1)) continue;
            const WindowRange& r = *choice[k];
            CoordinateLoop outputs(r.count, LoopKind::map);
            CoordinateLoop inside(r.taps, several ? LoopKind::reduce : LoopKind::map);
            for (size_t v = 0; v < moves.operands.size(); ++v) {
                const int o = moves.operands[v];
                const Modes& modes = layouts_[size_t(o)].dims[d];
                if (o == window) {
                    outputs.set(v, modes, r.start, 1), inside.set(v, modes, 0, 1);
                } else {
                    outputs.set(v, modes, r.first + (o == terms_ ? views_[k].before : 0), 1);
                }
            }
            moves.loops.push_back(std::move(outputs)), sums.push_back(std::move(inside));
            ++k;
        }
        moves.loops.insert(moves.loops.end(), sums.begin(), sums.end());
        add_looped(moves, plan_);
    }

    int window_operand(int from) {
        const Operand& o = plan_.operands[size_t(from)];
        const std::string name = o.name + " in the window";
        for (size_t i = 0; i < plan_.operands.size(); ++i)
            if (plan_.operands[i].name == name) return int(i);
        Operand window = o;
        window.name = name;
        plan_.operands.push_back(std::move(window));
        layouts_.push_back(layouts_[size_t(from)]);
        return int(plan_.operands.size()) - 1;
    }

    const Problem& problem_;
    const Lrn l_;
    Plan plan_;
    std::vector<Layout> layouts_;
    Operands operands_;
    std::vector<WindowView> views_;
    int src_, source_, written_, diff_dst_ = -1, first_ = -1, terms_ = -1; // operands; source: src or its copy
};

} // namespace

Result<Plan> lower_lrn(const Problem& p) { return Lowering(p).plan(); }

} // namespace tessera::ops
