// One loop over the turns for each bundle of groups: index vectors and masks outside, windows inside.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "cpu/tiles/gather/choose.hpp"

namespace tessera::cpu {

using namespace jit;

namespace {

constexpr size_t masks_outside = 5; // of the allocator's 6; one is for those that are set inside of the loop

// Groups that read the same windows, in one loop: a window is loaded once for all of them.
struct Bundle {
    std::vector<const GatherGroup*> groups;
    std::vector<std::vector<GatherWindow>> windows; // by group
    // By start the bytes that are loaded from there: those of the longest window. All groups have the same places, so
    // each may read what another one of them may.
    std::map<std::vector<int64_t>, int> starts;
    size_t tables = 0;
    size_t chunk = 1; // stores of a group that are assembled side by side
};

bool same_sources(const GatherGroup& x, const GatherGroup& y) {
    return std::equal(x.places.begin(), x.places.end(), y.places.begin(), y.places.end(),
                      [](const GatherPlace& a, const GatherPlace& b) { return a.src == b.src; });
}

// In the order of what they read, so that neighbours share.
std::vector<Bundle> bundles_of(const Target& target, const GatherSpec& spec, const std::vector<GatherGroup>& groups) {
    std::vector<std::pair<std::vector<GatherWindow>, const GatherGroup*>> all;
    for (const GatherGroup& g : groups) all.push_back({windows_of(target, spec.element, g), &g});
    auto at = [](const auto& x) { return x.first[0].start; };
    std::stable_sort(all.begin(), all.end(), [&](const auto& x, const auto& y) { return at(x) < at(y); });
    const size_t room = size_t(target.vectors) - 3;
    std::vector<Bundle> bundles;
    for (auto& [windows, group] : all) {
        size_t shared = 0;
        if (!bundles.empty())
            for (const GatherWindow& w : windows) shared += bundles.back().starts.count(w.start);
        bool joins = shared * 2 >= windows.size() && shared > 0;
        if (joins) {
            const Bundle& b = bundles.back();
            const size_t stores = (b.groups.size() + 2) * std::min<size_t>(2, group->places.size());
            joins = same_sources(*b.groups[0], *group) && b.tables + windows.size() + stores <= room;
        }
        if (!joins) bundles.emplace_back();
        Bundle& b = bundles.back();
        for (const GatherWindow& w : windows) {
            int& bytes = b.starts[w.start];
            bytes = std::max(bytes, w.bytes);
        }
        b.tables += windows.size();
        const size_t fit = b.tables < room ? (room - b.tables) / (b.groups.size() + 2) : 1; // stores, loaded windows
        b.chunk = std::clamp<size_t>(fit, 1, group->places.size());
        if (b.chunk < group->places.size()) b.chunk = std::bit_floor(b.chunk);
        b.groups.push_back(group);
        b.windows.push_back(std::move(windows));
    }
    return bundles;
}

class Emitter {
public:
    Emitter(Code& code, const GatherSpec& spec)
        : code_(code), es_(spec.element), permute_(permutes(code.target(), es_)),
          pairs_(permute_ && code.target().byte_permute) {
        auto arg = [&](size_t at) { return code.gload({code.args(), int64_t(at)}); };
        src_ = arg(offsetof(GatherArgs, src)), dst_ = arg(offsetof(GatherArgs, dst));
        turns_ = arg(offsetof(GatherArgs, turns));
        src_step_ = arg(offsetof(GatherArgs, src_step)), dst_step_ = arg(offsetof(GatherArgs, dst_step));
        src_last_ = arg(offsetof(GatherArgs, src_last)), dst_last_ = arg(offsetof(GatherArgs, dst_last));
    }

    void emit(const Bundle& b) {
        const size_t count = b.groups[0]->places.size();
        masks_.clear(); // before vectors: these may be spilled, masks not
        for (const GatherGroup* g : b.groups)
            if (holes(*g)) outside(g->mask, 1);
        for (const auto& windows : b.windows)
            for (size_t w = 1; permute_ && !pairs_ && w < windows.size(); ++w) outside(windows[w].mask, es_);
        tables_.clear();
        for (const auto& windows : b.windows)
            for (size_t w = 0; w < windows.size(); ++w) {
                const auto table = pairs_ ? merged(windows, w) : windows[w].table;
                if (table.empty()) continue;
                if (auto [it, fresh] = tables_.try_emplace(name_of(table)); fresh) it->second = code_.constant(table);
            }
        kept_.clear();
        if (permute_ && !code_.target().masks)
            for (const auto& windows : b.windows)
                for (const GatherWindow& w : windows) {
                    std::vector<uint8_t> bytes(size_t(code_.width()), 0);
                    for (size_t i = 0; i < bytes.size(); ++i)
                        if (w.mask >> i / size_t(es_) & 1) bytes[i] = 0xff;
                    auto [it, fresh] = kept_.try_emplace(w.mask);
                    if (fresh) it->second = code_.constant(bytes);
                }
        const Gpr s = code_.gcopy(src_), d = code_.gcopy(dst_), n = code_.gcopy(turns_);
        code_.loop();
        for (size_t at = 0; at < count; at += b.chunk) emit(b, s, d, at, std::min(b.chunk, count - at));
        next_turn(s, d, n);
    }

    void emit(const std::vector<GatherRow>& rows) {
        constexpr size_t ahead = 8; // loads before their stores
        const Gpr s = code_.gcopy(src_), d = code_.gcopy(dst_), n = code_.gcopy(turns_);
        code_.loop();
        for (size_t at = 0; at < rows.size(); at += ahead) {
            const size_t count = std::min(ahead, rows.size() - at);
            std::vector<Vec> loaded;
            for (size_t i = 0; i < count; ++i) loaded.push_back(code_.load({s, rows[at + i].src}, rows[at + i].bytes));
            for (size_t i = 0; i < count; ++i) code_.store({d, rows[at + i].dst}, loaded[i], rows[at + i].bytes);
        }
        next_turn(s, d, n);
    }

private:
    void next_turn(Gpr s, Gpr d, Gpr n) {
        code_.gadd(s, s, src_step_), code_.gadd(d, d, dst_step_);
        code_.gcopy(s, code_.gmin(s, src_last_)), code_.gcopy(d, code_.gmin(d, dst_last_));
        code_.end_loop(n, 1);
    }
    // The stores of `count` places from place `at` on.
    void emit(const Bundle& b, Gpr s, Gpr d, size_t at, size_t count) {
        const GatherPlace* const places = &b.groups[0]->places[at];
        std::vector<Vec> line(b.groups.size() * count);
        std::vector<size_t> done(b.groups.size()); // windows
        for (const auto& [start, bytes] : b.starts) {
            std::vector<Vec> loaded(count);
            for (size_t g = 0; g < b.groups.size(); ++g)
                for (const GatherWindow& w : b.windows[g]) {
                    if (w.start != start) continue;
                    Vec* const lines = &line[g * count];
                    if (pairs_) {
                        const auto table = merged(b.windows[g], done[g]++);
                        for (size_t i = 0; i < count; ++i) {
                            if (loaded[i].id < 0) loaded[i] = load(s, places[i].src, start, bytes);
                            if (table.empty()) {
                                lines[i] = loaded[i];
                                continue;
                            }
                            const Vec t = tables_.at(name_of(table));
                            lines[i] = b.windows[g].size() == 1 ? code_.permute(loaded[i], t, es_)
                                                                : code_.permute2(lines[i], loaded[i], t, 1);
                        }
                        continue;
                    }
                    const Vec table = tables_.at(name_of(w.table));
                    std::optional<Mask> k;
                    if (permute_ && code_.target().masks && lines[0].id >= 0) k = mask(w.mask, es_);
                    for (size_t i = 0; i < count; ++i) {
                        if (loaded[i].id < 0) loaded[i] = load(s, places[i].src, start, bytes);
                        merge(lines[i], loaded[i], w, table, k);
                    }
                }
        }
        for (size_t g = 0; g < b.groups.size(); ++g)
            for (size_t i = 0; i < count; ++i) {
                const Mem m{d, b.groups[g]->places[at + i].dst};
                if (holes(*b.groups[g]))
                    code_.store_masked(m, line[g * count + i], mask(b.groups[g]->mask, 1), 1);
                else
                    code_.store(m, line[g * count + i], b.groups[g]->bytes);
            }
    }
    static std::string name_of(const std::vector<uint8_t>& table) { return std::string(table.begin(), table.end()); }
    // Merges window w into the bytes of the windows so far; no merge for the first of several windows. A permute of two
    // registers needs neither masks nor a step of its own for the first window.
    std::vector<uint8_t> merged(const std::vector<GatherWindow>& windows, size_t w) const {
        if (windows.size() == 1) return windows[0].table;
        if (w == 0) return {};
        std::vector<uint8_t> table(windows[0].table.size());
        for (size_t i = 0; i < table.size(); ++i) {
            const auto from = [&](const GatherWindow& x) {
                return uint8_t(x.table[i / size_t(es_) * size_t(es_)] * es_ + int(i) % es_);
            };
            table[i] = w == 1 ? from(windows[0]) : uint8_t(i);
            if (windows[w].mask >> i / size_t(es_) & 1) table[i] = uint8_t(from(windows[w]) + table.size());
        }
        return table;
    }
    static bool holes(const GatherGroup& g) { return g.mask != ~uint64_t(0) >> (64 - g.bytes); }

    void merge(Vec& line, Vec x, const GatherWindow& w, Vec table, const std::optional<Mask>& k) {
        if (permute_ && code_.target().masks) {
            if (line.id < 0)
                line = code_.permute(x, table, es_);
            else
                code_.permute_into(line, x, table, *k, es_);
            return;
        }
        Vec y;
        if (permute_) {
            y = code_.op2(VOp::iand, code_.permute(x, table, es_),
                          kept_.at(w.mask)); // masks of this target cannot be spilled
        } else {
            y = code_.shuffle(x, table);
        }
        line = line.id < 0 ? y : code_.op2(VOp::ior, line, y);
    }
    void outside(uint64_t bits, int es) {
        if (!code_.target().masks || masks_.size() >= masks_outside || masks_.count({bits, es})) return;
        const Mask k = code_.mask_constant(bits);
        masks_[{bits, es}] = k;
    }
    Mask mask(uint64_t bits, int es) {
        const auto it = masks_.find({bits, es});
        return it == masks_.end() ? code_.mask_constant(bits) : it->second;
    }
    Vec load(Gpr s, int64_t at, const std::vector<int64_t>& start, int bytes) {
        if (permute_) return code_.load({s, at + start[0]}, bytes);
        std::vector<size_t> used;
        for (size_t l = 0; l < start.size(); ++l)
            if (start[l] != none) used.push_back(l);
        const int64_t first = start[used[0]];
        bool same = true, row = used.size() == start.size() && bytes == 16;
        for (size_t l : used) same &= start[l] == first, row &= start[l] == first + int64_t(16 * l);
        if (row) return code_.load({s, at + first});
        if (bytes == 16 && used.back() == 0) return code_.load({s, at + first}, 16);
        if (bytes == 16 && same) return code_.broadcast({s, at + first}, 16);
        Vec x = code_.load({s, at + first}, bytes);
        for (size_t l : used) {
            if (l == 0) continue;
            const Mem m{s, at + start[l]};
            x = bytes == 16 ? code_.insert(x, m, 16, int(l)) : code_.insert_reg(x, code_.load(m, bytes), 16, int(l));
        }
        return x;
    }

    Code& code_;
    int es_;
    bool permute_, pairs_; // one source at a time, or two
    Gpr src_, dst_, turns_, src_step_, dst_step_, src_last_, dst_last_;
    std::map<std::pair<uint64_t, int>, Mask> masks_; // set outside of the loop
    std::map<std::string, Vec> tables_;
    std::map<uint64_t, Vec> kept_; // the same without masks: elements as bytes of ones
};

} // namespace

std::string key(const GatherSpec& spec) {
    std::string text = fmt::format("gather {} x{} {},{}", spec.element, spec.points, spec.src_stride, spec.dst_stride);
    // Steps between elements, repeated ones as a count.
    int64_t src = 0, dst = 0;
    for (size_t e = 0; e < spec.elements.size();) {
        const int64_t ds = spec.elements[e].src - src, dd = spec.elements[e].dst - dst;
        size_t count = 0;
        while (e < spec.elements.size() && spec.elements[e].src - src == ds && spec.elements[e].dst - dst == dd)
            src += ds, dst += dd, ++e, ++count;
        text += fmt::format(" {},{}*{}", ds, dd, count);
    }
    return text;
}

bool can_build_gather(const Target& target, const GatherSpec& spec) {
    const int es = spec.element;
    if ((es != 1 && es != 2 && es != 4 && es != 8) || spec.elements.empty() || spec.points < 1) return false;
    if (int64_t(spec.elements.size()) * spec.points > most_gather_stores * 64) return false;
    constexpr int64_t far = std::numeric_limits<int32_t>::max() / 2;
    for (int64_t p : {0, spec.points - 1})
        for (const GatherElement& e : spec.elements)
            if (std::abs(e.src + p * spec.src_stride) > far || std::abs(e.dst + p * spec.dst_stride) > far)
                return false;
    if (const auto rows = rows_of(target, spec); !rows.empty()) return rows.size() <= most_gather_stores;
    const auto groups = groups_of(target, spec);
    int64_t stores = 0;
    for (const GatherGroup& g : groups) stores += int64_t(g.places.size());
    return stores <= most_gather_stores && code_bytes(target, es, groups) <= most_gather_code;
}

Code build_gather(const Target& target, const GatherSpec& spec) {
    Code code(target, key(spec).substr(0, 60));
    Emitter emitter(code, spec);
    if (const auto rows = rows_of(target, spec); !rows.empty()) {
        emitter.emit(rows);
        return code;
    }
    const auto groups = groups_of(target, spec);
    for (const Bundle& b : bundles_of(target, spec, groups)) emitter.emit(b);
    return code;
}

} // namespace tessera::cpu
