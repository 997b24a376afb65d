// SPDX-License-Identifier: Apache-2.0
// layer normalization -> plan: mean, variance and the result of a row, one step each, in a group over rows, so that a
// row is read from memory once:
//
//   mean + rest = first + sum(x - first) / n       variance = sum((x - mean)^2) / n - rest^2
//   dst = ((x - mean) r + offset) scale + shift    r = 1 / sqrt(variance + epsilon)   offset = -rest r
//
// Gradients likewise, in blocks of rows: those of scale and shift are sums over rows.
//
//   diff_src = a y' - (k1 + (x - mean) k2)    a = scale r   k1 = r sum(scale y') / n   k2 = r^3 sum(scale y' (x -
//   mean)) / n; with rms_norm neither mean nor k1
#include <fmt/format.h>

#include "ops/layer_normalization/layer_normalization.hpp"
#include "ops/moves.hpp"
#include "ops/normalization/domain.hpp"

namespace tessera::ops {

namespace {

constexpr auto f32 = ValueType::f32;

// Elements of a block of rows, so that src and diff_dst stay in the second level; at least 16 rows
// a block, so that the partial gradients cost little traffic.
constexpr int64_t block_elements = 32768, least_rows = 16, most_rows = 512;
// Few rows of this many elements are work for all threads only if each step is one of its own, in two levels.
constexpr int64_t long_row = 16384, few_rows = 64;

class Rows {
public:
    Rows(const Problem& problem, Plan& plan)
        : n_(problem, Sets::rows), plan_(plan), block_(choose()), data_(plan, block_.dims) {
        for (size_t d = 0; d < data_.dims().size(); ++d) all_ |= 1 << d;
        row_ = 1 << (data_.dims().size() - 1);
    }

    void lower() {
        add_tensors();
        if (n_.data().has_zero_dim()) return add_zeros_of_nothing();
        n_.forward() ? forward() : backward();
    }

private:
    using Part = Domain::Part;

    // Rows that belong together in the backward computation.
    Inner choose() const {
        const auto dims = n_.dims();
        if (n_.forward() || n_.data().has_zero_dim()) return inner_of(dims, {}, 1, {});
        std::vector<Layout> layouts;
        for (const int id : {arg::src, arg::diff_dst, arg::diff_src}) layouts.push_back(layout_of(n_.problem.md(id)));
        layouts.push_back(n_.over_data(n_.problem.md(arg::variance)));
        std::vector<size_t> among;
        for (size_t d = 0; d + 1 < dims.size(); ++d) among.push_back(d);
        const int64_t limit = std::clamp(block_elements / dims.back(), least_rows, most_rows);
        return inner_of(dims, among, limit, layouts);
    }
    int of_data(int id) {
        const MemoryDesc& md = n_.problem.md(id);
        return data_.add(arg_name(id), md.type, id, block_.of(layout_of(md)));
    }
    int of_rows(int id) {
        const Tensor* t = n_.problem.find(id);
        if (!t) return scratch_of_rows(arg_name(id));
        return data_.add(arg_name(id), t->md.type, id, block_.of(n_.over_data(t->md)));
    }
    int scratch_of_rows(std::string name) { return data_.scratch(std::move(name), dense(data_.dims(), all_ & ~row_)); }
    int of_channels(int id) {
        const Tensor* t = n_.problem.find(id);
        if (!t) return -1;
        Layout layout = dense(data_.dims(), row_);
        layout.offset = t->md.offset0;
        layout.dims.back()[0].stride = t->md.strides[0];
        return data_.add(arg_name(id), t->md.type, id, layout);
    }
    int divided(Program& p, int v) const {
        return p.binary(OpCode::div, v, p.constant(double(float(n_.count())), f32));
    }
    int centred(Program& p) const {
        const int x = p.load(src_, f32);
        return n_.has(norm::rms) ? x : p.binary(OpCode::sub, x, p.load(mean_, f32));
    }
    int scaled(Program& p, int v) const { return scale_ < 0 ? v : p.binary(OpCode::mul, v, p.load(scale_, f32)); }

    // Of rows, in the order given.
    void add(std::vector<Part> parts) {
        int64_t rows = 1;
        for (const int64_t extent : n_.dims().first(n_.dims().size() - 1)) rows *= extent;
        if (n_.dims().back() <= long_row || rows >= few_rows) return data_.group(std::move(parts), all_ & ~row_);
        for (Part& part : parts) data_.step(std::move(part));
    }

    void add_tensors();
    void add_zeros_of_nothing();
    void forward();
    void backward();
    Part root();
    void store_root(Program& p, int variance);
    Part sum(int to, bool along);
    Part normalized();
    Part gradient() const;
    Part gradient_of(int to, bool of_scale, int reduced) const;
    void add_affine_gradients(std::vector<Part>& parts);

    const Normalization n_;
    Plan& plan_;
    const Inner block_;
    Domain data_;
    int all_ = 0, row_ = 0; // masks: all dims, the last
    int src_ = -1, to_ = -1, from_ = -1, mean_ = -1, variance_ = -1, scale_ = -1, shift_ = -1;
    int diff_scale_ = -1, diff_shift_ = -1;
    int first_ = -1, rest_ = -1, offset_ = -1; // of means that are computed
    int root_ = -1, plain_ = -1, along_ = -1;  // r, k1, k2
};

void Rows::add_tensors() {
    const Problem& p = n_.problem;
    const bool exposed = p.find(arg::variance) != nullptr;
    src_ = of_data(arg::src);
    to_ = of_data(n_.forward() ? arg::dst : arg::diff_src);
    if (!n_.forward()) from_ = of_data(arg::diff_dst);
    if (!n_.has(norm::rms)) mean_ = of_rows(arg::mean);
    if (exposed) variance_ = of_rows(arg::variance);
    scale_ = of_channels(arg::scale), shift_ = of_channels(arg::shift);
    diff_scale_ = of_channels(arg::diff_scale), diff_shift_ = of_channels(arg::diff_shift);
    root_ = scratch_of_rows("1 / deviation");
    if (mean_ < 0 || n_.given()) return;
    Layout first = data_.layout(src_);
    first.dims.back() = {{n_.dims().back(), 0}};
    first_ = data_.same(src_, std::move(first));
    rest_ = scratch_of_rows("rest of mean"), offset_ = scratch_of_rows("offset");
}

// Statistics and sums of no elements are 0.
void Rows::add_zeros_of_nothing() {
    for (const auto& [id, operand] : {std::pair{arg::mean, mean_},
                                      {arg::variance, variance_},
                                      {arg::diff_scale, diff_scale_},
                                      {arg::diff_shift, diff_shift_}})
        if (const Tensor* t = n_.problem.find(id); t && t->output) add_zeros(t->md, operand, plan_);
}

Domain::Part Rows::root() {
    Program p;
    store_root(p, p.load(variance_, f32));
    return {p, all_ & ~row_};
}
void Rows::store_root(Program& p, int variance) {
    const int rest = rest_ < 0 ? -1 : p.load(rest_, f32), root = reciprocal_root(p, variance, n_.epsilon);
    if (rest >= 0) p.store(offset_, p.binary(OpCode::mul, p.binary(OpCode::mul, rest, p.constant(-1, f32)), root));
    p.store(root_, root);
}

void Rows::forward() {
    std::vector<Part> parts;
    if (!n_.given()) {
        if (mean_ >= 0) {
            Program p;
            const int first = p.load(first_, f32);
            const int sum = p.reduce_add(p.binary(OpCode::sub, p.load(src_, f32), first));
            const Mean mean = exact_sum(p, first, divided(p, sum));
            p.store(rest_, mean.rest);
            p.store(mean_, mean.value);
            parts.push_back({p, all_, row_});
        }
        Program p;
        const int d = centred(p);
        int variance = divided(p, p.reduce_add(p.binary(OpCode::mul, d, d)));
        if (rest_ >= 0) variance = about_rest(p, variance, p.load(rest_, f32));
        if (variance_ >= 0)
            p.store(variance_, variance);
        else
            store_root(p, variance);
        parts.push_back({p, all_, row_});
    }
    if (variance_ >= 0) parts.push_back(root());
    parts.push_back(normalized());
    for (const auto& [id, operand] : {std::pair{arg::mean, mean_}, {arg::variance, variance_}})
        if (const Tensor* t = n_.problem.find(id); t && t->output && operand >= 0) add_padding(t->md, operand, plan_);
    add_padding(n_.problem.md(arg::dst), to_, plan_);
    add(std::move(parts));
}

Domain::Part Rows::normalized() {
    Program p;
    const int x = centred(p), root = p.load(root_, f32);
    int v = offset_ < 0 ? p.binary(OpCode::mul, x, root) : p.ternary(OpCode::fma, x, root, p.load(offset_, f32));
    if (scale_ >= 0 && shift_ >= 0)
        v = p.ternary(OpCode::fma, v, p.load(scale_, f32), p.load(shift_, f32));
    else if (scale_ >= 0)
        v = scaled(p, v);
    else if (shift_ >= 0)
        v = p.binary(OpCode::add, v, p.load(shift_, f32));
    Operands operands = data_.operands();
    if (const int s = load_quant(p, QuantKind::scales, arg::src, n_.problem, operands); s >= 0)
        v = p.binary(OpCode::mul, v, s);
    finish(p, v, to_, n_.problem, operands);
    return {p};
}

// k1 or, `along` x - mean, k2.
Domain::Part Rows::sum(int to, bool along) {
    Program p;
    int v = scaled(p, p.load(from_, f32));
    if (along) v = p.binary(OpCode::mul, v, centred(p));
    v = p.reduce_add(v);
    const int r = p.load(root_, f32);
    for (int i = 0; i < (along ? 3 : 1); ++i) v = p.binary(OpCode::mul, v, r);
    p.store(to, divided(p, v));
    return {p, all_, row_};
}

Domain::Part Rows::gradient() const {
    Program p;
    int v = p.binary(OpCode::mul, scaled(p, p.load(from_, f32)), p.load(root_, f32));
    if (along_ >= 0) {
        const int x = centred(p), k2 = p.load(along_, f32);
        const int off = plain_ < 0 ? p.binary(OpCode::mul, x, k2) : p.ternary(OpCode::fma, x, k2, p.load(plain_, f32));
        v = p.binary(OpCode::sub, v, off);
    }
    p.store(to_, v);
    return {p};
}

// Of scale or shift: the sum over the rows in `reduced`.
Domain::Part Rows::gradient_of(int to, bool of_scale, int reduced) const {
    Program p;
    int v = p.load(from_, f32);
    if (of_scale) v = p.binary(OpCode::mul, v, p.binary(OpCode::mul, centred(p), p.load(root_, f32)));
    p.store(to, p.reduce_add(v));
    return {p, all_, reduced};
}

void Rows::backward() {
    std::vector<Part> own; // of diff_src
    if (!n_.has(norm::use_global_stats)) {
        if (!n_.has(norm::rms)) own.push_back(sum(plain_ = scratch_of_rows("k1"), false));
        own.push_back(sum(along_ = scratch_of_rows("k2"), true));
    }
    own.push_back(gradient());
    add_padding(n_.problem.md(arg::diff_src), to_, plan_);
    const int rows = all_ & ~row_, outer = rows & ~block_.mask;
    int64_t blocks = 1;
    for (size_t d = 0; d < data_.dims().size(); ++d)
        if (outer >> d & 1) blocks *= data_.dims()[d];
    // diff_src may be in the buffer of diff_dst: it comes last.
    std::vector<Part> parts{root()}, sums;
    for (const auto& [to, of_scale] : {std::pair{diff_scale_, true}, {diff_shift_, false}}) {
        if (to < 0) continue;
        if (blocks == 1) {
            parts.push_back(gradient_of(to, of_scale, rows));
            continue;
        }
        const int of_block = data_.scratch(of_scale ? "diff_scale of blocks" : "diff_shift of blocks",
                                           dense(data_.dims(), outer | row_, int(data_.dims().size()) - 1));
        parts.push_back(gradient_of(of_block, of_scale, block_.mask));
        Program p;
        p.store(to, p.reduce_add(p.load(of_block, f32)));
        sums.push_back({p, outer | row_, outer});
    }
    if (parts.size() == 1) { // diff_src alone: rows are independent
        own.insert(own.begin(), parts[0]);
        return add(std::move(own));
    }
    if (blocks == 1) {
        for (Part& part : parts) data_.step(std::move(part));
        return add(std::move(own));
    }
    parts.insert(parts.end(), own.begin(), own.end());
    data_.group(std::move(parts), outer);
    for (Part& part : sums) data_.step(std::move(part));
}

} // namespace

Result<Plan> lower_layer_normalization(const Problem& problem) {
    Plan plan;
    const MemoryDesc& src = problem.md(arg::src);
    plan.title = fmt::format("layer_normalization {} {} {}, {}", name(problem.prop), problem.auxiliary(), to_token(src),
                             to_string(src.dims_span()));
    Rows(problem, plan).lower();
    return plan;
}

} // namespace tessera::ops
