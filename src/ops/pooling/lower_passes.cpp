// SPDX-License-Identifier: Apache-2.0
// Windows that overlap -> plan: sums or maxima along one dim after the other, 3 and 3 elements instead of 3 x 3, in a
// group over the dims that windows do not cross. What is combined along all dims but the first has a border in memory
// of a point, zeros or what loses against everything, so that there is one step for all windows:
//
//   reduce  rows = sums of src along h           a step for each range of outputs whose windows hold the same taps
//   map     rows = 0                             the border along w
//   reduce  dst = sums of rows along w / 9
//
// Where the first dim has more than a few ranges, a copy of src with a border takes their place. A maximum with a
// workspace carries the number of its tap from pass to pass: of equal ones the lowest number wins, so the order of the
// dims does not show.
//
// Backward diff_dst takes the place of src, in windows the other way round. Where outputs have divisors of their own
// diff_dst is multiplied by 3 / 2 at a border of two taps, along h as it is loaded and along w as the rows are stored.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/plan/moves.hpp"
#include "ops/pooling/passes.hpp"
#include "ops/windows/bordered_copy.hpp"

namespace tessera::ops {

namespace {

class Lowering {
public:
    explicit Lowering(const Problem& problem)
        : problem_(problem), p_(problem), type_(p_.value_type()), from_md_(p_.backward() ? p_.dst : p_.src),
          to_md_(p_.backward() ? p_.src : p_.dst), operands_{plan_, layouts_},
          steps_(p_.src.dims_span(), layout_of(from_md_), layouts_) {}

    std::optional<Plan> plan() {
        if (p_.src.has_zero_dim() || p_.dst.has_zero_dim() || (p_.backward() && p_.is_max())) return std::nullopt;
        const int spatial = spatial_dims(p_.src);
        if (has_blocks(p_.src, spatial) || has_blocks(p_.dst, spatial)) return std::nullopt;
        auto passes = passes_of(p_, from_md_);
        if (!passes) return std::nullopt;
        windows_ = std::move(passes->windows), tables_.resize(windows_.size());
        ranges_ = std::move(passes->ranges), copies_ = passes->copies;
        name_operands();
        for (size_t w = 0; w < windows_.size() && p_.excludes(); ++w) count_taps(w, w || copies_ ? 1 : share());
        if (copies_ && p_.workspace) add_first_taps();
        Values values{from_};
        if (copies_) values = add_copy();
        for (size_t w = 0; w < windows_.size(); ++w) values = add_pass(w, values);
        steps_.add_to(plan_, to_md_.dims_span());
        if (p_.backward())
            add_padding(p_.src, to_.value, plan_);
        else
            add_output_padding(to_.value, problem_, operands_);
        if (p_.workspace) add_padding(*p_.workspace, to_.tap, plan_);
        return std::move(plan_);
    }

private:
    struct Values { // operands; of training the numbers of their taps too
        int value, tap = -1;
    };
    struct Piece { // of the elements of a dim
        int64_t first, count;
        bool weighted;
    };
    struct Tables {       // operands, of a window
        int weights = -1; // of divisors of their own, along what is summed
        int counts = -1;  // how many taps are inside, by output; -1: all are
        int firsts = -1;  // the first tap inside, by output, of a copy for maxima with numbers
    };

    size_t dims() const { return size_t(p_.src.ndims); }

    void name_operands() {
        const bool backward = p_.backward();
        plan_.title = fmt::format("pooling {}{} {} -> {}, {}", backward ? "backward " : "", alg_name(p_.alg).substr(8),
                                  to_token(from_md_), to_token(to_md_), row(PrimitiveKind::pooling).shape(problem_));
        from_ = operands_.add(backward ? "diff_dst" : "src", from_md_.type, backward ? arg::diff_dst : arg::src,
                              layout_of(from_md_));
        to_.value = operands_.add(backward ? "diff_src" : "dst", to_md_.type, backward ? arg::diff_src : arg::dst,
                                  layout_of(to_md_));
        if (!p_.workspace) return;
        to_.tap = operands_.add("workspace", p_.workspace->type, arg::workspace, layout_of(*p_.workspace));
        number_ = operands_.add("tap", DataType::u8, 0, Layout{0, std::vector<Modes>(dims(), Modes{{1, 0}})});
        plan_.operands[size_t(number_)].counted = true;
    }

    // Operands without memory: of each output of a window how many taps are inside, or what diff_dst is multiplied by,
    // `scale` included.
    void count_taps(size_t w, double scale) {
        const Pass& a = windows_[w];
        const Window& own = p_.windows[a.dim - 2];
        std::vector<float> counts;
        for (int64_t o = 0; o < own.outputs; ++o)
            counts.push_back(float(std::max<int64_t>(own.end_tap(o) - own.first_tap(o), 0)));
        if (std::ranges::all_of(counts, [&](float n) { return n == float(own.kernel); })) return;
        for (float& n : counts)
            if (p_.backward()) n = n ? float(float(own.kernel) / n * scale) : 1;
        (p_.backward() ? tables_[w].weights : tables_[w].counts) =
            add_table(a, p_.backward() ? "weights" : "taps inside", counts);
    }
    // In a copy the border has the first numbers, which are those of the maximum where all inside is as low.
    void add_first_taps() {
        const Pass& a = windows_[0];
        std::vector<float> firsts;
        for (int64_t o = 0; o < a.window.outputs; ++o) firsts.push_back(float(a.window.first_tap(o)));
        tables_[0].firsts = add_table(a, "first tap inside", firsts);
    }
    int add_table(const Pass& a, std::string_view what, std::vector<float> values) {
        Layout layout{0, std::vector<Modes>(dims(), Modes{{1, 0}})};
        layout.dims[a.dim] = {{int64_t(values.size()), 1}};
        const char of = "dhw"[3 - p_.windows.size() + a.dim - 2];
        const int operand = operands_.add(fmt::format("{} along {}", what, of), DataType::f32, 0, layout);
        plan_.operands.back().constant = int(plan_.constants.size());
        plan_.constants.push_back(std::move(values));
        return operand;
    }

    // What window `w` combines, in the order of what is read, with its border.
    Values add_temporary(size_t w) {
        const Separable::Memory memory = steps_.memory(w);
        const bool copy = copies_ && w == 0;
        const DataType type = type_ == ValueType::f32 ? DataType::f32 : DataType::s32;
        const std::string name = p_.is_max() ? "maxima" : "sums";
        Values to{
            operands_.add_scratch(copy ? "copy" : fmt::format("{} {}", name, w), type, memory.elements, memory.layout)};
        if (p_.workspace && !copy)
            to.tap =
                operands_.add_scratch(fmt::format("taps {}", w), p_.workspace->type, memory.elements, memory.layout);
        const Pass& a = windows_[w];
        for (const auto& [first, end] : {std::pair{int64_t(0), a.before}, {a.before + a.window.inputs, a.extent}}) {
            if (first == end) continue;
            Program program;
            if (to.tap >= 0) program.store(to.tap, program.constant(behind_all(), ValueType::s32));
            program.store(to.value, program.constant(of_none(), type_));
            SeparableStep& step = steps_.add(program, w);
            step.dims[a.dim] = end - first;
            for (const int o : {to.value, to.tap}) step.shift(o, a.dim, first);
        }
        return to;
    }
    // A number that loses where all taps inside are as low as the border.
    double behind_all() const { return p_.workspace->type == DataType::u8 ? 255 : 1 << 30; }
    // What loses against everything.
    double of_none() const {
        if (!p_.is_max()) return 0;
        return type_ == ValueType::s32 ? double(std::numeric_limits<int32_t>::lowest())
                                       : -std::numeric_limits<double>::infinity();
    }

    // src as the values of the first pass.
    Values add_copy() {
        const Values to = add_temporary(0);
        for (const Piece& piece : pieces(0)) {
            Program program;
            const int value = loaded(program);
            program.store(to.value, times(program, value, piece.weighted ? tables_[0].weights : -1));
            write_piece(steps_.add(program, 0), 0, to, {from_}, piece);
        }
        return to;
    }
    // A step that writes these elements of what window `w` combines, and reads them along its dim.
    void write_piece(SeparableStep& step, size_t w, const Values& to, const Values& from, const Piece& piece) {
        const Pass& a = windows_[w];
        step.dims[a.dim] = piece.count;
        for (const int o : {to.value, to.tap}) step.shift(o, a.dim, a.before + piece.first);
        for (const int o : {from.value, from.tap, tables_[w].weights}) step.shift(o, a.dim, piece.first);
    }

    // Combines `from` along window `w`.
    Values add_pass(size_t w, const Values& from) {
        const bool last = w + 1 == windows_.size();
        const Values to = last ? to_ : add_temporary(w + 1);
        const std::vector<OutputRange> all{{0, windows_[w].window.outputs, 0, windows_[w].window.kernel}};
        for (const Piece& piece : last ? std::vector<Piece>(1) : pieces(w + 1))
            for (const OutputRange& r : w > 0 || copies_ ? all : ranges_) add_range(w, from, to, r, piece);
        return to;
    }
    // Of what window `w` combines: those whose weights are 1 go without, if vectors run along another dim.
    std::vector<Piece> pieces(size_t w) const {
        const Pass& next = windows_[w];
        const int weights = tables_[w].weights;
        if (weights < 0 || order_stride(layout_of(from_md_), next.dim) == 1)
            return {{0, next.window.inputs, weights >= 0}};
        std::vector<Piece> found;
        for (const float weight : plan_.constants[size_t(plan_.operands[size_t(weights)].constant)]) {
            const int64_t first = found.empty() ? 0 : found.back().first + found.back().count;
            if (found.empty() || found.back().weighted != (weight != 1)) found.push_back({first, 0, weight != 1});
            ++found.back().count;
        }
        return found;
    }
    void add_range(size_t w, const Values& from, const Values& to, const OutputRange& r, const Piece& piece) {
        const Pass& a = windows_[w];
        SeparableStep& step = steps_.add(program_of(w, from, to, r.taps, piece.weighted), w + 1);
        step.combine(a, r, w > 0 || copies_, {from.value, from.tap, tables_[w].weights});
        for (size_t o = 0; o < step.operands.size(); ++o) {
            if (step.operands[o] != number_) continue;
            step.layouts[o].dims[step.combined()] = {{std::max<int64_t>(r.taps, 1), weight_of_tap(a)}};
            step.layouts[o].offset += r.tap * weight_of_tap(a);
        }
        if (to.value != to_.value) write_piece(step, w + 1, to, from, piece);
    }
    // What a tap counts in the workspace.
    int64_t weight_of_tap(const Pass& a) const {
        int64_t weight = 1;
        for (size_t k = a.dim - 1; k < p_.windows.size(); ++k) weight *= p_.windows[k].kernel;
        return weight;
    }

    // A power of two that diff_dst is multiplied by, so that its sums stay finite.
    double share() const { return p_.backward() ? std::exp2(-std::ceil(std::log2(p_.volume))) : 1; }

    int loaded(Program& program) const {
        const int value = program.load(from_, type_);
        return share() == 1 ? value : program.binary(OpCode::mul, value, program.constant(float(share()), type_));
    }
    Program program_of(size_t w, const Values& from, const Values& to, int64_t taps, bool weighted) {
        Program program;
        int value, tap = -1;
        if (taps == 0) {
            value = program.constant(of_none(), type_);
        } else if (from.value != from_) {
            value = program.load(from.value, type_);
        } else if (tables_[0].weights >= 0) {
            value = times(program, program.load(from_, type_), tables_[0].weights);
        } else {
            value = loaded(program);
        }
        if (p_.workspace && taps == 0) tap = program.constant(0, ValueType::s32);
        if (p_.workspace && taps > 0) {
            tap = program.index(number_);
            if (from.tap >= 0) tap = program.binary(OpCode::add, tap, program.load(from.tap, ValueType::s32));
        }
        if (taps > 1 && p_.workspace) {
            value = program.reduce(OpCode::reduce_max_at, value, tap);
            tap = program.second(value);
        } else if (taps > 1) {
            value = program.reduce(p_.is_max() ? OpCode::reduce_max : OpCode::reduce_add, value);
        }
        if (tap >= 0 && tables_[w].firsts >= 0) {
            const int lowest = program.binary(OpCode::eq, value, program.constant(of_none(), type_));
            const int weight = program.constant(double(weight_of_tap(windows_[w])), ValueType::s32);
            const int first = program.binary(OpCode::mul, program.load(tables_[w].firsts, ValueType::s32), weight);
            tap = program.ternary(OpCode::select, lowest, first, tap);
        }
        if (to.value != to_.value) {
            if (tap >= 0) program.store(to.tap, tap);
            program.store(to.value, times(program, value, weighted ? tables_[w + 1].weights : -1));
            return program;
        }
        if (tap >= 0) program.store(to.tap, tap);
        if (!p_.is_max() && type_ == ValueType::s32) value = program.cvt(value, ValueType::f32);
        if (!p_.is_max()) value = program.binary(OpCode::div, value, divisor(program));
        if (p_.backward()) {
            program.store(to.value, value);
            return program;
        }
        finish_pooling(program, p_, value, to.value, problem_, operands_);
        return program;
    }
    int divisor(Program& program) {
        double constant = share() * (p_.excludes() && !p_.backward() ? 1 : p_.volume);
        int value = -1;
        for (size_t w = 0; w < windows_.size() && !p_.backward() && p_.excludes(); ++w) {
            if (tables_[w].counts < 0)
                constant *= double(windows_[w].window.kernel);
            else {
                const int count = program.load(tables_[w].counts, ValueType::f32);
                value = value < 0 ? count : program.binary(OpCode::mul, value, count);
            }
        }
        if (value >= 0 && constant == 1) return value;
        const int rest = program.constant(float(constant), ValueType::f32);
        return value < 0 ? rest : program.binary(OpCode::mul, rest, value);
    }

    const Problem& problem_;
    const Pooling p_;
    const ValueType type_; // of what is combined
    const MemoryDesc &from_md_, &to_md_;
    Plan plan_;
    std::vector<Layout> layouts_;
    Operands operands_;
    Separable steps_;
    std::vector<Pass>& windows_ = steps_.passes;
    std::vector<Tables> tables_;      // of each window
    std::vector<OutputRange> ranges_; // of the first window, where it reads src
    bool copies_ = false;             // src, for the first window
    int from_ = -1, number_ = -1;     // operands
    Values to_{-1};
};

} // namespace

std::optional<Plan> lower_in_passes(const Problem& problem) { return Lowering(problem).plan(); }

} // namespace tessera::ops
