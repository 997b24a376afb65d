// SPDX-License-Identifier: Apache-2.0
// A row of the list is short, and where it ends is hard to foresee: what is done once a row counts as much as what is
// done once an element. No gathers for one column: three loads an element from the first level are as fast.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "core/division.hpp"
#include "cpu/tiles/dot/kernel/row_addresses.hpp"
#include "cpu/tiles/sparse/contract.hpp"

namespace tessera::cpu {

using namespace jit;

namespace {

constexpr int at_once = 4; // elements of a row

class Builder {
public:
    Builder(const Target& target, const SparseSpec& spec)
        : spec_(spec), c_(target), size_(bits(spec.type) / 8),
          bytes_(register_bytes(spec.columns, target.vector_bytes)), lanes_(bytes_ / 4),
          vectors_(int(ceil_div(spec.columns, lanes_))), chains_(sparse_chains(target, spec)) {}

    // Few columns take a part of the registers: two loads of 64 bytes a cycle are three of 32 or less.
    static int register_bytes(int columns, int most) {
        return std::clamp(int(std::bit_ceil(unsigned(4 * columns))), 16, most);
    }

    Code build();

private:
    Mem arg(size_t at) const { return {c_.args(), int64_t(at)}; }
    int columns_of(int vector) const { return std::min(lanes_, spec_.columns - vector * lanes_); }
    // Of the last vector, no more than it needs: a masked load of 64 bytes is slow where 64 bytes cross a line.
    int bytes_of(int vector) const { return register_bytes(columns_of(vector), bytes_); }
    const Mask* tail_of(int vector) const {
        const bool one_load =
            std::has_single_bit(unsigned(columns_of(vector) * size_)) && columns_of(vector) * size_ > 2;
        return tail_ && !one_load ? &*tail_ : nullptr;
    }
    Vec decoded(Vec x, int bytes) { return spec_.type == DataType::f32 ? x : c_.unary(VOp::f16_to_f32, x, bytes); }
    Vec same(Mem element) { return decoded(c_.broadcast(element, size_, std::max(16, bytes_ * size_ / 4)), bytes_); }
    Vec dense(int vector, Mem row) {
        row.disp += int64_t(vector) * lanes_ * size_;
        if (spec_.columns == 1) return same(row); // 2 bytes alone would need a mask
        const int bytes = std::max(16, bytes_of(vector) * size_ / 4);
        return decoded(tail_of(vector) ? c_.load_masked(row, *tail_, size_, bytes)
                                       : c_.load(row, columns_of(vector) * size_),
                       bytes_of(vector));
    }
    Vec value(int element) { return same({values_, int64_t(element) * size_}); }
    void row(const auto& element);
    void ask_for(int element);
    void sum(int element, int chain);
    void store_sums();
    void scatter(int element);

    const SparseSpec& spec_;
    Code c_;
    const int size_, bytes_, lanes_, vectors_, chains_; // of an element, of a vector of f32
    std::optional<Mask> tail_;
    Gpr values_, numbers_, starts_, dense_, dense_row_, out_;
    std::vector<Vec> sums_;          // by chain, then vector
    std::vector<Vec> dense_columns_; // of the row, where sums are scattered
};

// element(i) for all elements of the row at starts_: i of at_once counts from values_ and numbers_ on.
void Builder::row(const auto& element) {
    const Gpr first = c_.gload_s32({starts_});
    const Gpr left = c_.gload_s32({starts_, 4});
    c_.gsub(left, left, first);
    values_ = c_.gshl(first, std::countr_zero(unsigned(size_)));
    c_.gadd_mem(values_, values_, arg(offsetof(SparseArgs, values)));
    numbers_ = c_.gshl(first, 2);
    c_.gadd_mem(numbers_, numbers_, arg(offsetof(SparseArgs, numbers)));
    in_groups(c_, left, {at_once, 1}, [&](int count) {
        for (int i = 0; i < count; ++i) element(i);
        c_.gadd(values_, values_, count * size_);
        c_.gadd(numbers_, numbers_, count * 4);
    });
    c_.gadd(starts_, starts_, 4);
}

// The row of D of an element further on in the list, in this row or in a later one.
void Builder::ask_for(int element) {
    const Gpr at = c_.gmin(c_.gaddress({numbers_, element * 4}), c_.gload(arg(offsetof(SparseArgs, last))));
    const Gpr row = c_.gmul(c_.gload_s32({at}), dense_row_);
    for (int b = 0; b < spec_.columns * size_; b += cache_line) c_.prefetch({dense_, b, row, 1}, 0);
}

void Builder::sum(int element, int chain) {
    const Gpr number = c_.gload_s32({numbers_, element * 4});
    const Mem row = spec_.adjacent ? Mem{dense_, 0, number, size_} : Mem{dense_, 0, c_.gmul(number, dense_row_), 1};
    if (spec_.prefetches) ask_for(element + sparse_ahead);
    const Vec x = value(element);
    for (int v = 0; v < vectors_; ++v)
        c_.fma_into(sums_[size_t(chain * vectors_ + v)], x, dense(v, row), 4, bytes_of(v));
}

void Builder::store_sums() {
    for (int apart = chains_ / 2; apart; apart /= 2)
        for (int i = 0; i < apart * vectors_; ++i)
            c_.op2_into(VOp::fadd, sums_[size_t(i)], sums_[size_t(i)], sums_[size_t(i + apart * vectors_)], 4, bytes_);
    for (int v = 0; v < vectors_; ++v) {
        const Vec x = size_ == 4 ? sums_[size_t(v)] : c_.unary(VOp::f32_to_f16, sums_[size_t(v)], bytes_of(v));
        const Mem m{out_, int64_t(v) * lanes_ * size_};
        if (tail_of(v))
            c_.store_masked(m, x, *tail_, size_, std::max(16, bytes_of(v) * size_ / 4));
        else
            c_.store(m, x, columns_of(v) * size_);
    }
    c_.gadd_mem(out_, out_, arg(offsetof(SparseArgs, out_row)));
}

void Builder::scatter(int element) {
    const int64_t row_bytes = sparse_sums_bytes(c_.target(), spec_.columns);
    const Gpr number = c_.gload_s32({numbers_, element * 4});
    const Gpr row = row_bytes <= 8 ? number : c_.gmul(number, row_bytes);
    const int scale = row_bytes <= 8 ? int(row_bytes) : 1, bytes = int(std::min<int64_t>(row_bytes, bytes_));
    const Vec x = value(element);
    for (int v = 0; v < vectors_; ++v) {
        const Mem m{out_, int64_t(v) * bytes_, row, scale};
        const Vec all = c_.load(m, bytes);
        c_.fma_into(all, x, dense_columns_[size_t(v)], 4, bytes_);
        c_.store(m, all, bytes);
    }
}

Code Builder::build() {
    if (c_.target().masks && spec_.columns > 1 && spec_.columns % lanes_)
        tail_ = c_.mask_constant((uint64_t(1) << spec_.columns % lanes_) - 1);
    starts_ = c_.gload(arg(offsetof(SparseArgs, starts)));
    dense_ = c_.gload(arg(offsetof(SparseArgs, dense)));
    if (!spec_.adjacent) dense_row_ = c_.gload(arg(offsetof(SparseArgs, dense_row)));
    out_ = c_.gload(arg(offsetof(SparseArgs, out)));
    const Gpr rows = c_.gload(arg(offsetof(SparseArgs, rows)));
    c_.loop();
    if (spec_.scatters) {
        dense_columns_.clear();
        for (int v = 0; v < vectors_; ++v) dense_columns_.push_back(dense(v, {dense_}));
        row([&](int element) { scatter(element); });
        spec_.adjacent ? c_.gadd(dense_, dense_, size_) : c_.gadd(dense_, dense_, dense_row_);
    } else {
        for (int i = 0; i < chains_ * vectors_; ++i) sums_.push_back(c_.zero());
        row([&](int element) { sum(element, element % chains_); });
        store_sums();
    }
    c_.end_loop(rows, 1);
    return std::move(c_);
}

} // namespace

std::string key(const SparseSpec& spec) {
    return fmt::format("sparse {} of {} columns{}{}{}", name(spec.type), spec.columns,
                       spec.scatters ? ", scattered" : "", spec.adjacent ? ", adjacent" : "",
                       spec.prefetches ? ", prefetching" : "");
}

// As many as hide that a sum waits for the one before (4 cycles, 2 a cycle), if they have registers.
int sparse_chains(const Target& target, const SparseSpec& spec) {
    const int vectors = int(ceil_div(spec.columns, target.vector_bytes / 4));
    return spec.scatters ? 1 : vectors <= 2 ? 4 : vectors <= 4 ? 2 : 1;
}

int64_t sparse_sums_bytes(const Target& target, int64_t columns) {
    const int64_t bytes = 4 * columns;
    return bytes <= target.vector_bytes ? int64_t(std::bit_ceil(uint64_t(bytes)))
                                        : round_up(bytes, target.vector_bytes);
}

Code build_sparse(const Target& target, const SparseSpec& spec) { return Builder(target, spec).build(); }

} // namespace tessera::cpu
