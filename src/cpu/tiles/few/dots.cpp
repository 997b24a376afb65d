// SPDX-License-Identifier: Apache-2.0
// Columns in groups, each group over all of k: a vector of B meets the same elements of every row of A. bf16 by bf16
// comes as even and odd elements, which needs no shuffle; bytes as words, or as bytes where there are sums of their
// products and one of the factors has no sign, or B is made to have none: b + 128, and the caller knows the sums of A's
// rows.
#include <cstddef>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "cpu/jit/codec.hpp"
#include "cpu/tiles/dot/kernel/row_addresses.hpp"
#include "cpu/tiles/few/contract.hpp"

namespace tessera::cpu {

using namespace jit;

namespace {

constexpr uint32_t shift = 0x80808080; // by 128: as a bit to flip, and as factors

class DotsBuilder {
public:
    DotsBuilder(const Target& target, const FewRowsSpec& spec)
        : spec_(spec), c_(target), codec_(c_), pairs_(spec.pairs),
          split_(!pairs_ && spec.a == DataType::bf16 && spec.b == DataType::bf16),
          bytes_(spec.sum == ValueType::s32 && target.vnni && (spec.a != spec.b || spec.shifts_b)),
          words_(spec.sum == ValueType::s32 && !bytes_), lanes_(codec_.lanes() * (bytes_                       ? 4
                                                                                  : pairs_ || split_ || words_ ? 2
                                                                                                               : 1)) {}

    Code build() {
        if (spec_.shifts_b) codec_.prepare_u32(shift);
        if (split_) codec_.prepare_split(DataType::bf16);
        if (!pairs_ && !split_ && !integers()) {
            codec_.prepare(spec_.a, ValueType::f32, true, false);
            codec_.prepare(spec_.b, ValueType::f32, true, false);
        }
        if (spec_.rows > 1) a_row_ = c_.gload(arg(offsetof(DotsArgs, a_row)));
        if (spec_.rows > 3) a_row3_ = c_.gaddress({a_row_, 0, a_row_, 2});
        b_column_ = c_.gload(arg(offsetof(DotsArgs, b_column)));
        if (at_once() > 3) b_column3_ = c_.gaddress({b_column_, 0, b_column_, 2});
        b_at_ = c_.gload(arg(offsetof(DotsArgs, b))), c_at_ = c_.gload(arg(offsetof(DotsArgs, c)));
        const Gpr n = c_.gload(arg(offsetof(DotsArgs, columns)));
        in_groups(c_, n, {at_once(), 1}, [&](int size) { group(size); });
        return std::move(c_);
    }

private:
    // The elements of one load: a vector, or two of them from bf16.
    struct Values {
        Vec first, second;
    };
    enum class Count { all, tail, one };

    Mem arg(size_t at) const { return {c_.args(), int64_t(at)}; }
    bool integers() const { return bytes_ || words_; }
    Vec add(Vec a, Vec b) { return c_.op2(integers() ? VOp::iadd : VOp::fadd, a, b); }
    Vec& sum(int row, int column) { return sums_[size_t(column * spec_.rows + row)]; }

    int at_once() const {
        if (c_.target().vectors == 32) return spec_.rows <= 2 ? 8 : 4;
        return spec_.rows == 1 ? 8 : spec_.rows == 2 ? 4 : 2;
    }

    Values load(DataType type, Mem m, Count count) {
        const int size = bits(type) / 8, bytes = lanes_ * size;
        const Mask* tail = count == Count::tail ? &tail_ : nullptr;
        if (pairs_) return {tail ? c_.load_masked(m, *tail, 2) : c_.load(m), {}}; // AVX-512, which has masks
        if (bytes_) return {tail ? c_.load_masked(m, *tail, 1) : c_.load(m, count == Count::one ? 1 : 0), {}};
        if (words_) {
            const bool sign = type == DataType::s8;
            if (count == Count::all) return {c_.load_widen(m, 1, 2, sign), {}};
            return {c_.widen(tail ? c_.load_masked(m, *tail, 1, bytes) : c_.load(m, 1), 1, 2, sign), {}};
        }
        if (!split_) return {codec_.load(type, ValueType::f32, m, count == Count::one ? 1 : lanes_, tail), {}};
        Values v;
        const Vec elements = tail ? c_.load_masked(m, *tail, 2) : c_.load(m, count == Count::one ? 2 : 0);
        codec_.load_split(ValueType::f32, elements, v.first, v.second);
        return v;
    }

    // Of 16 registers three rows and more leave none for A: the columns, which are fewer, stay instead.
    void products(int columns, Count count) {
        const bool keeps_a = c_.target().vectors == 32 || spec_.rows <= 2;
        std::vector<Values> kept;
        const auto a_at = [&](int i) { return load(spec_.a, a_->at(i), count); };
        const auto b_at = [&](int j) {
            Values x = load(spec_.b, b_->at(j), count);
            if (spec_.shifts_b) x.first = c_.op2(VOp::ixor, x.first, codec_.u32(shift));
            return x;
        };
        constexpr int64_t ahead = 1024;
        for (int j = 0; spec_.prefetches && count == Count::all && j < columns; ++j) c_.prefetch(b_->at(j, ahead), 0);
        for (int n = 0; n < (keeps_a ? spec_.rows : columns); ++n) kept.push_back(keeps_a ? a_at(n) : b_at(n));
        for (int n = 0; n < (keeps_a ? columns : spec_.rows); ++n) {
            const Values passing = keeps_a ? b_at(n) : a_at(n);
            for (int m = 0; m < int(kept.size()); ++m)
                keeps_a ? multiply(sum(m, n), kept[size_t(m)], passing) : multiply(sum(n, m), passing, kept[size_t(m)]);
        }
    }

    void multiply(Vec sum, const Values& a, const Values& b) {
        if (pairs_)
            c_.dot_into(VOp::dot_bf16, sum, a.first, b.first);
        else if (bytes_ && spec_.a == DataType::s8) // the factor without a sign comes first
            c_.dot_into(VOp::dot_u8s8, sum, b.first, a.first);
        else if (bytes_)
            c_.dot_into(VOp::dot_u8s8, sum, a.first, b.first);
        else if (words_)
            c_.op2_into(VOp::iadd, sum, sum, c_.op2(VOp::dot_s16, a.first, b.first));
        else
            c_.fma_into(sum, a.first, b.first);
        if (split_) c_.fma_into(sum, a.second, b.second);
    }

    void advance(int64_t elements) {
        a_->advance(elements * bits(spec_.a) / 8), b_->advance(elements * bits(spec_.b) / 8);
    }

    void group(int columns) {
        a_.emplace(c_, c_.gload(arg(offsetof(DotsArgs, a))), a_row_, spec_.rows, a_row3_);
        b_.emplace(c_, c_.gcopy(b_at_), b_column_, columns, b_column3_);
        sums_.clear();
        for (int n = 0; n < columns * spec_.rows; ++n) sums_.push_back(c_.zero());
        const Gpr k = c_.gload(arg(offsetof(DotsArgs, k)));
        c_.gsub(k, k, lanes_ - 1);
        c_.if_positive(k);
        c_.loop();
        products(columns, Count::all);
        advance(lanes_);
        c_.end_loop(k, lanes_);
        c_.end_if();
        c_.gadd(k, k, lanes_ - 1);
        if (!is_sub_byte(spec_.b)) {
            c_.if_positive(k);
            if (c_.target().masks) {
                tail_ = c_.mask_first(k);
                products(columns, Count::tail);
            } else {
                c_.loop();
                products(columns, Count::one);
                advance(1);
                c_.end_loop(k, 1);
            }
            c_.end_if();
        }
        results(columns);
        c_.gadd(c_at_, c_at_, 4 * columns);
        for (int j = 0; j < columns; ++j) c_.gadd(b_at_, b_at_, b_column_);
    }

    // Interleaved twice, four sums are sums of their own in each lane; then the lanes are added.
    Vec reduce(const std::vector<Vec>& sums) {
        const auto fold = [&](Vec a, Vec b, int es) {
            return add(c_.unpack(false, a, b, es), c_.unpack(true, a, b, es));
        };
        const Vec none = sums.size() < 4 ? c_.zero() : Vec{};
        const auto at = [&](size_t n) { return n < sums.size() ? sums[n] : none; };
        const Vec low = fold(at(0), at(1), 4), high = sums.size() > 2 ? fold(at(2), at(3), 4) : none;
        Vec all = fold(low, high, 8);
        for (int bytes = c_.width() / 2; bytes >= 16; bytes /= 2)
            all = c_.op2(integers() ? VOp::iadd : VOp::fadd, all, c_.extract(all, bytes, 1), 4, bytes);
        return all;
    }

    void results(int columns) {
        const Gpr row = spec_.rows > 1 ? c_.gload(arg(offsetof(DotsArgs, c_row))) : Gpr{}, at = c_.gcopy(c_at_);
        const Gpr accumulate = c_.gload(arg(offsetof(DotsArgs, accumulate)));
        const Gpr start = spec_.shifts_b ? c_.gload(arg(offsetof(DotsArgs, start))) : Gpr{};
        for (int i = 0; i < spec_.rows; ++i) {
            for (int j = 0; j < columns; j += 4) {
                std::vector<Vec> four;
                for (int n = j; n < columns && n < j + 4; ++n) four.push_back(sum(i, n));
                const Vec all = reduce(four);
                const int bytes = 4 * int(four.size());
                if (spec_.shifts_b) c_.op2_into(VOp::iadd, all, all, c_.broadcast({start, 4 * i}, 4), 4, 16);
                c_.if_positive(accumulate);
                c_.op2_into(integers() ? VOp::iadd : VOp::fadd, all, all, c_.load({at, 4 * j}, bytes), 4, 16);
                c_.end_if();
                c_.store({at, 4 * j}, all, bytes);
            }
            if (i + 1 < spec_.rows) c_.gadd(at, at, row);
        }
    }

    const FewRowsSpec& spec_;
    Code c_;
    Codec codec_;
    const bool pairs_, split_, bytes_, words_;
    const int lanes_; // elements of k at once
    Gpr a_row_, a_row3_, b_column_, b_column3_, b_at_, c_at_;
    std::optional<RowAddresses> a_, b_;
    Mask tail_;
    std::vector<Vec> sums_;
};

std::string key_of(const char* kernel, const FewRowsSpec& spec) {
    return fmt::format("{} of {} rows {} {} as {}{}{}{}{}", kernel, spec.rows, name(spec.a), name(spec.b),
                       spec.sum == ValueType::s32 ? "s32" : "f32", spec.prefetches ? ", next B prefetched" : "",
                       spec.pairs ? " in pairs" : "", spec.shifts_b ? ", B + 128" : "",
                       !spec.fours    ? ""
                       : spec.a_dense ? " in fours"
                                      : " in fours, A strided");
}

} // namespace

std::string dots_key(const FewRowsSpec& spec) { return key_of("dots", spec); }
std::string axpy_key(const FewRowsSpec& spec) { return key_of("axpy", spec); }

bool can_build_few_rows(const FewRowsSpec& spec, bool dots) {
    const auto fits = [&](DataType t) {
        if (spec.sum == ValueType::s32) return t == DataType::u8 || t == DataType::s8;
        return spec.sum == ValueType::f32 && Codec::supports(t, ValueType::f32);
    };
    const bool nibbles = spec.sum == ValueType::f32 && is_sub_byte(spec.b) && Codec::loads(spec.b, ValueType::f32);
    const bool floats = spec.a == DataType::f32 && spec.b == DataType::f32;
    const bool bf16 = spec.a == DataType::bf16 && spec.b == DataType::bf16;
    const bool signs = spec.sum == ValueType::s32 && spec.a == DataType::s8 && spec.b == DataType::s8;
    const bool bytes = spec.sum == ValueType::s32 && fits(spec.a) && fits(spec.b);
    if (spec.fours && (dots || !bytes)) return false;
    if ((spec.pairs && !bf16) || (spec.shifts_b && !signs) || (!dots && (spec.pairs || spec.shifts_b))) return false;
    const bool one_sign = spec.sum == ValueType::s32 && spec.a != spec.b;
    const bool many = floats || spec.pairs || spec.shifts_b || one_sign; // nothing but sums and factors in registers
    const int most = spec.fours ? most_rows_of_fours : dots && many ? most_rows_of_dots : 4;
    return spec.rows >= 1 && spec.rows <= most && fits(spec.a) && (fits(spec.b) || nibbles);
}

Code build_dots(const Target& target, const FewRowsSpec& spec) { return DotsBuilder(target, spec).build(); }

} // namespace tessera::cpu
