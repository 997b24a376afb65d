// SPDX-License-Identifier: Apache-2.0
#include "core/layout/boxes.hpp"

#include <algorithm>
#include <new>

#include "core/layout/coalesce.hpp"
#include "core/layout/refine.hpp"

namespace tessera {

namespace {

// An offset table has an entry per coordinate. A dimension that would need more than 8 MiB of tables keeps its pieces
// instead, up to a limit (two views with blocks a and b need at most (a + b) / gcd(a, b) pieces and a tail).
constexpr int64_t longest_index = 1 << 20;
constexpr size_t most_pieces = 256;

// Most entries of a table, 1 GiB: allocation may succeed beyond that (overcommit) and fail when it is written.
constexpr int64_t largest_table = int64_t(1) << 27;

} // namespace

Loop indexed_loop(const Dimension& dim) {
    Loop loop;
    loop.extent = dim.end - dim.begin;
    for (size_t v = 0; v < dim.views.size(); ++v) {
        const Modes modes = coalesce(dim.views[v]);
        const int64_t shift = dim.shift.empty() ? 0 : dim.shift[v];
        if (modes.size() == 1 && dim.begin + shift == 0) {
            loop.stride.set(v, modes[0].stride);
            continue;
        }
        if (loop.extent > largest_table) throw std::bad_alloc();
        std::vector<int64_t> offsets;
        offsets.reserve(size_t(loop.extent));
        for (int64_t i = dim.begin; i < dim.end; ++i) offsets.push_back(offset_in(modes, i + shift));
        loop.table.set(v, std::move(offsets));
    }
    return loop;
}

namespace {

// A dimension that no view cuts into blocks is one loop: what refine() would give.
bool is_plain(const Dimension& dim) {
    return dim.begin < dim.end && std::ranges::all_of(dim.views, [](const Modes& m) { return m.size() == 1; });
}
Nest plain_loop(const Dimension& dim) {
    Nest nest;
    Loop& loop = nest.loops.emplace_back();
    loop.extent = dim.end - dim.begin;
    for (size_t v = 0; v < dim.views.size(); ++v) {
        const int64_t stride = dim.views[v][0].stride;
        nest.base.set(v, (dim.begin + (dim.shift.empty() ? 0 : dim.shift[v])) * stride);
        loop.stride.set(v, stride);
    }
    return nest;
}

} // namespace

std::vector<Nest> boxes(std::span<const Dimension> dims) {
    std::vector<std::vector<Nest>> pieces;
    std::vector<bool> may_index;
    pieces.reserve(dims.size());
    for (const Dimension& dim : dims) {
        if (is_plain(dim)) {
            pieces.emplace_back().push_back(plain_loop(dim));
            may_index.push_back(true);
            continue;
        }
        std::vector<Modes> views;
        for (const Modes& m : dim.views) views.push_back(coalesce(m));
        const size_t most = dim.end - dim.begin <= longest_index ? max_boxes : most_pieces;
        auto cut = refine(views, dim.begin, dim.end, most, dim.shift);
        may_index.push_back(most == max_boxes || !cut);
        pieces.push_back(cut ? std::move(*cut) : std::vector<Nest>(most + 1));
    }
    for (;;) {
        size_t product = 1, worst = pieces.size();
        for (size_t d = 0; d < pieces.size(); ++d) {
            product *= pieces[d].size();
            if (may_index[d] && pieces[d].size() > 1 &&
                (worst == pieces.size() || pieces[d].size() > pieces[worst].size()))
                worst = d;
        }
        if (product <= max_boxes || worst == pieces.size()) break;
        Nest nest;
        nest.loops.push_back(indexed_loop(dims[worst]));
        pieces[worst] = {nest};
    }

    std::vector<Nest> result{Nest{}};
    for (const auto& alternatives : pieces) {
        if (alternatives.size() == 1) {
            for (Nest& nest : result) {
                nest.base += alternatives[0].base;
                nest.loops.insert(nest.loops.end(), alternatives[0].loops.begin(), alternatives[0].loops.end());
            }
            continue;
        }
        std::vector<Nest> next;
        for (const Nest& left : result)
            for (const Nest& right : alternatives) {
                Nest joined = left;
                joined.base += right.base;
                joined.loops.insert(joined.loops.end(), right.loops.begin(), right.loops.end());
                next.push_back(std::move(joined));
            }
        result = std::move(next);
    }
    return result;
}

} // namespace tessera
