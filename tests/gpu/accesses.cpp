// SPDX-License-Identifier: Apache-2.0
#include "accesses.hpp"

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include <fmt/format.h>

#include "core/types/types.hpp"

namespace tessera::test {

namespace {

constexpr size_t warp = 32, room = 1024, most_groups = 4; // room: notes of a work-item
constexpr uint64_t sector = 32, banks = 32;

// A note: what accesses, how many bytes, where.
struct Note {
    explicit Note(uint64_t code) : site(code >> 56), bytes(code >> 48 & 255), at(code & ((uint64_t(1) << 48) - 1)) {}
    uint64_t site, bytes, at;
};
struct Site {
    bool local, writes;
};

// The kernel with its accesses noted, each a site.
std::string noted(std::string text, const Plan& plan, const gpu::Kernel& kernel, std::vector<Site>& sites) {
    const size_t start = text.find("\n__attribute__((reqd_work_group_size");
    const std::string front = text.substr(0, start);
    std::string body = text.substr(start);
    const auto each = [&](const char* pattern, const auto& replacement) {
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
    // ((global uint*)o0)[e0] and ((local uint*)tile)[n], read or written
    each(R"(\(\((global|local) (const )?(\w+)\*\)(o\d+|tile)\)\[([^\]]*)\]( = )?)", [&](const std::smatch& m) {
        const std::string type = m[1].str() + " " + m[3].str() + "*";
        const std::string at = fmt::format("(({}){} + ({}))", type, m[4].str(), m[5].str());
        return fmt::format("*({0})(size_t)({1}, (size_t){2}){3}", type,
                           note(m[1] == "local", m[6].matched, fmt::format("sizeof({})", m[3].str()), at), at,
                           m[6].str());
    });
    // *(global uint4*)((global uchar*)o1 + (..)): the pointer ends where its parentheses do
    each(R"(\*\((global) (const )?(\w+)\*\)(\((\((global \w+)\*\))?o\d+ \+ \((\([^()]*\)|[^()])*\)\))( = )?)",
         [&](const std::smatch& m) {
             return fmt::format("*(global {}*)(size_t)({}, (size_t){}){}", m[3].str(),
                                note(false, m[8].matched, fmt::format("sizeof({})", m[3].str()), m[4].str()),
                                m[4].str(), m[8].str());
         });
    // put_bits_32(o1, e1, ..), write_s8_f32(o1, e1, ..)
    each(R"((put_bits_\d+|write_\w+)\(o(\d+), (e\d+),)", [&](const std::smatch& m) {
        const auto o = size_t(kernel.operands[std::stoul(m[2])]);
        const int bytes = bits(plan.operands[o].type) / 8;
        const std::string at = fmt::format("o{} + (size_t){} * {}", m[2].str(), m[3].str(), bytes);
        return fmt::format("{}, {}", note(false, true, std::to_string(bytes), at), m[0].str());
    });
    each(R"(, buffer restrict b0)", [&](const std::smatch& m) { return ", global ulong* trace" + m[0].str(); });
    each(R"(    const int lane = .*\n)", [&](const std::smatch& m) {
        return m[0].str() + fmt::format("    int notes = 0;\n    trace += (get_group_id(0) * {} + lane) * {};\n",
                                        kernel.launch.lanes, room);
    });
    each("FIND_PART",
         [&](const std::smatch&) { return "const place group = (place)(get_group_id(0) * GROUPS_APART);"; });
    return front +
           fmt::format(R"cl(
void note(global ulong* trace, int* notes, ulong site, ulong bytes, ulong at) {{
    if (*notes < {}) trace[++*notes] = site << 56 | bytes << 48 | (at & 0xffffffffffffUL);
    trace[0] = *notes;
}}
)cl",
                       room - 1) +
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

Accesses read(std::span<const uint64_t> trace, std::span<const Site> sites, size_t groups, size_t lanes) {
    Counted whole[2], at_once[2]; // read, written
    double passes = 0, instructions = 0, loaded = 0, waits = 0;
    for (size_t g = 0; g < groups; ++g) {
        Places of_group[2];
        for (size_t first = 0; first < lanes; first += warp) {
            std::map<std::pair<uint64_t, size_t>, std::vector<Note>> together; // by site and how often it was there
            for (size_t lane = first; lane < first + warp; ++lane) {
                const std::span<const uint64_t> own = trace.subspan((g * lanes + lane) * room, room);
                std::vector<size_t> times(sites.size());
                bool loads = false;
                for (size_t i = 1; i <= own[0]; ++i) {
                    const Note n(own[i]);
                    const Site& s = sites[n.site];
                    together[{n.site, times[n.site]++}].push_back(n);
                    if (s.writes)
                        loads = false;
                    else if (!s.local)
                        loaded += double(n.bytes), waits += !loads, loads = true;
                }
            }
            for (const auto& [site, notes] : together) {
                const Site& s = sites[site.first];
                if (s.local) {
                    count_conflicts(notes, passes, instructions);
                    continue;
                }
                Places now;
                for (const Note& n : notes) now.add(n), of_group[s.writes].add(n);
                now.count(at_once[s.writes]);
            }
        }
        for (const int writes : {0, 1}) of_group[writes].count(whole[writes]);
    }
    return {.read = whole[0].share(),
            .written = whole[1].share(),
            .read_at_once = at_once[0].share(),
            .written_at_once = at_once[1].share(),
            .conflicts = instructions > 0 ? passes / instructions : 1,
            .in_flight = waits > 0 ? loaded / waits : 0};
}

} // namespace

Result<Accesses> accesses(gpu::Device& device, const Plan& plan, const gpu::Kernel& kernel) {
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
        if (auto ok = add(64 << 20, nullptr); !ok) return Refusal(ok.error()); // what any of the problems takes
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
