// SPDX-License-Identifier: Apache-2.0
// softmax -> plan: a group over the rows, whose steps go along the axis.
//
//   accurate   reduce  most = max of src            log   reduce  most = max of src
//              map     e = exp(src - most)                reduce  ln = log of the sum of exp(src - most)
//              reduce  inverse = 1 / sum of e             map     dst = src - most - ln
//              map     dst = e * inverse
//   backward   reduce  minus = -sum of dd d               reduce  minus = -sum of dd
//              map     ds = d * (dd + minus)              map     ds = dd + exp(d) * minus
//
// e is dst itself if that is f32 and dense along the axis: other rows of dst may share sets of L1 with those of src
// (8x64x56x56 over n, two threads, half of the speed). The product with 1 / sum costs a rounding more than a division,
// half an ulp of 2.3, and 1 instead of 16 cycles for a vector of 16, more than the rest of its step.
#include <fmt/format.h>

#include "core/layout/coalesce.hpp"
#include "core/program/lib/math.hpp"
#include "ops/epilogue.hpp"
#include "ops/moves.hpp"
#include "ops/rows.hpp"
#include "ops/softmax/softmax.hpp"

namespace tessera::ops {

namespace {

class Lowering {
public:
    explicit Lowering(const Problem& p)
        : p_(p), s_(p), rows_(s_.dims, s_.axis, plan_, layouts_), operands_{plan_, layouts_} {
        plan_.title = fmt::format("softmax {} {} {} -> {}, {} along {}", s_.log ? "log" : "accurate", name(p.prop),
                                  to_token(p.md(s_.from)), to_token(p.md(s_.to)), to_string(s_.dims), s_.axis);
    }

    Result<Plan> plan() {
        from_ = add(s_.from), dst_ = add(arg::dst), to_ = s_.backward ? add(arg::diff_src) : dst_;
        if (p_.md(s_.to).has_zero_dim()) return std::move(plan_);
        if (!rows_.lay_out_like(layouts_[size_t(to_)]))
            return unimplemented("softmax: the temporary values of {} need more than 2^62 bytes; parts of it are "
                                 "possible",
                                 to_string(s_.dims));
        if (s_.backward)
            backward();
        else
            forward();
        add_output_padding(to_, p_, operands_);
        rows_.add_steps();
        return std::move(plan_);
    }

private:
    int add(int id) {
        const MemoryDesc& md = p_.md(id);
        return operands_.add(arg_name(id), md.type, id, layout_of(md));
    }
    static Expression load(Program& program, int operand) { return {&program, program.load(operand, ValueType::f32)}; }

    void forward() {
        const int most = rows_.add_temporary("most", true);
        rows_.reduce(
            OpCode::reduce_max, most, [&](Program& program) { return program.load(from_, ValueType::f32); },
            [](Program&, int v) { return v; });
        const auto above = [this, most](Program& program) {
            const Expression x = load(program, from_), of_row = load(program, most);
            return x - of_row;
        };
        // Above 0 there is NaN alone, which min makes infinity: beside an infinite element all others are 0. A NaN in
        // the row is the maximum, and so infinity everywhere: the quotients are NaN.
        const auto exponential = [&](Program& program) {
            const Expression x = above(program);
            const bool finite = is_integer(p_.md(arg::src).type);
            return math::exp_or_zero(finite ? x : x.binary(OpCode::min, x.number(89)));
        };
        Program last;
        if (s_.log) {
            const int ln = rows_.add_temporary("logarithm", true);
            rows_.reduce(
                OpCode::reduce_add, ln, [&](Program& program) { return exponential(program).value; },
                [](Program& program, int v) { return math::log(program, v); });
            const Expression x = above(last), of_row = load(last, ln);
            return finish_dst(last, x - of_row);
        }
        const int e = is_dense_f32() ? dst_ : rows_.add_temporary("exponentials", false);
        Program first;
        first.store(e, exponential(first).value);
        rows_.map(first);
        const int inverse = rows_.add_temporary("inverse", true);
        rows_.reduce(
            OpCode::reduce_add, inverse, [&](Program& program) { return program.load(e, ValueType::f32); },
            [](Program& program, int v) {
                return (1 / Expression{&program, v}).value;
            });
        const Expression x = load(last, e), of_row = load(last, inverse);
        finish_dst(last, x * of_row);
    }

    bool is_dense_f32() const {
        const Modes axis = coalesce(layouts_[size_t(dst_)].dims[s_.axis]);
        return p_.md(arg::dst).type == DataType::f32 && (axis.empty() || axis.back().stride == 1);
    }

    // SOF-06: the scale of src multiplies what has been computed.
    void finish_dst(Program& program, Expression v) {
        const int scale = load_quant(program, QuantKind::scales, arg::src, p_, operands_);
        const int scaled = scale < 0 ? v.value : program.binary(OpCode::mul, v.value, scale);
        finish(program, scaled, to_, p_, operands_);
        rows_.map(program);
    }

    void backward() {
        const int minus = rows_.add_temporary("minus sum", true);
        rows_.reduce(
            OpCode::reduce_add, minus,
            [&](Program& program) {
                const Expression dd = load(program, from_);
                return s_.log ? dd.value : (dd * load(program, dst_)).value;
            },
            [](Program& program, int v) {
                return (Expression{&program, v} * -1).value;
            });
        Program program;
        const Expression dd = load(program, from_), d = load(program, dst_), sum = load(program, minus);
        Expression ds = d;
        if (s_.log)
            ds = fma(math::exp_or_zero(at_most(d, 89)), sum, dd);
        else
            ds = d * (dd + sum);
        program.store(to_, round_stochastically(program, ds.value, arg::diff_src, s_.dims, p_, operands_));
        rows_.map(program);
    }

    const Problem& p_;
    const Softmax s_;
    Plan plan_;
    std::vector<Layout> layouts_;
    Rows rows_;
    Operands operands_;
    int from_ = -1, dst_ = -1, to_ = -1;
};

} // namespace

Result<Plan> lower_softmax(const Problem& problem) { return Lowering(problem).plan(); }

} // namespace tessera::ops
