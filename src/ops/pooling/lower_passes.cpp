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

#include "core/division.hpp"
#include "core/layout/coalesce.hpp"
#include "core/plan/moves.hpp"
#include "ops/moves.hpp"
#include "ops/pooling/passes.hpp"
#include "ops/windows/bordered_copy.hpp"

namespace tessera::ops {

namespace {

constexpr int64_t few_shared = 64, large_point = 4096;

class Lowering {
public:
    explicit Lowering(const Problem& problem)
        : problem_(problem), p_(problem), type_(p_.value_type()), from_md_(p_.backward() ? p_.dst : p_.src),
          to_md_(p_.backward() ? p_.src : p_.dst), operands_{plan_, layouts_} {}

    std::optional<Plan> plan() {
        if (p_.src.has_zero_dim() || p_.dst.has_zero_dim() || (p_.backward() && p_.is_max())) return std::nullopt;
        const int spatial = spatial_dims(p_.src);
        if (has_blocks(p_.src, spatial) || has_blocks(p_.dst, spatial)) return std::nullopt;
        auto passes = passes_of(p_, from_md_);
        if (!passes) return std::nullopt;
        windows_ = std::move(passes->windows), ranges_ = std::move(passes->ranges), copies_ = passes->copies;
        name_operands();
        for (size_t w = 0; w < windows_.size() && p_.excludes(); ++w)
            count_taps(windows_[w], w || copies_ ? 1 : share());
        if (copies_ && p_.workspace) add_first_taps(windows_[0]);
        Values values{from_};
        if (copies_) values = add_copy();
        for (size_t w = 0; w < windows_.size(); ++w) values = add_pass(w, values);
        add_parts();
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
    struct Part { // what Moves refer to
        Program program;
        std::vector<int> operands;
        std::vector<int64_t> dims;
        bool reduces = false;
        std::vector<Layout> layouts;
    };

    size_t taps() const { return size_t(p_.src.ndims); } // the dim of what a sum combines
    int64_t stride(size_t d) const { return std::max<int64_t>(step_of(layout_of(from_md_), d), 1); }

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
        number_ = operands_.add("tap", DataType::u8, 0, Layout{0, std::vector<Modes>(taps(), Modes{{1, 0}})});
        plan_.operands[size_t(number_)].counted = true;
    }

    // Operands without memory: of each output of a window how many taps are inside, or what diff_dst is multiplied by,
    // `scale` included.
    void count_taps(PassWindow& a, double scale) {
        const Window& own = p_.windows[a.dim - 2];
        std::vector<float> counts;
        for (int64_t o = 0; o < own.outputs; ++o)
            counts.push_back(float(std::max<int64_t>(own.end_tap(o) - own.first_tap(o), 0)));
        if (std::ranges::all_of(counts, [&](float n) { return n == float(own.kernel); })) return;
        for (float& n : counts)
            if (p_.backward()) n = n ? float(float(own.kernel) / n * scale) : 1;
        (p_.backward() ? a.weights : a.counts) = add_table(a, p_.backward() ? "weights" : "taps inside", counts);
    }
    // In a copy the border has the first numbers, which are those of the maximum where all inside is as low.
    void add_first_taps(PassWindow& a) {
        std::vector<float> firsts;
        for (int64_t o = 0; o < a.window.outputs; ++o) firsts.push_back(float(a.window.first_tap(o)));
        a.firsts = add_table(a, "first tap inside", firsts);
    }
    int add_table(const PassWindow& a, std::string_view what, std::vector<float> values) {
        Layout layout{0, std::vector<Modes>(taps(), Modes{{1, 0}})};
        layout.dims[a.dim] = {{int64_t(values.size()), 1}};
        const char of = "dhw"[3 - p_.windows.size() + a.dim - 2];
        const int operand = operands_.add(fmt::format("{} along {}", what, of), DataType::f32, 0, layout);
        plan_.operands.back().constant = int(plan_.constants.size());
        plan_.constants.push_back(std::move(values));
        return operand;
    }

    // What window `w` combines, in the order of what is read, with its border.
    Values add_temporary(size_t w) {
        Layout layout = layout_of(from_md_);
        layout.offset = 0;
        std::vector<Mode*> modes;
        for (size_t d = 0; d < taps(); ++d) {
            Modes& own = layout.dims[d];
            const auto across = std::ranges::find(windows_, d, &PassWindow::dim);
            if (across != windows_.end()) {
                const auto at = size_t(across - windows_.begin());
                own = {{at == w ? across->extent : at < w ? across->window.outputs : across->window.inputs, stride(d)}};
            } else {
                int64_t block = 1;
                for (size_t m = 1; m < own.size(); ++m) block *= own[m].extent;
                own[0].extent = ceil_div(p_.src.dims[d], block);
            }
            for (size_t m = own.size(); m-- > 0;) modes.push_back(&own[m]);
        }
        const int64_t elements = close_strides(std::move(modes));
        const bool copy = copies_ && w == 0;
        const DataType type = type_ == ValueType::f32 ? DataType::f32 : DataType::s32;
        const std::string name = p_.is_max() ? "maxima" : "sums";
        Values to{operands_.add_scratch(copy ? "copy" : fmt::format("{} {}", name, w), type, elements, layout)};
        if (p_.workspace && !copy)
            to.tap = operands_.add_scratch(fmt::format("taps {}", w), p_.workspace->type, elements, layout);
        const PassWindow& a = windows_[w];
        for (const auto& [first, end] : {std::pair{int64_t(0), a.before}, {a.before + a.window.inputs, a.extent}}) {
            if (first == end) continue;
            Program program;
            if (to.tap >= 0) program.store(to.tap, program.constant(behind_all(), ValueType::s32));
            program.store(to.value, program.constant(of_none(), type_));
            Part& part = add(program, w);
            part.dims[a.dim] = end - first;
            for (const int o : part.operands) shift(part, o, a.dim, first);
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

    // Steps that write outputs of windows before `w`, and as much of the others as there is.
    Part& add(const Program& given, size_t w) {
        Part& part = parts_.emplace_back();
        part.program = simplify(given);
        part.operands = operands_of(part.program);
        part.dims.assign(p_.src.dims.begin(), p_.src.dims.begin() + p_.src.ndims);
        for (size_t i = 0; i < windows_.size(); ++i) {
            const Window& own = windows_[i].window;
            part.dims[windows_[i].dim] = i < w ? own.outputs : own.inputs;
        }
        part.dims.push_back(1);
        for (const int o : part.operands) {
            part.layouts.push_back(layouts_[size_t(o)]);
            part.layouts.back().dims.push_back({{1, 0}});
        }
        return part;
    }
    Layout* layout_in(Part& part, int operand) {
        const auto o = size_t(std::ranges::find(part.operands, operand) - part.operands.begin());
        return o < part.operands.size() ? &part.layouts[o] : nullptr;
    }
    void shift(Part& part, int operand, size_t dim, int64_t first) {
        Layout* const layout = layout_in(part, operand);
        if (layout) layout->offset += first * step_of(*layout, dim);
    }

    // src as the values of the first pass.
    Values add_copy() {
        const Values to = add_temporary(0);
        for (const Piece& piece : pieces(0)) {
            Program program;
            const int value = loaded(program);
            program.store(to.value, times(program, value, piece.weighted ? windows_[0].weights : -1));
            write_piece(add(program, 0), 0, to, {from_}, piece);
        }
        return to;
    }
    // A part that writes these elements of what window `w` combines, and reads them along its dim.
    void write_piece(Part& part, size_t w, const Values& to, const Values& from, const Piece& piece) {
        const PassWindow& a = windows_[w];
        part.dims[a.dim] = piece.count;
        for (const int o : {to.value, to.tap}) shift(part, o, a.dim, a.before + piece.first);
        for (const int o : {from.value, from.tap, a.weights}) shift(part, o, a.dim, piece.first);
    }

    // Combines `from` along window `w`.
    Values add_pass(size_t w, const Values& from) {
        const bool last = w + 1 == windows_.size();
        const Values to = last ? to_ : add_temporary(w + 1);
        const PassWindow& a = windows_[w];
        for (const Piece& piece : last ? std::vector<Piece>(1) : pieces(w + 1)) {
            if (w > 0 || copies_)
                add_range(w, from, to, {0, a.window.outputs, 0, a.window.kernel}, a.before - a.window.left, piece);
            for (size_t i = 0; w == 0 && i < ranges_.size(); ++i)
                add_range(w, from, to, ranges_[i],
                          ranges_[i].first * a.window.stride + ranges_[i].tap * a.window.step - a.window.left, piece);
        }
        return to;
    }
    // Of what window `w` combines: those whose weights are 1 go without, if vectors run along another dim.
    std::vector<Piece> pieces(size_t w) const {
        const PassWindow& next = windows_[w];
        if (next.weights < 0 || stride(next.dim) == 1) return {{0, next.window.inputs, next.weights >= 0}};
        std::vector<Piece> found;
        for (const float weight : plan_.constants[size_t(plan_.operands[size_t(next.weights)].constant)]) {
            const int64_t first = found.empty() ? 0 : found.back().first + found.back().count;
            if (found.empty() || found.back().weighted != (weight != 1)) found.push_back({first, 0, weight != 1});
            ++found.back().count;
        }
        return found;
    }
    // Outputs of a range, the first one of which reads from element `start` on.
    void add_range(size_t w, const Values& from, const Values& to, const OutputRange& r, int64_t start,
                   const Piece& piece) {
        const PassWindow& a = windows_[w];
        Part& part = add(program_of(w, from, to, r.taps, piece.weighted), w + 1);
        part.dims[a.dim] = r.count, part.dims[taps()] = std::max<int64_t>(r.taps, 1);
        part.reduces = r.taps > 1;
        for (const int o : part.operands) {
            Layout& layout = *layout_in(part, o);
            if (o == number_) {
                layout.dims[taps()] = {{std::max<int64_t>(r.taps, 1), a.tap}};
                layout.offset += r.tap * a.tap;
                continue;
            }
            const bool read = r.taps && (o == from.value || o == from.tap || o == a.weights);
            const int64_t step = step_of(layout, a.dim);
            layout.offset += (read ? start : r.first) * step;
            if (!read) continue;
            layout.dims[taps()] = {{r.taps, a.window.step * step}};
            if (a.window.stride != 1) layout.dims[a.dim] = {{r.count, a.window.stride * step}};
        }
        if (to.value != to_.value) write_piece(part, w + 1, to, from, piece);
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
        } else if (windows_[0].weights >= 0) {
            value = times(program, program.load(from_, type_), windows_[0].weights);
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
        if (const PassWindow& a = windows_[w]; tap >= 0 && a.firsts >= 0) {
            const int lowest = program.binary(OpCode::eq, value, program.constant(of_none(), type_));
            const int weight = program.constant(double(a.tap), ValueType::s32);
            const int first = program.binary(OpCode::mul, program.load(a.firsts, ValueType::s32), weight);
            tap = program.ternary(OpCode::select, lowest, first, tap);
        }
        if (to.value != to_.value) {
            if (tap >= 0) program.store(to.tap, tap);
            program.store(to.value, times(program, value, weighted ? windows_[w + 1].weights : -1));
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
        for (const PassWindow& a : windows_) {
            if (p_.backward() || !p_.excludes()) break;
            if (a.counts < 0)
                constant *= double(a.window.kernel);
            else {
                const int count = program.load(a.counts, ValueType::f32);
                value = value < 0 ? count : program.binary(OpCode::mul, value, count);
            }
        }
        if (value >= 0 && constant == 1) return value;
        const int rest = program.constant(float(constant), ValueType::f32);
        return value < 0 ? rest : program.binary(OpCode::mul, rest, value);
    }

    void add_parts() {
        std::vector<Moves> moves;
        for (const Part& p : parts_) {
            const int written = p.program.ops.back().operand;
            moves.push_back({.layouts = p.layouts,
                             .dims = p.dims,
                             .program = add_program(p.program, plan_),
                             .reduce_mask = p.reduces ? 1 << taps() : 0,
                             .order_by = int(std::ranges::find(p.operands, written) - p.operands.begin()),
                             .operands = p.operands});
        }
        int shared = (1 << taps()) - 1;
        for (const PassWindow& a : windows_) shared &= ~(1 << a.dim);
        if (are_few(shared))
            for (const Moves& m : moves) add_moves(m, plan_);
        else
            add_group(moves, shared, plan_);
    }
    // So few points that threads would have nothing to share, if they did not share windows.
    bool are_few(int shared) const {
        int64_t points = 1, each = 1;
        for (size_t d = 0; d < taps(); ++d) {
            int64_t& all = shared >> d & 1 ? points : each;
            all *= std::min(to_md_.dims[d], int64_t(1) << 20);
            if (points > few_shared) return false;
        }
        return each > large_point;
    }

    const Problem& problem_;
    const Pooling p_;
    const ValueType type_; // of what is combined
    const MemoryDesc &from_md_, &to_md_;
    Plan plan_;
    std::vector<Layout> layouts_;
    Operands operands_;
    std::vector<PassWindow> windows_;
    std::vector<OutputRange> ranges_; // of the first window, where it reads src
    bool copies_ = false;             // src, for the first window
    std::vector<Part> parts_;
    int from_ = -1, number_ = -1; // operands
    Values to_{-1};
};

} // namespace

std::optional<Plan> lower_in_passes(const Problem& problem) { return Lowering(problem).plan(); }

} // namespace tessera::ops
