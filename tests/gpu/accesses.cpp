// SPDX-License-Identifier: Apache-2.0
#include "accesses.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <regex>
#include <set>

#include <fmt/format.h>

#include "core/types/types.hpp"

namespace tessera::test {

namespace {

constexpr size_t warp = 32, room = 2048, most_groups = 4; // room: notes of a work-item
constexpr size_t front = 4;                               // numbers before its notes: those written, those that were
                                                          // to be, divisions, instructions of programs
constexpr uint64_t sector = 32, banks = 32;

// A note: what accesses, how many bytes, where.
struct Note {
    explicit Note(uint64_t code) : site(code >> 56), bytes(code >> 48 & 255), at(code & ((uint64_t(1) << 48) - 1)) {}
    uint64_t site, bytes, at;
};
struct Site {
    bool local = false, writes = false;
    double at_once = 1; // as often as loops around it that are unrolled have it
};
constexpr uint64_t barrier_site = 255;

// What an operation of a program costs in instructions: ptxas's counts of those that are no single one.
int instructions(const std::string& statement) {
    const auto has = [&](const char* what) { return statement.find(what) != std::string::npos; };
    int sum = has(" = as_float(0x") || has(" = (int)0x") ? 0 : 1;
    if (has(" / ") && !has("int")) sum += 9;
    if (has("sqrt(")) sum += 9;
    if (has("read_f8")) sum += 13;
    if (has("write_f8") || has("code_f8")) sum += 24;
    if (has("read_f16") || has("write_f16") || has("code_f16")) sum += 1;
    if (has("write_bf16") || has("code_bf16")) sum += 6;
    if (has("write_s8") || has("write_u8") || has("code_s8") || has("code_u8")) sum += 4;
    return sum;
}

// Whether loops are unrolled: by their hints, or because they are short.
double factor_of_loop(const std::string& header, int hint) {
    std::smatch m;
    if (hint > 1) return hint;
    if (!std::regex_search(header, m, std::regex(R"(< (\d+);)"))) return 1;
    const double bound = std::stod(m[1]);
    return hint == 0 || bound <= 16 ? bound : 1;
}
void find_unrolled(const std::string& text, std::vector<Site>& sites) {
    std::vector<double> blocks{1};
    double statement = 1;
    int hint = -1; // 0: all of it
    static const std::string pragma = "#pragma unroll", loop = "for (", noted = "note(trace, &notes, ";
    for (size_t i = 0; i < text.size(); ++i) {
        if (text.compare(i, pragma.size(), pragma) == 0) {
            i += pragma.size(), hint = std::atoi(text.c_str() + i);
        } else if (text.compare(i, loop.size(), loop) == 0) {
            const size_t start = i;
            int depth = 0;
            for (i += loop.size() - 1; i < text.size(); ++i)
                if ((depth += (text[i] == '(') - (text[i] == ')')) == 0) break;
            statement *= factor_of_loop(text.substr(start, i - start), hint), hint = -1;
        } else if (text[i] == '{') {
            blocks.push_back(blocks.back() * statement), statement = 1;
        } else if (text[i] == '}') {
            if (blocks.size() > 1) blocks.pop_back();
        } else if (text[i] == ';') {
            statement = 1;
        } else if (text.compare(i, noted.size(), noted) == 0) {
            const auto site = size_t(std::atoi(text.c_str() + i + noted.size()));
            if (site < sites.size()) sites[site].at_once = blocks.back() * statement;
        }
    }
}

// The kernel with its accesses noted, each a site.
std::string noted(std::string text, const Plan& plan, const gpu::Kernel& kernel, std::vector<Site>& sites) {
    const size_t start = text.find("\n__attribute__((reqd_work_group_size");
    std::string types = text.substr(0, start), body = text.substr(start);
    const auto each = [&](const std::string& pattern, const auto& replacement) {
        const std::regex what(pattern);
        std::string out;
        auto from = body.cbegin();
        for (std::smatch m; std::regex_search(from, body.cend(), m, what); from = m[0].second)
            out += m.prefix().str() + replacement(m);
        body = out + std::string(from, body.cend());
    };
    const auto note = [&](bool local, bool writes, const std::string& bytes, const std::string& pointer) {
        sites.push_back({local, writes});
        return fmt::format("note(trace, &notes, {}, {}, (ulong)({}))", sites.size() - 1, bytes, pointer);
    };
    const auto access = [&](bool local, bool writes, const std::string& type, const std::string& pointer) {
        return fmt::format("*({0} {1}*)(size_t)({2}, (size_t){3}){4}", local ? "local" : "global", type,
                           note(local, writes, fmt::format("sizeof({})", type), pointer), pointer, writes ? " = " : "");
    };
    each(R"(\n    (const (float|int|uint|double|long|ulong) [vw]|write_|put_|packed\[)[^\n]*;)",
         [&](const std::smatch& m) {
             const int cost = instructions(m[0]);
             return cost ? fmt::format("{} trace[3] += {};", m[0].str(), cost) : m[0].str();
         });
    each(R"(sum\[\w+\]\[\w+\] (= fma\(|\+= x|= DOT\(x)[^;\n]*;)",
         [](const std::smatch& m) { return fmt::format("{{ {} trace[3] += 1; }}", m[0].str()); });
    // Arrays and pieces of local memory: parts[lane], o2[e2], *(local const float4*)(a + kk * 132)
    std::map<std::string, std::string> arrays;
    const std::regex array(R"(local (\w+)(\* const)? (\w+)( =|\[))");
    for (std::sregex_iterator m(body.begin(), body.end(), array), end; m != end; ++m) arrays[(*m)[3]] = (*m)[1];
    for (const auto& entry : arrays) {
        const auto &name = entry.first, &type = entry.second; // clang 14 captures no structured bindings
        each(fmt::format(R"((local \w+ )?\b{}\[((\[[^\]]*\]|[^\[\]])*)\]( = )?)", name), [&](const std::smatch& m) {
            if (m[1].matched) return m[0].str();
            return access(true, m[4].matched, type, fmt::format("({} + ({}))", name, m[2].str()));
        });
    }
    each(R"(\*\(local const (\w+)\*\)(\(\w+ \+ kk [^()]*\)))",
         [&](const std::smatch& m) { return access(true, false, m[1], m[2]); });
    // ((global uint*)o0)[e0] and ((local uint*)tile)[n], read or written
    each(R"(\(\((global|local) (const )?(\w+)\*\)(o\d+|tile)\)\[([^\]]*)\]( = )?)", [&](const std::smatch& m) {
        return access(m[1] == "local", m[6].matched, m[3],
                      fmt::format("(({} {}*){} + ({}))", m[1].str(), m[3].str(), m[4].str(), m[5].str()));
    });
    // *(global uint4*)((global uchar*)o1 + (..)): the pointer ends where its parentheses do
    each(R"(\*\((global) (const )?(\w+)\*\)(\((\((global \w+)\*\))?o\d+ \+ \((\([^()]*\)|[^()])*\)\))( = )?)",
         [&](const std::smatch& m) { return access(false, m[8].matched, m[3], m[4]); });
    each(R"(\*\(global (const )?(\w+)\*\)(\(o\d+ \+ \(size_t\)e\d+ \* \d+ \+ \d+\)))",
         [&](const std::smatch& m) { return access(false, false, m[2], m[3]); });
    // Points of windows: *(global const uint4*)x0_at
    each(R"(\*\(global const (\w+)\*\)(x\d+_at))",
         [&](const std::smatch& m) { return access(false, false, m[1], m[2]); });
    // put_bits_32(o1, e1, ..), write_s8_f32(o1, e1, ..)
    each(R"((put_bits_\d+|write_\w+)\(o(\d+), (e\d+),)", [&](const std::smatch& m) {
        const auto o = size_t(kernel.operands[std::stoul(m[2])]);
        const int bytes = bits(plan.operands[o].type) / 8;
        const std::string at = fmt::format("o{} + (size_t){} * {}", m[2].str(), m[3].str(), bytes);
        return fmt::format("{}, {}", note(false, true, std::to_string(bytes), at), m[0].str());
    });
    each("restrict tables", [&](const std::smatch& m) { return m[0].str() + ", global ulong* trace"; });
    each(R"(    const int lane = [^\n]*\n)", [&](const std::smatch& m) {
        return m[0].str() +
               fmt::format("    int notes = 0;\n    trace += (get_group_id(0) * {} + get_local_id(0)) * {};\n",
                           kernel.launch.lanes, room);
    });
    each(R"(barrier\(CLK[^;]*;)", [&](const std::smatch& m) {
        return fmt::format("{{ note(trace, &notes, {}, 0, 0); {} }}", barrier_site, m[0].str());
    });
    find_unrolled(body, sites);
    const size_t place = types.find("place rest_ = (rest);");
    types.insert(place, "trace[2] += (int)(count); ");
    const size_t part = types.find("(place)get_group_id(0)");
    for (size_t at = part; at != std::string::npos; at = types.find("(place)get_group_id(0)", at + 40))
        types.replace(at, 22, "(place)(get_group_id(0) * GROUPS_APART)");
    return types +
           fmt::format(R"cl(
__attribute__((noinline)) void note(global ulong* trace, int* notes, ulong site, ulong bytes, ulong at) {{
    if (*notes < {}) trace[{} + (*notes)++] = site << 56 | bytes << 48 | (at & 0xffffffffffffUL);
    trace[0] = *notes, ++trace[1];
}}
)cl",
                       room - front, front) +
           body;
}

struct Counted {
    double used = 0, touched = 0;
    void add(uint64_t bytes, size_t sectors) { used += double(bytes), touched += double(sector * sectors); }
    double share() const { return touched > 0 ? used / touched : 1; }
};

// Bytes and sectors, each counted once.
struct Places {
    void add(const Note& n) { notes.push_back(n.at << 8 | n.bytes); }
    void count(Counted& into) {
        std::ranges::sort(notes);
        uint64_t used = 0, sectors = 0, end = 0, next = 0; // of what was counted
        for (const uint64_t n : notes) {
            const uint64_t from = std::max(n >> 8, end), to = (n >> 8) + (n & 255);
            if (from >= to) continue;
            used += to - from, end = to;
            const uint64_t first = std::max(from / sector, next), last = (to - 1) / sector;
            if (last >= first) sectors += last + 1 - first, next = last + 1;
        }
        into.add(used, sectors);
    }
    std::vector<uint64_t> notes = {};
};

// Accesses of 16 bytes take eight work-items at a time.
void count_conflicts(std::span<const Note> at_once, double& passes, double& instructions) {
    std::set<uint64_t> words;
    for (const Note& n : at_once)
        for (uint64_t w = n.at / 4; w <= (n.at + n.bytes - 1) / 4; ++w) words.insert(w);
    size_t in_bank[banks] = {};
    for (const uint64_t w : words) ++in_bank[w % banks];
    size_t most = 0;
    for (const size_t n : in_bank) most = std::max(most, n);
    passes += double(most), instructions += std::max(double(at_once[0].bytes) / 4, 1.);
}

// What a work-item waits for: its loads up to a store or a barrier are on their way together, as far as loops around
// them are unrolled.
struct Waits {
    void end(std::span<const Site> sites) {
        double rounds[2] = {};
        for (const auto& [site, n] : counts) {
            const Site& s = sites[site];
            rounds[s.local] = std::max(rounds[s.local], std::ceil(double(n) / s.at_once));
        }
        of_global += rounds[0], of_local += rounds[1];
        counts.clear(), seen.clear();
    }
    bool add(const Note& n) { // false: it has just read this
        if (!seen.insert({n.site, n.at}).second) return false;
        ++counts[n.site];
        return true;
    }
    double of_global = 0, of_local = 0, barriers = 0;
    std::map<uint64_t, size_t> counts = {};
    std::set<std::pair<uint64_t, uint64_t>> seen = {};
};

Accesses read(std::span<const uint64_t> trace, std::span<const Site> sites, size_t groups, size_t lanes) {
    Accesses a;
    Counted whole[2], at_once[2]; // read, written
    double passes = 0, instructions = 0, loaded = 0, waits = 0;
    for (size_t g = 0; g < groups; ++g) {
        Places of_group[2];
        double stored = 0, all = 0;
        Accesses slowest;
        for (size_t first = 0; first < lanes; first += warp) {
            std::map<std::pair<uint64_t, size_t>, std::vector<Note>> together; // by site and how often it was there
            for (size_t lane = first; lane < std::min(first + warp, lanes); ++lane) {
                const std::span<const uint64_t> own = trace.subspan((g * lanes + lane) * room, room);
                std::vector<size_t> times(sites.size());
                bool loads = false;
                Waits w;
                for (size_t i = 0; i < own[0]; ++i) {
                    const Note n(own[front + i]);
                    if (n.site == barrier_site) {
                        w.end(sites), ++w.barriers, loads = false;
                        continue;
                    }
                    const Site& s = sites[n.site];
                    if (!s.writes && !w.add(n)) continue;
                    together[{n.site, times[n.site]++}].push_back(n);
                    if (s.writes && !s.local) w.end(sites);
                    if (s.writes)
                        loads = false;
                    else if (!s.local)
                        loaded += double(n.bytes), waits += !loads, loads = true;
                }
                w.end(sites);
                const double more = double(own[1]) / double(std::max<uint64_t>(own[0], 1));
                stored += double(own[0]), all += double(own[1]);
                a.divisions += double(own[2]), a.instructions += double(own[3]) + double(own[1]) * 3;
                slowest.waits = std::max(slowest.waits, w.of_global * more);
                slowest.local_waits = std::max(slowest.local_waits, w.of_local * more);
                slowest.barriers = std::max(slowest.barriers, w.barriers * more);
            }
            for (const auto& [site, notes] : together) {
                const Site& s = sites[site.first];
                if (s.local) {
                    count_conflicts(notes, passes, instructions);
                    continue;
                }
                Places now;
                for (const Note& n : notes) now.add(n), of_group[s.writes].add(n);
                const double before = at_once[s.writes].touched;
                now.count(at_once[s.writes]);
                a.bytes_at_once += (at_once[s.writes].touched - before) * all / std::max(stored, 1.);
            }
        }
        for (const int writes : {0, 1}) {
            const double before = whole[writes].touched;
            of_group[writes].count(whole[writes]);
            a.bytes += (whole[writes].touched - before) * all / std::max(stored, 1.);
        }
        a.waits += slowest.waits, a.local_waits += slowest.local_waits, a.barriers += slowest.barriers;
    }
    for (double* const sum :
         {&a.bytes, &a.bytes_at_once, &a.waits, &a.local_waits, &a.barriers, &a.divisions, &a.instructions})
        *sum /= double(groups);
    a.divisions /= double(lanes), a.instructions /= double(lanes);
    a.read = whole[0].share(), a.written = whole[1].share();
    a.read_at_once = at_once[0].share(), a.written_at_once = at_once[1].share();
    a.conflicts = instructions > 0 ? passes / instructions : 1;
    a.in_flight = waits > 0 ? loaded / waits : 0;
    return a;
}

} // namespace

Result<Accesses> accesses(gpu::Device& device, const Plan& plan, const gpu::Kernel& kernel, size_t room_of_operand) {
    const gpu::OpenCl& cl = device.cl;
    const gpu::Launch& launch = kernel.launch;
    std::vector<Site> sites;
    std::string text = noted(launch.source, plan, kernel, sites);
    const size_t groups = std::min(size_t(launch.groups), most_groups), lanes = size_t(launch.lanes);
    text = fmt::format("#define GROUPS_APART {}\n", size_t(launch.groups) / groups) + text;
    const auto program = device.program(text);
    if (!program) return Refusal(program.error());
    const auto made = device.kernel(program->get(), gpu::kernel_name.data());
    if (!made) return Refusal(made.error());

    std::vector<gpu::Owned<cl_mem>> buffers;
    const auto add = [&](size_t bytes, const void* contents) -> Result<void> {
        auto buffer = device.buffer(bytes, contents);
        if (!buffer) return Refusal(buffer.error());
        buffers.push_back(std::move(*buffer));
        const cl_mem memory = buffers.back().get();
        const cl_int error = cl.clSetKernelArg(made->get(), cl_uint(buffers.size() - 1), sizeof memory, &memory);
        return error == CL_SUCCESS ? Result<void>{} : gpu::failed("clSetKernelArg", error);
    };
    std::vector<uint64_t> trace(groups * lanes * room);
    for (const std::vector<int64_t>& numbers : {launch.nest, launch.tables}) {
        const std::vector<int32_t> narrow(numbers.begin(), numbers.end());
        if (auto ok = launch.wide ? add(numbers.size() * 8, numbers.data()) : add(narrow.size() * 4, narrow.data());
            !ok)
            return Refusal(ok.error());
    }
    if (auto ok = add(trace.size() * 8, trace.data()); !ok) return Refusal(ok.error());
    for (size_t i = 0; i < kernel.operands.size(); ++i)
        if (auto ok = add(room_of_operand, nullptr); !ok) return Refusal(ok.error());
    const size_t all = groups * lanes;
    cl_int error =
        cl.clEnqueueNDRangeKernel(device.queue(), made->get(), 1, nullptr, &all, &lanes, 0, nullptr, nullptr);
    if (error == CL_SUCCESS)
        error = cl.clEnqueueReadBuffer(device.queue(), buffers[2].get(), CL_TRUE, 0, trace.size() * 8, trace.data(), 0,
                                       nullptr, nullptr);
    if (error != CL_SUCCESS) return gpu::failed("clEnqueueNDRangeKernel", error);
    return read(trace, sites, groups, lanes);
}

} // namespace tessera::test
