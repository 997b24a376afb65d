// SPDX-License-Identifier: Apache-2.0
// batch and group normalization -> plan. Mean and variance are those of cells first, which stay in a cache: a part of
// one channel's pixels, some thousand of them at most, in two passes. Then cells are combined:
//
//   mean of a cell     m + r = x0 + sum(x - x0) / k      k elements in each, n in the set; x0 the first; r: rounded off
//   squares of a cell  q = sum((x - m)^2) - k r^2
//   mean               m0 + sum(m - m0 + r) k / n        m0 of the first cell: differences lose nothing
//   variance           (sum(q) + k sum((m + r - mean)^2)) / n
//   dst                (x - mean) a + b                  a = scale / sqrt(variance + epsilon), b = shift - rest a, of a
//                                                        channel; the mean is mean + rest
//
// So memory is read twice, once for the statistics, and the error is that of two passes (decision 017).
// Gradients, with r = 1 / sqrt(variance + epsilon) and sums of cells as above:
//
//   diff_src = a y' - (k1 + (x - mean) k2)      k1 = r sum(scale y') / n      k2 = r^3 sum(scale y' (x - mean)) / n
#include <fmt/format.h>

#include "ops/moves.hpp"
#include "ops/normalization/domain.hpp"
#include "ops/normalization/normalization.hpp"

namespace tessera::ops {

namespace {

constexpr auto f32 = ValueType::f32;

class Cells {
public:
    Cells(const Problem& problem, Sets sets, Plan& plan)
        : n_(problem, sets), plan_(plan), data_(plan, {n_.dims().begin(), n_.dims().end()}), inner_(choose()),
          cells_(plan, inner_.dims), sums_(plan, dims_of_sums()) {
        all_ = (1 << cells_.dims().size()) - 1;
    }

    void lower() {
        add_tensors();
        if (n_.data().has_zero_dim()) return add_zeros_of_nothing();
        n_.forward() ? forward() : backward();
    }

private:
    using Part = Domain::Part;

    int64_t each() const { return n_.dims()[1] / std::max<int64_t>(n_.groups(), 1); } // channels of a group

    Inner choose() const {
        std::vector<Layout> layouts;
        for (const int id : {arg::src, arg::diff_dst, arg::workspace})
            if (n_.problem.find(id)) layouts.push_back(layout_of(n_.problem.md(id)));
        std::vector<size_t> among;
        for (size_t d = 0; d < n_.dims().size(); ++d)
            if (n_.reduced() >> d & 1) among.push_back(d);
        if (n_.data().has_zero_dim()) return inner_of(n_.dims(), {}, 1, {});
        return inner_of(n_.dims(), among, points_of_cell(dense_channels() ? n_.dims()[1] : 0), layouts);
    }

    // The dims of cells with channels as groups and the channels of one.
    std::vector<int64_t> dims_of_sums() const {
        std::vector<int64_t> dims = inner_.dims;
        const size_t c = channel();
        dims.insert(dims.begin() + ptrdiff_t(c) + 1, each());
        dims[c] = n_.groups();
        return dims;
    }
    size_t channel() const { return inner_.split == 0 ? 2 : 1; } // among the dims of cells

    // A layout over the data that varies along images and channels alone, in all domains.
    int place(int operand, const Layout& over_data) {
        data_.place(operand, over_data);
        place_cells(operand, inner_.of(over_data));
        return operand;
    }
    void place_cells(int operand, const Layout& over_cells) {
        if (n_.data().has_zero_dim()) return; // there are no cells
        cells_.place(operand, over_cells);
        const size_t c = channel();
        Layout own = over_cells;
        if (own.dims[c].size() == 2) { // by group, which takes a mode of its own
            const Mode within = own.dims[c][1];
            own.dims[c].pop_back();
            own.dims.insert(own.dims.begin() + ptrdiff_t(c) + 1, Modes{within});
        } else {
            own = cut(std::move(own), c, each());
        }
        sums_.place(operand, std::move(own));
    }
    int of_data(int id) {
        const MemoryDesc& md = n_.problem.md(id);
        const int operand = data_.add(arg_name(id), md.type, id, layout_of(md));
        cells_.place(operand, inner_.of(layout_of(md)));
        return operand;
    }
    int of_channels(int id) {
        if (!n_.problem.find(id)) return -1;
        const MemoryDesc& md = n_.problem.md(id);
        Layout layout{md.offset0, {}};
        for (const int64_t extent : n_.dims()) layout.dims.push_back({{extent, 0}});
        layout.dims[1] = layout_of(md).dims[0];
        return place(data_.add(arg_name(id), md.type, id, layout), layout);
    }
    Layout over_sets() const {
        const auto dims = n_.dims_of_sets();
        return n_.over_data(*make_desc_with_tag(dims, DataType::f32, std::string_view("ab", dims.size())));
    }
    int of_sets(int id) {
        if (const Tensor* t = n_.problem.find(id)) {
            const Layout layout = n_.over_data(t->md);
            return place(data_.add(arg_name(id), t->md.type, id, layout), layout);
        }
        return scratch_of_sets(arg_name(id));
    }
    int scratch_of_sets(std::string name) {
        const Layout layout = over_sets();
        return place(data_.scratch(std::move(name), layout), layout);
    }
    int scratch_of_cells(std::string name) {
        const Layout layout = dense(cells_.dims(), all_ & ~inner_.mask, int(channel()));
        const int operand = cells_.scratch(std::move(name), layout);
        place_cells(operand, layout);
        return operand;
    }
    int scratch_of_channels(std::string name) { // of each image where statistics are of images
        const Layout layout = dense(n_.dims(), channel_mask(), 1);
        return place(data_.scratch(std::move(name), layout), layout);
    }
    // Beside dense channels a value of a group of them would cut their rows to pieces: a copy for each channel.
    int of_each_channel(int of_sets, std::string name) {
        if (!dense_channels() || n_.sets != Sets::groups || each() == 1) return of_sets;
        const int copies = scratch_of_channels(std::move(name));
        Program p;
        p.store(copies, p.load(of_sets, f32));
        data_.step({p, channel_mask()});
        return copies;
    }
    bool dense_channels() const {
        return n_.dims()[1] > 1 && layout_of(n_.problem.md(arg::src)).dims[1].back().stride == 1;
    }
    int channel_mask() const { return n_.sets == Sets::groups ? 3 : 2; }

    // Masks among the dims of sums: those with one point in a cell, and those that vary between cells of one set.
    int over_sums() const {
        const int inner = inner_.mask, low = (2 << channel()) - 1;
        const int shifted = (inner & low) | (inner & ~low) << 1;
        return ((1 << sums_.dims().size()) - 1) & ~shifted;
    }
    int set_mask() const { // the dims that sets have
        const int group = 1 << channel();
        return n_.sets == Sets::groups ? 1 | group : group;
    }
    int channels_of_sums() const { return 3 << channel(); }
    int64_t points(int mask) const {
        int64_t count = 1;
        for (size_t d = 0; d < sums_.dims().size(); ++d)
            if (mask >> d & 1) count *= sums_.dims()[d];
        return count;
    }

    int divided(Program& p, int v, double by) const {
        return p.binary(OpCode::div, v, p.constant(double(float(by)), f32));
    }
    // x, less the mean
    int centred(Program& p, int mean) const { return p.binary(OpCode::sub, p.load(src_, f32), p.load(mean, f32)); }
    int scaled(Program& p, int v) const { return scale_ < 0 ? v : p.binary(OpCode::mul, v, p.load(scale_, f32)); }

    void add_tensors();
    void add_zeros_of_nothing();
    void forward();
    void backward();
    void add_statistics();
    void add_coefficients();
    void add_normalization();
    void add_sums();
    void add_gradients();
    int gradient(Program& p) const;

    const Normalization n_;
    Plan& plan_;
    Domain data_;
    const Inner inner_;
    Domain cells_, sums_; // sums_: cells with channels in two dims
    int all_ = 0;
    int src_ = -1, to_ = -1, mean_ = -1, variance_ = -1, scale_ = -1, shift_ = -1, mask_ = -1;
    int from_ = -1, diff_scale_ = -1, diff_shift_ = -1;
    int rest_ = -1, offset_ = -1;                                // of means that are computed; b
    int own_mean_ = -1;                                          // of each channel
    int coefficient_ = -1, root_ = -1, plain_ = -1, along_ = -1; // a, r, k1, k2
    int sum_ = -1, product_ = -1;                                // of cells: y', y' (x - mean)
};

void Cells::add_tensors() {
    const Problem& p = n_.problem;
    src_ = of_data(arg::src);
    to_ = of_data(n_.forward() ? arg::dst : arg::diff_src);
    if (!n_.forward()) from_ = of_data(arg::diff_dst);
    if (p.find(arg::workspace)) mask_ = of_data(arg::workspace);
    mean_ = of_sets(arg::mean), variance_ = of_sets(arg::variance);
    scale_ = of_channels(arg::scale), shift_ = of_channels(arg::shift);
    diff_scale_ = of_channels(arg::diff_scale), diff_shift_ = of_channels(arg::diff_shift);
}

// Statistics and sums of no elements are 0.
void Cells::add_zeros_of_nothing() {
    for (const auto& [id, operand] : {std::pair{arg::mean, mean_},
                                      {arg::variance, variance_},
                                      {arg::diff_scale, diff_scale_},
                                      {arg::diff_shift, diff_shift_}})
        if (const Tensor* t = n_.problem.find(id); t && t->output) add_zeros(t->md, operand, plan_);
}

void Cells::forward() {
    if (!n_.given()) add_statistics();
    add_coefficients();
    add_normalization();
}

void Cells::add_statistics() {
    const int between = over_sums() & ~set_mask(); // cells of a set
    const int64_t cells = points(between);
    const int means = cells == 1 ? mean_ : scratch_of_cells("means of cells");
    const int squares = cells == 1 ? variance_ : scratch_of_cells("squares of cells");
    rest_ = scratch_of_sets("rest of means");
    const int rests = cells == 1 ? rest_ : scratch_of_cells("rest of means of cells");
    Layout of_first_element = cells_.layout(src_);
    for (size_t d = 0; d < of_first_element.dims.size(); ++d)
        if (inner_.mask >> d & 1) of_first_element.dims[d] = {{inner_.dims[d], 0}};
    const int element = cells_.same(src_, std::move(of_first_element));
    Program mean, square;
    const int x0 = mean.load(element, f32);
    const int differences = mean.reduce_add(mean.binary(OpCode::sub, mean.load(src_, f32), x0));
    const Mean of_cell = exact_sum(mean, x0, divided(mean, differences, double(inner_.points)));
    mean.store(rests, of_cell.rest);
    mean.store(means, of_cell.value);
    const int d = centred(square, means);
    const int sum = square.reduce_add(square.binary(OpCode::mul, d, d));
    const int of_points = about_rest(square, divided(square, sum, double(inner_.points)), square.load(rests, f32));
    const int weight = square.constant(double(inner_.points), f32);
    square.store(squares, cells == 1 ? of_points : square.binary(OpCode::mul, of_points, weight));
    cells_.group({{mean, all_, inner_.mask}, {square, all_, inner_.mask}}, all_ & ~inner_.mask);
    if (cells == 1) return;

    Layout of_first = sums_.layout(means);
    for (size_t k = 0; k < of_first.dims.size(); ++k)
        if (between >> k & 1) of_first.dims[k][0].stride = 0;
    const int first = sums_.same(means, of_first);
    Program all_means, all_squares;
    // A mean and its rest, less m0.
    const auto relative = [&](Program& p, int value, int rest, int m0) {
        return p.binary(OpCode::add, p.binary(OpCode::sub, p.load(value, f32), m0), p.load(rest, f32));
    };
    const int m0 = all_means.load(first, f32);
    const int more = all_means.reduce_add(relative(all_means, means, rests, m0));
    const Mean of_all = exact_sum(all_means, m0, divided(all_means, more, double(cells)));
    all_means.store(rest_, of_all.rest);
    all_means.store(mean_, of_all.value);
    sums_.step({all_means, over_sums(), between});
    const int same_m0 = all_squares.load(first, f32);
    const int of_set = relative(all_squares, mean_, rest_, same_m0);
    const int off = all_squares.binary(OpCode::sub, relative(all_squares, means, rests, same_m0), of_set);
    const int points_of_cell = all_squares.constant(double(inner_.points), f32);
    const int term = all_squares.ternary(OpCode::fma, all_squares.binary(OpCode::mul, off, off), points_of_cell,
                                         all_squares.load(squares, f32));
    all_squares.store(variance_, divided(all_squares, all_squares.reduce_add(term), n_.count()));
    sums_.step({all_squares, over_sums(), between});
}

void Cells::add_coefficients() {
    coefficient_ = scratch_of_channels("scale / deviation");
    Program p;
    const int root = reciprocal_root(p, p.load(variance_, f32), n_.epsilon);
    const int a = scaled(p, root);
    if (rest_ >= 0) {
        offset_ = scratch_of_channels("shift - rest of mean * scale / deviation");
        const int rest = p.binary(OpCode::mul, p.load(rest_, f32), p.constant(-1, f32));
        p.store(offset_,
                shift_ < 0 ? p.binary(OpCode::mul, rest, a) : p.ternary(OpCode::fma, rest, a, p.load(shift_, f32)));
    }
    p.store(coefficient_, a);
    data_.step({p, channel_mask()});
}

void Cells::add_normalization() {
    const int mean = of_each_channel(mean_, "means of channels");
    Program p;
    int v = centred(p, mean);
    const int a = p.load(coefficient_, f32);
    const int shift = offset_ < 0 ? shift_ : offset_;
    v = shift < 0 ? p.binary(OpCode::mul, v, a) : p.ternary(OpCode::fma, v, a, p.load(shift, f32));
    if (n_.has(norm::fuse_relu)) {
        const int zero = p.constant(0, f32), cut_off = p.binary(OpCode::le, v, zero); // NaN stays
        if (mask_ >= 0) p.store(mask_, p.ternary(OpCode::select, cut_off, zero, p.constant(1, f32)));
        v = p.ternary(OpCode::select, cut_off, zero, v);
    }
    Operands operands = data_.operands();
    if (const int s = load_quant(p, QuantKind::scales, arg::src, n_.problem, operands); s >= 0)
        v = p.binary(OpCode::mul, v, s);
    finish(p, v, to_, n_.problem, operands);
    add_padding(n_.problem.md(arg::dst), to_, plan_);
    if (mask_ >= 0) add_padding(n_.problem.md(arg::workspace), mask_, plan_);
    data_.step({p});
}

int Cells::gradient(Program& p) const {
    const int y = p.load(from_, f32);
    if (mask_ < 0) return y;
    const int zero = p.constant(0, f32);
    return p.ternary(OpCode::select, p.binary(OpCode::eq, p.load(mask_, f32), zero), zero, y);
}

void Cells::backward() {
    const bool depends = !n_.has(norm::use_global_stats); // mean and variance depend on src
    own_mean_ = of_each_channel(mean_, "means of channels");
    if (depends || diff_shift_ >= 0) sum_ = scratch_of_cells("sums");
    if (depends || diff_scale_ >= 0) product_ = scratch_of_cells("products");
    add_sums();
    root_ = scratch_of_sets("1 / deviation");
    Program root;
    root.store(root_, reciprocal_root(root, root.load(variance_, f32), n_.epsilon));
    sums_.step({root, set_mask()});
    if (depends) plain_ = scratch_of_sets("k1"), along_ = scratch_of_sets("k2");
    add_gradients();
    add_coefficients();
    const int plain = depends ? of_each_channel(plain_, "k1 of channels") : -1;
    const int along = depends ? of_each_channel(along_, "k2 of channels") : -1;
    Program p;
    int v = p.binary(OpCode::mul, gradient(p), p.load(coefficient_, f32));
    if (depends)
        v = p.binary(OpCode::sub, v,
                     p.ternary(OpCode::fma, centred(p, own_mean_), p.load(along, f32), p.load(plain, f32)));
    p.store(to_, v);
    add_padding(n_.problem.md(arg::diff_src), to_, plan_);
    data_.step({p});
}

void Cells::add_sums() {
    std::vector<Part> parts;
    if (sum_ >= 0) {
        Program p;
        p.store(sum_, p.reduce_add(gradient(p)));
        parts.push_back({p, all_, inner_.mask});
    }
    if (product_ >= 0) {
        Program p;
        const int y = gradient(p);
        p.store(product_, p.reduce_add(p.binary(OpCode::mul, y, centred(p, own_mean_))));
        parts.push_back({p, all_, inner_.mask});
    }
    if (!parts.empty()) cells_.group(std::move(parts), all_ & ~inner_.mask);
}

void Cells::add_gradients() {
    // k = sum(scale v) r^power / n over a set, from the sums v of cells.
    const auto add_set = [&](int to, int from, int power) {
        if (to < 0) return;
        Program p;
        int v = p.reduce_add(scaled(p, p.load(from, f32)));
        const int r = p.load(root_, f32);
        for (int i = 0; i < power; ++i) v = p.binary(OpCode::mul, v, r);
        p.store(to, divided(p, v, n_.count()));
        sums_.step({p, over_sums(), over_sums() & ~set_mask()});
    };
    add_set(plain_, sum_, 1);
    add_set(along_, product_, 3);
    const auto add_channel = [&](int to, int from, bool rooted) {
        if (to < 0) return;
        Program p;
        int v = p.load(from, f32);
        if (rooted) v = p.binary(OpCode::mul, v, p.load(root_, f32));
        p.store(to, p.reduce_add(v));
        sums_.step({p, over_sums(), over_sums() & ~channels_of_sums()});
    };
    add_channel(diff_scale_, product_, true);
    add_channel(diff_shift_, sum_, false);
}

} // namespace

Result<Plan> lower_by_cells(const Problem& problem, Sets sets) {
    Plan plan;
    const MemoryDesc& src = problem.md(arg::src);
    plan.title = fmt::format("{} {} {} {}, {}", name(problem.kind), name(problem.prop), problem.auxiliary(),
                             to_token(src), to_string(src.dims_span()));
    Cells(problem, sets, plan).lower();
    return plan;
}

} // namespace tessera::ops
