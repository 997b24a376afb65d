// SPDX-License-Identifier: Apache-2.0
// A loop over rows and turns for each bundle of groups: index vectors and masks outside, windows inside.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "cpu/tiles/gather/choose.hpp"
#include "cpu/tiles/gather/conversion.hpp"

namespace tessera::cpu {

using namespace jit;

namespace {

// Of the allocator's 6 masks: one is for those that are set inside of the loop, some for comparisons of a program.
constexpr size_t masks_outside = 5, masks_beside_a_program = 2;

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
std::vector<Bundle> bundles_of(const Target& target, const GatherSpec& spec, const GatherCut& cut) {
    std::vector<std::pair<std::vector<GatherWindow>, const GatherGroup*>> all;
    for (size_t g = 0; g < cut.groups.size(); ++g) all.push_back({cut.windows[g], &cut.groups[g]});
    const std::vector<int64_t> nowhere;
    const auto at = [&](const auto& x) -> const std::vector<int64_t>& {
        return x.first.empty() ? nowhere : x.first[0].start;
    };
    std::stable_sort(all.begin(), all.end(), [&](const auto& x, const auto& y) { return at(x) < at(y); });
    const size_t room = size_t(target.vectors) - (spec.program.ops.empty() ? 3 : 6);
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
        : code_(code), spec_(spec), es_(spec.element), permute_(permutes(code.target(), es_)),
          pairs_(permute_ && code.target().byte_permute), conversion_(code, spec) {}

    void emit(const Bundle& b) {
        const size_t count = b.groups[0]->places.size();
        masks_.clear(); // before vectors: these may be spilled, masks not
        for (const GatherGroup* g : b.groups)
            if (g->holes()) outside(g->mask, 1);
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
        zeroed_.clear();
        for (const GatherGroup* g : b.groups) {
            if (converts_stores(spec_)) conversion_.prepare(*g);
            if (!converts_stores(spec_) && needs_zeros(*g) && !zeroed_.count(g->zeros()))
                zeroed_[g->zeros()] = code_.constant(bytes_of(~g->zeros()));
        }
        over_turns([&](Gpr s, Gpr d) {
            for (size_t at = 0; at < count; at += b.chunk) emit(b, s, d, at, std::min(b.chunk, count - at));
        });
    }

    void emit(const std::vector<GatherRow>& rows) {
        constexpr size_t ahead = 8; // loads before their stores
        over_turns([&](Gpr s, Gpr d) {
            for (size_t at = 0; at < rows.size(); at += ahead) {
                const size_t count = std::min(ahead, rows.size() - at);
                std::vector<Vec> loaded;
                for (size_t i = 0; i < count; ++i)
                    loaded.push_back(code_.load({s, rows[at + i].src}, rows[at + i].bytes));
                for (size_t i = 0; i < count; ++i) code_.store({d, rows[at + i].dst}, loaded[i], rows[at + i].bytes);
            }
        });
    }

private:
    void over_turns(const std::function<void(Gpr s, Gpr d)>& turn) {
        const auto arg = [&](size_t at) { return Mem{code_.args(), int64_t(at)}; };
        const Gpr src = code_.gload(arg(offsetof(GatherArgs, src))), dst = code_.gload(arg(offsetof(GatherArgs, dst)));
        const Gpr rows = code_.gload(arg(offsetof(GatherArgs, rows)));
        code_.loop();
        const Gpr s = code_.gcopy(src), d = code_.gcopy(dst), n = code_.gload(arg(offsetof(GatherArgs, turns)));
        const Gpr src_last = code_.gcopy(src), dst_last = code_.gcopy(dst);
        code_.gadd_mem(src_last, src_last, arg(offsetof(GatherArgs, src_last)));
        code_.gadd_mem(dst_last, dst_last, arg(offsetof(GatherArgs, dst_last)));
        code_.loop();
        turn(s, d);
        code_.gadd_mem(s, s, arg(offsetof(GatherArgs, src_step)));
        code_.gadd_mem(d, d, arg(offsetof(GatherArgs, dst_step)));
        code_.gcopy(s, code_.gmin(s, src_last)), code_.gcopy(d, code_.gmin(d, dst_last));
        code_.end_loop(n, 1);
        code_.gadd_mem(src, src, arg(offsetof(GatherArgs, src_row)));
        code_.gadd_mem(dst, dst, arg(offsetof(GatherArgs, dst_row)));
        code_.end_loop(rows, 1);
    }
    // The stores of `count` places from place `at` on.
    void emit(const Bundle& b, Gpr s, Gpr d, size_t at, size_t count) {
        const GatherPlace* const places = &b.groups[0]->places[at];
        std::vector<Vec> line(b.groups.size() * count);
        std::vector<size_t> done(b.groups.size()); // windows
        for (const auto& [start, bytes] : b.starts) {
            std::vector<Vec> loaded(count);
            const auto read = [&, start = start, bytes = bytes](size_t i) { // Clang 14 captures no bindings
                if (loaded[i].id < 0)
                    loaded[i] = converts_loads(spec_) ? load_values(s, places[i].src, b, start)
                                                      : load(s, places[i].src, start, bytes);
                return loaded[i];
            };
            for (size_t g = 0; g < b.groups.size(); ++g)
                for (const GatherWindow& w : b.windows[g]) {
                    if (w.start != start) continue;
                    Vec* const lines = &line[g * count];
                    if (pairs_) {
                        const auto table = merged(b.windows[g], done[g]++);
                        for (size_t i = 0; i < count; ++i) {
                            if (table.empty()) {
                                lines[i] = read(i);
                                continue;
                            }
                            const Vec t = tables_.at(name_of(table));
                            lines[i] = b.windows[g].size() == 1 ? code_.permute(read(i), t, es_)
                                                                : code_.permute2(lines[i], read(i), t, unit_of_pairs());
                        }
                        continue;
                    }
                    const Vec table = tables_.at(name_of(w.table));
                    std::optional<Mask> k;
                    if (permute_ && code_.target().masks && lines[0].id >= 0) k = mask(w.mask, es_);
                    for (size_t i = 0; i < count; ++i) merge(lines[i], read(i), w, table, k);
                }
        }
        for (size_t g = 0; g < b.groups.size(); ++g)
            for (size_t i = 0; i < count; ++i)
                put({d, b.groups[g]->places[at + i].dst * dst_ratio(spec_)}, line[g * count + i], *b.groups[g]);
    }
    void put(Mem m, Vec line, const GatherGroup& group) {
        if (line.id < 0) line = code_.zero();
        if (converts_stores(spec_)) return conversion_.store(m, line, group);
        if (needs_zeros(group)) line = code_.op2(VOp::iand, line, zeroed_.at(group.zeros()));
        if (group.holes())
            code_.store_masked(m, line, mask(group.mask, 1), 1);
        else
            code_.store(m, line, group.bytes);
    }
    // Shuffles, and permutes where there are no masks, leave zeros where nothing comes from.
    bool needs_zeros(const GatherGroup& group) const {
        return permute_ && code_.target().masks && group.zeros() != 0 && group.zeros() != group.mask;
    }
    std::vector<uint8_t> bytes_of(uint64_t bits) const {
        std::vector<uint8_t> bytes(size_t(code_.width()), 0);
        for (size_t i = 0; i < bytes.size(); ++i)
            if (bits >> i & 1) bytes[i] = 0xff;
        return bytes;
    }
    static std::string name_of(const std::vector<uint8_t>& table) { return std::string(table.begin(), table.end()); }
    // Merges window w into the bytes of the windows so far; no merge for the first of several windows. A permute of two
    // registers needs neither masks nor a step of its own for the first window.
    std::vector<uint8_t> merged(const std::vector<GatherWindow>& windows, size_t w) const {
        if (windows.size() == 1 && !stays(windows[0])) return windows[0].table;
        if (w == 0) return {};
        std::vector<uint8_t> table(windows[0].table.size());
        const size_t unit = size_t(unit_of_pairs()), bytes = size_t(es_);
        for (size_t i = 0; i < table.size(); i += unit) {
            const auto from = [&](const GatherWindow& x) {
                return (x.table[i / bytes * bytes] * bytes + i % bytes) / unit;
            };
            table[i] = uint8_t(w == 1 ? from(windows[0]) : i / unit);
            if (windows[w].mask >> i / bytes & 1) table[i] = uint8_t(from(windows[w]) + table.size() / unit);
        }
        return table;
    }
    // Permutes of two registers of words are no faster than those of bytes on any processor that has both.
    int unit_of_pairs() const { return es_ >= 4 ? es_ : 1; }

    // Every element is where it belongs.
    bool stays(const GatherWindow& w) const {
        for (size_t i = 0; i < w.table.size(); i += size_t(es_))
            if ((w.mask >> i / size_t(es_) & 1) && w.table[i] != i / size_t(es_)) return false;
        return true;
    }

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
        const size_t most = spec_.program.ops.empty() ? masks_outside : masks_beside_a_program;
        if (!code_.target().masks || masks_.size() >= most || masks_.count({bits, es})) return;
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

    // The windows of the bundle that start there. Parts of the register that nothing is taken from are not read.
    Vec load_values(Gpr s, int64_t at, const Bundle& b, const std::vector<int64_t>& start) {
        const int part = conversion_.part_bytes(), unit = permute_ ? es_ : 1;
        std::vector<GatherConversion::Part> parts(size_t(code_.width() / part));
        const auto add = [&](const GatherWindow& w) {
            for (int i = 0; i < code_.width(); i += unit) {
                if (!(w.mask >> i / unit & 1)) continue;
                const int lane = permute_ ? 0 : i / 16, from = 16 * lane + int(w.table[size_t(i)]) * unit;
                const int p = from / part, begin = p * part - 16 * lane; // of the window
                GatherConversion::Part& here = parts[size_t(p)];
                here.src = (at + w.start[size_t(lane)] + begin) * src_ratio(spec_);
                here.elements = std::max(here.elements, std::min(part, w.bytes - begin) / es_);
            }
        };
        for (const auto& windows : b.windows)
            for (const GatherWindow& w : windows)
                if (w.start == start) add(w);
        return conversion_.load(s, parts);
    }

    Code& code_;
    const GatherSpec& spec_;
    int es_;
    bool permute_, pairs_; // one source at a time, or two
    GatherConversion conversion_;
    std::map<uint64_t, Vec> zeroed_;                 // by zeros: bytes that stay
    std::map<std::pair<uint64_t, int>, Mask> masks_; // set outside of the loop
    std::map<std::string, Vec> tables_;
    std::map<uint64_t, Vec> kept_; // the same without masks: elements as bytes of ones
};

} // namespace

std::string key(const GatherSpec& spec) {
    std::string text = fmt::format("gather {} x{} {},{}", spec.element, spec.points, spec.src_stride, spec.dst_stride);
    const auto add = [&](char before, int64_t number) { // hundreds: format() takes an eighth of a creation
        const fmt::format_int digits(number);
        text += before, text.append(digits.data(), digits.size());
    };
    // Steps between elements, repeated ones as a count.
    int64_t src = 0, dst = 0;
    for (size_t e = 0; e < spec.elements.size();) {
        const bool zero = spec.elements[e].src == GatherElement::zero;
        const int64_t ds = zero ? 0 : spec.elements[e].src - src, dd = spec.elements[e].dst - dst;
        const auto same = [&](const GatherElement& x) {
            return x.dst - dst == dd &&
                   (zero ? x.src == GatherElement::zero : x.src != GatherElement::zero && x.src - src == ds);
        };
        size_t count = 0;
        while (e < spec.elements.size() && same(spec.elements[e])) src += ds, dst += dd, ++e, ++count;
        if (zero)
            text += " zero";
        else
            add(' ', ds);
        add(',', dd), add('*', int64_t(count));
    }
    if (spec.program.ops.empty()) return text;
    const std::vector<int64_t> column(spec.types.size(), 0);
    return fmt::format("{} {}", text, to_string(spec.program, names_in_key(spec.types, column)));
}

Code build_gather(const Target& target, const GatherSpec& spec, const GatherCut& cut) {
    Code code(target, key(spec).substr(0, 60));
    Emitter emitter(code, spec);
    if (!cut.rows.empty()) {
        emitter.emit(cut.rows);
        return code;
    }
    for (const Bundle& b : bundles_of(target, spec, cut)) emitter.emit(b);
    return code;
}
Code build_gather(const Target& target, const GatherSpec& spec) {
    return build_gather(target, spec, cut_of(target, spec).value());
}

} // namespace tessera::cpu
