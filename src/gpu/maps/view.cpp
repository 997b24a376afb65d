// SPDX-License-Identifier: Apache-2.0
#include "gpu/maps/view.hpp"

#include <algorithm>
#include <bit>

#include "core/division.hpp"
#include "core/plan/rewrite/operands.hpp"

namespace tessera::gpu {

namespace {

constexpr int64_t vector_bits = 128; // the most that an instruction moves for a work-item

} // namespace

std::vector<bool> loaded_first(const Program& program, size_t operands) {
    std::vector<bool> loaded(operands, false);
    for (const Op& op : program.ops) {
        if (op.code == OpCode::store) break;
        if (op.code == OpCode::load && size_t(op.operand) < loaded.size()) loaded[size_t(op.operand)] = true;
    }
    bool has_stored = false;
    for (const Op& op : program.ops) {
        has_stored |= op.code == OpCode::store;
        if (has_stored && op.code == OpCode::load && size_t(op.operand) < loaded.size())
            loaded[size_t(op.operand)] = false;
    }
    return loaded;
}

bool has_whole(const Nest& nest, size_t operand, size_t columns, int64_t width) {
    if (nest.loops[columns].extent % width || nest.base[operand] % width) return false;
    return std::ranges::all_of(nest.loops, [&](const Loop& loop) {
        if (&loop == &nest.loops[columns]) return true;
        if (!loop.table[operand]) return loop.stride[operand] % width == 0;
        return std::ranges::all_of(*loop.table[operand], [&](int64_t at) { return at % width == 0; });
    });
}

std::optional<size_t> rows_of_tile(const Plan& plan, const Program* program, const Nest& nest, size_t columns) {
    if (!program || columns == nest.loops.size() || plan.operands.size() < 2) return std::nullopt;
    const Operand& first = plan.operands[0];
    if (first.counted || bits(first.type) < 8) return std::nullopt;
    for (const Op& op : program->ops)
        if (op.code == OpCode::store && op.operand == 0) return std::nullopt;
    const size_t dense = dense_loop(nest, 0);
    if (dense == nest.loops.size() || dense == columns) return std::nullopt;
    const Loop& loop = nest.loops[columns];
    return !loop.table[0] && loop.stride[0] != 0 ? std::optional(dense) : std::nullopt;
}

int64_t statements_of(const MapView& view) { return view.program ? int64_t(view.program->ops.size()) : 1; }

int64_t widest_of(const MapView& view, size_t o) {
    const Loop& columns = view.column_loop();
    if (columns.table[o] || columns.stride[o] != 1) return 1;
    const auto fits = [&](int64_t width) {
        if (width * view.width_bits(o) > vector_bits || width * view.width_bits(o) < 8) return false;
        return has_whole(view.nest, o, view.columns, width);
    };
    for (int64_t width = 16; width > 1; width /= 2)
        if (fits(width)) return width;
    return 1;
}

void set_loadings(MapView& view, int staged, int64_t widest) {
    view.staged = staged;
    view.loadings.assign(view.operands(), Loading::inside);
    const std::vector<bool> loaded =
        view.program ? loaded_first(*view.program, view.operands()) : std::vector<bool>(view.operands());
    const Loop& columns = view.column_loop();
    const auto is_one = [&](size_t o) { return !columns.table[o] && columns.stride[o] == 0; };
    const int64_t storable = std::min(widest_of(view, size_t(view.stored)), widest);
    view.width = storable;
    for (size_t o = 0; o < view.operands(); ++o)
        if (loaded[o] && int(o) != staged && !is_one(o)) view.width = std::min(view.width, widest_of(view, o));
    while (view.width > 1 && view.width * statements_of(view) > most_statements) view.width /= 2;
    const bool of_4_bits = view.width_bits(size_t(view.stored)) == 4;
    if (of_4_bits && widest_of(view, size_t(view.stored)) > 1) view.width = std::max<int64_t>(view.width, 2);
    for (size_t o = 0; o < view.operands(); ++o) {
        if (!loaded[o]) continue;
        const int64_t of_vector = int(o) == staged ? 32 / view.width_bits(o) : std::min(view.width, widest_of(view, o));
        view.loadings[o] = view.width == 1 || (int(o) != staged && is_one(o)) ? Loading::one
                           : of_vector == view.width                          ? Loading::vector
                                                                              : Loading::each;
    }
}

MapView view_of(const DeviceRow& row, const Plan& plan, const Step& step, Nest nest, int stored) {
    MapView view{row, plan};
    if (step.kind != StepKind::fill) view.program = &plan.programs[size_t(step.program)];
    view.stored = stored;
    view.nest = std::move(nest);
    if (view.nest.loops.empty()) view.nest.loops.emplace_back();
    view.columns = dense_loop(view.nest, size_t(stored));
    if (view.columns == view.nest.loops.size()) --view.columns;
    return view;
}

bool MapView::only_copies() const {
    if (!program) return true;
    if (!is_copy(*program) || !packs()) return false;
    const auto from = size_t(program->ops[0].operand);
    return loadings[from] == Loading::vector && width_bits(from) == width_bits(size_t(stored));
}

// 16, which pays for finding the place of a group: on an H200 copies of 205 MB of f32 take 132 us with 4 points, 112
// with 8, 107 with 16. As many bytes of narrower types.
int64_t MapView::most_points() const {
    int widest = width_bits(size_t(stored));
    for (size_t o = 0; o < operands(); ++o)
        if (loadings[o] != Loading::inside) widest = std::max(widest, width_bits(o));
    return std::clamp(512 / widest, 16, 64);
}

int64_t MapView::points() const {
    const int64_t share = ceil_div(nest.points(), 2 * row.units * row.lanes);
    return std::clamp<int64_t>(int64_t(std::bit_ceil(uint64_t(share))), 4, most_points());
}

int staged_on_gpu(const MapView& view) {
    constexpr int64_t shortest = 8; // neighbours that read shorter rows find them in the cache
    const auto dense = rows_of_tile(view.plan, view.program, view.nest, view.columns);
    if (!dense) return -1;
    const Loop &rows = view.nest.loops[*dense], &columns = view.column_loop();
    if (columns.table[size_t(view.stored)] || columns.stride[size_t(view.stored)] != 1) return -1;
    if (std::min(rows.extent, columns.extent) < shortest) return -1;
    return rows.extent * columns.extent >= view.row.lanes ? 0 : -1;
}

Launch launch_on_gpu(MapView view) {
    const int staged = staged_on_gpu(view);
    set_loadings(view, staged, staged < 0 ? 16 : std::max(32 / view.width_bits(size_t(staged)), 1));
    Launch launch = staged < 0 ? launch_of_points(view) : launch_of_tile(view);
    launch.source = unrolled_as(view.row, std::move(launch.source));
    return launch;
}

} // namespace tessera::gpu
