// SPDX-License-Identifier: Apache-2.0
// Blocks of vectors: the register block, MC, KC and NC, and what is prefetched. The measurements that functions and
// constants stand on are in products/measured.tsv, by their names.
#include <algorithm>
#include <utility>

#include "core/division.hpp"
#include "cpu/products/choose/cut.hpp"

namespace tessera::cpu {

namespace {

struct Block {
    int rows, panels;
    double cost = 0;
};

// The cost of a register block for one of k, in products of a panel: the products, or their latency if they are few,
// and the part of loads of B and of broadcasts of A that the products do not hide. Where rows end with short runs a
// panel costs 1, because every block reads it from the second level. With 16 registers it does, too: two panels of B do
// not stay in L1, less so where B lies far apart. With 32, each product of a single panel needs a broadcast of its own.
struct BlockCost {
    double panel, latency;
    bool shared;             // between threads
    double broadcast_of_one; // for each row, of a single panel
    double of_block(double rows, double panels) const {
        const double broadcast = panels > 1 ? 0.25 : broadcast_of_one;
        return std::max(rows * panels, latency) + broadcast * rows + panel * panels + 1;
    }
    double of_rows(int64_t run, int rows, double panels) const {
        const int64_t rest = run % rows;
        return double(run / rows) * of_block(rows, panels) + (rest ? of_block(double(rest), panels) : 0);
    }
    // Threads that share the columns get whole blocks: a remainder counts as one, an odd number of many as one more.
    // The number of threads is not used, because blocks decide the bits of a sum.
    double of_run(int64_t run, int64_t all_panels, Block b) const {
        constexpr int64_t many = 8;
        const int64_t blocks = ceil_div(all_panels, b.panels);
        if (shared && blocks >= many) return double(round_up(blocks, 2)) * of_rows(run, b.rows, b.panels);
        const int64_t rest = all_panels % b.panels, whole = all_panels / b.panels;
        const double alone = rest ? of_rows(run, b.rows, double(shared ? b.panels : rest)) : 0;
        return double(whole) * of_rows(run, b.rows, b.panels) + alone;
    }
};

struct Reading {
    bool a_in_place, b_far;
};

// The register block of the least cost. Remainders of rows and columns count by themselves.
Block register_block(const DotShape& s, const DotSpec& spec, const jit::Target& target, const Machine& machine,
                     const Reading& reading) {
    const bool in_runs = run_of(s) < s.rows, many_registers = target.vectors == 32;
    const bool shared = s.batches < 8;
    const BlockCost cost = many_registers ? BlockCost{in_runs ? 1 : 0.4, 10, shared, 0.75}
                                          : BlockCost{reading.b_far ? 1.5 : 1, 4, shared, 0.25};
    // 28 rows half a way of L1 apart, or a multiple, share its sets.
    const bool shares_sets = reading.a_in_place && s.a_pitch % (aliasing(machine) / 2) == 0;
    constexpr Block wide[] = {{8, 3}, {6, 4}, {14, 2}, {12, 2}, {28, 1}, {14, 1}, {8, 1}};
    Block best{1, 1};
    double least = 0;
    const auto consider = [&](Block b) {
        b.rows = int(std::min<int64_t>(b.rows, run_of(s)));
        b.panels = int(std::min<int64_t>(b.panels, ceil_div(s.columns, 16)));
        DotSpec trial = spec;
        trial.rows = b.rows, trial.panels = b.panels;
        while (trial.rows > 1 && !can_build_dot(target, trial)) --trial.rows;
        if (!can_build_dot(target, trial)) return;
        b.rows = trial.rows;
        const double all = double(s.rows / run_of(s)) * cost.of_run(run_of(s), ceil_div(s.columns, 16), b);
        if (least == 0 || all < least * 0.99) least = b.cost = all, best = b;
    };
    for (const Block& b : wide)
        if (b.rows <= 14 || !shares_sets) {
            consider(b);
            // Blocks of about equal rows: 32 rows of two panels are 12, 12 and 8, not 14, 14 and 4.
            if (many_registers && !in_runs) consider({int(ceil_div(s.rows, ceil_div(s.rows, b.rows))), b.panels});
        }
    for (const int rows : {6, 4, 2, 1}) consider({rows, many_registers ? 4 : 1});
    if (in_runs && !many_registers)
        for (const int rows : {5, 3}) consider({rows, 1});
    return best;
}

// Whether the time of products in blocks that end with runs exceeds that of whole blocks by more than a pack takes,
// eight bytes a cycle.
bool blocks_gain(const DotShape& s, const DotChoice& c, const jit::Target& target, const Machine& machine) {
    constexpr double bytes_of_cycle = 8;
    constexpr double margin = 0.25; // 7 rows on AVX2 gain 0.19 by these costs, 0.01 to 0.05 measured
    const double cycles = target.vectors == 32 ? 0.5 : 1; // of 16 columns
    DotShape joined = s;
    DotChoice packed = c;
    pack_a(packed, joined);
    const double apart = register_block(s, c.spec, target, machine, {true, false}).cost,
                 as_one = register_block(joined, packed.spec, target, machine, {false, false}).cost;
    const double pack = double(s.rows) * double(bits(s.a_packed)) / 8 * (s.a_words ? 2 : 1) / bytes_of_cycle;
    return (apart - as_one) * cycles > pack + apart * cycles * margin;
}

// Whether A, which is read once from memory, is prefetched: the rows of a register block are too many streams, and too
// short, for the hardware to do so. It does follow rows shorter than `shortest`. A that many blocks of columns read is
// in a cache after the first.
bool prefetches_a(const DotChoice& c, const DotShape& s, const jit::Target& target, const Machine& machine) {
    const int64_t shortest = target.vectors == 32 ? 512 : 256;
    constexpr int64_t most_blocks = 8;
    const int64_t row = s.depth * bits(s.a) / 8;
    return c.depth >= s.depth && s.loops.empty() && run_of(s) == s.rows && c.a == DotSource::in_place && s.a_dense &&
           row >= shortest && s.batches * s.rows * row > 4 * machine.l2_bytes &&
           ceil_div(c.unit_columns, 16 * c.spec.panels) <= most_blocks;
}

// B of bytes that few rows read is packed in parts that stay in L1 until the products have read them: a pack that goes
// to L2 and comes back takes as long as 16 rows of products. Sums of integers are exact, so parts may be of any length.
// A strip is two lines of B wide; four where B comes from memory, for longer runs.
int64_t strip_in_l1(const DotChoice& c, const DotShape& s, const Machine& machine) {
    constexpr int64_t most_rows = 64;
    const bool integers = c.spec.kind == DotKind::u8s8 || c.spec.kind == DotKind::s8_exact;
    if (!integers || c.b != DotSource::packed || !s.b_cuts || !s.cuts.empty() || s.rows > most_rows) return 0;
    const int64_t line = 64, b_bytes = s.depth * s.columns;
    return (b_bytes > machine.l2_bytes * 2 ? 4 : 2) * line;
}

// Whether panels of B come from memory for few rows: these prefetch 64 steps ahead, with vectors of 32 bytes 128. More
// rows are limited by their products, a single row by memory alone.
bool passes_from_memory(const DotChoice& c, const DotShape& s, const Machine& machine) {
    constexpr int64_t fewest = 2, most = 128; // rows
    return c.b == DotSource::in_place && s.b_pitch == 0 && s.rows >= fewest && s.rows <= most &&
           comes_from_memory(c, s, machine);
}

// Rows of B from memory that are prefetched while as many before them are packed: few enough for the first level; 16 to
// 128 rows take about the same time. f32 gains nothing, B in the third level loses.
int64_t rows_to_prefetch(const DotChoice& c, const DotShape& s, const jit::Target& target, const Machine& machine) {
    const bool small = bits(s.b) == 8 || (bits(s.b) == 16 && target.vectors == 32),
               rows = s.b_cuts && s.cuts.empty() && s.b_dense && !s.b_computed;
    const bool prefetches = c.b == DotSource::packed && rows && small;
    return prefetches && comes_from_memory(c, s, machine) ? 32 : 0;
}

// KC, in bytes of a row of A: 8 rows fill a third of L1. Panels that few rows read once are longer: all of K for up to
// four rows, twice the part for up to 128.
int64_t bytes_of_part(const DotChoice& c, const DotShape& s, const jit::Target& target) {
    constexpr int64_t part = 2048, fewest = 4, few = 128;
    const bool wide = target.vectors == 32;
    if (c.b != DotSource::in_place || s.b_pitch || s.rows > few) return part;
    if (s.rows > fewest) return wide ? 2 * part : part;
    return wide || bits(c.spec.a) > 8 ? s.depth * bits(c.spec.a) / 8 : part;
}

// KC where rows of B lie far apart and few rows of A read them in place: as many rows of B as the first level and its
// TLB hold, each for a whole range of columns. With 16 registers fewer where they are a multiple of 4 KiB apart and
// share sets.
int64_t lines_of_far_rows(const DotChoice& c, const DotShape& s, const jit::Target& target, const Machine& machine) {
    if (machine.follows_rows) return comes_from_memory(c, s, machine) ? 128 : s.rows > 64 ? 512 : 256;
    const bool more = s.rows <= 4 || (target.vectors < 32 && s.b_pitch % 4096 != 0);
    return std::clamp<int64_t>(2 * s.rows / 16 * 16, more ? 64 : 32, 128);
}

// What is prefetched of B.
void prefetch_ahead(DotChoice& c, const DotShape& s, const jit::Target& target, const Machine& machine,
                    bool reads_far) {
    // Small blocks do not hide the latency of L2 or memory: they prefetch 16 steps of panels, or the next block of
    // columns.
    const bool panels = c.b == DotSource::packed || s.b_pitch == 0;
    // One and two rows of f32 are limited by memory alone: a distance of 4 steps.
    const bool waits = s.rows <= 2 && c.b == DotSource::in_place && c.spec.b == DataType::f32;
    if (target.vectors < 32) c.spec.b_ahead = panels ? (waits ? 256 : 1024) : reads_far ? 64 * c.spec.panels : 0;
    const bool wide = target.vectors == 32;
    if (passes_from_memory(c, s, machine) && (wide || s.rows > 2)) c.spec.b_ahead = wide ? 4096 : 8192;
    // Large blocks need no prefetch of B that is in L1, nor where the hardware follows its rows. It does not follow
    // panels of four rows beyond the second level, nor interleaved rows of which every second shares a set.
    const int64_t block_of_b = 16 * c.spec.panels * std::min(s.depth, c.depth) * bits(c.spec.b) / 8;
    const bool passes_by = s.rows <= 4 && s.b_pitch == 0 && bytes_of_b(c, s) > machine.l2_bytes;
    const bool follows =
        machine.follows_rows && !passes_by && !(c.spec.interleaves && s.b_pitch % (aliasing(machine) / 2) == 0);
    c.spec.b_near = wide && !c.spec.b_ahead && (follows || block_of_b <= machine.l1_bytes / 2);
}

constexpr int64_t narrowest = 96; // columns of a unit, or of a strip

// What a block of rows leaves in the second level: what is packed of A, or the part of k that is read.
int64_t block_of_a(const DotChoice& c, const DotShape& s, const Machine& machine) {
    const int64_t all = c.block_rows * s.depth * bits(c.spec.a) / 8, part = all / s.depth * c.depth;
    return c.a == DotSource::packed && all <= machine.l2_bytes / 2 ? all : part;
}
int64_t columns_beside_a(const DotChoice& c, const DotShape& s, const Machine& machine) {
    return (machine.l2_bytes * 3 / 4 - block_of_a(c, s, machine)) / (c.depth * bits(c.spec.b) / 8) / 48 * 48;
}

// NC: columns that a unit has about. 384 divides into register blocks of 16, 32, 48 and 64 columns; of f32 and 512 of k
// a block of B is 768 KiB at most and one of C 378 KiB.
int64_t columns_at_once(const DotChoice& c, const DotShape& s, const jit::Target& target, const Context& context,
                        bool reads_far) {
    constexpr int64_t column_block = 384, columns_of_transposed = 528, columns_of_long_runs = 1024;
    // A whose k is not dense is transposed for every block of columns: wider ones do so less often.
    const bool transposes = c.a == DotSource::packed && s.a_step;
    // All of k of a block of columns is packed at once, and every block of rows reads it again: it should fit L2.
    const int64_t fitting = context.l2_bytes * (transposes ? 5 : 3) / 4 / (s.depth * bits(c.spec.b) / 8) / 48 * 48;
    // Rows of B far apart in memory are read in long runs.
    const bool long_runs = reads_far && target.vectors < 32 && s.b_pitch * s.depth > context.l3_bytes / 2;
    const int64_t most = transposes ? columns_of_transposed : long_runs ? columns_of_long_runs : column_block;
    // Not so narrow that A is transposed again and again: B may come from the third level.
    const int64_t of_l3 = context.l3_bytes / (4 * context.threads) / (s.depth * bits(c.spec.b) / 8) / 48 * 48;
    const int64_t fewest = target.vectors < 32 && transposes ? of_l3 : 48;
    // Where a single block of rows reads B, parts of k are packed: as wide as their sums fit L2, because reading a few
    // lines of a row of B takes as long as reading all of it.
    const int64_t of_sums = context.l2_bytes / 4 / (s.rows * 4) / 48 * 48;
    const bool in_parts = c.b == DotSource::packed && s.b_cuts && s.b_dense && c.block_rows >= s.rows &&
                          most * s.depth * bits(c.spec.b) / 8 > context.l2_bytes / 2 &&
                          bytes_of_b(c, s) > 4 * context.l2_bytes;
    const int64_t packed = std::min(std::max<int64_t>({fitting, fewest, 48, in_parts ? of_sums : 0}), most);
    // Panels in place stay in the second level beside the rows of A that read them one after the other.
    const bool stays = target.vectors == 32 && c.a == DotSource::in_place && !reads_far;
    const int64_t in_place = stays ? std::clamp<int64_t>(columns_beside_a(c, s, context), narrowest, most) : most;
    return c.b == DotSource::packed ? packed : in_place;
}

// Where A is packed, units are so wide that this is done once or twice; they read B in strips of columns that stay in
// the second level beside a block of A.
struct Columns {
    int64_t unit, strip = 0;
};
Columns in_strips(const DotChoice& c, const DotShape& s, const Context& context, bool reads_far, int64_t unit) {
    constexpr int64_t most = 1024;
    const int64_t width = 16 * c.spec.panels, line = s.depth * bits(c.spec.b) / 8;
    const bool packs_b = c.b == DotSource::packed;
    if (c.a == DotSource::in_place || s.grouped || reads_far || (packs_b && s.rows <= c.block_rows)) return {unit};
    const int64_t packed = std::max(context.l2_bytes, context.l3_bytes / (2 * context.threads));
    const int64_t wide = packs_b ? std::min(most, packed / line) : most;
    const int64_t strip = std::max(columns_beside_a(c, s, context) / width * width, round_up(narrowest, width));
    return {std::max(unit, wide), strip};
}

} // namespace

bool joining_pays(const DotShape& s, const DotChoice& c, const jit::Target& target, const Machine& machine) {
    constexpr int64_t tile = 16, cycles_of_tiles = 16, bytes_of_cycle = 8;
    if (s.run_packed <= run_of(s) || s.grouped) return false;
    if (!is_amx(c.spec.kind)) return blocks_gain(s, c, target, machine);
    // Tiles of a run that are not full, of 64 bytes of k each, or a pack of all rows.
    const auto tiles = [](int64_t run) { return ceil_div(run, tile); };
    const int64_t runs = s.rows / run_of(s), saved = runs * tiles(run_of(s)) - tiles(s.rows);
    return saved * ceil_div(s.columns, tile) * cycles_of_tiles > s.rows * 64 / bytes_of_cycle;
}

DotChoice choose_blocks(DotShape s, DotChoice c, const jit::Target& target, const Context& context) {
    const DotKind kind = c.spec.kind;
    const int64_t strip = strip_in_l1(c, s, context);
    DotShape part = s;
    if (strip) part.columns = std::min(s.columns, strip);
    const bool reads_far = lies_far(s, context) && s.b_pitch && c.b == DotSource::in_place;
    const Reading reading{c.a == DotSource::in_place, reads_far};
    Block block = register_block(part, c.spec, target, context, reading);
    set_grain(s, c, block.rows, rows_of_block);
    if (run_of(s) != run_of(part)) part.run = s.run, block = register_block(part, c.spec, target, context, reading);
    c.run = run_of(s);
    c.spec.rows = block.rows, c.spec.panels = block.panels;

    c.depth = std::min(s.depth, std::max<int64_t>(bytes_of_part(c, s, target) / (bits(c.spec.a) / 8) / 16 * 16, 16));
    if (reads_far) c.depth = std::min(c.depth, lines_of_far_rows(c, s, target, context));
    // Rows of B that are interleaved stay in the first level for the next block of rows.
    constexpr int64_t interleaved = 256;
    const bool shares_sets = s.b_pitch % (aliasing(context) / 2) == 0;
    if (c.spec.interleaves && (bits(c.spec.b) == 8 || shares_sets)) c.depth = std::min(c.depth, interleaved);
    prefetch_ahead(c, s, target, context, reads_far);
    // Elements of 4 bits share a byte with their neighbour.
    const int64_t whole = std::max(step_of(kind), 2);
    c.set(fitting_parts(s, even_part(s.depth, c.depth, whole), step_of(kind)));
    c.block_rows = fitting_block(s, std::min(s.rows, std::max<int64_t>(rows_of_block / block.rows, 1) * block.rows));

    const int64_t width = 16 * block.panels;
    const auto ranges_on = [&](const Context& team) { // of columns
        const Columns columns = in_strips(c, s, team, reads_far, columns_at_once(c, s, target, team, reads_far));
        const int64_t some = columns.unit, ranges = std::max<int64_t>(1, (s.columns + some / 2) / some);
        const bool wider = some >= width && round_up(ceil_div(s.columns, ranges), width) > some;
        return std::pair(c.b == DotSource::packed && wider ? ranges + 1 : ranges, columns.strip);
    };
    auto [strips, strip_of_unit] = ranges_on(context);
    c.strip = strip_of_unit;
    const int64_t line_of_strip = std::min(strip, round_up(s.columns, 16));
    const int64_t depth_of_strip = strip ? context.l1_bytes * 2 / 3 / line_of_strip / 64 * 64 : 0;
    if (strip) strips = ceil_div(s.columns, strip);
    if (strip && s.depth > depth_of_strip && c.block_rows >= s.rows)
        c.by_depth = true, c.depth = std::max<int64_t>(depth_of_strip, 64);
    else
        // Parts of k give the bits of a sum: they are those of one thread.
        pack_by_depth(c, s, context.threads > 1 && !strip ? ranges_on(with_one_thread(context)).first : strips,
                      context);
    c.prefetched_rows = rows_to_prefetch(c, s, target, context);
    cut(c, s, strips, sharing_of(kind, target, context));
    // Blocks of rows about equal: of 258 rows no 6 by themselves.
    if (run_of(s) == s.rows && c.block_rows < c.unit_rows) {
        const int64_t blocks = (c.unit_rows + c.block_rows * 7 / 8) / c.block_rows;
        c.block_rows = std::min(c.unit_rows, round_up(ceil_div(c.unit_rows, blocks), s.grain ? s.grain : c.spec.rows));
    }
    c.prefetches_a = !target.amx && prefetches_a(c, s, target, context);
    return c;
}

} // namespace tessera::cpu
