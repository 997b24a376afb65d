// SPDX-License-Identifier: Apache-2.0
#include "cpu/tiles/gather/choose.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <set>
#include <tuple>

#include "core/division.hpp"
#include "cpu/jit/program_code.hpp"

namespace tessera::cpu {

namespace {

// A turn of more points holds no more code than this; one point may.
constexpr int64_t code_of_turn = 2 << 10;

struct Byte { // the first one of an element
    int64_t dst, src, point;
};

// Length of the longest run of one point in dst.
int64_t longest_run(const GatherSpec& spec) {
    int64_t longest = 0, run = 0;
    for (size_t e = 0; e < spec.elements.size(); ++e) {
        run = e && spec.elements[e].dst == spec.elements[e - 1].dst + spec.element ? run + spec.element : spec.element;
        longest = std::max(longest, run);
    }
    return longest;
}

// The step in src between neighbours in dst where runs of at least W bytes have one and the same: channels last in
// groups. Else 0.
int64_t step_of(const GatherSpec& spec, int64_t width) {
    int64_t step = 0, run = 0;
    const auto& e = spec.elements;
    if (std::ranges::any_of(e, [](const GatherElement& x) { return x.src == none; })) return 0;
    for (size_t i = 0; i < e.size(); ++i) {
        ++run;
        if (i + 1 < e.size() && e[i + 1].dst == e[i].dst + spec.element) {
            const int64_t here = e[i + 1].src - e[i].src;
            if (step == 0) step = here;
            if (here == step) continue;
        }
        if (run * spec.element < width) return 0;
        run = 0;
    }
    return step > spec.element ? step : 0;
}

// The first windows of `size` bytes that cover the offsets (sorted), aligned to `size` where that costs nothing: a
// window across two cache lines costs two loads. They stay in [first, last).
void cover(const std::vector<int64_t>& offsets, int64_t size, int element, int64_t first, int64_t last,
           std::vector<int64_t>& starts, std::vector<int64_t>& even) {
    starts.clear(), even.clear();
    for (size_t i = 0; i < offsets.size();) {
        auto covered = [&](int64_t start) {
            return std::lower_bound(offsets.begin() + long(i), offsets.end(), start + size - element + 1);
        };
        int64_t start = offsets[i];
        const int64_t down = start - ((start % size) + size) % size;
        if ((start - down) % element == 0 && covered(down) == covered(start)) start = down;
        start = std::max(first, std::min(start, last - size));
        starts.push_back(start);
        i = size_t(covered(start) - offsets.begin());
    }
    // Multiples of `size` where they are no more: stores of the same place then share them.
    for (int64_t o : offsets) {
        const int64_t start = o - ((o % size) + size) % size;
        if (start < first || start + size > last || (o - start) % element || o + element > start + size) return;
        if (even.empty() || even.back() != start) even.push_back(start);
    }
    if (even.size() <= starts.size()) starts.swap(even);
}

} // namespace

int src_ratio(const GatherSpec& spec) { return spec.program.ops.empty() ? 1 : bits(spec.types[0]) / 8 / spec.element; }
int dst_ratio(const GatherSpec& spec) { return spec.program.ops.empty() ? 1 : bits(spec.types[1]) / 8 / spec.element; }
bool converts_loads(const GatherSpec& spec) { return src_ratio(spec) > 1; }
bool converts_stores(const GatherSpec& spec) { return !spec.program.ops.empty() && !converts_loads(spec); }

uint64_t GatherGroup::zeros() const {
    uint64_t zeros = mask;
    for (size_t i = 0; i < from.size(); ++i)
        if (from[i] != none) zeros &= ~(uint64_t(1) << i);
    return zeros;
}

bool permutes(const jit::Target& target, int element) {
    return element >= 4 || (element == 2 && target.masks) || (element == 1 && target.byte_permute);
}

std::vector<GatherRow> rows_of(const jit::Target& target, const GatherSpec& spec) {
    std::vector<GatherRow> point;
    if (!spec.program.ops.empty()) return {};
    const int64_t es = spec.element, shortest = 16;
    for (size_t e = 0; e < spec.elements.size();) {
        const GatherElement first = spec.elements[e];
        int64_t bytes = 0;
        for (; e < spec.elements.size() && spec.elements[e].dst == first.dst + bytes &&
               spec.elements[e].src == first.src + bytes;
             ++e)
            bytes += es;
        if (bytes < shortest || first.src == none) return {};
        for (int64_t at = 0; at < bytes;) {
            const int64_t left = bytes - at;
            int64_t move = std::min<int64_t>(target.vector_bytes, int64_t(std::bit_ceil(uint64_t(left))));
            if (move > bytes) move = int64_t(std::bit_floor(uint64_t(bytes)));
            const int64_t start = std::min(at, bytes - move);
            point.push_back({first.src + start, first.dst + start, int(move)});
            at = start + move;
        }
    }
    std::vector<GatherRow> rows;
    for (int64_t p = 0; p < spec.points; ++p)
        for (const GatherRow& r : point)
            rows.push_back({r.src + p * spec.src_stride, r.dst + p * spec.dst_stride, r.bytes});
    return rows;
}

std::vector<GatherGroup> groups_of(const jit::Target& target, const GatherSpec& spec) {
    const int64_t width = target.vector_bytes, es = spec.element;
    int64_t low = std::numeric_limits<int64_t>::max(), high = std::numeric_limits<int64_t>::min();
    for (const GatherElement& e : spec.elements)
        if (e.src != none) low = std::min(low, e.src), high = std::max(high, e.src + es);
    const int64_t step = step_of(spec, width);
    const bool joined = longest_run(spec) < width;
    std::vector<GatherGroup> groups;
    std::vector<size_t> known; // groups in order
    const auto value = [](const GatherGroup& g) { return std::tie(g.mask, g.from); };
    const auto is_before = [&](size_t k, const GatherGroup& g) { return value(groups[k]) < value(g); };
    GatherGroup g;         // of a store
    std::vector<Byte> run; // elements of a store or more

    auto store = [&](size_t begin, size_t end) {
        const Byte first = run[begin];
        int64_t origin = first.point * spec.src_stride;
        if (step) origin += (first.src - origin) / step * step; // the same from for every place of a run
        g.mask = 0, g.bytes = int(run[end - 1].dst + es - first.dst);
        g.from.assign(size_t(width), none);
        int64_t from_point = first.point, to_point = first.point;
        for (size_t i = begin; i < end; ++i) {
            from_point = std::min(from_point, run[i].point), to_point = std::max(to_point, run[i].point);
            for (int64_t b = 0; b < es; ++b) {
                const int64_t at = run[i].dst - first.dst + b;
                g.mask |= uint64_t(1) << at;
                if (run[i].src != none) g.from[size_t(at)] = run[i].src + b - origin;
            }
        }
        // Relative to the origin, from the first byte of the first point to the last byte of the last.
        g.first = low + from_point * spec.src_stride - origin;
        g.last = high + to_point * spec.src_stride - origin;
        auto at = std::lower_bound(known.begin(), known.end(), g, is_before);
        if (at == known.end() || value(groups[*at]) != value(g)) {
            at = known.insert(at, groups.size());
            groups.push_back(g);
        }
        GatherGroup& same = groups[*at];
        same.first = std::max(same.first, g.first), same.last = std::min(same.last, g.last);
        same.places.push_back({origin, first.dst});
    };
    // Elements of one run, or of several short ones under a mask.
    auto flush = [&] {
        const size_t per = size_t(width / es);
        for (size_t i = 0; i < run.size();) {
            size_t end = i + 1; // of the run
            while (end < run.size() && run[end].dst == run[end - 1].dst + es &&
                   (!step || run[end].src == run[end - 1].src + step))
                ++end;
            if (step) { // whole lines; the last one is shifted back, but for few elements: their windows are fewer
                for (size_t at = i; at < end;) {
                    const size_t left = end - at, count = left > per / 4 ? per : std::bit_ceil(left);
                    const size_t begin = std::min(at, end - count);
                    store(begin, begin + count);
                    at = begin + count;
                }
                i = end;
                continue;
            }
            if (end - i >= per) {
                for (size_t at = i; at < end; at += per) store(std::min(at, end - per), std::min(at, end - per) + per);
                i = end;
                continue;
            }
            if (target.masks && !converts_stores(spec))
                while (end < run.size() && run[end].dst + es <= run[i].dst + width) ++end;
            store(i, end);
            i = end;
        }
        run.clear();
    };
    for (int64_t p = 0; p < spec.points; ++p) {
        for (const GatherElement& e : spec.elements)
            run.push_back({e.dst + p * spec.dst_stride, e.src == none ? none : e.src + p * spec.src_stride, p});
        if (!joined) flush();
    }
    const auto before = [](const Byte& x, const Byte& y) { return x.dst < y.dst; };
    if (!std::is_sorted(run.begin(), run.end(), before)) std::sort(run.begin(), run.end(), before);
    flush();
    return groups;
}

namespace {

// What a lane of a store, or all of it, reads.
struct Lane {
    int64_t bytes, size;                        // of the lane; of a window
    std::vector<int64_t> offsets, starts, even; // of the lane that was found last; room for others

    Lane(const jit::Target& target, int element, const GatherGroup& group)
        : bytes(permutes(target, element) ? target.vector_bytes : 16), size(std::min(bytes, group.last - group.first)) {
        for (auto* list : {&offsets, &starts, &even}) list->reserve(size_t(bytes / element));
    }
    void find(const GatherGroup& group, int element, int64_t lane) {
        offsets.clear();
        for (int64_t i = 0; i < bytes; i += element)
            if (const int64_t o = group.from[size_t(lane * bytes + i)]; o != none) offsets.push_back(o);
        if (!std::ranges::is_sorted(offsets)) std::ranges::sort(offsets);
        cover(offsets, size, element, group.first, group.last, starts, even);
    }
};

// How many there are of windows_of().
size_t count_windows(const jit::Target& target, int element, const GatherGroup& group) {
    Lane lane(target, element, group);
    size_t count = 0;
    for (int64_t l = 0; l < target.vector_bytes / lane.bytes; ++l) {
        lane.find(group, element, l);
        count = std::max(count, lane.starts.size());
    }
    return count;
}

} // namespace

std::vector<GatherWindow> windows_of(const jit::Target& target, int element, const GatherGroup& group) {
    const bool permute = permutes(target, element);
    Lane own(target, element, group);
    const int64_t lane = own.bytes, size = own.size, unit = permute ? element : 1;
    const int lanes = int(target.vector_bytes / lane);
    std::vector<GatherWindow> windows;
    for (int l = 0; l < lanes; ++l) {
        own.find(group, element, l);
        const auto& starts = own.starts;
        while (windows.size() < starts.size())
            windows.push_back({std::vector<int64_t>(size_t(lanes), none), int(size),
                               std::vector<uint8_t>(size_t(target.vector_bytes), permute ? 0 : 0x80), 0});
        for (size_t w = 0; w < starts.size(); ++w) windows[w].start[size_t(l)] = starts[w];
        for (int64_t at = l * lane; at < (l + 1) * lane; at += unit) {
            const int64_t from = group.from[size_t(at)];
            if (from == none) continue;
            // The first one that reaches its end; starts ascend.
            const auto start = std::ranges::lower_bound(starts, from + unit - size);
            GatherWindow& window = windows[size_t(start - starts.begin())];
            window.mask |= uint64_t(1) << at / unit;
            window.table[size_t(at)] = uint8_t((from - *start) / unit);
        }
    }
    for (GatherWindow& window : windows) { // no more than is used: fewer loads across two lines
        if (!permute) break;
        int64_t used = 4;
        for (int64_t at = 0; at < lane; at += unit)
            if (window.mask >> at / unit & 1) used = std::max(used, (window.table[size_t(at)] + 1) * unit);
        window.bytes = int(std::min(size, int64_t(std::bit_ceil(uint64_t(used)))));
    }
    return windows;
}

namespace {

// Of a vector of values: the program and what decodes, encodes and joins.
int64_t code_of_values(const GatherSpec& spec) {
    const bool twice = spec.types.size() > 1 && spec.types[1] == DataType::bf16; // integers where there are denormals
    const int64_t values = spec.program.ops.empty() ? 0 : 8 * int64_t(spec.program.ops.size()) + (twice ? 120 : 48);
    return 4 / spec.element * values;
}
int64_t code_of_group(const jit::Target& target, const GatherSpec& spec, const GatherGroup& group, int64_t windows) {
    const int64_t stores = converts_stores(spec) ? code_of_values(spec) : 0;
    return 100 + windows * (target.vector_bytes + 24) + int64_t(group.places.size()) * (16 + stores + windows * 24);
}
int64_t code_of_loads(const GatherSpec& spec, const GatherCut& cut) {
    if (!converts_loads(spec)) return 0;
    std::set<std::pair<int64_t, std::vector<int64_t>>> loaded; // values, most of them once
    for (size_t g = 0; g < cut.groups.size(); ++g)
        for (const GatherPlace& place : cut.groups[g].places)
            for (const GatherWindow& w : cut.windows[g]) loaded.insert({place.src, w.start});
    return int64_t(loaded.size()) * code_of_values(spec);
}

// Whether the fewest stores that can cover dst, of one point or, where a point has whole vectors, of all, are few
// enough and fit into the code. This is known before the groups of stores, which take a hundred times as long to form.
bool may_fit(const jit::Target& target, const GatherSpec& spec) {
    int64_t stores = 0, end = std::numeric_limits<int64_t>::min(); // of the last one
    for (const GatherElement& e : spec.elements)                   // by dst
        if (e.dst + spec.element > end) ++stores, end = e.dst + target.vector_bytes;
    if (longest_run(spec) >= target.vector_bytes) stores *= spec.points;
    GatherGroup group;
    const int64_t shared = code_of_group(target, spec, group, 0);
    group.places.resize(1);
    const int64_t own = code_of_group(target, spec, group, 0) - shared;
    return stores <= most_gather_stores && shared + stores * own <= most_gather_code;
}

bool fits_displacements(const GatherSpec& spec) {
    constexpr int64_t far = std::numeric_limits<int32_t>::max() / 8;
    for (int64_t p : {0, spec.points - 1})
        for (const GatherElement& e : spec.elements) {
            const int64_t src = e.src == none ? 0 : e.src + p * spec.src_stride;
            if (std::abs(src) > far || std::abs(e.dst + p * spec.dst_stride) > far) return false;
        }
    return true;
}

// Windows of the first store, or of its first lane, of a turn of `points`: what a whole cut would find, in little time.
int64_t windows_of_first(const jit::Target& target, const GatherSpec& spec, int64_t points) {
    const int64_t size = permutes(target, spec.element) ? target.vector_bytes : 16;
    const int64_t first = spec.elements.front().dst;
    std::vector<int64_t> from;
    for (int64_t p = 0; p < points && p * spec.dst_stride < size; ++p)
        for (const GatherElement& e : spec.elements)
            if (e.src != none && e.dst + p * spec.dst_stride + spec.element <= first + size)
                from.push_back(e.src + p * spec.src_stride);
    std::sort(from.begin(), from.end());
    int64_t windows = 0;
    for (size_t i = 0; i < from.size(); ++windows) {
        const int64_t end = from[i] + size - spec.element;
        while (i < from.size() && from[i] <= end) ++i;
    }
    return windows;
}

// Points that fill lines: so many that the last line ends with the last point.
int64_t points_together(const jit::Target& target, const GatherSpec& spec, int64_t extent) {
    const int64_t width = target.vector_bytes;
    if (longest_run(spec) >= width || spec.dst_stride <= 0 || spec.dst_stride > width / 2) return 1;
    int64_t together = 1;
    while (together < width / spec.element && together * spec.dst_stride % width) ++together;
    return std::min(together, extent);
}

} // namespace

std::optional<GatherCut> cut_of(const jit::Target& target, const GatherSpec& spec, const GatherMost& most) {
    const int es = spec.element;
    if ((es != 1 && es != 2 && es != 4 && es != 8) || spec.elements.empty() || spec.points < 1) return std::nullopt;
    if (int64_t(spec.elements.size()) * spec.points > most_gather_stores * 64) return std::nullopt;
    if (!spec.program.ops.empty()) {
        const int64_t source = bits(spec.types[0]) / 8, size = bits(spec.types[1]) / 8;
        if (spec.types.size() > gather_operands || std::min(source, size) != es ||
            !jit::can_emit(spec.program, spec.types))
            return std::nullopt;
    }
    if (!fits_displacements(spec)) return std::nullopt;
    GatherCut cut;
    cut.rows = rows_of(target, spec);
    if (!cut.rows.empty()) return int64_t(cut.rows.size()) <= most_gather_stores ? std::optional(cut) : std::nullopt;
    if (int64_t(spec.elements.size()) * spec.points * es > most_gather_stores * target.vector_bytes)
        return std::nullopt;
    if (!may_fit(target, spec)) return std::nullopt;
    cut.groups = groups_of(target, spec);
    for (const GatherGroup& g : cut.groups) cut.stores += int64_t(g.places.size());
    if (cut.stores > most_gather_stores) return std::nullopt;
    // What is not taken has no tables of windows.
    for (const GatherGroup& g : cut.groups) {
        const auto windows = int64_t(count_windows(target, es, g));
        cut.code += code_of_group(target, spec, g, windows);
        cut.reads += int64_t(g.places.size()) * windows;
        if (cut.reads > most.windows * cut.stores || cut.code > most_gather_code) return std::nullopt;
    }
    cut.too_long = cut.code > most.code;
    if (cut.too_long) return cut;
    for (const GatherGroup& g : cut.groups) cut.windows.push_back(windows_of(target, es, g));
    cut.code += code_of_loads(spec, cut);
    cut.too_long = cut.code > most.code;
    if (cut.code > most_gather_code) return std::nullopt;
    return cut;
}

bool can_build_gather(const jit::Target& target, const GatherSpec& spec) { return cut_of(target, spec).has_value(); }

std::optional<GatherCut> cut_of_turn(const jit::Target& target, GatherSpec& spec, int64_t extent,
                                     const GatherMost& most) {
    spec.points = 1;
    if (const auto rows = rows_of(target, spec); !rows.empty()) { // 64 moves a turn, none of a point twice
        const auto points = std::clamp<int64_t>(64 / int64_t(rows.size()), 1, extent);
        spec.points = int(points);
        for (int64_t n = points; n > points / 2 && extent % spec.points; --n)
            if (extent % n == 0) spec.points = int(n);
        return cut_of(target, spec);
    }
    const int64_t together = points_together(target, spec, extent);
    if (windows_of_first(target, spec, together) > 2 * most.windows) return std::nullopt;
    // Points beyond the loop's end are moved twice; a group with more stores loads its vectors less often.
    std::optional<GatherCut> best;
    double least = 0;
    int64_t chosen = together;
    for (int64_t n : {1, 2, 3, 4}) {
        const int64_t points = n * together;
        if (points > extent) break;
        const double cost = double(round_up(extent, points)) * (1 + 0.1 / double(n));
        if (n > 1 && (!best || n * best->code / std::max<int64_t>(1, chosen / together) > code_of_turn)) break;
        if (n > 1 && cost >= least) continue;
        spec.points = int(points);
        auto cut = cut_of(target, spec, most);
        if (!cut) break;
        least = cost, chosen = points, best = std::move(cut);
    }
    spec.points = int(chosen);
    return best;
}

} // namespace tessera::cpu
