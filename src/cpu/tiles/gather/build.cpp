// One loop over the turns for each group of stores: index vectors and masks outside, windows inside.
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

class Groups {
public:
    Groups(Code& code, const GatherSpec& spec) : code_(code), es_(spec.element), permute_(permutes(code.target(), es_)) {}

    void emit(const GatherGroup& g, Gpr src, Gpr dst, Gpr turns, Gpr src_step, Gpr dst_step, Gpr src_last, Gpr dst_last) {
        const auto windows = windows_of(code_.target(), es_, g);
        std::vector<Vec> tables;
        std::map<std::string, Vec> known;
        for (const GatherWindow& w : windows) {
            auto [it, fresh] = known.try_emplace(std::string(w.table.begin(), w.table.end()));
            if (fresh) it->second = code_.constant(w.table);
            tables.push_back(it->second);
        }
        const bool holes = g.mask != ~uint64_t(0) >> (64 - g.bytes);
        std::map<uint64_t, Mask> masks;
        std::optional<Mask> written;
        if (holes) written = code_.mask_constant(g.mask);
        if (permute_)
            for (size_t w = 1; w < windows.size(); ++w)
                if (masks.size() + holes < masks_outside)
                    if (auto [it, fresh] = masks.try_emplace(windows[w].mask); fresh) it->second = mask(windows[w].mask);
        const Gpr s = code_.gcopy(src), d = code_.gcopy(dst), n = code_.gcopy(turns);
        code_.loop();
        std::vector<Vec> line(g.places.size());
        for (size_t w = 0; w < windows.size(); ++w) {
            std::optional<Mask> k;
            if (permute_ && w > 0) {
                const auto it = masks.find(windows[w].mask);
                k = it == masks.end() ? mask(windows[w].mask) : it->second;
            }
            for (size_t i = 0; i < line.size(); ++i) {
                const Vec x = load(s, g.places[i].src, windows[w]);
                if (!permute_) {
                    const Vec y = code_.shuffle(x, tables[w]);
                    line[i] = w ? code_.op2(VOp::ior, line[i], y) : y;
                } else if (w == 0)
                    line[i] = code_.permute(x, tables[w], es_);
                else if (code_.target().masks)
                    code_.permute_into(line[i], x, tables[w], *k, es_);
                else
                    line[i] = code_.select(*k, code_.permute(x, tables[w], es_), line[i], es_);
            }
        }
        for (size_t i = 0; i < line.size(); ++i) {
            const Mem m{d, g.places[i].dst};
            if (written)
                code_.store_masked(m, line[i], *written, 1);
            else
                code_.store(m, line[i], g.bytes);
        }
        code_.gadd(s, s, src_step), code_.gadd(d, d, dst_step);
        code_.gcopy(s, code_.gmin(s, src_last)), code_.gcopy(d, code_.gmin(d, dst_last));
        code_.end_loop(n, 1);
    }

private:
    Vec load(Gpr s, int64_t at, const GatherWindow& w) {
        if (permute_) return code_.load({s, at + w.start[0]}, w.bytes);
        std::vector<size_t> used;
        for (size_t l = 0; l < w.start.size(); ++l)
            if (w.start[l] != none) used.push_back(l);
        const int64_t first = w.start[used[0]];
        bool same = true, row = used.size() == w.start.size() && w.bytes == 16;
        for (size_t l : used) same &= w.start[l] == first, row &= w.start[l] == first + int64_t(16 * l);
        if (row) return code_.load({s, at + first});
        if (w.bytes == 16 && used.back() == 0) return code_.load({s, at + first}, 16);
        if (w.bytes == 16 && same) return code_.broadcast({s, at + first}, 16);
        Vec x = code_.load({s, at + first}, w.bytes);
        for (size_t l : used) {
            if (l == 0) continue;
            const Mem m{s, at + w.start[l]};
            x = w.bytes == 16 ? code_.insert(x, m, 16, int(l)) : code_.insert_reg(x, code_.load(m, w.bytes), 16, int(l));
        }
        return x;
    }
    Mask mask(uint64_t bits) {
        if (code_.target().masks) return code_.mask_constant(bits);
        std::vector<uint8_t> bytes(size_t(code_.width()), 0);
        for (size_t b = 0; b < bytes.size(); ++b)
            if (bits >> b / size_t(es_) & 1) bytes[b] = 0xff;
        const std::vector<uint8_t> ones(size_t(code_.width()), 0xff);
        return code_.icmp(code_.constant(bytes), code_.constant(ones), 0);
    }

    Code& code_;
    int es_;
    bool permute_;
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
            if (std::abs(e.src + p * spec.src_stride) > far || std::abs(e.dst + p * spec.dst_stride) > far) return false;
    const auto groups = groups_of(target, spec);
    int64_t stores = 0;
    for (const GatherGroup& g : groups) stores += int64_t(g.places.size());
    return stores <= most_gather_stores && code_bytes(target, es, groups) <= most_gather_code;
}

Code build_gather(const Target& target, const GatherSpec& spec) {
    Code code(target, key(spec).substr(0, 60));
    auto arg = [&](size_t at) { return code.gload({code.args(), int64_t(at)}); };
    const Gpr src = arg(offsetof(GatherArgs, src)), dst = arg(offsetof(GatherArgs, dst));
    const Gpr turns = arg(offsetof(GatherArgs, turns));
    const Gpr src_step = arg(offsetof(GatherArgs, src_step)), dst_step = arg(offsetof(GatherArgs, dst_step));
    const Gpr src_last = arg(offsetof(GatherArgs, src_last)), dst_last = arg(offsetof(GatherArgs, dst_last));
    Groups groups(code, spec);
    for (const GatherGroup& g : groups_of(target, spec))
        groups.emit(g, src, dst, turns, src_step, dst_step, src_last, dst_last);
    return code;
}

} // namespace tessera::cpu
