// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/at_fork.hpp"
#include "core/cache/lru.hpp"
#include "core/division.hpp"
#include "core/made_once.hpp"
#include "cpu/jit/regalloc.hpp"
#include "cpu/tiles/amx/contract.hpp"
#include "cpu/tiles/dot/kernel/epilogue.hpp"
#include "cpu/tiles/dot/kernel/interleave.hpp"
#include "cpu/tiles/dot/kernel/products.hpp"
#include "cpu/tiles/dot/kernel/row_addresses.hpp"

namespace tessera::cpu {

using namespace jit;

namespace {

constexpr int columns_of_panel = 16, most_panels = 4, most_sets = 4;
constexpr int most_rows = 28; // 6 bases and 8 other general registers
// Steps by which B is read ahead into L1, by blocks large enough to hide that. With B in L2, 8x48 of f32: 0.73 -> 0.80
// of the peak where a neighbour has half of the core.
constexpr int steps_ahead = 8, large_block = 16;

int vectors_of(const Target& target, const DotSpec& spec) {
    const int lanes = target.vector_bytes / 4, last = spec.last ? spec.last : columns_of_panel;
    return (spec.panels - 1) * columns_of_panel / lanes + int(ceil_div(last, lanes));
}

// What is left for sums.
int registers_for_sums(const Target& target, const DotSpec& spec) {
    const int others = vectors_of(target, spec) + 1 + Products::temporaries(target, spec);
    const int between = spec.interleaves ? Interleaver::registers(spec.b, spec.panels) : 0;
    return target.vectors - (target.masks ? 0 : 1) - others - between; // one is the emitter's
}

// Copies of the sums, each of every sets-th step: two products start a cycle, and one takes four.
int sets_of(const Target& target, const DotSpec& spec) {
    const int sums = spec.rows * vectors_of(target, spec);
    int sets = 1;
    while (sets < most_sets && sets * sums < 8 && 2 * sets * sums <= registers_for_sums(target, spec)) sets *= 2;
    return sets;
}

class BlockBuilder {
public:
    BlockBuilder(const Target& target, const DotSpec& spec)
        : spec_(spec), c_(target), products_(c_, spec), sets_(sets_of(target, spec)),
          vectors_(vectors_of(target, spec)), vectors_of_panel_(columns_of_panel * 4 / target.vector_bytes) {}

    Code build() {
        products_.prepare();
        if (spec_.interleaves) interleaver_.emplace(c_, spec_.b).prepare();
        arguments();
        start();
        in_loops(
            c_, spec_.loops - 1, [&] { all_steps(); },
            [&](Mem a, Mem b) {
                a_->advance(a), b_->advance(b);
                if (ahead_) ahead_->advance(b);
            });
        results();
        return std::move(c_);
    }

private:
    Mem arg(size_t at) const { return {c_.args(), int64_t(at)}; }
    bool in_tail(int vector) const { return spec_.tail && vector == vectors_ - 1; }
    int columns_of(int panel) const { return spec_.last && panel == spec_.panels - 1 ? spec_.last : columns_of_panel; }
    // Columns of a vector, and in bytes of sums; 0: all.
    int lanes_of(int vector) const {
        return columns_in(vector % vectors_of_panel_, c_.width() / 4, columns_of(vector / vectors_of_panel_));
    }
    int bytes_of(int vector) const { return lanes_of(vector) * 4 % c_.width(); }
    Vec& sum(int set, int row, int vector) { return sum_[size_t((set * spec_.rows + row) * vectors_ + vector)]; }

    void arguments() {
        const auto loaded = [&](bool needed, size_t at) { return needed ? c_.gload(arg(at)) : Gpr{}; };
        const Gpr a = c_.gload(arg(offsetof(DotArgs, a))), a_row = loaded(spec_.rows > 1, offsetof(DotArgs, a_row));
        a_.emplace(c_, a, a_row, spec_.rows);
        a_step_ = loaded(!spec_.a_dense, offsetof(DotArgs, a_step));
        const Gpr b = c_.gload(arg(offsetof(DotArgs, b)));
        b_step_ = c_.gload(arg(offsetof(DotArgs, b_step)));
        if (spec_.interleaves) {
            b_.emplace(c_, b, c_.gload(arg(offsetof(DotArgs, b_row))), interleaver_->rows());
            if (!spec_.tail) return;
            const Gpr columns = c_.gload(arg(offsetof(DotArgs, columns)));
            tail_ = c_.mask_first(columns);
            c_.gadd(columns, columns,
                    (spec_.panels - 1) % (interleaver_->columns_at_once() / columns_of_panel) * columns_of_panel);
            b_tail_ = c_.mask_first(columns);
            return;
        }
        const Gpr b_panel = loaded(spec_.panels > 1, offsetof(DotArgs, b_panel));
        b_.emplace(c_, b, b_panel, spec_.panels);
        if (spec_.rows * vectors_ >= large_block && !spec_.b_ahead && !spec_.b_near)
            ahead_.emplace(c_, c_.gaddress({b, 0, b_step_, steps_ahead}), b_panel, spec_.panels, b_->stride3());
        if (spec_.tail) tail_ = c_.mask_first(c_.gload(arg(offsetof(DotArgs, columns))));
    }

    Mem b_at(int vector) const {
        return b_->at(vector / vectors_of_panel_, vector % vectors_of_panel_ * Products::b_bytes(c_.target(), spec_));
    }

    // Of kernels that interleave, which have a vector a panel.
    std::vector<Vec> row_of_b(bool shorter) {
        std::vector<Vec> all;
        const int at_once = interleaver_->columns_at_once() / columns_of_panel;
        for (int panel = 0; panel < spec_.panels; panel += at_once) {
            std::vector<Mem> rows;
            const int64_t disp = int64_t(panel) * columns_of_panel * bits(spec_.b) / 8;
            for (int r = 0; r < interleaver_->rows() - (shorter ? spec_.b_short : 0); ++r)
                rows.push_back(b_->at(r, disp));
            const int here = std::min(at_once, spec_.panels - panel);
            const bool tail = spec_.tail && panel + here == spec_.panels;
            for (const Vec v : interleaver_->vectors(rows, here, tail ? &b_tail_ : nullptr))
                all.push_back(products_.shifted(v));
        }
        return all;
    }

    void step(int64_t a_disp, int set, bool shorter = false) {
        for (int p = 0; ahead_ && p < spec_.panels; ++p) c_.prefetch(ahead_->at(p), 0);
        for (int p = 0; spec_.b_ahead && !spec_.interleaves && p < spec_.panels; ++p)
            c_.prefetch(b_->at(p, spec_.b_ahead), 0);
        for (int phase = 0; phase < products_.phases(); ++phase) {
            std::vector<Vec> b;
            if (spec_.interleaves) b = row_of_b(shorter);
            for (int v = 0; !spec_.interleaves && v < vectors_; ++v)
                b.push_back(products_.b(b_at(v), phase, spec_.b_whole ? c_.width() / 4 : lanes_of(v),
                                        in_tail(v) ? &tail_ : nullptr));
            for (int r = 0; r < spec_.rows; ++r) {
                const Vec a = products_.a(a_->at(r, a_disp), phase, shorter ? spec_.a_short : 0);
                for (int v = 0; v < vectors_; ++v) products_.add(sum(set, r, v), a, b[size_t(v)]);
            }
        }
        b_->advance(b_step_);
        if (ahead_) ahead_->advance(b_step_);
        if (!spec_.a_dense) a_->advance(a_step_);
    }

    void all_steps() {
        const int64_t size = Products::a_bytes(spec_);
        const Gpr n = c_.gload(arg(offsetof(DotArgs, steps)));
        // Small blocks repeat more: a loop costs as many instructions as they do. Large ones twice: a quarter less code
        // than by four (8x48: 1451 bytes for 1899), and no slower.
        const int unroll = spec_.rows * vectors_ < 16 ? 4 : 2;
        c_.gsub(n, n, unroll - 1);
        c_.if_positive(n);
        c_.loop();
        for (int u = 0; u < unroll; ++u) step(spec_.a_dense ? u * size : 0, u % sets_);
        if (spec_.a_dense) a_->advance(unroll * size);
        c_.end_loop(n, unroll);
        c_.end_if();
        c_.gadd(n, n, unroll - 1);
        c_.if_positive(n);
        c_.loop();
        step(0, 0);
        if (spec_.a_dense) a_->advance(size);
        c_.end_loop(n, 1);
        c_.end_if();
        if (!spec_.a_short && !spec_.b_short) return;
        c_.if_positive(c_.gload(arg(offsetof(DotArgs, ends))));
        step(0, 0, true);
        c_.end_if();
    }

    // Zeros, or what makes up for the 128 of A + 128 or of B + 128.
    void start() {
        std::vector<Vec> first;
        if (spec_.corrected) {
            const Gpr sums = c_.gload(arg(offsetof(DotArgs, sums)));
            const Vec zero = c_.zero();
            for (int v = 0; v < vectors_; ++v)
                first.push_back(
                    c_.op2(VOp::isub, zero, c_.shift(VOp::shl, c_.load({sums, int64_t(v) * c_.width()}), 7)));
        }
        const Vec zero = spec_.corrected ? c_.zero() : Vec{};
        Gpr starts;
        if (spec_.shifts_b) starts = c_.gload(arg(offsetof(DotArgs, starts)));
        for (int n = 0; n < sets_ * spec_.rows * vectors_; ++n) {
            if (spec_.shifts_b && n < spec_.rows * vectors_) {
                sum_.push_back(c_.broadcast({starts, int64_t(n / vectors_) * 4}, 4));
                continue;
            }
            const bool corrects = spec_.corrected && n < spec_.rows * vectors_;
            sum_.push_back(corrects ? c_.op2(VOp::iadd, zero, first[size_t(n % vectors_)]) : c_.zero());
        }
    }

    void results() {
        for (int set = 1; set < sets_; ++set)
            for (int r = 0; r < spec_.rows; ++r)
                for (int v = 0; v < vectors_; ++v) products_.add(sum(0, r, v), sum(set, r, v));
        // Row by row, whose panels mostly follow each other: by panels 2446x8x64 took 1.3 times as long.
        const auto each = [&](auto f) {
            const auto loaded = [&](bool needed, size_t at) { return needed ? c_.gload(arg(at)) : Gpr{}; };
            const Gpr c = c_.gload(arg(offsetof(DotArgs, c))),
                      panel = loaded(spec_.panels > 1, offsetof(DotArgs, c_panel)),
                      row = loaded(spec_.rows > 1, offsetof(DotArgs, c_row));
            const RowAddresses panels(c_, c, panel, spec_.panels);
            for (int r = 0; r < spec_.rows; ++r) {
                for (int vector = 0; vector < vectors_; ++vector)
                    f(sum(0, r, vector), panels.at(vector / vectors_of_panel_, vector % vectors_of_panel_ * c_.width()),
                      in_tail(vector), bytes_of(vector));
                if (r + 1 < spec_.rows) panels.advance(row);
            }
        };
        const auto store = [&](Vec sum, Mem m, bool tail, int bytes) {
            tail ? c_.store_masked(m, sum, tail_, 4) : c_.store(m, sum, bytes);
        };
        c_.if_positive(c_.gload(arg(offsetof(DotArgs, accumulate))));
        each([&](Vec sum, Mem m, bool tail, int bytes) {
            products_.add(sum, tail ? c_.load_masked(m, tail_, 4) : c_.load(m, bytes));
        });
        c_.end_if();
        if (!spec_.epilogue) return each(store);
        Epilogue(c_, spec_).apply(spec_.rows, spec_.panels, [&](int r, int p, int panels) {
            const int first = p * vectors_of_panel_, count = std::min(panels * vectors_of_panel_, vectors_ - first);
            const int columns = (panels - 1) * columns_of_panel + columns_of(p + panels - 1);
            return Epilogue::Sums{
                {&sum(0, r, first), size_t(count)}, columns, in_tail(first + count - 1) ? &tail_ : nullptr};
        });
    }

    const DotSpec& spec_;
    Code c_;
    Products products_;
    const int sets_, vectors_, vectors_of_panel_;
    std::optional<RowAddresses> a_, b_, ahead_; // panels are the rows of B, or those that are interleaved
    std::optional<Interleaver> interleaver_;
    Mask b_tail_; // of what the last of them has
    Gpr a_step_, b_step_;
    Mask tail_;
    std::vector<Vec> sum_;
};

} // namespace

std::string key(const DotSpec& spec) {
    constexpr const char* kinds[] = {"f32", "bf16", "bf16_fma", "u8s8", "s8_exact", "amx_bf16", "amx_f16", "amx_int8"};
    const std::string behind = spec.epilogue ? fmt::format(" sum {} rows {}{}: {}", spec.sum, spec.epilogue_rows,
                                                           spec.epilogue_dense ? " dense" : "", key(*spec.epilogue))
                                             : "";
    const char* const sums = spec.corrected ? " corrected" : spec.shifts_b ? " B + 128" : "";
    const std::string last = spec.last   ? fmt::format(" {} columns{}", spec.last, spec.b_whole ? "" : " of B")
                             : spec.tail ? " tail"
                                         : "";
    const std::string rows = !spec.interleaves ? ""
                             : spec.b_short    ? fmt::format(" rows {} short", spec.b_short)
                                               : " rows";
    const char* const passes = spec.a_transient ? " passes" : spec.b_transient ? " b passes" : "";
    return fmt::format("dot {} {}x{} {}{} {}{}{}{}{}{}{}{}{}", kinds[int(spec.kind)], spec.rows, spec.panels,
                       name(spec.a),
                       spec.a_words   ? " words"
                       : spec.a_short ? fmt::format(" {} short", spec.a_short)
                       : spec.a_dense ? ""
                                      : " strided",
                       name(spec.b), rows, last, passes, spec.ahead ? fmt::format(" ahead {}", spec.ahead) : "",
                       spec.b_ahead  ? fmt::format(" B ahead {}", spec.b_ahead)
                       : spec.b_near ? " B near"
                                     : "",
                       spec.loops > 1 ? fmt::format(" {} loops", spec.loops) : "", sums, behind);
}

bool can_build_dot(const Target& target, const DotSpec& spec) {
    if (spec.loops < 1 || spec.loops > most_loops) return false;
    if (is_amx(spec.kind)) return can_build_tiles(target, spec);
    if (!Products::supports(target, spec)) return false;
    if (spec.rows < 1 || spec.rows > most_rows || spec.panels < 1 || spec.panels > most_panels) return false;
    if (spec.tail && (!target.masks || spec.last)) return false;
    if (spec.last < 0 || spec.last >= columns_of_panel || (spec.last && !spec.b_whole && spec.kind != DotKind::f32))
        return false;
    if (spec.a_short && !Products::can_be_short(spec)) return false;
    const bool pairs_or_fours = spec.kind == DotKind::bf16 || spec.kind == DotKind::u8s8;
    if (spec.interleaves && (!pairs_or_fours || !Interleaver::supports(target, spec.b) || spec.corrected)) return false;
    if (spec.b_short && (!spec.interleaves || spec.b_short < 0 || spec.b_short * bits(spec.b) >= 32 || spec.loops > 1))
        return false;
    if (spec.corrected && spec.kind != DotKind::u8s8) return false;
    if (spec.shifts_b && (spec.kind != DotKind::u8s8 || spec.a != DataType::s8 || spec.corrected)) return false;
    return spec.rows * vectors_of(target, spec) <= registers_for_sums(target, spec);
}

namespace {

// Whether kernels keep their sums in registers is found by allocating them, which takes as long as making one: once.
using Fits = Lru<std::string, bool>;
constexpr size_t most_fits = 4096;
constinit std::mutex fits_lock;
constinit MadeOnce<Fits> all_fits;
const bool fits_at_fork = at_fork(fits_lock, [] {
    if (Fits* made = all_fits.if_made()) made->forget_unfinished();
});

bool fits_registers(const Target& target, const DotSpec& spec) {
    const std::string name = key(target) + " " + key(spec);
    Fits& fits = all_fits.get([] { return Fits(fits_lock, most_fits); });
    const auto found = fits.get(name, std::hash<std::string>()(name), [&]() -> Fits::Made {
        const auto allocation = allocate(build_dot(target, spec));
        return std::make_shared<const bool>(allocation && allocation->slots == 0);
    });
    if (!found.value) throw std::bad_alloc();
    return **found.value;
}

} // namespace

bool epilogue_fits(const Target& target, const DotSpec& spec) {
    if (is_amx(spec.kind) || !Epilogue::supports(spec) || !can_build_dot(target, spec)) return false;
    if (Epilogue::registers(spec) + spec.rows * vectors_of(target, spec) <= target.vectors - (target.masks ? 0 : 1))
        return true;
    return fits_registers(target, spec);
}

Code build_dot(const Target& target, const DotSpec& spec) {
    return is_amx(spec.kind) ? build_tiles(target, spec) : BlockBuilder(target, spec).build();
}

} // namespace tessera::cpu
