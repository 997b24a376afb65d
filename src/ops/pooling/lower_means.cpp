// Means of windows that overlap -> plan: sums along one dim after the other, 3 and 3 elements instead of 3 x 3, in a
// group over the dims that windows do not cross. What is summed along all dims but the first has a border of zeros in
// memory of a point, so that there is one step for all windows:
//
//   reduce  rows = sums of src along h           a step for each range of outputs whose windows hold the same taps
//   map     rows = 0                             the border along w
//   reduce  dst = sums of rows along w / 9
//
// Backward diff_dst takes the place of src, in windows the other way round. Where outputs have divisors of their own
// diff_dst is multiplied by 3 / 2 at a border of two taps, along h as it is loaded and along w as the rows are stored.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/layout/coalesce.hpp"
#include "core/plan/moves.hpp"
#include "ops/bordered_copy.hpp"
#include "ops/moves.hpp"
#include "ops/pooling/pooling.hpp"

namespace tessera::ops {

namespace {

constexpr size_t few_ranges = 9;
constexpr int64_t few_points = 64, large_point = 4096;
constexpr int64_t longest = 1 << 16;       // dim that windows cross
constexpr int64_t longest_counted = 1024;  // where each output has a divisor of its own: in a table, which plans copy
constexpr int64_t most = int64_t(1) << 56; // temporary values: sizes in bytes stay in 64 bits

class Means {
public:
    explicit Means(const Problem& problem)
        : problem_(problem), p_(problem), from_md_(p_.backward() ? p_.dst : p_.src),
          to_md_(p_.backward() ? p_.src : p_.dst), operands_{plan_, layouts_} {}

    std::optional<Plan> plan() {
        if (p_.is_max() || p_.value_type() != ValueType::f32) return std::nullopt;
        if (p_.src.has_zero_dim() || p_.dst.has_zero_dim()) return std::nullopt;
        const int spatial = spatial_dims(p_.src);
        if (has_blocks(p_.src, spatial) || has_blocks(p_.dst, spatial)) return std::nullopt;
        name_operands();
        if (!find_windows() || is_fast_at_once()) return std::nullopt;
        int sums = from_;
        for (size_t w = 0; w < windows_.size(); ++w) sums = add_sums(w, sums);
        for (const Operand& o : plan_.operands) // element numbers do not move along the loops of a group
            if (o.counted) return std::nullopt;
        add_parts();
        if (p_.backward())
            add_padding(p_.src, to_, plan_);
        else
            add_output_padding(to_, problem_, operands_);
        return std::move(plan_);
    }

private:
    // A window along dim `dim`: of each output, elements of what is summed from `from` on.
    struct Across {
        size_t dim;
        Window window;
        int64_t volume = 1; // taps
        int64_t before = 0; // of its border
        int64_t extent = 0; // with the border
        int weights = -1;   // operand, of divisors of their own, along what is summed
        int counts = -1;    // operand: how many taps are inside, by output; -1: all are
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
    int64_t stride(size_t d) const {
        const Modes modes = coalesce(layout_of(from_md_).dims[d]);
        return modes.empty() ? 1 : modes[0].stride;
    }

    void name_operands() {
        const bool backward = p_.backward();
        plan_.title = fmt::format("pooling {}{} {} -> {}, {}", backward ? "backward " : "", alg_name(p_.alg).substr(8),
                                  to_token(from_md_), to_token(to_md_), row(PrimitiveKind::pooling).shape(problem_));
        from_ = operands_.add(backward ? "diff_dst" : "src", from_md_.type, backward ? arg::diff_dst : arg::src,
                              layout_of(from_md_));
        to_ = operands_.add(backward ? "diff_src" : "dst", to_md_.type, backward ? arg::diff_src : arg::dst,
                            layout_of(to_md_));
    }

    // Those of more than one tap, the densest last: vectors run along it, so what it sums has its border around it.
    // False where sums along one dim after the other would be no fewer additions.
    bool find_windows() {
        for (size_t k = 0; k < p_.windows.size(); ++k) {
            Window w = p_.windows[k];
            if (w.kernel == 1 && w.stride == 1 && w.left == 0 && w.inputs == w.outputs) continue;
            if (w.stride != 1 || w.kernel == 1 || w.outputs == 1 || w.kernel * w.step > w.inputs) return false;
            if (p_.backward()) w = {w.outputs, w.inputs, w.kernel, 1, w.step, (w.kernel - 1) * w.step - w.left};
            Across a{k + 2, w, w.kernel};
            a.before = std::max<int64_t>(w.left, 0);
            a.extent = a.before + std::max(w.inputs, w.outputs + (w.kernel - 1) * w.step - w.left);
            windows_.push_back(a);
        }
        if (windows_.size() < 2 || !fits()) return false;
        std::ranges::stable_sort(windows_, std::ranges::greater{}, [&](const Across& a) { return stride(a.dim); });
        const auto ranges = ranges_of(windows_[0].window, few_ranges);
        if (!ranges) return false;
        ranges_ = *ranges;
        for (size_t w = 0; w < windows_.size() && p_.excludes(); ++w) count_taps(windows_[w], w ? 1 : share());
        return true;
    }

    bool fits() const {
        int64_t elements = 1;
        for (size_t d = 0; d < taps(); ++d) {
            const auto a = std::ranges::find(windows_, d, &Across::dim);
            int64_t extent = std::max(p_.src.dims[d], p_.dst.dims[d]);
            if (a != windows_.end()) extent = std::max(extent, a->extent);
            const int64_t longest_here = p_.excludes() ? longest_counted : longest;
            if ((a != windows_.end() && extent > longest_here) || extent > most / elements) return false;
            elements *= extent;
        }
        return true;
    }

    // Vectors across the windows read f32 as it is: 9 loads from the first level take no longer than 3, a store, and 3
    // from the second. bf16 is converted 3 times instead of 9, and vectors along windows have no borders left.
    bool is_fast_at_once() const {
        return from_md_.type == DataType::f32 && stride(windows_.back().dim) > 1 &&
               std::ranges::none_of(windows_, [](const Across& a) { return a.weights >= 0; });
    }

    // Operands without memory: of each output of a window how many taps are inside, or what diff_dst is multiplied by,
    // `scale` included.
    void count_taps(Across& a, double scale) {
        const Window& own = p_.windows[a.dim - 2];
        std::vector<float> counts;
        for (int64_t o = 0; o < own.outputs; ++o)
            counts.push_back(float(std::max<int64_t>(own.end_tap(o) - own.first_tap(o), 0)));
        if (std::ranges::all_of(counts, [&](float n) { return n == float(own.kernel); })) return;
        for (float& n : counts)
            if (p_.backward()) n = n ? float(float(own.kernel) / n * scale) : 1;
        Layout layout{0, std::vector<Modes>(taps(), Modes{{1, 0}})};
        layout.dims[a.dim] = {{own.outputs, 1}};
        const char of = "dhw"[3 - p_.windows.size() + a.dim - 2];
        const int operand = operands_.add(fmt::format("{} along {}", p_.backward() ? "weights" : "taps inside", of),
                                          DataType::f32, 0, layout);
        plan_.operands.back().constant = int(plan_.constants.size());
        plan_.constants.push_back(counts);
        (p_.backward() ? a.weights : a.counts) = operand;
    }

    // Sums in the order of what is read, with a border of zeros along the dim of window `w`.
    int add_temporary(size_t w) {
        Layout layout = layout_of(from_md_);
        layout.offset = 0;
        std::vector<Mode*> modes;
        for (size_t d = 0; d < taps(); ++d) {
            Modes& own = layout.dims[d];
            const auto across = std::ranges::find(windows_, d, &Across::dim);
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
        const int to = operands_.add_scratch(fmt::format("sums {}", w), DataType::f32, elements, std::move(layout));
        const Across& a = windows_[w];
        for (const auto& [first, end] : {std::pair{int64_t(0), a.before}, {a.before + a.window.inputs, a.extent}})
            if (first < end) {
                Program zero;
                zero.store(to, zero.constant(0, ValueType::f32));
                Part& part = add(zero, w);
                part.dims[a.dim] = end - first;
                shift(part, to, a.dim, first);
            }
        return to;
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
        if (layout) layout->offset += first * coalesce(layout->dims[dim])[0].stride;
    }

    // The sums of `from` along window `w`; the operand that has them.
    int add_sums(size_t w, int from) {
        const bool last = w + 1 == windows_.size();
        const int to = last ? to_ : add_temporary(w + 1);
        const Across& a = windows_[w];
        for (const Piece& piece : pieces(w)) {
            if (w > 0)
                add_range(w, from, to, {0, a.window.outputs, 0, a.window.kernel}, a.before - a.window.left, piece);
            for (size_t i = 0; w == 0 && i < ranges_.size(); ++i)
                add_range(w, from, to, ranges_[i], ranges_[i].first + ranges_[i].tap * a.window.step - a.window.left,
                          piece);
        }
        return to;
    }
    // Of the dim of the window behind `w`: those whose weights are 1 go without, if vectors run along another dim.
    std::vector<Piece> pieces(size_t w) const {
        if (w + 1 == windows_.size()) return {{0, 0, false}};
        const Across& next = windows_[w + 1];
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
    void add_range(size_t w, int from, int to, const OutputRange& r, int64_t start, const Piece& piece) {
        const Across& a = windows_[w];
        Part& part = add(program_of(w, from, to, r.taps, piece.weighted), w + 1);
        part.dims[a.dim] = r.count, part.dims[taps()] = std::max<int64_t>(r.taps, 1);
        part.reduces = r.taps > 1;
        for (const int o : part.operands) {
            const bool read = r.taps && (o == from || o == a.weights);
            Layout& layout = *layout_in(part, o);
            const int64_t step = coalesce(layout.dims[a.dim]).empty() ? 0 : coalesce(layout.dims[a.dim])[0].stride;
            if (read) layout.dims[taps()] = {{r.taps, a.window.step * step}};
            layout.offset += (read ? start : o == from ? 0 : r.first) * step;
        }
        if (to == to_) return;
        const Across& next = windows_[w + 1];
        part.dims[next.dim] = piece.count;
        shift(part, to, next.dim, next.before + piece.first);
        for (const int o : {from, next.weights}) shift(part, o, next.dim, piece.first);
    }

    // A power of two that diff_dst is multiplied by, so that its sums stay finite.
    double share() const { return p_.backward() ? std::exp2(-std::ceil(std::log2(p_.volume))) : 1; }

    Program program_of(size_t w, int from, int to, int64_t taps, bool weighted) {
        Program program;
        const auto constant = [&](double x) { return program.constant(float(x), ValueType::f32); };
        int value = constant(0);
        if (taps) {
            value = program.load(from, ValueType::f32);
            if (w == 0 && windows_[0].weights < 0 && share() != 1)
                value = program.binary(OpCode::mul, value, constant(share()));
            if (w == 0) value = times(program, value, windows_[0].weights);
            if (taps > 1) value = program.reduce_add(value);
        }
        if (to != to_) {
            program.store(to, times(program, value, weighted ? windows_[w + 1].weights : -1));
            return program;
        }
        value = program.binary(OpCode::div, value, divisor(program));
        if (p_.backward())
            program.store(to, value);
        else
            finish(program, value, to, problem_, operands_);
        return program;
    }
    int divisor(Program& program) {
        double constant = share() * (p_.excludes() && !p_.backward() ? 1 : p_.volume);
        int value = -1;
        for (const Across& a : windows_) {
            if (p_.backward() || !p_.excludes()) break;
            if (a.counts < 0)
                constant *= double(a.volume);
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
        for (const Across& a : windows_) shared &= ~(1 << a.dim);
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
            if (points > few_points) return false;
        }
        return each > large_point;
    }

    const Problem& problem_;
    const Pooling p_;
    const MemoryDesc &from_md_, &to_md_;
    Plan plan_;
    std::vector<Layout> layouts_;
    Operands operands_;
    std::vector<Across> windows_;
    std::vector<OutputRange> ranges_; // of the first window
    std::vector<Part> parts_;
    int from_ = -1, to_ = -1; // operands
};

} // namespace

std::optional<Plan> lower_overlapping_means(const Problem& problem) { return Means(problem).plan(); }

} // namespace tessera::ops
