// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/transpose/panel.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/plan/unit.hpp"

namespace tessera::cpu {

int64_t Panels::count() const {
    int64_t n = 1;
    for (const PanelLoop& l : loops) n *= l.panels();
    return n;
}

void Panels::place(int64_t u, int64_t& s, int64_t& d) const {
    s = src_base, d = dst_base;
    UnitIndex index(u);
    for (size_t k = loops.size(); k-- > 0;) {
        const PanelLoop& l = loops[k];
        const int64_t i = l.start(index.next(l.panels()));
        s += l.loop.offset(0, i) * source, d += l.loop.offset(1, i) * element;
    }
}

std::string Panels::text() const {
    std::string text;
    for (const PanelLoop& l : loops) text += fmt::format("{}{}/{}", text.empty() ? "" : " . ", l.loop.extent, l.size);
    return text;
}

Panels panels_of(const Move& move) {
    Panels p;
    for (const Loop& l : move.step.nest.loops) p.loops.push_back({l, 1, 0});
    p.src_base = move.at(0), p.dst_base = move.at(1);
    p.source = move.source, p.element = move.element;
    return p;
}

size_t dense(const std::vector<PanelLoop>& loops, size_t operand, int64_t stride) {
    for (size_t k = 0; k < loops.size(); ++k)
        if (!loops[k].loop.indexed() && loops[k].loop.extent > 1 && loops[k].loop.stride[operand] == stride) return k;
    return loops.size();
}

bool prepare(WholeMover& whole, const Move& move, const std::vector<PanelLoop>& loops, bool into_buffer,
             TransposeSpec spec, bool streams, bool along_dst) {
    Nest nest;
    for (const PanelLoop& l : loops) {
        if (l.size == 1) continue;
        Loop loop;
        loop.extent = l.size;
        loop.stride[0] = into_buffer ? l.loop.stride[0] : l.buffer;
        loop.stride[1] = into_buffer ? l.buffer : l.loop.stride[1];
        nest.loops.push_back(loop);
    }
    nest = coalesce(order(nest, 2, 1), 2);
    spec.stream = false;
    auto choice = choose_transpose(nest, spec, move.target, move.context);
    if (!choice || choice->loops.size() > most_loops) return false;
    for (TiledLoop& t : choice->loops) {
        if (t.tiles > 1 && t.level < 0) return false;
        t.block = t.tiles;
        if (along_dst && (t.level == 0 || t.level == 1)) t.level = 1 - t.level;
    }
    choice->units = 1;
    int levels = 0; // those in use must be the inner ones
    for (const TiledLoop& t : choice->loops) levels += t.level >= 0;
    if (levels == 1)
        for (TiledLoop& t : choice->loops)
            if (t.level == 1) t.level = 0;
    for (size_t k = 0; k < choice->loops.size(); ++k) {
        whole.block.count[k] = choice->loops[k].tiles;
        whole.src[k] = choice->loops[k].loop.stride[0] * spec.source;
        whole.dst[k] = choice->loops[k].loop.stride[1] * spec.element;
    }
    for (size_t o = 2; o < move.plan.operands.size(); ++o) whole.mover.broadcast_at[o] = move.at(o);
    whole.mover.choice = *std::move(choice);
    return whole.mover.make_kernels(move.target, streams, false, false);
}

std::vector<int64_t> rows_of(const std::vector<PanelLoop>& loops, size_t operand, int64_t element,
                             const std::function<bool(size_t)>& take) {
    std::vector<size_t> order;
    for (size_t k = 0; k < loops.size(); ++k)
        if (loops[k].size > 1 && take(k)) order.push_back(k);
    std::sort(order.begin(), order.end(), [&](size_t x, size_t y) { return loops[x].buffer < loops[y].buffer; });
    std::vector<int64_t> rows{0};
    for (size_t k : order) {
        const size_t had = rows.size();
        for (int64_t i = 1; i < loops[k].size; ++i)
            for (size_t r = 0; r < had; ++r) rows.push_back(rows[r] + i * loops[k].loop.stride[operand] * element);
    }
    return rows;
}

int64_t odd_pitch(int64_t bytes) { return std::max<int64_t>(ceil_div(bytes, line_bytes) | 1, 3) * line_bytes; }

} // namespace tessera::cpu
