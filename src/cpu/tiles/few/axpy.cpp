// SPDX-License-Identifier: Apache-2.0
// A pass takes a few rows of B, whose factors from A stay in registers, over all columns of C, which is in L1. Bytes
// come in pairs of rows, interleaved as words, which dot_s16 multiplies and adds, or with VNNI in fours, interleaved as
// they are. Their columns are permuted first so that interleaving within lanes leaves them in order.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "cpu/jit/codec.hpp"
#include "cpu/tiles/dot/kernel/interleave.hpp"
#include "cpu/tiles/dot/kernel/products.hpp"
#include "cpu/tiles/dot/kernel/row_addresses.hpp"
#include "cpu/tiles/few/contract.hpp"

namespace tessera::cpu {

using namespace jit;

namespace {

class AxpyBuilder {
public:
    AxpyBuilder(const Target& target, const FewRowsSpec& spec)
        : spec_(spec), c_(target), codec_(c_), interleaver_(c_, spec.b), fours_(spec.fours),
          words_(spec.sum == ValueType::s32 && !fours_), lanes_(codec_.lanes()), columns_(lanes_ * (fours_   ? 4
                                                                                                    : words_ ? 2
                                                                                                             : 1)) {}

    Code build() {
        codec_.prepare(spec_.a, spec_.sum, true, false);
        if (flips_b()) codec_.prepare_u32(Products::signs);
        if (fours_)
            interleaver_.prepare();
        else if (words_)
            order_ = turns_order();
        else
            codec_.prepare(spec_.b, spec_.sum, true, false);
        if (spec_.rows > 1) c_row_ = c_.gload(arg(offsetof(AxpyArgs, c_row)));
        if (spec_.rows > 3) c_row3_ = c_.gaddress({c_row_, 0, c_row_, 2});
        const Gpr replace = c_.gset(1);
        c_.gsub(replace, replace, c_.gload(arg(offsetof(AxpyArgs, accumulate))));
        c_.if_positive(replace);
        over_columns(nullptr, [&](Count count) { zero_columns(count); });
        c_.end_if();
        b_row_ = c_.gload(arg(offsetof(AxpyArgs, b_row)));
        if (at_once() > 3) b_row3_ = c_.gaddress({b_row_, 0, b_row_, 2});
        if (!fours_) {
            a_at_ = c_.gload(arg(offsetof(AxpyArgs, a))), b_at_ = c_.gload(arg(offsetof(AxpyArgs, b)));
            a_step_ = c_.gload(arg(offsetof(AxpyArgs, a_step)));
        }
        const Gpr k = c_.gload(arg(offsetof(AxpyArgs, k)));
        if (fours_)
            in_groups(c_, k, {8, 4, 1}, [&](int size) { pass(size); });
        else
            in_groups(c_, k, {at_once(), 1}, [&](int size) { pass(size); });
        return std::move(c_);
    }

private:
    enum class Count { all, tail, one };

    Mem arg(size_t at) const { return {c_.args(), int64_t(at)}; }
    Vec& a(int row, int k) { return a_[size_t(row * 8 + k)]; }
    bool flips_b() const { return fours_ && has_sign(spec_.a) == has_sign(spec_.b); }

    // As many elements of A as stay in registers, with a vector of C for each row and what B needs.
    int at_once() const {
        const bool many = c_.target().vectors == 32;
        if (fours_) return 8;
        const bool looked_up = spec_.b == DataType::f4_e2m1 || spec_.b == DataType::f4_e3m0; // by a register of values
        if (spec_.rows == 1) return 8;
        if (spec_.rows == 4 && looked_up && !many) return 1;
        return spec_.rows == 2 ? (many ? 8 : 4) : many ? 4 : 2;
    }

    // Depth elements of each row of A, in all lanes; bytes in pairs, the second in the upper words.
    void load_a(int depth) {
        const Gpr row = c_.gcopy(a_at_);
        for (int i = 0; i < spec_.rows; ++i) {
            const Gpr at = c_.gcopy(row);
            for (int k = 0; k < depth; ++k) {
                Vec x = codec_.same(spec_.a, spec_.sum, {at});
                if (k + 1 < depth) c_.gadd(at, at, a_step_);
                if (words_ && k % 2) {
                    const Vec low = c_.shift(VOp::shr, c_.shift(VOp::shl, a(i, k - 1), 16), 16);
                    x = c_.op2(VOp::ior, low, c_.shift(VOp::shl, x, 16));
                    a(i, k - 1) = x;
                }
                a(i, k) = x;
            }
            if (i + 1 < spec_.rows) c_.gadd_mem(row, row, arg(offsetof(AxpyArgs, a_row)));
        }
    }

    Vec load_c(int row, int vector, Count count) {
        const Mem m = sums_->at(row, int64_t(vector) * c_.width());
        if (count == Count::tail) return c_.load_masked(m, tails_[size_t(vector)], 4);
        return c_.load(m, count == Count::one ? 4 : 0);
    }

    void store_c(int row, int vector, Count count, Vec value) {
        const Mem m = sums_->at(row, int64_t(vector) * c_.width());
        if (count == Count::tail)
            c_.store_masked(m, value, tails_[size_t(vector)], 4);
        else
            c_.store(m, value, count == Count::one ? 4 : 0);
    }

    void zero_columns(Count count) {
        const Vec zero = c_.zero();
        for (int i = 0; i < spec_.rows; ++i)
            for (int v = 0; v < (count == Count::one ? 1 : columns_ / lanes_); ++v) store_c(i, v, count, zero);
    }

    void columns(int depth, Count count) {
        std::vector<Vec> sums;
        for (int i = 0; i < spec_.rows; ++i) sums.push_back(load_c(i, 0, count));
        for (int k = 0; k < depth; ++k) {
            const Vec b = codec_.load(spec_.b, ValueType::f32, b_->at(k), count == Count::one ? 1 : lanes_,
                                      count == Count::tail ? &tails_[0] : nullptr);
            for (int i = 0; i < spec_.rows; ++i) c_.fma_into(sums[size_t(i)], a(i, k), b);
        }
        for (int i = 0; i < spec_.rows; ++i) store_c(i, 0, count, sums[size_t(i)]);
    }

    // Groups of four columns, permuted so that interleaving words, which stays in lanes of eight, gives the first half
    // of the columns in the first register: 0, n/2, 1, n/2 + 1 ..
    Vec turns_order() {
        const int fours = columns_ / 4;
        std::vector<uint8_t> table(size_t(c_.width()), 0);
        for (int n = 0; n < fours; ++n) table[size_t(4 * n)] = uint8_t(n / 2 + n % 2 * fours / 2);
        return c_.constant(table);
    }

    Vec words(int row, Count count) {
        const Mem m = b_->at(row);
        const Vec bytes = count == Count::tail ? c_.load_masked(m, tails_[0], 1, columns_)
                                               : c_.load(m, count == Count::one ? 1 : columns_);
        return c_.widen(c_.permute(bytes, order_, 4, columns_), 1, 2, spec_.b == DataType::s8);
    }

    // Of 16 registers three and four rows leave too few for both halves at once: the bytes are widened twice.
    void columns_of_bytes(int depth, Count count) {
        const bool together = c_.target().vectors == 32 || spec_.rows <= 2;
        if (count == Count::one) return halves_of_bytes(depth, count, 0, 1);
        if (together) return halves_of_bytes(depth, count, 0, 2);
        halves_of_bytes(depth, count, 0, 1), halves_of_bytes(depth, count, 1, 2);
    }

    void halves_of_bytes(int depth, Count count, int begin, int end) {
        std::vector<Vec> sums;
        for (int i = 0; i < spec_.rows; ++i)
            for (int half = begin; half < end; ++half) sums.push_back(load_c(i, half, count));
        for (int k = 0; k < depth; k += 2) {
            const Vec even = words(k, count), odd = k + 1 < depth ? words(k + 1, count) : c_.zero();
            for (int half = begin; half < end; ++half) {
                const Vec b = c_.unpack(half == 1, even, odd, 2);
                for (int i = 0; i < spec_.rows; ++i) {
                    const Vec sum = sums[size_t(i * (end - begin) + half - begin)];
                    c_.op2_into(VOp::iadd, sum, sum, c_.op2(VOp::dot_s16, a(i, k), b));
                }
            }
        }
        for (int i = 0; i < spec_.rows; ++i)
            for (int half = begin; half < end; ++half)
                store_c(i, half, count, sums[size_t(i * (end - begin) + half - begin)]);
    }

    // Fours of each row of A, in all lanes. dot_u8s8 takes one factor without sign and one with it: of two of the same,
    // B enters as B + 128 or as B - 128, and the sums are to be less, or more, by 128 times those of A.
    void load_fours(int depth) {
        const Gpr row = c_.gload(arg(offsetof(AxpyArgs, a)));
        corrections_.clear();
        for (int i = 0; i < spec_.rows; ++i) {
            const Gpr at = c_.gcopy(row);
            const bool whole = spec_.a_dense && depth % 4 == 0;
            for (int k = 0; whole && k < depth; k += 4) a(i, k / 4) = c_.broadcast({at, k}, 4);
            for (int k = 0; !whole && k < depth; ++k) {
                const Vec upper = c_.shift(VOp::shl, codec_.same(spec_.a, spec_.sum, {at}), 24);
                const Vec byte = k % 4 == 3 ? upper : c_.shift(VOp::shr, upper, 24 - 8 * (k % 4));
                Vec& four = a(i, k / 4);
                four = k % 4 ? c_.op2(VOp::ior, four, byte) : byte;
                if (k + 1 < depth) c_.gadd_mem(at, at, arg(offsetof(AxpyArgs, a_step)));
            }
            if (i + 1 < spec_.rows) c_.gadd_mem(row, row, arg(offsetof(AxpyArgs, a_row)));
            if (!flips_b()) continue;
            const Vec all = c_.zero();
            const Vec half = c_.constant_u32(0x40404040);
            for (int four = 0; four * 4 < depth; ++four)
                for (int twice = 0; twice < 2; ++twice)
                    has_sign(spec_.a) ? c_.dot_into(VOp::dot_u8s8, all, half, a(i, four))
                                      : c_.dot_into(VOp::dot_u8s8, all, a(i, four), half);
            corrections_.push_back(has_sign(spec_.a) ? c_.op2(VOp::isub, c_.zero(), all) : all);
        }
    }

    void columns_of_fours(int depth, Count count) {
        std::vector<Vec> b;
        for (int k = 0; k < depth; k += 4) {
            std::vector<Mem> rows;
            for (int r = k; r < std::min(k + 4, depth); ++r) rows.push_back(b_->at(r));
            for (const Vec v : interleaver_.vectors(rows, 4, count == Count::tail ? &tails_[0] : nullptr))
                b.push_back(flips_b() ? c_.op2(VOp::ixor, v, codec_.u32(Products::signs)) : v);
        }
        for (int i = 0; i < spec_.rows; ++i)
            for (int v = 0; v < 4; ++v) {
                Vec sum = load_c(i, v, count);
                if (flips_b()) c_.op2_into(VOp::iadd, sum, sum, corrections_[size_t(i)]);
                for (int k = 0; k < depth; k += 4) {
                    const Vec four = b[size_t(k + v)];
                    const bool a_first = !has_sign(spec_.a);
                    c_.dot_into(VOp::dot_u8s8, sum, a_first ? a(i, k / 4) : four, a_first ? four : a(i, k / 4));
                }
                store_c(i, v, count, sum);
            }
    }

    // body(count) for all columns; sums_ and b go along.
    void over_columns(const RowAddresses* b, const auto& body) {
        sums_.emplace(c_, c_.gload(arg(offsetof(AxpyArgs, c))), c_row_, spec_.rows, c_row3_);
        const auto advance = [&](int columns) {
            sums_->advance(4 * columns);
            if (!b) return;
            b->advance(columns * bits(spec_.b) / 8);
            if (next_) next_->advance(columns * bits(spec_.b) / 8);
        };
        const Gpr n = c_.gload(arg(offsetof(AxpyArgs, columns)));
        c_.gsub(n, n, columns_ - 1);
        c_.if_positive(n);
        c_.loop();
        body(Count::all);
        advance(columns_);
        c_.end_loop(n, columns_);
        c_.end_if();
        if (is_sub_byte(spec_.b)) return;
        c_.gadd(n, n, columns_ - 1);
        c_.if_positive(n);
        if (c_.target().masks) {
            tails_.clear();
            for (int v = 0; v < columns_ / lanes_; ++v) {
                if (v) c_.gsub(n, n, lanes_);
                tails_.push_back(c_.mask_first(n));
            }
            body(Count::tail);
        } else {
            c_.loop();
            body(Count::one);
            advance(1);
            c_.end_loop(n, 1);
        }
        c_.end_if();
    }

    void pass(int depth) {
        fours_ ? load_fours(depth) : load_a(depth);
        const Mem a_at = arg(offsetof(AxpyArgs, a)), b_at = arg(offsetof(AxpyArgs, b)),
                  a_step = arg(offsetof(AxpyArgs, a_step));
        b_.emplace(c_, fours_ ? c_.gload(b_at) : c_.gcopy(b_at_), b_row_, depth, b_row3_);
        const Gpr a = fours_ ? c_.gload(a_at) : a_at_, b = fours_ ? c_.gload(b_at) : b_at_; // of the next pass
        for (int k = 0; k < depth; ++k) {
            fours_ ? c_.gadd_mem(a, a, a_step) : c_.gadd(a, a, a_step_);
            c_.gadd(b, b, b_row_);
        }
        if (fours_) c_.gstore(a_at, a), c_.gstore(b_at, b);
        if (spec_.prefetches) next_.emplace(c_, fours_ ? b : c_.gcopy(b), b_row_, depth, b_row3_);
        over_columns(&*b_, [&](Count count) {
            for (int k = 0; k < depth && next_; ++k) c_.prefetch(next_->at(k), 0);
            fours_ ? columns_of_fours(depth, count) : words_ ? columns_of_bytes(depth, count) : columns(depth, count);
        });
    }

    const FewRowsSpec& spec_;
    Code c_;
    Codec codec_;
    Interleaver interleaver_;
    const bool fours_, words_;
    const int lanes_, columns_;                                  // of a vector of C; at once
    Gpr c_row_, c_row3_, b_row_, b_row3_, b_at_, a_at_, a_step_; // the last three in memory instead, of fours
    std::optional<RowAddresses> sums_, b_, next_;                // next_: of B, prefetched
    std::vector<Mask> tails_;                                    // of the columns, from those of every vector of C on
    std::vector<Vec> a_ = std::vector<Vec>(64);
    std::vector<Vec> corrections_; // of fours of the same sign: what makes up for the bits that were flipped in B
    Vec order_;
};

} // namespace

Code build_axpy(const Target& target, const FewRowsSpec& spec) { return AxpyBuilder(target, spec).build(); }

} // namespace tessera::cpu
