// SPDX-License-Identifier: Apache-2.0
// Gradients of maxima: sums over the outputs that hold an input, of those whose workspace names it. A window of 13 x 13
// takes 169 comparisons an input, and each output names one tap: so every output is added where it belongs, into f32
// memory of the thread's own that has room around the inputs, and then that is stored.
//
//   step     diff_src[b] = sum over t of (number[b - t q] == first + t n ? value[b - t q] : 0), for b in all dims
//   here     for x from the last one down: sums[x + q t of number[x]] += value[x]
//
// An input gets its terms in the order of the step's reduce loops: t grows as x falls. What others add there is +0, and
// the sum starts as +0, so the bits are the same; values of 0, as those of borders, change nothing either.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "core/division.hpp"
#include "core/plan/unit.hpp"
#include "cpu/executor/job.hpp"
#include "cpu/lanes/lanes.hpp"
#include "cpu/runtime/scratch.hpp"

namespace tessera::cpu {

namespace {

constexpr int64_t most_numbers = 1 << 16; // of taps, in the table
constexpr int64_t most_dims = 3, most_columns = 64;

// The operands of the step, by what its program does with them.
struct Roles {
    size_t value, number, tap, sum;
};

// load value, load number, index tap; select(number == tap, value, 0), added up and stored.
std::optional<Roles> roles_of(const Program& p) {
    const auto at = [&](int value) -> const Op& { return p.ops[size_t(value)]; };
    const auto is = [&](int value, OpCode code) { return value >= 0 && at(value).code == code; };
    if (p.ops.empty() || p.ops.back().code != OpCode::store || !is(p.ops.back().a, OpCode::reduce_add))
        return std::nullopt;
    const int term = at(p.ops.back().a).a;
    if (!is(term, OpCode::select) || !is(at(term).a, OpCode::eq)) return std::nullopt;
    const Op &select = at(term), &eq = at(select.a);
    const bool swapped = is(eq.a, OpCode::index);
    const int number = swapped ? eq.b : eq.a, tap = swapped ? eq.a : eq.b;
    if (!is(number, OpCode::load) || !is(tap, OpCode::index) || !is(select.b, OpCode::load)) return std::nullopt;
    if (!is(select.c, OpCode::constant) || at(select.c).constant != 0 || at(select.b).type != ValueType::f32)
        return std::nullopt;
    const auto stores = std::ranges::count(p.ops, OpCode::store, &Op::code);
    if (stores != 1 || p.ops.size() != 8) return std::nullopt;
    return Roles{size_t(at(select.b).operand), size_t(at(number).operand), size_t(at(tap).operand),
                 size_t(p.ops.back().operand)};
}

// A dim of inputs, and the outputs that they read: output x is input x's at t = 0.
struct Dim {
    int64_t inputs, terms, apart;    // apart: q, outputs between the terms of an input
    int64_t value, number, tap, sum; // strides, in elements; tap: between terms, the others: between inputs
    int64_t pitch = 0;               // of the sums
    int64_t before() const { return (terms - 1) * apart; }
    int64_t outputs() const { return inputs + before(); } // from -before() on
    int64_t room() const { return inputs + 2 * before(); }
};
// Inputs that read the same outputs through other taps.
struct Beside {
    int64_t inputs, tap, sum, pitch = 0;
};

class ScatterJob final : public Job {
public:
    std::vector<Dim> dims; // as the reduce loops
    std::vector<Beside> besides;
    std::vector<Loop> outer;
    Loop columns; // dense in values and numbers; what lies side by side in the sums
    int64_t block = 1, room = 1;
    Roles roles{};
    std::array<int64_t, 4> base{}; // value, number, -, sum: of the first input
    std::array<int, 4> size{};     // bytes of an element
    DataType value_type{}, number_type{}, sum_type{};
    std::vector<int32_t> place; // by number: where in the sums, from the output on; -1: nowhere

    void run(const Bases& bases, int64_t first, int64_t last) const override {
        Scratch memory(size_t(room * block) * sizeof(float));
        const auto sums = reinterpret_cast<float*>(memory.data());
        for (int64_t u = first; u < last; ++u) {
            UnitIndex index(u);
            const int64_t column = index.next(ceil_div(columns.extent, block)) * block;
            Unit unit{bases[roles.value],
                      bases[roles.number],
                      bases[roles.sum],
                      sums,
                      base[0],
                      base[1],
                      base[3],
                      std::min(block, columns.extent - column)};
            const auto move = [&](const Loop& loop, int64_t i) {
                unit.value_at += loop.offset(int(roles.value), i);
                unit.number_at += loop.offset(int(roles.number), i);
                unit.sum_at += loop.offset(int(roles.sum), i);
            };
            move(columns, column);
            for (size_t k = outer.size(); k-- > 0;) move(outer[k], index.next(outer[k].extent));
            std::fill_n(sums, room * block, 0.f);
            if (number_type == DataType::u8)
                add<uint8_t>(unit, 0, unit.value_at, unit.number_at, 0);
            else
                add<int32_t>(unit, 0, unit.value_at, unit.number_at, 0);
            store_beside(unit, 0, unit.sum_at, 0);
        }
    }
    std::string text() const override {
        std::string windows;
        for (const Dim& d : dims) windows += fmt::format("{}{}", windows.empty() ? "" : "x", d.terms);
        return fmt::format("scatter {} terms of {}, {} columns of {} a unit, {} units", windows, name(value_type),
                           block, columns.extent, units);
    }
    std::vector<const jit::Kernel*> kernels() const override { return {}; }

private:
    struct Unit {
        const char *values, *numbers;
        char* to;
        float* sums;
        int64_t value_at, number_at, sum_at, columns;
    };

    // Outputs from the last one down; `at`: of sums, for output -before() of the dims from d on.
    template <typename N> void add(const Unit& unit, size_t d, int64_t value, int64_t number, int64_t at) const {
        const Dim& dim = dims[d];
        value -= dim.before() * dim.value, number -= dim.before() * dim.number;
        if (d + 1 == dims.size()) return add_row<N>(unit, dim, value, number, unit.sums + at);
        for (int64_t x = dim.outputs(); x-- > 0;)
            add<N>(unit, d + 1, value + x * dim.value, number + x * dim.number, at + x * dim.pitch);
    }
    template <typename N>
    void add_row(const Unit& unit, const Dim& dim, int64_t value, int64_t number, float* sums) const {
        const auto* const numbers = reinterpret_cast<const N*>(unit.numbers) + number;
        if (value_type == DataType::f32)
            return add_points(dim.outputs(), unit.columns, reinterpret_cast<const float*>(unit.values) + value,
                              dim.value, numbers, dim.number, sums, dim.pitch);
        float converted[max_lanes];
        const int64_t most = max_lanes / unit.columns;
        for (int64_t end = dim.outputs(); end > 0;) {
            const int64_t count = std::min(end, most);
            end -= count;
            load_lanes(value_type, ValueType::f32,
                       grid(unit.values, value + end * dim.value, dim.value, unit, roles.value),
                       unit.columns == 1 ? 1 : count, unit.columns == 1 ? count : unit.columns, converted);
            add_points(count, unit.columns, converted, unit.columns, numbers + end * dim.number, dim.number,
                       sums + end * dim.pitch, dim.pitch);
        }
    }
    template <typename N> void add_points(int64_t points, int64_t n, const float* values, int64_t value_step,
                                          const N* numbers, int64_t number_step, float* sums, int64_t pitch) const {
        const int32_t* const places = place.data();
        const auto known = uint32_t(place.size()); // all of a byte
        const auto place_of = [&](N number) {
            if constexpr (sizeof(N) > 1)
                if (uint32_t(number) >= known) return int32_t(-1);
            return places[uint32_t(number)];
        };
        if (n > 1) {
            for (int64_t x = points; x-- > 0;) {
                const float* const v = values + x * value_step;
                const N* const k = numbers + x * number_step;
                float* const to = sums + x * pitch;
                if (are_zeros(v, n)) continue; // of the border
                for (int64_t j = 0; j < n; ++j)
                    if (const int32_t p = place_of(k[j]); p >= 0) to[p + j] += v[j];
            }
            return;
        }
        // Neighbours often name one input: its sum stays in a register.
        float none = 0, sum = 0;
        float* last = &none;
        for (int64_t x = points; x-- > 0;) {
            const float v = values[x * value_step];
            const int32_t p = place_of(numbers[x * number_step]);
            if (p < 0 || v == 0) continue;
            float* const to = sums + x * pitch + p;
            if (to != last) *last = sum, sum = *to, last = to;
            sum += v;
        }
        *last = sum;
    }

    // Points of a dim as rows of columns; of one column, as the columns of a row.
    Access grid(const char* memory, int64_t first, int64_t step, const Unit& unit, size_t operand) const {
        if (unit.columns == 1) return {.base = const_cast<char*>(memory), .first = first, .column = step};
        return {.base = const_cast<char*>(memory), .first = first, .row = step, .column = columns.stride[operand]};
    }
    static bool are_zeros(const float* v, int64_t n) {
        uint32_t any = 0;
        for (int64_t j = 0; j < n; ++j) any |= std::bit_cast<uint32_t>(v[j]) << 1; // not the sign
        return any == 0;
    }

    void store_beside(const Unit& unit, size_t k, int64_t to, int64_t from) const {
        if (k == besides.size()) return store(unit, 0, to, from);
        for (int64_t i = 0; i < besides[k].inputs; ++i)
            store_beside(unit, k + 1, to + i * besides[k].sum, from + i * besides[k].pitch);
    }
    void store(const Unit& unit, size_t d, int64_t to, int64_t from) const {
        const Dim& dim = dims[d];
        from += dim.before() * dim.pitch;
        if (d + 1 < dims.size()) {
            for (int64_t b = 0; b < dim.inputs; ++b) store(unit, d + 1, to + b * dim.sum, from + b * dim.pitch);
            return;
        }
        const bool dense = unit.columns == 1 ? dim.sum == 1 && dim.pitch == 1 : columns.stride[roles.sum] == 1;
        if (sum_type == DataType::f32 && dense) {
            const int64_t run = unit.columns == 1 ? dim.inputs : unit.columns;
            for (int64_t b = 0; b < dim.inputs * unit.columns / run; ++b)
                std::memcpy(unit.to + (to + b * dim.sum) * int64_t(sizeof(float)), unit.sums + from + b * dim.pitch,
                            size_t(run) * sizeof(float));
            return;
        }
        float row[max_lanes];
        const int64_t most = max_lanes / unit.columns;
        for (int64_t b = 0; b < dim.inputs; b += most) {
            const int64_t count = std::min(most, dim.inputs - b);
            const float* values = unit.sums + from + b * dim.pitch;
            if (dim.pitch != unit.columns) {
                for (int64_t i = 0; i < count; ++i)
                    std::copy_n(values + i * dim.pitch, unit.columns, row + i * unit.columns);
                values = row;
            }
            store_lanes(sum_type, ValueType::f32, grid(unit.to, to + b * dim.sum, dim.sum, unit, roles.sum),
                        unit.columns == 1 ? 1 : count, unit.columns == 1 ? count : unit.columns, values);
        }
    }
};

class Maker {
public:
    Maker(const Plan& plan, const Step& step, const Context& context, int64_t lanes)
        : plan_(plan), step_(step), context_(context), lanes_(lanes), job_(std::make_unique<ScatterJob>()) {}

    std::unique_ptr<Job> make() {
        if (!step_.in_order) return nullptr;
        const auto roles = roles_of(plan_.programs[size_t(step_.program)]);
        if (!roles) return nullptr;
        job_->roles = roles_ = *roles;
        const auto type = [&](size_t o) { return plan_.operands[o].type; };
        job_->value_type = type(roles_.value), job_->number_type = type(roles_.number);
        job_->sum_type = type(roles_.sum);
        for (const size_t o : {roles_.value, roles_.sum})
            if (is_sub_byte(type(o)) || plan_.operands[o].counted) return nullptr;
        if (job_->number_type != DataType::u8 && job_->number_type != DataType::s32) return nullptr;
        if (!find_dims() || !choose_columns() || !lay_out() || !find_places() || !pays()) return nullptr;
        const auto base = [&](size_t o) { return step_.nest.base[o]; };
        job_->base = {base(roles_.value), base(roles_.number), 0, base(roles_.sum)};
        job_->outer = std::move(loops_);
        job_->units = iterations(job_->outer) * ceil_div(job_->columns.extent, job_->block);
        job_->bytes = std::min(step_.nest.points(), Nest::most / 8);
        return std::move(job_);
    }

private:
    // Pairs each reduce loop with the loop over the inputs that it moves against.
    bool find_dims() {
        std::vector<Loop> sums;
        for (const Loop& loop : step_.nest.loops) {
            if (loop.indexed()) return false;
            (loop.kind == LoopKind::reduce ? sums : loops_).push_back(loop);
        }
        if (sums.empty() || sums.size() > size_t(most_dims)) return false;
        for (const Loop& sum : sums) {
            const int64_t apart = -sum.stride[roles_.value];
            if (apart <= 0 || sum.stride[roles_.sum] != 0) return false;
            split_at(apart);
            size_t best = loops_.size();
            for (size_t k = 0; k < loops_.size(); ++k) {
                const int64_t stride = loops_[k].stride[roles_.value];
                if (stride <= 0 || apart % stride || loops_[k].stride[roles_.tap]) continue;
                if (best == loops_.size() || stride > loops_[best].stride[roles_.value]) best = k;
            }
            if (best == loops_.size()) return false;
            const Loop& loop = loops_[best];
            const int64_t q = apart / loop.stride[roles_.value];
            if (sum.stride[roles_.number] != -q * loop.stride[roles_.number]) return false;
            job_->dims.push_back({loop.extent, sum.extent, q, loop.stride[roles_.value], loop.stride[roles_.number],
                                  sum.stride[roles_.tap], loop.stride[roles_.sum]});
            loops_.erase(loops_.begin() + long(best));
        }
        for (size_t k = loops_.size(); k-- > 0;) {
            const Loop& loop = loops_[k];
            if (loop.stride[roles_.value] || loop.stride[roles_.number]) {
                if (loop.stride[roles_.tap]) return false;
                continue;
            }
            job_->besides.push_back({loop.extent, loop.stride[roles_.tap], loop.stride[roles_.sum]});
            loops_.erase(loops_.begin() + long(k));
        }
        return true;
    }
    // Pixels and channels of nhwc are one loop.
    void split_at(int64_t apart) {
        for (size_t k = 0; k < loops_.size(); ++k) {
            Loop inner = loops_[k];
            const int64_t stride = inner.stride[roles_.value];
            if (stride <= 0 || stride >= apart || apart % stride || inner.extent * stride <= apart) continue;
            const int64_t each = apart / stride;
            if (inner.extent % each) continue;
            Loop rest = inner;
            rest.extent /= each, inner.extent = each;
            rest.stride.each([&](int64_t& s) { s *= each; });
            loops_[k] = rest;
            loops_.insert(loops_.begin() + long(k) + 1, inner);
            return;
        }
    }
    bool choose_columns() {
        for (size_t k = 0; k < loops_.size(); ++k)
            if (loops_[k].stride[roles_.value] == 1 && loops_[k].stride[roles_.number] == 1) {
                job_->columns = loops_[k];
                loops_.erase(loops_.begin() + long(k));
                break;
            }
        return true;
    }
    // The sums of a unit stay in a part of the second level.
    bool lay_out() {
        int64_t room = 1;
        for (const Dim& d : job_->dims) room *= std::min(d.room(), most_numbers * most_numbers);
        for (const Beside& b : job_->besides) room *= b.inputs;
        const int64_t most = context_.l2_bytes / 4 / int64_t(sizeof(float)) / std::max<int64_t>(room, 1);
        if (room <= 0 || most < 1) return false;
        job_->room = room;
        job_->block = std::min({job_->columns.extent, most, most_columns});
        if (job_->block < job_->columns.extent && job_->block >= lanes_) job_->block = job_->block / lanes_ * lanes_;
        int64_t pitch = job_->block;
        for (size_t d = job_->dims.size(); d-- > 0; pitch *= job_->dims[d].room()) job_->dims[d].pitch = pitch;
        for (Beside& b : job_->besides) b.pitch = pitch, pitch *= b.inputs;
        return true;
    }
    // Every tap has a number of its own.
    bool find_places() {
        std::vector<std::pair<int64_t, int64_t>> all{{step_.nest.base[roles_.tap], 0}}; // number and place
        const auto times = [&](int64_t count, int64_t number, int64_t place) {
            const size_t known = all.size();
            if (int64_t(known) > most_numbers / count) return false;
            for (int64_t i = 1; i < count; ++i)
                for (size_t k = 0; k < known; ++k)
                    all.emplace_back(all[k].first + i * number, all[k].second + i * place);
            return true;
        };
        for (const Dim& d : job_->dims)
            if (!times(d.terms, d.tap, d.apart * d.pitch)) return false;
        for (const Beside& b : job_->besides)
            if (!times(b.inputs, b.tap, b.pitch)) return false;
        const int64_t last = std::ranges::max_element(all)->first;
        if (last >= most_numbers) return false;
        job_->place.assign(size_t(std::max<int64_t>(last + 1, 256)), -1);
        for (const auto& [number, place] : all) {
            if (number < 0 || job_->place[size_t(number)] >= 0) return false;
            job_->place[size_t(number)] = int32_t(place);
        }
        return true;
    }
    // Cycles: a term that is compared takes some two and a half for each vector, more if it is converted; an output
    // that is added six, and one of the border, as many as windows reach beyond the inputs, one.
    bool pays() const {
        const double term = job_->value_type == DataType::f32 ? 2.5 : 3.5;
        constexpr double output = 6, of_border = 1, zero = 0.2;
        double inputs = 1, outputs = 1, terms = 1;
        for (const Dim& d : job_->dims)
            inputs *= double(d.inputs), outputs *= double(d.outputs()), terms *= double(d.terms);
        const double columns = double(job_->columns.extent);
        const double scatter = inputs * output + outputs * of_border + double(job_->room) * zero;
        for (const Beside& b : job_->besides) inputs *= double(b.inputs);
        const int64_t row = job_->columns.extent > 1 ? job_->columns.extent : job_->dims.back().inputs;
        const double vectors = inputs * columns / double(row) * double(ceil_div(row, lanes_));
        return (scatter + inputs) * columns < vectors * terms * term;
    }

    const Plan& plan_;
    const Step& step_;
    const Context& context_;
    const int64_t lanes_;
    Roles roles_{};
    std::vector<Loop> loops_; // those that are left
    std::unique_ptr<ScatterJob> job_;
};

} // namespace

std::unique_ptr<Job> make_scatter_job(const Plan& plan, const Step& step, const jit::Target& target,
                                      const Context& context) {
    return Maker(plan, step, context, target.vector_bytes / 4).make();
}

} // namespace tessera::cpu
