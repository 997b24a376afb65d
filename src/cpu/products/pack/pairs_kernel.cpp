// SPDX-License-Identifier: Apache-2.0
// Four panels at a time, all of k, so that zeros and scales stay in registers. The next 64 columns are prefetched
// meanwhile: their rows lie in other pages than these, and the processor's own prefetches do not cross pages. Where k
// is dense, column by column, and what follows in each is prefetched.
#include "cpu/products/pack/pairs_kernel.hpp"

#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "cpu/jit/codec.hpp"

namespace tessera::cpu {

using namespace jit;

namespace {

constexpr int lanes = 16, vector_bytes = 64;

class PairsBuilder {
public:
    PairsBuilder(const Target& target, const PairsSpec& spec) : spec_(spec), c_(target), codec_(c_) {}

    Code build() {
        for (const DataType type : {spec_.b, spec_.zero.type, spec_.scale.type})
            if (type != DataType::undef) codec_.prepare(type, ValueType::f32, true, false);
        b_ = c_.gload(arg(offsetof(PairsArgs, b))), row_ = c_.gload(arg(offsetof(PairsArgs, b_row)));
        to_ = c_.gload(arg(offsetof(PairsArgs, to))), panel_ = c_.gload(arg(offsetof(PairsArgs, panel)));
        if (spec_.zero.type != DataType::undef) zero_ = c_.gload(arg(offsetof(PairsArgs, zero)));
        if (spec_.scale.type != DataType::undef) scale_ = c_.gload(arg(offsetof(PairsArgs, scale)));
        spec_.k_dense ? rows() : panels();
        return std::move(c_);
    }

private:
    static constexpr int panels_at_once = 4;

    Mem arg(size_t at) const { return {c_.args(), int64_t(at)}; }
    static int64_t bytes(DataType type, int64_t elements) { return elements * bits(type) / 8; }

    void rows() {
        const Gpr columns = c_.gload(arg(offsetof(PairsArgs, columns)));
        const int64_t width = bytes(spec_.b, 2 * lanes);
        const Gpr length = c_.gmul(c_.gload(arg(offsetof(PairsArgs, steps))), width);
        c_.loop();
        const auto of_column = [&](const PairsSpec::Quantum& q, Gpr base, Vec& value) {
            if (q.type == DataType::undef) return;
            value = codec_.same(q.type, ValueType::f32, {base});
            if (!q.same) c_.gadd(base, base, bytes(q.type, 1));
        };
        of_column(spec_.zero, zero_, zeros_[0]), of_column(spec_.scale, scale_, scales_[0]);
        const Gpr at = c_.gcopy(b_), to = c_.gcopy(to_), steps = c_.gload(arg(offsetof(PairsArgs, steps)));
        c_.loop();
        c_.prefetch({at, 0, length, 1}, 0);
        const auto value = [&](int half) {
            return quantized(codec_.load(spec_.b, ValueType::f32, {at, half * width / 2}, lanes), 0);
        };
        c_.store({to}, c_.op2(VOp::f32_to_bf16, value(0), value(1)));
        c_.gadd(at, at, width), c_.gadd(to, to, vector_bytes);
        c_.end_loop(steps, 1);
        c_.gadd(b_, b_, row_), c_.gadd(to_, to_, panel_);
        c_.end_loop(columns, 1);
    }

    void panels() {
        std::vector<uint8_t> order(vector_bytes);
        for (int i = 0; i < 2 * lanes; ++i) order[size_t(2 * i)] = uint8_t(i / 2 + i % 2 * lanes);
        order_ = c_.constant(order);
        panel3_ = c_.gaddress({panel_, 0, panel_, 2});
        const Gpr left = c_.gload(arg(offsetof(PairsArgs, columns)));
        const auto while_any = [&](int panels) {
            c_.gsub(left, left, panels * lanes - 1);
            c_.if_positive(left);
            c_.loop();
            block(panels, nullptr);
            c_.end_loop(left, panels * lanes);
            c_.end_if();
            c_.gadd(left, left, panels * lanes - 1);
        };
        while_any(panels_at_once);
        while_any(1);
        c_.if_positive(left);
        const Mask tail = c_.mask_first(left);
        block(1, &tail);
        c_.end_if();
    }

    Vec load(DataType type, Gpr base, Gpr index, int panel, const Mask* tail) {
        return codec_.load(type, ValueType::f32, {base, bytes(type, panel * lanes), index, 1}, lanes, tail);
    }
    Vec quantum(const PairsSpec::Quantum& q, Gpr base, int panel, const Mask* tail) {
        return q.same ? codec_.same(q.type, ValueType::f32, {base}) : load(q.type, base, {}, panel, tail);
    }
    Vec quantized(Vec x, int panel) {
        if (spec_.zero.type != DataType::undef) x = c_.op2(VOp::fsub, x, zeros_[size_t(panel)]);
        if (spec_.scale.type != DataType::undef) x = c_.op2(VOp::fmul, x, scales_[size_t(panel)]);
        return x;
    }
    Mem out(Gpr at, int panel) const {
        if (panel == 0) return {at};
        return panel == 3 ? Mem{at, 0, panel3_, 1} : Mem{at, 0, panel_, panel};
    }

    void block(int panels, const Mask* tail) {
        for (int j = 0; j < panels; ++j) {
            if (spec_.zero.type != DataType::undef) zeros_[size_t(j)] = quantum(spec_.zero, zero_, j, tail);
            if (spec_.scale.type != DataType::undef) scales_[size_t(j)] = quantum(spec_.scale, scale_, j, tail);
        }
        const Gpr at = c_.gcopy(b_), to = c_.gcopy(to_), steps = c_.gload(arg(offsetof(PairsArgs, steps)));
        const int64_t width = bytes(spec_.b, panels * lanes);
        c_.loop();
        for (int64_t line = 0; panels == panels_at_once && line < width; line += vector_bytes) {
            c_.prefetch({at, width + line}, 0);
            c_.prefetch({at, width + line, row_, 1}, 0);
        }
        for (int j = 0; j < panels; ++j) {
            const Vec even = quantized(load(spec_.b, at, {}, j, tail), j),
                      odd = quantized(load(spec_.b, at, row_, j, tail), j);
            c_.store(out(to, j), c_.permute(c_.op2(VOp::f32_to_bf16, even, odd), order_, 2));
        }
        c_.gadd(at, at, row_), c_.gadd(at, at, row_);
        c_.gadd(to, to, vector_bytes);
        c_.end_loop(steps, 1);
        c_.gadd(b_, b_, width);
        c_.gadd(to_, to_, panel_);
        if (panels == panels_at_once) c_.gadd(to_, to_, panel3_);
        const auto advance = [&](const PairsSpec::Quantum& q, Gpr base) {
            if (q.type != DataType::undef && !q.same) c_.gadd(base, base, bytes(q.type, panels * lanes));
        };
        advance(spec_.zero, zero_), advance(spec_.scale, scale_);
    }

    const PairsSpec& spec_;
    Code c_;
    Codec codec_;
    Vec order_;
    Gpr b_, row_, to_, panel_, panel3_, zero_, scale_;
    std::array<Vec, panels_at_once> zeros_, scales_;
};

} // namespace

std::string key(const PairsSpec& spec) {
    std::string text = fmt::format("{} of bf16 from {}", spec.k_dense ? "rows" : "pairs", name(spec.b));
    for (const auto& [what, q] : {std::pair{"zero", spec.zero}, std::pair{"scale", spec.scale}})
        if (q.type != DataType::undef) text += fmt::format(" {} {}{}", what, name(q.type), q.same ? " same" : "");
    return text;
}

bool can_build_pairs(const Target& target, const PairsSpec& spec) {
    if (!target.bf16 || target.vector_bytes != vector_bytes) return false;
    for (const DataType type : {spec.zero.type, spec.scale.type})
        if (type != DataType::undef && !Codec::supports(type, ValueType::f32)) return false;
    return Codec::loads(spec.b, ValueType::f32);
}

Code build_pairs(const Target& target, const PairsSpec& spec) { return PairsBuilder(target, spec).build(); }

} // namespace tessera::cpu
