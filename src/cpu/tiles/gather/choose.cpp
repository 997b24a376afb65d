#include "cpu/tiles/gather/choose.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "core/division.hpp"

namespace tessera::cpu {

namespace {

struct Byte {
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
std::vector<int64_t> cover(const std::vector<int64_t>& offsets, int64_t size, int element, int64_t first,
                           int64_t last) {
    std::vector<int64_t> starts;
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
    std::vector<int64_t> even;
    for (int64_t o : offsets) {
        const int64_t start = o - ((o % size) + size) % size;
        if (start < first || start + size > last || (o - start) % element || o + element > start + size) return starts;
        if (even.empty() || even.back() != start) even.push_back(start);
    }
    return even.size() <= starts.size() ? even : starts;
}

} // namespace

bool permutes(const jit::Target& target, int element) {
    return element >= 4 || (element == 2 && target.masks) || (element == 1 && target.byte_permute);
}

std::vector<GatherRow> rows_of(const jit::Target& target, const GatherSpec& spec) {
    std::vector<GatherRow> point;
    const int64_t es = spec.element, shortest = 16;
    for (size_t e = 0; e < spec.elements.size();) {
        const GatherElement first = spec.elements[e];
        int64_t bytes = 0;
        for (; e < spec.elements.size() && spec.elements[e].dst == first.dst + bytes &&
               spec.elements[e].src == first.src + bytes;
             ++e)
            bytes += es;
        if (bytes < shortest) return {};
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
    int64_t low = spec.elements.front().src, high = low;
    for (const GatherElement& e : spec.elements) low = std::min(low, e.src), high = std::max(high, e.src + es);
    const int64_t step = step_of(spec, width);
    const bool joined = longest_run(spec) < width;
    std::vector<GatherGroup> groups;
    std::map<std::pair<uint64_t, std::vector<int64_t>>, size_t> known;
    std::vector<Byte> run; // elements of a store or more

    auto store = [&](size_t begin, size_t end) {
        const Byte first = run[begin];
        int64_t origin = first.point * spec.src_stride;
        if (step) origin += (first.src - origin) / step * step; // the same from for every place of a run
        GatherGroup g;
        g.bytes = int(run[end - 1].dst + es - first.dst);
        g.from.assign(size_t(width), none);
        int64_t from_point = first.point, to_point = first.point;
        for (size_t i = begin; i < end; ++i) {
            from_point = std::min(from_point, run[i].point), to_point = std::max(to_point, run[i].point);
            for (int64_t b = 0; b < es; ++b) {
                const int64_t at = run[i].dst - first.dst + b;
                g.mask |= uint64_t(1) << at;
                g.from[size_t(at)] = run[i].src + b - origin;
            }
        }
        // Relative to the origin, from the first byte of the first point to the last byte of the last.
        g.first = low + from_point * spec.src_stride - origin;
        g.last = high + to_point * spec.src_stride - origin;
        auto [it, fresh] = known.try_emplace({g.mask, g.from}, groups.size());
        if (fresh) groups.push_back(std::move(g));
        GatherGroup& same = groups[it->second];
        if (!fresh) same.first = std::max(same.first, g.first), same.last = std::min(same.last, g.last);
        groups[it->second].places.push_back({origin, first.dst});
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
            if (target.masks)
                while (end < run.size() && run[end].dst + es <= run[i].dst + width) ++end;
            store(i, end);
            i = end;
        }
        run.clear();
    };
    for (int64_t p = 0; p < spec.points; ++p) {
        for (const GatherElement& e : spec.elements)
            run.push_back({e.dst + p * spec.dst_stride, e.src + p * spec.src_stride, p});
        if (!joined) flush();
    }
    std::sort(run.begin(), run.end(), [](const Byte& x, const Byte& y) { return x.dst < y.dst; });
    flush();
    return groups;
}

std::vector<GatherWindow> windows_of(const jit::Target& target, int element, const GatherGroup& group) {
    const bool permute = permutes(target, element);
    const int64_t lane = permute ? target.vector_bytes : 16, size = std::min(lane, group.last - group.first);
    const int lanes = int(target.vector_bytes / lane);
    const int64_t unit = permute ? element : 1;
    std::vector<GatherWindow> windows;
    for (int l = 0; l < lanes; ++l) {
        std::vector<int64_t> offsets;
        for (int64_t i = 0; i < lane; i += element)
            if (const int64_t o = group.from[size_t(l * lane + i)]; o != none) offsets.push_back(o);
        std::sort(offsets.begin(), offsets.end());
        const auto starts = cover(offsets, size, element, group.first, group.last);
        std::vector<bool> done(size_t(lane), false);
        for (size_t w = 0; w < starts.size(); ++w) {
            if (w == windows.size())
                windows.push_back({std::vector<int64_t>(size_t(lanes), none), int(size),
                                   std::vector<uint8_t>(size_t(target.vector_bytes), permute ? 0 : 0x80), 0});
            GatherWindow& window = windows[w];
            window.start[size_t(l)] = starts[w];
            for (int64_t i = 0; i < lane; i += unit) {
                const int64_t at = l * lane + i;
                if (!(group.mask >> at & 1)) continue;
                const int64_t o = group.from[size_t(at)] - starts[w];
                if (done[size_t(i)] || o < 0 || o + unit > size) continue;
                done[size_t(i)] = true;
                window.mask |= uint64_t(1) << at / unit;
                window.table[size_t(at)] = uint8_t(o / unit);
            }
        }
    }
    return windows;
}

int64_t code_bytes(const jit::Target& target, int element, const std::vector<GatherGroup>& groups) {
    int64_t bytes = 0;
    for (const GatherGroup& g : groups) {
        const auto windows = int64_t(windows_of(target, element, g).size());
        bytes += 100 + windows * (target.vector_bytes + 24) + int64_t(g.places.size()) * (16 + windows * 24);
    }
    return bytes;
}

int points_of_turn(const jit::Target& target, const GatherSpec& spec, int64_t extent) {
    const int64_t width = target.vector_bytes;
    if (const auto rows = rows_of(target, spec); !rows.empty()) { // 64 moves a turn, none of a point twice
        const auto most = std::clamp<int64_t>(64 / int64_t(rows.size()) * spec.points, 1, extent);
        for (int64_t n = most; n > most / 2; --n)
            if (extent % n == 0) return int(n);
        return int(most);
    }
    int64_t together = 1; // points that fill lines
    if (longest_run(spec) < width && spec.dst_stride > 0 && spec.dst_stride <= width / 2) {
        while (together < 16 && together * spec.dst_stride % width) ++together;
        together = std::min(together, extent);
    }
    // Points beyond the loop's end are moved twice; a group with more stores loads its vectors less often.
    int64_t best = together;
    double least = 0;
    for (int64_t n : {1, 2, 3, 4}) {
        const int64_t points = n * together;
        if (points > extent) break;
        GatherSpec turn = spec;
        turn.points = int(points);
        if (n > 1) {
            const auto groups = groups_of(target, turn);
            if (code_bytes(target, spec.element, groups) > most_gather_code / 2) break;
        }
        const double cost = double(round_up(extent, points)) * (1 + 0.1 / double(n));
        if (n == 1 || cost < least) least = cost, best = points;
    }
    return int(best);
}

} // namespace tessera::cpu
