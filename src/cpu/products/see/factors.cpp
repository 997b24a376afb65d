// SPDX-License-Identifier: Apache-2.0
// A and B where they lie, if kernels can read them there: their views, k as loops of both, and parts of k that packs
// may cover.
#include <cstdlib>
#include <numeric>

#include "core/division.hpp"
#include "cpu/jit/codec.hpp"
#include "cpu/products/loops.hpp"
#include "cpu/products/see/seen.hpp"
#include "cpu/tiles/dot/kernel/interleave.hpp"

namespace tessera::cpu {

namespace {

Few<int64_t, 4> extents_of(const Modes& k) {
    Few<int64_t, 4> extents;
    for (const Mode& loop : k) extents.push_back(loop.extent);
    return extents;
}

int64_t innermost(const Modes& modes) { return modes.empty() ? 0 : modes.back().stride; }

// Whether columns lie in panels of 16, `step` elements apart.
bool are_panels(const Modes& n, int64_t columns, int64_t step) {
    const int64_t apart = offset_in(n, 16);
    const auto fits = [&](int64_t i) { return offset_in(n, i) == i / 16 * apart + i % 16 * step; };
    for (int64_t i = 0; i < std::min<int64_t>(columns, 64); ++i)
        if (!fits(i)) return false;
    return n.size() <= 2 && fits(columns - 1);
}

class FactorsInPlace {
public:
    explicit FactorsInPlace(Seen& seen) : x(seen), p(seen.p), shape(seen.shape), step_(step_of(seen.kind)) {
        see_step();
    }

    // Whether kernels can read it; before see_b().
    bool see_a() {
        if (p.left.operand < 0 || (p.left.zero >= 0 && !x.views.integers)) return false;
        const auto f = x.flat_of(p.left.operand);
        const DataType type = x.type_of(p.left.operand);
        if (!f || type != x.a_type) return false;
        // Sums of A's rows are those of rows a stride apart, those of groups of a single loop over k as well.
        if (!is_strided(f->m) && (x.sums.rows || x.groups.length)) return false;
        if (!is_strided(f->k) && x.groups.length) return false;
        const size_t loops = f->k.size();
        DotView& a = x.views.a = x.view(p.left.operand, *f, innermost(f->m), innermost(f->k));
        if (!is_strided(f->m)) a.rows = f->m;
        shape.a_dense = a.column == 1 || p.depth == 1;
        const int64_t whole = p.depth < step_ ? vnni_factor(x.kind) : step_; // of a single step as many groups
        shape.a_fits = step_ == 1 || (shape.a_dense && p.depth % whole == 0);
        // Kernels of vectors take less than a step from what lies before it.
        if (!shape.a_fits && shape.a_dense && !is_amx(x.kind) && p.depth >= step_ && loops == 1 && !x.groups.length &&
            !x.sums.rows) {
            shape.a_fits = true;
            shape.a_short = int((round_up(p.depth, step_) - p.depth) * bits(type) / 8);
        }
        x.a_k = loops > 1 ? f->k : Modes{{p.depth, a.column}};
        shape.a_pitch = a.bytes(a.row);
        if (!shape.a_dense) shape.a_step = a.bytes(a.column);
        if (loops > 1) {
            shape.a_fits &= fits_loops(f->k);
            if (shape.a_fits) shape.loops = extents_of(f->k);
        }
        return shape.a_fits;
    }

    bool see_b() {
        if (p.right.operand < 0 || (p.right.zero >= 0 && !x.views.integers)) return false;
        const auto f = x.flat_of(p.right.operand);
        const DataType type = x.type_of(p.right.operand);
        const int64_t vnni = vnni_factor(x.kind);
        const bool readable = vnni > 1 ? type == x.b_type : jit::Codec::supports(type, ValueType::f32);
        if (!f || !x.is_bytes(p.right.operand) || !readable) return false;
        DotView b = x.view(p.right.operand, *f, 0, 0);
        const bool rows = is_strided(f->n) && is_strided(f->k) && (stride_of(f->n) == 1 || p.columns == 1);
        if (vnni == 1 && rows)
            b.row = stride_of(f->k), b.panel = 16, shape.b_fits = true, shape.b_pitch = b.bytes(b.row);
        else if (const int64_t panel = is_padded(x, p.right.operand, step_) ? panels_of(x, *f, vnni) : 0)
            b.row = 16 * step_, b.panel = panel, shape.b_fits = true, shape.b_whole = ends_panel(*f);
        x.b_k = {{p.depth, shape.b_pitch ? b.row : 16}};
        if (shape.b_fits)
            x.views.b = b, shape.b = type;
        else if (see_loops_of_b(*f, type))
            shape.b_fits = true, shape.b = type;
        else if (rows && can_interleave())
            b.row = stride_of(f->k), b.panel = 16, x.b_rows = b, shape.rows_pitch = b.bytes(b.row);
        return shape.b_fits;
    }

    // Packs of a part of k begin and end with iterations of loops over it. Where elements that are neighbours in
    // memory, along k alone, are not those of the innermost loop, each part would read all lines of the others again:
    // weights oihw, 3x3 taps, by parts of input channels, 0.78 of the speed of one pack.
    void see_cuts() const {
        Modes all{{p.depth, 1}};
        if (!shape.loops.empty()) {
            all.clear();
            for (const int64_t extent : shape.loops) all.push_back({extent, 1});
        }
        const auto respects = [&](const MatrixFactor& side) {
            Modes with = all;
            const auto cut = [&](const Flat& f) {
                if (is_strided(f.k) || x.groups.length) return is_strided(f.k); // groups decide where parts end
                const Modes& own = f.m.empty() ? f.n : f.m;
                const bool dense = !own.empty() && own.back().stride == 1;
                const auto nearer = [&](const Mode& loop) {
                    return std::abs(loop.stride) < std::abs(f.k.back().stride);
                };
                if (!dense && std::ranges::any_of(f.k, nearer)) return false;
                auto loops = common_loops(with, f.k);
                if (loops) with = std::move(loops->a);
                return loops.has_value();
            };
            if (!x.all_are(side, cut)) return false;
            all = std::move(with);
            return true;
        };
        shape.a_cuts = respects(p.left), shape.b_cuts = x.pairs_spec || respects(p.right);
        if (all.size() > 1) shape.cuts = extents_of(all);
    }

private:
    // Tiles over A in place, of whose loops over k whole steps of theirs are no parts.
    void see_step() {
        if (!is_amx(x.kind) || x.groups.length || p.left.operand < 0 || x.type_of(p.left.operand) != x.a_type) return;
        const auto a = x.flat_of(p.left.operand);
        if (!a || a->k.empty() || a->k.back().stride != 1) return;
        int64_t length = a->k.back().extent;
        if (p.right.operand >= 0)
            if (const auto b = x.flat_of(p.right.operand))
                if (const auto steps = without_steps(b->k, vnni_factor(x.kind)))
                    length = std::gcd(length, steps->back().extent);
        if (length % step_ && p.depth > step_) shape.step = fitting_step(x.kind, length, p.depth, p.columns);
        if (shape.step) step_ = shape.step;
    }

    // B in place whose k has several strides, in loops that A shares.
    bool see_loops_of_b(const Flat& f, DataType type) {
        const int64_t vnni = vnni_factor(x.kind);
        if (type != x.b_type || x.groups.length) return false;
        if (extent_of(f.k) != p.depth) return false; // a last block that is not whole is no iteration of a loop
        DotView b = x.view(p.right.operand, f, 0, 0);
        Modes k = f.k;
        int64_t pitch = 0;
        bool whole = false;
        if (vnni == 1 && is_strided(f.n) && (stride_of(f.n) == 1 || p.columns == 1)) {
            b.row = k.back().stride, b.panel = 16, pitch = b.bytes(b.row);
        } else {
            const auto steps = without_steps(k, vnni);
            if (!steps || !are_panels(f.n, p.columns, vnni)) return false;
            k = *steps, b.row = 16 * step_, b.panel = std::max<int64_t>(offset_in(f.n, 16), 1), whole = ends_panel(f);
            if (!x.target.masks && !whole) return false;
        }
        std::optional<DotLoops> loops;
        if (shape.a_fits) loops = common_loops(x.a_k, k);
        if (!loops || !fits_loops(loops->b)) { // A that is packed has any loops
            if (!fits_loops(k) || !can_pack(x, p.left, true)) return false;
            shape.a_fits = false, shape.a_short = 0;
            shape.loops = extents_of(k);
        } else {
            shape.loops = extents_of(loops->b);
        }
        x.views.b = b, x.b_k = k;
        shape.b_pitch = pitch, shape.b_whole = whole;
        return true;
    }

    // Whether kernels have loops over all of k as these modes, the innermost of which is long enough: whole steps, some
    // of them.
    bool fits_loops(const Modes& k) const {
        constexpr int64_t fewest = 4;
        const int64_t length = k.back().extent;
        return k.size() >= 2 && k.size() <= size_t(most_loops) && extent_of(k) == p.depth && length % step_ == 0 &&
               length >= (is_amx(x.kind) ? 1 : fewest) * step_;
    }

    // Whether kernels of pairs and fours can interleave B's rows.
    bool can_interleave() const {
        if ((x.kind != DotKind::bf16 && x.kind != DotKind::u8s8) || x.groups.length) return false;
        return p.right.zero < 0 && !x.sums.columns && !x.sums.by_kernels && Interleaver::supports(x.target, x.b_type);
    }

    // Whether the last panel is whole, with zeros, as memories are padded.
    bool ends_panel(const Flat& f) const {
        return p.columns % 16 == 0 || (p.n.size() == 1 && extent_of(f.n) % 16 == 0);
    }

    Seen& x;
    const Matrices& p;
    DotShape& shape;
    int64_t step_; // of k: elements in a step of the kernel
};

} // namespace

bool is_padded(const Seen& seen, int operand, int64_t step) {
    const Matrices& p = seen.p;
    if (p.depth % step == 0) return true;
    return p.k.size() == 1 &&
           extent_of(seen.space.layouts[size_t(operand)].dims[p.k[0]]) >= ceil_div(p.depth, step) * step;
}

int64_t panels_of(const Seen& seen, const Flat& f, int64_t step) {
    if (f.n.size() > 2 || f.k.size() > 2) return 0;
    const auto fits = [&](int64_t k) { return offset_in(f.k, k) == k / step * 16 * step + k % step; };
    for (int64_t i = 0; i < std::min<int64_t>(seen.p.depth, 64); ++i)
        if (!fits(i)) return 0;
    if (!fits(seen.p.depth - 1) || !are_panels(f.n, seen.p.columns, step)) return 0;
    return std::max<int64_t>(offset_in(f.n, 16), 1);
}

std::optional<DotFault> Seen::see_factors() {
    shape = {.batches = p.batches,
             .rows = p.rows,
             .columns = p.columns,
             .depth = p.depth,
             .a = a_type,
             .b = b_type,
             .a_packed = a_type,
             .b_packed = b_type};
    shape.grouped = groups.length > 0;
    shape.run = views.run_of_rows, shape.run_of_a = views.run_of_a;
    // What tiles leave in memory goes to dst run by run.
    shape.run_packed = is_amx(kind) ? p.rows : views.run_of_c;
    if (shape.grouped || !can_pack(*this, p.left, true)) shape.run_packed = shape.run;
    FactorsInPlace in_place(*this);
    if (!in_place.see_a() && !can_pack(*this, p.left, true))
        return no_strides(*this, DotPart::left, p.left.factor.operand);
    if (!in_place.see_b() && !pairs_spec && !can_pack(*this, p.right, false))
        return no_strides(*this, DotPart::right, p.right.factor.operand);
    in_place.see_cuts();
    return std::nullopt;
}

} // namespace tessera::cpu
